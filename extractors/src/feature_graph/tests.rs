//! The graph of a small feature whose trace is written by hand.

use std::sync::Arc;

use analyzer::feature::impact::Impact;
use analyzer::feature::{Expectation, Scope};
use analyzer::trace::{
    Code, CodeKind, Context, ContextKind, Edge, EdgeKind, Outcome, Phase, TestResult, Trace,
};
use analyzer::{AnalysisHost, Change};
use expect_test::{Expect, expect};

use super::*;

const FILES: &str = r#"
//- shop.py
TAX = 2
class Cart:
    def total(self):
        return price() * TAX

    def sum(self):
        return 0
def price():
    return 1
def unused(): pass
//- test_shop.py
import shop
def cart():
    return shop.Cart()
def test_total():
    assert cart().total() == 2
def test_sum():
    assert cart().sum() == 0
"#;

/// The functions of the test file and of the product that run, as (file, line, name).
const CODES: [(&str, u32, &str); 4] = [
    ("test_shop.py", 4, "test_total"),
    ("test_shop.py", 2, "cart"),
    ("shop.py", 3, "Cart.total"),
    ("shop.py", 8, "price"),
];

/// `test_total` calls the other three: as pairs of indices.
const CALLS: [(u32, u32); 3] = [(0, 1), (0, 2), (2, 3)];

fn trace() -> Trace {
    let codes = CODES.map(|(path, line, name)| Code {
        path: path.to_owned(),
        line,
        name: name.to_owned(),
        kind: CodeKind::Function,
    });
    let edges = CALLS.map(|(caller, callee)| Edge {
        caller: Some(caller),
        callee,
        kind: EdgeKind::Call,
    });
    let context = Context {
        kind: ContextKind::Test {
            test: "test_shop.py::test_total".to_owned(),
            phase: Phase::Call,
        },
        edges: vec![0, 1, 2],
    };
    let test = TestResult {
        id: "test_shop.py::test_total".to_owned(),
        path: "test_shop.py".to_owned(),
        function: "test_total".to_owned(),
        origin: None,
        outcome: Outcome::Passed,
        seconds: 0.0,
        contexts: vec![0],
        detail: None,
    };
    Trace {
        codes: codes.to_vec(),
        edges: edges.to_vec(),
        contexts: vec![context],
        tests: vec![test],
        ..Trace::default()
    }
}

/// The graph of a feature with these members, all of them deleted that leave.
fn graph(members: &[(&str, Role)]) -> FeatureGraph {
    graph_in(FILES, members)
}

fn graph_in(files: &str, members: &[(&str, Role)]) -> FeatureGraph {
    let files = fixtures::Fixture::parse(files).files.into_iter();
    let files = files.map(|file| (file.path, Some(Arc::from(file.text.into_bytes()))));
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: files.collect(),
        trace: Some(Some(Arc::new(trace()))),
    });
    let analysis = host.analysis();
    let impact = Impact::new(&analysis);
    let scope = Scope::new(&analysis, &impact, &|_| true);
    let member = |&(id, role): &(&str, Role)| {
        let id = SymbolId::parse(id);
        let (target_tests, other_tests) = analyzer::feature::runs(&impact, &scope, &id);
        let member = analyzer::feature::Member {
            role,
            target_tests,
            other_tests,
        };
        (id, member)
    };
    let feature = Feature {
        members: members.iter().map(member).collect(),
        tests: vec![Expectation::Target],
    };
    feature_graph(&Ingredients {
        evidence: Evidence {
            analysis: &analysis,
            impact: &impact,
            scope: &scope,
            tests: &[SymbolId::parse("test_shop.py::test_total")],
        },
        actions: feature.removed().map(|id| (id, Action::Delete)).collect(),
        feature: &feature,
        target: &["test_shop.py".to_owned()],
    })
}

/// The graph in short: `id role action line+lines target/other, via the chain`, then `from → to …`.
fn shown(graph: &FeatureGraph) -> String {
    let mut text = String::new();
    for node in &graph.nodes {
        let action = node.action.map_or("stays", |_| "leaves");
        text += &format!(
            "{} {} {action} {}+{} {}/{}",
            node.id,
            node.role.word(),
            node.line,
            node.lines,
            node.target_tests,
            node.other_tests
        );
        for link in &node.chain {
            text += &format!(" → {} {}:{}", link.to.name(), link.provenance, link.line);
        }
        text.push('\n');
    }
    for edge in &graph.edges {
        text += &format!(
            "{} → {} {} {} {:?} {} {}:{}\n",
            edge.from.name(),
            edge.to.name(),
            edge.provenance,
            edge.kind,
            edge.confidence,
            edge.tests,
            edge.path,
            edge.line
        );
    }
    text += &format!("{} left out\n", graph.ambiguous);
    text
}

