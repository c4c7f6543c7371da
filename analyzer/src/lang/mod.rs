//! The table of languages: which rules read a file and which resolve its names.

mod go;
mod python;
mod rust;

use std::sync::Arc;

use grammars::{Language, SyntaxTree};

use crate::database::{Db, SourceFile};
use crate::facts::FileFacts;
use crate::files::SourceRoot;
use crate::resolution::Resolution;
use crate::symbol::{ByteRange, Symbol};

/// Whether there is a file at a path.
pub(crate) type Exists<'a> = &'a dyn Fn(&str) -> bool;

/// A top-level module and the folder it is imported from.
pub(crate) type Importable = (String, SourceRoot);

/// Facts in the terms of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Own {
    /// The general facts say it all.
    #[default]
    Nothing,
    /// Those of Rust.
    Rust(Arc<rust::Facts>),
}

/// The rules of one language.
pub(crate) struct Rules {
    /// Reads all facts off a syntax tree; `path` names the file.
    pub facts: fn(path: &str, tree: &SyntaxTree) -> FileFacts,
    /// Reads the symbols alone off a syntax tree, where that is faster: the same as those of `facts`.
    pub symbols: Option<fn(path: &str, tree: &SyntaxTree) -> Vec<Symbol>>,
    /// Resolves the names of one file.
    pub resolve: fn(db: &dyn Db, file: SourceFile) -> Resolution,
    /// Whether a file is part of the tests' surroundings.
    pub is_test_support: fn(path: &str) -> bool,
    /// Whether a folder of this name is one of tests if some stand directly in it.
    pub may_be_test_folder: fn(name: &str) -> bool,
    /// Whether an import takes a file in as a part of its own (`Some`), and then whether that is done for
    /// tests only.
    pub takes_in_for_tests: fn(statement: &str) -> Option<bool>,
    /// The names of the files that say what the packages are.
    pub manifests: &'static [&'static str],
    /// Whether a manifest asks for a file with tests, given its path as the manifest would write it.
    pub asks_for: fn(manifest: &str, relative: &str) -> bool,
    /// See [`may_be_orphan`].
    pub may_be_orphan: fn(tree: &SyntaxTree, symbol: &Symbol) -> bool,
    /// See [`is_dead_without_users`].
    pub is_dead_without_users: fn(tree: &SyntaxTree, function: &Symbol) -> bool,
    /// See [`values_set_at_start`].
    pub values_set_at_start: fn(tree: &SyntaxTree, function: &Symbol) -> Option<Vec<ByteRange>>,
    /// Whether a member of a type is there for others.
    pub is_public: fn(tree: &SyntaxTree, member: &Symbol) -> bool,
    /// The top-level modules that a file makes importable, and from which folders; `exists` tells of
    /// other files.
    pub source_roots: fn(path: &str, exists: Exists<'_>) -> Vec<Importable>,
}

/// Whether a file exists for tests only, whatever tests it holds.
pub fn is_test_support(path: &str) -> bool {
    Language::from_path(path).is_some_and(|language| (rules(language).is_test_support)(path))
}

/// Whether the folder that a file with tests stands in is a folder of tests, by its name.
pub(crate) fn is_in_test_folder(path: &str) -> bool {
    let folder = path.rsplit('/').nth(1);
    let rules = Language::from_path(path).map(rules);
    rules
        .zip(folder)
        .is_some_and(|(rules, name)| (rules.may_be_test_folder)(name))
}

/// Whether an import statement in a file takes another file in as a part of its own (`Some`), and then
/// whether that is done for tests only.
pub(crate) fn takes_in_for_tests(path: &str, statement: &str) -> Option<bool> {
    (rules(Language::from_path(path)?).takes_in_for_tests)(statement)
}

/// Whether a file says what the project's packages are.
pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    Language::ALL
        .iter()
        .any(|language| rules(*language).manifests.contains(&name))
}

/// The names of all manifests.
pub(crate) fn manifests() -> impl Iterator<Item = &'static str> {
    let of = |language: &Language| rules(*language).manifests.iter().copied();
    Language::ALL.iter().flat_map(of)
}

/// Whether a manifest, if it is one, asks for a file with tests: without the file nothing can be built.
pub(crate) fn asks_for(manifest: &str, text: &str, path: &str) -> bool {
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    let relative = path
        .strip_prefix(folder)
        .map(|rest| rest.trim_start_matches('/'));
    let language = Language::from_path(path);
    relative
        .zip(language)
        .is_some_and(|(relative, language)| (rules(language).asks_for)(text, relative))
}

/// Whether the definition of a variable or field may leave once nothing refers to it: it is a statement
/// of its own, it does nothing but define, and nobody looks for its name without saying so.
pub fn may_be_orphan(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    (rules(tree.language()).may_be_orphan)(tree, symbol)
}

/// Whether a function is there for nothing unless something refers to it, and no compiler says so.
pub(crate) fn is_dead_without_users(tree: &SyntaxTree, function: &Symbol) -> bool {
    (rules(tree.language()).is_dead_without_users)(tree, function)
}

/// What a function that runs by itself at start-up gives values to, if it does nothing else: the names in
/// its text, those of its own variables among them.
pub(crate) fn values_set_at_start(tree: &SyntaxTree, function: &Symbol) -> Option<Vec<ByteRange>> {
    (rules(tree.language()).values_set_at_start)(tree, function)
}

/// Whether a member of a type is there for others.
pub(crate) fn is_public(tree: &SyntaxTree, member: &Symbol) -> bool {
    (rules(tree.language()).is_public)(tree, member)
}

/// The rules of a language.
pub(crate) fn rules(language: Language) -> &'static Rules {
    match language {
        Language::Go => &go::RULES,
        Language::Python => &python::RULES,
        Language::Rust => &rust::RULES,
    }
}
