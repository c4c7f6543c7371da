//! Selection: which symbols a set of target tests owns, and which of those are its top symbols.
//!
//! The rule, measured and without any model:
//!
//! 1. A *candidate* is a function, method or class that a good target test executes, that is not
//!    test support code and that nothing outside the target needs at import or collection.
//! 2. Its *cost* is the set of good other tests that execute it: removing it makes them fail.
//! 3. The target's *share* of a candidate is the share of target tests among the tests that execute
//!    it. A candidate is *tied* to the target if its name or place says so (see [`super::affinity`])
//!    or a target test function is named after it, and the share is at least
//!    [`FeatureOptions::min_named_share`]; or if the target calls it directly, and the share is at
//!    least [`FeatureOptions::min_share`].
//! 4. Tied candidates are *owned* in the order of what they add to the cost, as long as the union of
//!    costs stays within [`FeatureOptions::max_collateral`] of the other tests.
//! 5. If nothing is tied, candidates that no other test executes are owned.
//! 6. A symbol of a file that is named after the target is owned, too, if all tests that execute it fail
//!    anyway: it costs nothing more.
//! 7. An owned symbol is *top* if test code or code that is not owned calls it, or if nothing tells who
//!    called it.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::affinity::{Affinity, TargetWords};
use super::impact::{Impact, Outside, SymbolEdge, SymbolIndex};
use super::{FeatureOptions, Scope};

/// The outcome of a selection.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Symbols that belong to the target.
    pub owned: BTreeSet<SymbolIndex>,
    /// The owned symbols that test code or shared code calls.
    pub top: BTreeSet<SymbolIndex>,
    /// The other tests that execute an owned symbol.
    pub collateral: FixedBitSet,
}

/// A symbol that could belong to the target.
struct Candidate {
    symbol: SymbolIndex,
    affinity: Affinity,
    tied: bool,
    /// The good other tests that execute it.
    cost: FixedBitSet,
}

/// Chooses what the target owns.
pub(super) fn select(impact: &Impact, scope: &Scope, options: &FeatureOptions) -> Selection {
    let edges = impact.edges_of(&scope.target);
    let direct = called_by_tests(&edges, scope);
    let words = target_words(impact, scope);
    let mut candidates = candidates(impact, scope, options, &direct, &words);
    let budget = budget(scope, options);

    let mut selection = Selection {
        collateral: FixedBitSet::with_capacity(impact.trace.tests.len()),
        ..Selection::default()
    };
    for forced in forced(impact, scope, options) {
        selection.owned.insert(forced);
        selection
            .collateral
            .union_with(&cost(impact, scope, forced));
    }
    let tied = candidates
        .extract_if(.., |candidate| candidate.tied)
        .collect();
    own_within_budget(&mut selection, tied, budget);
    if selection.owned.is_empty() {
        own_within_budget(&mut selection, candidates, 0);
    }
    own_what_costs_nothing(&mut selection, impact, scope, options, &words);
    let removed_tests = &scope.target | &selection.collateral;
    let edges = impact.edges_of(&removed_tests);
    selection.top = frontier(&edges, &selection.owned, &direct, impact, options);
    selection
}

/// What ran of the symbols that belong to the feature by choice, with all they contain.
fn forced(impact: &Impact, scope: &Scope, options: &FeatureOptions) -> Vec<SymbolIndex> {
    let is_forced = |&symbol: &SymbolIndex| {
        let id = impact.symbols.get(symbol);
        id.is_some_and(|id| {
            let is_part = options.includes(id) && may_leave(impact, scope, options, symbol);
            options.include.contains(id) || is_part
        })
    };
    (0..impact.symbols.len()).filter(is_forced).collect()
}

/// How many other tests may turn into fail-to-pass.
fn budget(scope: &Scope, options: &FeatureOptions) -> usize {
    let others = scope.others.count_ones(..) as f64;
    (others * options.max_collateral.clamp(0.0, 1.0)).floor() as usize
}

fn candidates(
    impact: &Impact,
    scope: &Scope,
    options: &FeatureOptions,
    direct: &BTreeSet<SymbolIndex>,
    words: &TargetWords,
) -> Vec<Candidate> {
    (0..impact.symbols.len())
        .filter(|&symbol| may_leave(impact, scope, options, symbol))
        .filter(|&symbol| used_by_target(impact, scope, symbol))
        .filter_map(|symbol| {
            let id = impact.symbols.get(symbol)?;
            let cost = cost(impact, scope, symbol);
            let affinity = words.affinity(id);
            let direct = direct.contains(&symbol);
            let named = affinity > Affinity::None || (direct && words.names_function(id));
            let share = share(impact, scope, symbol, &cost);
            let tied = (named && share >= options.min_named_share)
                || (direct && share >= options.min_share);
            Some(Candidate {
                symbol,
                affinity,
                tied,
                cost,
            })
        })
        .collect()
}

/// Whether a symbol that ran can be part of a feature at all.
fn may_leave(
    impact: &Impact,
    scope: &Scope,
    options: &FeatureOptions,
    symbol: SymbolIndex,
) -> bool {
    let id = impact.symbols.get(symbol);
    id.is_some_and(|id| scope.is_removable(id) && !options.keeps(id))
        && !needed_outside(impact, scope, symbol)
}

