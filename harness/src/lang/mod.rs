//! The languages whose code the harness can run: one row each.

pub mod go;
pub mod python;
pub mod rust;

use crate::checker::Checker;
use crate::environment::Toolchain;
use crate::project::Listing;
use crate::runner::TestRunner;
use crate::words::count;

/// A row of the table.
pub struct Language {
    /// The name that people and records use.
    pub name: &'static str,
    /// The files without which there is no project of the language, in words for a person.
    pub mark: &'static str,
    /// How environments are made.
    pub toolchain: &'static dyn Toolchain,
    /// How tests are run.
    pub runner: &'static dyn TestRunner,
    /// How a tree is checked without running it, where that can fail although it parses.
    pub checker: Option<&'static dyn Checker>,
    /// How a person would run them, one word an entry.
    pub test_command: &'static [&'static str],
    /// What to try where there are no tests, or some cannot be built or loaded.
    pub advice: &'static str,
}

/// All rows.
static LANGUAGES: &[Language] = &[
    Language {
        name: "python",
        mark: "*.py",
        toolchain: &python::environment::Python,
        runner: &python::runner::Pytest::NATIVE,
        checker: None,
        test_command: &["python", "-m", "pytest"],
        advice: "Put what is missing into `environment.requirements`, or leave files out with `tests.paths`, in lacuna.toml.",
    },
    Language {
        name: "go",
        mark: "go.mod, which `go mod init` makes",
        toolchain: &go::environment::Go,
        runner: &go::runner::GoTest,
        checker: Some(&go::checker::GoCheck),
        test_command: &["go", "test", "./..."],
        advice: "See that `go vet ./...` finds the packages and their tests; `environment.variables` and `tests.arguments` (`-tags`, say) in lacuna.toml change how they are built, and `tests.paths` leaves packages out.",
    },
    Language {
        name: "rust",
        mark: "Cargo.toml",
        toolchain: &rust::environment::Rust,
        runner: &rust::runner::CargoTest,
        checker: Some(&rust::checker::CargoCheck),
        test_command: &["cargo", "test", "--workspace"],
        advice: "See that `cargo test --no-run` builds; `environment.variables` and `tests.arguments` (`--features`, say) in lacuna.toml change how, and `tests.paths` leaves files out.",
    },
];

/// The languages of a project with these files, in the order of the table.
pub fn all_of(files: &Listing) -> Vec<&'static Language> {
    LANGUAGES
        .iter()
        .filter(|language| language.toolchain.suits(files))
        .collect()
}

/// Those of some languages that a target or a part of the suite may be written in: by the ending of
/// its file, or by the files in its folder. What is no path may be any of them.
pub fn meant(
    languages: &[&'static Language],
    files: &Listing,
    part: &str,
) -> Vec<&'static Language> {
    let path = part.split("::").next().unwrap_or_default();
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let inside = |file: &&String| {
        let rest = file.strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let names: Vec<&str> = files
        .files
        .keys()
        .filter(inside)
        .filter_map(|file| Some(analyzer::Language::from_path(file)?.id()))
        .collect();
    let may_be = |language: &&Language| names.is_empty() || names.contains(&language.name);
    languages.iter().copied().filter(may_be).collect()
}

/// The row with this name, as environments and records carry it.
pub fn named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

/// Every row, in the order of the table.
pub fn all() -> &'static [Language] {
    LANGUAGES
}

/// The names of all languages, for messages.
pub fn names() -> String {
    let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.join(", ")
}

/// Why files are no project of any language: what is missing beside the code that is there, or else what
/// would make a project of each language.
pub fn missing(files: &Listing) -> String {
    let lacking: Vec<String> = LANGUAGES
        .iter()
        .filter_map(|row| lack(row, files))
        .collect();
    if !lacking.is_empty() {
        return lacking.join("; ");
    }
    let marks = LANGUAGES.iter();
    let marks: Vec<String> = marks
        .map(|language| format!("{} ({})", language.name, language.mark))
        .collect();
    format!("none of {}", marks.join(", "))
}

/// What is missing beside code in a language.
fn lack(language: &Language, files: &Listing) -> Option<String> {
    let is_own = |path: &&String| {
        analyzer::Language::from_path(path).is_some_and(|it| it.id() == language.name)
    };
    let found = match files.files.keys().filter(is_own).count() {
        0 => return None,
        number => count(number, "file"),
    };
    Some(format!(
        "{found} in {}, but no {}",
        language.name, language.mark
    ))
}
