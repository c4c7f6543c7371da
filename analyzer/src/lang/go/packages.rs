//! Packages: which folder an import path means, and what the files of a package declare together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use grammars::Language;

use crate::database::{Db, SourceFile, Text, manifests, summary};
use crate::facts::{Binding, DefId, Name};
use crate::files::{files_in, text};
use crate::symbol::SymbolKind;

use super::values::DefRef;

/// The names that a package at this path probably has, the likeliest first. Only the package itself
/// knows its name, so this is for packages whose source is not there.
pub(super) fn likely_names(path: &str) -> Vec<Name> {
    let mut elements = path.rsplit('/');
    let last = elements.next().unwrap_or_default();
    let mut names = Vec::new();
    if is_version(last)
        && let Some(before) = elements.next()
    {
        names.extend(plain_names(before));
    }
    names.extend(plain_names(last));
    names
}

/// `v2`
fn is_version(element: &str) -> bool {
    element
        .strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// `go-yaml.v3` may be `yaml`.
fn plain_names(element: &str) -> Vec<Name> {
    let base = match element.rsplit_once(".v") {
        Some((base, version)) if is_version(&format!("v{version}")) => base,
        _ => element,
    };
    let base = base.strip_suffix(".go").unwrap_or(base);
    let stem = base.strip_prefix("go-").unwrap_or(base);
    let stem = stem.strip_suffix("-go").unwrap_or(stem);
    let last = stem.rsplit(['-', '.']).next().unwrap_or(stem);
    let joined = stem.replace(['-', '.'], "");
    let underscored = stem.replace(['-', '.'], "_");
    let mut names: Vec<Name> = Vec::new();
    for name in [stem, &joined, last, &underscored] {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && !names.iter().any(|other| other == name) {
            names.push(Name::new(name));
        }
    }
    names
}

/// A module of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GoModule {
    /// The folder of its manifest; empty for the root of the project.
    folder: String,
    /// The start of the import paths of its packages.
    path: String,
    /// Import paths that are found in a folder of the project instead.
    replaced: Vec<(String, String)>,
}

/// The modules of the project, the innermost folders first.
#[salsa::tracked(returns(clone))]
fn modules(db: &dyn Db) -> Arc<[GoModule]> {
    let manifests = manifests(db).iter();
    let mut modules: Vec<GoModule> = manifests
        .filter(|manifest| manifest.path(db).rsplit('/').next() == Some("go.mod"))
        .map(|manifest| module(manifest.path(db), manifest.text(db)))
        .collect();
    modules.sort_by_key(|module| std::cmp::Reverse(module.folder.len()));
    modules.into()
}

fn module(path: &str, manifest: &str) -> GoModule {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut module = GoModule {
        folder: folder.to_owned(),
        path: String::new(),
        replaced: Vec::new(),
    };
    let mut block = String::new();
    for line in manifest.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '`']))
            .collect();
        let (verb, words) = match words.as_slice() {
            [")"] => {
                block.clear();
                continue;
            }
            [verb, "("] => {
                block = (*verb).to_owned();
                continue;
            }
            [] => continue,
            words if !block.is_empty() => (block.as_str(), words),
            [verb, words @ ..] => (*verb, words),
        };
        match (verb, words) {
            ("module", [path]) => module.path = (*path).to_owned(),
            ("replace", [old, .., "=>", new]) if new.starts_with('.') => {
                module
                    .replaced
                    .extend(joined(folder, new).map(|new| ((*old).to_owned(), new)));
            }
            _ => {}
        }
    }
    module
}

/// A path relative to a folder of the project, if it stays in the project.
fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut elements: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for element in relative.split('/') {
        match element {
            "" | "." => {}
            ".." => {
                elements.pop()?;
            }
            name => elements.push(name),
        }
    }
    Some(elements.join("/"))
}

