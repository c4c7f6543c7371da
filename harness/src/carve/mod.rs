//! Carving: from a target to a proven task, by trying plans on the real suite.

pub mod advice;
pub mod blame;
pub mod draft;
pub mod evidence;
mod found;
mod inspection;
mod patches;
pub mod pieces;
pub mod plan;
mod repair;
mod search;
pub mod target;
pub mod unstable;
mod verdict;

use std::collections::BTreeMap;

use analyzer::Analysis;
use analyzer::feature::{Feature, FeatureOptions, Scope};
use analyzer::trace::Trace;
use extractors::patch::Patch;
use extractors::removal::Project;

use self::advice::Advice;
use self::draft::Size;
use self::evidence::{Evidence, Scenario, TreeState};
use self::patches::Patches;
pub use self::verdict::{TestClass, Verdict};
use crate::config::RemovalMode;
use crate::process::Ended;
use crate::session::{Session, SessionError};
use crate::study::{Study, StudyError};
use crate::words;

/// What to carve and how.
#[derive(Clone, Debug)]
pub struct CarveRequest {
    /// Patterns of the target tests (see [`target::Pattern`]).
    pub target: Vec<String>,
    /// Patterns of the considered suite; empty for all.
    pub suite: Vec<String>,
    /// How the feature is decided.
    pub options: FeatureOptions,
    /// How symbols leave.
    pub removal: RemovalMode,
    /// The fewest lines that the removal must take out of the product.
    pub min_lines: usize,
    /// How often each state is run.
    pub repeat: u32,
    /// How many plans are tried before giving up.
    pub max_attempts: u32,
    /// Whether a stored trace is ignored.
    pub fresh: bool,
}

/// The default of [`CarveRequest::min_lines`].
pub const MIN_LINES: usize = 5;

/// The default of [`CarveRequest::max_attempts`].
pub const MAX_ATTEMPTS: u32 = 12;

/// What happens on the way, for whoever shows progress.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Another process works on the project, and this one waits for it to end.
    Waiting {
        /// Its number, if that is known.
        holder: Option<u32>,
    },
    /// The environment is being made.
    Preparing {
        /// The step in flight.
        step: &'a str,
    },
    /// The suite runs with the tracer.
    Tracing,
    /// The traced run did not come to its end: what did not run counts as failing, and nothing is kept.
    CutShort {
        /// How it ended.
        ended: Ended,
        /// How many tests had not begun.
        tests: usize,
    },
    /// Files are analysed.
    Analysing,
    /// A plan was made.
    Planned {
        /// The feature it removes.
        feature: &'a Feature,
        /// How many symbols it removes.
        removed: usize,
    },
    /// Tests run in a state of the tree.
    Running {
        /// The state.
        state: TreeState,
        /// How many tests are expected.
        tests: usize,
    },
    /// A plan broke something and was changed.
    RolledBack {
        /// What was decided.
        decision: &'a str,
    },
}

/// A validated feature with everything a task needs.
pub struct Carved {
    /// The files and the trace it was decided by.
    pub analysis: Analysis,
    /// The feature.
    pub feature: Feature,
    /// The action taken on each removed symbol.
    pub plan: extractors::removal::RemovalPlan,
    /// What the removal did.
    pub removal: extractors::removal::Removal,
    /// How big the feature is.
    pub size: Size,
    /// How big it was planned, before validation changed it.
    pub planned: Size,
    /// The class of every test of the considered suite, by id.
    pub verdict: Verdict,
    /// The ids of the tests that the starting tree does not have.
    pub held_back: Vec<String>,
    /// The files of the product that held-back tests are put back into, sorted.
    pub put_back_into: Vec<String>,
    /// Full tree to starting tree.
    pub removal_patch: Patch,
    /// Starting tree to full tree, without the held-back tests.
    pub gold_patch: Patch,
    /// Puts the held-back tests back.
    pub tests_patch: Patch,
    /// What was run.
    pub evidence: Evidence,
}

/// Why there is no task.
#[derive(Debug, thiserror::Error)]
pub enum CarveError {
    /// The target owns nothing that can be removed.
    #[error("the target owns no symbol that can be removed{advice}")]
    NoFeature {
        /// What could be done.
        advice: Advice,
    },
    /// The feature is below the minimum.
    #[error(
        "the target owns too little: {} would go, and --min-lines asks for {min_lines}; take it as it is with --min-lines {lines}{advice}",
        words::count(*lines, "line")
    )]
    TooSmall {
        /// Lines that would be taken out.
        lines: usize,
        /// The fewest that there must be.
        min_lines: usize,
        /// What could be done.
        advice: Advice,
    },
    /// The target passes without the feature.
    #[error(
        "every target test still passes without the feature; name a symbol that it needs with --include"
    )]
    TargetStillPasses,
    /// No plan held.
    #[error(
        "no plan held after {}; keep with --exclude what the tests need that stay, or choose another target",
        words::count(*attempts as usize, "attempt")
    )]
    NotFound {
        /// How many were tried.
        attempts: u32,
    },
    /// Tests that stay break without those that are held back, whatever stays of the feature.
    #[error(
        "{} would stay and not pass where the tests of the feature are gone ({example}): they depend on these or on their files; choose another target, or one that holds them, too",
        words::count(*count, "test")
    )]
    NeedsTests {
        /// How many.
        count: usize,
        /// One of them.
        example: String,
    },
    /// Tests to be held back are still in the starting tree.
    #[error(
        "{} to hold back cannot be taken out of their files ({example}); choose another target",
        words::count(*count, "test")
    )]
    NotHeldBack {
        /// How many.
        count: usize,
        /// One of them.
        example: String,
    },
    /// What is held back has no place in the starting tree.
    #[error(
        "what {path} has for the tests (an import, a module or a test) stands right beside code of the feature, so it cannot be put back when both are gone; keep the code beside it with --exclude, or choose another target"
    )]
    NotPutBack {
        /// The file.
        path: String,
    },
    /// What would prove the feature is documentation of the removed code.
    #[error(
        "what fails without the feature ({}) stands as examples in files that a solver has to edit, so it cannot be graded; choose another target",
        words::count(*count, "target test")
    )]
    NotGraded {
        /// How many.
        count: usize,
    },
    /// The restored tree does not pass.
    #[error(
        "the target does not pass again in the restored tree: its tests are flaky, depend on their order, or have ids that differ between runs; try --repeat"
    )]
    NotRestored,
    /// The edits do not give the full tree back.
    #[error("a fault of lacuna: {0}")]
    Inconsistent(String),
    /// The project or its tests cannot be studied.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The project cannot be read.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// Carves the feature of a target out of a project and proves it.
