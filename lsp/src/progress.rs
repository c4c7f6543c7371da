//! The messages that show how long work goes on.

use lsp_server::{Message, Notification};
use serde_json::{Value, json};

fn progress(token: &Value, value: Value) -> Message {
    let params = json!({"token": token, "value": value});
    let method = "$/progress".to_owned();
    Notification { method, params }.into()
}

/// A work begins.
pub fn begin(token: &Value, title: &str, can_be_cancelled: bool) -> Message {
    progress(
        token,
        json!({"kind": "begin", "title": title, "cancellable": can_be_cancelled}),
    )
}

/// The report that a step of a long work begins.
pub fn report(token: &Value, message: &str) -> Message {
    progress(token, json!({"kind": "report", "message": message}))
}

/// A work is over.
pub fn end(token: &Value, message: &str) -> Message {
    progress(token, json!({"kind": "end", "message": message}))
}
