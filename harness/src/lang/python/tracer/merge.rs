//! Joins the records of all processes of a run into one trace, in an order that depends on what was
//! recorded only.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use analyzer::trace::{Code, Context, ContextKind, Edge, Trace};

use super::format::ProcessTrace;

/// The trace without tests. Codes are sorted by path, line and name, edges by their codes, contexts
/// by kind and name.
pub fn merge(processes: &[ProcessTrace]) -> Trace {
    let codes = codes(processes);
    let seen = edges_by_context(processes, &codes);
    let edges: BTreeSet<Edge> = seen
        .values()
        .flat_map(|(_, edges)| edges.iter().copied())
        .collect();
    let numbers: HashMap<Edge, u32> = edges.iter().copied().zip(0..).collect();
    let contexts = seen.into_values().map(|(kind, edges)| Context {
        kind,
        edges: edges.iter().map(|edge| numbers[edge]).collect(),
    });
    Trace {
        contexts: contexts.collect(),
        edges: edges.into_iter().collect(),
        codes: codes.into_keys().cloned().collect(),
        losses: processes
            .iter()
            .flat_map(|process| process.losses.clone())
            .collect(),
        processes: u32::try_from(processes.len()).unwrap_or(u32::MAX),
        ..Trace::default()
    }
}

/// All code in use, with its place in the sorted order. What was only defined did not run.
fn codes(processes: &[ProcessTrace]) -> BTreeMap<&Code, u32> {
    let mut used = BTreeSet::new();
    for process in processes {
        let hit: BTreeSet<u32> = process.hits.iter().map(|(edge, _)| *edge).collect();
        for edge in hit.iter().filter_map(|edge| process.edges.get(edge)) {
            used.extend(process.codes.get(&edge.caller));
            used.extend(process.codes.get(&edge.callee));
        }
    }
    used.into_iter().zip(0..).collect()
}

/// For every context, by its sort key, the edges seen in it.
type Seen = BTreeMap<(u8, String, u8), (ContextKind, BTreeSet<Edge>)>;

fn edges_by_context(processes: &[ProcessTrace], codes: &BTreeMap<&Code, u32>) -> Seen {
    let mut seen = Seen::new();
    for process in processes {
        let edges = global_edges(process, codes);
        let mut hits: BTreeMap<u32, BTreeSet<Edge>> = BTreeMap::new();
        for (edge, context) in &process.hits {
            hits.entry(*context).or_default().extend(edges.get(edge));
        }
        for (number, edges) in hits {
            if let Some(kind) = process.context(number) {
                let (_, all) = seen
                    .entry(sort_key(&kind))
                    .or_insert_with(|| (kind, BTreeSet::new()));
                all.extend(edges);
            }
        }
    }
    seen
}

fn global_edges(process: &ProcessTrace, codes: &BTreeMap<&Code, u32>) -> HashMap<u32, Edge> {
    let place = |number| codes.get(process.codes.get(&number)?).copied();
    let global = process.edges.iter().filter_map(|(number, edge)| {
        let edge = Edge {
            caller: place(edge.caller),
            callee: place(edge.callee)?,
            kind: edge.kind,
        };
        Some((*number, edge))
    });
    global.collect()
}

fn sort_key(kind: &ContextKind) -> (u8, String, u8) {
    match kind {
        ContextKind::Session => (0, String::new(), 0),
        ContextKind::Import { path } => (1, path.clone(), 0),
        ContextKind::Collect { path } => (2, path.clone(), 0),
        ContextKind::Fixture { name } => (3, name.clone(), 0),
        ContextKind::Test { test, phase } => (4, test.clone(), *phase as u8),
    }
}
