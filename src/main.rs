//! `lacuna`: carve features out of real repositories, from the command line.

mod answer;
mod cli;
mod commands;
mod demo_sample;
mod exit_status;
mod failure;
mod progress;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use harness::process::{Interrupt, Launcher, supervisor};

use crate::cli::Cli;
use crate::commands::App;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::progress::Progress;

fn main() -> ExitCode {
    if let Some(code) = supervisor::enter() {
        return code;
    }
    match Cli::try_parse() {
        Ok(cli) => run(cli).into(),
        Err(error) => {
            let shown = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            // There is nobody left to tell if even this cannot be printed.
            let _ = error.print();
            if shown {
                ExitStatus::Success.into()
            } else {
                ExitStatus::Usage.into()
            }
        }
    }
}

fn run(cli: Cli) -> ExitStatus {
    let interrupt = Interrupt::default();
    let result = launcher(&interrupt).and_then(|launcher| {
        let app = App {
            progress: Progress::new(cli.global.quiet),
            global: cli.global,
            launcher,
        };
        let result = app.run(&cli.command);
        app.progress.finish();
        result
    });
    match result {
        _ if interrupt.is_set() => {
            report("stopped; what was finished before is kept");
            ExitStatus::Interrupted
        }
        Ok(status) => status,
        Err(Failure { status, error }) => {
            report(&format!("error: {}", message(&error)));
            status
        }
    }
}

/// An error with its causes; a cause that the text before it already tells is left out.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            let gap = if text.is_empty() { "" } else { ": " };
            text.push_str(gap);
            text.push_str(&cause);
        }
    }
    text
}

/// Starts foreign programs under a supervisor, which is this program again, and ends them on Ctrl-C.
fn launcher(interrupt: &Interrupt) -> Result<Launcher, Failure> {
    let on_signal = interrupt.clone();
    ctrlc::set_handler(move || on_signal.set())
        .map_err(|error| Failure::new(ExitStatus::Internal, error))?;
    let launcher = Launcher::new(interrupt.clone());
    Ok(match std::env::current_exe() {
        Ok(program) => launcher.supervised_by(program),
        Err(_) => launcher,
    })
}

#[expect(
    clippy::print_stderr,
    reason = "the one place where errors are printed"
)]
fn report(message: &str) {
    eprintln!("lacuna: {message}");
}
