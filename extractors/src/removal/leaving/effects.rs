//! What leaves, file by file: the cuts to make and the report about them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use analyzer::symbol::SymbolId;

use super::{Leaving, holds};
use crate::family::principal;
use crate::removal::RemovalProblem;
use crate::removal::cut::Loss;
use crate::removal::project::ProjectFile;

impl Leaving<'_> {
    /// The files that change.
    pub fn touched(&self) -> BTreeSet<&str> {
        let own = self.ranges.keys().chain(self.imports.keys()).copied();
        let listing = self.listing().into_keys();
        let examples = self.examples.iter().map(SymbolId::path);
        let silenced = self.silenced.iter().map(SymbolId::path);
        let idle = self.silenced_imports.keys().copied();
        let own = own.chain(idle).chain(listing);
        own.chain(examples).chain(silenced).collect()
    }

    /// The files that list something which leaves among their public names, or link to it.
    fn listing(&self) -> BTreeMap<&str, &ProjectFile> {
        let places = self.ranges.keys().chain(self.edited.keys());
        let listers = places.flat_map(|path| self.project.listers(path));
        let loses = |file: &&ProjectFile| {
            let exports = file.exports.iter().map(|export| &export.targets);
            let links = file.links.iter().map(|link| &link.targets);
            file.is_editable
                && exports
                    .chain(links)
                    .any(|targets| self.are_deleted(targets))
        };
        listers
            .filter(loses)
            .map(|file| (&*file.path, file))
            .collect()
    }

    /// What one file loses.
    pub fn loss(&self, file: &ProjectFile) -> Loss {
        let path = &*file.path;
        let is_inside = |range: &Range<usize>| {
            let mut ranges = self.ranges.get(path).into_iter().flatten();
            ranges.any(|gone| holds(gone, range))
        };
        let position = |id: &SymbolId| self.project.position(id).filter(|_| id.path() == path);
        let positions = |ids: &BTreeSet<SymbolId>| {
            let mut found: Vec<usize> = ids.iter().filter_map(position).collect();
            found.sort_unstable();
            found
        };
        let stubs = self.stubs.iter();
        let stubs = stubs.filter_map(|(id, keep_doc)| Some((position(id)?, *keep_doc)));
        let staying = |ids: &BTreeSet<SymbolId>| {
            let mut found = positions(ids);
            found.retain(|index| {
                let symbol = file.symbols.get(*index);
                symbol.is_some_and(|symbol| !is_inside(&symbol.full))
            });
            found
        };
        let exports = file.exports.iter().enumerate();
        let exports = exports
            .filter(|(_, export)| self.are_deleted(&export.targets) && !is_inside(&export.range));
        let links = file.links.iter().enumerate();
        let links =
            links.filter(|(_, link)| self.are_deleted(&link.targets) && !is_inside(&link.range));
        let imports = self.imports.get(path).cloned().unwrap_or_default();
        let silenced_imports = self.silenced_imports.get(path).into_iter().flatten();
        let silenced_imports = silenced_imports.filter(|index| !imports.contains(index));
        let mut loss = Loss {
            delete: positions(&self.deleted),
            marks: positions(&self.marks(path)),
            stub: stubs.collect(),
            examples: staying(&self.examples),
            silence: staying(&self.silenced),
            silence_imports: silenced_imports.copied().collect(),
            imports: imports.into_iter().collect(),
            exports: exports.map(|(index, _)| index).collect(),
            links: links.map(|(index, _)| index).collect(),
        };
        loss.stub.sort_unstable();
        loss
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
        let files = self.listing().into_values();
        let files = files.filter(|file| !self.is_gone(&file.path));
        let exports = files.flat_map(|file| file.exports.iter().map(move |export| (file, export)));
        let gone = exports.filter(|(_, export)| self.are_deleted(&export.targets));
        gone.map(|(file, export)| (file.path.clone(), export.name.clone()))
            .collect()
    }
}
