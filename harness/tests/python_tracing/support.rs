//! Finds Pythons, makes an environment with pytest for each, and runs projects in them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;
use std::{env, io};

use analyzer::trace::{Code, CodeKind, ContextKind, Edge, EdgeKind, Outcome, Phase, TestResult};
use fixtures::Fixture;
use harness::environment::{Collection, Environment};
use harness::lang::python::runner::Pytest;
use harness::lang::python::tracer::Recorder;
use harness::process::{Launcher, Limits};
use harness::runner::{RunRequest, Selection, TestRun, TestRunner};
use tempfile::TempDir;

/// The minor versions of Python 3 that are supported.
const SUPPORTED: std::ops::RangeInclusive<u32> = 8..=13;

/// A Python with pytest and perhaps more.
#[derive(Clone, Debug)]
pub struct Python {
    pub minor: u32,
    pub program: PathBuf,
}

/// The environments with the newest pytest, one for each supported version that is installed.
pub fn pythons() -> &'static [Python] {
    static FOUND: LazyLock<Vec<Python>> = LazyLock::new(|| {
        let found: Vec<Python> = SUPPORTED
            .filter_map(|minor| environment(minor, &["pytest"]))
            .collect();
        if found.is_empty() {
            fixtures::unavailable::<()>("a Python 3 with pip and the package index");
        }
        found
    });
    &FOUND
}

/// The newest of them.
pub fn newest() -> Option<&'static Python> {
    pythons().last()
}

/// Both recorders on all Pythons.
pub fn everywhere() -> impl Iterator<Item = (&'static Python, Recorder)> {
    let both = |python| [(python, Recorder::Native), (python, Recorder::Pure)];
    pythons().iter().flat_map(both)
}

/// An environment with these packages; made once and kept.
pub fn environment(minor: u32, packages: &[&str]) -> Option<Python> {
    let made = installed()
        .get(&minor)
        .map(|base| make_environment(minor, base, packages));
    match made {
        Some(Ok(program)) => Some(Python { minor, program }),
        Some(Err(error)) => {
            eprintln!("no environment with {packages:?}: {error}");
            fixtures::unavailable(&format!("{} in Python 3.{minor}", packages.join(", ")))
        }
        None => fixtures::unavailable(&format!("Python 3.{minor}")),
    }
}

fn make_environment(minor: u32, base: &Path, packages: &[&str]) -> io::Result<PathBuf> {
    let name = format!(
        "3.{minor}-{}",
        packages.join("-").replace(['=', '<', '>'], "_")
    );
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("environments");
    fs::create_dir_all(&root)?;
    // Tests run side by side: one makes the environment, the others wait. The marker is written last.
    let lock = File::create(root.join(format!("{name}.lock")))?;
    lock.lock()?;
    let folder = root.join(name);
    let (program, complete) = (folder.join("bin/python"), folder.join("complete"));
    if !complete.exists() {
        run_to_success(
            base,
            ["-m", "venv", "--clear"]
                .map(OsStr::new)
                .into_iter()
                .chain([folder.as_os_str()]),
        )?;
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ];
        run_to_success(&program, pip.iter().chain(packages).map(OsStr::new))?;
        fs::write(complete, "")?;
    }
    Ok(program)
}

fn run_to_success<'a>(
    program: &Path,
    arguments: impl Iterator<Item = &'a OsStr>,
) -> io::Result<()> {
    let output = Command::new(program).args(arguments).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}

/// The installed Pythons by minor version: of pyenv, then of the search path.
fn installed() -> &'static BTreeMap<u32, PathBuf> {
    static FOUND: LazyLock<BTreeMap<u32, PathBuf>> = LazyLock::new(|| {
        let mut found = BTreeMap::new();
        for program in candidates() {
            let asked = Command::new(&program)
                .args(["-c", "import sys; print(*sys.version_info[:2])"])
                .output();
            let version = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            let minor = version
                .unwrap_or_default()
                .trim()
                .strip_prefix("3 ")
                .and_then(|n| n.parse().ok());
            if let Some(minor) = minor {
                found.entry(minor).or_insert(program);
            }
        }
        found
    });
    &FOUND
}

