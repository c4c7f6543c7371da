//! Closure: from the owned symbols to everything that leaves with them, and the role of the rest.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::impact::{Impact, SymbolIndex};
use super::selection::{Selection, called_by_tests, needed_outside};
use super::{FeatureOptions, Role, Scope};
use crate::Analysis;
use crate::graph::{DependencyGraph, Edge, Provenance, StaticKind};
use crate::occurrence::Confidence;
use crate::symbol::{SymbolId, SymbolKind};

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
    };
    let mut roles = closure.executed(selection);
    if roles.values().any(|role| role.is_removed()) {
        closure.add_whole_classes(analysis, &mut roles);
        closure.add_orphans(analysis, &mut roles);
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
}

impl Closure<'_> {
    /// The roles of executed symbols: everything that tests reach from the top symbols.
    fn executed(&self, selection: &Selection) -> BTreeMap<SymbolId, Role> {
        let removed_tests = &self.scope.target | &selection.collateral;
        let mut callees: BTreeMap<SymbolIndex, Vec<SymbolIndex>> = BTreeMap::new();
        for edge in self.impact.edges_of(&removed_tests) {
            callees
                .entry(edge.caller.unwrap_or(usize::MAX))
                .or_default()
                .push(edge.callee);
        }
        let mut reached: BTreeSet<SymbolIndex> = selection.owned.clone();
        let mut open: Vec<SymbolIndex> = reached.iter().copied().collect();
        while let Some(symbol) = open.pop() {
            for &callee in callees.get(&symbol).map_or(&[][..], Vec::as_slice) {
                if reached.insert(callee) {
                    open.push(callee);
                }
            }
        }
        let role = |symbol: SymbolIndex| -> Option<(SymbolId, Role)> {
            let id = self.impact.symbols.get(symbol)?;
            self.scope
                .is_removable(id)
                .then(|| (id.clone(), self.role(symbol, id, selection)))
        };
        reached.into_iter().filter_map(role).collect()
    }

    fn role(&self, symbol: SymbolIndex, id: &SymbolId, selection: &Selection) -> Role {
        if selection.top.contains(&symbol) {
            Role::Top
        } else if self.options.keeps(id) || needed_outside(self.impact, self.scope, symbol) {
            Role::Protected
        } else if self.run_by_kept(symbol) {
            Role::Shared
        } else {
            Role::Specific
        }
    }

    fn run_by_kept(&self, symbol: SymbolIndex) -> bool {
        self.impact
            .executed_by
            .get(symbol)
            .is_some_and(|tests| !tests.is_disjoint(self.kept))
    }

    /// A class leaves as a whole if something of it leaves and nothing that stays runs any of it.
    fn add_whole_classes(&self, analysis: &Analysis, roles: &mut BTreeMap<SymbolId, Role>) {
        let mut classes: BTreeMap<SymbolId, Role> = BTreeMap::new();
        for (id, role) in roles.iter().filter(|(_, role)| role.is_removed()) {
            for class in classes_around(analysis, id) {
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
        // Symbols are sorted by id, and everything inside the class starts with its text.
        let start = self.impact.symbols.partition_point(|id| id < class);
        let inside = self.impact.symbols.iter().enumerate().skip(start);
        inside
            .take_while(|(_, id)| id.as_str().starts_with(class.as_str()))
            .filter(|(_, id)| id.is_within(class))
            .all(|(symbol, id)| {
                let leaves = roles.get(id).is_some_and(|role| role.is_removed());
                leaves
                    || (!self.run_by_kept(symbol)
                        && !needed_outside(self.impact, self.scope, symbol))
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
        for id in called.chain(named) {
            if let Some(role) = roles.get_mut(&id).filter(|role| role.is_removed()) {
                *role = Role::Top;
            }
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

    /// Symbols that nothing ran and that only removed code refers to, found until nothing changes.
    fn add_orphans(&self, analysis: &Analysis, roles: &mut BTreeMap<SymbolId, Role>) {
        let graph = analysis.graph();
        let mut gone: BTreeSet<SymbolId> = roles
            .iter()
            .filter(|(_, role)| role.is_removed())
            .map(|(id, _)| id.clone())
            .collect();
        let mut open: Vec<SymbolId> = gone.iter().cloned().collect();
        while let Some(removed) = open.pop() {
            for candidate in self.orphan_candidates(analysis, &graph, &removed) {
                if !gone.contains(&candidate) && self.is_orphan(&graph, &candidate, &gone) {
                    gone.insert(candidate.clone());
                    roles.insert(candidate.clone(), Role::Orphaned);
                    open.push(candidate);
                }
            }
        }
    }

    /// Symbols that a removed one refers to and that no run has seen.
    fn orphan_candidates(
        &self,
        analysis: &Analysis,
        graph: &DependencyGraph,
        removed: &SymbolId,
    ) -> BTreeSet<SymbolId> {
        let symbols = analysis.symbols(removed.path());
        let inside = symbols.iter().filter(|symbol| symbol.id.is_within(removed));
        inside
            .flat_map(|symbol| graph.edges_from(&symbol.id))
            .filter(is_reference)
            .map(|edge| edge.to)
            .filter(|id| {
                self.scope.is_removable(id)
                    && !self.options.keeps(id)
                    && self.impact.index_of(id).is_none()
            })
            .cloned()
            .collect()
    }

    fn is_orphan(&self, graph: &DependencyGraph, id: &SymbolId, gone: &BTreeSet<SymbolId>) -> bool {
        let within_gone =
            |from: &SymbolId| from.is_within(id) || gone.iter().any(|gone| from.is_within(gone));
        let counts = |from: &SymbolId| !self.scope.leaves_with_target(from);
        let users = graph
            .edges_to(id)
            .into_iter()
            .filter(is_reference)
            .map(|edge| edge.from);
        users.filter(|from| counts(from)).all(within_gone)
    }
}

/// Whether an edge is a use in the text, other than by an import statement.
fn is_reference(edge: &Edge<'_>) -> bool {
    let Provenance::Static(edge) = edge.provenance else {
        return false;
    };
    matches!(
        edge.kind,
        StaticKind::Reference(_) | StaticKind::Inherit | StaticKind::Override
    )
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
