//! A session: one project, locked, with its environment and its sandbox, ready to run tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use analyzer::trace::Trace;
use extractors::patch::{File, Mode};

use crate::cache::{Cache, CacheError, Last, Lock, ProjectCache, TraceKey, is_disk_full};
use crate::carve::Event;
use crate::checker::{CheckRequest, Diagnostic};
use crate::config::{Config, ConfigError};
use crate::doctor::{self, Report, Status};
use crate::environment::{self, Environment, EnvironmentError, Job, OriginError};
use crate::lang::{self, Language};
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
    Cache(CacheError),
    /// The work tree.
    #[error(transparent)]
    Sandbox(SandboxError),
    /// The environment.
    #[error(transparent)]
    Environment(EnvironmentError),
    /// Something was changed while this run waited or worked.
    #[error("the project was changed while lacuna was at work on it; run the command again")]
    Changed,
    /// The tests could not be run.
    #[error(transparent)]
    Run(RunError),
    /// The code under test did not come from the work tree.
    #[error(transparent)]
    Origin(#[from] OriginError),
}

/// What hides in an error of a part counts as what it is: a path that is no project, say.
impl From<SandboxError> for SessionError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Project(error) => error.into(),
            SandboxError::Cache(error) => error.into(),
            error @ SandboxError::PathEscapes(_) => Self::Sandbox(error),
        }
    }
}

impl From<EnvironmentError> for SessionError {
    fn from(error: EnvironmentError) -> Self {
        match error {
            EnvironmentError::Interrupted => Self::Interrupted,
            EnvironmentError::Project(error) => error.into(),
            EnvironmentError::Sandbox(error) => error.into(),
            EnvironmentError::Cache(error) => error.into(),
            error => Self::Environment(error),
        }
    }
}

impl From<CacheError> for SessionError {
    fn from(error: CacheError) -> Self {
        match error {
            CacheError::Interrupted => Self::Interrupted,
            error => Self::Cache(error),
        }
    }
}

impl From<RunError> for SessionError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Cache(error) => error.into(),
            RunError::Records { path, source } if is_disk_full(&source) => {
                Self::Cache(CacheError::DiskFull(path))
            }
            error => Self::Run(error),
        }
    }
}