/// Adds what stands in a file of the target's name and runs in tests only that fail without what is owned already.
fn own_what_costs_nothing(
    selection: &mut Selection,
    impact: &Impact,
    scope: &Scope,
    options: &FeatureOptions,
    words: &TargetWords,
) {
    let is_namesake = |symbol: &SymbolIndex| {
        let id = impact.symbols.get(*symbol);
        id.is_some_and(|id| words.affinity(id) == Affinity::Namesake)
    };
    let is_paid = |symbol: &SymbolIndex| {
        let cost = cost(impact, scope, *symbol);
        !cost.is_clear() && cost.is_subset(&selection.collateral)
    };
    let symbols = (0..impact.symbols.len())
        .filter(|&symbol| may_leave(impact, scope, options, symbol))
        .filter(is_namesake);
    let paid: Vec<SymbolIndex> = symbols.filter(is_paid).collect();
    selection.owned.extend(paid);
}

/// Adds candidates in the order of what each adds to the collateral tests, cheapest first, then by
/// affinity, then by id, while the collateral tests stay within `budget`.
fn own_within_budget(selection: &mut Selection, mut candidates: Vec<Candidate>, budget: usize) {
    while let Some(position) = cheapest(&candidates, &selection.collateral) {
        let candidate = candidates.swap_remove(position);
        let mut collateral = selection.collateral.clone();
        collateral.union_with(&candidate.cost);
        if collateral.count_ones(..) > budget.max(selection.collateral.count_ones(..)) {
            return;
        }
        selection.collateral = collateral;
        selection.owned.insert(candidate.symbol);
    }
}

fn cheapest(candidates: &[Candidate], collateral: &FixedBitSet) -> Option<usize> {
    let rank = |candidate: &Candidate| {
        (
            candidate.cost.difference_count(collateral),
            std::cmp::Reverse(candidate.affinity),
            candidate.symbol,
        )
    };
    (0..candidates.len()).min_by_key(|&position| candidates.get(position).map(rank))
}

/// The owned symbols that are entered from outside what is owned.
fn frontier(
    edges: &[SymbolEdge],
    owned: &BTreeSet<SymbolIndex>,
    direct: &BTreeSet<SymbolIndex>,
    impact: &Impact,
    options: &FeatureOptions,
) -> BTreeSet<SymbolIndex> {
    let entered = edges
        .iter()
        .filter(|edge| {
            owned.contains(&edge.callee)
                && !edge.caller.is_some_and(|caller| owned.contains(&caller))
        })
        .map(|edge| edge.callee);
    // Where the record does not tell who called and the text gives no caller, a test may have.
    let called = |symbol: SymbolIndex| {
        let mut edges = edges.iter();
        edges.any(|edge| edge.callee == symbol && edge.caller != Some(symbol))
    };
    let unexplained = owned.iter().copied().filter(|&symbol| {
        let id = impact.symbols.get(symbol);
        id.is_some_and(|id| impact.is_inferred(id)) && !called(symbol)
    });
    let forced = owned.iter().copied().filter(|&symbol| {
        let id = impact.symbols.get(symbol);
        id.is_some_and(|id| options.includes(id))
    });
    let used = owned
        .iter()
        .copied()
        .filter(|symbol| direct.contains(symbol));
    entered
        .chain(unexplained)
        .chain(forced)
        .chain(used)
        .collect()
}

/// The symbols that test code (or no code of the project) calls.
pub(super) fn called_by_tests(edges: &[SymbolEdge], scope: &Scope) -> BTreeSet<SymbolIndex> {
    let by_tests = |edge: &&SymbolEdge| {
        edge.caller
            .is_none_or(|caller| scope.is_support_symbol(caller))
    };
    edges
        .iter()
        .filter(by_tests)
        .map(|edge| edge.callee)
        .collect()
}

fn used_by_target(impact: &Impact, scope: &Scope, symbol: SymbolIndex) -> bool {
    let by_tests = impact
        .executed_by
        .get(symbol)
        .is_some_and(|tests| !tests.is_disjoint(&scope.target));
    by_tests || at_target_import(impact, scope, symbol)
}

fn at_target_import(impact: &Impact, scope: &Scope, symbol: SymbolIndex) -> bool {
    impact
        .outside_tests
        .get(symbol)
        .is_some_and(|places| places.iter().any(|place| scope.goes_with_target(place)))
}

/// Whether something that stays needs the symbol outside the tests: start-up, imports, collection.
pub(super) fn needed_outside(impact: &Impact, scope: &Scope, symbol: SymbolIndex) -> bool {
    impact
        .outside_tests
        .get(symbol)
        .is_some_and(|places| !places.iter().all(|place| scope.goes_with_target(place)))
}

fn cost(impact: &Impact, scope: &Scope, symbol: SymbolIndex) -> FixedBitSet {
    let mut cost = impact.executed_by.get(symbol).cloned().unwrap_or_default();
    cost.intersect_with(&scope.others);
    cost
}

/// The share of target tests among the tests that execute the symbol.
fn share(impact: &Impact, scope: &Scope, symbol: SymbolIndex, cost: &FixedBitSet) -> f64 {
    let target = impact
        .executed_by
        .get(symbol)
        .map_or(0, |tests| tests.intersection_count(&scope.target));
    let others = cost.count_ones(..);
    if target + others == 0 {
        1.0
    } else {
        target as f64 / (target + others) as f64
    }
}

fn target_words(impact: &Impact, scope: &Scope) -> TargetWords {
    let tests = || {
        scope
            .target
            .ones()
            .filter_map(|test| impact.trace.tests.get(test))
    };
    TargetWords::new(
        tests().map(|test| &*test.path),
        tests().map(|test| &*test.function),
    )
}

impl Scope {
    /// Whether a place outside the tests disappears together with the target's files.
    pub(super) fn goes_with_target(&self, place: &Outside) -> bool {
        match place {
            Outside::Session => false,
            Outside::Import(path) | Outside::Collect(path) => self.target_files.contains(path),
        }
    }
}
