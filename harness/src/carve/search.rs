//! The search for a starting tree that holds: try a plan, look at what breaks, take that step back.

mod lessons;
mod starting;

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::{Role, Scope};
use analyzer::symbol::SymbolId;
use analyzer::trace::{FailureDetail, Outcome, TestResult};
use extractors::removal::{self, Project, Removal};

pub(super) use self::lessons::{Lessons, stub};
use super::advice::Advice;
use super::draft::{Draft, Premises, Size};
use super::evidence::{Evidence, Inspected, Scenario, TreeState, Unexpected};
use super::found::{Found, PutBack};
use super::inspection::{self, Inspection};
use super::patches::{self, Parts};
use super::pieces::Piece;
use super::{CarveError, CarveRequest, Event};
use crate::runner::{Selection, TestRun};
use crate::session::Session;
use crate::study::Study;

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
        let mut lessons = Lessons::new(self.request);
        let mut planned = None;
        let mut inspection = Inspection::new(&self.study.analysis);
        for _ in 0..self.request.max_attempts {
            let (mut attempt, size) = self.plan(&lessons.premises)?;
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
            let Some(starting) = self.placed(&mut attempt, &held_back, &mut lessons)? else {
                continue;
            };
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

    /// The same so that what is held back can be put back: where nothing of a file would stay beside it,
    /// it leaves marks. If that does not help, the functions of the feature stay as stubs: nothing then, for
    /// that is another plan.
    fn placed(
        &mut self,
        attempt: &mut Draft,
        held_back: &BTreeSet<Piece>,
        lessons: &mut Lessons,
    ) -> Result<Option<Removal>, CarveError> {
        let starting = self.starting(attempt, held_back)?;
        let placeless = self.placeless(attempt, &starting, held_back)?;
        if placeless.is_empty() {
            return Ok(Some(starting));
        }
        attempt.plan.marked.extend(placeless);
        let starting = self.starting(attempt, held_back)?;
        let placeless = self.placeless(attempt, &starting, held_back)?;
        let Some(path) = placeless.first() else {
            return Ok(Some(starting));
        };
        let tops = attempt.feature.with_role(Role::Top);
        let beside = tops.filter(|id| placeless.contains(id.path()) && self.is_callable(id));
        let beside: BTreeSet<SymbolId> = beside.cloned().collect();
        if stub(attempt, &beside, lessons).is_none() {
            return Err(CarveError::NotPutBack { path: path.clone() });
        }
        self.roll_back(format!(
            "tests are put back beside them, stubbed instead of deleted: {}",
            list(&beside)
        ));
        Ok(None)
    }

    fn is_callable(&self, id: &SymbolId) -> bool {
        let symbol = self.study.analysis.symbol(id);
        symbol.is_some_and(|symbol| symbol.kind.is_callable())
    }

    fn placeless(
        &self,
        draft: &Draft,
        starting: &Removal,
        held_back: &BTreeSet<Piece>,
    ) -> Result<BTreeSet<String>, CarveError> {
        let parts = Parts {
            draft,
            starting,
            held_back,
        };
        patches::placeless(self.session, self.study, self.project, self.scope, parts)
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
        let ids = self.ids(&attempt.suspects);
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

    fn ids(&self, tests: &BTreeSet<usize>) -> Vec<String> {
        let tests = tests.iter().filter_map(|&index| self.test(index));
        tests.map(|test| test.id.clone()).collect()
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
