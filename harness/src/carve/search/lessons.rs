//! What attempts teach: who is to blame for what broke, and what becomes of it.

use std::collections::BTreeSet;

use analyzer::feature::{self, Expectation};
use analyzer::symbol::SymbolId;
use extractors::removal::{Action, Removal};

use super::starting::Broken;
use super::{Search, list, outcomes};
use crate::carve::blame;
use crate::carve::draft::{Draft, Premises};
use crate::carve::pieces::Piece;
use crate::carve::{CarveError, CarveRequest};
use crate::checker::Diagnostic;
use crate::runner::{Selection, TestRun};
use crate::words::count;

/// What earlier attempts taught.
pub(in crate::carve) struct Lessons {
    pub premises: Premises,
    pub flaky: BTreeSet<String>,
    /// Tests that no later run can name.
    pub unstable: BTreeSet<String>,
    /// See [`Found::stuck`].
    pub stuck: BTreeSet<String>,
    /// What the language's own tools say about the full tree, once that was asked.
    pub before: Option<Vec<Diagnostic>>,
}

impl Lessons {
    /// Nothing but what was asked for.
    pub fn new(request: &CarveRequest) -> Self {
        Self {
            premises: Premises::new(request.options.clone(), request.removal),
            flaky: BTreeSet::new(),
            unstable: BTreeSet::new(),
            stuck: BTreeSet::new(),
            before: None,
        }
    }
}

