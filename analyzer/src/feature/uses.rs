//! Uses in the text, backwards: who refers to a symbol, and where it is offered to others.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::Analysis;
use crate::occurrence::{Confidence, Reference};
use crate::symbol::SymbolId;

/// Every use of every symbol. Lists are in the order of paths and then of the files.
#[derive(Default)]
pub struct Uses {
    /// By symbol: the symbols whose text refers to it, each once.
    references: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// By symbol: the modules that list it among their public names, or import it and do not use it.
    offers: FxHashMap<SymbolId, Vec<SymbolId>>,
}

impl Uses {
    /// The uses in all files.
    pub fn new(analysis: &Analysis) -> Self {
        let mut uses = Self::default();
        for path in analysis.paths() {
            uses.add_references(analysis, &path);
            uses.add_offers(analysis, &path);
        }
        uses
    }

    /// Whose text refers to a symbol.
    pub fn references(&self, id: &SymbolId) -> &[SymbolId] {
        self.references.get(id).map_or(&[], Vec::as_slice)
    }

    /// Which modules hand a symbol on.
    pub fn offers(&self, id: &SymbolId) -> &[SymbolId] {
        self.offers.get(id).map_or(&[], Vec::as_slice)
    }

    fn add_references(&mut self, analysis: &Analysis, path: &str) {
        for reference in analysis.references(path).iter() {
            for target in likely(reference) {
                let users = self.references.entry(target.clone()).or_default();
                if users.last() != Some(&reference.from) {
                    users.push(reference.from.clone());
                }
            }
        }
    }

    fn add_offers(&mut self, analysis: &Analysis, path: &str) {
        let references = analysis.references(path);
        let used: BTreeSet<(usize, &SymbolId)> = references
            .iter()
            .filter_map(|reference| Some((reference.through?, reference)))
            .flat_map(|(import, reference)| likely(reference).map(move |target| (import, target)))
            .collect();
        let imports = analysis.imports(path);
        let imported = imports.iter().enumerate().flat_map(|(index, import)| {
            let targets = import.targets.iter();
            targets
                .filter(|target| !used.contains(&(index, *target)))
                .cloned()
                .collect::<Vec<_>>()
        });
        let exports = analysis.exports(path);
        let exported = exports
            .iter()
            .flat_map(|export| export.targets.iter().cloned());
        for target in imported.chain(exported) {
            self.offers
                .entry(target)
                .or_default()
                .push(SymbolId::module(path));
        }
    }
}

/// What a reference may mean: the targets that were resolved, or all that have its name if none was.
fn likely(reference: &Reference) -> impl Iterator<Item = &SymbolId> {
    let is_resolved = |confidence| confidence == Confidence::Resolved;
    let any_resolved = reference
        .targets
        .iter()
        .any(|target| is_resolved(target.confidence));
    let targets = reference
        .targets
        .iter()
        .filter(move |target| is_resolved(target.confidence) == any_resolved);
    targets.map(|target| &target.symbol)
}
