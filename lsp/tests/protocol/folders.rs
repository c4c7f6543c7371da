//! Workspaces: several folders, folders in folders, links in circles, folders that go, and other servers.

use std::fs;
use std::os::unix::fs::symlink;

use lsp_server::Message;
use serde_json::{Value, json};

use crate::client::Client;

const FILES: &str = "
//- one/a.py
def first():
    return 1
//- two/b.py
def second():
    return 2
//- two/inner/c.py
def third():
    return 3
//- two/inner/deep/d.py
def fourth():
    return 4
";

/// A client whose workspace has these folders.
fn client(folders: &[&str]) -> Client {
    let client = Client::silent(FILES);
    client.begin_session(folders);
    client
}

/// The names of a file's symbols; none if the workspace has no such file.
fn names(client: &Client, path: &str) -> Option<Vec<String>> {
    let params = json!({"textDocument": {"uri": client.uri(path)}});
    let symbols = client.ask("textDocument/documentSymbol", params);
    let names = symbols.as_array()?.iter();
    let name = |symbol: &Value| symbol["name"].as_str().map(str::to_owned);
    Some(names.filter_map(name).collect())
}

/// Waits until the files of a folder are read.
fn wait_for(client: &Client, path: &str) {
    client.until(|| names(client, path).is_some());
}

