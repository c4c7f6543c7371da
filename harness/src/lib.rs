//! The harness: everything that runs foreign code or writes task directories.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test may fail"))]

pub mod cache;
pub mod carve;
pub mod chain;
pub mod check;
pub mod checker;
pub mod config;
pub mod doctor;
pub mod environment;
pub mod lang;
pub mod overview;
pub mod process;
pub mod project;
pub mod runner;
pub mod sandbox;
pub mod session;
pub mod study;
pub mod task_dir;
pub mod words;
