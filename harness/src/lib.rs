//! The harness: everything that runs foreign code or writes task directories.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test may fail"))]

pub mod cache;
pub mod config;
pub mod doctor;
pub mod environment;
pub mod lang;
pub mod process;
pub mod project;
pub mod runner;
pub mod sandbox;
