//! A session: one project, locked, with its environment and its sandbox, ready to run tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use analyzer::trace::Trace;
use extractors::patch::{File, Mode};

use crate::cache::{Cache, CacheError, Lock, ProjectCache, TraceKey};
use crate::carve::Event;
use crate::config::{Config, ConfigError};
use crate::doctor::{self, Check, Report, Status};
use crate::environment::{self, Environment, EnvironmentError, Job, OriginError};
use crate::lang::Language;
use crate::process::{Ended, Launcher};
use crate::project::{FileKind, Listing, Project, ProjectError};
use crate::runner::{RunError, RunRequest, Selection, TestRun};
use crate::sandbox::{Sandbox, SandboxError, TreeEdits};

/// Why a project cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Ctrl-C.
    #[error("stopped")]
    Interrupted,
    /// The folder is no project, or cannot be read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The cache.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The work tree.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The environment.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The tests could not be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The code under test did not come from the work tree.
    #[error(transparent)]
    Origin(#[from] OriginError),
}

/// Says what is found in a project and whether its environment can be made.
pub fn diagnose(path: &Path, launcher: &Launcher, report: &dyn Fn(Event<'_>)) -> Report {
    let mut diagnosis = doctor::examine(path, launcher);
    if diagnosis.status() < Status::Problem {
        diagnosis
            .checks
            .extend(match Session::open(path, launcher.clone(), report) {
                Ok(session) => doctor::environment(&Ok(session.environment)),
                Err(SessionError::Environment(error)) => doctor::environment(&Err(error)),
                Err(error) => vec![Check::problem(
                    "environment",
                    error.to_string(),
                    "See above.",
                )],
            });
    }
    diagnosis
}

/// Forgets everything that is kept about a project: its environment, its sandbox, its traces.
///
/// # Errors
/// The folder is no project, somebody works on it, or the cache cannot be changed.
pub fn forget(path: &Path) -> Result<(), SessionError> {
    let cache = Cache::locate()?.project(&Project::open(path)?)?;
    let _lock = cache.lock()?;
    std::fs::remove_dir_all(cache.folder())
        .map_err(|error| CacheError::at(cache.folder(), error).into())
}

/// A source file with its bytes, as a change of the analysis takes it.
pub type Source = (String, Option<Arc<[u8]>>);

/// A project ready to run tests. While it lives nobody else works on the project.
pub struct Session {
    project: Project,
    listing: Listing,
    config: Config,
    cache: ProjectCache,
    sandbox: Sandbox,
    environment: Environment,
    language: &'static Language,
    launcher: Launcher,
    tree_hash: String,
    _lock: Lock,
}

/// The results of a suite in the full tree.
pub struct Baseline {
    /// The record.
    pub trace: Arc<Trace>,
    /// What was run.
    pub selection: Selection,
    /// Whether it was found in the cache.
    pub cached: bool,
    /// Wall and CPU time of the run; zero if it was found in the cache.
    pub times: (Duration, Duration),
}

impl Session {
    /// Opens a project and makes its environment if need be.
    ///
    /// # Errors
    /// See [`SessionError`].
    pub fn open(
        path: &Path,
        launcher: Launcher,
        report: &dyn Fn(Event<'_>),
    ) -> Result<Self, SessionError> {
        let project = Project::open(path)?;
        let config = Config::load(project.root())?;
        let cache = Cache::locate()?.project(&project)?;
        let lock = cache.lock()?;
        let mut sandbox = Sandbox::open(&cache, &project)?;
        let prepared = environment::prepare(&mut Job {
            project: &project,
            config: &config,
            cache: &cache,
            sandbox: &mut sandbox,
            launcher: &launcher,
            progress: &|step| report(Event::Preparing { step }),
        });
        let environment = prepared.map_err(|error| {
            if launcher.interrupt().is_set() {
                SessionError::Interrupted
            } else {
                error.into()
            }
        })?;
        let listing = project.files()?;
        let language = environment::language(&project, &listing)?;
        let tree_hash = project.tree_hash()?;
        Ok(Self {
            project,
            listing,
            config,
            cache,
            sandbox,
            environment,
            language,
            launcher,
            tree_hash,
            _lock: lock,
        })
    }

    /// The project.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Its configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Its environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The hash of its files.
    pub fn tree_hash(&self) -> &str {
        &self.tree_hash
    }

    /// Whether the project has a file or folder of this name, relative to its root.
    pub fn has(&self, path: &str) -> bool {
        self.project.root().join(path).exists()
    }

    /// The project's source files with their bytes, for the analysis.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn sources(&self) -> Result<Vec<Source>, SessionError> {
        let is_source = |path: &&String| analyzer::is_input(path);
        let plain = self
            .listing
            .files
            .iter()
            .filter(|(_, kind)| matches!(kind, FileKind::File { .. }))
            .map(|(path, _)| path);
        plain
            .filter(is_source)
            .map(|path| Ok((path.clone(), Some(Arc::from(self.project.read(path)?)))))
            .collect()
    }

    /// One file of the project.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn file(&self, path: &str) -> Result<File, SessionError> {
        let is_executable = matches!(self.listing.files.get(path), Some(FileKind::File { mode }) if mode & 0o111 != 0);
        let mode = if is_executable {
            Mode::Executable
        } else {
            Mode::Regular
        };
        Ok(File {
            bytes: self.project.read(path)?,
            mode,
        })
    }

    /// How a person would run the tests, one word an entry, without the paths of this machine.
    pub fn test_command(&self) -> Vec<String> {
        let fixed = self
            .language
            .test_command
            .iter()
            .map(|word| (*word).to_owned());
        fixed
            .chain(self.config.tests.arguments.iter().cloned())
            .collect()
    }

    /// Runs tests in the full tree with some files changed (`None`: deleted).
    ///
    /// # Errors
    /// The tree cannot be made, or the runner cannot be started.
    pub fn run(
        &mut self,
        edits: &BTreeMap<String, Option<Vec<u8>>>,
        selection: &Selection,
        traced: bool,
    ) -> Result<TestRun, SessionError> {
        self.sandbox.materialise(&TreeEdits {
            files: edits.clone(),
        })?;
        let scratch = self.sandbox.scratch()?;
        let request = RunRequest {
            tree: self.sandbox.tree(),
            scratch: &scratch,
            environment: &self.environment,
            arguments: &self.config.tests.arguments,
            selection,
            traced,
            limits: self.config.limits.for_tests(),
        };
        let run = self.language.runner.run(&request, &self.launcher)?;
        if run.ended == Ended::Interrupted {
            return Err(SessionError::Interrupted);
        }
        Environment::verify_origin(&run.imported_from, self.sandbox.tree())?;
        Ok(run)
    }

    /// The baseline of a suite: traced once for a tree, an environment and a suite.
    ///
    /// # Errors
    /// The tests cannot be run.
    pub fn baseline(
        &mut self,
        suite: &[String],
        fresh: bool,
        report: &dyn Fn(Event<'_>),
    ) -> Result<Baseline, SessionError> {
        let selection = self.selection(suite);
        let key = TraceKey {
            tree: self.tree_hash.clone(),
            environment: self.environment.fingerprint.clone(),
            selection: suite
                .iter()
                .chain(&self.config.tests.paths)
                .chain(&self.config.tests.arguments)
                .cloned()
                .collect(),
        };
        if let Some(trace) = self.cache.load_trace(&key).filter(|_| !fresh) {
            let times = (Duration::ZERO, Duration::ZERO);
            return Ok(Baseline {
                trace: Arc::new(trace),
                selection,
                cached: true,
                times,
            });
        }
        report(Event::Tracing);
        let run = self.run(&BTreeMap::new(), &selection, true)?;
        let times = (run.wall, run.cpu);
        // What a limit or a signal cut short may go on to its end another time.
        if matches!(run.ended, Ended::Exit(_)) {
            self.cache.store_trace(&key, &run.trace)?;
        }
        Ok(Baseline {
            trace: Arc::new(run.trace),
            selection,
            cached: false,
            times,
        })
    }

    /// What to run for a suite: the given paths, else the configured ones, else all.
    fn selection(&self, suite: &[String]) -> Selection {
        let paths = if suite.is_empty() {
            &self.config.tests.paths
        } else {
            suite
        };
        if paths.is_empty() {
            Selection::All
        } else {
            Selection::Paths(paths.to_vec())
        }
    }
}
