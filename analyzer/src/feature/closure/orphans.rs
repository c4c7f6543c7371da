//! Orphans: what nothing ran that is to stay, and what only removed code needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Closure, classes_around};
use crate::Analysis;
use crate::feature::Role;
use crate::feature::selection::needed_outside;
use crate::graph::{DependencyGraph, Edge, Provenance, StaticEdge, StaticKind};
use crate::occurrence::{Confidence, ReferenceKind};
use crate::symbol::{Symbol, SymbolId, SymbolKind};

/// How many symbols at most are looked at together, to see whether nothing else needs them.
const LARGEST_GROUP: usize = 32;

/// Adds the symbols that nothing ran and that only removed code refers to, until nothing changes.
pub(super) fn add(
    closure: &Closure<'_>,
    analysis: &Analysis,
    roles: &mut BTreeMap<SymbolId, Role>,
) {
    let removed = roles.iter().filter(|(_, role)| role.is_removed());
    let removed: Vec<SymbolId> = removed.map(|(id, _)| id.clone()).collect();
    let mut orphans = Orphans {
        closure,
        analysis,
        graph: analysis.graph(),
        gone: removed.iter().cloned().collect(),
    };
    // What only tests that leave name, and nobody else can, is there for nothing as well.
    let mut open = removed;
    open.extend(closure.failing.iter().copied().cloned());
    while let Some(removed) = open.pop() {
        let candidates = match closure.failing.contains(&removed) {
            true => orphans.hidden_used_by(&removed),
            false => &orphans.used_by(&removed) | &orphans.dead_users(&removed),
        };
        for candidate in candidates {
            let Some(group) = orphans.group(&candidate) else {
                continue;
            };
            orphans.gone.extend(group.iter().cloned());
            roles.extend(group.iter().map(|id| (id.clone(), Role::Orphaned)));
            open.extend(group);
        }
    }
}

struct Orphans<'a> {
    closure: &'a Closure<'a>,
    analysis: &'a Analysis,
    graph: Arc<DependencyGraph>,
    /// What leaves.
    gone: BTreeSet<SymbolId>,
}