impl Search<'_> {
    /// Turns what broke into a lesson: stub instead of delete, accept as collateral, or keep.
    pub(super) fn learn(
        &mut self,
        attempt: &Draft,
        starting: &Removal,
        held_back: &BTreeSet<Piece>,
        broken: &Broken,
        lessons: &mut Lessons,
    ) -> Result<(), CarveError> {
        let removed: BTreeSet<SymbolId> = attempt.removal.removed.iter().cloned().collect();
        let failures = broken.failures(self.study);
        let owner = |path: &str, line: u32| crate::study::symbol_at(starting, path, line);
        let mut culprits = blame::culprits(&failures, &removed, &owner);
        culprits.extend(self.deadly(attempt, &broken.run));
        let decision = self.decide(attempt, held_back, broken, culprits, lessons)?;
        self.roll_back(decision);
        Ok(())
    }

    fn decide(
        &mut self,
        attempt: &Draft,
        held_back: &BTreeSet<Piece>,
        broken: &Broken,
        culprits: BTreeSet<SymbolId>,
        lessons: &mut Lessons,
    ) -> Result<String, CarveError> {
        if let Some(decision) = stub(attempt, &culprits, lessons) {
            return Ok(decision);
        }
        let is_top = |id: &SymbolId| {
            attempt
                .feature
                .members
                .get(id)
                .is_some_and(|member| member.role == feature::Role::Top)
        };
        if self.affordable(attempt, broken.tests.len(), lessons)
            && (culprits.is_empty() || culprits.iter().any(is_top))
        {
            let decision = format!(
                "needed by {}: held back as collateral",
                count(broken.tests.len(), "more test")
            );
            lessons.premises.also_failing.extend(&broken.tests);
            return Ok(decision);
        }
        let culprits = if culprits.is_empty() {
            self.bisect(attempt, held_back, broken, lessons)?
        } else {
            culprits
        };
        let decision = format!("needed by kept tests, protected: {}", list(&culprits));
        lessons.premises.keep(culprits);
        Ok(decision)
    }

    /// Whether so many more tests may still turn into collateral ones.
    fn affordable(&self, attempt: &Draft, more: usize, lessons: &Lessons) -> bool {
        let budget = self.scope.others.count_ones(..) as f64 * self.request.options.max_collateral;
        let already =
            attempt.feature.count(Expectation::Collateral) + lessons.premises.also_failing.len();
        (already + more) as f64 <= budget
    }

    /// Finds a symbol that the broken tests need: the last of the fewest first ones, in module order, whose
    /// return makes them pass. Each step runs the broken tests only. They may need others, too, which the
    /// next attempt shows.
    fn bisect(
        &mut self,
        attempt: &Draft,
        held_back: &BTreeSet<Piece>,
        broken: &Broken,
        lessons: &Lessons,
    ) -> Result<BTreeSet<SymbolId>, CarveError> {
        let suspects: Vec<SymbolId> = attempt.plan.actions.keys().cloned().collect();
        let (mut too_few, mut enough) = (0, suspects.len());
        let mut have_passed = false;
        while enough - too_few > 1 {
            let middle = too_few.midpoint(enough);
            let first = suspects.get(..middle).unwrap_or_default();
            if self.pass_with(first, held_back, broken, lessons)? {
                (enough, have_passed) = (middle, true);
            } else {
                too_few = middle;
            }
        }
        if !have_passed && !self.pass_with(&suspects, held_back, broken, lessons)? {
            return Err(CarveError::NeedsTests {
                count: broken.tests.len(),
                example: self
                    .ids(&broken.tests)
                    .into_iter()
                    .next()
                    .unwrap_or_default(),
            });
        }
        Ok(suspects
            .get(too_few..enough)
            .unwrap_or_default()
            .iter()
            .cloned()
            .collect())
    }

    /// Whether the broken tests pass where some symbols stay.
    fn pass_with(
        &mut self,
        kept: &[SymbolId],
        held_back: &BTreeSet<Piece>,
        broken: &Broken,
        lessons: &Lessons,
    ) -> Result<bool, CarveError> {
        let ids = self.ids(&broken.tests);
        let lighter = self.lighter(kept, held_back, lessons)?;
        let chosen = Selection::Ids(ids.clone());
        let run = self.session.run(&lighter.files, &chosen, false)?;
        let outcomes = outcomes(&run);
        let is_good = |id: &String| outcomes.get(id.as_str()).is_some_and(|it| it.is_good());
        Ok(ids.iter().all(is_good))
    }

    /// What a solver would see if some symbols stayed and some tests left: planned anew, for what stays may
    /// need more.
    pub(in crate::carve) fn lighter(
        &self,
        kept: &[SymbolId],
        held_back: &BTreeSet<Piece>,
        lessons: &Lessons,
    ) -> Result<Removal, CarveError> {
        let mut premises = lessons.premises.clone();
        premises.keep(kept.iter().cloned().collect());
        let draft = Draft::new(self.study, self.project, self.scope, &premises);
        self.starting(&draft, held_back)
    }

    /// Functions without which tests never end, or end their process: deleted, and run by these tests in
    /// the full tree. A stub in their place says at once what is missing.
    pub(super) fn deadly(&self, attempt: &Draft, run: &TestRun) -> BTreeSet<SymbolId> {
        let tests = &self.study.trace.tests;
        let died = |index: &usize| {
            tests
                .get(*index)
                .is_some_and(|t| run.died_in.contains(&t.id))
        };
        let died: Vec<usize> = (0..tests.len()).filter(died).collect();
        let actions = &attempt.plan.actions;
        let stands = |id: &SymbolId| {
            !actions
                .keys()
                .any(|other| other != id && id.is_within(other))
        };
        let was_run = |id: &SymbolId| {
            let index = self.study.impact.index_of(id);
            let tests = index.and_then(|index| self.study.impact.executed_by.get(index));
            tests.is_some_and(|tests| died.iter().any(|&test| tests.contains(test)))
        };
        let deleted = actions
            .keys()
            .filter(|id| self.is_callable(id) && stands(id));
        deleted.filter(|id| was_run(id)).cloned().collect()
    }
}

/// Symbols that were deleted and are needed by name become stubs.
pub(in crate::carve) fn stub(
    attempt: &Draft,
    culprits: &BTreeSet<SymbolId>,
    lessons: &mut Lessons,
) -> Option<String> {
    let is_deleted = |id: &&SymbolId| {
        attempt.plan.actions.get(*id) == Some(&Action::Delete)
            && !lessons.premises.stub_only.contains(*id)
    };
    let deleted: BTreeSet<SymbolId> = culprits.iter().filter(is_deleted).cloned().collect();
    if deleted.is_empty() {
        return None;
    }
    let decision = format!("needed by name, not deleted: {}", list(&deleted));
    lessons.premises.stub_only.extend(deleted);
    Some(decision)
}
