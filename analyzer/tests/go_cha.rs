//! The cases for class hierarchy analysis of golang.org/x/tools (BSD-3-Clause, from its module): every
//! edge that they ask for must be there, as a reference or through what overrides what.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::collections::BTreeSet;
use std::fs;

use analyzer::graph::{Provenance, StaticKind};
use analyzer::symbol::SymbolId;
use analyzer::{Analysis, AnalysisHost};
use common::write;

#[test]
fn every_edge_of_the_class_hierarchy_cases_is_found() {
    let Some(root) = fixtures::go_module("golang.org/x/tools", "v0.38.0") else {
        return;
    };
    let folder = root.join("go/callgraph/cha/testdata");
    let mut count = 0;
    for case in ["func", "generics", "iface", "recv"] {
        let text = fs::read_to_string(folder.join(format!("{case}.go"))).unwrap();
        let mut host = AnalysisHost::new();
        host.apply(write("a.go", &text));
        let analysis = host.analysis();
        for (caller, callee) in wanted(&text) {
            let (caller, callee) = (symbol(&analysis, &caller), symbol(&analysis, &callee));
            assert!(
                reaches(&analysis, &caller, &callee),
                "{case}: {caller} calls {callee}"
            );
            count += 1;
        }
    }
    assert_eq!(count, 28);
}

/// `//   caller --> callee`
fn wanted(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("//   ")?.split_once(" --> "))
        .map(|(caller, callee)| (caller.to_owned(), callee.to_owned()))
        .collect()
}

/// The symbol that a function of the cases is: what the compiler makes of a method or a generic
/// function counts as that itself, and a function literal as the variable that holds it.
fn symbol(analysis: &Analysis, name: &str) -> SymbolId {
    let plain = name.split(['$', '[']).next().unwrap();
    let held = ["B", "C"];
    let chain = match name.strip_prefix("init$") {
        Some(number) => held[number.parse::<usize>().unwrap() - 1].to_owned(),
        None => plain.replace(['(', ')', '*'], ""),
    };
    let id = SymbolId::parse(&format!("a.go::{chain}"));
    assert!(analysis.symbol(&id).is_some(), "{id}");
    id
}

/// Whether one refers to the other, to a method that it overrides, or is the same.
fn reaches(analysis: &Analysis, caller: &SymbolId, callee: &SymbolId) -> bool {
    let graph = analysis.graph();
    let mut reached: BTreeSet<SymbolId> = BTreeSet::from([caller.clone()]);
    let mut open = vec![];
    for edge in graph.edges_from(caller) {
        open.push(edge.to.clone());
    }
    while let Some(id) = open.pop() {
        for edge in graph.edges_from(&id) {
            let overrides = matches!(
                edge.provenance,
                Provenance::Static(said) if said.kind == StaticKind::Override
            );
            if overrides && !reached.contains(edge.to) {
                open.push(edge.to.clone());
            }
        }
        reached.insert(id);
    }
    reached.contains(callee)
}
