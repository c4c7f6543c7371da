//! The search for a starting tree that holds: try a plan, look at what breaks, take that step back.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::{self, Expectation, Scope};
use analyzer::symbol::SymbolId;
use analyzer::trace::{FailureDetail, Outcome, TestResult};
use extractors::removal::{self, Action, Project, Removal};

use super::advice::Advice;
use super::blame;
use super::draft::{Draft, Premises, Size};
use super::evidence::{Evidence, Inspected, Scenario, TreeState, Unexpected};
use super::inspection::{self, Inspection};
use super::pieces::Piece;
use super::unstable;
use super::{CarveError, CarveRequest, Event};
use crate::checker::Diagnostic;
use crate::runner::{Selection, TestRun};
use crate::session::Session;
use crate::study::Study;
use crate::words::count;

/// A plan that held: the feature, the edits and what each test did.
pub(super) struct Found {
    /// The feature and its removal alone: the starting tree with the held-back tests put back.
    pub draft: Draft,
    /// How big it is.
    pub size: Size,
    /// How big it was before anything was tried.
    pub planned: Size,
    /// The removal and the held-back tests: what a solver sees.
    pub starting: Removal,
    /// The texts of the tests that leave with the feature.
    pub held_back: BTreeSet<Piece>,
    /// Per test that was put back: what it did without the feature.
    pub put_back: BTreeMap<String, PutBack>,
    /// Tests whose result changed between equal runs.
    pub flaky: BTreeSet<String>,
    /// Examples that fail without the feature and stay all the same: their text cannot be cut out.
    pub stuck: BTreeSet<String>,
}

/// What a held-back test did in the starting tree, over all runs of that state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PutBack {
    good: u32,
    bad: u32,
}

impl Found {
    /// Whether a test (by index) is not in the starting tree.
    pub fn leaves(&self, study: &Study, index: usize) -> bool {
        leaves(study, &self.held_back, &self.put_back, index)
    }

    /// Whether a file is given back with the tests as a whole: it is test code, or the feature's removal
    /// alone does not change it. Any other file is the solver's to edit.
    pub fn is_of_tests(&self, scope: &Scope, path: &str) -> bool {
        scope.is_support(path) || !self.draft.removal.files.contains_key(path)
    }

    /// Whether a piece is put back for grading: test code is, wherever it stands; documentation is not
    /// where the solver edits.
    pub fn can_put_back(&self, scope: &Scope, piece: &Piece) -> bool {
        let is_test_code = piece
            .definition()
            .is_some_and(|definition| scope.is_test_code(definition));
        is_test_code || self.is_of_tests(scope, piece.path())
    }

    /// Whether a test (by index) is put back for grading if it left.
    pub fn is_graded(&self, study: &Study, scope: &Scope, index: usize) -> bool {
        let test = study.trace.tests.get(index);
        let piece = study.pieces.own(index);
        !test.is_some_and(|test| self.stuck.contains(&test.id))
            && piece.is_none_or(|piece| self.can_put_back(scope, piece))
    }
}

impl PutBack {
    /// It was never good.
    pub fn fails(self) -> bool {
        self.good == 0
    }

    /// It was good every time.
    pub fn passes(self) -> bool {
        self.bad == 0
    }

    /// It was good in some runs and not in others.
    pub fn is_mixed(self) -> bool {
        self.good > 0 && self.bad > 0
    }

    fn count(&mut self, good: bool) {
        if good { self.good += 1 } else { self.bad += 1 }
    }
}

/// What earlier attempts taught.
pub(super) struct Lessons {
    pub premises: Premises,
    flaky: BTreeSet<String>,
    /// Tests that no later run can name.
    unstable: BTreeSet<String>,
    /// See [`Found::stuck`].
    stuck: BTreeSet<String>,
    /// What the language's own tools say about the full tree, once that was asked.
    pub before: Option<Vec<Diagnostic>>,
}

pub(super) struct Search<'a> {
    pub session: &'a mut Session,
    pub study: &'a Study,
    pub project: &'a Project<'a>,
    pub scope: &'a Scope,
    pub request: &'a CarveRequest,
    pub evidence: &'a mut Evidence,
    pub report: &'a dyn Fn(Event<'_>),
}

