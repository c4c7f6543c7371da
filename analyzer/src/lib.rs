//! The incremental database: files and traces in, symbols, references, the dependency graph and
//! features out. It runs no process, reads no disk and prints nothing.

pub mod occurrence;
pub mod symbol;
pub mod trace;
