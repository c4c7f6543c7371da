//! What leaves, file by file: the cuts to make and the report about them.

use std::collections::BTreeSet;
use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolId};
use grammars::SyntaxTree;

use super::{Leaving, holds};
use crate::family::principal;
use crate::lang::Cuts;
use crate::removal::RemovalProblem;

impl Leaving<'_> {
    /// The files that change.
    pub fn touched(&self) -> BTreeSet<String> {
        let with_exports = self.project.files.iter().filter(|file| {
            file.is_editable
                && file
                    .exports
                    .iter()
                    .any(|export| self.are_deleted(&export.targets))
        });
        let with_exports = with_exports.map(|file| &*file.path);
        self.ranges
            .keys()
            .chain(self.imports.keys())
            .copied()
            .chain(with_exports)
            .chain(self.examples.iter().map(SymbolId::path))
            .chain(self.silenced.iter().map(SymbolId::path))
            .map(str::to_owned)
            .collect()
    }

    /// What one file loses.
    pub fn cuts<'t>(&'t self, tree: &'t SyntaxTree, symbols: &'t [Symbol], path: &str) -> Cuts<'t> {
        let file = self.project.file(path);
        let imports = file.map(|file| file.imports.as_slice()).unwrap_or_default();
        let exports = file.map(|file| file.exports.as_slice()).unwrap_or_default();
        let dropped = self.imports.get(path);
        let imports = imports
            .iter()
            .enumerate()
            .filter(|(index, _)| dropped.is_some_and(|dropped| dropped.contains(index)));
        let is_inside = |range: &Range<usize>| {
            self.ranges
                .get(path)
                .is_some_and(|ranges| ranges.iter().any(|gone| holds(gone, range)))
        };
        Cuts {
            tree,
            symbols,
            delete: symbols
                .iter()
                .filter(|symbol| self.deleted.contains(&symbol.id))
                .collect(),
            stub: symbols
                .iter()
                .filter_map(|symbol| Some((symbol, *self.stubs.get(&symbol.id)?)))
                .collect(),
            examples: symbols
                .iter()
                .filter(|symbol| self.examples.contains(&symbol.id) && !is_inside(&symbol.full))
                .collect(),
            silence: symbols
                .iter()
                .filter(|symbol| self.silenced.contains(&symbol.id) && !is_inside(&symbol.full))
                .collect(),
            imports: imports.map(|(_, import)| import).collect(),
            exports: exports
                .iter()
                .filter(|export| self.are_deleted(&export.targets) && !is_inside(&export.range))
                .collect(),
        }
    }

    /// Turns refusals of symbols that the plan does not name into ones that it does.
    pub fn blame(&self, refused: Vec<RemovalProblem>) -> Vec<RemovalProblem> {
        refused
            .into_iter()
            .map(|problem| RemovalProblem {
                symbol: self.planned_for(&problem.symbol),
                ..problem
            })
            .collect()
    }

    fn planned_for(&self, id: &SymbolId) -> SymbolId {
        let mut originals = self.project.originals(id).map(principal);
        if self.planned.contains(id) {
            return id.clone();
        }
        if let Some(original) = originals.find(|id| self.planned.contains(id)) {
            return original;
        }
        let holders = self.project.holders(id);
        let planned = holders.into_iter().find(|id| self.planned.contains(id));
        planned.unwrap_or_else(|| principal(id))
    }

    /// The symbols of the plan that a file is edited for.
    pub fn causes(&self, path: &str) -> Vec<SymbolId> {
        let own: Vec<_> = self
            .planned
            .iter()
            .filter(|id| id.path() == path)
            .cloned()
            .collect();
        if !own.is_empty() {
            return own;
        }
        let file = self.project.file(path);
        let imports = file
            .into_iter()
            .flat_map(|file| file.imports.iter())
            .flat_map(|import| import.targets.iter());
        let exports = file
            .into_iter()
            .flat_map(|file| file.exports.iter())
            .flat_map(|export| export.targets.iter());
        let named: BTreeSet<&SymbolId> = imports
            .chain(exports)
            .filter(|id| self.is_deleted(id))
            .collect();
        self.planned
            .iter()
            .filter(|planned| named.iter().any(|id| id.is_within(planned)))
            .cloned()
            .collect()
    }

    /// The symbols of the plan that leave.
    pub fn removed(&self) -> Vec<SymbolId> {
        self.planned.difference(&self.examples).cloned().collect()
    }

    /// Private variables that leave though the plan does not name them.
    pub fn orphaned(&self) -> Vec<SymbolId> {
        self.orphans
            .iter()
            .filter(|id| !self.planned.contains(id))
            .cloned()
            .collect()
    }

    /// The import items that leave files which stay.
    pub fn import_items(&self) -> Vec<(String, String)> {
        let all = self
            .imports
            .iter()
            .flat_map(|(path, indices)| indices.iter().map(move |index| (*path, *index)));
        let item = |(path, index): (&str, usize)| {
            let import = self.project.file(path)?.imports.get(index)?;
            let text = self.project.analysis.source(path)?;
            Some((path.to_owned(), text.slice(import.item.clone()).to_owned()))
        };
        all.filter_map(item).collect()
    }

    /// The public names that leave files which stay.
    pub fn export_names(&self) -> Vec<(String, String)> {
        let files = self
            .project
            .files
            .iter()
            .filter(|file| file.is_editable && !self.is_gone(&file.path));
        let exports = files.flat_map(|file| file.exports.iter().map(move |export| (file, export)));
        let gone = exports.filter(|(_, export)| self.are_deleted(&export.targets));
        gone.map(|(file, export)| (file.path.clone(), export.name.clone()))
            .collect()
    }
}
