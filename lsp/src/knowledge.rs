//! Knowledge: what a recorded run of the tests tells about symbols, as plain data that any number of
//! requests can read while the files change.

use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::graph::{Edge, Provenance};
use analyzer::symbol::SymbolId;
use analyzer::trace::{EdgeKind, Trace};
use analyzer::{Analysis, Language};
use harness::overview::Row;
use harness::study::Study;
use rustc_hash::FxHashMap;

/// What is known of the tests of one language of a folder.
#[derive(Debug)]
pub struct Knowledge {
    /// The record.
    pub trace: Arc<Trace>,
    /// Per symbol, the tests that execute it: indices into the trace's tests.
    executed: FxHashMap<SymbolId, Vec<u32>>,
    /// The tests of each test function.
    tests: FxHashMap<SymbolId, Vec<u32>>,
    /// Calls that were seen, by callee.
    callers: FxHashMap<SymbolId, Vec<Seen>>,
    /// Calls that were seen, by caller.
    callees: FxHashMap<SymbolId, Vec<Seen>>,
    /// The texts of the definitions as they were in that run, hashed.
    texts: FxHashMap<SymbolId, u64>,
}

/// A call that was seen: the other end, and in how many tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The other end.
    pub symbol: SymbolId,
    /// How the one made the other run.
    pub kind: EdgeKind,
    /// In how many tests.
    pub tests: u32,
}

/// How a symbol as it is now stands to a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Its text is what ran.
    Fresh,
    /// Its text has changed since.
    Stale,
    /// The run knows nothing of it.
    Unknown,
}

impl Knowledge {
    /// Reads a study of the tests of the language of this name.
    pub fn new(study: &Study, language: &str) -> Self {
        let mut knowledge = Self {
            trace: Arc::clone(&study.trace),
            executed: FxHashMap::default(),
            tests: FxHashMap::default(),
            callers: FxHashMap::default(),
            callees: FxHashMap::default(),
            texts: texts(&study.analysis, language),
        };
        let impact = &study.impact;
        for (symbol, tests) in impact.symbols.iter().zip(&impact.executed_by) {
            let tests = tests.ones().filter_map(|test| u32::try_from(test).ok());
            knowledge.executed.insert(symbol.clone(), tests.collect());
        }
        for index in 0..study.trace.tests.len() {
            for function in study.pieces.symbols(index) {
                let tests = knowledge.tests.entry(function.clone()).or_default();
                tests.extend(u32::try_from(index));
            }
        }
        knowledge.note_calls(study);
        knowledge
    }

    fn note_calls(&mut self, study: &Study) {
        let graph = study.analysis.graph();
        for caller in graph.symbols() {
            for edge in graph.edges_from(caller) {
                let Some(kind) = seen(&edge) else { continue };
                let (from, to) = (edge.from.clone(), edge.to.clone());
                let seen = |symbol| Seen {
                    symbol,
                    ..kind.clone()
                };
                let callees = self.callees.entry(from.clone()).or_default();
                callees.push(seen(to.clone()));
                self.callers.entry(to).or_default().push(seen(from));
            }
        }
    }

    /// The tests that execute a symbol; none where no run was seen.
    pub fn executing(&self, symbol: &SymbolId) -> &[u32] {
        self.executed.get(symbol).map_or(&[], Vec::as_slice)
    }

    /// The tests that a test function stands for.
    pub fn tests_of(&self, function: &SymbolId) -> &[u32] {
        self.tests.get(function).map_or(&[], Vec::as_slice)
    }

    /// Who was seen to call a symbol.
    pub fn callers(&self, symbol: &SymbolId) -> &[Seen] {
        self.callers.get(symbol).map_or(&[], Vec::as_slice)
    }

    /// What a symbol was seen to call.
    pub fn callees(&self, symbol: &SymbolId) -> &[Seen] {
        self.callees.get(symbol).map_or(&[], Vec::as_slice)
    }

    /// How a symbol with its present text stands to the run.
    pub fn freshness(&self, symbol: &SymbolId, text: &[u8]) -> Freshness {
        match self.texts.get(symbol) {
            None => Freshness::Unknown,
            Some(hash) if *hash == hash_of(text) => Freshness::Fresh,
            Some(_) => Freshness::Stale,
        }
    }
}

fn seen(edge: &Edge<'_>) -> Option<Seen> {
    let Provenance::Observed(observed) = edge.provenance else {
        return None;
    };
    Some(Seen {
        symbol: edge.to.clone(),
        kind: observed.kind,
        tests: observed.tests,
    })
}

/// The texts of the language of this name: a run of its tests says nothing of code in another.
fn texts(analysis: &Analysis, language: &str) -> FxHashMap<SymbolId, u64> {
    let mut texts = FxHashMap::default();
    let is_of_language =
        |path: &str| Language::from_path(path).is_some_and(|it| it.id() == language);
    let paths = analysis.paths().into_iter();
    for path in paths.filter(|path| is_of_language(path)) {
        let Some(source) = analysis.source(&path) else {
            continue;
        };
        for symbol in analysis.symbols(&path).iter() {
            let text = source.bytes().get(symbol.full.clone());
            texts.insert(symbol.id.clone(), hash_of(text.unwrap_or_default()));
        }
    }
    texts
}

fn hash_of(text: &[u8]) -> u64 {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(text);
    hasher.finish()
}

/// What test files offer as targets, by path.
pub type Offers = BTreeMap<String, Row>;
