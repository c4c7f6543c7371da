//! Test impact: which tests execute which symbols, as measured by a trace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::Sides;
use super::inferred;
use super::uses::Uses;
use crate::symbol::SymbolId;
use crate::trace::{CodeKind, ContextKind, EdgeKind, Trace};
use crate::{Analysis, Language};

/// A symbol's place in [`Impact::symbols`].
pub type SymbolIndex = usize;

/// A trace seen from its symbols.
///
/// Invariant: `symbols` is sorted, so indices order like ids.
pub struct Impact {
    /// The record this was made from.
    pub trace: Arc<Trace>,
    /// Every symbol that was executed (or instantiated) anywhere in the run.
    pub symbols: Vec<SymbolId>,
    /// Per symbol, the tests that execute it: indices into `trace.tests`.
    pub executed_by: Vec<FixedBitSet>,
    /// Per symbol, where it ran outside any test.
    pub outside_tests: Vec<Vec<Outside>>,
    /// Per edge of the trace, the symbols it joins; `None` where the callee matches no symbol.
    edges: Vec<Option<SymbolEdge>>,
    /// Per context of the trace, edges that its record does not tell.
    inferred: Vec<Vec<SymbolEdge>>,
    /// The languages whose records do not tell who called.
    entered: BTreeSet<Language>,
    uses: OnceLock<Uses>,
    sides: OnceLock<Arc<Sides>>,
}

/// A place outside the tests where a symbol was executed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outside {
    /// At start-up, in plugins and hooks.
    Session,
    /// While the module body of this file ran.
    Import(String),
    /// While the runner collected this file.
    Collect(String),
}

/// An observed edge between symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolEdge {
    /// The caller; `None` when no code of the project called, the callee itself when nobody knows.
    pub caller: Option<SymbolIndex>,
    /// The symbol that ran.
    pub callee: SymbolIndex,
    /// Whether what ran is nested in the callee: who called it need not know the callee.
    pub is_nested: bool,
}

impl Impact {
    /// Reads the trace of a snapshot; without one nothing is executed.
    ///
    /// What is nested in a function is part of it: the function cannot do without.
    pub fn new(analysis: &Analysis) -> Self {
        let trace = analysis.trace().unwrap_or_default();
        let ran = &analysis.trace_symbols().symbols;
        let matched: Vec<Option<SymbolId>> = ran
            .iter()
            .map(|id| id.as_ref().map(|id| outermost_function(analysis, id)))
            .collect();
        let is_nested = |code: u32| ran.get(code as usize) != matched.get(code as usize);
        let symbols = distinct(&matched);
        let index: FxHashMap<&SymbolId, SymbolIndex> = symbols
            .iter()
            .enumerate()
            .map(|(index, id)| (id, index))
            .collect();
        let of_code = |code: u32| {
            matched
                .get(code as usize)
                .and_then(Option::as_ref)
                .and_then(|id| index.get(id))
                .copied()
        };
        // A class body runs when its module is imported; that is no use of the class.
        let is_use = |code: u32| {
            let kind = trace.codes.get(code as usize).map(|code| code.kind);
            matches!(kind, Some(CodeKind::Function | CodeKind::Class))
        };
        let edges = trace
            .edges
            .iter()
            .map(|edge| {
                let callee = of_code(edge.callee).filter(|_| is_use(edge.callee))?;
                // Resuming is not calling: whoever drains a generator need not know who made it.
                let caller = match edge.kind {
                    EdgeKind::Resume | EdgeKind::Entered => Some(callee),
                    _ => edge.caller.and_then(of_code),
                };
                Some(SymbolEdge {
                    caller,
                    callee,
                    is_nested: is_nested(edge.callee),
                })
            })
            .collect();
        let count = symbols.len();
        let mut impact = Self {
            executed_by: vec![FixedBitSet::with_capacity(trace.tests.len()); count],
            outside_tests: vec![Vec::new(); count],
            entered: languages_without_callers(&trace),
            inferred: vec![Vec::new(); trace.contexts.len()],
            trace,
            symbols,
            edges,
            uses: OnceLock::new(),
            sides: OnceLock::new(),
        };
        impact.infer(analysis);
        impact.note_tests();
        impact.note_outside();
        impact
    }

    /// The uses in the text of the snapshot that this was made from.
    pub(super) fn uses(&self, analysis: &Analysis) -> &Uses {
        self.uses.get_or_init(|| Uses::new(analysis))
    }

    /// What is test code in the snapshot that this was made from.
    pub(super) fn sides(&self, analysis: &Analysis) -> Arc<Sides> {
        let sides = self
            .sides
            .get_or_init(|| Arc::new(Sides::new(analysis, self)));
        Arc::clone(sides)
    }

    /// Whether of a symbol's language it is only known what ran, not by whom: its types are not seen.
    pub fn is_inferred(&self, id: &SymbolId) -> bool {
        Language::from_path(id.path()).is_some_and(|language| self.entered.contains(&language))
    }

    /// The symbols' positions by id.
    pub fn index_of(&self, id: &SymbolId) -> Option<SymbolIndex> {
        self.symbols.binary_search(id).ok()
    }

