//! Test code: what is there for tests only, whole files or symbols in files of the product.

use std::collections::BTreeSet;

use super::impact::Impact;
use crate::Analysis;
use crate::symbol::SymbolId;
use crate::trace::TestResult;

/// What of a project is test code.
#[derive(Debug)]
pub(super) struct TestCode {
    files: BTreeSet<String>,
    /// In other files, the outermost symbols of test code.
    symbols: BTreeSet<SymbolId>,
}

impl TestCode {
    /// Files that define tests and what the language counts as their surroundings; where the language
    /// tells test code from other code in one file, the symbols that are.
    pub fn new(analysis: &Analysis, impact: &Impact) -> Self {
        let mut files = analysis.test_files();
        let mut symbols = BTreeSet::new();
        for path in analysis.paths() {
            if !files.contains(&path) {
                symbols.extend(outermost(analysis, &path));
            }
        }
        let tests = impact.trace.tests.iter();
        for test in tests.filter(|test| !test.function.is_empty()) {
            let function = function(test);
            if !symbols.iter().any(|code| function.is_within(code)) {
                files.insert(test.path.clone());
            }
        }
        Self { files, symbols }
    }

    /// Whether a file is test code.
    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether a symbol is test code.
    pub fn holds(&self, id: &SymbolId) -> bool {
        let containers = id.as_str().match_indices('.');
        let outer = |(at, _)| id.as_str().get(..at).map(SymbolId::parse);
        self.is_file(id.path())
            || self.symbols.contains(id)
            || containers
                .filter_map(outer)
                .any(|outer| self.symbols.contains(&outer))
    }

    /// The outermost symbols of test code in files of the product.
    pub fn symbols(&self) -> impl Iterator<Item = &SymbolId> {
        self.symbols.iter()
    }
}

/// The symbol that a test's function is, whether or not the file has it.
pub(super) fn function(test: &TestResult) -> SymbolId {
    let links = test.function.split('.').filter(|link| !link.is_empty());
    links.fold(SymbolId::module(&test.path), |id, link| id.member(link))
}

fn outermost(analysis: &Analysis, path: &str) -> Vec<SymbolId> {
    let mut outermost: Vec<SymbolId> = Vec::new();
    for symbol in analysis.symbols(path).iter() {
        let is_new = !outermost.iter().any(|outer| symbol.id.is_within(outer));
        if symbol.is_test && is_new {
            outermost.push(symbol.id.clone());
        }
    }
    outermost
}
