//! `doctor`: what was found in a project, which step fails, why, and what to try.

use std::io::{self, Write};

use harness::doctor::{Report, Status};
use harness::session;

use super::App;
use crate::answer::Answer;
use crate::cli::ProjectArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

pub fn run(app: &App, args: &ProjectArgs) -> Result<ExitStatus, Failure> {
    let report = session::diagnose(&args.path, &app.launcher, &|event| {
        app.progress.event(event)
    })?;
    app.print(&report)?;
    Ok(match report.status() {
        _ if report.is_misconfigured() => ExitStatus::Usage,
        Status::Problem => ExitStatus::Environment,
        Status::Good | Status::Warning => ExitStatus::Success,
    })
}

impl Answer for Report {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        for check in &self.checks {
            let mark = match check.status {
                Status::Good => "ok",
                Status::Warning => "warning",
                Status::Problem => "problem",
            };
            writeln!(
                out,
                "{mark:<8} {}: {}",
                check.name,
                check.found.trim_end().replace('\n', "\n         ")
            )?;
            if let Some(advice) = &check.advice {
                writeln!(out, "         {advice}")?;
            }
        }
        Ok(())
    }
}
