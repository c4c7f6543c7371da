//! The preview of the starting tree in an editor without an extension of ours: as an edit that a person
//! looks at and confirms or not, or as a patch to read.

use std::collections::BTreeMap;
use std::path::Path;

use analyzer::symbol::SymbolId;
use extractors::patch::{Change, File, Hunk, Patch, Side};
use gen_lsp_types::Range;
use harness::cache::{Cache, CacheError, write_atomically};
use harness::project::Project;
use harness::words::count;
use serde_json::{Value, json};

use crate::active::ActiveFeature;
use crate::knowledge::Freshness;
use crate::snapshot::{FileView, Snapshot};

/// How a client can show the starting tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preview {
    /// As an edit of which every part has to be confirmed.
    Edit {
        /// Whether an edit can delete files; else they are emptied.
        deletes: bool,
    },
    /// As a document.
    Document,
    /// In a message.
    Message,
}

impl Preview {
    /// The best one that a client's capabilities allow.
    pub fn new(said: &Value) -> Self {
        let edits = &said["workspace"]["workspaceEdit"];
        let operations = edits["resourceOperations"].as_array();
        let deletes = operations.is_some_and(|it| it.contains(&json!("delete")));
        if edits["documentChanges"] == true && edits["changeAnnotationSupport"].is_object() {
            return Self::Edit { deletes };
        }
        match said["window"]["showDocument"]["support"] == true {
            true => Self::Document,
            false => Self::Message,
        }
    }
}

/// What every part of the edit is marked with.
const ANNOTATION: &str = "lacuna.startingTree";

/// The parameters of `workspace/applyEdit`: from the texts as they are now to those of the starting tree.
/// `version` tells the client's number of an open text.
pub fn edit(
    folder: &Snapshot,
    feature: &ActiveFeature,
    deletes: bool,
    version: &dyn Fn(&str) -> Option<i32>,
) -> Value {
    let label = format!("Starting tree of {}", feature.target.join(", "));
    let changes = changes(folder, &feature.starting, deletes, version);
    json!({
        "label": label,
        "edit": {
            "documentChanges": changes,
            "changeAnnotations": {ANNOTATION: {
                "label": label,
                "description": summary(feature),
                "needsConfirmation": true,
            }},
        },
    })
}

fn changes(
    folder: &Snapshot,
    starting: &BTreeMap<String, Option<Vec<u8>>>,
    deletes: bool,
    version: &dyn Fn(&str) -> Option<i32>,
) -> Vec<Value> {
    let change = |(path, new): (&String, &Option<Vec<u8>>)| {
        let (uri, file) = (folder.uri(path), folder.file(path)?);
        if new.is_none() && deletes {
            return Some(json!({"kind": "delete", "uri": uri, "annotationId": ANNOTATION}));
        }
        let edits = edits(&file, path, new.as_deref().unwrap_or_default());
        let document = json!({"uri": uri, "version": version(path)});
        (!edits.is_empty()).then(|| json!({"textDocument": document, "edits": edits}))
    };
    starting.iter().filter_map(change).collect()
}

/// The files of the starting tree whose texts are not those that were run.
pub fn changed<'f>(folder: &Snapshot, feature: &'f ActiveFeature) -> Vec<&'f str> {
    let is_changed = |path: &&str| {
        let module = SymbolId::module(path);
        let symbol = folder.analysis.symbol(&module).zip(folder.file(path));
        symbol.is_some_and(|(symbol, file)| {
            let known = folder.knowledge(&module, file.bytes(&symbol.full));
            known.is_some_and(|(_, freshness)| freshness == Freshness::Stale)
        })
    };
    let paths = feature.starting.keys().map(String::as_str);
    paths.filter(is_changed).collect()
}

/// The edits from a file's text to another.
fn edits(file: &FileView, path: &str, new: &[u8]) -> Vec<Value> {
    let old = file.bytes(&(0..file.len()));
    let change = Change {
        path: path.to_owned(),
        old: Some(File::regular(old)),
        new: Some(File::regular(new)),
    };
    let patch = Patch::with_context([change], 0);
    let hunks = patch.files.iter().flat_map(|file| &file.hunks);
    let starts = line_starts(old);
    let edit = |hunk: &Hunk| {
        let side = |side| hunk.lines.iter().filter(move |line| line.side == side);
        let at = |line: usize| starts.get(line).copied().unwrap_or(old.len());
        let end = hunk.old_start + side(Side::Removed).count();
        let range: Range = file.range(&(at(hunk.old_start)..at(end)));
        let text: Vec<u8> = side(Side::Added)
            .flat_map(|line| line.bytes.clone())
            .collect();
        let text = String::from_utf8_lossy(&text);
        json!({"range": range, "newText": text, "annotationId": ANNOTATION})
    };
    hunks.map(edit).collect()
}

