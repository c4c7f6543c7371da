//! Which symbols the code of a trace is, and the edges that were seen.

mod common;

use std::sync::Arc;

use analyzer::graph::Provenance;
use analyzer::symbol::SymbolId;
use analyzer::trace::{
    Code, CodeKind, Context, ContextKind, Edge, EdgeKind, Outcome, Phase, TestResult, Trace,
};
use analyzer::{AnalysisHost, Change};
use common::host;
use expect_test::{Expect, expect};

const SHAPES: &str = r#"
//- m.py
if new:
    def f(): pass
else:
    def f(): pass
class P:
    @property
    def x(self): return 1
    @x.setter
    def x(self, value): pass
    def run(self):
        return sorted([], key=lambda it: (y for y in
            it))
class Q:
    def run(self): pass
def outer():
    class Local: pass
    return Local
top = lambda: 1
"#;

fn code(line: u32, name: &str, kind: CodeKind) -> Code {
    Code {
        path: "m.py".to_owned(),
        line,
        name: name.to_owned(),
        kind,
    }
}

fn check(codes: &[Code], expected: Expect) {
    check_in(SHAPES, codes, expected);
}

/// The lines and names of functions, one a line.
fn check_functions(path: &str, text: &str, functions: &[(u32, &str)], expected: Expect) {
    let functions = functions.iter().map(|(line, name)| Code {
        path: path.to_owned(),
        ..code(*line, name, CodeKind::Function)
    });
    let codes: Vec<Code> = functions.collect();
    check_in(&format!("//- {path}\n{text}"), &codes, expected);
}

fn check_in(fixture: &str, codes: &[Code], expected: Expect) {
    let mut host = host(fixture);
    let trace = Trace {
        codes: codes.to_vec(),
        ..Trace::default()
    };
    host.apply(Change {
        files: Vec::new(),
        trace: Some(Some(Arc::new(trace))),
    });
    let matched = host.analysis().trace_symbols();
    let shown: Vec<String> = codes
        .iter()
        .zip(&matched.symbols)
        .map(|(code, symbol)| {
            let symbol = symbol
                .as_ref()
                .map_or("nothing".to_owned(), ToString::to_string);
            format!("{} {} {:?} → {symbol}\n", code.line, code.name, code.kind)
        })
        .collect();
    expected.assert_eq(&format!(
        "{}unmatched {:?}",
        shown.concat(),
        matched.unmatched
    ));
}

