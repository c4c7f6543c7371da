//! Blockers: the symbols that must keep their names because code that stays refers to them.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::occurrence::{Reference, ReferenceKind};
use analyzer::symbol::SymbolId;

use super::Action;
use super::leaving::Leaving;
use super::project::{Project, ProjectFile, meant};

/// A place that stays and needs a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocking {
    /// The file.
    pub path: String,
    /// The symbol whose text holds the place.
    pub from: SymbolId,
    /// The name at that place.
    pub range: std::ops::Range<usize>,
    /// What it is used for.
    pub kind: ReferenceKind,
}

/// The candidates that cannot be deleted, each with the places that need it, in order of path and
/// position. All others can be deleted together.
///
/// `stubs` are candidates that keep their header in any case, `gone` symbols that leave anyway (held-back
/// tests). Imports and lists of public names do not
/// count: removal repairs them. A blocked function is taken to become a stub, so what only its body
/// needs can go; a blocked class or variable stays as it is, but for those of its members that are
/// candidates themselves.
pub fn blockers(
    project: &Project<'_>,
    candidates: &BTreeSet<SymbolId>,
    stubs: &BTreeSet<SymbolId>,
    gone: &BTreeSet<SymbolId>,
) -> BTreeMap<SymbolId, Vec<Blocking>> {
    let places = project.uses_within(&with_declarations(project, candidates));
    let mut actions: BTreeMap<SymbolId, Action> = candidates
        .iter()
        .chain(gone)
        .map(|id| (id.clone(), Action::Delete))
        .collect();
    for id in stubs.intersection(candidates) {
        give_up(project, &mut actions, id);
    }
    let mut blocked: BTreeMap<SymbolId, Vec<Blocking>> = BTreeMap::new();
    loop {
        let leaving = Leaving::of_actions(project, &actions);
        let staying = places
            .iter()
            .filter_map(|place| project.reference(*place))
            .filter(|place| leaving.stays(*place));
        let mut found: BTreeMap<SymbolId, Vec<Blocking>> = BTreeMap::new();
        for (file, reference) in staying {
            for id in needed(project, &leaving, &actions, (file, reference)) {
                found.entry(id).or_default().push(blocking(file, reference));
            }
        }
        for (id, place) in demanded(project, &leaving, &actions) {
            found.entry(id).or_default().push(place);
        }
        found.retain(|id, _| candidates.contains(id));
        if found.is_empty() {
            return blocked;
        }
        for id in found.keys() {
            give_up(project, &mut actions, id);
        }
        blocked.extend(found);
    }
}

/// The symbols to delete without which a reference would mean nothing.
fn needed(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    actions: &BTreeMap<SymbolId, Action>,
    (file, reference): (&ProjectFile, &Reference),
) -> BTreeSet<SymbolId> {
    let rules = project.rules(&file.path);
    let is_strict = rules.is_some_and(|rules| rules.needs_every_meaning());
    let count = meant(reference).count();
    let targets: Vec<&SymbolId> = meant(reference)
        .filter(|id| leaving.is_deleted(id))
        .collect();
    if targets.len() < count && !is_strict {
        return BTreeSet::new();
    }
    let holders: BTreeSet<SymbolId> = targets
        .into_iter()
        .flat_map(|target| project.holders(target))
        .collect();
    // What needs a declaration needs what it declares.
    holders
        .iter()
        .flat_map(|id| project.originals(id).chain([id]))
        .filter(|id| actions.get(*id) == Some(&Action::Delete))
        .cloned()
        .collect()
}

/// The symbols to delete that code which stays asks for without naming them.
fn demanded(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    actions: &BTreeMap<SymbolId, Action>,
) -> Vec<(SymbolId, Blocking)> {
    let mut found = Vec::new();
    for (id, by) in &project.demands {
        let Some(symbol) = project.symbol(id).filter(|_| leaving.is_deleted(id)) else {
            continue;
        };
        let around = symbol.container.iter();
        if by.iter().chain(around).any(|id| leaving.is_deleted(id)) {
            continue;
        }
        let place = Blocking {
            path: id.path().to_owned(),
            from: symbol.container.clone().unwrap_or_else(|| id.clone()),
            range: symbol.focus.clone(),
            kind: ReferenceKind::Implicit,
        };
        let holders = project.chain(id);
        let planned = holders.filter(|id| actions.get(*id) == Some(&Action::Delete));
        found.extend(planned.map(|id| (id.clone(), place.clone())));
    }
    found
}

/// The symbols, and those that declare them again.
fn with_declarations(project: &Project<'_>, ids: &BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
    let paths: BTreeSet<&str> = ids.iter().map(SymbolId::path).collect();
    let twins = paths.into_iter().filter_map(|path| project.twin(path));
    let symbols = twins.flat_map(|file| file.symbols.iter().map(|symbol| &symbol.id));
    let declares = |id: &&SymbolId| project.originals(id).any(|original| ids.contains(original));
    symbols.filter(declares).chain(ids).cloned().collect()
}

/// A function becomes a stub if it can; anything else stays.
fn give_up(project: &Project<'_>, actions: &mut BTreeMap<SymbolId, Action>, id: &SymbolId) {
    let is_callable = project
        .symbol(id)
        .is_some_and(|symbol| symbol.kind.is_callable());
    if is_callable && project.stub_refusal(id).is_none() {
        actions.insert(id.clone(), Action::Stub { keep_doc: true });
    } else {
        actions.remove(id);
    }
}

fn blocking(file: &ProjectFile, reference: &Reference) -> Blocking {
    Blocking {
        path: file.path.clone(),
        from: reference.from.clone(),
        range: reference.range.clone(),
        kind: reference.kind,
    }
}
