//! The dependency graph: symbols, and edges between them that say where they come from.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use petgraph::Direction;
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::database::{self, Db};
use crate::edges::End;
use crate::facts::Name;
use crate::names;
use crate::occurrence::{Confidence, ReferenceKind};
use crate::symbol::SymbolId;
use crate::trace::EdgeKind;

/// A node of the underlying graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A symbol.
    Symbol(SymbolId),
    /// Stands for every definition of a name: uses of that name on objects of unknown class lead here,
    /// and from here to all definitions. It saves an edge for each pair.
    Named(Name),
}

/// Where an edge comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// The text says so.
    Static(StaticEdge),
    /// It was seen in a run.
    Observed(ObservedEdge),
    /// From a name to one of its definitions; never part of an answer.
    Definition,
}

/// An edge that the text gives rise to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticEdge {
    /// How the one depends on the other.
    pub kind: StaticKind,
    /// How sure that is.
    pub confidence: Confidence,
    /// The first place that says so; `Analysis::range_of` gives its range.
    pub place: Place,
}

/// How one symbol depends on another, as far as the text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StaticKind {
    /// It uses it. Code that is evaluated elsewhere than where it stands (decorators, defaults, class
    /// bodies) gives an edge from the symbol it stands in and one from the code that evaluates it.
    Reference(ReferenceKind),
    /// It imports it.
    Import,
    /// It is a class with that base.
    Inherit,
    /// From a member to one that overrides it in a subclass: who uses the first may get the second.
    Override,
    /// It encloses it.
    Contain,
}

/// What gives rise to a static edge. It holds no offsets, so the graph survives edits that move code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A reference of a file.
    Reference {
        /// The file.
        path: Arc<str>,
        /// Index into its references.
        index: u32,
    },
    /// An import of a file.
    Import {
        /// The file.
        path: Arc<str>,
        /// Index into its imports.
        index: u32,
    },
    /// A definition.
    Symbol(SymbolId),
}

/// An edge that was seen in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedEdge {
    /// How the one made the other run.
    pub kind: EdgeKind,
    /// How many tests did it.
    pub tests: u32,
    /// The first of them in the runner's order; `None` for what only ran outside tests.
    pub first_test: Option<String>,
}

/// An edge between two symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge<'g> {
    /// The symbol that depends.
    pub from: &'g SymbolId,
    /// The symbol it depends on.
    pub to: &'g SymbolId,
    /// Where the edge comes from.
    pub provenance: &'g Provenance,
}

impl Edge<'_> {
    /// Whether running the one may run the other: everything but what encloses what.
    pub fn is_use(&self) -> bool {
        !matches!(
            self.provenance,
            Provenance::Static(StaticEdge {
                kind: StaticKind::Contain,
                ..
            })
        )
    }
}

/// Symbols and the edges between them. Nodes are in order of path and source; edges are in order of
/// the file they come from, observed ones last.
#[derive(Debug, Default)]
pub struct DependencyGraph {
    graph: DiGraph<Node, Provenance>,
    index: FxHashMap<SymbolId, NodeIndex>,
}

impl DependencyGraph {
    /// The node of a symbol.
    pub fn node(&self, symbol: &SymbolId) -> Option<NodeIndex> {
        self.index.get(symbol).copied()
    }

    /// The graph beneath, with nodes that stand for names.
    pub fn petgraph(&self) -> &DiGraph<Node, Provenance> {
        &self.graph
    }

    /// All symbols in order of path and source.
    pub fn symbols(&self) -> impl Iterator<Item = &SymbolId> {
        self.graph.node_weights().filter_map(symbol_of)
    }

