//! The small Python programs that we run, written to the cache when they are needed.

use crate::cache::{CacheError, write_atomically};
use std::fs;
use std::path::{Path, PathBuf};

/// A program of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    DescribeProject,
    DescribeEnvironment,
    Collect,
}

impl Script {
    fn file(self) -> (&'static str, &'static str) {
        match self {
            Self::DescribeProject => (
                "describe_project.py",
                include_str!("scripts/describe_project.py"),
            ),
            Self::DescribeEnvironment => (
                "describe_environment.py",
                include_str!("scripts/describe_environment.py"),
            ),
            Self::Collect => (
                "lacuna_collect.py",
                include_str!("scripts/lacuna_collect.py"),
            ),
        }
    }
}

/// Writes the script to a folder unless it is there, and returns its path.
pub(super) fn place(folder: &Path, script: Script) -> Result<PathBuf, CacheError> {
    let (name, text) = script.file();
    let path = folder.join(name);
    if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
        write_atomically(&path, text.as_bytes())?;
    }
    Ok(path)
}
