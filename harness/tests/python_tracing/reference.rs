//! Runs the independent tracer of `reference.py` and compares what it sees with a trace.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use analyzer::trace::{Code, Context, ContextKind, EdgeKind, Phase, Trace};

/// Caller and callee, each as `path:line`.
type Call = (Option<String>, String);

/// The calls seen in the set-up and the call phase of every test.
pub struct Reference(BTreeMap<(String, String), BTreeSet<Call>>);

/// How many things both have seen, and only one of the two.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub common: usize,
    pub only_reference: usize,
    pub only_trace: usize,
}

/// A trace beside the reference.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Functions per test and phase.
    pub functions: Counts,
    /// Calls per test and phase.
    pub calls: Counts,
    /// The calls that only one has seen, by test.
    pub differences: Vec<(String, Call)>,
}

impl Reference {
    /// Runs the tests of a tree, which may fail.
    pub fn record(program: &Path, tree: &Path, arguments: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("output.json");
        fs::write(
            folder.path().join("reference.py"),
            include_str!("reference.py"),
        )
        .unwrap();
        let run = Command::new(program)
            .args([
                "-m",
                "pytest",
                "-q",
                "-p",
                "reference",
                "-p",
                "no:cacheprovider",
                "--continue-on-collection-errors",
            ])
            .args(arguments)
            .current_dir(tree)
            .env("PYTHONPATH", python_path(folder.path()))
            .env("REFERENCE_OUTPUT", &output)
            .output()
            .unwrap();
        let text =
            fs::read(output).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stdout)));
        let tests: BTreeMap<String, BTreeMap<String, BTreeSet<Call>>> =
            serde_json::from_slice(&text).unwrap();
        let phases = tests.into_iter().flat_map(|(test, phases)| {
            phases
                .into_iter()
                .map(move |(phase, calls)| ((test.clone(), phase), calls))
        });
        Self(phases.collect())
    }

    pub fn compare(&self, trace: &Trace) -> Comparison {
        let mut comparison = Comparison::default();
        let contexts = trace
            .contexts
            .iter()
            .map(|context| (&context.kind, context));
        let contexts: HashMap<&ContextKind, &Context> = contexts.collect();
        for test in &trace.tests {
            for (phase, word) in [(Phase::Setup, "setup"), (Phase::Call, "call")] {
                let key = (test.id.clone(), word.to_owned());
                let expected = self.0.get(&key).cloned().unwrap_or_default();
                let kind = ContextKind::Test { test: key.0, phase };
                let seen = contexts.get(&kind).map(|context| calls(trace, context));
                comparison.add(&test.id, &expected, &seen.unwrap_or_default());
            }
        }
        comparison
    }
}

fn python_path(first: &Path) -> OsString {
    let inherited = env::var_os("PYTHONPATH").unwrap_or_default();
    let folders = env::split_paths(&inherited).filter(|folder| !folder.as_os_str().is_empty());
    env::join_paths([first.to_owned()].into_iter().chain(folders)).unwrap()
}

impl Comparison {
    fn add(&mut self, test: &str, expected: &BTreeSet<Call>, seen: &BTreeSet<Call>) {
        self.calls.add(expected, seen);
        let functions =
            |calls: &BTreeSet<Call>| calls.iter().map(|(_, callee)| callee.clone()).collect();
        self.functions.add(&functions(expected), &functions(seen));
        let different = expected.symmetric_difference(seen);
        self.differences
            .extend(different.map(|call| (test.to_owned(), call.clone())));
    }
}

impl Counts {
    fn add<T: Ord>(&mut self, expected: &BTreeSet<T>, seen: &BTreeSet<T>) {
        self.common += expected.intersection(seen).count();
        self.only_reference += expected.difference(seen).count();
        self.only_trace += seen.difference(expected).count();
    }
}

/// The calls seen in a context; creation of generators and objects has no frame to compare with.
fn calls(trace: &Trace, context: &Context) -> BTreeSet<Call> {
    let place = |code: u32| {
        let Code { path, line, .. } = &trace.codes[code as usize];
        format!("{path}:{line}")
    };
    let edges = context.edges.iter().map(|edge| trace.edges[*edge as usize]);
    let frames =
        edges.filter(|edge| !matches!(edge.kind, EdgeKind::Create | EdgeKind::Instantiate));
    frames
        .map(|edge| (edge.caller.map(place), place(edge.callee)))
        .collect()
}
