//! `check`: a task directory validated again, from scratch.

use std::io::{self, Write};
use std::path::PathBuf;

use harness::check::{self, Claim};
use harness::lang;
use harness::project::Project;
use harness::session::SessionError;
use harness::task_dir;
use serde::Serialize;

use super::App;
use crate::answer::Answer;
use crate::cli::CheckArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

#[derive(Serialize)]
struct Checked {
    id: String,
    holds: bool,
    claims: Vec<Claim>,
}

pub fn run(app: &App, args: &CheckArgs) -> Result<ExitStatus, Failure> {
    let task = task_dir::read(&args.task)?;
    let project: PathBuf = args.project.clone().or_else(|| task.project.clone()).ok_or_else(|| {
        Failure::usage("the task has no evidence of where its project was; name the project's folder with --project")
    })?;
    let found = Project::open(&project).and_then(|project| project.tree_hash());
    let same = check::same_tree(&found.map_err(SessionError::from)?, &task);
    let claims = if same.holds() {
        let name = &task.task.language;
        let language = lang::named(name).ok_or_else(|| {
            Failure::usage(format!(
                "the task is in {name:?}, which this lacuna cannot run"
            ))
        })?;
        let mut session = app.session(&project, language)?;
        check::check(&mut session, &task, args.repeat, &|event| {
            app.progress.event(event)
        })?
    } else {
        vec![same]
    };
    let holds = claims.iter().all(Claim::holds);
    app.print(&Checked {
        id: task.task.id,
        holds,
        claims,
    })?;
    Ok(if holds {
        ExitStatus::Success
    } else {
        ExitStatus::Refused
    })
}

impl Answer for Checked {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        for claim in &self.claims {
            writeln!(
                out,
                "{:<6} {}",
                if claim.holds() { "ok" } else { "FAILED" },
                claim.what
            )?;
            for reason in claim.against.iter().take(10) {
                writeln!(out, "       {reason}")?;
            }
        }
        writeln!(
            out,
            "{} {}",
            self.id,
            if self.holds { "holds" } else { "does not hold" }
        )
    }
}
