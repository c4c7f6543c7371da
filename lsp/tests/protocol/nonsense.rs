//! Nonsense: whatever a client says, each request has one answer and the server goes on.

use std::fs;
use std::os::unix::fs::symlink;

use lsp_server::{Message, Notification};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::client::Client;
use crate::wire;

const FILES: &str = "
//- a.py
def one():
    return 1
";

const METHODS: [&str; 32] = [
    "initialize",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "textDocument/prepareTypeHierarchy",
    "typeHierarchy/supertypes",
    "typeHierarchy/subtypes",
    "textDocument/hover",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "codeLens/resolve",
    "textDocument/codeAction",
    "textDocument/diagnostic",
    "workspace/diagnostic",
    "lacuna/roles",
    "lacuna/featureGraph",
    "lacuna/showChain",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeConfiguration",
    "$/cancelRequest",
];

/// Values that look a little like parameters.
fn params() -> impl Strategy<Value = Value> {
    let uris = [
        "file:///nowhere/a.py",
        "HERE/a.py",
        "HERE/../a.py",
        "HERE",
        "untitled:1",
        "file://%",
        "",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0u32..5).prop_map(Value::from),
        proptest::sample::select(uris.to_vec()).prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let keys = [
        "textDocument",
        "uri",
        "position",
        "line",
        "character",
        "range",
        "start",
        "end",
        "item",
        "data",
        "query",
        "positions",
        "context",
        "diagnostics",
        "contentChanges",
        "text",
        "version",
        "changes",
        "type",
        "id",
        "settings",
        "symbol",
        "languageId",
        "includeDeclaration",
    ];
    leaf.prop_recursive(5, 64, 8, move |inner| {
        let key = proptest::sample::select(keys.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(key, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Parameters with the place of the workspace in them.
fn placed(params: &Value, client: &Client) -> Value {
    let here = client.uri("");
    serde_json::from_str(&params.to_string().replace("HERE", &here)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_messages_leave_a_server_that_answers(
        messages in proptest::collection::vec(
            (proptest::sample::select(METHODS.to_vec()), params(), any::<bool>()), 1..30),
    ) {
        let client = Client::start(FILES);
        let mut asked = Vec::new();
        for (method, params, is_request) in &messages {
            let params = placed(params, &client);
            if *is_request {
                asked.push(client.begin(method, params));
            } else {
                client.tell(method, params);
            }
        }
        for id in &asked {
            client.answer_to(id);
        }
        let symbols = client.ask("workspace/symbol", json!({"query": "one"}));
        prop_assert!(symbols.is_array());
        let left = client.end();
        let answers = left.iter().filter(|message| matches!(message, Message::Response(_)));
        prop_assert_eq!(answers.count(), 0);
    }
}

/// Bodies of messages that look a little like a client's, among others that are any bytes.
fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let method = proptest::sample::select(METHODS.to_vec());
    let message =
        (method, params(), proptest::option::of(0..4)).prop_map(|(method, params, id)| {
            let mut message = json!({"method": method, "params": params});
            if let Some(id) = id {
                message["id"] = json!(id);
            }
            message.to_string().into_bytes()
        });
    prop_oneof![4 => message, 1 => proptest::collection::vec(any::<u8>(), 0..40)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes_are_a_session_that_ends(
        bodies in proptest::collection::vec(bodies(), 0..30), is_raw: bool,
    ) {
        let lines = bodies.join(&b'\n');
        wire::session(&if is_raw { [b"!", &*lines].concat() } else { lines });
    }
}

#[test]
fn huge_binary_lost_and_looping_files_do_no_harm() {
    let client = Client::start(FILES);
    let changed = |paths: &[&str]| {
        let change = |path: &&str| json!({"uri": client.uri(path), "type": 2});
        let changes: Vec<Value> = paths.iter().map(change).collect();
        client.tell(
            "workspace/didChangeWatchedFiles",
            json!({"changes": changes}),
        );
    };
    fs::write(client.path("huge.py"), "x = 1\n".repeat(9_000_000)).unwrap();
    fs::write(client.path("binary.py"), [0, 159, 146, 150]).unwrap();
    fs::write(
        client.path("latin.py"),
        b"# coding: latin-1\ndef caf\xe9():\n    pass\n",
    )
    .unwrap();
    symlink(client.path("loop.py"), client.path("loop.py")).unwrap();
    changed(&["huge.py", "binary.py", "latin.py", "loop.py", "lost.py"]);
    for path in ["huge.py", "binary.py", "loop.py", "lost.py"] {
        let symbols = client.ask(
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": client.uri(path)}}),
        );
        assert!(
            symbols.as_array().is_none_or(Vec::is_empty),
            "{path}: {symbols}"
        );
    }
    let latin = json!({"textDocument": {"uri": client.uri("latin.py")}});
    assert_eq!(
        client
            .ask("textDocument/documentSymbol", latin)
            .as_array()
            .unwrap()
            .len(),
        1
    );
    client.end();
}

#[test]
fn a_thousand_changes_leave_the_last_text() {
    let client = Client::start(FILES);
    let uri = client.uri("a.py");
    let text = |number: u32| format!("def name_{number}():\n    return 1\n");
    let opened = json!({"uri": uri, "languageId": "python", "version": 0, "text": text(0)});
    client.tell("textDocument/didOpen", json!({"textDocument": opened}));
    for number in 1..=1000 {
        let told = Notification {
            method: "textDocument/didChange".to_owned(),
            params: json!({
                "textDocument": {"uri": uri, "version": number},
                "contentChanges": [{"text": text(number)}],
            }),
        };
        client.send(told.into());
    }
    let params = json!({"textDocument": {"uri": uri}});
    let symbols = client.ask("textDocument/documentSymbol", params);
    assert_eq!(symbols[0]["name"], "name_1000");
    client.end();
}
