//! Closure: from the owned symbols to everything that leaves with them, and the role of the rest.

mod orphans;

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::impact::{Impact, SymbolEdge, SymbolIndex};
use super::selection::{Selection, called_by_tests, needed_outside};
use super::{FeatureOptions, Role, Scope};
use crate::Analysis;
use crate::occurrence::Confidence;
use crate::symbol::{Symbol, SymbolId, SymbolKind};

/// Gives every symbol that takes part in the feature its role.
pub(super) fn close(
    analysis: &Analysis,
    impact: &Impact,
    scope: &Scope,
    options: &FeatureOptions,
    selection: &Selection,
    kept: &FixedBitSet,
) -> BTreeMap<SymbolId, Role> {
    let closure = Closure {
        impact,
        scope,
        options,
        kept,
        failing: failing(impact, scope, selection),
    };
    let mut roles = closure.executed(selection);
    closure.add_what_never_ran(&mut roles);
    if roles.values().any(|role| role.is_removed()) {
        closure.add_whole_classes(analysis, &mut roles);
        orphans::add(&closure, analysis, &mut roles);
        closure.promote_what_tests_use(analysis, selection, &mut roles);
    }
    roles
}

struct Closure<'a> {
    impact: &'a Impact,
    scope: &'a Scope,
    options: &'a FeatureOptions,
    /// Good other tests that must go on passing.
    kept: &'a FixedBitSet,
    /// Functions all of whose tests are expected to fail, so that they leave.
    failing: BTreeSet<&'a SymbolId>,
}

