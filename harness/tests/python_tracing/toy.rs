//! The toy suite: every way of making a function run, with the sets that are right.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use analyzer::trace::{CodeKind, EdgeKind, Outcome};
use expect_test::expect_file;
use harness::lang::python::tracer::Recorder;

use crate::reference::Reference;
use crate::support::{Project, Python, Run, everywhere, pythons};

fn toy() -> Project {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_tracing/toy");
    fixtures::copy_dir(&source, folder.path());
    Project::at(folder)
}

/// The functions and methods of the toy by line, as `Class.name`; lambdas and comprehensions count to
/// the function around them.
struct Definitions(BTreeMap<String, Vec<(u32, String)>>);

impl Definitions {
    fn read(root: &Path) -> Self {
        let files = [
            "lib/calls.py",
            "lib/flows.py",
            "lib/lazy.py",
            "tests/conftest.py",
            "tests/test_toy.py",
        ];
        let read = |path: &str| {
            (
                path.to_owned(),
                definitions(&fs::read_to_string(root.join(path)).unwrap()),
            )
        };
        Self(files.map(read).into_iter().collect())
    }

    fn at(&self, path: &str, line: u32) -> String {
        let before = self.0[path].iter().rev().find(|(start, _)| *start <= line);
        before.map_or_else(|| "<module>".to_owned(), |(_, name)| name.clone())
    }
}

/// First line (the first decorator's) and qualified name of every `def` and `class`.
fn definitions(text: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut around: Vec<(usize, String)> = Vec::new();
    let mut decorators = None;
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if !code.is_empty() {
            around.retain(|(outer, _)| *outer < indent);
        }
        if code.starts_with('@') {
            decorators.get_or_insert(number);
        }
        let code = code.strip_prefix("async ").unwrap_or(code);
        let rest = code
            .strip_prefix("def ")
            .or_else(|| code.strip_prefix("class "));
        if let Some(rest) = rest {
            let name = rest.split(['(', ':']).next().unwrap();
            let outer = around
                .last()
                .map_or(String::new(), |(_, outer)| format!("{outer}."));
            around.push((indent, format!("{outer}{name}")));
            found.push((
                decorators.take().unwrap_or(number),
                format!("{outer}{name}"),
            ));
        }
    }
    found
}

/// For every test the functions of the library and the conftest that run for it.
fn functions_by_test(run: &Run, definitions: &Definitions) -> String {
    let codes = &run.0.trace.codes;
    let mut text = String::new();
    for test in &run.0.trace.tests {
        let edges = run.edges_of(&test.id);
        let ran = edges.iter().filter(|edge| edge.kind != EdgeKind::Create);
        let callees = ran.map(|edge| &codes[edge.callee as usize]);
        let functions = callees
            .filter(|code| code.kind == CodeKind::Function && !code.path.ends_with("test_toy.py"));
        let names: BTreeSet<String> = functions
            .map(|code| definitions.at(&code.path, code.line))
            .collect();
        let (_, name) = test.id.split_once("::").unwrap();
        text += &format!(
            "{name}: {}\n",
            names.into_iter().collect::<Vec<_>>().join(" ")
        );
    }
    text
}

/// One traced run for each Python and recorder, shared by the tests.
fn runs() -> impl Iterator<Item = (&'static Python, Recorder, &'static Run)> {
    static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
        let toy = toy();
        everywhere()
            .map(|(python, recorder)| toy.trace(python, recorder))
            .collect()
    });
    everywhere()
        .zip(RUNS.iter())
        .map(|((python, recorder), run)| (python, recorder, run))
}

#[test]
fn every_function_that_a_test_runs_is_found_and_no_other() {
    let definitions = Definitions::read(toy().root());
    for (python, recorder, run) in runs() {
        let tests = run.0.trace.tests.iter();
        let bad: Vec<_> = tests
            .filter(|test| test.outcome != Outcome::Passed)
            .collect();
        assert!(bad.is_empty(), "{python:?} {recorder:?} {bad:#?}");
        expect_file!["functions.txt"].assert_eq(&functions_by_test(run, &definitions));
    }
}

#[test]
fn native_and_pure_recorder_give_the_same_trace() {
    for python in pythons() {
        let same = runs().filter(|(other, ..)| other.minor == python.minor);
        let [native, pure] = same
            .map(|(.., run)| run.everything())
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        let different: Vec<_> = native.symmetric_difference(&pure).collect();
        assert!(different.is_empty(), "{python:?} {different:#?}");
    }
}

/// Tests whose functions run where the independent tracer cannot see them.
fn out_of_sight(test: &str) -> bool {
    ["hook_replaced", "fork", "child", "pool"]
        .iter()
        .any(|part| test.contains(part))
}

#[test]
fn an_independent_tracer_sees_the_same_calls() {
    let toy = toy();
    for python in pythons() {
        let reference = Reference::record(&python.program, toy.root(), &[]);
        for (_, recorder, run) in runs().filter(|(other, ..)| other.minor == python.minor) {
            let compared = reference.compare(&run.0.trace);
            let different = compared
                .differences
                .iter()
                .filter(|(test, _)| !out_of_sight(test));
            let different: Vec<_> = different.collect();
            assert!(
                different.is_empty(),
                "{python:?} {recorder:?}: {different:#?}"
            );
            assert!(compared.functions.common > 150, "{compared:?}");
        }
    }
}