/// Where the lines of a patch start: only line feeds end them.
fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let ends = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
    std::iter::once(0).chain(ends).collect()
}

/// The parameters of `window/showDocument`: the patch to the starting tree, in a file of the cache.
///
/// # Errors
/// The file cannot be written.
pub fn document(root: &Path, feature: &ActiveFeature) -> Result<Value, String> {
    let written = || -> Result<_, CacheError> {
        let project = Project::open(root).ok();
        let cache = Cache::locate()?;
        let folder = match project {
            Some(project) => cache.project(&project)?.folder().to_owned(),
            None => cache.folder().to_owned(),
        };
        let path = folder.join("starting-tree.patch");
        write_atomically(&path, &feature.patch.to_bytes())?;
        Ok(path)
    };
    let path = written().map_err(|error| error.to_string())?;
    Ok(json!({"uri": crate::uri::of_path(&path), "takeFocus": true}))
}

/// The starting tree in words.
pub fn words(feature: &ActiveFeature) -> String {
    let paths: Vec<&str> = feature.starting.keys().map(String::as_str).collect();
    format!(
        "The starting tree of {}: {} ({})",
        feature.target.join(", "),
        summary(feature),
        paths.join(", ")
    )
}

fn summary(feature: &ActiveFeature) -> String {
    let lines = feature.patch.line_counts();
    format!(
        "{} less and {} more in {}",
        count(lines.removed, "line"),
        lines.added,
        count(feature.starting.len(), "file")
    )
}

#[cfg(test)]
mod tests {
    use gen_lsp_types::TextDocumentContentChangeEvent;

    use super::*;
    use crate::folder::Folder;
    use crate::text::{Encoding, apply};

    #[test]
    fn a_client_is_shown_the_starting_tree_as_it_can_show_it() {
        let check = |said: Value, expected| assert_eq!(Preview::new(&said), expected);
        check(json!({}), Preview::Message);
        let shows = json!({"window": {"showDocument": {"support": true}}});
        check(shows, Preview::Document);
        let edit = json!({"documentChanges": true, "changeAnnotationSupport": {}});
        let said = json!({"workspace": {"workspaceEdit": edit}});
        check(said, Preview::Edit { deletes: false });
    }

    #[test]
    fn the_edits_of_a_preview_lead_to_the_text_of_the_starting_tree() {
        let check = |old: &str, new: &str, count: usize| {
            let mut folder = Folder::new("/nowhere".into());
            folder.open("a.py", 1, old.to_owned());
            let snapshot = folder.snapshot(Encoding::Utf16);
            let edits = edits(&snapshot.file("a.py").unwrap(), "a.py", new.as_bytes());
            assert_eq!(edits.len(), count, "{edits:?}");
            let read = |edit: Value| {
                serde_json::from_value(json!({"range": edit["range"], "text": edit["newText"]}))
            };
            // The last one first: each speaks of the text as it was.
            let changes = edits.into_iter().rev().map(read);
            let changes: Result<Vec<TextDocumentContentChangeEvent>, _> = changes.collect();
            let mut text = old.to_owned();
            apply(&mut text, changes.unwrap(), Encoding::Utf16);
            assert_eq!(text, new);
        };
        check("a\nb\nc\n", "a\nc\n", 1);
        check("é\r\nb\r\n𝄞\r\nd", "b\r\n𝄞!\r\nd\r\n", 2);
        check("a\rb\nc", "a\rb\nd", 1);
        check("a\n", "", 1);
        check("a\n", "a\n", 0);
    }

    #[test]
    fn a_file_that_is_gone_is_deleted_or_emptied() {
        let mut folder = Folder::new("/nowhere".into());
        folder.open("a.py", 7, "x = 1\n".to_owned());
        let snapshot = folder.snapshot(Encoding::Utf16);
        let starting = BTreeMap::from([("a.py".to_owned(), None)]);
        let version = |path: &str| folder.document(path).map(|it| it.version);
        let deleted = changes(&snapshot, &starting, true, &version);
        let uri = "file:///nowhere/a.py";
        let expected = json!([{"kind": "delete", "uri": uri, "annotationId": ANNOTATION}]);
        assert_eq!(json!(deleted), expected);
        let emptied = json!(changes(&snapshot, &starting, false, &version));
        assert_eq!(
            emptied[0]["textDocument"],
            json!({"uri": uri, "version": 7})
        );
        assert_eq!(emptied[0]["edits"][0]["newText"], "");
    }
}
