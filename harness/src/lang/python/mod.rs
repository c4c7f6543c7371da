//! Python.

pub mod environment;
