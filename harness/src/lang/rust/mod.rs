//! Rust.

mod build;
mod cargo;
pub mod checker;
pub mod environment;
mod messages;
mod places;
pub mod runner;
mod surroundings;
mod tracer;
mod workspace;

use std::io;
use std::path::Path;

use crate::runner::RunError;

/// The error for a file of our own that cannot be used.
fn records(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    move |source| RunError::Records { path, source }
}
