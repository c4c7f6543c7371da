//! Chains: how a target test comes to need a symbol, step by step.

use analyzer::Analysis;
use analyzer::graph::{Edge, Provenance, StaticKind};
use analyzer::occurrence::Confidence;
use analyzer::symbol::SymbolId;
use serde::Serialize;

use crate::carve::target::nearest;
use crate::study::Study;
use analyzer::feature::Scope;

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

/// The symbol that a person means: an id, or the end of exactly one.
///
/// # Errors
/// What to do instead, for a person.
pub fn find_symbol(analysis: &Analysis, text: &str) -> Result<SymbolId, String> {
    let exact = SymbolId::parse(text);
    if analysis.symbol(&exact).is_some() {
        return Ok(exact);
    }
    let paths = analysis.paths();
    let all: Vec<SymbolId> = paths
        .iter()
        .flat_map(|path| {
            analysis
                .symbols(path)
                .iter()
                .map(|symbol| symbol.id.clone())
                .collect::<Vec<_>>()
        })
        .collect();
    let ends = |id: &&SymbolId| {
        id.as_str()
            .strip_suffix(text)
            .is_some_and(|rest| rest.ends_with(['.', ':', '/']))
    };
    let matching: Vec<&SymbolId> = all.iter().filter(ends).collect();
    match matching.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            // Whoever writes no path means the name alone.
            let names = if text.contains("::") {
                nearest(text, all.iter().map(SymbolId::as_str))
            } else {
                nearest(text, all.iter().map(SymbolId::chain))
            };
            let hint = if names.is_empty() {
                String::new()
            } else {
                format!("; did you mean {}?", names.join(" or "))
            };
            Err(format!("no symbol is called {text:?}{hint}"))
        }
        several => {
            let names: Vec<&str> = several.iter().take(5).map(|id| id.as_str()).collect();
            Err(format!(
                "{text:?} may mean {} symbols, among them {}; give a whole id",
                several.len(),
                names.join(", ")
            ))
        }
    }
}

/// The shortest chain from any target test to the symbol, among equally short ones that of the
/// first test: through what target tests ran if there is one, else through what the text says.
pub fn shortest(study: &Study, scope: &Scope, symbol: &SymbolId) -> Option<Chain> {
    let graph = study.analysis.graph();
    let tests = scope.target.ones();
    let mut functions: Vec<SymbolId> = tests
        .flat_map(|index| study.pieces.symbols(index).cloned())
        .collect();
    functions.dedup();
    let seen = |id: &SymbolId| ran(study, scope, id) || !is_callable(&study.analysis, id);
    let chains = functions.iter().filter_map(|test| {
        graph
            .shortest_path_through(test, symbol, &seen)
            .or_else(|| graph.shortest_path(test, symbol))
    });
    let ids = chains.min_by_key(Vec::len)?;
    let test = ids.first()?.clone();
    let steps = ids.windows(2).filter_map(|pair| match pair {
        [from, to] => {
            let edges = graph.edges_from(from);
            let edge = edges
                .iter()
                .filter(|edge| edge.to == to && edge.is_use())
                .min_by_key(|edge| rank(edge))?;
            let mut link = link(&study.analysis, edge);
            let both_ran = ran(study, scope, from) && ran(study, scope, to);
            if study.impact.is_inferred(from) && both_ran {
                link.provenance = "inferred";
            }
            Some(link)
        }
        _ => None,
    });
    Some(Chain {
        test,
        steps: steps.collect(),
    })
}

/// Whether a target test runs a symbol.
fn ran(study: &Study, scope: &Scope, id: &SymbolId) -> bool {
    let tests = study.impact.index_of(id);
    let tests = tests.and_then(|index| study.impact.executed_by.get(index));
    tests.is_some_and(|tests| !tests.is_disjoint(&scope.target))
}

fn is_callable(analysis: &Analysis, id: &SymbolId) -> bool {
    analysis
        .symbol(id)
        .is_some_and(|symbol| symbol.kind.is_callable() && symbol.body.is_some())
}

/// Observed edges are shown before resolved ones, and those before guesses by name.
fn rank(edge: &Edge<'_>) -> u8 {
    match edge.provenance {
        Provenance::Observed(_) => 0,
        Provenance::Static(edge) if edge.confidence == Confidence::Resolved => 1,
        Provenance::Static(_) | Provenance::Definition => 2,
    }
}

fn link(analysis: &Analysis, edge: &Edge<'_>) -> Link {
    let (provenance, how) = match edge.provenance {
        Provenance::Observed(observed) => (
            "observed",
            format!("{}, in {}", word(&observed.kind), tests(observed.tests)),
        ),
        Provenance::Static(edge) => (
            "static",
            format!("{}, {}", static_word(edge.kind), word(&edge.confidence)),
        ),
        Provenance::Definition => ("static", "by name".to_owned()),
    };
    let place = match edge.provenance {
        Provenance::Static(edge) => analysis.range_of(&edge.place),
        _ => analysis
            .symbol(edge.to)
            .map(|symbol| (edge.to.path().to_owned(), symbol.focus)),
    };
    let (path, range) = place.unwrap_or_else(|| (edge.to.path().to_owned(), 0..0));
    let line = analysis
        .source(&path)
        .map_or(0, |source| line_of(source.bytes(), range.start));
    Link {
        from: edge.from.clone(),
        to: edge.to.clone(),
        provenance,
        how,
        path,
        line,
    }
}

fn tests(number: u32) -> String {
    match number {
        1 => "1 test".to_owned(),
        _ => format!("{number} tests"),
    }
}

/// The line, counted from 1, of an offset.
fn line_of(bytes: &[u8], offset: usize) -> usize {
    1 + bytes
        .iter()
        .take(offset)
        .filter(|&&byte| byte == b'\n')
        .count()
}

/// The word that records use for a value.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn static_word(kind: StaticKind) -> String {
    match kind {
        StaticKind::Reference(kind) => word(&kind),
        StaticKind::Import => "import".to_owned(),
        StaticKind::Inherit => "inherit".to_owned(),
        StaticKind::Override => "override".to_owned(),
        StaticKind::Contain => "contain".to_owned(),
    }
}
