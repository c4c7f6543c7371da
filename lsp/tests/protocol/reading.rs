//! What can be asked about texts: each request on a small workspace.

use std::fs;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::client::Client;

const FILES: &str = "
//- shop/prices.py
import math


class Price:
    \"\"\"An amount.\"\"\"

    def rounded(self):
        return math.floor(self.amount)


class Sale(Price):
    def rounded(self):
        return helper(self)


def helper(price):
    return 1
//- tests/test_prices.py
from shop.prices import Sale, helper


def test_sale():
    assert Sale().rounded() == helper(None)
";

fn check(method: &str, path: &str, line: u32, character: u32, expected: Expect) {
    let client = Client::start(FILES);
    let result = client.at(method, path, line, character);
    expected.assert_eq(&lines(&client.shown(&result)));
    client.end();
}

/// A list with an entry a line.
fn lines(text: &str) -> String {
    text.replace("},{\"", "},\n{\"") + "\n"
}

#[test]
fn the_symbols_of_a_file_are_a_tree() {
    let client = Client::start(FILES);
    let params = json!({"textDocument": {"uri": client.uri("shop/prices.py")}});
    let result = client.ask("textDocument/documentSymbol", params);
    fn names(symbols: &Value, depth: usize, out: &mut String) {
        for symbol in symbols.as_array().into_iter().flatten() {
            let line = &symbol["selectionRange"]["start"]["line"];
            *out += &format!(
                "{}{} {line}\n",
                "  ".repeat(depth),
                symbol["name"].as_str().unwrap()
            );
            names(&symbol["children"], depth + 1, out);
        }
    }
    let mut shown = String::new();
    names(&result, 0, &mut shown);
    expect![[r#"
        Price 3
          rounded 6
        Sale 10
          rounded 11
        helper 15
    "#]]
    .assert_eq(&shown);
    client.end();
}

#[test]
fn symbols_of_the_workspace_are_found_best_first() {
    let client = Client::start(FILES);
    let found = client.ask("workspace/symbol", json!({"query": "sale"}));
    let names = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["Sale", "test_sale"]);
    client.end();
}

#[test]
fn a_use_leads_to_its_definition() {
    check(
        "textDocument/definition",
        "tests/test_prices.py",
        4,
        32,
        expect![[r#"
            [{"uri":"shop/prices.py","range":{"start":{"line":15,"character":4},"end":{"line":15,"character":10}}}]
        "#]],
    );
}

#[test]
fn a_definition_leads_to_its_uses_and_imports() {
    check(
        "textDocument/references",
        "shop/prices.py",
        15,
        5,
        expect![[r#"
            [{"uri":"shop/prices.py","range":{"start":{"line":12,"character":15},"end":{"line":12,"character":21}}},
            {"uri":"shop/prices.py","range":{"start":{"line":15,"character":4},"end":{"line":15,"character":10}}},
            {"uri":"tests/test_prices.py","range":{"start":{"line":0,"character":30},"end":{"line":0,"character":36}}},
            {"uri":"tests/test_prices.py","range":{"start":{"line":4,"character":31},"end":{"line":4,"character":37}}}]
        "#]],
    );
}

#[test]
fn uses_in_the_same_file_are_highlighted() {
    check(
        "textDocument/documentHighlight",
        "shop/prices.py",
        12,
        16,
        expect![[r#"
            [{"range":{"start":{"line":12,"character":15},"end":{"line":12,"character":21}},"kind":2},
            {"range":{"start":{"line":15,"character":4},"end":{"line":15,"character":10}},"kind":3}]
        "#]],
    );
}

#[test]
fn hovering_shows_the_signature() {
    check(
        "textDocument/hover",
        "tests/test_prices.py",
        4,
        32,
        expect![[r#"
            {"contents":{"kind":"markdown","value":"```python\ndef helper(price):\n```\n\n`shop/prices.py::helper`\n"},"range":{"start":{"line":4,"character":31},"end":{"line":4,"character":37}}}
        "#]],
    );
}

#[test]
fn a_comment_before_a_body_is_no_part_of_the_signature() {
    let client =
        Client::start("//- a.py\ndef f(a,  # first\n      b):  # last\n    # Why.\n    return a\n");
    let hover = client.at("textDocument/hover", "a.py", 0, 4);
    let shown = hover["contents"]["value"].as_str().unwrap();
    expect![[r#"
        ```python
        def f(a,  # first
              b):
        ```

        `a.py::f`
    "#]]
    .assert_eq(shown);
    client.end();
}

#[test]
fn calls_are_found_in_both_directions() {
    let client = Client::start(FILES);
    let items = client.at("textDocument/prepareCallHierarchy", "shop/prices.py", 15, 5);
    let item = &items[0];
    let incoming = client.ask("callHierarchy/incomingCalls", json!({"item": item}));
    let callers = incoming.as_array().unwrap().iter();
    let callers =
        callers.map(|call| format!("{} {}\n", call["from"]["name"], call["from"]["detail"]));
    expect![[r#"
        "rounded" "shop/prices.py (static)"
        "test_sale" "tests/test_prices.py (static)"
    "#]]
    .assert_eq(&callers.collect::<String>());
    let test = client.at(
        "textDocument/prepareCallHierarchy",
        "tests/test_prices.py",
        3,
        6,
    );
    let outgoing = client.ask("callHierarchy/outgoingCalls", json!({"item": test[0]}));
    let callees = outgoing.as_array().unwrap().iter();
    let callees = callees.map(|call| format!("{} {}\n", call["to"]["name"], call["to"]["detail"]));
    expect![[r#"
        "Sale" "shop/prices.py (static)"
        "rounded" "shop/prices.py (static)"
        "helper" "shop/prices.py (static)"
    "#]]
    .assert_eq(&callees.collect::<String>());
    client.end();
}

const MODULES: [&str; 3] = ["m.py", "n.rs", "m.go"];

/// What is defined in the modules by lines that start with one of some words.
fn defined(client: &Client, words: &[&str]) -> Vec<Value> {
    let mut items = Vec::new();
    for path in MODULES {
        let text = fs::read_to_string(client.path(path)).unwrap();
        for (line, text) in (0..).zip(text.lines()) {
            let first = words
                .iter()
                .find(|word| text.trim_start().starts_with(**word));
            let Some(word) = first else { continue };
            let column = u32::try_from(text.find(word).unwrap() + word.len()).unwrap();
            let found = client.at("textDocument/prepareCallHierarchy", path, line, column);
            items.push(found[0].clone());
        }
    }
    items
}

/// Every call that is no guess by name, as one of the two questions tells it: `caller > callee`, and the line
/// of its first place.
fn calls(client: &Client, items: &[&[Value]], direction: &str, other: &str) -> Vec<String> {
    let text = |id: &Value| id.as_str().unwrap().to_owned();
    let mut calls = Vec::new();
    for item in items.iter().copied().flatten() {
        let method = format!("callHierarchy/{direction}Calls");
        for call in client
            .ask(&method, json!({"item": item}))
            .as_array()
            .unwrap()
        {
            if call[other]["detail"]
                .as_str()
                .unwrap()
                .ends_with("by name)")
            {
                continue;
            }
            let (mine, theirs) = (text(&item["data"]), text(&call[other]["data"]));
            let (from, to) = if other == "to" {
                (mine, theirs)
            } else {
                (theirs, mine)
            };
            calls.push(format!(
                "{from} > {to} {}",
                call["fromRanges"][0]["start"]["line"]
            ));
        }
    }
    calls.sort();
    calls
}

#[test]
fn both_directions_tell_the_same_calls() {
    let files = "
//- m.py
from functools import cache


def outer():
    def inner():
        return leaf()
    return [inner() for _ in range(leaf())]


@cache
def leaf():
    return 1


class Box:
    size = leaf()

    def area(self, side=leaf()):
        class Local:
            def get(self):
                return outer()
        return Local().get() + self.area()


outer()
Box().area()
//- n.rs
fn leaf() -> u8 { 1 }

fn outer() -> u8 {
    fn inner() -> u8 { leaf() }
    let twice = || inner() + leaf();
    twice()
}
//- go.mod
module m
//- m.go
package m

var size = leaf()

func leaf() int { return 1 }

func outer() int {
	inner := func() int { return leaf() }
	return inner() + size
}
";
    let client = Client::start(files);
    let functions = defined(&client, &["def ", "fn ", "func "]);
    let classes = defined(&client, &["class "]);
    let module = |path| {
        let range = &functions[0]["range"];
        json!({"name": path, "kind": 2, "uri": client.uri(path), "data": path,
            "range": range, "selectionRange": range})
    };
    let modules = MODULES.map(module);
    let outgoing = calls(&client, &[&functions, &modules], "outgoing", "to");
    let incoming = calls(&client, &[&functions, &classes], "incoming", "from");
    assert_eq!(incoming, outgoing);
    expect![[r#"
        m.go > m.go::leaf 2
        m.go::outer > m.go::leaf 7
        m.py > m.py::Box 25
        m.py > m.py::Box.area 25
        m.py > m.py::leaf 15
        m.py > m.py::outer 24
        m.py::Box.area > m.py::Box.area 21
        m.py::Box.area > m.py::Box.area.Local 21
        m.py::Box.area > m.py::Box.area.Local.get 21
        m.py::Box.area.Local.get > m.py::outer 20
        m.py::outer > m.py::leaf 6
        m.py::outer > m.py::outer.inner 6
        m.py::outer.inner > m.py::leaf 5
        n.rs::outer > n.rs::leaf 4
        n.rs::outer > n.rs::outer.inner 4
        n.rs::outer.inner > n.rs::leaf 3"#]]
    .assert_eq(&outgoing.join("\n"));
    client.end();
}

#[test]
fn types_are_found_in_both_directions() {
    let client = Client::start(FILES);
    for (line, method, name) in [(10, "supertypes", "Price"), (3, "subtypes", "Sale")] {
        let items = client.at(
            "textDocument/prepareTypeHierarchy",
            "shop/prices.py",
            line,
            7,
        );
        let types = client.ask(
            &format!("typeHierarchy/{method}"),
            json!({"item": items[0]}),
        );
        assert_eq!(types[0]["name"], name);
        assert_eq!(types.as_array().unwrap().len(), 1);
    }
    client.end();
}

#[test]
fn definitions_and_imports_fold() {
    check(
        "textDocument/foldingRange",
        "shop/prices.py",
        0,
        0,
        expect![[r#"
            [{"startLine":3,"endLine":7},
            {"startLine":6,"endLine":7},
            {"startLine":10,"endLine":12},
            {"startLine":11,"endLine":12},
            {"startLine":15,"endLine":16}]
        "#]],
    );
}

#[test]
fn a_selection_grows_by_the_structure() {
    let client = Client::start(FILES);
    let params = json!({
        "textDocument": {"uri": client.uri("shop/prices.py")},
        "positions": [{"line": 7, "character": 16}],
    });
    let result = client.ask("textDocument/selectionRange", params);
    let mut at = &result[0];
    let mut shown = String::new();
    while at.is_object() {
        let (start, end) = (&at["range"]["start"], &at["range"]["end"]);
        shown += &format!(
            "{}:{}-{}:{}\n",
            start["line"], start["character"], end["line"], end["character"]
        );
        at = &at["parent"];
    }
    expect![[r#"
        7:15-7:19
        7:15-7:25
        7:15-7:38
        7:8-7:38
        6:4-7:38
        4:4-7:38
        3:0-7:38
        0:0-17:0
    "#]]
    .assert_eq(&shown);
    client.end();
}

#[test]
fn names_are_told_with_their_kinds() {
    check(
        "textDocument/semanticTokens/full",
        "tests/test_prices.py",
        0,
        0,
        expect![[r#"
            {"data":[3,4,9,2,1,1,11,4,1,0,0,7,7,3,0,0,13,6,2,0]}
        "#]],
    );
}

#[test]
fn unsaved_texts_outweigh_the_disk() {
    let client = Client::start(FILES);
    let uri = client.uri("shop/prices.py");
    let text = "def helper(price, é𝄞):\n    return 2\n";
    client.tell(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": text}}),
    );
    let change = |line: u32, from: u32, to: u32, text: &str| {
        json!({
            "range": {"start": {"line": line, "character": from}, "end": {"line": line, "character": to}},
            "text": text,
        })
    };
    client.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": uri, "version": 2},
            "contentChanges": [change(0, 18, 24, "tax"), change(1, 11, 12, "3\n\ndef new():\n    pass")],
        }),
    );
    let symbols = client.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": uri}}),
    );
    let names = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["helper", "new"]);
    let hover = client.at("textDocument/hover", "shop/prices.py", 0, 5);
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("def helper(price, tax):")
    );
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    let symbols = client.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(symbols.as_array().unwrap().len(), 3);
    client.end();
}

#[test]
fn a_changed_file_on_disk_is_read_again() {
    let client = Client::start(FILES);
    let path = client.path("shop/new.py");
    fs::write(&path, "def fresh():\n    pass\n").unwrap();
    let uri = client.uri("shop/new.py");
    let watched = |kind: u32| json!({"changes": [{"uri": uri, "type": kind}]});
    client.tell("workspace/didChangeWatchedFiles", watched(1));
    let params = json!({"textDocument": {"uri": uri}});
    let symbols = client.ask("textDocument/documentSymbol", params.clone());
    assert_eq!(symbols[0]["name"], "fresh");
    fs::remove_file(path).unwrap();
    client.tell("workspace/didChangeWatchedFiles", watched(3));
    assert!(client.ask("textDocument/documentSymbol", params).is_null());
    client.end();
}

/// A client that makes edits of this kind.
fn editing(edits: Value) -> Client {
    let capabilities = json!({
        "general": {"positionEncodings": ["utf-8"]},
        "workspace": {"workspaceEdit": edits},
    });
    Client::with(FILES, capabilities)
}

#[test]
fn a_choice_is_an_edit_of_the_configuration() {
    let client = editing(json!({"documentChanges": true, "resourceOperations": ["create"]}));
    let params = json!({
        "textDocument": {"uri": client.uri("shop/prices.py")},
        "range": {"start": {"line": 15, "character": 5}, "end": {"line": 15, "character": 5}},
        "context": {"diagnostics": []},
    });
    let result = client.ask("textDocument/codeAction", params);
    expect![[r#"
        [{"title":"Lacuna: make `helper` part of the feature (top)","kind":"quickfix","edit":{"documentChanges":[{"uri":"lacuna.toml","options":{"ignoreIfExists":true},"kind":"create"},
        {"textDocument":{"version":null,"uri":"lacuna.toml"},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"[feature]\ninclude = [\"shop/prices.py::helper\"]\n"}]}]}},
        {"title":"Lacuna: keep `helper` (protect)","kind":"quickfix","edit":{"documentChanges":[{"uri":"lacuna.toml","options":{"ignoreIfExists":true},"kind":"create"},
        {"textDocument":{"version":null,"uri":"lacuna.toml"},"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"[feature]\nexclude = [\"shop/prices.py::helper\"]\n"}]}]}}]
    "#]].assert_eq(&lines(&client.shown(&result)));
    client.end();
}

#[test]
fn a_choice_is_an_edit_of_the_configuration_as_the_editor_has_it() {
    let client = editing(json!({"documentChanges": true}));
    let choose = || {
        let params = json!({
            "textDocument": {"uri": client.uri("shop/prices.py")},
            "range": {"start": {"line": 15, "character": 5}, "end": {"line": 15, "character": 5}},
            "context": {"diagnostics": []},
        });
        client.ask("textDocument/codeAction", params)
    };
    // A client that makes no files is not told to make one.
    assert!(choose()[0]["edit"]["documentChanges"][0]["edits"].is_array());
    // In a text that cannot be read there is no place for a choice.
    fs::write(client.path("lacuna.toml"), b"# \xe9\n").unwrap();
    assert!(choose().is_null());
    let text = "# unsaved\r\n\r\n[feature]\r\n";
    let document =
        json!({"uri": client.uri("lacuna.toml"), "languageId": "toml", "version": 1, "text": text});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
    let edit = &choose()[0]["edit"]["documentChanges"][0]["edits"][0];
    assert_eq!(edit["range"]["end"], json!({"line": 3, "character": 0}));
    let new = "# unsaved\r\n\r\n[feature]\r\ninclude = [\"shop/prices.py::helper\"]\r\n";
    assert_eq!(edit["newText"], new);
    client.end();
}

#[test]
fn a_client_that_knows_edits_of_texts_only_is_offered_those() {
    let client = Client::start(FILES);
    let params = json!({
        "textDocument": {"uri": client.uri("shop/prices.py")},
        "range": {"start": {"line": 15, "character": 5}, "end": {"line": 15, "character": 5}},
        "context": {"diagnostics": []},
    });
    let choice = &client.ask("textDocument/codeAction", params)[0]["edit"];
    assert!(
        choice["changes"][client.uri("lacuna.toml")].is_array(),
        "{choice}"
    );
    assert!(choice["documentChanges"].is_null());
    client.end();
}
