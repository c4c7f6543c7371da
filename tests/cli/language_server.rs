//! The language server as an editor starts it: curating a feature of a sample project.

use std::collections::VecDeque;
use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use expect_test::expect;
use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};

use crate::mixed;
use crate::support::{Bench, TARGET, bench};

const SHOPPING: &str = "src/ladle/shopping.py";

struct Editor<'b> {
    bench: &'b Bench,
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    heard: VecDeque<Message>,
    next: i32,
}

impl<'b> Editor<'b> {
    /// Starts the server on the sample project.
    fn open(bench: &'b Bench) -> Self {
        let mut command = bench.command(&["lsp", "--stdio"]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Self {
            bench,
            server,
            input,
            output,
            heard: VecDeque::new(),
            next: 0,
        };
        let folder = json!([{"uri": editor.uri(""), "name": "sample"}]);
        let edits = json!({
            "documentChanges": true,
            "resourceOperations": ["delete"],
            "changeAnnotationSupport": {},
        });
        let capabilities = json!({
            "window": {"workDoneProgress": true},
            "workspace": {"workspaceEdit": edits},
        });
        let params = json!({"capabilities": capabilities, "workspaceFolders": folder});
        editor.ask("initialize", params);
        editor.tell("initialized", json!({}));
        editor
    }

    fn uri(&self, path: &str) -> String {
        let project = self.bench.project.to_str().unwrap();
        format!("file://{project}/{path}")
            .trim_end_matches('/')
            .to_owned()
    }

    fn tell(&mut self, method: &str, params: Value) {
        let method = method.to_owned();
        let message: Message = Notification { method, params }.into();
        message.write(&mut self.input).unwrap();
    }

    fn begin(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let method = method.to_owned();
        let request = Request {
            id: id.clone(),
            method,
            params,
        };
        Message::from(request).write(&mut self.input).unwrap();
        id
    }

    fn hear<T>(&mut self, read: impl Fn(&Message) -> Option<T>) -> T {
        let kept = self
            .heard
            .iter()
            .position(|message| read(message).is_some());
        if let Some(message) = kept.and_then(|at| self.heard.remove(at)) {
            return read(&message).unwrap();
        }
        loop {
            let message = Message::read(&mut self.output).unwrap();
            let message = message.unwrap();
            if let Some(found) = read(&message) {
                return found;
            }
            self.heard.push_back(message);
        }
    }

    fn answer(&mut self, id: &RequestId) -> Result<Value, i32> {
        self.hear(|message| match message {
            Message::Response(it) if it.id == *id => {
                Some(it.response_result.clone().map_err(|error| error.code))
            }
            _ => None,
        })
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(&id)
            .unwrap_or_else(|code| panic!("{method}: {code}"))
    }

    fn told(&mut self, method: &str) -> Value {
        self.hear(|message| match message {
            Message::Notification(it) if it.method == method => Some(it.params.clone()),
            _ => None,
        })
    }

    /// The parameters of the next request of the server with this method.
    fn asked(&mut self, method: &str) -> Value {
        self.hear(|message| match message {
            Message::Request(it) if it.method == method => Some(it.params.clone()),
            _ => None,
        })
    }

    fn of_file(&mut self, method: &str, path: &str) -> Value {
        let end = json!({"line": 100_000, "character": 0});
        let range = json!({"start": {"line": 0, "character": 0}, "end": end});
        let params = json!({"textDocument": {"uri": self.uri(path)}, "range": range});
        self.ask(method, params)
    }

    /// The titles of the lenses of a file, once its feature is known.
    fn lenses(&mut self, path: &str) -> Vec<String> {
        loop {
            let lenses = self.of_file("textDocument/codeLens", path);
            let titles = lenses.as_array().into_iter().flatten();
            let titles = titles.filter_map(|lens| lens["command"]["title"].as_str());
            let titles: Vec<String> = titles.map(str::to_owned).collect();
            if titles.iter().any(|title| title.starts_with("feature")) {
                return titles;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Makes the feature of the target the active one.
    fn activate(&mut self) {
        let set = json!({"command": "lacuna.setTarget", "arguments": [TARGET]});
        self.ask("workspace/executeCommand", set);
        assert_eq!(
            self.told("lacuna/featureChanged")["target"],
            json!([TARGET])
        );
    }

    fn close(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

impl Drop for Editor<'_> {
    /// After a failure nothing may be left running.
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn a_feature_is_curated_in_the_editor() {
    let Some(bench) = bench() else { return };
    bench.ok(&["trace", "--quiet"]);
    let mut editor = Editor::open(&bench);
    let lenses = editor.lenses(TARGET);
    expect![[r#"
        [
            "feature: 180 lines, 3 files, 0 other tests would fail",
            "extract",
            "extract",
            "trace",
        ]"#]]
    .assert_eq(&format!("{:#?}", &lenses[..4.min(lenses.len())]));
    editor.activate();

    let roles = editor.of_file("lacuna/roles", SHOPPING);
    let top = roles["ranges"].as_array().unwrap().iter();
    let top = top.filter(|range| range["role"] == "top").count();
    let graph = editor.ask("lacuna/featureGraph", json!({}));
    let nodes = graph["graph"]["nodes"].as_array().unwrap().iter();
    let in_file = nodes.filter(|node| node["role"] == "top" && node["path"] == SHOPPING);
    assert_eq!(in_file.count(), top);
    let interface = editor.ask("lacuna/interface", json!({}));
    assert!(
        interface["markdown"]
            .as_str()
            .unwrap()
            .contains("class ShoppingList")
    );
    let preview = editor.ask(
        "workspace/executeCommand",
        json!({"command": "lacuna.preview"}),
    );
    let files = preview["files"].as_array().unwrap().iter();
    let files = files.map(|file| format!("{} {}\n", file["path"], file["text"].is_null()));
    expect![[r#"
        "src/ladle/shopping.py" false
        "src/ladle/text.py" false
        "src/ladle/units.py" false
        "tests/test_shopping.py" true
    "#]]
    .assert_eq(&files.collect::<String>());
    let offered = editor.asked("workspace/applyEdit");
    check_edit_of_preview(&editor, &offered, &preview);
    let patch = editor.ask("lacuna/patch", json!({}));
    assert!(patch["removal"].as_str().unwrap().starts_with("diff --git"));

    let text = std::fs::read_to_string(bench.project.join(SHOPPING)).unwrap();
    let line = text
        .lines()
        .position(|line| line.starts_with("class ShoppingList"))
        .unwrap();
    let place = json!({
        "textDocument": {"uri": editor.uri(SHOPPING)},
        "position": {"line": line, "character": 8},
    });
    let hover = editor.ask("textDocument/hover", place);
    expect![[r#"
        ```python
        class ShoppingList:
        ```

        `src/ladle/shopping.py::ShoppingList`

        **top** in the active feature: run by 26 target tests and 0 other tests

        Run by 26 tests
        * `tests/test_shopping.py::TestAddingUp::test_the_same_ingredient_of_two_recipes_is_one_entry`
        * `tests/test_shopping.py::TestAddingUp::test_what_is_weighed_and_what_is_counted_are_kept_apart`
        * `tests/test_shopping.py::TestAddingUp::test_an_ingredient_without_a_quantity_is_listed_once`
        * `tests/test_shopping.py::TestAddingUp::test_a_recipe_that_is_cooked_twice_is_named_once`
        * `tests/test_shopping.py::TestAddingUp::test_recipes_are_scaled[None-2 eggs]`
        * and 21 more

        Chain from a test:

        * `tests/test_shopping.py::test_an_empty_list_is_empty_in_every_form`
        * → `src/ladle/shopping.py::ShoppingList` (observed instantiate, in 1 test)
    "#]].assert_eq(hover["contents"]["value"].as_str().unwrap());

    let changed = text.replace("def aisle_of(name", "def aisle_of(name, *, also=None");
    assert_ne!(changed, text);
    let document =
        json!({"uri": editor.uri(SHOPPING), "languageId": "python", "version": 1, "text": changed});
    editor.tell("textDocument/didOpen", json!({"textDocument": document}));
    let told = loop {
        let told = editor.told("textDocument/publishDiagnostics");
        if told["version"] == 1 {
            break told;
        }
    };
    let found = told["diagnostics"].as_array().unwrap().iter();
    let stale = found.filter(|it| it["code"] == "stale");
    assert_eq!(stale.count(), 1);

    let changed = changed.replace(
        "return aisle_of(self.name)",
        "return aisle_of(self.name) or OTHER",
    );
    let document = json!({"uri": editor.uri(SHOPPING), "version": 2});
    let change = json!({"textDocument": document, "contentChanges": [{"text": changed}]});
    editor.tell("textDocument/didChange", change);
    let place = json!({
        "textDocument": {"uri": editor.uri(SHOPPING)},
        "position": {"line": 27, "character": 5},
    });
    let items = editor.ask("textDocument/prepareCallHierarchy", place);
    let calls = editor.ask("callHierarchy/incomingCalls", json!({"item": items[0]}));
    let details = calls.to_string();
    assert!(details.contains("stale: changed since"), "{details}");
    editor.ask(
        "workspace/executeCommand",
        json!({"command": "lacuna.preview"}),
    );
    let told = editor.told("window/showMessage");
    let told = told["message"].as_str().unwrap();
    assert!(told.contains("shopping.py changed"), "{told}");
    editor.close();
}

/// The edit that a client is offered has to be confirmed, and leads to the texts of the starting tree.
fn check_edit_of_preview(editor: &Editor<'_>, offered: &Value, preview: &Value) {
    let edit = &offered["edit"];
    let annotation = &edit["changeAnnotations"]["lacuna.startingTree"];
    assert_eq!(annotation["needsConfirmation"], true);
    expect![[r#"
        Starting tree of tests/test_shopping.py
    "#]]
    .assert_eq(&format!("{}\n", annotation["label"].as_str().unwrap()));
    let changes = edit["documentChanges"].as_array().unwrap();
    let files = preview["files"].as_array().unwrap();
    assert_eq!(changes.len(), files.len());
    for (change, file) in changes.iter().zip(files) {
        if file["text"].is_null() {
            assert_eq!(
                (&change["kind"], &change["uri"]),
                (&json!("delete"), &file["uri"])
            );
            continue;
        }
        assert_eq!(change["textDocument"]["uri"], file["uri"]);
        let path = editor.bench.project.join(file["path"].as_str().unwrap());
        let full = std::fs::read_to_string(path).unwrap();
        let mut lines: Vec<&str> = full.split_inclusive('\n').collect();
        for edit in change["edits"].as_array().unwrap().iter().rev() {
            assert_eq!(edit["annotationId"], "lacuna.startingTree");
            let line = |end: &str| edit["range"][end]["line"].as_u64().unwrap() as usize;
            let text = edit["newText"].as_str().unwrap();
            lines.splice(line("start")..line("end"), [text]);
        }
        assert_eq!(lines.concat(), file["text"].as_str().unwrap());
    }
}

#[test]
fn the_tests_of_every_language_have_lenses_and_their_symbols_hints() {
    let Some(bench) = mixed::bench() else { return };
    bench.ok(&["trace", "--quiet"]);
    let mut editor = Editor::open(&bench);
    let files = [
        ("tests/test_distance.py", "src/signpost/distance.py"),
        ("tools/route/loop_test.go", "tools/route/loop.go"),
        ("native/src/height.rs", "native/src/height.rs"),
    ];
    for (tests, code) in files {
        let lenses = editor.lenses(tests);
        let of_tests = lenses.iter().filter(|title| *title == "trace").count();
        assert_ne!(of_tests, 0, "{tests}: {lenses:?}");
        let lenses = editor.of_file("textDocument/codeLens", tests);
        let mut lenses = lenses.as_array().unwrap().iter();
        let trace = lenses.find(|lens| lens["command"]["title"] == "trace");
        let traced = editor.ask(
            "workspace/executeCommand",
            trace.unwrap()["command"].clone(),
        );
        assert_ne!(traced["good"], 0, "{tests}");
        let hints = editor.of_file("textDocument/inlayHint", code);
        assert_ne!(hints, json!([]), "{code}");
    }
    editor.close();
}

#[test]
fn long_work_shows_progress_and_can_be_ended() {
    let Some(bench) = bench() else { return };
    let mut editor = Editor::open(&bench);
    let trace = json!({"command": "lacuna.trace"});
    let traced = editor.ask("workspace/executeCommand", trace.clone());
    assert_eq!(traced["tests"], 153);
    let is_about = |wanted: &'static str| {
        move |message: &Message| match message {
            Message::Notification(it) if it.method == "$/progress" => {
                (it.params["value"]["kind"] == wanted).then(|| it.params.clone())
            }
            _ => None,
        }
    };
    let part = json!({"command": "lacuna.trace", "arguments": ["tests/test_query.py"]});
    editor.ask("workspace/executeCommand", part);
    let lost = json!({"command": "lacuna.trace", "arguments": ["tests/test_lost.py"]});
    let lost = editor.begin("workspace/executeCommand", lost);
    assert_eq!(editor.answer(&lost), Err(-32803));
    // A part of the suite tells less: what is known of the whole stays.
    editor.lenses(TARGET);
    editor.activate();
    for kind in ["begin", "end"] {
        editor.hear(is_about(kind));
    }
    let extract = json!({"command": "lacuna.extract", "arguments": [TARGET]});
    let id = editor.begin("workspace/executeCommand", extract.clone());
    editor.hear(is_about("report"));
    editor.tell("$/cancelRequest", json!({"id": id}));
    assert_eq!(editor.answer(&id), Err(-32800));
    let extracted = editor.ask("workspace/executeCommand", extract);
    let directory = extracted["directory"].as_str().unwrap().to_owned();
    let check = json!({"command": "lacuna.check", "arguments": [directory]});
    assert_eq!(editor.ask("workspace/executeCommand", check)["holds"], true);
    editor.close();
}
