//! Languages: from the bytes of a source file to a syntax tree and typed captures.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail loudly"))]

mod encoding;
mod language;
mod python;
pub mod rust;
mod source;
mod tree;
mod words;

pub use language::Language;
pub use source::{Problem, SourceText};
pub use tree::{SyntaxTree, parse};
pub use tree_sitter;
pub use words::Words;