#[test]
fn functions_are_matched_by_line_and_name() {
    use CodeKind::Function;
    check(
        &[
            code(2, "f", Function),
            code(4, "f", Function),
            code(6, "P.x", Function),
            code(8, "P.x", Function),
            code(10, "run", Function),
            code(14, "Q.run", Function),
            code(14, "Q.walk", Function),
            code(15, "Q.run", Function),
        ],
        expect![[r#"
            2 f Function → m.py::f
            4 f Function → m.py::f#2
            6 P.x Function → m.py::P.x
            8 P.x Function → m.py::P.x#setter
            10 run Function → m.py::P.run
            14 Q.run Function → m.py::Q.run
            14 Q.walk Function → nothing
            15 Q.run Function → nothing
            unmatched [6, 7]"#]],
    );
}

#[test]
fn code_without_a_name_belongs_to_what_is_around_it() {
    use CodeKind::Function;
    check(
        &[
            code(11, "P.run.<locals>.<lambda>", Function),
            code(12, "P.run.<locals>.<lambda>.<locals>.<genexpr>", Function),
            code(18, "<lambda>", Function),
            code(99, "<lambda>", Function),
        ],
        expect![[r#"
            11 P.run.<locals>.<lambda> Function → m.py::P.run
            12 P.run.<locals>.<lambda>.<locals>.<genexpr> Function → m.py::P.run
            18 <lambda> Function → m.py
            99 <lambda> Function → nothing
            unmatched [3]"#]],
    );
}

#[test]
fn functions_of_a_crate_are_matched_by_line_and_name() {
    check_functions(
        "src/lib.rs",
        r#"
#[cfg(unix)]
fn f() {}
#[cfg(windows)]
fn f() {}
struct P;
struct Q;
impl P { fn run(&self) {} }
impl Q {
    /// Runs.
    fn run(&self) { fn inner() {} }
}
impl Drop for P {
    fn drop(&mut self) {}
}
impl Drop for Q {
    fn drop(&mut self) {}
}
"#,
        &[
            (2, "f"),
            (4, "f"),
            (8, "run"),
            (10, "run"),
            (11, "inner"),
            (14, "drop"),
            (17, "drop"),
            (17, "run"),
        ],
        expect![[r#"
            2 f Function → src/lib.rs::f
            4 f Function → src/lib.rs::f#2
            8 run Function → src/lib.rs::P#impl.run
            10 run Function → src/lib.rs::Q#impl.run
            11 inner Function → src/lib.rs::Q#impl.run.inner
            14 drop Function → src/lib.rs::P#Drop.drop
            17 drop Function → src/lib.rs::Q#Drop.drop
            17 run Function → nothing
            unmatched [7]"#]],
    );
}

#[test]
fn functions_of_a_package_are_matched_by_line_and_name() {
    check_functions(
        "a_linux.go",
        r#"
package a
type P struct{}
type Q[T any] struct{}
func (P) run() {}
// Run runs.
func (q *Q[T]) run() {}
func init() {}
func init() {}
var late = func() {}
"#,
        &[
            (5, "P.run"),
            (6, "Q.run"),
            (8, "init"),
            (9, "init"),
            (10, "late"),
            (10, "P.run"),
        ],
        expect![[r#"
            5 P.run Function → a_linux.go::P.run
            6 Q.run Function → a_linux.go::Q.run
            8 init Function → a_linux.go::init
            9 init Function → a_linux.go::init#2
            10 late Function → a_linux.go::late
            10 P.run Function → nothing
            unmatched [5]"#]],
    );
}

#[test]
fn modules_class_bodies_and_classes_are_matched() {
    check(
        &[
            code(1, "<module>", CodeKind::Module),
            code(5, "P", CodeKind::ClassBody),
            code(0, "P", CodeKind::Class),
            code(0, "outer.<locals>.Local", CodeKind::Class),
            code(0, "Missing", CodeKind::Class),
            Code {
                path: "gone.py".to_owned(),
                line: 1,
                name: "f".to_owned(),
                kind: CodeKind::Function,
            },
        ],
        expect![[r#"
            1 <module> Module → m.py
            5 P ClassBody → m.py::P
            0 P Class → m.py::P
            0 outer.<locals>.Local Class → m.py::outer.Local
            0 Missing Class → nothing
            1 f Function → nothing
            unmatched [4, 5]"#]],
    );
}

#[test]
fn edges_that_were_seen_are_in_the_graph_with_their_tests() {
    let mut host = host("//- m.py\ndef f(): pass\ndef g(): pass\n//- t.py\nfrom m import *\n");
    host.apply(Change {
        files: Vec::new(),
        trace: Some(Some(Arc::new(run()))),
    });
    expect![[r#"
        m.py::f → m.py::g Observed(ObservedEdge { kind: Call, tests: 2, first_test: Some("t::one") })
        m.py::f → m.py::g Observed(ObservedEdge { kind: Resume, tests: 1, first_test: Some("t::two") })
    "#]].assert_eq(&observed(&host, "m.py::f"));
    host.apply(Change {
        files: Vec::new(),
        trace: Some(None),
    });
    expect![[r#""#]].assert_eq(&observed(&host, "m.py::f"));
}

/// Two tests call `g` through `f`.
fn run() -> Trace {
    let edges = [EdgeKind::Call, EdgeKind::Call, EdgeKind::Resume].map(|kind| Edge {
        caller: Some(0),
        callee: 1,
        kind,
    });
    let context = |test: &str, edges: &[u32]| Context {
        kind: ContextKind::Test {
            test: test.to_owned(),
            phase: Phase::Call,
        },
        edges: edges.to_vec(),
    };
    let test = |id: &str, contexts: &[u32]| TestResult {
        id: id.to_owned(),
        path: "t.py".to_owned(),
        function: id.to_owned(),
        origin: None,
        outcome: Outcome::Passed,
        seconds: 0.0,
        contexts: contexts.to_vec(),
        detail: None,
    };
    Trace {
        codes: vec![
            code(1, "f", CodeKind::Function),
            code(2, "g", CodeKind::Function),
        ],
        edges: edges.to_vec(),
        contexts: vec![context("t::one", &[0]), context("t::two", &[1, 2])],
        tests: vec![test("t::one", &[0]), test("t::two", &[1])],
        ..Trace::default()
    }
}

fn observed(host: &AnalysisHost, from: &str) -> String {
    let analysis = host.analysis();
    let graph = analysis.graph();
    let edges = graph.edges_from(&SymbolId::parse(from));
    let seen = edges
        .iter()
        .filter(|edge| matches!(edge.provenance, Provenance::Observed(_)));
    seen.map(|edge| format!("{} → {} {:?}\n", edge.from, edge.to, edge.provenance))
        .collect()
}
