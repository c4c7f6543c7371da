//! Families: the definitions that make up one symbol for whoever uses it, such as a property's
//! getter and setter, or a function and its overload stubs.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::graph::{Provenance, StaticKind};
use analyzer::symbol::SymbolId;
use grammars::Language;

use crate::lang;

/// Marks of definitions that belong to the one without a mark (see [`SymbolId`]).
const MARKS: [&str; 3] = [HALVES[0], HALVES[1], "overload"];

/// Marks of what belongs to a property beside its getter.
const HALVES: [&str; 2] = ["setter", "deleter"];

/// The definition that the others of its family belong to: the symbol itself unless its id is marked.
pub fn principal(id: &SymbolId) -> SymbolId {
    let text = id.as_str();
    match text.rsplit_once('#') {
        Some((base, mark)) if is_mark(mark) => SymbolId::parse(base),
        _ => id.clone(),
    }
}

/// The word for a definition that is one half of a property, such as `setter`.
pub fn half(id: &SymbolId) -> Option<&'static str> {
    let (_, mark) = id.as_str().rsplit_once('#')?;
    let mut halves = HALVES.into_iter();
    halves.find(|half| is_mark(mark) && mark.starts_with(half))
}

/// Whether a definition is a signature of another one, without a body of its own.
pub fn is_signature(id: &SymbolId) -> bool {
    let mark = id.as_str().rsplit_once('#').map(|(_, mark)| mark);
    mark.is_some_and(|mark| mark.starts_with("overload") && is_mark(mark))
}

fn is_mark(mark: &str) -> bool {
    MARKS.contains(&mark.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// Definitions that belong to others without standing in them: methods to their type, and what a
/// definition that is implemented asks for.
#[derive(Default)]
pub(crate) struct Attached {
    members: BTreeMap<SymbolId, Vec<SymbolId>>,
    owners: BTreeMap<SymbolId, Vec<SymbolId>>,
}

impl Attached {
    /// What the graph says encloses what, though the text does not.
    pub fn of(analysis: &Analysis) -> Self {
        let graph = analysis.graph();
        let mut attached = Self::default();
        for path in analysis.paths() {
            for (symbol, by) in analysis.demands(&path) {
                by.iter().for_each(|owner| attached.add(owner, &symbol));
            }
            for symbol in analysis.symbols(&path).iter() {
                for edge in graph.edges_to(&symbol.id) {
                    let encloses = matches!(
                        edge.provenance,
                        Provenance::Static(said) if said.kind == StaticKind::Contain
                    );
                    if encloses && symbol.container.as_ref() != Some(edge.from) {
                        attached.add(edge.from, &symbol.id);
                    }
                }
            }
        }
        attached
    }

    fn add(&mut self, owner: &SymbolId, member: &SymbolId) {
        let members = self.members.entry(owner.clone()).or_default();
        members.push(member.clone());
        let owners = self.owners.entry(member.clone()).or_default();
        owners.push(owner.clone());
    }

    /// What a symbol belongs to without standing in it.
    pub fn owners(&self, id: &SymbolId) -> &[SymbolId] {
        self.owners.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Some symbols and what belongs to them or to something in them, and to that in turn.
    pub fn with_members(&self, ids: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
        let mut all = ids;
        loop {
            let taken = |owner: &SymbolId| around(owner).any(|outer| all.contains(&outer));
            let owned = self.members.iter().filter(|(owner, _)| taken(owner));
            let new: Vec<SymbolId> = owned
                .flat_map(|(_, members)| members)
                .filter(|member| !all.contains(member))
                .cloned()
                .collect();
            if new.is_empty() {
                return all;
            }
            all.extend(new);
        }
    }
}

/// A symbol and everything that its id says it is in, up to the file.
fn around(id: &SymbolId) -> impl Iterator<Item = SymbolId> {
    std::iter::successors(Some(id.clone()), |id| {
        let outer = match id.chain().rsplit_once('.') {
            Some((outer, _)) => SymbolId::parse(&format!("{}::{outer}", id.path())),
            None => SymbolId::module(id.path()),
        };
        (!id.is_module()).then_some(outer)
    })
}

/// The chain of names without disambiguators, which may change when a namesake goes.
pub fn bare_chain(id: &SymbolId) -> String {
    let links = id
        .chain()
        .split('.')
        .map(|link| link.split('#').next().unwrap_or_default());
    links.collect::<Vec<_>>().join(".")
}

/// The file that would declare again what a file defines.
pub(crate) fn twin_of(path: &str) -> Option<String> {
    lang::rules(Language::from_path(path)?).declarations_of(path)
}

/// The file whose definitions a file would declare again.
pub(crate) fn original_of(path: &str) -> Option<String> {
    lang::rules(Language::from_path(path)?).definitions_of(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_definitions_belong_to_the_unmarked_one_and_repeated_ones_do_not() {
        let of = |text: &str| principal(&SymbolId::parse(text)).to_string();
        assert_eq!(of("m.py::P.x#setter"), "m.py::P.x");
        assert_eq!(of("m.py::f#overload2"), "m.py::f");
        assert_eq!(of("m.py::f#2"), "m.py::f#2");
        assert_eq!(of("m.py::P#2.x"), "m.py::P#2.x");
        assert_eq!(of("m.py"), "m.py");
    }
}
