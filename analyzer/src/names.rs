//! The index of names: every definition of a name that code elsewhere could mean by it, for uses
//! whose object is not known.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::database::{Db, Text, files, summary};
use crate::facts::{Definition, MODULE, Name, Summary};
use crate::occurrence::{Confidence, Target};
use crate::symbol::SymbolId;

/// Definitions by name, each list sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NameIndex(BTreeMap<Name, Vec<SymbolId>>);

impl NameIndex {
    /// All definitions of a name.
    pub fn named(&self, name: &str) -> &[SymbolId] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The index of the project.
#[salsa::tracked(returns(clone))]
pub(crate) fn name_index(db: &dyn Db) -> Arc<NameIndex> {
    let mut index: BTreeMap<Name, Vec<SymbolId>> = BTreeMap::new();
    for &file in files(db) {
        let summary = summary(db, file);
        for definition in summary
            .definitions
            .iter()
            .skip(1)
            .filter(|it| is_visible(&summary, it))
        {
            index
                .entry(Name::new(definition.id.name()))
                .or_default()
                .push(definition.id.clone());
        }
    }
    index.values_mut().for_each(|symbols| symbols.sort());
    Arc::new(NameIndex(index))
}

/// All definitions of a name, as targets.
#[salsa::tracked(returns(clone))]
pub(crate) fn named<'db>(db: &'db dyn Db, name: Text<'db>) -> Arc<[Target]> {
    name_index(db)
        .named(name.text(db))
        .iter()
        .map(target)
        .collect()
}

/// All definitions of names with this start and end, separated by a star, as targets.
#[salsa::tracked(returns(clone))]
pub(crate) fn named_like<'db>(db: &'db dyn Db, pattern: Text<'db>) -> Arc<[Target]> {
    let (prefix, suffix) = pattern.text(db).split_once('*').unwrap_or_default();
    let mut targets: Vec<Target> = name_index(db)
        .0
        .iter()
        .filter(|(name, _)| {
            name.len() >= prefix.len() + suffix.len()
                && name.starts_with(prefix)
                && name.ends_with(suffix)
        })
        .flat_map(|(_, symbols)| symbols.iter().map(target))
        .collect();
    targets.sort();
    targets.into()
}

fn target(symbol: &SymbolId) -> Target {
    Target {
        symbol: symbol.clone(),
        confidence: Confidence::Named,
    }
}

/// What is defined in a function is seen from nowhere else.
fn is_visible(summary: &Summary, definition: &Definition) -> bool {
    let mut container = definition.container;
    while container != MODULE {
        match summary.definitions.get(container.0 as usize) {
            Some(outer) if !outer.kind.is_callable() => container = outer.container,
            _ => return false,
        }
    }
    true
}
