//! Running and tracing Python tests, on every supported Python of this machine.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test may fail, and says what it skips"
)]

mod calls;
mod processes;
mod reference;
mod results;
mod support;
mod surroundings;
mod toy;
