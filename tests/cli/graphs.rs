//! A feature as a graph: in the JSON document, and for Graphviz.

use expect_test::expect;

use crate::support::{TARGET, bench};

#[test]
fn json_has_the_graph_of_the_symbols_that_it_lists() {
    let Some(bench) = bench() else { return };
    let json = bench.json(&["show", "--target", TARGET]);
    let graph = &json["graph"];
    assert_eq!(graph["version"], 1);
    assert_eq!(graph["target"], json["target"]);
    let nodes = graph["nodes"].as_array().unwrap();
    for symbol in json["symbols"].as_array().unwrap() {
        let node = nodes.iter().find(|node| node["id"] == symbol["symbol"]);
        let node = node.unwrap_or_else(|| panic!("no node for {symbol}"));
        for field in [
            "role",
            "line",
            "lines",
            "target_tests",
            "other_tests",
            "action",
        ] {
            assert_eq!(node[field], symbol[field], "{field} of {symbol}");
        }
    }
    let ids: Vec<_> = nodes.iter().map(|node| &node["id"]).collect();
    for edge in graph["edges"].as_array().unwrap() {
        assert!(
            ids.contains(&&edge["from"]) && ids.contains(&&edge["to"]),
            "{edge}"
        );
    }
}

#[test]
fn dot_draws_files_as_boxes_and_uses_as_arrows() {
    let Some(bench) = bench() else { return };
    let dot = bench.ok(&["show", "--target", TARGET, "--format", "dot"]);
    // The rest depends on the version of Python, as what stays does.
    let head = dot.lines().take(5).chain(["…"]);
    let about = dot
        .lines()
        .filter(|line| line.contains("\"src/ladle/text.py::tick_list\""));
    let shown: Vec<&str> = head.chain(about).chain(dot.lines().last()).collect();
    expect![[r##"
        digraph feature {
          rankdir=LR
          node [shape=box style="filled,rounded" fontname="sans-serif"]
          label="tests/test_shopping.py"
          subgraph cluster_0 {
        …
            "src/ladle/text.py::tick_list" [label="tick_list" fillcolor="#cdf2f2" tooltip="specific, line 48, run by 3 target and 0 other tests"]
          "src/ladle/shopping.py::ShoppingList.to_text" -> "src/ladle/text.py::tick_list" [style=solid tooltip="observed call, src/ladle/shopping.py:129"]
          "src/ladle/text.py::tick_list" -> "src/ladle/shopping.py::ShoppingList.to_text" [style=solid tooltip="observed resume, src/ladle/shopping.py:123"]
          "src/ladle/text.py::tick_list" -> "src/ladle/text.py::_TICK_BOX" [style=dotted tooltip="static read, src/ladle/text.py:56"]
        }"##]].assert_eq(&shown.join("\n"));
}

#[test]
fn only_show_prints_a_graph() {
    let Some(bench) = bench() else { return };
    for arguments in [&["features"][..], &["why", "--target", TARGET, "tick_list"]] {
        let arguments = [arguments, &["--format", "dot"]].concat();
        expect![[r#"
            Some(2): lacuna: error: only `lacuna show` can print a graph; the `--format` of other commands is `human` or `json`
        "#]]
        .assert_eq(&bench.refused(&arguments));
    }
}
