//! `lsp`: the language server on standard input and output.

use std::io::{stdin, stdout};

use ::lsp::Abandoned;
use harness::process::Interrupt;

use super::App;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// Serves a client until it ends the session; standard output belongs to the protocol.
pub fn run(app: &App) -> Result<ExitStatus, Failure> {
    app.progress.finish();
    let launcher = app.launcher.clone();
    let launch = move |interrupt: Interrupt| launcher.watching(interrupt);
    let (connection, writer) = ::lsp::connect(stdin(), stdout());
    let served = ::lsp::serve(connection, Box::new(launch));
    let is_written = writer.join().is_ok_and(|written| written.is_ok());
    match served {
        Ok(()) if is_written => Ok(ExitStatus::Success),
        Ok(()) | Err(Abandoned) => Ok(ExitStatus::Refused),
    }
}
