//! Inferred calls: where a trace only tells which functions ran, one that refers to another that ran
//! in the same context is taken to have called it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::impact::{SymbolEdge, SymbolIndex, outermost_function};
use crate::Analysis;
use crate::graph::{DependencyGraph, Provenance, StaticEdge, StaticKind};
use crate::symbol::SymbolId;

/// Which executed symbols refer to which.
pub(super) struct Calls {
    callees: FxHashMap<SymbolIndex, BTreeSet<SymbolIndex>>,
}

impl Calls {
    /// The references among `symbols` (sorted) of those that `ran` anywhere.
    pub fn new(
        analysis: &Analysis,
        symbols: &[SymbolId],
        ran: impl Iterator<Item = SymbolIndex>,
    ) -> Self {
        let graph = analysis.graph();
        let ran: BTreeSet<SymbolIndex> = ran.collect();
        let callees = ran.iter().filter_map(|&caller| {
            let id = symbols.get(caller)?;
            let meant = referred(analysis, &graph, id);
            let executed = meant.iter().filter_map(|id| {
                symbols
                    .binary_search(&outermost_function(analysis, id))
                    .ok()
            });
            Some((
                caller,
                executed.filter(|callee| *callee != caller).collect(),
            ))
        });
        Self {
            callees: callees.collect(),
        }
    }

    /// The edges among symbols that ran in one context, in order.
    pub fn among(&self, ran: &[SymbolIndex]) -> Vec<SymbolEdge> {
        let ran: BTreeSet<SymbolIndex> = ran.iter().copied().collect();
        let edges = ran.iter().flat_map(|&caller| {
            let callees = self.callees.get(&caller).into_iter().flatten();
            let both = callees.filter(|callee| ran.contains(callee));
            both.map(move |&callee| SymbolEdge {
                caller: Some(caller),
                callee,
                is_nested: false,
            })
        });
        edges.collect()
    }
}

/// What the text of a symbol and of all in it refers to; of a member that others override, these, too.
/// Test support code that is referred to is taken as part of it: not every record tells what of it ran.
fn referred(analysis: &Analysis, graph: &DependencyGraph, id: &SymbolId) -> BTreeSet<SymbolId> {
    let symbols = analysis.symbols(id.path());
    let inside = symbols.iter().filter(|symbol| symbol.id.is_within(id));
    let mut meant = BTreeSet::new();
    let mut open: Vec<SymbolId> = Vec::new();
    for symbol in inside {
        let edges = graph.edges_from(&symbol.id);
        open.extend(
            edges
                .iter()
                .filter(|edge| edge.is_use())
                .map(|edge| edge.to.clone()),
        );
    }
    while let Some(id) = open.pop() {
        if !meant.contains(&id) {
            let edges = graph.edges_from(&id);
            let is_part = crate::lang::is_test_support(id.path()) && !id.is_module();
            let followed = edges
                .iter()
                .filter(|edge| is_override(edge.provenance) || (is_part && edge.is_use()));
            open.extend(followed.map(|edge| edge.to.clone()));
            meant.insert(id);
        }
    }
    meant
}

fn is_override(provenance: &Provenance) -> bool {
    matches!(
        provenance,
        Provenance::Static(StaticEdge {
            kind: StaticKind::Override,
            ..
        })
    )
}