/// The folder of the package with this import path, for an importer in a folder.
#[salsa::tracked(returns(clone))]
pub(super) fn folder_of<'db>(
    db: &'db dyn Db,
    importer: Text<'db>,
    path: Text<'db>,
) -> Option<Arc<str>> {
    let (importer, path) = (importer.text(db), path.text(db));
    let exists = |folder: &String| !packages_in(db, text(db, folder)).is_empty();
    let modules = modules(db);
    let own = modules
        .iter()
        .find(|module| is_inside(importer, &module.folder));
    let Some(own) = own else {
        return by_suffix(path, &exists).map(Arc::from);
    };
    let replaced = own
        .replaced
        .iter()
        .filter_map(|(old, new)| moved(path, old, new));
    let known = modules
        .iter()
        .filter(|module| !module.path.is_empty())
        .filter_map(|module| moved(path, &module.path, &module.folder));
    replaced.chain(known).find(exists).map(Arc::from)
}

/// Without a manifest: the folder in a workspace of old, or the longest end of the path that is a
/// folder of the project.
fn by_suffix(path: &str, exists: &dyn Fn(&String) -> bool) -> Option<String> {
    let in_workspace = format!("src/{path}");
    if exists(&in_workspace) {
        return Some(in_workspace);
    }
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    starts
        .filter_map(|start| path.get(start..).map(str::to_owned))
        .find(exists)
}

fn is_inside(folder: &str, outer: &str) -> bool {
    outer.is_empty()
        || folder
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folder of a package of a module that stands in a folder.
fn moved(path: &str, module: &str, folder: &str) -> Option<String> {
    let rest = path.strip_prefix(module)?;
    match (folder.is_empty(), rest.strip_prefix('/')) {
        (_, None) if !rest.is_empty() => None,
        (_, None) => Some(folder.to_owned()),
        (true, Some(rest)) => Some(rest.to_owned()),
        (false, Some(rest)) => Some(format!("{folder}/{rest}")),
    }
}

/// The folder that a file stands in.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The Go files of a folder.
fn go_files(db: &dyn Db, folder: Text<'_>) -> Vec<SourceFile> {
    files_in(db, folder)
        .iter()
        .copied()
        .filter(|file| file.language(db) == Language::Go)
        .collect()
}

/// The names of the packages of a folder that can be imported, sorted: one, if all is well.
#[salsa::tracked(returns(clone))]
pub(super) fn packages_in<'db>(db: &'db dyn Db, folder: Text<'db>) -> Arc<[Name]> {
    let mut names = BTreeSet::new();
    for file in go_files(db, folder) {
        let name = summary(db, file).package.clone();
        let is_outside_test =
            |name: &Name| name.ends_with("_test") && file.path(db).ends_with("_test.go");
        names.extend(name.filter(|name| !is_outside_test(name)));
    }
    // Programs that are built on their own (`//go:build ignore`) may stand beside a library.
    if names.len() > 1 {
        names.remove("main");
    }
    names.into_iter().collect()
}

/// What the files of one package declare.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PackageIndex {
    /// Its files, in order.
    pub files: Vec<SourceFile>,
    /// Every definition of each name: files for other systems may define it, too.
    pub names: BTreeMap<Name, Vec<DefRef>>,
    /// The methods of each type, by its name.
    pub methods: BTreeMap<Name, Vec<DefRef>>,
}

/// The package with a name in a folder.
#[salsa::tracked(returns(clone))]
pub(super) fn package<'db>(
    db: &'db dyn Db,
    folder: Text<'db>,
    name: Text<'db>,
) -> Arc<PackageIndex> {
    let mut index = PackageIndex::default();
    for file in go_files(db, folder) {
        let summary = summary(db, file);
        if summary.package.as_deref() != Some(name.text(db)) {
            continue;
        }
        index.files.push(file);
        let at = |def| DefRef { file, def };
        for (name, bindings) in summary.scopes.first().iter().flat_map(|scope| &scope.names) {
            let defs = bindings.iter().filter_map(|binding| match binding {
                Binding::Definition(def) => Some(at(*def)),
                _ => None,
            });
            let defs: Vec<DefRef> = defs.collect();
            if !defs.is_empty() {
                index.names.entry(name.clone()).or_default().extend(defs);
            }
        }
        for (def, definition) in (0..).map(DefId).zip(&summary.definitions) {
            if definition.kind == SymbolKind::Method
                && definition.owner.is_some()
                && let Some(owner) = definition.id.chain().split('.').next()
            {
                index
                    .methods
                    .entry(Name::new(owner))
                    .or_default()
                    .push(at(def));
            }
        }
    }
    Arc::new(index)
}