impl Orphans<'_> {
    fn is_gone(&self, id: &SymbolId) -> bool {
        self.gone.iter().any(|gone| id.is_within(gone))
    }

    /// Symbols that a removed one surely refers to.
    fn used_by(&self, removed: &SymbolId) -> BTreeSet<SymbolId> {
        let symbols = self.analysis.symbols(removed.path());
        let inside = symbols.iter().filter(|symbol| symbol.id.is_within(removed));
        inside
            .flat_map(|symbol| self.graph.edges_from(&symbol.id))
            .filter(is_sure_reference)
            .map(|edge| edge.to)
            .cloned()
            .collect()
    }

    /// The same of a test, but only what nobody else can name.
    fn hidden_used_by(&self, test: &SymbolId) -> BTreeSet<SymbolId> {
        let mut used = self.used_by(test);
        used.retain(|id| self.is_dead_without_users(id) || self.is_hidden_variable(id));
        used
    }

    /// Functions that nothing can call and that use a removed symbol, if nothing else does: what they need
    /// is no reason for it to stay.
    fn dead_users(&self, removed: &SymbolId) -> BTreeSet<SymbolId> {
        let staying = |id: &&SymbolId| !self.is_gone(id) && !self.leaves_with_tests(id);
        let users = self.users(removed).into_iter().filter(staying);
        let users: BTreeSet<SymbolId> = users.cloned().collect();
        let is_dead = |user| self.is_dead_without_users(user) && self.group(user).is_some();
        match users.iter().all(is_dead) {
            true => users,
            false => BTreeSet::new(),
        }
    }

    fn is_dead_without_users(&self, id: &SymbolId) -> bool {
        let symbol = self.analysis.symbol(id);
        let symbol = symbol.filter(|symbol| symbol.kind.is_callable());
        symbol
            .zip(self.analysis.syntax(id.path()))
            .is_some_and(|(symbol, tree)| crate::lang::is_dead_without_users(&tree, &symbol))
    }

    /// Whether a symbol is a variable or field that nothing but uses in the text can be a reason for.
    fn is_hidden_variable(&self, id: &SymbolId) -> bool {
        let symbol = self.analysis.symbol(id);
        symbol.is_some_and(|symbol| self.closure.scope.may_be_orphan(self.analysis, &symbol))
    }

    /// A symbol that only removed code needs, with what leaves together with it: types that need each other
    /// may be needed by nothing else, and variables by nothing but the function that sets them.
    fn group(&self, candidate: &SymbolId) -> Option<BTreeSet<SymbolId>> {
        let mut group = BTreeSet::new();
        let mut next = BTreeSet::from([candidate.clone()]);
        let mut size = None;
        while size != Some(group.len()) && group.len() < LARGEST_GROUP {
            size = Some(group.len());
            for id in &next {
                group.extend(inseparable(self.analysis, id));
                group.extend(attached(&self.graph, id));
            }
            group.retain(|id| !self.is_gone(id));
            if self.are_orphans(&group) {
                return Some(group);
            }
            next = self.needing(&group);
        }
        None
    }

    /// The other types and hidden variables whose text refers to some symbols, and what sets them at
    /// start-up, with all that this sets.
    fn needing(&self, group: &BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
        let users = group.iter().flat_map(|id| self.users(id));
        let users = users.filter(|user| !group.contains(user) && !self.is_gone(user));
        let mut needing = BTreeSet::new();
        for user in users {
            let class = classes_around(self.analysis, user).pop();
            let class = class.filter(|class| self.closure.impact.is_inferred(class));
            let alone = Some(user.clone()).filter(|user| self.is_hidden_variable(user));
            needing.extend(class.or(alone));
            if let Some(set) = self.set_at_start(user) {
                needing.extend(set);
                needing.insert(user.clone());
            }
        }
        needing
    }

    /// The variables that a function sets at start-up, if it does nothing else.
    fn set_at_start(&self, id: &SymbolId) -> Option<BTreeSet<SymbolId>> {
        let symbol = self.analysis.symbol(id)?;
        let tree = self.analysis.syntax(id.path())?;
        let names = crate::lang::values_set_at_start(&tree, &symbol)?;
        let references = self.analysis.references(id.path());
        let inside = references.iter().filter(|it| it.from == *id);
        let mut set = BTreeSet::new();
        for reference in inside {
            let targets = reference.targets.iter().map(|target| &target.symbol);
            if names.contains(&reference.range) {
                set.extend(targets.cloned());
            } else if reference.kind == ReferenceKind::Call && targets.count() > 0 {
                return None;
            }
        }
        Some(set)
    }

    /// Whether some symbols may leave, and only removed code needs them.
    fn are_orphans(&self, group: &BTreeSet<SymbolId>) -> bool {
        let leaves = |id: &SymbolId| {
            self.closure.scope.leaves_with_target(id)
                || self.leaves_with_tests(id)
                || group.iter().any(|member| id.is_within(member))
                || self.is_gone(id)
        };
        // Without its type nothing can call a method.
        let follows_type = |id: &SymbolId| {
            let mut holders = self.graph.edges_to(id).into_iter().filter(contains);
            holders.any(|holder| group.contains(holder.from) && !id.is_within(holder.from))
        };
        !group.is_empty()
            && group.iter().all(|id| {
                self.sets_only(id, group)
                    || self.may_leave(id)
                        && (follows_type(id) || self.users(id).into_iter().all(leaves))
            })
    }

    /// Whether a function does nothing but set variables of a group at start-up, where it always runs.
    fn sets_only(&self, id: &SymbolId, group: &BTreeSet<SymbolId>) -> bool {
        let set = self.set_at_start(id);
        !self.closure.options.keeps(id)
            && set.is_some_and(|set| set.iter().all(|id| group.contains(id) || self.is_gone(id)))
    }

    /// Whether a symbol may leave if nothing needs it: no run has seen it, or what stays in it, that matters.
    fn may_leave(&self, id: &SymbolId) -> bool {
        let scope = self.closure.scope;
        let mut inside = self.closure.runs_inside(id);
        !self.matters(id)
            && !self.closure.options.keeps(id)
            && (scope.is_removable(id) || self.is_hidden_variable(id))
            && !inside.any(|inside| !self.is_gone(inside) && self.matters(inside))
    }

    /// Whether a run of a symbol is a reason to keep it. One in a test that is excluded is not. Where calls
    /// are inferred, one in a test that fails anyway is not either: nothing else tells how it came about.
    /// One at start-up is none of its own for what only its users can name.
    fn matters(&self, id: &SymbolId) -> bool {
        let Closure { impact, scope, .. } = self.closure;
        impact.index_of(id).is_some_and(|symbol| {
            let counts = match impact.is_inferred(id) {
                true => self.closure.run_by_kept(symbol),
                false => self.closure.run_by_good(symbol),
            };
            let is_hidden = || self.is_dead_without_users(id) || self.is_hidden_variable(id);
            counts || needed_outside(impact, scope, symbol) && !is_hidden()
        })
    }

    /// Whether a symbol is part of a test that leaves, or test code that only such tests use. Types that
    /// are seen running need no look at the text.
    fn leaves_with_tests(&self, id: &SymbolId) -> bool {
        self.leaves_with_others(id, &mut BTreeSet::new())
    }

    /// The same; what is `seen` is being looked at already.
    fn leaves_with_others(&self, id: &SymbolId, seen: &mut BTreeSet<SymbolId>) -> bool {
        let Closure { impact, scope, .. } = self.closure;
        if !impact.is_inferred(id) || !scope.is_test_code(id) {
            return false;
        }
        let uses = impact.uses(self.analysis);
        let mut holder = Some(id.clone());
        while let Some(id) = holder.filter(|id| !id.is_module()) {
            if self.closure.failing.contains(&id) || !seen.insert(id.clone()) {
                return true;
            }
            let outside = uses.references(&id).iter();
            let mut outside = outside.filter(|user| !user.is_within(&id)).peekable();
            if outside.peek().is_some() && outside.all(|user| self.leaves_with_others(user, seen)) {
                return true;
            }
            holder = self
                .analysis
                .symbol(&id)
                .and_then(|symbol| symbol.container);
        }
        false
    }

    /// What needs a symbol. A variable is also needed where it is offered to others; of a function or
    /// class such names are taken back.
    fn users(&self, id: &SymbolId) -> Vec<&SymbolId> {
        let uses = self.closure.impact.uses(self.analysis);
        // What stands elsewhere for a type implements something for it alone.
        let is_own = |edge: &Edge<'_>| is_attached(&self.graph, edge.to);
        let overridden = self.graph.edges_to(id).into_iter();
        let overridden = overridden.filter(|edge| is_override(edge) && !is_own(edge));
        let mut users: Vec<&SymbolId> = overridden.map(|edge| edge.from).collect();
        users.extend(uses.references(id));
        if !self.closure.scope.is_removable(id) {
            users.extend(uses.offers(id));
        }
        users
    }
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
