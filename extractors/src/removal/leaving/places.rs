//! Places: what of test code stays in files of the product so that the tests can be put back there.

use std::collections::BTreeSet;

use analyzer::symbol::{Symbol, SymbolId};

use super::Leaving;
use super::unused::uses_of;
use crate::removal::project::ProjectFile;

impl Leaving<'_> {
    /// Whether a file of tests that loses everything stays as the place of the tests: a file of the product
    /// that stays declares it, and is not to change when they are put back.
    pub fn keeps_place(&self, path: &str) -> bool {
        let project = self.project;
        let is_declared = project.rules(path).is_some_and(|it| it.declares_files());
        let is_of_tests = |path: &str| project.test_files.contains(path);
        let mut importers = project.importers(path);
        is_declared
            && is_of_tests(path)
            && importers.any(|(file, _, import)| {
                import.module.is_none()
                    && import.targets.iter().any(SymbolId::is_module)
                    && !is_of_tests(&file.path)
                    && !self.is_gone(&file.path)
                    && !self.covers(&file.path, &import.statement)
            })
    }

    /// The definitions of a file that leave a mark: test code, outermost in it.
    pub(super) fn marks(&self, path: &str) -> BTreeSet<SymbolId> {
        let is_test = |symbol: &Symbol| {
            let around = symbol.container.as_ref();
            let around = around.and_then(|id| self.project.symbol(id));
            symbol.is_test && around.is_some_and(|around| !around.is_test)
        };
        let leaves_mark =
            |id: &&SymbolId| id.path() == path && self.project.symbol(id).is_some_and(is_test);
        match self.marked.contains(path) {
            true => self.deleted.iter().filter(leaves_mark).cloned().collect(),
            false => BTreeSet::new(),
        }
    }

    /// Whether an import of a file of the product stays though its tests leave: it is there for test code
    /// alone, and can be made.
    pub(super) fn is_for_tests(&self, file: &ProjectFile, index: usize) -> bool {
        let Some(import) = file.imports.get(index) else {
            return false;
        };
        let is_test = |id: &SymbolId| self.project.symbol(id).is_some_and(|it| it.is_test);
        let tree = self.project.analysis.syntax(&file.path);
        let rules = self.project.rules(&file.path).zip(tree);
        let is_for_tests = rules.is_some_and(|(rules, tree)| rules.is_for_tests(&tree, import));
        is_for_tests
            && !self.project.test_files.contains(&file.path)
            && !self.project.chain(&import.scope).any(is_test)
            && !self.are_deleted(&import.targets)
    }

    /// Whether an import is for other files, too, which need it without saying so.
    pub(super) fn is_linked(&self, file: &ProjectFile, index: usize) -> bool {
        let tree = self.project.analysis.syntax(&file.path);
        let rules = self.project.rules(&file.path).zip(tree);
        let import = file.imports.get(index);
        rules
            .zip(import)
            .is_some_and(|((rules, tree), import)| rules.is_linked(&tree, import))
    }

    /// Silences the imports that stay for tests which have left.
    pub(super) fn silence_idle(&mut self) {
        let project = self.project;
        let files = self.ranges.keys().filter_map(|path| project.file(path));
        let imports = files.flat_map(|file| (0..file.imports.len()).map(move |it| (file, it)));
        let idle = |(file, index): &(&ProjectFile, usize)| {
            let import = file.imports.get(*index);
            self.is_for_tests(file, *index)
                && import.is_some_and(|import| {
                    let mut uses = uses_of(file, import).peekable();
                    uses.peek().is_some() && !uses.any(|reference| self.stays((file, reference)))
                })
        };
        let idle: Vec<_> = imports.filter(idle).collect();
        for (file, index) in idle {
            let silenced = self.silenced_imports.entry(&file.path).or_default();
            silenced.insert(index);
        }
    }
}
