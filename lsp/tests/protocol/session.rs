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

/// The parameters of the next notification with a method.
fn told(client: &Client, method: &str) -> Value {
    let heard = client
        .hear(|message| matches!(message, Message::Notification(told) if told.method == method));
    match heard {
        Message::Notification(told) => told.params,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_sets_a_target_is_told_which_feature_is_active() {
    let set = |client: &Client, arguments: Value| {
        let params = json!({"command": "lacuna.setTarget", "arguments": arguments});
        client.ask("workspace/executeCommand", params);
        let told = told(client, "lacuna/featureChanged");
        assert_eq!(told["target"], json!([]));
        told["reason"].as_str().map(str::to_owned)
    };
    let client = Client::start(FILES);
    assert_eq!(set(&client, json!([])), None);
    assert!(set(&client, json!(["a.py"])).unwrap().contains("no run"));
    client.end();
    let empty = Client::silent(FILES);
    empty.begin_session(&[]);
    let reason = set(&empty, json!(["a.py"])).unwrap();
    assert!(reason.contains("no folder"), "{reason}");
    empty.end();
}

#[test]
fn a_configuration_or_a_setting_that_makes_no_sense_is_told() {
    let client = Client::silent("//- lacuna.toml\n[feature]\nmax_colateral = 1\n");
    let folders = json!([{"uri": client.uri(""), "name": "workspace"}]);
    let options = json!({"minShare": 7});
    let params =
        json!({"capabilities": {}, "workspaceFolders": folders, "initializationOptions": options});
    client.ask("initialize", params);
    for word in ["minShare", "max_colateral"] {
        let told = told(&client, "window/showMessage");
        assert_eq!(told["type"], 2);
        assert!(told["message"].as_str().unwrap().contains(word), "{told}");
    }
    client.end();
}

#[test]
fn what_was_said_of_a_file_is_taken_back_when_it_is_closed() {
    let client = Client::start(FILES);
    let uri = client.uri("a.py");
    let document = json!({"uri": uri, "languageId": "python", "version": 1, "text": "a\0"});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
    let count = || {
        let told = told(&client, "textDocument/publishDiagnostics");
        assert_eq!(told["uri"], uri);
        told["diagnostics"].as_array().unwrap().len()
    };
    assert_eq!(count(), 1);
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    while count() != 0 {}
    client.end();
}

#[test]
fn a_file_about_which_nothing_is_to_be_said_any_more_is_reported_as_such() {
    let client = Client::start(FILES);
    let before = json!([{"uri": client.uri("a.py"), "value": "told"}]);
    let report = client.ask("workspace/diagnostic", json!({"previousResultIds": before}));
    assert_eq!(report["items"][0]["uri"], client.uri("a.py"));
    assert_eq!(report["items"][0]["items"], json!([]));
    client.end();
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
