//! Go.

pub mod checker;
mod declarations;
pub mod environment;
mod manifest;
mod modules;
mod packages;
mod places;
pub mod runner;
mod tracer;

use std::io;
use std::path::Path;

use crate::runner::RunError;

/// The error for a file of our own that cannot be used.
fn records(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    move |source| RunError::Records { path, source }
}
