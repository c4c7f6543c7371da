//! Runs Go tests with `go test -json`.

pub(super) mod arguments;
mod events;
mod plan;
mod results;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use analyzer::trace::Trace;

use super::packages::{Lister, Suite};
use super::{records, tracer};
use crate::process::{Command, Ended, Finished, Launcher, Limits};
use crate::runner::{RunError, RunRequest, Selection, TestRun, TestRunner};
pub(super) use arguments::Arguments;
use events::Events;
use plan::Group;
use results::Evidence;

/// How many of the last lines of output are kept.
const OUTPUT_LINES: usize = 200;

/// The go command's own runner.
pub struct GoTest;

impl TestRunner for GoTest {
    fn run(&self, request: &RunRequest<'_>, launcher: &Launcher) -> Result<TestRun, RunError> {
        let folder = tempfile::Builder::new()
            .prefix("run-")
            .tempdir_in(request.scratch);
        let folder = folder.map_err(records(request.scratch))?;
        let mut run = Run {
            request,
            launcher,
            scratch: folder.path(),
            arguments: Arguments::split(request.arguments),
            spent: Spent::default(),
        };
        run.all()
    }
}

/// A run on its way.
pub(super) struct Run<'a> {
    pub(super) request: &'a RunRequest<'a>,
    pub(super) launcher: &'a Launcher,
    /// A folder for this run alone.
    pub(super) scratch: &'a Path,
    pub(super) arguments: Arguments,
    pub(super) spent: Spent,
}

/// What a run has used, and how its last program ended.
pub(super) struct Spent {
    started: Instant,
    cpu: Duration,
    printed: u64,
    ended: Ended,
    output: String,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            cpu: Duration::ZERO,
            printed: 0,
            ended: Ended::Exit(0),
            output: String::new(),
        }
    }
}

impl Spent {
    /// Adds a program's use. The first bad end is the end of the run.
    pub(super) fn add(&mut self, finished: &Finished) {
        self.cpu += finished.cpu;
        self.printed += finished.stdout.total() + finished.stderr.total();
        if self.ended == Ended::Exit(0) {
            self.ended = finished.ended;
        }
    }

    /// Adds what a program used beside the tests themselves: its end says nothing about them.
    pub(super) fn add_use(&mut self, finished: &Finished) {
        self.cpu += finished.cpu;
        if finished.ended == Ended::Interrupted {
            self.ended = Ended::Interrupted;
        }
    }

    /// Whether nothing more should be started.
    fn is_over(&self) -> bool {
        !matches!(self.ended, Ended::Exit(_))
    }
}

impl Run<'_> {
    fn all(&mut self) -> Result<TestRun, RunError> {
        let suite = self.lister().suite()?;
        let groups = plan::groups(&suite, self.request.selection);
        let mut events = Events::default();
        for group in &groups {
            if !self.spent.is_over() {
                self.test(&suite, group, &mut events)?;
            }
        }
        let conclusion = Evidence {
            tree: self.request.tree,
            suite: &suite,
            selection: self.request.selection,
            groups: &groups,
            events: &events,
            ended: self.spent.ended,
            output: &self.spent.output,
        }
        .conclude();
        if conclusion.timed_out && !self.spent.is_over() {
            self.spent.ended = Ended::TimedOut;
        }
        let mut trace = Trace {
            tests: conclusion.tests,
            collection_errors: conclusion.collection_errors,
            ..Trace::default()
        };
        if self.request.traced && self.spent.ended != Ended::Interrupted {
            tracer::record(self, &suite, &mut trace)?;
        }
        Ok(TestRun {
            trace,
            imported_from: suite.origins,
            complete: !self.spent.is_over(),
            died_in: Vec::new(),
            not_begun: Vec::new(),
            ended: self.spent.ended,
            wall: self.spent.started.elapsed(),
            cpu: self.spent.cpu,
            output: std::mem::take(&mut self.spent.output),
        })
    }

    pub(super) fn lister(&self) -> Lister<'_> {
        Lister {
            tree: self.request.tree,
            scratch: self.scratch,
            environment: self.request.environment,
            launcher: self.launcher,
            limits: self.limits(),
            flags: &self.arguments.build,
        }
    }

    /// What is left of the run's limits.
    pub(super) fn limits(&self) -> Limits {
        let limits = self.request.limits;
        Limits {
            wall: limits.wall.saturating_sub(self.spent.started.elapsed()),
            output: limits.output.saturating_sub(self.spent.printed),
            ..limits
        }
    }

    fn test(&mut self, suite: &Suite, group: &Group, events: &mut Events) -> Result<(), RunError> {
        let Some(module) = suite.modules.get(group.module) else {
            return Ok(());
        };
        let file = self.scratch.join("events.json");
        let limits = self.limits();
        let mut command = module
            .command(self.request.environment)
            .args(["test", "-json", "-count=1"]);
        if !self.arguments.has("timeout") {
            command = command.arg(format!("-timeout={}ms", patience(limits.wall).as_millis()));
        }
        command = command.args(&self.arguments.build);
        if let Some(pattern) = group.pattern() {
            command = command.arg(format!("-run={pattern}"));
        }
        command = command
            .args(packages(suite, group))
            .args(&self.arguments.test);
        let command: Command = command.copy_stdout(&file);
        let finished = self.launcher.run(&command, &limits)?;
        events.read(&file).map_err(records(&file))?;
        events.read_text(&finished.stderr.text());
        self.spent.output = last_lines(&finished);
        self.spent.add(&finished);
        Ok(())
    }
}

/// How long a test binary may take before Go ends it: then its stacks say where it hangs, and the
/// other packages have their results.
pub(super) fn patience(left: Duration) -> Duration {
    left.mul_f64(0.75)
}

fn packages<'s>(suite: &'s Suite, group: &'s Group) -> impl Iterator<Item = &'s str> {
    let packages = group
        .parts
        .iter()
        .filter_map(|part| suite.packages.get(part.package));
    packages.map(|package| package.import_path.as_str())
}

/// What the go command printed beside the events; they would only be noise.
fn last_lines(finished: &Finished) -> String {
    let printed = finished.stdout.last_lines(OUTPUT_LINES);
    let plain = printed.lines().filter(|line| !line.starts_with('{'));
    let plain: Vec<&str> = plain.collect();
    let errors = finished.stderr.last_lines(OUTPUT_LINES);
    format!("{}\n{errors}", plain.join("\n")).trim().to_owned()
}

/// What `go test -json -list .` found: how many tests, and what cannot be built by test file.
pub(super) fn listed(
    file: &Path,
    log: &str,
    suite: &Suite,
    tree: &Path,
) -> Result<(usize, BTreeMap<String, String>), RunError> {
    let mut events = Events::default();
    events.read(file).map_err(records(file))?;
    events.read_text(log);
    let evidence = Evidence {
        tree,
        suite: &Suite {
            broken: Vec::new(),
            ..suite.clone()
        },
        selection: &Selection::All,
        groups: &[],
        events: &events,
        ended: Ended::Exit(0),
        output: log,
    };
    let errors = evidence.conclude().collection_errors.into_iter();
    let errors = errors
        .map(|error| (error.path, error.detail.message))
        .collect();
    let is_built = |path: &str| events.packages.get(path).is_some_and(results::is_built);
    let built = suite
        .packages
        .iter()
        .filter(|package| is_built(&package.import_path));
    let tests = built.map(|package| package.tests.len()).sum();
    Ok((tests, errors))
}
