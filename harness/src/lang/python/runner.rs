//! Runs Python tests with pytest, through a plugin of ours and, if asked to, the tracer.

mod results;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use analyzer::trace::{ContextKind, TestResult, Trace};
use serde_json::json;

use super::tracer::{self, Recorder};
use crate::process::{Command, Finished, Launcher};
use crate::runner::{self, RunError, RunRequest, Selection, TestRun, TestRunner};
use results::Results;

/// How many of the last lines of output are kept.
const OUTPUT_LINES: usize = 200;

/// pytest, which also runs unittest's tests and doctests.
#[derive(Clone, Copy, Debug)]
pub struct Pytest {
    /// How to trace; only tests choose the pure one.
    pub recorder: Recorder,
}

impl Pytest {
    /// As fast as this platform allows.
    pub const NATIVE: Self = Self {
        recorder: Recorder::Native,
    };
}

impl TestRunner for Pytest {
    fn run(&self, request: &RunRequest<'_>, launcher: &Launcher) -> Result<TestRun, RunError> {
        let folder = Folder::prepare(request, self.recorder)?;
        let finished = runner::launch(request, &folder.command(request), launcher)?;
        let output = last_lines(&finished);
        let results = Results::read(&folder.results()).map_err(records(&folder.results()))?;
        let mut trace = if request.traced {
            tracer::collect(&folder.site(), &folder.traces()).map_err(records(&folder.traces()))?
        } else {
            Trace::default()
        };
        let complete = results.came_to_its_end();
        let (died_in, not_begun) = (results.died_in(), results.not_begun());
        let imported_from = project_modules(request.tree, &results);
        let outcome = results.conclude(request.selection, finished.ended, &output);
        trace.tests = number_contexts(outcome.tests, &trace);
        trace.collection_errors = outcome.collection_errors;
        Ok(TestRun {
            trace,
            imported_from,
            complete,
            died_in: died_in.into_iter().collect(),
            not_begun,
            ended: finished.ended,
            wall: finished.wall,
            cpu: finished.cpu,
            output,
        })
    }
}

/// The private folder of a run: what the test process loads, is asked for and leaves behind.
struct Folder(tempfile::TempDir);

impl Folder {
    fn prepare(request: &RunRequest<'_>, recorder: Recorder) -> Result<Self, RunError> {
        let folder = tempfile::Builder::new()
            .prefix("run-")
            .tempdir_in(request.scratch);
        let folder = Self(folder.map_err(records(request.scratch))?);
        folder.fill(request, recorder)?;
        Ok(folder)
    }

    fn fill(&self, request: &RunRequest<'_>, recorder: Recorder) -> Result<(), RunError> {
        let (site, traces) = (self.site(), self.traces());
        for folder in [&site, &traces] {
            fs::create_dir(folder).map_err(records(folder))?;
        }
        tracer::install_plugin(&site).map_err(records(&site))?;
        let tree = text(request.tree)?;
        if request.traced {
            tracer::install_tracer(&site, tree, text(&traces)?, recorder)
                .map_err(records(&site))?;
        }
        let mut plugin = json!({ "tree": tree, "results": text(&self.results())? });
        if let Some(patience) = request.patience {
            plugin["patience"] = json!(patience.as_secs_f64());
        }
        match request.selection {
            Selection::All => {}
            Selection::Paths(paths) => plugin["paths"] = json!(paths),
            Selection::Ids(ids) => plugin["ids"] = json!(ids),
        }
        fs::write(self.request(), plugin.to_string()).map_err(records(&self.request()))
    }

    fn command(&self, request: &RunRequest<'_>) -> Command {
        let cache = self.0.path().join("cache");
        request
            .environment
            .command(request.tree)
            .args([
                "-m",
                "pytest",
                "-p",
                "_lacuna_pytest",
                "--continue-on-collection-errors",
                // The plugin reads failures itself; drawing their source costs more than the tests.
                "--tb=no",
            ])
            .arg("-o")
            .arg(format!("cache_dir={}", cache.display()))
            .args(request.arguments)
            .env("LACUNA_RUN", self.request())
            .env("PYTHONPATH", self.python_path(request))
    }

    /// Our folder first, then what was there.
    fn python_path(&self, request: &RunRequest<'_>) -> OsString {
        let inherited = match request.environment.variables.get("PYTHONPATH") {
            Some(value) => value.clone().map(OsString::from),
            None => env::var_os("PYTHONPATH"),
        };
        let mut path = self.site().into_os_string();
        if let Some(rest) = inherited.filter(|rest| !rest.is_empty()) {
            path.push(":");
            path.push(rest);
        }
        path
    }

    fn site(&self) -> PathBuf {
        self.0.path().join("site")
    }

    fn traces(&self) -> PathBuf {
        self.0.path().join("traces")
    }

    fn request(&self) -> PathBuf {
        self.0.path().join("request.json")
    }

    fn results(&self) -> PathBuf {
        self.0.path().join("results.jsonl")
    }
}

fn records(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    let path = path.to_owned();
    move |source| RunError::Records { path, source }
}

fn text(path: &Path) -> Result<&str, RunError> {
    path.to_str().ok_or_else(|| RunError::Path {
        path: path.to_owned(),
    })
}

fn last_lines(finished: &Finished) -> String {
    let parts = [&finished.stdout, &finished.stderr].map(|part| part.last_lines(OUTPUT_LINES));
    parts.join("\n").trim().to_owned()
}

/// Folders of a tree that hold top-level modules, besides the tree itself.
const SOURCE_FOLDERS: [&str; 4] = ["", "src", "lib", "python"];

/// Of all imported top-level modules, those that the tree has under the same name.
fn project_modules(tree: &Path, results: &Results) -> Vec<(String, PathBuf)> {
    let defines = |name: &str| {
        let mut places = SOURCE_FOLDERS
            .iter()
            .map(|folder| tree.join(folder).join(name));
        places.any(|place| {
            place.join("__init__.py").is_file() || place.with_extension("py").is_file()
        })
    };
    let modules = results.imported.iter().filter(|(name, _)| defines(name));
    modules
        .map(|(name, path)| (name.clone(), path.clone()))
        .collect()
}

/// Adds to every test the contexts that count to it: its phases and the wider fixtures it used.
fn number_contexts(tests: Vec<results::Concluded>, trace: &Trace) -> Vec<TestResult> {
    let numbers: HashMap<&ContextKind, u32> = trace
        .contexts
        .iter()
        .map(|context| &context.kind)
        .zip(0..)
        .collect();
    let mut phases: HashMap<&str, Vec<u32>> = HashMap::new();
    for (kind, number) in &numbers {
        if let ContextKind::Test { test, .. } = kind {
            phases.entry(test).or_default().push(*number);
        }
    }
    let with_contexts = |concluded: results::Concluded| {
        let mut contexts = phases
            .get(concluded.result.id.as_str())
            .cloned()
            .unwrap_or_default();
        contexts.extend(
            concluded
                .fixtures
                .iter()
                .filter_map(|kind| numbers.get(kind)),
        );
        contexts.sort_unstable();
        TestResult {
            contexts,
            ..concluded.result
        }
    };
    tests.into_iter().map(with_contexts).collect()
}
