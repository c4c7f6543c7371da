//! Plans: from a feature to the edits that make the starting tree, and to the tests held back with it.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::feature::{Feature, Role};
use analyzer::symbol::SymbolId;
use extractors::family::principal;
use extractors::removal::{self, Action, Project, RemovalPlan};

use super::pieces::Piece;
use crate::config::RemovalMode;

/// The actions for a feature's removed symbols.
///
/// `stub_only` are symbols that earlier attempts showed to be needed by name; `held_back` are
/// the test symbols that leave as well, so their references do not count; `doctested` are symbols
/// whose documentation is run as a test that will fail.
pub fn actions(
    project: &Project<'_>,
    analysis: &Analysis,
    feature: &Feature,
    mode: RemovalMode,
    stub_only: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<SymbolId>,
    doctested: &BTreeSet<SymbolId>,
) -> RemovalPlan {
    // What nothing ran and belongs to another definition (an overload) shares the fate of that one.
    let follows = |id: &&SymbolId| {
        let role = |id: &SymbolId| feature.members.get(id).map(|member| member.role);
        let owner = principal(id);
        role(id) == Some(Role::Orphaned)
            && owner != **id
            && role(&owner).is_some_and(Role::is_removed)
    };
    let candidates: BTreeSet<SymbolId> = feature
        .removed()
        .filter(|id| !follows(id))
        .cloned()
        .collect();
    let blocked = removal::blockers(project, &candidates, held_back);
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
    RemovalPlan {
        actions,
        ..RemovalPlan::default()
    }
}

/// Adds the pieces of held-back tests, and what leaves with them, to the actions of a plan; `tests`
/// are the definitions of the tests that stay and of those that leave. Files that are no code are not among
/// what a plan can change.
pub fn with_tests(
    project: &Project<'_>,
    plan: &RemovalPlan,
    tests: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<Piece>,
) -> RemovalPlan {
    let definitions = held_back.iter().filter_map(Piece::definition);
    let mut whole = removal::test_removal(project, tests, &definitions.cloned().collect());
    let documented = held_back.iter().filter_map(Piece::documented);
    for id in documented {
        let action = whole.actions.entry(id.clone());
        action.or_insert(Action::CutExamples);
    }
    whole.imports.clone_from(&plan.imports);
    whole.silenced.clone_from(&plan.silenced);
    whole.actions.extend(
        plan.actions
            .iter()
            .map(|(id, action)| (id.clone(), *action)),
    );
    whole
}
