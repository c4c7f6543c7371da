//! A feature as a graph in Graphviz's language: a box for each file, a colour for each role, a line
//! style for each provenance.

use std::collections::BTreeMap;
use std::fmt::Write;

use extractors::feature_graph::{FeatureGraph, GraphEdge, GraphNode, NodeRole};

/// The text of the graph.
pub fn render(graph: &FeatureGraph) -> String {
    let mut text = String::from(
        "digraph feature {\n  rankdir=LR\n  node [shape=box style=\"filled,rounded\" fontname=\"sans-serif\"]\n",
    );
    let _ = writeln!(text, "  label={}", quoted(&graph.target.join(", ")));
    for (number, (path, nodes)) in by_file(graph).into_iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{number} {{");
        let _ = writeln!(text, "    label={}", quoted(path));
        for node in nodes {
            let _ = writeln!(text, "    {}", statement(node));
        }
        text += "  }\n";
    }
    for edge in &graph.edges {
        let _ = writeln!(text, "  {}", arrow(edge));
    }
    text + "}\n"
}

fn by_file(graph: &FeatureGraph) -> BTreeMap<&str, Vec<&GraphNode>> {
    let mut files: BTreeMap<&str, Vec<&GraphNode>> = BTreeMap::new();
    for node in &graph.nodes {
        files.entry(&node.path).or_default().push(node);
    }
    files
}

fn statement(node: &GraphNode) -> String {
    format!(
        "{} [label={} fillcolor=\"{}\" tooltip={}]",
        quoted(node.id.as_str()),
        quoted(&node.name),
        colour(node.role),
        quoted(&format!(
            "{}, line {}, run by {} target and {} other tests",
            node.role.word(),
            node.line,
            node.target_tests,
            node.other_tests
        ))
    )
}

fn arrow(edge: &GraphEdge) -> String {
    let style = match edge.provenance {
        "observed" => "solid",
        "inferred" => "dashed",
        _ => "dotted",
    };
    format!(
        "{} -> {} [style={style} tooltip={}]",
        quoted(edge.from.as_str()),
        quoted(edge.to.as_str()),
        quoted(&format!(
            "{} {}, {}:{}",
            edge.provenance, edge.kind, edge.path, edge.line
        ))
    )
}

/// The page has the same ones, see `editors/graph-page/page.css`.
fn colour(role: NodeRole) -> &'static str {
    match role {
        NodeRole::Test => "#dcf5e3",
        NodeRole::Top => "#d6e6ff",
        NodeRole::Specific => "#cdf2f2",
        NodeRole::Orphaned => "#ecdfff",
        NodeRole::Shared => "#ffedc7",
        NodeRole::Protected => "#e6e8eb",
        NodeRole::Between => "#ffffff",
    }
}

/// A text between quotes, as the language wants it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}
