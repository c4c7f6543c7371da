//! Python.

pub mod environment;
pub mod runner;
pub mod tracer;
