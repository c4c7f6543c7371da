//! Whole features, decided from small projects and traces written as chains of calls.

mod inferred;
mod observed;
mod orphans;

use std::sync::Arc;

use expect_test::{Expect, expect};
use fixtures::Fixture;

use super::*;
use crate::trace::{
    Code, CodeKind, Context, ContextKind, Edge, EdgeKind, Outcome, Phase, TestResult, Trace,
};
use crate::{AnalysisHost, Change};

/// Decides the feature of the tests in `target` and compares roles and tests with `expected`.
///
/// Each line of `runs` is `test: a > b > c; d`: the test calls `a`, which calls `b`, and so on. A line
/// `import path: a > b` is what the import of a file runs. `failing test: …` fails in the full tree.
fn check(files: &str, runs: &str, target: &str, expected: Expect) {
    check_with(files, runs, target, |options| options, expected);
}

fn check_with(
    files: &str,
    runs: &str,
    target: &str,
    options: fn(FeatureOptions) -> FeatureOptions,
    expected: Expect,
) {
    check_recorded(files, runs, target, options, |trace| trace, expected);
}

/// Like `check` with a record that only tells what ran in each test, not who called it.
fn check_without_callers(files: &str, runs: &str, target: &str, expected: Expect) {
    check_recorded(
        files,
        runs,
        target,
        |options| options,
        without_callers,
        expected,
    );
}

fn without_callers(mut trace: Trace) -> Trace {
    let entered = |callee| Edge {
        caller: None,
        callee,
        kind: EdgeKind::Entered,
    };
    let ran = trace.codes.iter().enumerate();
    let edges = ran.map(|(code, _)| entered(u32::try_from(code).unwrap()));
    let edges: Vec<Edge> = edges.collect();
    for context in &mut trace.contexts {
        let seen = context.edges.iter().flat_map(|edge| {
            let edge = trace.edges[*edge as usize];
            edge.caller.into_iter().chain([edge.callee])
        });
        let seen: BTreeSet<u32> = seen.collect();
        context.edges = seen.into_iter().collect();
    }
    trace.edges = edges;
    trace
}

fn check_recorded(
    files: &str,
    runs: &str,
    target: &str,
    options: fn(FeatureOptions) -> FeatureOptions,
    record: fn(Trace) -> Trace,
    expected: Expect,
) {
    let fixture = Fixture::parse(files);
    let mut host = AnalysisHost::new();
    let bytes = |text: &str| Some(Arc::from(text.as_bytes()));
    let files = fixture
        .files
        .iter()
        .map(|file| (file.path.clone(), bytes(&file.text)))
        .collect();
    host.apply(Change { files, trace: None });
    let trace = Arc::new(record(trace(&host.analysis(), runs)));
    host.apply(Change {
        files: Vec::new(),
        trace: Some(Some(Arc::clone(&trace))),
    });
    let analysis = host.analysis();
    let impact = Impact::new(&analysis);
    let scope = Scope::new(&analysis, &impact, &|test| trace.tests[test].path == target);
    let options = options(FeatureOptions::default());
    let feature = decide(&analysis, &impact, &scope, &options);
    let roles = feature
        .members
        .iter()
        .map(|(id, member)| format!("{:?} {id}\n", member.role));
    let tests = trace
        .tests
        .iter()
        .zip(&feature.tests)
        .map(|(test, expectation)| format!("{expectation:?} {}\n", test.id));
    expected.assert_eq(&roles.chain(tests).collect::<String>());
}

fn trace(analysis: &Analysis, runs: &str) -> Trace {
    let mut trace = Trace::default();
    for line in runs.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, chains) = line.split_once(": ").unwrap();
        let context = u32::try_from(trace.contexts.len()).unwrap();
        let (kind, root) = match name.strip_prefix("import ") {
            Some(path) => (
                ContextKind::Import {
                    path: path.to_owned(),
                },
                code(&mut trace, analysis, path),
            ),
            None => {
                let failing = name.strip_prefix("failing ");
                let name = failing.unwrap_or(name);
                let root = code(&mut trace, analysis, name);
                let outcome = match failing {
                    Some(_) => Outcome::Failed,
                    None => Outcome::Passed,
                };
                trace.tests.push(test(name, outcome, context));
                (
                    ContextKind::Test {
                        test: name.to_owned(),
                        phase: Phase::Call,
                    },
                    root,
                )
            }
        };
        let mut edges = Vec::new();
        for chain in chains.split("; ") {
            let mut caller = root;
            for callee in chain.split(" > ") {
                let callee = code(&mut trace, analysis, callee);
                edges.push(u32::try_from(trace.edges.len()).unwrap());
                trace.edges.push(Edge {
                    caller: Some(caller),
                    callee,
                    kind: EdgeKind::Call,
                });
                caller = callee;
            }
        }
        trace.contexts.push(Context { kind, edges });
    }
    trace
}

fn code(trace: &mut Trace, analysis: &Analysis, id: &str) -> u32 {
    let symbol = analysis.symbol(&SymbolId::parse(id)).unwrap();
    let kind = match symbol.kind {
        crate::symbol::SymbolKind::Class => CodeKind::Class,
        crate::symbol::SymbolKind::Module => CodeKind::Module,
        _ => CodeKind::Function,
    };
    let name = if kind == CodeKind::Module {
        "<module>"
    } else {
        symbol.id.chain()
    };
    let code = Code {
        path: symbol.id.path().to_owned(),
        line: symbol.line,
        name: name.to_owned(),
        kind,
    };
    let index = trace
        .codes
        .iter()
        .position(|other| *other == code)
        .unwrap_or_else(|| {
            trace.codes.push(code);
            trace.codes.len() - 1
        });
    u32::try_from(index).unwrap()
}

fn test(id: &str, outcome: Outcome, context: u32) -> TestResult {
    let (path, function) = id.split_once("::").unwrap();
    TestResult {
        id: id.to_owned(),
        path: path.to_owned(),
        function: function.to_owned(),
        origin: None,
        outcome,
        seconds: 0.0,
        contexts: vec![context],
        detail: None,
    }
}
