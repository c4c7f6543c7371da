//! Storms: whatever was edited in whatever order, the answers are those of a fresh server on the last text.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::client::Client;

const FILES: &str = "
//- a.py
from b import two

def one():
    return two()
//- b.py
def two():
    return 2
";

/// What a client asks of a file.
fn answers(client: &Client, path: &str) -> Vec<Value> {
    let uri = client.uri(path);
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let params = json!({
        "textDocument": {"uri": uri},
        "range": range,
        "positions": [{"line": 1, "character": 2}],
        "position": {"line": 3, "character": 12},
        "context": {"includeDeclaration": true, "diagnostics": []},
    });
    let methods = [
        "documentSymbol",
        "foldingRange",
        "selectionRange",
        "semanticTokens/full",
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "prepareCallHierarchy",
        "codeLens",
        "inlayHint",
    ];
    let ask = |method: &&str| client.ask(&format!("textDocument/{method}"), params.clone());
    let answers: Vec<Value> = methods.iter().map(ask).collect();
    answers
        .iter()
        .map(|it| serde_json::from_str(&client.shown(it)).unwrap())
        .collect()
}

fn open(client: &Client, path: &str, text: &str) {
    let document =
        json!({"uri": client.uri(path), "languageId": "python", "version": 0, "text": text});
    client.tell("textDocument/didOpen", json!({"textDocument": document}));
}

type Edit = ((u32, u32), (u32, u32), String);

/// The same edit on a text of our own, by lines and characters.
fn edited(text: &str, (start, end, new): &Edit) -> String {
    let offset = |(line, character): (u32, u32)| {
        let mut at = 0;
        for (number, whole) in text.split_inclusive('\n').enumerate() {
            if number == line as usize {
                let length = whole.trim_end_matches('\n').len();
                return at + length.min(character as usize);
            }
            at += whole.len();
        }
        text.len()
    };
    let (start, end) = (offset(*start), offset(*end));
    format!("{}{new}{}", &text[..start], &text[end.max(start)..])
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = (0u32..8, 0u32..20);
    let texts = [
        "",
        "x",
        "\n",
        "    ",
        "def two():\n    pass\n",
        "two()",
        "import b\n",
        "\"\"\"",
    ];
    (
        place.clone(),
        place,
        proptest::sample::select(texts.to_vec()),
    )
        .prop_map(|(start, end, text)| (start.min(end), start.max(end), text.to_owned()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn edits_lead_to_the_answers_of_a_fresh_server(edits in proptest::collection::vec(edit(), 1..12)) {
        let client = Client::start(FILES);
        let mut text = "from b import two\n\ndef one():\n    return two()\n".to_owned();
        open(&client, "a.py", &text);
        for (number, edit) in edits.iter().enumerate() {
            let (start, end, new) = edit;
            let position = |(line, character): &(u32, u32)| json!({"line": line, "character": character});
            let change = json!({"range": {"start": position(start), "end": position(end)}, "text": new});
            client.tell("textDocument/didChange", json!({
                "textDocument": {"uri": client.uri("a.py"), "version": number + 1},
                "contentChanges": [change],
            }));
            // Nobody waits for it: it may be overtaken by the next edit.
            client.begin("textDocument/documentSymbol", json!({"textDocument": {"uri": client.uri("a.py")}}));
            text = edited(&text, edit);
        }
        let fresh = Client::start(FILES);
        open(&fresh, "a.py", &text);
        for path in ["a.py", "b.py"] {
            prop_assert_eq!(answers(&client, path), answers(&fresh, path));
        }
        client.end();
        fresh.end();
    }
}
