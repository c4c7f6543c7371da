//! The feature graph: the symbols of a feature and its target tests as nodes, what needs what as edges.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::feature::{Feature, Role};
use analyzer::graph::{Edge, Provenance};
use analyzer::occurrence::Confidence;
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use serde::Serialize;

use crate::chain::{self, Chains, Evidence, Link};
use crate::removal::Action;

/// The version of [`FeatureGraph`].
pub const VERSION: u32 = 1;

/// How many nodes a name may mean so that each is taken for a guess; among more, none is worth telling.
const MAX_MEANINGS: usize = 8;

/// The most lines of code that a node shows.
const MAX_CODE_LINES: usize = 120;
/// The most characters of code that a node shows.
const MAX_CODE_CHARACTERS: usize = 8_000;

/// A feature as a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureGraph {
    /// [`VERSION`].
    pub version: u32,
    /// The target, as it was asked for.
    pub target: Vec<String>,
    /// The members of the feature, the functions of its target tests and what lies on a chain from one
    /// to the other, sorted by id.
    pub nodes: Vec<GraphNode>,
    /// What they need of each other, sorted by the ids of both ends; at most one edge from a node to
    /// another.
    pub edges: Vec<GraphEdge>,
    /// How many uses of names are no edges because too many nodes have the name.
    pub ambiguous: usize,
}

/// A symbol of the graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphNode {
    /// Its id.
    pub id: SymbolId,
    /// Its name with its containers; for a module its path.
    pub name: String,
    /// Its category.
    pub kind: SymbolKind,
    /// What it is to the feature.
    pub role: NodeRole,
    /// What is done with it; none if it stays, or leaves only with what encloses it.
    pub action: Option<Action>,
    /// Its file.
    pub path: String,
    /// Its first line, counted from 1.
    pub line: u32,
    /// How many lines it takes.
    pub lines: usize,
    /// How many good target tests execute it.
    pub target_tests: usize,
    /// How many good other tests execute it.
    pub other_tests: usize,
    /// Its text without the indentation of its first line, cut where it is long.
    pub code: String,
    /// How a target test comes to need it; empty for a test, and for what no test reaches.
    pub chain: Vec<Link>,
}

/// What a node is to the feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeRole {
    /// The function of a target test.
    Test,
    /// See [`Role::Top`].
    Top,
    /// See [`Role::Specific`].
    Specific,
    /// See [`Role::Orphaned`].
    Orphaned,
    /// See [`Role::Shared`].
    Shared,
    /// See [`Role::Protected`].
    Protected,
    /// No part of the feature; a chain from a test to a member leads through it.
    Between,
}

impl NodeRole {
    /// The word for it, as records have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Top => "top",
            Self::Specific => "specific",
            Self::Orphaned => "orphaned",
            Self::Shared => "shared",
            Self::Protected => "protected",
            Self::Between => "between",
        }
    }
}

impl From<Role> for NodeRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Top => Self::Top,
            Role::Specific => Self::Specific,
            Role::Orphaned => Self::Orphaned,
            Role::Shared => Self::Shared,
            Role::Protected => Self::Protected,
        }
    }
}

/// That one node needs another: the best evidence for it, with what is known besides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphEdge {
    /// The symbol that depends.
    pub from: SymbolId,
    /// The symbol it depends on.
    pub to: SymbolId,
    /// See [`Link::provenance`].
    pub provenance: &'static str,
    /// How the one depends on the other: a word.
    pub kind: String,
    /// How sure the text is, if it says so at all.
    pub confidence: Option<Confidence>,
    /// How many tests did it, if it was observed.
    pub tests: u32,
    /// The place in the text that says so, else the definition of what is needed.
    pub path: String,
    /// Its line, counted from 1.
    pub line: usize,
}

/// What the graph is made from.
pub struct Ingredients<'a> {
    /// What is known of the project and the target.
    pub evidence: Evidence<'a>,
    /// The feature.
    pub feature: &'a Feature,
    /// What is done with the symbols that leave on their own.
    pub actions: BTreeMap<&'a SymbolId, Action>,
    /// The target, as it was asked for.
    pub target: &'a [String],
}

/// The graph of a feature.
pub fn feature_graph(from: &Ingredients<'_>) -> FeatureGraph {
    let Ingredients {
        evidence, feature, ..
    } = from;
    let chains = Chains::new(*evidence);
    let own = feature.members.keys().chain(evidence.tests);
    let own = own.map(|id| (id.clone(), chains.to(id)));
    let mut links: BTreeMap<SymbolId, Vec<Link>> = own
        .map(|(id, chain)| (id, chain.map_or_else(Vec::new, |chain| chain.steps)))
        .collect();
    for id in between(&links) {
        let chain = chains.to(&id).map_or_else(Vec::new, |chain| chain.steps);
        links.insert(id, chain);
    }
    let ids = links.keys().cloned().collect();
    let (edges, ambiguous) = edges(evidence, &chains, &ids);
    FeatureGraph {
        version: VERSION,
        target: from.target.to_vec(),
        edges,
        ambiguous,
        nodes: links
            .into_iter()
            .map(|(id, links)| node(from, &chains, &id, links))
            .collect(),
    }
}

