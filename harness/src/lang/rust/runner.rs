//! Runs the tests of Rust projects: cargo builds the test programs, and they are started one by one.

mod documentation;
mod events;
mod plan;
mod program;
mod results;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use analyzer::trace::{CollectionError, FailureDetail, TestResult, Trace};

use super::build::{Builder, Built, Wanted, cut};
use super::cargo::Arguments;
use super::places::Places;
use super::workspace::Workspace;
use super::{records, tracer};
use crate::environment::{Collection, Environment};
use crate::process::{Ended, Finished, Launcher, Limits};
use crate::runner::{RunError, RunRequest, Selection, TestRun, TestRunner};
pub(super) use program::{Program, Test};

/// How many of the last lines of output are kept.
const OUTPUT_LINES: usize = 200;

/// Cargo and the standard test harness.
pub struct CargoTest;

impl TestRunner for CargoTest {
    fn run(&self, request: &RunRequest<'_>, launcher: &Launcher) -> Result<TestRun, RunError> {
        let folder = tempfile::Builder::new()
            .prefix("run-")
            .tempdir_in(request.scratch);
        let folder = folder.map_err(records(request.scratch))?;
        let tree = request.tree.canonicalize().map_err(records(request.tree))?;
        Run::new(request, &tree, folder.path(), launcher).all()
    }
}

/// Builds all tests of a tree without running them, and says what there is.
pub(super) fn collect(
    request: &RunRequest<'_>,
    launcher: &Launcher,
) -> Result<Collection, RunError> {
    let tree = request.tree.canonicalize().map_err(records(request.tree))?;
    let run = Run::new(request, &tree, request.scratch, launcher);
    let mut collection = Collection::default();
    for suite in run.suites()? {
        collection.tests += suite
            .programs
            .iter()
            .map(|program| program.tests.len())
            .sum::<usize>();
        for error in &suite.errors {
            let reason = error.detail.message.clone();
            collection.errors.insert(error.path.clone(), reason);
        }
    }
    Ok(collection)
}

/// A run on its way.
pub(super) struct Run<'a> {
    pub(super) tree: &'a Path,
    /// A folder for this run alone.
    pub(super) scratch: &'a Path,
    pub(super) environment: &'a Environment,
    pub(super) selection: &'a Selection,
    pub(super) launcher: &'a Launcher,
    pub(super) arguments: Arguments,
    pub(super) places: Places,
    pub(super) spent: RefCell<Spent>,
    is_traced: bool,
    limits: Limits,
    /// How long a test may take.
    patience: Option<Duration>,
}

/// What a run has used, and how it ended so far.
pub(super) struct Spent {
    started: Instant,
    cpu: Duration,
    printed: u64,
    ended: Ended,
    /// Whether a test that was to run did not come to do so.
    is_cut_short: bool,
    output: String,
}

/// One workspace of a run: what was built of it and the tests to run.
pub(super) struct Suite {
    pub(super) workspace: Workspace,
    pub(super) built: Built,
    pub(super) programs: Vec<Program>,
    pub(super) errors: Vec<CollectionError>,
}

impl<'a> Run<'a> {
    fn new(
        request: &'a RunRequest<'a>,
        tree: &'a Path,
        scratch: &'a Path,
        launcher: &'a Launcher,
    ) -> Self {
        Self {
            tree,
            scratch,
            environment: request.environment,
            selection: request.selection,
            launcher,
            arguments: Arguments::split(request.arguments),
            places: Places::new(tree),
            spent: RefCell::new(Spent {
                started: Instant::now(),
                cpu: Duration::ZERO,
                printed: 0,
                ended: Ended::Exit(0),
                is_cut_short: false,
                output: String::new(),
            }),
            is_traced: request.traced,
            limits: request.limits,
            patience: request.patience,
        }
    }

    fn all(&self) -> Result<TestRun, RunError> {
        let suites = self.suites()?;
        let mut trace = Trace::default();
        for suite in &suites {
            for program in &suite.programs {
                trace.tests.extend(self.run_program(suite, program)?);
            }
            let (tests, errors) = self.run_documentation(suite)?;
            trace.tests.extend(tests);
            trace.collection_errors.extend(suite.errors.iter().cloned());
            trace.collection_errors.extend(errors);
        }
        trace.collection_errors.sort_by(|a, b| a.path.cmp(&b.path));
        trace.collection_errors.dedup_by(|a, b| a.path == b.path);
        self.conclude(&trace.tests, &trace.collection_errors);
        if self.is_traced && self.ended() != Ended::Interrupted {
            tracer::record(self, &suites, &mut trace)?;
        }
        let spent = self.spent.borrow();
        Ok(TestRun {
            trace,
            imported_from: Vec::new(),
            complete: !spent.is_cut_short && spent.ended != Ended::Interrupted,
            died_in: Vec::new(),
            not_begun: Vec::new(),
            ended: spent.ended,
            wall: spent.started.elapsed(),
            cpu: spent.cpu,
            output: spent.output.clone(),
        })
    }