#[test]
fn members_tests_and_what_lies_between_are_nodes() {
    let graph = graph(&[
        ("shop.py::Cart", Role::Top),
        ("shop.py::Cart.total", Role::Top),
        ("shop.py::TAX", Role::Orphaned),
        ("shop.py::price", Role::Shared),
        ("shop.py::unused", Role::Protected),
    ]);
    expect![[r#"
        shop.py::Cart top leaves 2+6 1/0 → cart observed:2 → Cart static:3
        shop.py::Cart.total top leaves 3+2 1/0 → total observed:3
        shop.py::TAX orphaned leaves 1+1 0/0 → total observed:3 → TAX static:4
        shop.py::price shared stays 8+2 1/0 → total observed:3 → price observed:8
        shop.py::unused protected stays 10+1 0/0
        test_shop.py::cart between stays 2+2 1/0 → cart observed:2
        test_shop.py::test_total test stays 4+2 0/0
        total → TAX static read Some(Resolved) 0 shop.py:4
        total → price observed call Some(Resolved) 1 shop.py:4
        cart → Cart static call Some(Resolved) 0 test_shop.py:3
        test_total → total observed call Some(Resolved) 1 test_shop.py:5
        test_total → cart observed call Some(Resolved) 1 test_shop.py:5
        0 left out
    "#]]
    .assert_eq(&shown(&graph));
}

#[test]
fn the_record_is_versioned_and_shows_the_code_without_its_indentation() {
    let graph = graph(&[("shop.py::Cart.total", Role::Specific)]);
    expect![[r#"
        {
          "version": 1,
          "target": [
            "test_shop.py"
          ],
          "nodes": [
            {
              "id": "shop.py::Cart.total",
              "name": "Cart.total",
              "kind": "method",
              "role": "specific",
              "action": "delete",
              "path": "shop.py",
              "line": 3,
              "lines": 2,
              "target_tests": 1,
              "other_tests": 0,
              "code": "def total(self):\n    return price() * TAX",
              "chain": [
                {
                  "from": "test_shop.py::test_total",
                  "to": "shop.py::Cart.total",
                  "provenance": "observed",
                  "how": "call, in 1 test",
                  "path": "shop.py",
                  "line": 3
                }
              ]
            },
            {
              "id": "test_shop.py::test_total",
              "name": "test_total",
              "kind": "function",
              "role": "test",
              "action": null,
              "path": "test_shop.py",
              "line": 4,
              "lines": 2,
              "target_tests": 0,
              "other_tests": 0,
              "code": "def test_total():\n    assert cart().total() == 2",
              "chain": []
            }
          ],
          "edges": [
            {
              "from": "test_shop.py::test_total",
              "to": "shop.py::Cart.total",
              "provenance": "observed",
              "kind": "call",
              "confidence": "resolved",
              "tests": 1,
              "path": "test_shop.py",
              "line": 5
            }
          ],
          "ambiguous": 0
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&graph).unwrap());
}

#[test]
fn a_name_that_many_nodes_have_is_no_edge() {
    let check = |classes: usize, expected: Expect| {
        let class = |number| format!("class C{number}:\n    def go(self): pass\n");
        let product: String = (0..classes).map(class).collect();
        let files =
            format!("//- shop.py\n{product}def use(x): x.go()\n//- test_shop.py\nimport shop\n");
        let ids: Vec<String> = (0..classes)
            .map(|number| format!("shop.py::C{number}.go"))
            .collect();
        let ids = ids.iter().map(|id| (id.as_str(), Role::Top));
        let members: Vec<_> = ids.chain([("shop.py::use", Role::Top)]).collect();
        let graph = graph_in(&files, &members);
        expected.assert_eq(&format!(
            "{} edges, {} left out",
            graph.edges.len(),
            graph.ambiguous
        ));
    };
    check(8, expect!["8 edges, 0 left out"]);
    check(9, expect!["0 edges, 1 left out"]);
}

#[test]
fn the_page_about_the_record_has_all_its_fields() {
    const PAGE: &str = include_str!("../../../docs/feature-graph.md");
    let graph = graph(&[("shop.py::Cart.total", Role::Top)]);
    let graph = serde_json::to_value(&graph).unwrap();
    let check = |header: &str, record: &serde_json::Value| {
        let rows = PAGE.lines().skip_while(|line| !line.starts_with(header));
        let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
        let cells = rows.filter_map(|line| line.split('|').nth(1));
        let told = cells.flat_map(|cell| cell.split(','));
        let told: BTreeSet<&str> = told.map(|name| name.trim().trim_matches('`')).collect();
        let fields = record.as_object().unwrap().keys().map(String::as_str);
        assert_eq!(told, fields.collect(), "{header}");
    };
    check("| field |", &graph);
    check("| field of a node |", &graph["nodes"][0]);
    check("| field of an edge |", &graph["edges"][0]);
    assert!(PAGE.contains(&format!("cut after {MAX_CODE_LINES} lines")));
}
