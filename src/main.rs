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
use harness::process::{Interrupt, Launcher, supervisor};
use mimalloc::MiMalloc;

use crate::cli::{Cli, Format};
use crate::commands::App;
use crate::exit_status::ExitStatus;
use crate::failure::{Document, Failure};
use crate::progress::Progress;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    if let Some(code) = supervisor::enter() {
        return code;
    }
    match Cli::try_parse() {
        Ok(cli) => run(cli).into(),
        Err(error) => misunderstood(&error).into(),
    }
}

/// The end when the arguments are no command, or ask for help.
fn misunderstood(error: &clap::Error) -> ExitStatus {
    // There is nobody left to tell if even this cannot be printed.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitStatus::Success;
    }
    if cli::asks_for_json(std::env::args_os()) {
        let text = error.to_string();
        let text = text.trim_start_matches("error: ").trim();
        document(ExitStatus::Usage, text.to_owned());
    }
    ExitStatus::Usage
}

fn run(cli: Cli) -> ExitStatus {
    let interrupt = Interrupt::default();
    let format = cli.global.format;
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
    let (status, message) = match result {
        _ if interrupt.is_set() => {
            let message = "stopped; what was finished before is kept".to_owned();
            answer::tell(&message);
            (ExitStatus::Interrupted, message)
        }
        Ok(status) => return status,
        Err(Failure { status, error }) => {
            let message = message(&error);
            answer::tell(&format!("error: {message}"));
            (status, message)
        }
    };
    if format == Format::Json {
        document(status, message);
    }
    status
}

/// Tells a script why there is no answer.
fn document(status: ExitStatus, message: String) {
    // The person was told already, on standard error.
    let _ = answer::print_json(&Document::new(status, message));
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