/// What the chains of nodes lead through that is no node itself.
fn between(links: &BTreeMap<SymbolId, Vec<Link>>) -> BTreeSet<SymbolId> {
    let steps = links.values().flatten();
    let ends = steps.flat_map(|link| [&link.from, &link.to]);
    let between = ends.filter(|id| !links.contains_key(id));
    between.cloned().collect()
}

fn node(from: &Ingredients<'_>, chains: &Chains<'_>, id: &SymbolId, chain: Vec<Link>) -> GraphNode {
    let Evidence {
        analysis,
        impact,
        scope,
        ..
    } = from.evidence;
    let symbol = analysis.symbol(id);
    let member = from.feature.members.get(id);
    let runs = || analyzer::feature::runs(impact, scope, id);
    let (target_tests, other_tests) =
        member.map_or_else(runs, |member| (member.target_tests, member.other_tests));
    let role = match member {
        Some(member) => member.role.into(),
        None if from.evidence.tests.contains(id) => NodeRole::Test,
        None => NodeRole::Between,
    };
    let is_named = !id.chain().is_empty();
    let last_line = |symbol: &Symbol| chains.lines.of(id.path(), symbol.full.end);
    let (line, lines) = symbol.as_ref().map_or((0, 0), |symbol| {
        let lines = (last_line(symbol) + 1).saturating_sub(symbol.line as usize);
        (symbol.line, lines)
    });
    GraphNode {
        name: if is_named { id.chain() } else { id.path() }.to_owned(),
        kind: symbol.as_ref().map_or(SymbolKind::Module, |it| it.kind),
        role,
        action: from.actions.get(id).copied(),
        path: id.path().to_owned(),
        line,
        lines,
        target_tests,
        other_tests,
        code: symbol.map_or_else(String::new, |symbol| code(analysis, &symbol)),
        chain,
        id: id.clone(),
    }
}

/// The text of a symbol, as it would stand at the start of a line.
fn code(analysis: &Analysis, symbol: &Symbol) -> String {
    let Some(source) = analysis.source(symbol.id.path()) else {
        return String::new();
    };
    let before = source.bytes().get(..symbol.full.start).unwrap_or_default();
    let indent = before
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'\t'));
    let indent = before
        .get(before.len() - indent.count()..)
        .unwrap_or_default();
    let indent = String::from_utf8_lossy(indent);
    let text = source.decode(symbol.full.clone());
    let lines = text.lines().take(MAX_CODE_LINES);
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix(&*indent).unwrap_or(line))
        .collect();
    lines.join("\n").chars().take(MAX_CODE_CHARACTERS).collect()
}

/// The edges, and how many uses of names are none.
fn edges(
    evidence: &Evidence<'_>,
    chains: &Chains<'_>,
    ids: &BTreeSet<SymbolId>,
) -> (Vec<GraphEdge>, usize) {
    let graph = evidence.analysis.graph();
    let edges = graph.edges_among(ids);
    // All that one use of a name may mean follow each other, and stem from one edge beneath.
    let uses = edges.chunk_by(|one, next| std::ptr::eq(one.provenance, next.provenance));
    let (clear, ambiguous): (Vec<_>, Vec<_>) = uses.partition(|use_| use_.len() <= MAX_MEANINGS);
    let mut pairs: BTreeMap<(&SymbolId, &SymbolId), Vec<&Edge<'_>>> = BTreeMap::new();
    let clear = clear.into_iter().flatten().filter(|edge| edge.is_use());
    for edge in clear.filter(|edge| edge.from != edge.to) {
        pairs.entry((edge.from, edge.to)).or_default().push(edge);
    }
    let merged = |edges: &Vec<&Edge<'_>>| merged(evidence, chains, edges);
    let merged = pairs.values().filter_map(merged).collect();
    (merged, ambiguous.len())
}

/// One edge for all between the same two symbols.
fn merged(evidence: &Evidence<'_>, chains: &Chains<'_>, edges: &[&Edge<'_>]) -> Option<GraphEdge> {
    let best = edges.iter().min_by_key(|edge| chain::rank(edge))?;
    let is_said = |edge: &&&Edge<'_>| matches!(edge.provenance, Provenance::Static(_));
    let said = edges
        .iter()
        .filter(is_said)
        .min_by_key(|edge| chain::rank(edge));
    let (path, line) = chains.place(said.unwrap_or(best));
    let tests = edges.iter().map(|edge| match edge.provenance {
        Provenance::Observed(observed) => observed.tests,
        _ => 0,
    });
    Some(GraphEdge {
        from: best.from.clone(),
        to: best.to.clone(),
        provenance: evidence.provenance(best),
        kind: chain::kind_word(best.provenance),
        confidence: said.and_then(|edge| match edge.provenance {
            Provenance::Static(edge) => Some(edge.confidence),
            _ => None,
        }),
        tests: tests.max().unwrap_or(0),
        path,
        line,
    })
}

#[cfg(test)]
mod tests;
