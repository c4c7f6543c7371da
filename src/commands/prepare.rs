//! `prepare`: the environment of a project, made or found ready.

use std::io::{self, Write};

use harness::environment::{Environment, StepOutcome};
use harness::session;
use serde::Serialize;

use super::App;
use crate::answer::{Answer, count};
use crate::cli::PrepareArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

pub fn run(app: &App, args: &PrepareArgs) -> Result<ExitStatus, Failure> {
    if args.fresh {
        session::forget(&args.project.path, &app.launcher, &|event| {
            app.progress.event(event);
        })?;
    }
    let path = &args.project.path;
    let environments = app.in_languages(path, &[], |language| {
        Ok(app.session(path, language)?.environment().clone())
    })?;
    app.print(&Prepared { environments })?;
    Ok(ExitStatus::Success)
}

/// One environment for each language of the project.
#[derive(Serialize)]
struct Prepared {
    environments: Vec<Environment>,
}

impl Answer for Prepared {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        self.environments
            .iter()
            .try_for_each(|environment| write_environment(out, environment))
    }
}

fn write_environment(out: &mut dyn Write, environment: &Environment) -> io::Result<()> {
    writeln!(
        out,
        "{} {} at {}",
        environment.language,
        environment.version,
        environment.runtime.display()
    )?;
    for step in &environment.steps {
        let mark = if step.outcome == StepOutcome::Done {
            "ok"
        } else {
            "failed"
        };
        let seconds = std::time::Duration::from_millis(step.milliseconds).as_secs_f64();
        writeln!(out, "{mark:<7} {} ({seconds:.1} s)", step.purpose)?;
    }
    writeln!(
        out,
        "{} installed; {} found",
        count(environment.packages.len(), "package"),
        count(environment.collection.tests, "test")
    )?;
    for (path, why) in &environment.collection.errors {
        writeln!(
            out,
            "cannot be collected: {path}: {}",
            why.lines().last().unwrap_or_default()
        )?;
    }
    Ok(())
}
