//! Projects in folders of their own, prepared and run. What is the language's own stands in its `support`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use analyzer::trace::{ContextKind, Trace};
use fixtures::Fixture;
use harness::cache::{Cache, ProjectCache};
use harness::checker::{CheckRequest, Checker, Diagnostic};
use harness::config::Config;
use harness::environment::{Environment, EnvironmentError, Job, Toolchain};
use harness::process::{Launcher, Limits};
use harness::project::Project;
use harness::runner::{RunRequest, Selection, TestRun, TestRunner};
use harness::sandbox::{Sandbox, TreeEdits};
use tempfile::TempDir;

use crate::support::{TOOLS, uncollected};

/// The tools of a language.
pub struct Tools {
    /// What must be installed, as a person calls it.
    pub name: &'static str,
    pub toolchain: &'static dyn Toolchain,
    pub runner: &'static dyn TestRunner,
    pub checker: &'static dyn Checker,
    /// Where all tests have their caches, if they share what is costly to build.
    pub cache: Option<&'static str>,
}

pub fn launcher() -> Launcher {
    Launcher::default().supervised_by(env!("CARGO_BIN_EXE_lacuna-supervisor"))
}

/// A project with a cache beside it.
pub struct Place {
    folder: Rc<TempDir>,
}

impl Place {
    /// The files of a fixture text.
    pub fn new(text: &str) -> Self {
        let place = Self {
            folder: Rc::new(tempfile::tempdir().unwrap()),
        };
        for file in Fixture::parse(text).files {
            place.write(&file.path, &file.text);
        }
        place
    }

    /// A copy of a folder.
    pub fn of_folder(folder: &Path) -> Self {
        let place = Self::new("");
        copy(folder, &place.root());
        place
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("toy")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn try_prepare(&self) -> Result<Prepared, EnvironmentError> {
        let project = Project::open(&self.root()).unwrap();
        let config = Config::load(project.root()).unwrap();
        let own = self.folder.path().join("cache");
        let shared = TOOLS.cache.map(PathBuf::from);
        let cache = Cache::at(&shared.unwrap_or(own)).unwrap();
        let cache = cache.project(&project).unwrap();
        let mut sandbox = Sandbox::open(&cache, &project).unwrap();
        let environment = TOOLS.toolchain.prepare(&mut Job {
            project: &project,
            config: &config,
            cache: &cache,
            sandbox: &mut sandbox,
            launcher: &launcher(),
            progress: &|_| (),
        })?;
        Ok(Prepared {
            environment,
            sandbox,
            cache,
            config,
            _folder: Rc::clone(&self.folder),
        })
    }

    /// `None` where the language is not installed.
    pub fn prepare(&self) -> Option<Prepared> {
        match self.try_prepare() {
            Ok(prepared) => Some(prepared),
            Err(EnvironmentError::NoRuntime { found, .. }) if found == "none" => {
                fixtures::unavailable(TOOLS.name)
            }
            Err(error) => unreachable!("{error}"),
        }
    }
}

/// What a registry hands out is read-only; the copy is not.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::write(&target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

/// A project that can be run.
pub struct Prepared {
    pub environment: Environment,
    pub sandbox: Sandbox,
    pub cache: ProjectCache,
    pub config: Config,
    _folder: Rc<TempDir>,
}

impl Prepared {
    pub fn limits() -> Limits {
        Limits {
            wall: Duration::from_secs(600),
            memory: 8 << 30,
            output: 64 << 20,
        }
    }

    pub fn run(&self, selection: &Selection, traced: bool) -> TestRun {
        self.run_within(selection, traced, Self::limits())
    }

    pub fn run_within(&self, selection: &Selection, traced: bool, limits: Limits) -> TestRun {
        self.run_patiently(selection, traced, limits, None)
    }

    /// The same with a limit for each test.
    pub fn run_patiently(
        &self,
        selection: &Selection,
        traced: bool,
        limits: Limits,
        patience: Option<Duration>,
    ) -> TestRun {
        let request = RunRequest {
            tree: self.sandbox.tree(),
            scratch: &self.sandbox.scratch().unwrap(),
            environment: &self.environment,
            arguments: &self.config.tests.arguments,
            selection,
            traced,
            limits,
            patience,
        };
        TOOLS.runner.run(&request, &launcher()).unwrap()
    }

    pub fn check(&self) -> Vec<Diagnostic> {
        let request = CheckRequest {
            tree: self.sandbox.tree(),
            scratch: &self.sandbox.scratch().unwrap(),
            environment: &self.environment,
            arguments: &[],
            limits: Self::limits(),
        };
        TOOLS.checker.check(&request, &launcher()).unwrap()
    }

    /// Puts the tree into the state with one file changed; an empty path is the project's own state.
    pub fn edit(&mut self, path: &str, text: &str) {
        let mut edits = TreeEdits::default();
        if !path.is_empty() {
            let bytes = text.as_bytes().to_vec();
            edits.files = BTreeMap::from([(path.to_owned(), Some(bytes))]);
        }
        self.sandbox.materialise(&edits).unwrap();
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.cache.folder());
    }
}

pub fn ids(ids: &[&str]) -> Selection {
    Selection::Ids(ids.iter().map(|id| (*id).to_owned()).collect())
}

/// One line for each test: outcome, id, place; and what it says.
pub fn results(trace: &Trace) -> String {
    let mut text = String::new();
    for test in &trace.tests {
        let outcome = format!("{:?}", test.outcome);
        text += &format!("{outcome} {} ({}, {})\n", test.id, test.path, test.function);
        if let Some(detail) = &test.detail {
            text += &said(&detail.exception, &detail.message);
            text += &frames(&detail.frames);
        }
    }
    for error in &trace.collection_errors {
        text += &uncollected(error);
        text += &frames(&error.detail.frames);
    }
    text
}

pub fn said(exception: &str, message: &str) -> String {
    let kind = if exception.is_empty() { "" } else { ": " };
    let message = message.replace('\n', "\n    ");
    format!("    {exception}{kind}{message}\n")
}

fn frames(frames: &[(String, u32, String)]) -> String {
    frames
        .iter()
        .map(|(path, line, name)| format!("    at {path}:{line} {name}\n"))
        .collect()
}

/// What each context ran, sorted.
pub fn contexts(trace: &Trace) -> String {
    let mut text = String::new();
    for context in &trace.contexts {
        let name = match &context.kind {
            ContextKind::Test { test, .. } => test.clone(),
            other => format!("{other:?}"),
        };
        text += &format!("{name}: {}\n", codes(trace, &context.edges).join(", "));
    }
    for loss in &trace.losses {
        text += &format!("lost: {loss}\n");
    }
    text
}

pub fn codes(trace: &Trace, edges: &[u32]) -> Vec<String> {
    let code = |edge: &u32| {
        let edge = trace.edges[*edge as usize];
        let code = &trace.codes[edge.callee as usize];
        format!("{}:{} {}", code.path, code.line, code.name)
    };
    let mut codes: Vec<String> = edges.iter().map(code).collect();
    codes.sort();
    codes
}
