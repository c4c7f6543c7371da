//! The rules of Rust.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammars::{Problem, SyntaxTree};

use crate::facts::{Definition, FileFacts, MODULE, Role};
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
    let definition = Definition {
        id,
        kind: SymbolKind::Module,
        container: MODULE,
        role: Role::Plain,
        scope: None,
        bases: Vec::new(),
        metaclass: None,
        declared: None,
        values: Vec::new(),
        is_generator: false,
        attributes: BTreeMap::new(),
    };
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