/// Says what is found in a project and whether its environment can be made.
///
/// # Errors
/// There is no folder, or it cannot be read; or the person interrupts.
pub fn diagnose(
    path: &Path,
    launcher: &Launcher,
    report: &dyn Fn(Event<'_>),
) -> Result<Report, SessionError> {
    let mut diagnosis = doctor::examine(path, launcher)?;
    if diagnosis.status() < Status::Problem {
        let mut of_languages = Vec::new();
        for language in languages(path, &[])? {
            of_languages.push(
                match Session::open(path, language, launcher.clone(), report) {
                    Ok(session) => doctor::environment(&session.environment),
                    Err(SessionError::Interrupted) => return Err(SessionError::Interrupted),
                    Err(error) => vec![doctor::no_environment(&error)],
                },
            );
        }
        diagnosis.checks.extend(doctor::of_several(of_languages));
    }
    Ok(diagnosis)
}

/// Forgets everything that is kept about a project: its environment, its sandbox, its traces.
///
/// # Errors
/// The folder is no project, or the cache cannot be changed; or the person interrupts.
pub fn forget(
    path: &Path,
    launcher: &Launcher,
    report: &dyn Fn(Event<'_>),
) -> Result<(), SessionError> {
    let cache = Cache::locate()?.project(&Project::open(path)?)?;
    let lock = lock(&cache, launcher, report)?;
    Ok(cache.clear(&lock)?)
}

fn lock(
    cache: &ProjectCache,
    launcher: &Launcher,
    report: &dyn Fn(Event<'_>),
) -> Result<Lock, CacheError> {
    cache.lock(launcher.interrupt(), &|holder| {
        report(Event::Waiting { holder });
    })
}

/// A source file with its bytes, as a change of the analysis takes it.
pub type Source = (String, Option<Arc<[u8]>>);

/// The languages of a project that all the given targets and parts of the suite may be written in.
///
/// # Errors
/// The folder is no project, or none in a language of ours.
pub fn languages(path: &Path, parts: &[String]) -> Result<Vec<&'static Language>, SessionError> {
    let project = Project::open(path)?;
    let files = project.files()?;
    let all = environment::languages(&project, &files)?;
    let meant = parts.iter().fold(all.clone(), |languages, part| {
        lang::meant(&languages, &files, part)
    });
    Ok(if meant.is_empty() { all } else { meant })
}

/// How long a test may take, besides ten times what the slowest good one of the traced run took.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same once a test has taken longer.
const LESS_PATIENCE: Duration = Duration::from_secs(10);
/// In how many tests a run may die before the rest of it counts as dead, too.
const MOST_DEATHS: usize = 20;

/// A project ready to run tests in one of its languages.
pub struct Session {
    project: Project,
    listing: Listing,
    config: Config,
    cache: ProjectCache,
    environment: Environment,
    language: &'static Language,
    launcher: Launcher,
    tree_hash: String,
    /// How long the slowest test of the full tree takes.
    slowest: Option<Duration>,
    /// Only what runs needs it: who reads what is stored does not wait for others.
    workshop: Option<Workshop>,
    counts: Counts,
}

/// How often something was done with a tree of the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs of tests, of however many.
    pub runs: usize,
    /// Checks by the language's own tools.
    pub checks: usize,
}

/// The place where things run. While it lives nobody else works on the project.
struct Workshop {
    sandbox: Sandbox,
    _lock: Lock,
}

impl Workshop {
    /// Makes the full tree with some files changed; gives a folder for what a run writes.
    fn make(&mut self, edits: &BTreeMap<String, Option<Vec<u8>>>) -> Result<PathBuf, SessionError> {
        self.sandbox.materialise(&TreeEdits {
            files: edits.clone(),
        })?;
        Ok(self.sandbox.scratch()?)
    }
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
        language: &'static Language,
        launcher: Launcher,
        report: &dyn Fn(Event<'_>),
    ) -> Result<Self, SessionError> {
        let project = Project::open(path)?;
        let config = Config::load(project.root())?.for_language(language.name);
        let cache = Cache::locate()?.project(&project)?;
        let listing = project.files()?;
        let tree_hash = project.tree_hash()?;
        let stored = language.toolchain.stored(&project, &config, &cache)?;
        let (environment, workshop) = match stored {
            Some(environment) => (environment, None),
            None => {
                let opened = open_workshop(&project, language, &config, &cache, &launcher, report)?;
                (opened.0, Some(opened.1))
            }
        };
        Ok(Self {
            project,
            listing,
            config,
            cache,
            environment,
            language,
            launcher,
            tree_hash,
            slowest: None,
            workshop,
            counts: Counts::default(),
        })
    }

    /// Takes the project for this process, waiting for another one to end if need be. What runs tests
    /// does it by itself; only a report of the waiting needs this.
    ///
    /// # Errors
    /// The work tree cannot be made, or what was read before is no longer true.
    pub fn take(&mut self, report: &dyn Fn(Event<'_>)) -> Result<(), SessionError> {
        if self.workshop.is_none() {
            let Self {
                project,
                config,
                cache,
                launcher,
                language,
                ..
            } = &*self;
            let (environment, workshop) =
                open_workshop(project, language, config, cache, launcher, report)?;
            let same = environment.fingerprint == self.environment.fingerprint
                && project.tree_hash()? == self.tree_hash;
            if !same {
                return Err(SessionError::Changed);
            }
            self.workshop = Some(workshop);
        }
        Ok(())
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
        let mut run = self.run_once(edits, selection, traced, self.patience(PATIENCE))?;
        if edits.is_empty() && run.complete {
            self.learn_pace(&run.trace);
        }
        // In the full tree it would hide that the baseline is bad.
        let may_continue = |run: &TestRun| {
            let stopped = traced || edits.is_empty() || run.ended == Ended::TimedOut;
            !stopped && !run.not_begun.is_empty() && run.died_in.len() < MOST_DEATHS
        };
        while may_continue(&run) {
            let rest = Selection::Ids(run.not_begun.clone());
            run.absorb(self.run_once(edits, &rest, false, self.patience(LESS_PATIENCE))?);
        }
        Ok(run)
    }

    fn run_once(
        &mut self,
        edits: &BTreeMap<String, Option<Vec<u8>>>,
        selection: &Selection,
        traced: bool,
        patience: Option<Duration>,
    ) -> Result<TestRun, SessionError> {
        self.take(&|_| {})?;
        let workshop = self.workshop.as_mut().ok_or(SessionError::Changed)?;
        let scratch = workshop.make(edits)?;
        let request = RunRequest {
            tree: workshop.sandbox.tree(),
            scratch: &scratch,
            environment: &self.environment,
            arguments: &self.config.tests.arguments,
            selection,
            traced,
            limits: self.config.limits.for_tests(),
            patience: patience.filter(|_| !traced),
        };
        self.counts.runs += 1;
        let run = self.language.runner.run(&request, &self.launcher)?;
        if run.ended == Ended::Interrupted {
            return Err(SessionError::Interrupted);
        }
        Environment::verify_origin(&run.imported_from, workshop.sandbox.tree())?;
        Ok(run)
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn learn_pace(&mut self, full: &Trace) {
        let good = full.tests.iter().filter(|test| test.outcome.is_good());
        let seconds = good.map(|test| test.seconds);
        let slowest = seconds.fold(0.0, f64::max);
        self.slowest = Duration::try_from_secs_f64(slowest).ok();
    }

    /// How long a test may take, if it is known how long the good ones of the full tree do.
    fn patience(&self, least: Duration) -> Option<Duration> {
        Some(least + 10 * self.slowest?)
    }

    /// Whether a tree that parses may still not build, so that [`Session::check`] has something to say.
    pub fn has_checker(&self) -> bool {
        self.language.checker.is_some()
    }

    /// What the language's own tools say about the full tree: asked once for a tree and an environment.
    ///
    /// # Errors
    /// The tree cannot be made, or the tools cannot be started.
    pub fn check_full(&mut self, fresh: bool) -> Result<Vec<Diagnostic>, SessionError> {
        let key = TraceKey {
            tree: self.tree_hash.clone(),
            environment: self.environment.fingerprint.clone(),
            selection: self.config.tests.arguments.clone(),
        };
        if let Some(found) = self.cache.load_check(&key).filter(|_| !fresh) {
            return Ok(found);
        }
        let found = self.check(&BTreeMap::new())?;
        self.cache.store_check(&key, &found)?;
        Ok(found)
    }

    /// What the language's own tools say about the full tree with some files changed; nothing where a
    /// tree that parses can always be run.
    ///
    /// # Errors
    /// The tree cannot be made, or the tools cannot be started.
    pub fn check(
        &mut self,
        edits: &BTreeMap<String, Option<Vec<u8>>>,
    ) -> Result<Vec<Diagnostic>, SessionError> {
        let Some(checker) = self.language.checker else {
            return Ok(Vec::new());
        };
        self.take(&|_| {})?;
        let workshop = self.workshop.as_mut().ok_or(SessionError::Changed)?;
        let scratch = workshop.make(edits)?;
        let request = CheckRequest {
            tree: workshop.sandbox.tree(),
            scratch: &scratch,
            environment: &self.environment,
            arguments: &self.config.tests.arguments,
            limits: self.config.limits.for_tests(),
        };
        self.counts.checks += 1;
        let diagnostics = checker.check(&request, &self.launcher);
        if self.launcher.interrupt().is_set() {
            return Err(SessionError::Interrupted);
        }
        Ok(diagnostics?)
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
            self.learn_pace(&trace);
            self.remember(&key, suite)?;
            let times = (Duration::ZERO, Duration::ZERO);
            return Ok(Baseline {
                trace: Arc::new(trace),
                selection,
                cached: true,
                times,
            });
        }
        self.take(report)?;
        report(Event::Tracing);
        let run = self.run(&BTreeMap::new(), &selection, true)?;
        let times = (run.wall, run.cpu);
        // What was cut short, by a limit, a signal or itself, may come to its end another time.
        if run.complete {
            self.cache.store_trace(&key, &run.trace)?;
            self.remember(&key, suite)?;
        } else {
            report(Event::CutShort {
                ended: run.ended,
                tests: run.not_begun.len(),
            });
        }
        Ok(Baseline {
            trace: Arc::new(run.trace),
            selection,
            cached: false,
            times,
        })
    }

    /// Keeps the sources beside the trace that was used last. That of a part of the suite does not displace
    /// another one: who looks at the project would know less.
    fn remember(&self, key: &TraceKey, suite: &[String]) -> Result<(), SessionError> {
        let language = self.language.name;
        let is_less = !suite.is_empty() && self.cache.has_last(language);
        if is_less || self.cache.is_last(language, key) {
            return Ok(());
        }
        let sources = self.sources()?.into_iter();
        let sources = sources.filter_map(|(path, bytes)| Some((path, bytes?.to_vec())));
        let sources: Vec<_> = sources.collect();
        Ok(self.cache.store_last(language, key, &sources)?)
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

/// What is remembered of the last traced run of a language in a project, if there was one.
///
/// # Errors
/// The project or the cache cannot be read.
pub fn last(path: &Path, language: &Language) -> Result<Option<Last>, SessionError> {
    let cache = Cache::locate()?.project(&Project::open(path)?)?;
    Ok(cache.load_last(language.name))
}

/// When another trace became the last one, of each language that there is; `None` for one without.
pub fn last_changed(path: &Path) -> Vec<Option<SystemTime>> {
    let project = Project::open(path).ok();
    let cache = project.and_then(|project| Cache::locate().ok()?.project(&project).ok());
    let time = |language: &Language| {
        let path = cache.as_ref()?.last_path(language.name);
        path.metadata().and_then(|it| it.modified()).ok()
    };
    lang::all().iter().map(time).collect()
}

/// Takes the project for this process and makes its environment if need be.
fn open_workshop(
    project: &Project,
    language: &'static Language,
    config: &Config,
    cache: &ProjectCache,
    launcher: &Launcher,
    report: &dyn Fn(Event<'_>),
) -> Result<(Environment, Workshop), SessionError> {
    let lock = lock(cache, launcher, report)?;
    let mut sandbox = Sandbox::open(cache, project)?;
    let mut job = Job {
        project,
        config,
        cache,
        sandbox: &mut sandbox,
        launcher,
        progress: &|step| report(Event::Preparing { step }),
    };
    let environment = language.toolchain.prepare(&mut job);
    let environment = environment.map_err(|error| match launcher.interrupt().is_set() {
        true => SessionError::Interrupted,
        false => error.into(),
    })?;
    Ok((
        environment,
        Workshop {
            sandbox,
            _lock: lock,
        },
    ))
}
