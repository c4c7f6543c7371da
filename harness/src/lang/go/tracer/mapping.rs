//! From counted functions to codes: the declarations of the project's files.

use std::collections::HashMap;
use std::path::Path;

use analyzer::trace::{Code, CodeKind};

use super::meta::Function;
use crate::lang::go::declarations::{self, Declaration, Kind};
use crate::lang::go::packages::{Package, Suite};

/// Finds the declaration that a counted function is.
pub(super) struct Mapping<'a> {
    tree: &'a Path,
    suite: &'a Suite,
    files: HashMap<String, Vec<Declaration>>,
}

impl<'a> Mapping<'a> {
    pub(super) fn new(tree: &'a Path, suite: &'a Suite) -> Self {
        Self {
            tree,
            suite,
            files: HashMap::new(),
        }
    }

    /// The code of a function; `None` if no file of its package declares it.
    pub(super) fn code(&mut self, function: &Function) -> Option<Code> {
        let (import_path, file) = function.file.rsplit_once('/')?;
        let suite = self.suite;
        let package = suite.package(import_path)?;
        let path = place(package, file);
        let name = plain(&function.name);
        let there = declarations::around(self.declared(&path), function.line);
        let found = there.filter(|found| is_named(found, &name) || name.starts_with("func."));
        match found {
            Some(found) => Some(code(&path, found)),
            None => self.by_name(package, &name),
        }
    }

    /// Where `//line` directives lie about places, a name that only one function has.
    fn by_name(&mut self, package: &Package, name: &str) -> Option<Code> {
        let mut codes = Vec::new();
        for file in &package.files {
            let path = place(package, file);
            let declared = self
                .declared(&path)
                .iter()
                .filter(|found| is_named(found, name));
            codes.extend(declared.map(|found| code(&path, found)));
        }
        codes.pop().filter(|_| codes.is_empty())
    }

    fn declared(&mut self, path: &str) -> &[Declaration] {
        let tree = self.tree;
        let file = self.files.entry(path.to_owned());
        file.or_insert_with(|| declarations::of_file(&tree.join(path)))
    }
}

fn code(path: &str, found: &Declaration) -> Code {
    Code {
        path: path.to_owned(),
        line: found.first,
        name: found.name.clone(),
        kind: CodeKind::Function,
    }
}

fn place(package: &Package, file: &str) -> String {
    match package.folder.as_str() {
        "" => file.to_owned(),
        folder => format!("{folder}/{file}"),
    }
}

/// Whether a declaration has the name of a counter: of methods of generic types only the last part.
fn is_named(found: &Declaration, name: &str) -> bool {
    found.name == name || found.kind == Kind::Method && found.name.rsplit('.').next() == Some(name)
}

/// The counter's `*T.M` is `T.M` here.
fn plain(name: &str) -> String {
    name.trim_start_matches('*').to_owned()
}
