//! The micro cases of PyCG (Apache-2.0, from its source distribution): every function that a run of a
//! case reaches must be reached in the dependency graph.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analyzer::graph::{Provenance, StaticEdge, StaticKind};
use analyzer::symbol::SymbolId;
use analyzer::{AnalysisHost, Change, DependencyGraph};
use expect_test::expect;

/// `{caller: [callee]}` in dotted names.
type CallGraph = BTreeMap<String, Vec<String>>;

#[test]
fn whatever_runs_in_a_pycg_case_is_reached() {
    let Some(project) = fixtures::sdist("pycg", "0.0.8") else {
        return;
    };
    let cases = cases(&project);
    assert_eq!(cases.len(), 118);
    let unsound: Vec<String> = cases
        .iter()
        .map(|case| (name(case), missed(case)))
        .filter(|(_, missed)| !missed.is_empty())
        .map(|(name, missed)| format!("{name}: {}", missed.join(" ")))
        .collect();
    // The call stands in a text that is evaluated.
    expect!["dynamic/eval: main.func"].assert_eq(&unsound.join("\n"));
}

/// The folders with a call graph, sorted.
fn cases(project: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![project.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.ends_with("callgraph.json") && folder.join("main.py").exists() {
                found.push(folder.clone());
            }
        }
    }
    found.sort();
    found
}

/// `category/case`
fn name(case: &Path) -> String {
    let parts: Vec<_> = case
        .components()
        .rev()
        .take(2)
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    format!("{}/{}", parts[1], parts[0])
}

/// What a run of the case reaches and the graph does not.
fn missed(case: &Path) -> Vec<String> {
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: files(case, case),
        trace: None,
    });
    let analysis = host.analysis();
    let graph = analysis.graph();
    let truth: CallGraph =
        serde_json::from_slice(&fs::read(case.join("callgraph.json")).unwrap()).unwrap();
    let main = SymbolId::module("main.py");
    let reached = reached(&graph, &main);
    run_from_main(&truth)
        .into_iter()
        .filter(|function| {
            symbol(&graph, function).is_some_and(|symbol| !reached.contains(&symbol))
        })
        .collect()
}

/// The functions that the truth reaches from the main module.
fn run_from_main(truth: &CallGraph) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut queue = VecDeque::from(["main".to_owned()]);
    while let Some(caller) = queue.pop_front() {
        for callee in truth.get(&caller).into_iter().flatten() {
            if seen.insert(callee.clone()) {
                queue.push_back(callee.clone());
            }
        }
    }
    seen
}

fn files(root: &Path, folder: &Path) -> Vec<(String, Option<Arc<[u8]>>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            found.extend(files(root, &entry));
        } else {
            let path = entry
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            found.push((path, Some(Arc::from(fs::read(&entry).unwrap()))));
        }
    }
    found
}

/// The symbol that a dotted name of the truth stands for; lambdas belong to what is around them.
fn symbol(graph: &DependencyGraph, dotted: &str) -> Option<SymbolId> {
    let links: Vec<&str> = dotted
        .split('.')
        .filter(|link| !link.starts_with("<lambda"))
        .collect();
    (1..=links.len()).rev().find_map(|count| {
        let (module, chain) = links.split_at(count);
        let module = module.join("/");
        [format!("{module}.py"), format!("{module}/__init__.py")]
            .into_iter()
            .find_map(|path| {
                let id = chain
                    .iter()
                    .fold(SymbolId::module(&path), |id, link| id.member(link));
                graph.node(&id).map(|_| id)
            })
    })
}

/// Everything that uses lead to.
fn reached(graph: &DependencyGraph, from: &SymbolId) -> BTreeSet<SymbolId> {
    let mut seen = BTreeSet::from([from.clone()]);
    let mut queue = VecDeque::from([from.clone()]);
    while let Some(symbol) = queue.pop_front() {
        for edge in graph
            .edges_from(&symbol)
            .into_iter()
            .filter(|edge| edge.is_use())
        {
            let is_import = matches!(
                edge.provenance,
                Provenance::Static(StaticEdge {
                    kind: StaticKind::Import,
                    ..
                })
            );
            // Importing a name does not use it; importing a module runs it.
            if (!is_import || edge.to.is_module()) && seen.insert(edge.to.clone()) {
                queue.push_back(edge.to.clone());
            }
        }
    }
    seen
}
