//! Chains: how a target test comes to need a symbol, step by step.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::Analysis;
use analyzer::feature::Scope;
use analyzer::feature::impact::Impact;
use analyzer::graph::{DependencyGraph, Edge, Provenance, Routes, StaticKind};
use analyzer::occurrence::Confidence;
use analyzer::symbol::SymbolId;
use serde::Serialize;

/// A chain from a test to a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// The test's function.
    pub test: SymbolId,
    /// The steps; empty if the test is the symbol.
    pub steps: Vec<Link>,
}

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The symbol that depends.
    pub from: SymbolId,
    /// The symbol it depends on.
    pub to: SymbolId,
    /// How we know: `observed`, `inferred` (both ran in a target test, and the one refers to the other)
    /// or `static`.
    pub provenance: &'static str,
    /// How the one depends on the other, in words.
    pub how: String,
    /// The place that says so: file and line, counted from 1; for an observed edge the definition.
    pub path: String,
    /// See `path`.
    pub line: usize,
}

/// What is known of a project and a target: the text, what ran, and the tests.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The files and the trace.
    pub analysis: &'a Analysis,
    /// Which tests execute which symbols.
    pub impact: &'a Impact,
    /// The target.
    pub scope: &'a Scope,
    /// The functions of the target tests, in the runner's order.
    pub tests: &'a [SymbolId],
}

impl Evidence<'_> {
    /// Whether a target test runs a symbol.
    fn ran(&self, id: &SymbolId) -> bool {
        let tests = self.impact.index_of(id);
        let tests = tests.and_then(|index| self.impact.executed_by.get(index));
        tests.is_some_and(|tests| !tests.is_disjoint(&self.scope.target))
    }

    /// Whether target tests may have gone through a symbol: it ran, or no run shows it.
    fn may_have_run(&self, id: &SymbolId) -> bool {
        let symbol = self.analysis.symbol(id);
        let shows = symbol.is_some_and(|it| it.kind.is_callable() && it.body.is_some());
        self.ran(id) || !shows
    }

    /// How an edge is known.
    pub(crate) fn provenance(&self, edge: &Edge<'_>) -> &'static str {
        match edge.provenance {
            Provenance::Observed(_) => "observed",
            _ if self.impact.is_inferred(edge.from) && self.ran(edge.from) && self.ran(edge.to) => {
                "inferred"
            }
            _ => "static",
        }
    }
}

/// The shortest chains from target tests to symbols, all of them found in one search.
pub struct Chains<'a> {
    evidence: Evidence<'a>,
    graph: Arc<DependencyGraph>,
    /// Through what target tests ran.
    seen: Routes,
    /// Through whatever the text says.
    any: OnceCell<Routes>,
    pub(crate) lines: Lines<'a>,
}

impl<'a> Chains<'a> {
    /// Searches from the target tests.
    pub fn new(evidence: Evidence<'a>) -> Self {
        let graph = evidence.analysis.graph();
        Self {
            seen: graph.routes(evidence.tests, &|id| evidence.may_have_run(id)),
            any: OnceCell::new(),
            lines: Lines::new(evidence.analysis),
            graph,
            evidence,
        }
    }

    /// The shortest chain to a symbol, among equally short ones that of the first test: through what
    /// target tests ran if there is one, else through what the text says.
    pub fn to(&self, symbol: &SymbolId) -> Option<Chain> {
        let seen = self.graph.route_to(&self.seen, symbol);
        let route = seen.or_else(|| self.graph.route_to(self.any(), symbol))?;
        let steps = route.windows(2).filter_map(|pair| match pair {
            [from, to] => self.link(from, to),
            _ => None,
        });
        Some(Chain {
            test: route.first()?.clone(),
            steps: steps.collect(),
        })
    }

    fn any(&self) -> &Routes {
        self.any
            .get_or_init(|| self.graph.routes(self.evidence.tests, &|_| true))
    }