impl Closure<'_> {
    /// The roles of executed symbols: everything that the target reaches from the owned symbols, and what
    /// those that leave call in collateral tests. What code that stays calls in collateral tests alone is
    /// a feature of those tests, not of the target.
    fn executed(&self, selection: &Selection) -> BTreeMap<SymbolId, Role> {
        let by_target = calls(self.impact, &self.scope.target);
        let by_all = calls(self.impact, &(&self.scope.target | &selection.collateral));
        let mut members: BTreeSet<SymbolIndex> = selection.owned.clone();
        let mut passed = members.clone();
        let mut open: Vec<SymbolIndex> = members.iter().copied().collect();
        while let Some(symbol) = open.pop() {
            let counted = match self.stays(symbol) {
                true => &by_target,
                false => &by_all,
            };
            for edge in counted.get(&Some(symbol)).into_iter().flatten() {
                if !edge.is_nested {
                    members.insert(edge.callee);
                }
                // What test code calls in turn, it calls for itself.
                if passed.insert(edge.callee) && !self.scope.is_support_symbol(edge.callee) {
                    open.push(edge.callee);
                }
            }
        }
        let role = |symbol: SymbolIndex| -> Option<(SymbolId, Role)> {
            let id = self.impact.symbols.get(symbol)?;
            self.scope
                .is_removable(id)
                .then(|| (id.clone(), self.role(symbol, selection)))
        };
        members.into_iter().filter_map(role).collect()
    }

    /// What belongs to the feature by choice, though nothing ran it.
    fn add_what_never_ran(&self, roles: &mut BTreeMap<SymbolId, Role>) {
        let chosen = self.scope.sides.removable.iter();
        let chosen = chosen.filter(|id| self.options.includes(id) && !self.options.keeps(id));
        let never_ran = chosen.filter(|id| self.runs_inside(id).next().is_none());
        for id in never_ran {
            roles.entry(id.clone()).or_insert(Role::Top);
        }
    }

    fn role(&self, symbol: SymbolIndex, selection: &Selection) -> Role {
        if selection.top.contains(&symbol) {
            Role::Top
        } else if self.is_protected(symbol) {
            Role::Protected
        } else if self.run_by_kept(symbol) {
            Role::Shared
        } else {
            Role::Specific
        }
    }

    fn stays(&self, symbol: SymbolIndex) -> bool {
        self.is_protected(symbol) || self.run_by_kept(symbol)
    }

    fn is_protected(&self, symbol: SymbolIndex) -> bool {
        let id = self.impact.symbols.get(symbol);
        id.is_some_and(|id| self.options.keeps(id))
            || needed_outside(self.impact, self.scope, symbol)
    }

    fn run_by_kept(&self, symbol: SymbolIndex) -> bool {
        self.impact
            .executed_by
            .get(symbol)
            .is_some_and(|tests| !tests.is_disjoint(self.kept))
    }

    fn run_by_good(&self, symbol: SymbolIndex) -> bool {
        let runs = self.impact.executed_by.get(symbol);
        let among = |tests: &FixedBitSet| runs.is_some_and(|runs| !runs.is_disjoint(tests));
        among(&self.scope.target) || among(&self.scope.others)
    }

    /// A class leaves as a whole if something of it leaves and nothing that stays runs any of it. Where
    /// a run does not tell that a type is used, only the text does: see [`orphans`].
    fn add_whole_classes(&self, analysis: &Analysis, roles: &mut BTreeMap<SymbolId, Role>) {
        let mut classes: BTreeMap<SymbolId, Role> = BTreeMap::new();
        for (id, role) in roles.iter().filter(|(_, role)| role.is_removed()) {
            for class in classes_around(analysis, id)
                .into_iter()
                .filter(|class| !self.impact.is_inferred(class))
            {
                let best = classes.entry(class).or_insert(*role);
                *best = (*best).min(*role);
            }
        }
        for (class, role) in classes {
            if self.scope.is_removable(&class) && self.nothing_stays(&class, roles) {
                roles.insert(class, role);
            }
        }
    }

    fn nothing_stays(&self, class: &SymbolId, roles: &BTreeMap<SymbolId, Role>) -> bool {
        if self
            .options
            .exclude
            .iter()
            .any(|excluded| excluded.is_within(class) || class.is_within(excluded))
        {
            return false;
        }
        self.runs_inside(class).all(|id| {
            let leaves = roles.get(id).is_some_and(|role| role.is_removed());
            let is_needed = |symbol| {
                self.run_by_kept(symbol) || needed_outside(self.impact, self.scope, symbol)
            };
            leaves || !self.impact.index_of(id).is_some_and(is_needed)
        })
    }

    /// A removed symbol that the removed tests use themselves must be told to a solver: it is top.
    fn promote_what_tests_use(
        &self,
        analysis: &Analysis,
        selection: &Selection,
        roles: &mut BTreeMap<SymbolId, Role>,
    ) {
        let removed_tests = &self.scope.target | &selection.collateral;
        let edges = self.impact.edges_of(&removed_tests);
        let called = called_by_tests(&edges, self.scope).into_iter();
        let called = called.filter_map(|symbol| self.impact.symbols.get(symbol).cloned());
        let named = self.named_by_tests(analysis, &removed_tests);
        let mut open: Vec<SymbolId> = called.chain(named).collect();
        open.extend(
            roles
                .iter()
                .filter(|(_, role)| **role == Role::Top)
                .map(|(id, _)| id.clone()),
        );
        while let Some(id) = open.pop() {
            let role = roles.get_mut(&id).filter(|role| role.is_removed());
            let Some(role) = role else { continue };
            *role = Role::Top;
            let told = named_in_header(analysis, &id).into_iter();
            open.extend(told.filter(|id| roles.get(id).is_some_and(|role| *role != Role::Top)));
        }
    }

    /// What the text of the given tests surely refers to; of a target file, what any of it does.
    fn named_by_tests(&self, analysis: &Analysis, tests: &FixedBitSet) -> BTreeSet<SymbolId> {
        let mut functions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for test in tests
            .ones()
            .filter_map(|test| self.impact.trace.tests.get(test))
        {
            functions
                .entry(&test.path)
                .or_default()
                .insert(&test.function);
            if let Some(origin) = &test.origin {
                let of_file = functions.entry(origin.path()).or_default();
                of_file.insert(origin.chain());
            }
        }
        let mut named = BTreeSet::new();
        for (path, functions) in functions {
            let references = analysis.references(path);
            let of_tests = references.iter().filter(|reference| {
                let chain = reference.from.chain();
                self.scope.leaves_with_target(&reference.from)
                    || functions.contains(chain.split('#').next().unwrap_or_default())
            });
            let targets = of_tests.flat_map(|reference| reference.targets.iter());
            let sure = targets.filter(|target| target.confidence == Confidence::Resolved);
            named.extend(sure.map(|target| target.symbol.clone()));
        }
        named
    }

    /// What of a symbol was seen running.
    fn runs_inside(&self, id: &SymbolId) -> impl Iterator<Item = &SymbolId> {
        let inside = self.impact.within(id);
        inside.filter_map(|symbol| self.impact.symbols.get(symbol))
    }
}

