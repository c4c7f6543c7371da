//! Rust projects: environments, results, traces and checks. Needs cargo.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

mod checking;
mod coverage;
mod crates;
mod environments;
mod results;
#[path = "../shared/mod.rs"]
mod shared;
mod support;
mod surroundings;
mod traces;
