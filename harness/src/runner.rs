//! Running a project's tests: the request and the answer, the same for all languages.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use analyzer::trace::{TestResult, Trace};

use crate::cache::{CacheError, require_room};
use crate::environment::Environment;
use crate::lang;
use crate::process::{Command, Ended, Finished, LaunchError, Launcher, Limits};

/// Which tests to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All that the project's own configuration finds.
    All,
    /// Of these, the ones in the files and folders given by project-relative paths.
    Paths(Vec<String>),
    /// Of these, the ones with exactly these ids, in the runner's order.
    Ids(Vec<String>),
}

/// A run to make.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// The tree to test: the program runs there, and may write there.
    pub tree: &'a Path,
    /// A folder outside the tree for the run's own files, which are gone afterwards.
    pub scratch: &'a Path,
    /// What it runs with.
    pub environment: &'a Environment,
    /// More arguments for the test runner, such as folders outside of those it looks in by itself.
    pub arguments: &'a [String],
    /// Which tests.
    pub selection: &'a Selection,
    /// Whether to record what every test executes; else `TestRun::trace` has results only.
    pub traced: bool,
    /// What the run may use.
    pub limits: Limits,
    /// How long one test may take; the process of one that takes longer ends.
    pub patience: Option<Duration>,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct TestRun {
    /// The results, and in a traced run what was executed.
    ///
    /// A test that was to run and did not because the process ended is an error that says so.
    pub trace: Trace,
    /// Where the project's top-level modules came from, sorted by name: for
    /// [`Environment::verify_origin`].
    pub imported_from: Vec<(String, PathBuf)>,
    /// Whether the test runner came to its own end: else every test may do better another time.
    pub complete: bool,
    /// The tests that the process died in, and with it their run.
    pub died_in: Vec<String>,
    /// The tests that were to run after it.
    pub not_begun: Vec<String>,
    /// How the test runner's process ended.
    pub ended: Ended,
    /// Elapsed time.
    pub wall: Duration,
    /// Processor time of all processes.
    pub cpu: Duration,
    /// The last lines that it printed.
    pub output: String,
}

impl TestRun {
    /// Takes in a run of the tests that this one did not come to.
    pub fn absorb(&mut self, rest: Self) {
        let mut results: BTreeMap<String, TestResult> = rest
            .trace
            .tests
            .into_iter()
            .map(|test| (test.id.clone(), test))
            .collect();
        for test in &mut self.trace.tests {
            if self.not_begun.contains(&test.id)
                && let Some(result) = results.remove(&test.id)
            {
                *test = result;
            }
        }
        self.died_in.extend(rest.died_in);
        self.not_begun = rest.not_begun;
        self.ended = rest.ended;
        self.wall += rest.wall;
        self.cpu += rest.cpu;
        self.output = rest.output;
    }
}

/// Why there is no answer. A run that ends badly is an answer.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The test runner could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// There is no room on the disk.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A folder for the run's own files could not be made, written or read.
    #[error("cannot use the folder for the run's records ({}): {source}; check its permissions", path.display())]
    Records {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The environment's language is not one of ours.
    #[error("the environment is for {name:?}, which lacuna cannot run; prepare it again")]
    UnknownLanguage {
        /// The language's name.
        name: String,
    },
    /// A path that cannot be written down for the test runner.
    #[error("the path {} is not valid UTF-8, which the test runner needs; move the project", path.display())]
    Path {
        /// The path.
        path: PathBuf,
    },
}

/// A language's way to run tests.
pub trait TestRunner: Sync {
    /// Runs the selected tests to their end or to a limit.
    fn run(&self, request: &RunRequest<'_>, launcher: &Launcher) -> Result<TestRun, RunError>;
}

/// Runs a command for a request; its files are to be removed only afterwards.
pub(crate) fn launch(
    request: &RunRequest<'_>,
    command: &Command,
    launcher: &Launcher,
) -> Result<Finished, RunError> {
    let finished = launcher.run(command, &request.limits)?;
    require_room(request.scratch)?;
    Ok(finished)
}

/// Runs tests with the runner of the environment's language.
pub fn run(request: &RunRequest<'_>, launcher: &Launcher) -> Result<TestRun, RunError> {
    let name = &request.environment.language;
    let language =
        lang::named(name).ok_or_else(|| RunError::UnknownLanguage { name: name.clone() })?;
    language.runner.run(request, launcher)
}
