//! Plans: from a feature to the edits that make the starting tree, and to the tests held back with it.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::feature::Feature;
use analyzer::symbol::SymbolId;
use analyzer::trace::TestResult;
use extractors::removal::{self, Action, RemovalPlan};

use crate::config::RemovalMode;

/// The actions for a feature's removed symbols.
///
/// `stub_only` are symbols that earlier attempts showed to be needed by name; `held_back` are
/// the test symbols that leave as well, so their references do not count; `doctested` are symbols
/// whose documentation is run as a test that will fail.
pub fn actions(
    analysis: &Analysis,
    feature: &Feature,
    mode: RemovalMode,
    stub_only: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<SymbolId>,
    doctested: &BTreeSet<SymbolId>,
) -> RemovalPlan {
    let candidates: BTreeSet<SymbolId> = feature.removed().cloned().collect();
    let blocked = removal::blockers(analysis, &candidates, held_back);
    let stub = |id: &SymbolId| Action::Stub {
        keep_doc: !doctested.contains(id),
    };
    let callable = |id: &SymbolId| {
        analysis
            .symbol(id)
            .is_some_and(|symbol| symbol.kind.is_callable())
    };
    let action = |id: &SymbolId| match mode {
        RemovalMode::Stub => callable(id).then(|| stub(id)),
        RemovalMode::Delete => {
            (!blocked.contains_key(id) && !stub_only.contains(id)).then_some(Action::Delete)
        }
        RemovalMode::Auto if blocked.contains_key(id) || stub_only.contains(id) => {
            callable(id).then(|| stub(id))
        }
        RemovalMode::Auto => Some(Action::Delete),
    };
    let actions: BTreeMap<SymbolId, Action> = candidates
        .iter()
        .filter_map(|id| action(id).map(|action| (id.clone(), action)))
        .collect();
    RemovalPlan { actions }
}

/// Adds the held-back tests, and what leaves with them, to the actions of a plan; `tests` are all
/// test symbols of the considered suite.
pub fn with_tests(
    analysis: &Analysis,
    plan: &RemovalPlan,
    tests: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<SymbolId>,
) -> RemovalPlan {
    let mut whole = removal::test_removal(analysis, tests, held_back);
    whole.actions.extend(
        plan.actions
            .iter()
            .map(|(id, action)| (id.clone(), *action)),
    );
    whole
}

/// The symbol to delete so that a test is gone: its function, or the nearest container that the
/// file defines (a class that only inherits the function), or the whole file.
///
/// `None` for a test that is not a function of its file (a doctest).
pub fn test_symbol(analysis: &Analysis, test: &TestResult) -> Option<SymbolId> {
    if test.function.is_empty() {
        return None;
    }
    let mut links: Vec<&str> = test.function.split('.').collect();
    let module = SymbolId::module(&test.path);
    while !links.is_empty() {
        let id = links
            .iter()
            .fold(module.clone(), |id, link| id.member(link));
        if analysis.symbol(&id).is_some() {
            return Some(id);
        }
        links.pop();
    }
    Some(module)
}