/// Every symbol of the workspace with its file.
fn all(client: &Client) -> Vec<String> {
    let symbols = client.ask("workspace/symbol", json!({"query": ""}));
    let symbols = symbols.as_array().unwrap().iter();
    let shown = symbols.map(|symbol| {
        let uri: Value = serde_json::from_str(&client.shown(&symbol["location"]["uri"])).unwrap();
        format!(
            "{} {}",
            symbol["name"].as_str().unwrap(),
            uri.as_str().unwrap()
        )
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

fn folders_change(client: &Client, added: &[&str], removed: &[&str]) {
    let folder = |path: &&str| json!({"uri": client.uri(path), "name": path});
    let added: Vec<Value> = added.iter().map(folder).collect();
    let removed: Vec<Value> = removed.iter().map(folder).collect();
    client.tell(
        "workspace/didChangeWorkspaceFolders",
        json!({"event": {"added": added, "removed": removed}}),
    );
}

/// Tells of a file or folder: 1 is made, 2 changed, 3 gone.
fn file_changes(client: &Client, path: &str, kind: u32) {
    let change = json!({"uri": client.uri(path), "type": kind});
    client.tell(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [change]}),
    );
}

#[test]
fn each_folder_has_its_files_and_all_have_the_symbols_of_the_workspace() {
    let client = client(&["one", "two/inner"]);
    wait_for(&client, "one/a.py");
    wait_for(&client, "two/inner/c.py");
    assert_eq!(names(&client, "two/b.py"), None);
    let found = [
        "first one/a.py",
        "fourth two/inner/deep/d.py",
        "third two/inner/c.py",
    ];
    assert_eq!(all(&client), found);
    client.end();
}

#[test]
fn folders_come_and_go() {
    let client = client(&["one"]);
    wait_for(&client, "one/a.py");
    folders_change(&client, &["two", "two"], &[]);
    wait_for(&client, "two/b.py");
    folders_change(&client, &[], &["one", "lost"]);
    assert_eq!(names(&client, "one/a.py"), None);
    assert_eq!(all(&client).len(), 3);
    folders_change(&client, &["lost"], &["two"]);
    assert!(all(&client).is_empty());
    client.end();
}

#[test]
fn a_file_in_two_folders_belongs_to_the_inner_one() {
    let client = client(&["two", "two/inner"]);
    wait_for(&client, "two/b.py");
    wait_for(&client, "two/inner/c.py");
    let text = "def changed():\n    return 3\n";
    let document = json!({"uri": client.uri("two/inner/c.py"), "languageId": "python", "version": 1, "text": text});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
    assert_eq!(names(&client, "two/inner/c.py").unwrap(), ["changed"]);
    let found = [
        "changed two/inner/c.py",
        "fourth two/inner/deep/d.py",
        "second two/b.py",
    ];
    assert_eq!(all(&client), found);
    folders_change(&client, &[], &["two/inner"]);
    // The outer folder has followed.
    assert_eq!(names(&client, "two/inner/c.py").unwrap(), ["changed"]);
    client.end();
}

#[test]
fn links_in_circles_are_not_followed() {
    let client = Client::silent(FILES);
    for (path, target) in [
        ("one/self", "one"),
        ("one/up", ""),
        ("two/inner/out", "two"),
    ] {
        symlink(client.path(target), client.path(path)).unwrap();
    }
    client.begin_session(&[""]);
    wait_for(&client, "one/a.py");
    assert_eq!(all(&client).len(), 4);
    assert_eq!(names(&client, "one/self/a.py"), None);
    client.end();
}

#[test]
fn a_folder_that_is_gone_takes_its_files_along_and_can_come_back() {
    let client = client(&["two"]);
    wait_for(&client, "two/b.py");
    fs::rename(client.path("two/inner"), client.path("aside")).unwrap();
    file_changes(&client, "two/inner", 3);
    assert_eq!(all(&client), ["second two/b.py"]);
    fs::rename(client.path("aside"), client.path("two/inner")).unwrap();
    file_changes(&client, "two/inner", 1);
    client.until(|| all(&client).len() == 3);
    // Nobody says that the whole folder is gone: what was read is known, and nothing breaks.
    fs::remove_dir_all(client.path("two")).unwrap();
    assert_eq!(all(&client).len(), 3);
    file_changes(&client, "two", 3);
    assert!(all(&client).is_empty());
    client.end();
}

#[test]
fn servers_on_one_project_give_the_same_answers() {
    let client = client(&["two"]);
    let other = client.beside(&["two"]);
    for one in [&client, &other] {
        wait_for(one, "two/b.py");
    }
    assert_eq!(all(&client), all(&other));
    fs::write(client.path("two/b.py"), "def again(): pass\n").unwrap();
    file_changes(&client, "two/b.py", 2);
    assert_eq!(names(&client, "two/b.py").unwrap(), ["again"]);
    assert_eq!(names(&other, "two/b.py").unwrap(), ["second"]);
    file_changes(&other, "two/b.py", 2);
    assert_eq!(all(&client), all(&other));
    other.end();
    client.end();
}

#[test]
fn what_is_no_file_of_the_project_is_only_known_while_it_is_open() {
    let client = Client::silent(FILES);
    fs::write(client.path("one/.gitignore"), "made/\n").unwrap();
    fs::create_dir_all(client.path("one/made")).unwrap();
    fs::write(client.path("one/made/x.py"), "def other(): pass\n").unwrap();
    symlink(client.path("two/b.py"), client.path("one/link.py")).unwrap();
    client.begin_session(&["one"]);
    wait_for(&client, "one/a.py");
    for path in ["one/made/x.py", "one/link.py"] {
        file_changes(&client, path, 1);
        assert_eq!(names(&client, path), None);
        let document = json!({"uri": client.uri(path), "languageId": "python", "version": 1, "text": "def seen(): pass\n"});
        client.tell("textDocument/didOpen", json!({"textDocument": document}));
        assert_eq!(names(&client, path).unwrap(), ["seen"]);
        client.tell(
            "textDocument/didClose",
            json!({"textDocument": {"uri": client.uri(path)}}),
        );
        assert_eq!(names(&client, path), None);
    }
    fs::write(client.path("one/new.py"), "def new(): pass\n").unwrap();
    file_changes(&client, "one/new.py", 1);
    assert_eq!(names(&client, "one/new.py").unwrap(), ["new"]);
    client.end();
}

#[test]
fn a_feature_is_active_in_one_folder_at_a_time() {
    let client = client(&["one", "two"]);
    wait_for(&client, "one/a.py");
    wait_for(&client, "two/b.py");
    let is_change = |message: &Message| matches!(message, Message::Notification(told) if told.method == "lacuna/featureChanged");
    for target in ["b.py", "a.py"] {
        let params = json!({"command": "lacuna.setTarget", "arguments": [target]});
        client.ask("workspace/executeCommand", params);
        client.hear(is_change);
    }
    // What a curator is asked after that it answers after that.
    let lens = json!({"data": {"target": "a.py", "folder": client.path("one")}});
    client.ask("codeLens/resolve", lens);
    assert_eq!(client.end().iter().filter(|it| is_change(it)).count(), 0);
}

#[test]
fn a_lens_of_a_folder_that_goes_is_answered() {
    let client = client(&["one"]);
    let lens = json!({"data": {"target": "a.py", "folder": client.path("one")}});
    let asked = client.begin("codeLens/resolve", lens);
    folders_change(&client, &[], &["one"]);
    assert!(client.answer_to(&asked).response_result.is_ok());
    client.end();
}

#[test]
fn a_folder_behind_a_link_has_its_files_however_they_are_named() {
    let client = Client::silent(FILES);
    symlink(client.path("one"), client.path("link")).unwrap();
    client.begin_session(&["link"]);
    wait_for(&client, "link/a.py");
    assert_eq!(names(&client, "one/a.py").unwrap(), ["first"]);
    client.end();
}

#[test]
fn a_task_is_checked_in_the_folder_that_has_it() {
    let client = client(&["one", "two"]);
    fs::create_dir(client.path("two/task")).unwrap();
    let params = json!({"command": "lacuna.check", "arguments": ["task"]});
    let answer = client.answer_to(&client.begin("workspace/executeCommand", params));
    let message = answer.response_result.unwrap_err().message;
    assert!(message.contains("two/task"), "{message}");
    client.end();
}
