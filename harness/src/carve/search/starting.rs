//! The starting tree: what a solver sees, and what it must not break.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::trace::FailureDetail;
use extractors::removal::Removal;

use super::lessons::Lessons;
use super::{Search, one_line, outcomes};
use crate::carve::draft::Draft;
use crate::carve::evidence::{TreeState, Unexpected};
use crate::carve::found::{PutBack, leaves};
use crate::carve::pieces::Piece;
use crate::carve::{CarveError, Event, blame, unstable};
use crate::runner::{Selection, TestRun};
use crate::study::Study;

impl Search<'_> {
    /// Runs everything visible in the starting tree; returns what broke, if anything did.
    pub(super) fn try_starting(
        &mut self,
        attempt: &Draft,
        starting: &Removal,
        held_back: &BTreeSet<Piece>,
        put_back: &BTreeMap<String, PutBack>,
        lessons: &mut Lessons,
    ) -> Result<Option<Broken>, CarveError> {
        let expected = self.visible(held_back, put_back, lessons);
        for _ in 0..self.request.repeat {
            (self.report)(Event::Running {
                state: TreeState::Starting,
                tests: expected.len(),
            });
            let run = self
                .session
                .run(&starting.files, &self.study.suite, false)?;
            let mut broken = self.broken(&expected, run);
            self.set_unstable_apart(&mut broken, lessons)?;
            if !broken.tests.is_empty() {
                self.set_flaky_apart(starting, &mut broken, lessons)?;
            }
            let unexpected = broken.examples(self.study);
            let good = expected.len() - broken.tests.len();
            let counts = (good, broken.tests.len());
            self.note(
                TreeState::Starting,
                &broken.run,
                counts,
                &unexpected,
                attempt.removal.removed.len(),
            );
            if !broken.tests.is_empty() {
                return Ok(Some(broken));
            }
            self.require_absent(held_back, put_back, &broken.run, lessons)?;
        }
        Ok(None)
    }

    /// What a solver is graded with must not be in what a solver gets. Examples are not graded if they
    /// cannot be cut out.
    fn require_absent(
        &self,
        held_back: &BTreeSet<Piece>,
        put_back: &BTreeMap<String, PutBack>,
        run: &TestRun,
        lessons: &mut Lessons,
    ) -> Result<(), CarveError> {
        let ran = outcomes(run);
        let left = self.study.trace.tests.iter().enumerate();
        let left = left.filter(|(index, test)| {
            leaves(self.study, held_back, put_back, *index) && ran.contains_key(&*test.id)
        });
        let is_example = |index: usize| {
            let documented = self.study.pieces.own(index).and_then(Piece::documented);
            documented.is_some()
        };
        let (stuck, tests): (Vec<_>, Vec<_>) = left
            .map(|(index, test)| (index, test.id.clone()))
            .partition(|(index, _)| is_example(*index));
        lessons.stuck.extend(stuck.into_iter().map(|(_, id)| id));
        let tests: Vec<String> = tests.into_iter().map(|(_, id)| id).collect();
        match tests.first() {
            None => Ok(()),
            Some(example) => Err(CarveError::NotHeldBack {
                count: tests.len(),
                example: example.clone(),
            }),
        }
    }

    /// Good tests that a solver sees.
    fn visible(
        &self,
        held_back: &BTreeSet<Piece>,
        put_back: &BTreeMap<String, PutBack>,
        lessons: &Lessons,
    ) -> BTreeSet<usize> {
        let stays = |index: &usize| {
            self.test(*index).is_some_and(|test| {
                !leaves(self.study, held_back, put_back, *index)
                    && !lessons.flaky.contains(&test.id)
                    && !lessons.unstable.contains(&test.id)
                    && !lessons.premises.also_failing.contains(index)
            })
        };
        self.scope
            .others
            .ones()
            .chain(self.scope.target.ones())
            .filter(stays)
            .collect()
    }

    fn broken(&self, expected: &BTreeSet<usize>, run: TestRun) -> Broken {
        let outcomes = outcomes(&run);
        let bad = |index: &usize| {
            self.test(*index).is_some_and(|test| {
                !outcomes
                    .get(test.id.as_str())
                    .is_some_and(|outcome| outcome.is_good())
            })
        };
        let tests = expected.iter().copied().filter(bad).collect();
        drop(outcomes);
        Broken { tests, run }
    }

    /// Tests that are missing although new ones of the same functions are there: either the removal
    /// changed their ids, or every run does. The full tree tells.
    fn set_unstable_apart(
        &mut self,
        broken: &mut Broken,
        lessons: &mut Lessons,
    ) -> Result<(), CarveError> {
        let baseline = &self.study.trace;
        let renamed = unstable::ids(baseline, &broken.run.trace);
        let tests = broken
            .tests
            .iter()
            .filter_map(|&index| baseline.tests.get(index));
        let renamed = tests.filter(|test| renamed.contains(&*test.id));
        let files: BTreeSet<String> = renamed.map(|test| test.path.clone()).collect();
        if files.is_empty() {
            return Ok(());
        }
        let files = Selection::Paths(files.into_iter().collect());
        let again = self.session.run(&BTreeMap::new(), &files, false)?;
        // Of the other files nothing was run, so nothing of them has appeared.
        let unstable = unstable::ids(baseline, &again.trace);
        broken.tests.retain(|&index| {
            let test = baseline.tests.get(index);
            test.is_some_and(|test| !unstable.contains(&*test.id))
        });
        lessons
            .unstable
            .extend(unstable.into_iter().map(str::to_owned));
        Ok(())
    }

    /// Runs the broken tests once more in the same tree: those that pass now are flaky, not broken.
    fn set_flaky_apart(
        &mut self,
        starting: &Removal,
        broken: &mut Broken,
        lessons: &mut Lessons,
    ) -> Result<(), CarveError> {
        let ids = self.ids(&broken.tests);
        let again = self
            .session
            .run(&starting.files, &Selection::Ids(ids), false)?;
        let outcomes = outcomes(&again);
        let tests = &self.study.trace.tests;
        broken.tests.retain(|&index| {
            let Some(test) = tests.get(index) else {
                return false;
            };
            let passes_now = outcomes
                .get(test.id.as_str())
                .is_some_and(|outcome| outcome.is_good());
            if passes_now {
                lessons.flaky.insert(test.id.clone());
            }
            !passes_now
        });
        Ok(())
    }
}

