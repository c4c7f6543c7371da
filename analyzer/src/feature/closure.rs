//! Closure: from the owned symbols to everything that leaves with them, and the role of the rest.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::impact::{Impact, SymbolEdge, SymbolIndex};
use super::selection::{Selection, called_by_tests, needed_outside};
use super::{FeatureOptions, Role, Scope};
use crate::Analysis;
use crate::graph::{DependencyGraph, Edge, Provenance, StaticEdge, StaticKind};
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
        closure.add_orphans(analysis, &mut roles);
        closure.promote_what_tests_use(analysis, selection, &mut roles);
    }
    roles
}

/// How many symbols at most are looked at together, to see whether nothing else needs them.
const LARGEST_GROUP: usize = 32;

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
        let mut chosen: Vec<&SymbolId> = Vec::new();
        for included in &self.options.include {
            let inside = self.scope.sides.removable.range(included..);
            chosen.extend(
                inside
                    .take_while(|id| id.as_str().starts_with(included.as_str()))
                    .filter(|id| id.is_within(included)),
            );
        }
        let never_ran = chosen
            .into_iter()
            .filter(|id| !self.options.keeps(id) && self.runs_inside(id).next().is_none());
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
    /// a run does not tell that a type is used, only the text does: see [`Closure::add_orphans`].
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
                let Some(group) = self.orphans_with(analysis, &graph, &candidate, &gone) else {
                    continue;
                };
                gone.extend(group.iter().cloned());
                roles.extend(group.iter().map(|id| (id.clone(), Role::Orphaned)));
                open.extend(group);
            }
        }
    }

    /// A symbol that only removed code needs, with what leaves together with it: types that need each other
    /// may be needed by nothing else.
    fn orphans_with(
        &self,
        analysis: &Analysis,
        graph: &DependencyGraph,
        candidate: &SymbolId,
        gone: &BTreeSet<SymbolId>,
    ) -> Option<BTreeSet<SymbolId>> {
        let mut group = BTreeSet::new();
        let mut next = BTreeSet::from([candidate.clone()]);
        let mut size = None;
        while size != Some(group.len()) && group.len() < LARGEST_GROUP {
            size = Some(group.len());
            for id in &next {
                group.extend(inseparable(analysis, id));
                group.extend(attached(graph, id));
            }
            group.retain(|id| !gone.iter().any(|gone| id.is_within(gone)));
            if self.are_orphans(analysis, graph, &group, gone) {
                return Some(group);
            }
            next = self.types_that_need(analysis, graph, &group);
        }
        None
    }

    /// The other types whose text refers to some symbols.
    fn types_that_need(
        &self,
        analysis: &Analysis,
        graph: &DependencyGraph,
        group: &BTreeSet<SymbolId>,
    ) -> BTreeSet<SymbolId> {
        let users = group.iter().flat_map(|id| self.users(analysis, graph, id));
        let types = users.filter_map(|user| classes_around(analysis, user).pop());
        types
            .filter(|class| self.impact.is_inferred(class) && !group.contains(class))
            .collect()
    }

    /// Symbols that a removed one surely refers to.
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
            .filter(is_sure_reference)
            .map(|edge| edge.to)
            .cloned()
            .collect()
    }

    /// Whether some symbols may leave, and only removed code needs them.
    fn are_orphans(
        &self,
        analysis: &Analysis,
        graph: &DependencyGraph,
        group: &BTreeSet<SymbolId>,
        gone: &BTreeSet<SymbolId>,
    ) -> bool {
        let is_gone = |id: &SymbolId| gone.iter().any(|gone| id.is_within(gone));
        let leaves = |id: &SymbolId| {
            self.scope.leaves_with_target(id)
                || self.leaves_with_tests(analysis, id, &mut BTreeSet::new())
                || group.iter().any(|member| id.is_within(member))
                || is_gone(id)
        };
        let runs = |id: &SymbolId| {
            let mut inside = self.runs_inside(id);
            inside.any(|inside| !is_gone(inside) && self.matters(inside))
        };
        // Without its type nothing can call a method.
        let follows_type = |id: &SymbolId| {
            let mut holders = graph.edges_to(id).into_iter().filter(contains);
            holders.any(|holder| group.contains(holder.from) && !id.is_within(holder.from))
        };
        !group.is_empty()
            && group.iter().all(|id| {
                self.may_be_orphan(analysis, id)
                    && !runs(id)
                    && (follows_type(id) || self.users(analysis, graph, id).into_iter().all(leaves))
            })
    }

    /// Whether a symbol is part of a test that leaves, or test code that only such tests use. Types that
    /// are seen running need no look at the text.
    fn leaves_with_tests(
        &self,
        analysis: &Analysis,
        id: &SymbolId,
        seen: &mut BTreeSet<SymbolId>,
    ) -> bool {
        if !self.impact.is_inferred(id) || !self.scope.is_test_code(id) {
            return false;
        }
        let uses = self.impact.uses(analysis);
        let mut holder = Some(id.clone());
        while let Some(id) = holder.filter(|id| !id.is_module()) {
            if self.failing.contains(&id) || !seen.insert(id.clone()) {
                return true;
            }
            let outside = uses.references(&id).iter();
            let mut outside = outside.filter(|user| !user.is_within(&id)).peekable();
            if outside.peek().is_some()
                && outside.all(|user| self.leaves_with_tests(analysis, user, seen))
            {
                return true;
            }
            holder = analysis.symbol(&id).and_then(|symbol| symbol.container);
        }
        false
    }

    /// What of a symbol was seen running.
    fn runs_inside(&self, id: &SymbolId) -> impl Iterator<Item = &SymbolId> {
        let inside = self.impact.within(id);
        inside.filter_map(|symbol| self.impact.symbols.get(symbol))
    }

    /// Whether a run of a symbol is a reason to keep it. One in a test that is excluded is not. Where calls
    /// are inferred, one in a test that fails anyway is not either: nothing else tells how it came about.
    fn matters(&self, id: &SymbolId) -> bool {
        self.impact.index_of(id).is_some_and(|symbol| {
            let counts = match self.impact.is_inferred(id) {
                true => self.run_by_kept(symbol),
                false => self.run_by_good(symbol),
            };
            counts || needed_outside(self.impact, self.scope, symbol)
        })
    }

    /// Whether a symbol may leave if nothing needs it: no run has seen it that matters.
    fn may_be_orphan(&self, analysis: &Analysis, id: &SymbolId) -> bool {
        let is_variable = || {
            let symbol = analysis.symbol(id);
            symbol.is_some_and(|symbol| self.scope.may_be_orphan(analysis, &symbol))
        };
        !self.matters(id)
            && !self.options.keeps(id)
            && (self.scope.is_removable(id) || is_variable())
    }

    /// What needs a symbol. A variable is also needed where it is offered to others; of a function or
    /// class such names are taken back.
    fn users<'a>(
        &'a self,
        analysis: &Analysis,
        graph: &'a DependencyGraph,
        id: &SymbolId,
    ) -> Vec<&'a SymbolId> {
        let uses = self.impact.uses(analysis);
        // What stands elsewhere for a type implements something for it alone.
        let is_own = |edge: &Edge<'_>| is_attached(graph, edge.to);
        let overridden = graph
            .edges_to(id)
            .into_iter()
            .filter(|edge| is_override(edge) && !is_own(edge));
        let mut users: Vec<&SymbolId> = overridden.map(|edge| edge.from).collect();
        users.extend(uses.references(id));
        if !self.scope.is_removable(id) {
            users.extend(uses.offers(id));
        }
        users
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

