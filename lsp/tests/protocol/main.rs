//! The server as a client sees it: messages in, messages out, in memory.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may fail, and says how"
)]

mod client;
mod documentation;
mod folders;
mod nonsense;
mod reading;
mod session;
mod storms;
mod wire;