fn candidates() -> Vec<PathBuf> {
    let pyenv = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let pyenv = pyenv.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv")));
    let versions = pyenv.and_then(|root| fs::read_dir(root.join("versions")).ok());
    let mut found: Vec<PathBuf> = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin/python"))
        .collect();
    found.sort();
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        let names = SUPPORTED
            .map(|minor| format!("python3.{minor}"))
            .chain(["python3".to_owned()]);
        found.extend(names.map(|name| folder.join(name)));
    }
    found.retain(|program| program.is_file());
    found
}

/// A project in a temporary folder and how to run its tests.
pub struct Project {
    folder: TempDir,
    /// The part of the folder that is the tree under test, if not all.
    pub subfolder: Option<String>,
    pub arguments: Vec<String>,
    pub variables: BTreeMap<String, Option<String>>,
    pub selection: Selection,
    pub limits: Limits,
    pub patience: Option<Duration>,
}

impl Project {
    /// The files of a fixture text.
    pub fn new(files: &str) -> Self {
        Self::at(Fixture::parse(files).to_temp())
    }

    pub fn at(folder: TempDir) -> Self {
        Self {
            folder,
            subfolder: None,
            arguments: Vec::new(),
            variables: BTreeMap::new(),
            selection: Selection::All,
            limits: Limits {
                wall: Duration::from_secs(120),
                memory: 2 << 30,
                output: 16 << 20,
            },
            patience: None,
        }
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn ids(mut self, ids: &[&str]) -> Self {
        self.selection = Selection::Ids(ids.iter().map(|id| (*id).to_owned()).collect());
        self
    }

    pub fn paths(mut self, paths: &[&str]) -> Self {
        self.selection = Selection::Paths(paths.iter().map(|path| (*path).to_owned()).collect());
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables
            .insert(name.to_owned(), Some(value.to_owned()));
        self
    }

    pub fn trace(&self, python: &Python, recorder: Recorder) -> Run {
        self.run_with(python, recorder, true)
    }

    /// An untraced run.
    pub fn run(&self, python: &Python) -> Run {
        self.run_with(python, Recorder::Native, false)
    }

    fn environment(&self, python: &Python) -> Environment {
        Environment {
            distribution: None,
            language: "python".to_owned(),
            runtime: python.program.clone(),
            version: format!("3.{}", python.minor),
            variables: self.variables.clone(),
            packages: BTreeMap::new(),
            steps: Vec::new(),
            collection: Collection::default(),
            fingerprint: String::new(),
        }
    }

    fn run_with(&self, python: &Python, recorder: Recorder, traced: bool) -> Run {
        let request = RunRequest {
            tree: &self
                .root()
                .join(self.subfolder.as_deref().unwrap_or_default()),
            scratch: &std::env::temp_dir(),
            environment: &self.environment(python),
            arguments: &self.arguments,
            selection: &self.selection,
            traced,
            limits: self.limits,
            patience: self.patience,
        };
        let runner = Pytest { recorder };
        Run(runner.run(&request, &Launcher::default()).unwrap())
    }
}

/// A run and questions about it.
pub struct Run(pub TestRun);

impl Run {
    pub fn test(&self, id: &str) -> &TestResult {
        let found = self.0.trace.tests.iter().find(|test| test.id == id);
        found.unwrap_or_else(|| panic!("no test {id} in\n{}\n{}", self.outcomes(), self.0.output))
    }

    /// `outcome id`, one per line, in the order of the run.
    pub fn outcomes(&self) -> String {
        let line = |test: &TestResult| format!("{} {}\n", outcome(test.outcome), test.id);
        self.0.trace.tests.iter().map(line).collect()
    }

    fn code(&self, index: u32) -> &Code {
        &self.0.trace.codes[index as usize]
    }

    fn context_edges(&self, context: u32) -> impl Iterator<Item = Edge> {
        let trace = &self.0.trace;
        trace.contexts[context as usize]
            .edges
            .iter()
            .map(|edge| trace.edges[*edge as usize])
    }

    /// All edges that count to a test: its phases and the wider fixtures it used.
    pub fn edges_of(&self, id: &str) -> Vec<Edge> {
        let contexts = self.test(id).contexts.iter();
        contexts
            .flat_map(|context| self.context_edges(*context))
            .collect()
    }