/// What the starting tree broke: good tests that are not good in it.
pub(super) struct Broken {
    pub tests: BTreeSet<usize>,
    pub run: TestRun,
}

impl Broken {
    /// Why: the errors of files that could not be collected, then those of the broken tests.
    pub fn failures(&self, study: &Study) -> Vec<&FailureDetail> {
        let broken = |id: &str| {
            self.tests.iter().any(|&index| {
                study
                    .trace
                    .tests
                    .get(index)
                    .is_some_and(|test| test.id == id)
            })
        };
        blame::failures(&self.run.trace, &broken)
    }

    fn examples(&self, study: &Study) -> Vec<Unexpected> {
        let details: BTreeMap<&str, &FailureDetail> = self
            .run
            .trace
            .tests
            .iter()
            .filter_map(|test| Some((&*test.id, test.detail.as_ref()?)))
            .collect();
        let collection: BTreeMap<&str, &FailureDetail> = self
            .run
            .trace
            .collection_errors
            .iter()
            .map(|error| (&*error.path, &error.detail))
            .collect();
        let tests = self
            .tests
            .iter()
            .filter_map(|&index| study.trace.tests.get(index));
        tests
            .map(|test| {
                let detail = details
                    .get(&*test.id)
                    .or_else(|| collection.get(&*test.path));
                Unexpected {
                    id: test.id.clone(),
                    reason: detail
                        .map_or_else(|| "did not run".to_owned(), |detail| one_line(detail)),
                }
            })
            .collect()
    }
}