impl Search<'_> {
    /// Tries plans until one holds.
    pub fn run(mut self) -> Result<Found, CarveError> {
        let mut lessons = Lessons {
            premises: Premises::new(self.request.options.clone(), self.request.removal),
            flaky: BTreeSet::new(),
            unstable: BTreeSet::new(),
            stuck: BTreeSet::new(),
            before: None,
        };
        let mut planned = None;
        let mut inspection = Inspection::new(&self.study.analysis);
        for _ in 0..self.request.max_attempts {
            let (attempt, size) = self.plan(&lessons.premises)?;
            let planned = *planned.get_or_insert(size);
            if self.is_refused(&attempt, &mut inspection, &mut lessons.premises)
                || self.repair(&attempt, &mut lessons)?
            {
                continue;
            }
            let Some(put_back) = self.put_back(&attempt, &mut lessons)? else {
                continue;
            };
            let held_back = self.held_back(&attempt, &put_back);
            let starting = self.starting(&attempt, &held_back)?;
            let Some(broken) =
                self.try_starting(&attempt, &starting, &held_back, &put_back, &mut lessons)?
            else {
                let whole = attempt.whole(self.study, self.project, &held_back);
                let faults = inspection.faults(&self.study.analysis, &whole, &starting);
                self.evidence.faults = faults.iter().map(ToString::to_string).collect();
                return Ok(Found {
                    size: attempt.size_in(
                        &starting,
                        &held_back,
                        self.study,
                        self.project,
                        self.scope,
                    ),
                    draft: attempt,
                    planned,
                    starting,
                    held_back,
                    put_back,
                    flaky: lessons.flaky,
                    stuck: lessons.stuck,
                });
            };
            self.learn(&attempt, &starting, &held_back, &broken, &mut lessons)?;
        }
        Err(CarveError::NotFound {
            attempts: self.request.max_attempts,
        })
    }

    /// What a solver sees.
    pub(super) fn starting(
        &self,
        attempt: &Draft,
        held_back: &BTreeSet<Piece>,
    ) -> Result<Removal, CarveError> {
        let mut starting = attempt.starting(self.study, self.project, held_back);
        for piece in held_back {
            let Piece::Text(path) = piece else { continue };
            if let Some(rest) = removal::without_examples(&self.session.file(path)?.bytes) {
                starting.files.insert(path.clone(), Some(rest));
            }
        }
        Ok(starting)
    }

    /// The definitions of all tests that may fail.
    pub(super) fn leaving_code(&self, attempt: &Draft) -> BTreeSet<Piece> {
        let pieces = attempt.suspects.iter();
        let pieces = pieces.filter_map(|&index| self.study.pieces.own(index));
        let code = pieces.filter(|piece| piece.definition().is_some());
        code.cloned().collect()
    }

    /// Whether the static checks speak against a plan: product code that stays refers to something
    /// that does not. Then that stays, too. Test code is looked at when it is known what leaves of it.
    fn is_refused(
        &mut self,
        attempt: &Draft,
        inspection: &mut Inspection,
        premises: &mut Premises,
    ) -> bool {
        let full = &self.study.analysis;
        let code = self.leaving_code(attempt);
        let whole = attempt.whole(self.study, self.project, &code);
        let tree = attempt.starting(self.study, self.project, &code);
        let mut faults = inspection.faults(full, &whole, &tree);
        faults.retain(|fault| !self.scope.is_support(fault.path()));
        let removed = attempt.removal.removed.iter().cloned().collect();
        let culprits = inspection::culprits(full, &faults, &removed);
        if culprits.is_empty() {
            return false;
        }
        let decision = format!("named by code that stays, not deleted: {}", list(&culprits));
        let (deleted, stubbed): (BTreeSet<_>, BTreeSet<_>) = culprits
            .into_iter()
            .partition(|id| !premises.stub_only.contains(id));
        premises.stub_only.extend(deleted);
        premises.options.exclude.extend(stubbed);
        (self.report)(Event::RolledBack {
            decision: &decision,
        });
        self.evidence.inspections.push(Inspected {
            faults: faults.iter().take(20).map(ToString::to_string).collect(),
            decision,
        });
        true
    }

    fn plan(&mut self, premises: &Premises) -> Result<(Draft, Size), CarveError> {
        let draft = Draft::new(self.study, self.project, self.scope, premises);
        let size = draft.size(self.study, self.project, self.scope);
        if size.top == 0 || size.lines < self.request.min_lines {
            let advice = Advice::new(
                self.study,
                self.project,
                self.scope,
                premises,
                &draft,
                self.request.min_lines,
            );
            return Err(match size.top {
                0 => CarveError::NoFeature { advice },
                _ => CarveError::TooSmall {
                    lines: size.lines,
                    min_lines: self.request.min_lines,
                    advice,
                },
            });
        }
        (self.report)(Event::Planned {
            feature: &draft.feature,
            removed: size.symbols,
        });
        Ok((draft, size))
    }

    /// Runs the suspects without the feature; nothing if that taught something.
    fn put_back(
        &mut self,
        attempt: &Draft,
        lessons: &mut Lessons,
    ) -> Result<Option<BTreeMap<String, PutBack>>, CarveError> {
        let ids: Vec<String> = attempt
            .suspects
            .iter()
            .filter_map(|&index| self.test(index))
            .map(|test| test.id.clone())
            .collect();
        let mut results: BTreeMap<String, PutBack> = ids
            .iter()
            .map(|id| (id.clone(), PutBack::default()))
            .collect();
        for _ in 0..self.request.repeat {
            (self.report)(Event::Running {
                state: TreeState::Empty,
                tests: ids.len(),
            });
            let run =
                self.session
                    .run(&attempt.removal.files, &Selection::Ids(ids.clone()), false)?;
            let outcomes = outcomes(&run);
            for (id, result) in &mut results {
                result.count(
                    outcomes
                        .get(id.as_str())
                        .is_some_and(|outcome| outcome.is_good()),
                );
            }
            drop(outcomes);
            let good = results.values().filter(|result| !result.fails()).count();
            let bad = results.len() - good;
            self.note(
                TreeState::Empty,
                &run,
                (good, bad),
                &[],
                attempt.removal.removed.len(),
            );
            let deadly = self.deadly(attempt, &run);
            if stub(attempt, &deadly, lessons).is_some() {
                self.roll_back(format!(
                    "without it tests never end, or their process does, stubbed instead of deleted: {}",
                    list(&deadly)
                ));
                return Ok(None);
            }
        }
        let target = self
            .scope
            .target
            .ones()
            .filter_map(|index| self.test(index));
        let target_fails = target
            .filter_map(|test| results.get(&test.id))
            .any(|result| result.fails());
        if target_fails {
            Ok(Some(results))
        } else {
            Err(CarveError::TargetStillPasses)
        }
    }

    /// Functions without which tests never end, or end their process: deleted, and run by these tests in
    /// the full tree. A stub in their place says at once what is missing.
    fn deadly(&self, attempt: &Draft, run: &TestRun) -> BTreeSet<SymbolId> {
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
        let is_callable = |id: &SymbolId| {
            let symbol = self.study.analysis.symbol(id);
            symbol.is_some_and(|symbol| symbol.kind.is_callable())
        };
        let deleted = actions.keys().filter(|id| is_callable(id) && stands(id));
        deleted.filter(|id| was_run(id)).cloned().collect()
    }

    /// Tells and records what a run led to.
    fn roll_back(&mut self, decision: String) {
        (self.report)(Event::RolledBack {
            decision: &decision,
        });
        if let Some(last) = self.evidence.scenarios.last_mut() {
            last.decision = decision;
        }
    }

    /// What leaves with the tests: all functions of the target, and every other function with a
    /// case that fails; of examples only those that fail.
    fn held_back(&self, attempt: &Draft, put_back: &BTreeMap<String, PutBack>) -> BTreeSet<Piece> {
        let fails = |index: &usize| {
            let result = self.test(*index).and_then(|test| put_back.get(&test.id));
            result.is_some_and(|result| !result.passes())
        };
        // In a target file the tests leave that are not good, too.
        let of_target = |index: &usize| {
            let path = self.test(*index).map(|test| &test.path);
            path.is_some_and(|path| self.scope.target_files.contains(path))
                || (self.scope.target.contains(*index) && attempt.suspects.contains(index))
        };
        let is_code = |index: &usize| {
            let own = self.study.pieces.own(*index);
            own.is_some_and(|own| own.definition().is_some())
        };
        let leaves = |index: &usize| {
            (attempt.suspects.contains(index) && fails(index))
                || (of_target(index) && is_code(index))
        };
        let leaving = (0..self.study.trace.tests.len()).filter(leaves).collect();
        self.study.pieces.taking(&leaving)
    }

    /// Runs everything visible in the starting tree; returns what broke, if anything did.
    fn try_starting(
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
            documented.is_some() && !self.scope.target.contains(index)
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
        let ids: Vec<String> = broken
            .tests
            .iter()
            .filter_map(|&index| self.test(index))
            .map(|test| test.id.clone())
            .collect();
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

    /// Turns what broke into a lesson: stub instead of delete, accept as collateral, or keep.
    fn learn(
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

    /// Finds symbols whose return makes the broken tests pass, by halving the removed symbols in
    /// module order. Each step runs the broken tests only.
    fn bisect(
        &mut self,
        attempt: &Draft,
        held_back: &BTreeSet<Piece>,
        broken: &Broken,
        lessons: &Lessons,
    ) -> Result<BTreeSet<SymbolId>, CarveError> {
        let ids: Vec<String> = broken
            .tests
            .iter()
            .filter_map(|&index| self.test(index))
            .map(|test| test.id.clone())
            .collect();
        let mut suspects: Vec<SymbolId> = attempt.plan.actions.keys().cloned().collect();
        while suspects.len() > 1 {
            let half = suspects.split_off(suspects.len() / 2);
            let lighter = self.lighter(&half, held_back, lessons)?;
            let run = self
                .session
                .run(&lighter.files, &Selection::Ids(ids.clone()), false)?;
            let outcomes = outcomes(&run);
            let healed = ids.iter().all(|id| {
                outcomes
                    .get(id.as_str())
                    .is_some_and(|outcome| outcome.is_good())
            });
            if healed {
                suspects = half;
            }
        }
        Ok(suspects.into_iter().collect())
    }

    /// What a solver would see if some symbols stayed and some tests left: planned anew, for what stays may
    /// need more.
    pub(super) fn lighter(
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

    fn test(&self, index: usize) -> Option<&TestResult> {
        self.study.trace.tests.get(index)
    }

    fn note(
        &mut self,
        state: TreeState,
        run: &TestRun,
        (good, bad): (usize, usize),
        unexpected: &[Unexpected],
        removed: usize,
    ) {
        self.evidence.scenarios.push(Scenario {
            good,
            bad,
            examples: unexpected.iter().take(20).cloned().collect(),
            removed_symbols: removed,
            wall_seconds: run.wall.as_secs_f64(),
            cpu_seconds: run.cpu.as_secs_f64(),
            ..Scenario::new(state, state != TreeState::Empty)
        });
    }
}

/// Whether a test (by index) is not to be in the starting tree.
fn leaves(
    study: &Study,
    held_back: &BTreeSet<Piece>,
    put_back: &BTreeMap<String, PutBack>,
    index: usize,
) -> bool {
    let fails = || {
        let result = study.trace.tests.get(index);
        let result = result.and_then(|test| put_back.get(&test.id));
        result.is_some_and(|result| !result.passes())
    };
    let with_piece = study.pieces.leaves(index, held_back);
    with_piece.unwrap_or_else(fails)
}

/// What the starting tree broke: good tests that are not good in it.
struct Broken {
    tests: BTreeSet<usize>,
    run: TestRun,
}

impl Broken {
    /// Why: the errors of files that could not be collected, then those of the broken tests.
    fn failures(&self, study: &Study) -> Vec<&FailureDetail> {
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

/// Symbols that were deleted and are needed by name become stubs.
pub(super) fn stub(
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

pub(super) fn one_line(detail: &FailureDetail) -> String {
    let message = detail.message.lines().next().unwrap_or_default();
    if detail.exception.is_empty() {
        message.to_owned()
    } else {
        format!("{}: {message}", detail.exception)
    }
}

fn outcomes(run: &TestRun) -> BTreeMap<&str, Outcome> {
    run.trace
        .tests
        .iter()
        .map(|test| (&*test.id, test.outcome))
        .collect()
}

pub(super) fn list(symbols: &BTreeSet<SymbolId>) -> String {
    symbols
        .iter()
        .map(SymbolId::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}
