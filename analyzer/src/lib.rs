//! The incremental database: files and traces in, symbols, references, the dependency graph and
//! features out. It runs no process, reads no disk and prints nothing.

#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")
)]

mod database;
mod edges;
mod edited;
mod facts;
pub mod feature;
mod files;
pub mod graph;
mod host;
mod lang;
mod names;
pub mod occurrence;
mod resolution;
mod summary;
pub mod symbol;
pub mod trace;
mod trace_symbols;
mod use_index;

pub use grammars::{Language, Problem, SourceText, SyntaxTree};
pub use graph::DependencyGraph;
pub use host::{Analysis, AnalysisHost, Canceller, Change, input_patterns, is_input};
pub use lang::{is_test_support, may_be_orphan};
pub use salsa::Cancelled;
pub use trace_symbols::TraceSymbols;
