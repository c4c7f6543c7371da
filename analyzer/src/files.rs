//! The index of paths: which files and folders exist, looked up one at a time so that a new file
//! concerns only those who asked for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::database::{Db, SourceFile, Text, files};
use crate::lang;

/// Paths of files and folders.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileIndex {
    files: FxHashMap<String, SourceFile>,
    folders: BTreeSet<String>,
    /// Per folder, the files that stand in it, in order.
    inside: FxHashMap<String, Vec<SourceFile>>,
    roots: BTreeMap<String, Vec<SourceRoot>>,
}

/// A folder from which modules are imported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceRoot {
    /// The folder; empty for the root of the project.
    pub folder: String,
    /// Whether only files inside the folder import from it.
    pub is_private: bool,
}

/// The index of the project.
#[salsa::tracked(returns(clone))]
pub(crate) fn file_index(db: &dyn Db) -> Arc<FileIndex> {
    let mut index = FileIndex::default();
    for &file in files(db) {
        let path = file.path(db);
        index.files.insert(path.to_owned(), file);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        index
            .inside
            .entry(folder.to_owned())
            .or_default()
            .push(file);
        for (at, _) in path.match_indices('/') {
            index
                .folders
                .insert(path.get(..at).unwrap_or_default().to_owned());
        }
    }
    let mut roots: BTreeMap<String, BTreeSet<SourceRoot>> = BTreeMap::new();
    for &file in files(db) {
        let exists = |path: &str| index.files.contains_key(path);
        for (top, root) in (lang::rules(file.language(db)).source_roots)(file.path(db), &exists) {
            roots.entry(top).or_default().insert(root);
        }
    }
    index.roots = roots
        .into_iter()
        .map(|(top, roots)| (top, roots.into_iter().collect()))
        .collect();
    Arc::new(index)
}

/// The file at a path.
#[salsa::tracked(returns(copy))]
pub(crate) fn file_at<'db>(db: &'db dyn Db, path: Text<'db>) -> Option<SourceFile> {
    file_index(db).files.get(path.text(db)).copied()
}

/// Whether a folder holds any file of the project, at any depth.
#[salsa::tracked(returns(copy))]
pub(crate) fn folder_exists<'db>(db: &'db dyn Db, path: Text<'db>) -> bool {
    file_index(db).folders.contains(path.text(db))
}

/// The files that stand in a folder itself, in order of their paths.
#[salsa::tracked(returns(clone))]
pub(crate) fn files_in<'db>(db: &'db dyn Db, folder: Text<'db>) -> Arc<[SourceFile]> {
    file_index(db)
        .inside
        .get(folder.text(db))
        .map(|files| Arc::from(files.as_slice()))
        .unwrap_or_default()
}

/// The folders from which a top-level module of this name is imported, in order of their paths.
#[salsa::tracked(returns(clone))]
pub(crate) fn roots_of<'db>(db: &'db dyn Db, top: Text<'db>) -> Arc<[SourceRoot]> {
    file_index(db)
        .roots
        .get(top.text(db))
        .map(|roots| Arc::from(roots.as_slice()))
        .unwrap_or_default()
}

/// A text as a key.
pub(crate) fn text<'db>(db: &'db dyn Db, text: &str) -> Text<'db> {
    Text::new(db, text.to_owned())
}