    /// The code that runs for a test, as `path:line`; classes as `path:name`.
    pub fn executed(&self, id: &str) -> BTreeSet<String> {
        self.edges_of(id)
            .iter()
            .map(|edge| place(self.code(edge.callee)))
            .collect()
    }

    /// The functions that run for a test, by bare name, apart from those of the test's own files.
    pub fn names(&self, id: &str) -> BTreeSet<String> {
        let edges = self.edges_of(id);
        let codes = edges.iter().map(|edge| self.code(edge.callee));
        let product =
            codes.filter(|code| !code.path.contains("test") && code.kind == CodeKind::Function);
        product.map(|code| bare(&code.name).to_owned()).collect()
    }

    /// The edges of one context, as `caller kind callee` with bare names.
    pub fn edges_in(&self, kind: &ContextKind) -> BTreeSet<String> {
        let contexts = self.0.trace.contexts.iter().zip(0..);
        let context = contexts.filter(|(context, _)| context.kind == *kind);
        let edges = context.flat_map(|(_, index)| self.context_edges(index));
        edges.map(|edge| self.describe(edge)).collect()
    }

    /// All that was recorded: an edge in its context with the places of its code, one a line.
    pub fn everything(&self) -> BTreeSet<String> {
        let trace = &self.0.trace;
        let mut lines = BTreeSet::new();
        for (context, index) in trace.contexts.iter().zip(0..) {
            for edge in self.context_edges(index) {
                let caller = edge.caller.map(|caller| place(self.code(caller)));
                let callee = place(self.code(edge.callee));
                lines.insert(format!(
                    "{:?}: {caller:?} {callee} {}",
                    context.kind,
                    self.describe(edge)
                ));
            }
        }
        lines
    }

    pub fn describe(&self, edge: Edge) -> String {
        let caller = edge
            .caller
            .map_or("-", |caller| bare(&self.code(caller).name));
        let kind = match edge.kind {
            EdgeKind::Call => "calls",
            EdgeKind::Through => "calls indirectly",
            EdgeKind::Create => "creates",
            EdgeKind::Resume => "resumes",
            EdgeKind::Instantiate => "instantiates",
            EdgeKind::Entered => "runs",
        };
        format!("{caller} {kind} {}", bare(&self.code(edge.callee).name))
    }

    pub fn assert_no_losses(&self) {
        assert!(self.0.trace.losses.is_empty(), "{:#?}", self.0.trace.losses);
    }
}

fn place(code: &Code) -> String {
    match code.kind {
        CodeKind::Class => format!("{}:{}", code.path, code.name),
        _ => format!("{}:{}", code.path, code.line),
    }
}

/// The last part of a qualified name: earlier Pythons know no more.
pub fn bare(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

pub fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Error => "error",
        Outcome::Skipped => "skipped",
        Outcome::XFailed => "xfailed",
        Outcome::XPassed => "xpassed",
    }
}

/// A set of names, for comparing.
pub fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Both recorders on the oldest and on the newest Python: what interpreters do differs most between
/// these. The toy suite runs on all.
pub fn extremes() -> impl Iterator<Item = (&'static Python, Recorder)> {
    let ends = [pythons().first(), pythons().last()];
    let minors: BTreeSet<u32> = ends
        .into_iter()
        .flatten()
        .map(|python| python.minor)
        .collect();
    everywhere().filter(move |(python, _)| minors.contains(&python.minor))
}

/// Traces a project on the extremes. All its tests must pass.
pub fn check(files: &str, look: impl Fn(&Run)) {
    check_project(&Project::new(files), look);
}

pub fn check_project(project: &Project, look: impl Fn(&Run)) {
    for (python, recorder) in extremes() {
        eprintln!("Python 3.{}, {recorder:?}", python.minor);
        let run = project.trace(python, recorder);
        let bad: Vec<_> = run
            .0
            .trace
            .tests
            .iter()
            .filter(|test| !test.outcome.is_good())
            .collect();
        assert!(
            bad.is_empty() && !run.0.trace.tests.is_empty(),
            "{bad:#?}\n{}",
            run.0.output
        );
        look(&run);
    }
}

/// Edges of the call phase of a test.
pub fn call_edges(run: &Run, test: &str) -> BTreeSet<String> {
    run.edges_in(&ContextKind::Test {
        test: test.to_owned(),
        phase: Phase::Call,
    })
}
