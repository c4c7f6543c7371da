//! Rules of this repository that the compiler cannot check: one test each.
//!
//! A failure lists the places as `file:line: what is wrong; what to do`.
#![expect(clippy::expect_used, reason = "these are helpers of tests only")]

mod crates;
mod docs;
mod languages;
mod source;
mod tree;
mod words;

/// Fails with all complaints, one a line.
fn verdict(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n\n{}\n", complaints.join("\n"));
}
