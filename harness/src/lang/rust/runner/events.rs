//! The events of the standard test harness, one JSON object a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// What a test program says, as far as it came.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Tests in the order in which they began.
    pub(super) started: Vec<String>,
    pub(super) ended: BTreeMap<String, End>,
    /// Whether it came to its end.
    pub(super) is_complete: bool,
    /// All tests of a listing.
    pub(super) discovered: Vec<Discovered>,
}

/// How a test ended.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    /// `ok`, `failed` or `ignored`.
    pub(super) event: String,
    pub(super) seconds: f64,
    /// What it printed.
    pub(super) output: String,
    /// What the harness says.
    pub(super) message: String,
}

/// A test of a listing.
#[derive(Clone, Debug, Default)]
pub(super) struct Discovered {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Report {
    pub(super) fn read(file: &Path) -> Self {
        let text = fs::read(file).unwrap_or_default();
        let mut report = Self::default();
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some(event) = event(line) {
                report.add(&event);
            }
        }
        report
    }

    fn add(&mut self, event: &Value) {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| {
            let number = event[key].as_u64().unwrap_or_default();
            u32::try_from(number).unwrap_or_default()
        };
        let is_test = event["type"] == "test";
        match event["event"].as_str() {
            Some("started") if is_test => self.started.push(text("name")),
            Some("discovered") => self.discovered.push(Discovered {
                name: text("name"),
                path: text("source_path"),
                line: number("start_line"),
                column: number("start_col"),
            }),
            Some("ok" | "failed" | "ignored") if is_test => {
                let end = End {
                    event: text("event"),
                    seconds: event["exec_time"].as_f64().unwrap_or_default(),
                    output: text("stdout"),
                    message: match (text("message"), text("reason")) {
                        (message, reason) if message.is_empty() => reason,
                        (message, _) => message,
                    },
                };
                self.ended.insert(text("name"), end);
            }
            Some("ok" | "failed" | "completed") => self.is_complete = true,
            _ => {}
        }
    }

    /// The tests that began and did not end.
    pub(super) fn unfinished(&self) -> Vec<String> {
        let began = self.started.iter();
        began
            .filter(|name| !self.ended.contains_key(*name))
            .cloned()
            .collect()
    }
}

/// The event of a line. A test that writes to the same stream without a line end stands before it.
fn event(line: &str) -> Option<Value> {
    let start = line.find("{ \"type\": \"")?;
    serde_json::from_str(line.get(start..)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_found_behind_what_a_test_printed() {
        let line = r#"half a line{ "type": "test", "name": "a", "event": "ok" }"#;
        assert_eq!(event(line).unwrap()["name"], "a");
        assert_eq!(event(r#"{"type": "test"}"#), None);
    }
}
