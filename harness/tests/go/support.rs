//! Projects in folders of their own, prepared and run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use analyzer::trace::{ContextKind, Trace};
use analyzer::{AnalysisHost, Change};
use fixtures::Fixture;
use harness::cache::{Cache, ProjectCache};
use harness::checker::{CheckRequest, Checker, Diagnostic};
use harness::config::Config;
use harness::environment::{Environment, EnvironmentError, Job, Toolchain};
use harness::lang::go::{checker::GoCheck, environment::Go, runner::GoTest};
use harness::process::{Launcher, Limits};
use harness::project::Project;
use harness::runner::{RunRequest, Selection, TestRun, TestRunner};
use harness::sandbox::{Sandbox, TreeEdits};
use tempfile::TempDir;

pub fn launcher() -> Launcher {
    Launcher::default().supervised_by(env!("CARGO_BIN_EXE_lacuna-supervisor"))
}

/// A project with a cache beside it.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// The files of a fixture text.
    pub fn new(text: &str) -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for file in Fixture::parse(text).files {
            place.write(&file.path, &file.text);
        }
        place
    }

    /// An exact version of somebody else's module.
    pub fn of_module(version: &str) -> Option<Self> {
        let asked = std::process::Command::new("go")
            .args(["mod", "download", "-json", version])
            .env("GOFLAGS", "-modcacherw")
            .current_dir("/")
            .output();
        let answer = asked.ok().filter(|answer| answer.status.success());
        let Some(answer) = answer else {
            return fixtures::unavailable(&format!("Go and {version} from the module proxy"));
        };
        let answer: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        copy(Path::new(answer["Dir"].as_str().unwrap()), &place.root());
        Some(place)
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
        // With the standard library built once for all.
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go");
        let cache = Cache::at(&shared).unwrap().project(&project).unwrap();
        let mut sandbox = Sandbox::open(&cache, &project).unwrap();
        let environment = Go.prepare(&mut Job {
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
        })
    }

    /// `None` where there is no Go.
    pub fn prepare(&self) -> Option<Prepared> {
        match self.try_prepare() {
            Ok(prepared) => Some(prepared),
            Err(EnvironmentError::NoRuntime { found, .. }) if found == "none" => {
                fixtures::unavailable("Go")
            }
            Err(error) => unreachable!("{error}"),
        }
    }
}

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
}

impl Prepared {
    pub fn limits() -> Limits {
        Limits {
            wall: Duration::from_secs(300),
            memory: 8 << 30,
            output: 64 << 20,
        }
    }

    pub fn run(&self, selection: &Selection, traced: bool) -> TestRun {
        self.run_within(selection, traced, Self::limits())
    }

    pub fn run_within(&self, selection: &Selection, traced: bool, limits: Limits) -> TestRun {
        let request = RunRequest {
            tree: self.sandbox.tree(),
            scratch: &self.sandbox.scratch().unwrap(),
            environment: &self.environment,
            arguments: &self.config.tests.arguments,
            selection,
            traced,
            limits,
            patience: None,
        };
        GoTest.run(&request, &launcher()).unwrap()
    }

    pub fn check(&self) -> Vec<Diagnostic> {
        let request = CheckRequest {
            tree: self.sandbox.tree(),
            scratch: &self.sandbox.scratch().unwrap(),
            environment: &self.environment,
            arguments: &[],
            limits: Self::limits(),
        };
        GoCheck.check(&request, &launcher()).unwrap()
    }

    /// Code of a trace that is no symbol of the analysis.
    pub fn unmatched(&self, trace: &Trace) -> Vec<String> {
        let paths = self.sandbox.paths().filter(|path| analyzer::is_input(path));
        let files = paths.map(|path| {
            (
                path.to_owned(),
                Some(self.sandbox.read(path).unwrap().into()),
            )
        });
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: files.collect(),
            trace: Some(Some(Arc::new(trace.clone()))),
        });
        let matches = host.analysis().trace_symbols();
        let codes = matches
            .unmatched
            .iter()
            .map(|index| &trace.codes[*index as usize]);
        codes
            .map(|code| format!("{}:{} {}", code.path, code.line, code.name))
            .collect()
    }

    pub fn edit(&mut self, path: &str, text: &str) {
        let files = BTreeMap::from([(path.to_owned(), Some(text.as_bytes().to_vec()))]);
        self.sandbox.materialise(&TreeEdits { files }).unwrap();
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
            let kind = if detail.exception.is_empty() {
                ""
            } else {
                ": "
            };
            let message = detail.message.replace('\n', "\n    ");
            text += &format!("    {}{kind}{message}\n", detail.exception);
            text += &frames(&detail.frames);
        }
    }
    for error in &trace.collection_errors {
        let message = error.detail.message.replace('\n', "\n    ");
        text += &format!(
            "Uncollected {}: {}\n    {message}\n",
            error.path, error.detail.exception
        );
        text += &frames(&error.detail.frames);
    }
    text
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
