//! The rules of Rust.

use std::sync::Arc;

use grammars::{Problem, SyntaxTree};

use crate::facts::{Definition, FileFacts, MODULE};
use crate::resolution::Resolution;
use crate::summary;
use crate::symbol::{Symbol, SymbolId, SymbolKind};

use super::Rules;

pub(super) const RULES: Rules = Rules {
    facts,
    resolve: |_, _| Resolution::default(),
    is_test_support: |path| {
        path.split('/')
            .any(|folder| ["tests", "benches", "examples"].contains(&folder))
    },
    may_be_orphan: |_, _| false,
    manifests: &["Cargo.toml"],
    source_roots: |_, _| Vec::new(),
};

fn facts(path: &str, tree: &SyntaxTree) -> FileFacts {
    let id = SymbolId::module(path);
    let symbol = Symbol {
        id: id.clone(),
        kind: SymbolKind::Module,
        container: None,
        full: 0..tree.text().len(),
        focus: 0..0,
        body: None,
        doc: None,
        is_test: false,
        line: 1,
    };
    let definition = Definition::new(id, SymbolKind::Module, MODULE);
    let problems: Vec<Problem> = tree.text().problems().to_vec();
    let mut facts = FileFacts {
        summary: Arc::new(summary::empty(tree.language())),
        symbols: Arc::new(vec![symbol]),
        problems: Arc::new(problems),
        scopes: Vec::new(),
        definitions: vec![definition],
        expressions: Vec::new(),
        references: Vec::new(),
        imports: Vec::new(),
        exports: Vec::new(),
    };
    facts.summary = Arc::new(summary::of(&facts, tree.language(), None));
    facts
}
