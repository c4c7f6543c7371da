//! The language server: the same knowledge as the command line, served to editors.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test may fail"))]

mod active;
mod capabilities;
mod commands;
mod contained;
mod curator;
mod folder;
mod folders;
mod handlers;
mod jobs;
mod knowledge;
mod notifications;
mod pool;
mod preview;
mod progress;
mod server;
mod settings;
mod snapshot;
mod text;
mod transport;
mod uri;
mod world;

pub use capabilities::COMMANDS;
pub use jobs::Launch;
pub use server::{Abandoned, serve};
pub use transport::connect;
