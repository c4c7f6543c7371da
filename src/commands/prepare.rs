//! `prepare`: the environment of a project, made or found ready.

use std::io::{self, Write};

use harness::environment::{Environment, StepOutcome};
use harness::session;

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
    let session = app.session(&args.project.path)?;
    app.print(session.environment())?;
    Ok(ExitStatus::Success)
}

impl Answer for Environment {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{} {} at {}",
            self.language,
            self.version,
            self.runtime.display()
        )?;
        for step in &self.steps {
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
            count(self.packages.len(), "package"),
            count(self.collection.tests, "test")
        )?;
        for (path, why) in &self.collection.errors {
            writeln!(
                out,
                "cannot be collected: {path}: {}",
                why.lines().last().unwrap_or_default()
            )?;
        }
        Ok(())
    }
}
