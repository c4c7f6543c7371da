//! The order of messages: the start, the end, and what is answered to nonsense.

use lsp_server::{Message, RequestId, Response};
use serde_json::{Value, json};

use crate::client::Client;

const FILES: &str = "
//- a.py
def one():
    return 1
";

#[test]
fn nothing_is_answered_before_the_start_and_after_the_end() {
    let client = Client::silent(FILES);
    assert_eq!(client.refused("textDocument/hover", json!({})), -32002);
    client.tell("textDocument/didOpen", json!({}));
    client.send(Response::new_ok(RequestId::from(7), Value::Null).into());
    let nonsense = json!({"capabilities": 7});
    assert_eq!(client.refused("initialize", nonsense), -32602);
    client.ask("initialize", json!({"capabilities": {}}));
    client.tell("initialized", json!({}));
    assert_eq!(
        client.refused("initialize", json!({"capabilities": {}})),
        -32600
    );
    client.ask("shutdown", Value::Null);
    assert_eq!(
        client.refused("textDocument/hover", client.place("a.py", 0, 5)),
        -32600
    );
    assert!(client.exit().is_ok());
}

#[test]
fn a_client_that_asks_before_it_says_that_it_is_ready_is_answered() {
    let client = Client::silent(FILES);
    client.ask("initialize", json!({"capabilities": {}}));
    assert!(
        client
            .ask("workspace/symbol", json!({"query": ""}))
            .is_array()
    );
    client.end();
}

#[test]
fn an_exit_without_a_shutdown_is_a_failure() {
    let client = Client::start(FILES);
    assert!(client.exit().is_err());
    assert!(Client::silent(FILES).exit().is_err());
}

#[test]
fn a_progress_that_a_client_wants_to_see_begins_and_ends() {
    let client = Client::start(FILES);
    let command =
        json!({"command": "lacuna.check", "arguments": ["lost"], "workDoneToken": "mine"});
    client.refused("workspace/executeCommand", command);
    let kind = |message: &Message| match message {
        Message::Notification(told) if told.params["token"] == "mine" => {
            told.params["value"]["kind"].as_str().map(str::to_owned)
        }
        _ => None,
    };
    let kinds: Vec<String> = client.end().iter().filter_map(kind).collect();
    assert_eq!(kinds, ["begin", "end"]);
}

#[test]
fn what_is_unknown_or_wrong_is_refused_and_the_session_goes_on() {
    let client = Client::start(FILES);
    assert_eq!(client.refused("textDocument/nonsense", json!({})), -32601);
    assert_eq!(
        client.refused("textDocument/hover", json!({"textDocument": 7})),
        -32602
    );
    client.tell("$/nonsense", json!([1]));
    client.tell("textDocument/didChange", json!({"textDocument": {}}));
    for uri in ["untitled:x", "file:///elsewhere/a.py", "file:///", ""] {
        let params = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}});
        assert!(client.ask("textDocument/hover", params).is_null());
    }
    let beyond = client.at("textDocument/hover", "a.py", 4_000_000_000, 4_000_000_000);
    assert!(beyond.is_null());
    assert_eq!(
        client.refused("workspace/executeCommand", json!({"command": "rm"})),
        -32602
    );
    client.end();
}

#[test]
fn every_request_has_exactly_one_answer() {
    let client = Client::start(FILES);
    let place = client.place("a.py", 0, 5);
    let ids: Vec<RequestId> = (0..50)
        .map(|number| {
            let id = client.begin("textDocument/hover", place.clone());
            if number % 3 == 0 {
                client.tell("$/cancelRequest", json!({"id": id}));
            }
            let text = format!("def one():\n    return {number}\n");
            let document = json!({"uri": client.uri("a.py"), "version": number});
            match number {
                0 => client.tell(
                    "textDocument/didOpen",
                    json!({"textDocument": {"uri": client.uri("a.py"), "languageId": "python", "version": 0, "text": text}}),
                ),
                _ => client.tell(
                    "textDocument/didChange",
                    json!({"textDocument": document, "contentChanges": [{"text": text}]}),
                ),
            }
            id
        })
        .collect();
    for id in &ids {
        let result = client.answer_to(id).response_result;
        let code = result.err().map(|error| error.code);
        assert!(matches!(code, None | Some(-32800 | -32801)), "{code:?}");
    }
    let left = client.end();
    let answers = left
        .iter()
        .filter(|message| matches!(message, Message::Response(_)));
    assert_eq!(answers.count(), 0);
}
