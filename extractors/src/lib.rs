//! Extractors: pure functions from a snapshot and options to artefacts.
#![cfg_attr(
    test,
    expect(clippy::unwrap_used, reason = "a test fails by panicking")
)]

pub mod patch;