///
/// # Errors
/// See [`CarveError`]; `evidence` holds what was run even then.
pub fn carve(
    session: &mut Session,
    request: &CarveRequest,
    evidence: &mut Evidence,
    report: &dyn Fn(Event<'_>),
) -> Result<Carved, CarveError> {
    let before = session.counts();
    let carved = proven(session, request, evidence, report);
    let after = session.counts();
    evidence.test_runs = after.runs - before.runs;
    evidence.checks = after.checks - before.checks;
    carved.map(|carved| Carved {
        evidence: evidence.clone(),
        ..carved
    })
}

fn proven(
    session: &mut Session,
    request: &CarveRequest,
    evidence: &mut Evidence,
    report: &dyn Fn(Event<'_>),
) -> Result<Carved, CarveError> {
    session.take(report)?;
    let study = Study::open(session, &request.suite, request.fresh, report)?;
    evidence.scenarios.push(baseline(&study));
    let scope = study.scope(&request.target)?;
    let request = &CarveRequest {
        options: study.known(request.options.clone())?,
        ..request.clone()
    };
    let project = Project::new(&study.analysis);
    let found = search::Search {
        session,
        study: &study,
        project: &project,
        scope: &scope,
        request,
        evidence,
        report,
    }
    .run()?;
    let patches = Patches::new(session, &study, &project, &scope, found.parts())?;
    let restored = restored(session, &study, request, evidence, report)?;
    let verdict = verdict::judge(&study, &scope, &found, &restored);
    if verdict.count(&TestClass::FailToPassTarget) == 0 {
        return Err(match verdict.ungraded_target(&study, &scope) {
            0 => CarveError::NotRestored,
            count => CarveError::NotGraded { count },
        });
    }
    Ok(Carved {
        held_back: verdict.names(held_back(&study, &scope, &found)),
        analysis: study.analysis,
        feature: found.draft.feature,
        plan: found.draft.plan,
        removal: found.draft.removal,
        size: found.size,
        planned: found.planned,
        verdict,
        removal_patch: patches.removal,
        gold_patch: patches.gold,
        tests_patch: patches.tests,
        put_back_into: patches.shared,
        evidence: Evidence::default(),
    })
}

/// The ids of the tests that left with the feature and are put back for grading, in the runner's
/// order.
fn held_back(study: &Study, scope: &Scope, found: &found::Found) -> Vec<String> {
    let tests = study.trace.tests.iter().enumerate();
    let left = tests
        .filter(|(index, _)| found.leaves(study, *index) && found.is_graded(study, scope, *index));
    left.map(|(_, test)| test.id.clone()).collect()
}

/// Runs the suite in the restored tree, which is the full tree byte for byte (see [`Patches`]).
fn restored(
    session: &mut Session,
    study: &Study,
    request: &CarveRequest,
    evidence: &mut Evidence,
    report: &dyn Fn(Event<'_>),
) -> Result<Vec<Trace>, CarveError> {
    let expected = study
        .trace
        .tests
        .iter()
        .filter(|test| test.outcome.is_good())
        .count();
    let mut traces = Vec::new();
    for _ in 0..request.repeat {
        report(Event::Running {
            state: TreeState::Restored,
            tests: expected,
        });
        let run = session.run(&BTreeMap::new(), &study.suite, false)?;
        let good = run
            .trace
            .tests
            .iter()
            .filter(|test| test.outcome.is_good())
            .count();
        evidence.scenarios.push(Scenario {
            good,
            bad: expected.saturating_sub(good),
            wall_seconds: run.wall.as_secs_f64(),
            cpu_seconds: run.cpu.as_secs_f64(),
            ..Scenario::new(TreeState::Restored, true)
        });
        traces.push(run.trace);
    }
    Ok(traces)
}

/// The run that the baseline came from.
fn baseline(study: &Study) -> Scenario {
    let good = study
        .trace
        .tests
        .iter()
        .filter(|test| test.outcome.is_good())
        .count();
    let bad = study
        .trace
        .tests
        .iter()
        .filter(|test| test.outcome.is_bad())
        .count();
    Scenario {
        cached: study.cached,
        good,
        bad,
        wall_seconds: study.times.0.as_secs_f64(),
        cpu_seconds: study.times.1.as_secs_f64(),
        ..Scenario::new(TreeState::Full, true)
    }
}
