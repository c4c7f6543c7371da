//! The record of a task: what was taken out, which tests prove it, and in which world that was true.

use std::collections::BTreeMap;

use analyzer::feature::Role;
use analyzer::symbol::{ByteRange, SymbolId, SymbolKind};
use serde::{Deserialize, Serialize};

use crate::patch::LineCounts;
use crate::removal::Action;

/// The version of `task.json`; a record of another version is not read.
pub const TASK_VERSION: u32 = 1;

/// One task, as `task.json` holds it. Every list and map has a stated order, so that the same task is
/// always the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// [`TASK_VERSION`].
    pub version: u32,
    /// See [`instance_id`].
    pub id: String,
    /// The version of the program that made it.
    pub tool: String,
    /// The command that made it, to be given in the project's folder, one word an entry.
    pub command: Vec<String>,
    /// The language of the feature, by its name in the table of languages.
    pub language: String,
    /// The project it was cut out of.
    pub project: ProjectRecord,
    /// What the target was said to be, verbatim.
    pub target: Vec<String>,
    /// To what the suite was restricted, verbatim; empty for all tests.
    pub suite: Vec<String>,
    /// How symbols were chosen and removed: option and value, by name.
    pub options: BTreeMap<String, serde_json::Value>,
    /// Every test of the suite by class.
    pub tests: TestClasses,
    /// The feature, sorted by id.
    pub symbols: Vec<SymbolRecord>,
    /// What the removal patch changes.
    pub size: Size,
    /// What may make it a poor task, in words for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Where the tests were run.
    pub environment: Environment,
}

/// The project of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectRecord {
    /// Its name.
    pub name: String,
    /// Its version, if it says one.
    pub version: Option<String>,
    /// The commit it was at, if it is a checkout.
    pub commit: Option<String>,
    /// A hash over its paths and their contents.
    pub tree: String,
}

/// The exact ids of all tests of the suite; each list is in the runner's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestClasses {
    /// Target tests that fail in the starting tree and pass in the full tree.
    pub fail_to_pass: Vec<String>,
    /// Other tests that do so.
    pub collateral: Vec<String>,
    /// Tests that pass in both.
    pub pass_to_pass: Vec<String>,
    /// The tests, of whatever class, that the starting tree does not have and that `tests.patch` puts
    /// back.
    pub held_back: Vec<String>,
    /// The files of the product that `tests.patch` puts tests back into, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back_into: Vec<String>,
    /// Tests that say nothing about a solution.
    pub excluded: Vec<ExcludedTest>,
}

/// A test that is not graded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExcludedTest {
    /// The runner's exact id.
    pub id: String,
    /// Why, for a person.
    pub reason: String,
}

/// One symbol of the feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymbolRecord {
    /// Its stable name.
    pub id: SymbolId,
    /// Its category.
    pub kind: SymbolKind,
    /// Its role in the feature, such as `top`.
    pub role: Role,
    /// What was done with it; `None` if it stays.
    pub action: Option<Action>,
    /// Where it stands in the full tree.
    pub place: Place,
}

/// A place in a file of the full tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Project-relative path with `/`.
    pub path: String,
    /// The bytes of the whole element.
    pub bytes: ByteRange,
    /// Its first and last line, counted from 1.
    pub lines: (u32, u32),
}

/// How much a task asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Lines of the removal patch.
    pub lines: LineCounts,
    /// Files it changes.
    pub files: usize,
    /// Symbols it removes.
    pub symbols: usize,
}

/// What must be the same for the results to be the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The command that ran the tests, one word an entry.
    pub command: Vec<String>,
    /// Facts such as the interpreter and its version, by name.
    pub facts: BTreeMap<String, String>,
    /// Installed packages by name, with their exact versions.
    pub packages: BTreeMap<String, String>,
}

/// Why a text is not a task record.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// Another version of the record.
    #[error(
        "this is a task record of version {found}, and version {TASK_VERSION} is read; make the task again"
    )]
    Version {
        /// The version it says.
        found: u64,
    },
    /// Not a record at all.
    #[error("this is not a task record: {0}; `task.json` of a task directory is one")]
    Malformed(#[from] serde_json::Error),
}

impl Task {
    /// The record as `task.json` holds it, ending in a line feed.
    ///
    /// # Errors
    /// If an option holds what JSON cannot say.
    pub fn to_json(&self) -> Result<String, TaskError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads a record.
    ///
    /// # Errors
    /// See [`TaskError`].
    pub fn from_json(text: &str) -> Result<Self, TaskError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(TASK_VERSION) => Err(TaskError::Version { found }),
            _ => Ok(serde_json::from_value(value)?),
        }
    }
}

/// The name of a task: project, target and eight digits of a hash over everything that defines it.
///
/// `parts` are hashed in order with their lengths, so that no two lists run together.
pub fn instance_id<'a>(
    project: &str,
    target: &str,
    parts: impl IntoIterator<Item = &'a [u8]>,
) -> String {
    let mut hasher = blake3::Hasher::new();
    hash_part(&mut hasher, project.as_bytes());
    hash_part(&mut hasher, target.as_bytes());
    parts
        .into_iter()
        .for_each(|part| hash_part(&mut hasher, part));
    let hash = hasher.finalize().to_hex();
    format!(
        "{}.{}.{}",
        slug(project),
        slug(target_stem(target)),
        hash.get(..8).unwrap_or_default()
    )
}

/// The last name of a target without its folders and file ending.
fn target_stem(target: &str) -> &str {
    let (path, chain) = target.split_once("::").unwrap_or((target, ""));
    let last = chain.rsplit("::").next().unwrap_or_default();
    let last = last.split('[').next().unwrap_or_default();
    let file = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    if last.is_empty() { stem } else { last }
}

/// A name with nothing but letters, digits, `-` and `_`.
fn slug(name: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    let slug: String = name.chars().map(kept).collect();
    match slug.trim_matches('-') {
        "" => "task".to_owned(),
        slug => slug.to_owned(),
    }
}

fn hash_part(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
    hasher.update(part);
}

#[cfg(test)]
mod tests;
