//! What cargo and the compiler say, one JSON object a line.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::workspace::Workspace;

/// Reads all objects of a file; lines that are none are left out.
pub(super) fn read(file: &Path) -> Vec<Value> {
    let text = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// A place in a file of the project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// The compiler's word for one complaint.
pub(super) fn level(message: &Value) -> &str {
    message["level"].as_str().unwrap_or_default()
}

/// The name of the lint or the number of the error.
pub(super) fn code(message: &Value) -> &str {
    message["code"]["code"].as_str().unwrap_or_default()
}

/// The text without places.
pub(super) fn text(message: &Value) -> &str {
    message["message"].as_str().unwrap_or_default()
}

/// The text without places, and which trait is not imported though what it has is used.
pub(super) fn with_traits(message: &Value) -> String {
    let notes = message["children"].as_array().into_iter().flatten();
    let traits = notes.map(text).filter(|note| note.contains("not in scope"));
    traits.fold(text(message).to_owned(), |said, note| {
        format!("{said}; {note}")
    })
}

/// The text as the compiler draws it, with what to do about it where the compiler cannot know that.
pub(super) fn rendered(message: &Value) -> String {
    let said = text(message);
    let drawn = message["rendered"].as_str().unwrap_or(said).trim();
    match code(message) {
        UNSTABLE => drawn.replacen(said, &format!("{said}; {NIGHTLY}"), 1),
        _ => drawn.to_owned(),
    }
}

/// The number of the error about features that only some toolchains have.
const UNSTABLE: &str = "E0554";

/// What to do about it.
const NIGHTLY: &str = "if a nightly toolchain is installed, name it by `environment.interpreter` in lacuna.toml (`interpreter = \"nightly\"`)";

/// The places in the project that a complaint is about.
pub(super) fn places(message: &Value, tree: &Path, workspace: &Workspace) -> Vec<Place> {
    let spans = message["spans"].as_array().into_iter().flatten();
    spans
        .filter(|span| span["is_primary"].as_bool() == Some(true))
        .filter_map(|span| place(span, tree, workspace))
        .collect()
}

/// The place of a span; of one in somebody else's macro the place that uses it.
fn place(span: &Value, tree: &Path, workspace: &Workspace) -> Option<Place> {
    let mut span = span;
    loop {
        if let Some(path) = project_path(span["file_name"].as_str()?, tree, workspace) {
            let number = |key: &str| u32::try_from(span[key].as_u64()?).ok();
            return Some(Place {
                path,
                line: number("line_start")?,
                column: number("column_start")?,
            });
        }
        span = span.get("expansion")?.get("span")?;
    }
}

/// A path as the compiler tells it, relative to the project; `None` for what lies elsewhere.
pub(super) fn project_path(path: &str, tree: &Path, workspace: &Workspace) -> Option<String> {
    let path = workspace.folder.join(path);
    let path = path.canonicalize().ok()?;
    let inside = path.strip_prefix(tree).ok()?;
    inside.to_str().map(str::to_owned)
}
