//! A feature as a page of its own: everything in one file, which works without a network.

use extractors::feature_graph::FeatureGraph;

/// The page, with a `{{name}}` for each part.
const PAGE: &str = include_str!("../../../editors/graph-page/page.html");
const STYLE: &str = include_str!("../../../editors/graph-page/page.css");
const LIBRARY: &str = include_str!("../../../editors/graph-page/vendor/cytoscape.min.js");
const SCRIPTS: [&str; 3] = [
    include_str!("../../../editors/graph-page/layout.js"),
    include_str!("../../../editors/graph-page/details.js"),
    include_str!("../../../editors/graph-page/page.js"),
];
/// Tells the page's own scripts from others. It is no secret: the page loads nothing, and what it shows
/// is no markup.
const NONCE: &str = "lacuna";

/// The page of a graph.
///
/// # Errors
/// None that a graph could cause: its record is plain data.
pub fn render(graph: &FeatureGraph) -> serde_json::Result<String> {
    let data = serde_json::to_string(graph)?;
    let title = format!("Feature of {}", graph.target.join(", "));
    let script = SCRIPTS.concat();
    Ok(filled(PAGE, &|name| match name {
        "nonce" => NONCE.to_owned(),
        "title" => as_text(&title),
        "style" => STYLE.to_owned(),
        "graph" => in_script(&data),
        "library" => LIBRARY.to_owned(),
        "script" => script.clone(),
        _ => String::new(),
    }))
}

/// A template with its parts, none of which is searched for parts.
fn filled(template: &str, part: &dyn Fn(&str) -> String) -> String {
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        text += &part(name);
        text += rest;
    }
    text
}

/// JSON that holds no markup: no text in it can end the element that it stands in.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn as_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use analyzer::symbol::{SymbolId, SymbolKind};
    use extractors::feature_graph::{GraphNode, NodeRole, VERSION};

    use super::*;

    /// The page of one function with this code.
    fn page(code: &str) -> String {
        let id = SymbolId::parse("m::f");
        let node = GraphNode {
            name: "f".to_owned(),
            kind: SymbolKind::Function,
            role: NodeRole::Top,
            action: None,
            path: "m".to_owned(),
            line: 1,
            lines: 1,
            target_tests: 1,
            other_tests: 0,
            code: code.to_owned(),
            chain: Vec::new(),
            id,
        };
        let graph = FeatureGraph {
            version: VERSION,
            target: vec!["<b>{{style}}".to_owned()],
            nodes: vec![node],
            edges: Vec::new(),
            ambiguous: 0,
        };
        render(&graph).unwrap()
    }

    #[test]
    fn no_text_of_a_project_is_markup_of_the_page() {
        let code = "x = '</script><script>alert(1)</script><!--' # {{library}}";
        let page = page(code);
        for piece in ["</script><script>alert", "<!--' #", "<b>"] {
            assert!(!page.contains(piece), "{piece}");
        }
        let (_, data) = page.split_once("id=\"graph\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let graph: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(graph["nodes"][0]["code"], code);
        assert_eq!(graph["target"][0], "<b>{{style}}");
        assert!(page.contains("<title>Feature of &lt;b&gt;{{style}}</title>"));
    }

    #[test]
    fn the_page_is_whole_and_loads_nothing() {
        let page = page("");
        assert_eq!(page.matches("<script").count(), 3);
        assert_eq!(page.matches("</script").count(), 3);
        assert_eq!(page.matches("</style").count(), 1);
        assert!(page.contains("default-src 'none'"));
        for part in [STYLE, LIBRARY, SCRIPTS[0], SCRIPTS[1], SCRIPTS[2]] {
            assert!(page.contains(part));
        }
    }
}