    /// What a symbol depends on. Between two symbols there may be several edges.
    pub fn edges_from(&self, symbol: &SymbolId) -> Vec<Edge<'_>> {
        self.edges(symbol, Direction::Outgoing)
    }

    /// What depends on a symbol.
    pub fn edges_to(&self, symbol: &SymbolId) -> Vec<Edge<'_>> {
        self.edges(symbol, Direction::Incoming)
    }

    fn edges(&self, symbol: &SymbolId, direction: Direction) -> Vec<Edge<'_>> {
        let Some(node) = self.node(symbol) else {
            return Vec::new();
        };
        let mut edges = Vec::new();
        for near in self.directed(node, direction) {
            let middle = other_end(&near, direction);
            if self.is_symbol(middle) {
                edges.extend(self.edge(near.source(), near.target(), near.weight()));
                continue;
            }
            for far in self.directed(middle, direction) {
                let end = other_end(&far, direction);
                let (from, to, said) = match direction {
                    Direction::Outgoing => (node, end, near.weight()),
                    Direction::Incoming => (end, node, far.weight()),
                };
                edges.extend(self.edge(from, to, said));
            }
        }
        edges
    }

    /// In order of insertion, which petgraph gives backwards.
    fn directed(
        &self,
        node: NodeIndex,
        direction: Direction,
    ) -> Vec<EdgeReference<'_, Provenance>> {
        let mut edges: Vec<_> = self.graph.edges_directed(node, direction).collect();
        edges.sort_by_key(EdgeRef::id);
        edges
    }

    fn is_symbol(&self, node: NodeIndex) -> bool {
        matches!(self.graph.node_weight(node), Some(Node::Symbol(_)))
    }

    fn edge<'g>(
        &'g self,
        from: NodeIndex,
        to: NodeIndex,
        provenance: &'g Provenance,
    ) -> Option<Edge<'g>> {
        let from = symbol_of(self.graph.node_weight(from)?)?;
        let to = symbol_of(self.graph.node_weight(to)?)?;
        Some(Edge {
            from,
            to,
            provenance,
        })
    }

    /// The edges between some symbols, in the order of the symbols and of the edges from each.
    pub fn edges_among(&self, symbols: &BTreeSet<SymbolId>) -> Vec<Edge<'_>> {
        let ends: FxHashSet<NodeIndex> = symbols.iter().filter_map(|id| self.node(id)).collect();
        // Many definitions may have a name: which of them are ends is found once for each name.
        let mut named: FxHashMap<NodeIndex, Vec<NodeIndex>> = FxHashMap::default();
        let mut edges = Vec::new();
        for from in symbols.iter().filter_map(|id| self.node(id)) {
            for near in self.directed(from, Direction::Outgoing) {
                if self.is_symbol(near.target()) {
                    let end = Some(near.target()).filter(|end| ends.contains(end));
                    edges.extend(end.and_then(|end| self.edge(from, end, near.weight())));
                    continue;
                }
                let definitions = named.entry(near.target()).or_insert_with(|| {
                    let all = self.directed(near.target(), Direction::Outgoing);
                    let all = all.iter().map(EdgeRef::target);
                    all.filter(|end| ends.contains(end)).collect()
                });
                let to = definitions.iter();
                edges.extend(to.filter_map(|&end| self.edge(from, end, near.weight())));
            }
        }
        edges
    }

    /// Shortest routes along uses from some symbols to all others. Symbols that are not `allowed` may
    /// end a route, and lie between on none.
    pub fn routes<'s>(
        &self,
        starts: impl IntoIterator<Item = &'s SymbolId>,
        allowed: &dyn Fn(&SymbolId) -> bool,
    ) -> Routes {
        let mut routes = Routes::default();
        let mut queue = VecDeque::new();
        for start in starts.into_iter().filter_map(|id| self.node(id)) {
            if routes.reach(start, None) {
                queue.push_back((start, true));
            }
        }
        while let Some((node, is_start)) = queue.pop_front() {
            if !is_start && !self.is_allowed(node, allowed) {
                continue;
            }
            for edge in self.directed(node, Direction::Outgoing) {
                if is_use(edge.weight()) && routes.reach(edge.target(), Some(node)) {
                    self.queue_symbols(edge.target(), &mut routes, &mut queue);
                }
            }
        }
        routes
    }

    /// The symbols of a route, start and end included: one of the shortest, among these one of the
    /// first start that has one. `None` where no route leads.
    pub fn route_to(&self, routes: &Routes, symbol: &SymbolId) -> Option<Vec<SymbolId>> {
        let end = self.node(symbol)?;
        routes.before.get(&end)?;
        let before = |node: &NodeIndex| routes.before.get(node).copied().flatten();
        let nodes = std::iter::successors(Some(end), before);
        let mut route: Vec<SymbolId> = nodes
            .filter_map(|node| self.graph.node_weight(node).and_then(symbol_of).cloned())
            .collect();
        route.reverse();
        Some(route)
    }

    fn is_allowed(&self, node: NodeIndex, allowed: &dyn Fn(&SymbolId) -> bool) -> bool {
        let symbol = self.graph.node_weight(node).and_then(symbol_of);
        symbol.is_none_or(allowed)
    }

    /// A node that stands for a name costs nothing: what lies behind it is as near as the name.
    fn queue_symbols(
        &self,
        node: NodeIndex,
        routes: &mut Routes,
        queue: &mut VecDeque<(NodeIndex, bool)>,
    ) {
        if self.is_symbol(node) {
            queue.push_back((node, false));
            return;
        }
        for edge in self.directed(node, Direction::Outgoing) {
            if routes.reach(edge.target(), Some(node)) {
                queue.push_back((edge.target(), false));
            }
        }
    }
}

