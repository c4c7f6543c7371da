//! Which references of a file may mean a symbol, so that its uses are found without looking at all others.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::occurrence::{Confidence, Reference};
use crate::resolution::{ByName, Resolution};
use crate::symbol::SymbolId;

/// References by what they mean: hashes of ids, and of names that stand for all of their definitions, in
/// order, each with the index of a reference. Two may have the same hash, so that a reference that is found
/// may mean something else; one that is not found does not mean the symbol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UseIndex(Box<[(u32, u32)]>);

impl UseIndex {
    /// Those of a file.
    pub fn of(resolution: &Resolution) -> Self {
        let references = resolution.references.iter().zip(&resolution.details);
        let mut entries = Vec::new();
        for (index, (reference, detail)) in (0..).zip(references) {
            entries.extend(ids(reference, &detail.by_name).map(|id| (hash_of(id), index)));
            entries.extend(names(&detail.by_name).map(|name| (hash_of(name), index)));
        }
        entries.sort_unstable();
        entries.dedup();
        Self(entries.into())
    }

    /// The references that may mean a symbol, as indices in source order.
    pub fn may_mean(&self, id: &SymbolId) -> Vec<usize> {
        let found = [
            self.of_hash(hash_of(id.as_str())),
            self.of_hash(hash_of(id.name())),
        ];
        let mut found: Vec<usize> = found
            .into_iter()
            .flatten()
            .map(|(_, at)| *at as usize)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn of_hash(&self, hash: u32) -> &[(u32, u32)] {
        let start = self.0.partition_point(|(other, _)| *other < hash);
        let entries = self.0.get(start..).unwrap_or_default();
        let end = entries.partition_point(|(other, _)| *other == hash);
        entries.get(..end).unwrap_or_default()
    }
}

/// The ids of what a reference may mean, but for what a name stands for.
fn ids<'a>(reference: &'a Reference, by_name: &ByName) -> impl Iterator<Item = &'a str> {
    let is_by_name = *by_name != ByName::None;
    let targets = reference.targets.iter();
    let found = targets.filter(move |it| !(is_by_name && it.confidence == Confidence::Named));
    found.map(|target| target.symbol.as_str())
}

fn names(by_name: &ByName) -> impl Iterator<Item = &str> {
    let (one, any) = match by_name {
        ByName::None => (None, [].as_slice()),
        ByName::One(name) => (Some(name.as_str()), [].as_slice()),
        ByName::Any(names) => (None, *names),
    };
    one.into_iter().chain(any.iter().copied())
}

fn hash_of(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    // The upper half is the better mixed one.
    u32::try_from(hasher.finish() >> 32).unwrap_or_default()
}
