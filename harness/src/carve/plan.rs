//! Plans: from a feature to the edits that make the starting tree, and to the tests held back with it.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::feature::Feature;
use analyzer::symbol::SymbolId;
use extractors::family::{is_signature, principal};
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
    let mut fixed = Fixed {
        stubs: stub_only.clone(),
        kept: BTreeSet::new(),
    };
    let planner = Planner {
        project,
        analysis,
        feature,
        mode,
        held_back,
        doctested,
    };
    loop {
        let actions = planner.actions(&fixed);
        let needed = match mode {
            RemovalMode::Auto => &removal::shells(project, &actions) | &halves(&actions),
            RemovalMode::Delete | RemovalMode::Stub => BTreeSet::new(),
        };
        if needed.is_empty() {
            return RemovalPlan {
                actions,
                ..RemovalPlan::default()
            };
        }
        let (stubs, kept): (BTreeSet<_>, BTreeSet<_>) =
            needed.into_iter().partition(|id| planner.is_callable(id));
        fixed.stubs.extend(stubs);
        fixed.kept.extend(kept);
    }
}

/// What is to be deleted though the definition it belongs to keeps its header (a setter, say).
fn halves(actions: &BTreeMap<SymbolId, Action>) -> BTreeSet<SymbolId> {
    let is_half = |id: &&SymbolId| {
        let owner = actions.get(&principal(id));
        matches!(owner, Some(Action::Stub { .. })) && actions.get(*id) == Some(&Action::Delete)
    };
    actions.keys().filter(is_half).cloned().collect()
}

/// What is known of a plan before it is made.
struct Fixed {
    /// What is not deleted.
    stubs: BTreeSet<SymbolId>,
    /// What stays as it is.
    kept: BTreeSet<SymbolId>,
}

struct Planner<'a> {
    project: &'a Project<'a>,
    analysis: &'a Analysis,
    feature: &'a Feature,
    mode: RemovalMode,
    held_back: &'a BTreeSet<SymbolId>,
    doctested: &'a BTreeSet<SymbolId>,
}

impl Planner<'_> {
    fn actions(&self, fixed: &Fixed) -> BTreeMap<SymbolId, Action> {
        let removed = self.feature.removed().filter(|id| !fixed.kept.contains(id));
        let candidates: BTreeSet<SymbolId> =
            removed.filter(|id| !self.follows(id)).cloned().collect();
        let blocked = removal::blockers(self.project, &candidates, &fixed.stubs, self.held_back);
        let is_deletable = |id: &SymbolId| !blocked.contains_key(id) && !fixed.stubs.contains(id);
        let action = |id: &SymbolId| match self.mode {
            RemovalMode::Stub => self.stub(id),
            RemovalMode::Delete => is_deletable(id).then_some(Action::Delete),
            RemovalMode::Auto if is_deletable(id) => Some(Action::Delete),
            RemovalMode::Auto => self.stub(id),
        };
        let with = |id: SymbolId| action(&id).map(|action| (id, action));
        candidates.into_iter().filter_map(with).collect()
    }

    /// Whether a symbol is a signature of another one (an overload), whose fate it shares: it is deleted
    /// with it, and stays where that one becomes a stub, being no more than a stub itself.
    fn follows(&self, id: &SymbolId) -> bool {
        let owner = self.feature.members.get(&principal(id));
        is_signature(id) && owner.is_some_and(|owner| owner.role.is_removed())
    }

    fn stub(&self, id: &SymbolId) -> Option<Action> {
        let keep_doc = !self.doctested.contains(id);
        let can_be_one = self.is_callable(id) && self.project.stub_refusal(id).is_none();
        can_be_one.then_some(Action::Stub { keep_doc })
    }

    fn is_callable(&self, id: &SymbolId) -> bool {
        let symbol = self.analysis.symbol(id);
        symbol.is_some_and(|symbol| symbol.kind.is_callable())
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
    whole.silenced_imports.clone_from(&plan.silenced_imports);
    whole.silenced.clone_from(&plan.silenced);
    whole.kept.clone_from(&plan.kept);
    whole.marked.clone_from(&plan.marked);
    whole.is_never_built = plan.is_never_built;
    whole.actions.extend(
        plan.actions
            .iter()
            .map(|(id, action)| (id.clone(), *action)),
    );
    whole
}

#[cfg(test)]
mod tests;
