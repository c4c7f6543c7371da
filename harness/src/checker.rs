//! Checking without running: what a language's own tools say about a tree, for languages whose code is
//! built before it runs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::process::{Launcher, Limits};
use crate::runner::RunError;

/// A tree to check.
#[derive(Clone, Copy, Debug)]
pub struct CheckRequest<'a> {
    /// The tree: the program runs there, and may write there.
    pub tree: &'a Path,
    /// A folder outside the tree for the check's own files, which are gone afterwards.
    pub scratch: &'a Path,
    /// What it runs with.
    pub environment: &'a Environment,
    /// The person's arguments for the test runner, of which those that choose what is built count.
    pub arguments: &'a [String],
    /// What it may use.
    pub limits: Limits,
}

/// The version of what is stored about a check.
pub const CHECK_VERSION: u32 = 2;

/// One complaint of a tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, project-relative with `/`.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// Whether the tree cannot be built because of it.
    pub is_error: bool,
    /// Whether it says that something is there for nothing.
    pub unused: Option<Unused>,
    /// What it says.
    pub message: String,
}

/// What is there for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Unused {
    /// An import, or a name in one.
    Import,
    /// The definition whose name stands at the place.
    Definition,
}

/// A language's way to check a tree.
pub trait Checker: Sync {
    /// All complaints about product and test code, in the order of paths and places, each once.
    fn check(
        &self,
        request: &CheckRequest<'_>,
        launcher: &Launcher,
    ) -> Result<Vec<Diagnostic>, RunError>;
}