    fn link(&self, from: &SymbolId, to: &SymbolId) -> Option<Link> {
        let edges = self.graph.edges_from(from);
        let uses = edges.iter().filter(|edge| edge.to == to && edge.is_use());
        let edge = uses.min_by_key(|edge| rank(edge))?;
        let (path, line) = self.place(edge);
        Some(Link {
            from: from.clone(),
            to: to.clone(),
            provenance: self.evidence.provenance(edge),
            how: how(edge),
            path,
            line,
        })
    }

    /// The place that says that an edge is there; for an observed edge the definition it leads to.
    pub(crate) fn place(&self, edge: &Edge<'_>) -> (String, usize) {
        let analysis = self.evidence.analysis;
        let place = match edge.provenance {
            Provenance::Static(edge) => analysis.range_of(&edge.place),
            _ => analysis
                .symbol(edge.to)
                .map(|symbol| (edge.to.path().to_owned(), symbol.focus)),
        };
        let (path, range) = place.unwrap_or_else(|| (edge.to.path().to_owned(), 0..0));
        let line = self.lines.of(&path, range.start);
        (path, line)
    }
}

/// Observed edges are shown before resolved ones, and those before guesses by name.
pub(crate) fn rank(edge: &Edge<'_>) -> u8 {
    match edge.provenance {
        Provenance::Observed(_) => 0,
        Provenance::Static(edge) if edge.confidence == Confidence::Resolved => 1,
        Provenance::Static(_) | Provenance::Definition => 2,
    }
}

fn how(edge: &Edge<'_>) -> String {
    let kind = kind_word(edge.provenance);
    match edge.provenance {
        Provenance::Observed(observed) if observed.tests == 0 => {
            format!("{kind}, outside any test")
        }
        Provenance::Observed(observed) if observed.tests == 1 => format!("{kind}, in 1 test"),
        Provenance::Observed(observed) => format!("{kind}, in {} tests", observed.tests),
        Provenance::Static(edge) => format!("{kind}, {}", confidence_word(edge.confidence)),
        Provenance::Definition => kind,
    }
}

/// The word for how one symbol depends on another.
pub(crate) fn kind_word(provenance: &Provenance) -> String {
    match provenance {
        Provenance::Observed(edge) => word(&edge.kind),
        Provenance::Static(edge) => match edge.kind {
            StaticKind::Reference(kind) => word(&kind),
            StaticKind::Import => "import".to_owned(),
            StaticKind::Inherit => "inherit".to_owned(),
            StaticKind::Override => "override".to_owned(),
            StaticKind::Contain => "contain".to_owned(),
        },
        Provenance::Definition => "by name".to_owned(),
    }
}

/// The word for how sure an edge of the text is.
pub(crate) fn confidence_word(confidence: Confidence) -> String {
    word(&confidence)
}

/// The word that records use for a value.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The line numbers of offsets; where the lines of a file start is found once.
pub(crate) struct Lines<'a> {
    analysis: &'a Analysis,
    starts: RefCell<BTreeMap<String, Vec<usize>>>,
}

impl<'a> Lines<'a> {
    fn new(analysis: &'a Analysis) -> Self {
        Self {
            analysis,
            starts: RefCell::default(),
        }
    }

    /// The line, counted from 1, of an offset in a file; 0 if the file is not there.
    pub fn of(&self, path: &str, offset: usize) -> usize {
        let mut starts = self.starts.borrow_mut();
        if !starts.contains_key(path) {
            starts.insert(path.to_owned(), self.starts_in(path));
        }
        let starts = starts.get(path).map_or(&[][..], Vec::as_slice);
        starts.partition_point(|&start| start <= offset)
    }

    fn starts_in(&self, path: &str) -> Vec<usize> {
        let Some(source) = self.analysis.source(path) else {
            return Vec::new();
        };
        let bytes = source.bytes().iter().enumerate();
        let ends = bytes.filter(|&(_, &byte)| byte == b'\n');
        std::iter::once(0)
            .chain(ends.map(|(at, _)| at + 1))
            .collect()
    }
}