    /// The positions of what ran of a symbol: itself and what it contains.
    pub fn within(&self, id: &SymbolId) -> impl Iterator<Item = SymbolIndex> + '_ {
        // Symbols are sorted by id, and everything inside starts with the text of what holds it.
        let start = self.symbols.partition_point(|other| other < id);
        let inside = self.symbols.iter().enumerate().skip(start);
        let id = id.clone();
        let outer = id.clone();
        inside
            .take_while(move |(_, other)| other.as_str().starts_with(outer.as_str()))
            .filter(move |(_, other)| other.is_within(&id))
            .map(|(index, _)| index)
    }

    /// The observed edges of the given tests, each once, in order.
    pub fn edges_of(&self, tests: &FixedBitSet) -> Vec<SymbolEdge> {
        let mut contexts = FixedBitSet::with_capacity(self.trace.contexts.len());
        for test in tests.ones() {
            for &context in self
                .trace
                .tests
                .get(test)
                .map_or(&[][..], |test| &test.contexts)
            {
                contexts.grow_and_insert(context as usize);
            }
        }
        let mut edges: Vec<_> = contexts
            .ones()
            .flat_map(|context| self.edges_in(context))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn edges_in(&self, context: usize) -> impl Iterator<Item = SymbolEdge> + '_ {
        let edges = self
            .trace
            .contexts
            .get(context)
            .map_or(&[][..], |context| &context.edges);
        let recorded = edges
            .iter()
            .filter_map(|&edge| self.edges.get(edge as usize).copied().flatten());
        let inferred = self.inferred.get(context).map_or(&[][..], Vec::as_slice);
        recorded.chain(inferred.iter().copied())
    }

    /// Adds the edges between functions of which the record only tells that they ran.
    fn infer(&mut self, analysis: &Analysis) {
        let entered: Vec<Vec<SymbolIndex>> = self
            .trace
            .contexts
            .iter()
            .map(|context| {
                let edges = context.edges.iter().filter(|&&edge| {
                    let edge = self.trace.edges.get(edge as usize);
                    edge.is_some_and(|edge| edge.kind == EdgeKind::Entered)
                });
                let symbols =
                    edges.filter_map(|&edge| self.edges.get(edge as usize).copied().flatten());
                symbols.map(|edge| edge.callee).collect()
            })
            .collect();
        if entered.iter().all(Vec::is_empty) {
            return;
        }
        let calls =
            inferred::Calls::new(analysis, &self.symbols, entered.iter().flatten().copied());
        self.inferred = entered.iter().map(|ran| calls.among(ran)).collect();
    }

    fn note_tests(&mut self) {
        let users = users_of_contexts(&self.trace);
        for (context, tests) in users {
            let callees: Vec<_> = self.edges_in(context).map(|edge| edge.callee).collect();
            for callee in callees {
                if let Some(executed_by) = self.executed_by.get_mut(callee) {
                    executed_by.union_with(&tests);
                }
            }
        }
    }

    fn note_outside(&mut self) {
        for context in 0..self.trace.contexts.len() {
            let Some(outside) = self
                .trace
                .contexts
                .get(context)
                .and_then(|context| outside(&context.kind))
            else {
                continue;
            };
            let callees: Vec<_> = self.edges_in(context).map(|edge| edge.callee).collect();
            for callee in callees {
                if let Some(places) = self.outside_tests.get_mut(callee) {
                    places.push(outside.clone());
                }
            }
        }
        for places in &mut self.outside_tests {
            places.sort_unstable();
            places.dedup();
        }
    }
}

/// The outermost function around a symbol, or the symbol itself.
pub(super) fn outermost_function(analysis: &Analysis, id: &SymbolId) -> SymbolId {
    let containers = |id: &SymbolId| analysis.symbol(id).and_then(|symbol| symbol.container);
    let chain = std::iter::successors(containers(id), containers);
    let functions = chain.filter(|id| {
        analysis
            .symbol(id)
            .is_some_and(|symbol| symbol.kind.is_callable())
    });
    functions.last().unwrap_or_else(|| id.clone())
}

fn languages_without_callers(trace: &Trace) -> BTreeSet<Language> {
    let entered = trace
        .edges
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Entered);
    entered
        .filter_map(|edge| trace.codes.get(edge.callee as usize))
        .filter_map(|code| Language::from_path(&code.path))
        .collect()
}

fn distinct(matched: &[Option<SymbolId>]) -> Vec<SymbolId> {
    let mut symbols: Vec<_> = matched.iter().flatten().cloned().collect();
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// For each context that belongs to tests, the tests it belongs to.
fn users_of_contexts(trace: &Trace) -> BTreeMap<usize, FixedBitSet> {
    let mut users: BTreeMap<usize, FixedBitSet> = BTreeMap::new();
    for (index, test) in trace.tests.iter().enumerate() {
        for &context in &test.contexts {
            users
                .entry(context as usize)
                .or_insert_with(|| FixedBitSet::with_capacity(trace.tests.len()))
                .insert(index);
        }
    }
    users
}

fn outside(kind: &ContextKind) -> Option<Outside> {
    match kind {
        ContextKind::Session => Some(Outside::Session),
        ContextKind::Import { path } => Some(Outside::Import(path.clone())),
        ContextKind::Collect { path } => Some(Outside::Collect(path.clone())),
        ContextKind::Fixture { .. } | ContextKind::Test { .. } => None,
    }
}
