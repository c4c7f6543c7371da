//! Extractors: pure functions from a snapshot and options to artefacts.
#![cfg_attr(
    test,
    expect(clippy::unwrap_used, reason = "a test fails by panicking")
)]

pub mod patch;

pub mod chain;
pub mod family;
pub mod feature_graph;
mod lang;

pub mod interface;
pub mod removal;
pub mod verify;

pub mod instance;
pub mod instruction;

#[cfg(test)]
mod testing;
