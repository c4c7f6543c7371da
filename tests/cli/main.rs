//! The whole program, run as a person runs it, on the sample project.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail, and says how"
)]

mod answers;
mod doctests;
mod full_disk;
mod interruption;
mod support;
mod tasks;
mod trouble;