    /// Describes, builds and lists each workspace.
    fn suites(&self) -> Result<Vec<Suite>, RunError> {
        let mut suites = Vec::new();
        for mut workspace in Workspace::find(self.tree) {
            let described = workspace.describe(
                self.environment,
                self.scratch,
                self.launcher,
                &self.limits(),
            )?;
            let mut suite = Suite {
                workspace,
                built: Built::default(),
                programs: Vec::new(),
                errors: Vec::new(),
            };
            match described {
                Ok(()) => self.build(&mut suite)?,
                Err(reason) => suite
                    .errors
                    .push(self.of_manifest(&suite.workspace, &reason)),
            }
            suites.push(suite);
        }
        Ok(suites)
    }

    fn build(&self, suite: &mut Suite) -> Result<(), RunError> {
        let wanted = plan::wanted(&suite.workspace, self.tree, self.selection);
        if matches!(&wanted, Wanted::Some(keys) if keys.is_empty()) {
            return Ok(());
        }
        suite.built = self.built(&suite.workspace, &wanted, None)?;
        if let Some(ended) = suite.built.stopped {
            self.spent.borrow_mut().ended = ended;
            self.cut_short();
        }
        self.list(suite, &wanted)?;
        suite
            .errors
            .extend(results::uncompiled(&self.places, suite, &wanted));
        let nothing = suite.programs.is_empty() && suite.errors.is_empty();
        if let Some(complaint) = suite.built.complaint.clone().filter(|_| nothing) {
            suite
                .errors
                .push(self.of_manifest(&suite.workspace, &complaint));
        }
        Ok(())
    }

    /// Builds in a workspace, with the crates of the workspace compiled through `wrapper`.
    pub(super) fn built(
        &self,
        workspace: &Workspace,
        wanted: &Wanted,
        wrapper: Option<&Path>,
    ) -> Result<Built, RunError> {
        let builder = Builder {
            tree: self.tree,
            scratch: self.scratch,
            environment: self.environment,
            launcher: self.launcher,
            arguments: &self.arguments,
            wrapper,
        };
        builder.build(workspace, wanted, &|| self.limits(), &mut |finished| {
            self.add_use(finished);
        })
    }

    fn of_manifest(&self, workspace: &Workspace, reason: &str) -> CollectionError {
        CollectionError {
            path: format!("{}Cargo.toml", workspace.prefix),
            detail: FailureDetail {
                exception: "cargo".to_owned(),
                message: cut(reason),
                frames: Vec::new(),
            },
        }
    }

    /// The exit code of the whole, as cargo has it.
    fn conclude(&self, tests: &[TestResult], errors: &[CollectionError]) {
        let mut spent = self.spent.borrow_mut();
        let is_bad = !errors.is_empty() || tests.iter().any(|test| test.outcome.is_bad());
        if is_bad && spent.ended == Ended::Exit(0) {
            spent.ended = Ended::Exit(101);
        }
    }

    /// What is left of the run's limits.
    pub(super) fn limits(&self) -> Limits {
        let spent = self.spent.borrow();
        Limits {
            wall: self.limits.wall.saturating_sub(spent.started.elapsed()),
            output: self.limits.output.saturating_sub(spent.printed),
            ..self.limits
        }
    }

    /// What one test program may use: a hanging one leaves the others half of the time.
    fn limits_of_one(&self) -> Limits {
        let limits = self.limits();
        Limits {
            wall: limits.wall / 2,
            ..limits
        }
    }

    /// Adds what a program used beside the tests themselves.
    pub(super) fn add_use(&self, finished: &Finished) {
        let mut spent = self.spent.borrow_mut();
        spent.cpu += finished.cpu;
        spent.printed += finished.stdout.total() + finished.stderr.total();
        if finished.ended == Ended::Interrupted {
            spent.ended = Ended::Interrupted;
        }
    }

    /// Adds what a test program used and printed.
    fn add(&self, finished: &Finished) {
        self.add_use(finished);
        let mut spent = self.spent.borrow_mut();
        spent.output = finished.stderr.last_lines(OUTPUT_LINES).trim().to_owned();
        let is_stopped = !matches!(finished.ended, Ended::Exit(_) | Ended::Signal(_));
        if is_stopped && matches!(spent.ended, Ended::Exit(_)) {
            spent.ended = finished.ended;
        }
    }

    /// Notes that some tests did not come to run.
    fn cut_short(&self) {
        self.spent.borrow_mut().is_cut_short = true;
    }

    fn ended(&self) -> Ended {
        self.spent.borrow().ended
    }

    /// Whether nothing more should be started.
    pub(super) fn is_over(&self) -> bool {
        self.ended() == Ended::Interrupted || self.limits().wall.is_zero()
    }

    /// A file for the output of one program.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }
}