/// The functions of tests that are all expected to fail.
fn failing<'a>(impact: &Impact, scope: &'a Scope, selection: &Selection) -> BTreeSet<&'a SymbolId> {
    let fails = |test| scope.target.contains(test) || selection.collateral.contains(test);
    let of = |wanted: bool| {
        let tests = (0..impact.trace.tests.len()).filter(move |test| fails(*test) == wanted);
        tests.filter_map(|test| scope.sides.functions.get(test))
    };
    let staying: BTreeSet<&SymbolId> = of(false).collect();
    of(true).filter(|id| !staying.contains(id)).collect()
}

/// Who calls whom in the given tests.
fn calls(impact: &Impact, tests: &FixedBitSet) -> BTreeMap<Option<SymbolIndex>, Vec<SymbolEdge>> {
    let mut calls: BTreeMap<Option<SymbolIndex>, Vec<SymbolEdge>> = BTreeMap::new();
    for edge in impact.edges_of(tests) {
        calls.entry(edge.caller).or_default().push(edge);
    }
    calls
}

/// What the header of a definition surely names (bases, annotations, default values, decorators), and the
/// headers of a type's members that are for others: who is told the one must be told the others.
fn named_in_header(analysis: &Analysis, id: &SymbolId) -> BTreeSet<SymbolId> {
    let symbols = analysis.symbols(id.path());
    let references = analysis.references(id.path());
    let mut named = BTreeSet::new();
    for symbol in symbols.iter().filter(|it| is_told(analysis, id, it)) {
        let body = symbol.body.clone().unwrap_or_default();
        let in_header = references.iter().filter(|reference| {
            let start = &reference.range.start;
            symbol.full.contains(start) && !body.contains(start)
        });
        let targets = in_header.flat_map(|reference| reference.targets.iter());
        let sure = targets.filter(|target| target.confidence == Confidence::Resolved);
        named.extend(sure.map(|target| target.symbol.clone()));
    }
    named
}

/// Whether who is told a symbol sees another one of its file: itself, or a member that is for others.
fn is_told(analysis: &Analysis, id: &SymbolId, other: &Symbol) -> bool {
    let is_member = || other.container.as_ref() == Some(id);
    let is_public = || {
        let tree = analysis.syntax(id.path());
        tree.is_some_and(|tree| crate::lang::is_public(&tree, other))
    };
    other.id == *id || (is_member() && is_public())
}

/// The classes that enclose a symbol, the symbol itself included if it is one, innermost first.
fn classes_around(analysis: &Analysis, id: &SymbolId) -> Vec<SymbolId> {
    let mut classes = Vec::new();
    let mut next = analysis.symbol(id);
    while let Some(symbol) = next {
        if symbol.kind == SymbolKind::Class {
            classes.push(symbol.id.clone());
        }
        next = symbol
            .container
            .as_ref()
            .and_then(|container| analysis.symbol(container));
    }
    classes
}