/// The definitions that can only leave together with a variable: those of its statement, and the
/// others of its name. Of any other symbol, itself.
fn inseparable(analysis: &Analysis, id: &SymbolId) -> BTreeSet<SymbolId> {
    let mut group = BTreeSet::from([id.clone()]);
    let is_variable =
        |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Field);
    let symbols = analysis.symbols(id.path());
    let Some(first) = symbols
        .iter()
        .find(|symbol| symbol.id == *id)
        .filter(|symbol| is_variable(symbol))
    else {
        return group;
    };
    let mut open = vec![first];
    while let Some(member) = open.pop() {
        let belongs = |other: &&Symbol| {
            other.container == member.container
                && (other.id.name() == member.id.name() || other.full == member.full)
        };
        for other in symbols.iter().filter(belongs) {
            if group.insert(other.id.clone()) {
                open.push(other);
            }
        }
    }
    group
}

/// The definitions that belong to a type and stand outside it.
fn attached(graph: &DependencyGraph, id: &SymbolId) -> Vec<SymbolId> {
    let contained = graph.edges_from(id).into_iter().filter(contains);
    let outside = contained.filter(|edge| !edge.to.is_within(id));
    outside.map(|edge| edge.to.clone()).collect()
}

/// Whether a definition, or what it stands in, belongs to a type elsewhere.
fn is_attached(graph: &DependencyGraph, id: &SymbolId) -> bool {
    let holders = graph.edges_to(id).into_iter().filter(contains);
    let holders: Vec<&SymbolId> = holders.map(|edge| edge.from).collect();
    holders
        .iter()
        .any(|holder| !id.is_within(holder) || (!holder.is_module() && is_attached(graph, holder)))
}

fn contains(edge: &Edge<'_>) -> bool {
    matches!(
        edge.provenance,
        Provenance::Static(StaticEdge {
            kind: StaticKind::Contain,
            ..
        })
    )
}

/// Whether an edge is a use in the text that is no guess, other than by an import statement.
fn is_sure_reference(edge: &Edge<'_>) -> bool {
    matches!(
        edge.provenance,
        Provenance::Static(StaticEdge {
            kind: StaticKind::Reference(_) | StaticKind::Inherit,
            confidence: Confidence::Resolved,
            ..
        })
    )
}

/// Whether an edge leads from a member to one that overrides it.
fn is_override(edge: &Edge<'_>) -> bool {
    matches!(
        edge.provenance,
        Provenance::Static(StaticEdge {
            kind: StaticKind::Override,
            ..
        })
    )
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
