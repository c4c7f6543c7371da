//! The whole program, run as a person runs it, on sample projects.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail, and says how"
)]

mod answers;
mod deaths;
mod doctests;
mod full_disk;
mod go;
mod go_kinds;
mod graphs;
mod inherited;
mod interruption;
mod language_server;
mod mixed;
mod plugin_checks;
mod rust;
mod rust_kinds;
mod support;
mod tasks;
mod trouble;