/// What [`DependencyGraph::routes`] found: for each node that is reached, the one before it.
#[derive(Debug, Default)]
pub struct Routes {
    before: FxHashMap<NodeIndex, Option<NodeIndex>>,
}

impl Routes {
    /// Notes a way to a node; whether it is the first.
    fn reach(&mut self, node: NodeIndex, from: Option<NodeIndex>) -> bool {
        let is_new = !self.before.contains_key(&node);
        if is_new {
            self.before.insert(node, from);
        }
        is_new
    }
}

fn symbol_of(node: &Node) -> Option<&SymbolId> {
    match node {
        Node::Symbol(symbol) => Some(symbol),
        Node::Named(_) => None,
    }
}

fn is_use(provenance: &Provenance) -> bool {
    !matches!(
        provenance,
        Provenance::Static(StaticEdge {
            kind: StaticKind::Contain,
            ..
        })
    )
}

fn other_end(edge: &EdgeReference<'_, Provenance>, direction: Direction) -> NodeIndex {
    match direction {
        Direction::Outgoing => edge.target(),
        Direction::Incoming => edge.source(),
    }
}

/// The graph of the project.
pub(crate) fn build(db: &dyn Db) -> DependencyGraph {
    let mut builder = Builder::default();
    for &file in database::files(db) {
        for definition in &database::summary(db, file).definitions {
            builder.symbol(&definition.id);
        }
    }
    for &file in database::files(db) {
        for (from, to, edge) in &database::edges(db, file).edges {
            builder.static_edge(db, from, to, edge);
        }
    }
    builder.observed(db);
    builder.graph
}

#[derive(Default)]
struct Builder {
    graph: DependencyGraph,
    names: FxHashMap<Name, NodeIndex>,
}

impl Builder {
    fn symbol(&mut self, symbol: &SymbolId) -> NodeIndex {
        let DependencyGraph { graph, index } = &mut self.graph;
        *index
            .entry(symbol.clone())
            .or_insert_with(|| graph.add_node(Node::Symbol(symbol.clone())))
    }

    /// The node of a name, with its edges to all definitions.
    fn name(&mut self, db: &dyn Db, name: &Name) -> NodeIndex {
        if let Some(node) = self.names.get(name) {
            return *node;
        }
        let node = self.graph.graph.add_node(Node::Named(name.clone()));
        self.names.insert(name.clone(), node);
        for symbol in names::name_index(db).named(name) {
            let definition = self.symbol(symbol);
            self.graph
                .graph
                .add_edge(node, definition, Provenance::Definition);
        }
        node
    }

    fn static_edge(&mut self, db: &dyn Db, from: &SymbolId, to: &End, edge: &StaticEdge) {
        let from = self.symbol(from);
        let to = match to {
            End::Symbol(symbol) => self.symbol(symbol),
            End::Named(name) => self.name(db, name),
        };
        self.graph
            .graph
            .add_edge(from, to, Provenance::Static(edge.clone()));
    }

    /// Edges of the trace between matched symbols; what is not matched is listed with the matches.
    fn observed(&mut self, db: &dyn Db) {
        for (from, to, edge) in crate::trace_symbols::observed_edges(db) {
            let (from, to) = (self.symbol(&from), self.symbol(&to));
            self.graph
                .graph
                .add_edge(from, to, Provenance::Observed(edge));
        }
    }
}
