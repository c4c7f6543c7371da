//! The languages whose code the harness can run: one row each.

pub mod go;
pub mod python;
pub mod rust;

use crate::checker::Checker;
use crate::environment::Toolchain;
use crate::project::Listing;
use crate::runner::TestRunner;

/// A row of the table.
pub struct Language {
    /// The name that people and records use.
    pub name: &'static str,
    /// How environments are made.
    pub toolchain: &'static dyn Toolchain,
    /// How tests are run.
    pub runner: &'static dyn TestRunner,
    /// How a tree is checked without running it, where that can fail although it parses.
    pub checker: Option<&'static dyn Checker>,
    /// How a person would run them, one word an entry.
    pub test_command: &'static [&'static str],
}

/// All rows; where a project suits several, the first.
static LANGUAGES: &[Language] = &[
    Language {
        name: "python",
        toolchain: &python::environment::Python,
        runner: &python::runner::Pytest::NATIVE,
        checker: None,
        test_command: &["python", "-m", "pytest"],
    },
    Language {
        name: "go",
        toolchain: &go::environment::Go,
        runner: &go::runner::GoTest,
        checker: Some(&go::checker::GoCheck),
        test_command: &["go", "test", "./..."],
    },
    Language {
        name: "rust",
        toolchain: &rust::environment::Rust,
        runner: &rust::runner::CargoTest,
        checker: Some(&rust::checker::CargoCheck),
        test_command: &["cargo", "test", "--workspace"],
    },
];

/// The language of a project with these files.
pub fn of(files: &Listing) -> Option<&'static Language> {
    LANGUAGES
        .iter()
        .find(|language| language.toolchain.suits(files))
}

/// The row with this name, as environments and records carry it.
pub fn named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

/// The names of all languages, for messages.
pub fn names() -> String {
    let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.join(", ")
}
