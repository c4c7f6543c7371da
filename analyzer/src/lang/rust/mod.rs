//! The rules of Rust.
//!
//! [`lower`] finds the items of a file; [`map`] puts the files of all crates together, which makes
//! `use` items mean something; [`resolve`] walks over a file once more with that map in hand.

mod items;
mod lower;
mod syntax;

use super::Rules;
use crate::resolution::Resolution;

pub use items::Facts;

pub(super) const RULES: Rules = Rules {
    facts: lower::facts,
    resolve: |_, _| Resolution::default(),
    is_test_support,
    may_be_orphan: |_, _| true,
    manifests: &["Cargo.toml"],
    source_roots: |_, _| Vec::new(),
};

/// Integration tests, benchmarks and examples stand beside the sources.
fn is_test_support(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| ["tests", "benches", "examples"].contains(&folder))
        && !path.split('/').any(|folder| folder == "src")
}
