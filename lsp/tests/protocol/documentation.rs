//! The page about our own requests names what there is, and nothing else.

use std::collections::BTreeSet;

use crate::client::Client;

const PAGE: &str = include_str!("../../../docs/lsp-extensions.md");

/// The words in backticks that begin so.
fn named(prefix: &str) -> BTreeSet<&str> {
    let quoted = PAGE.split('`').skip(1).step_by(2);
    quoted.filter(|word| word.starts_with(prefix)).collect()
}

#[test]
fn every_command_is_documented() {
    let commands: BTreeSet<&str> = lsp::COMMANDS.into_iter().collect();
    let named: BTreeSet<&str> = named("lacuna.")
        .into_iter()
        .filter(|it| !it.ends_with(".toml"))
        .collect();
    let named: BTreeSet<&str> = named.into_iter().filter(|it| *it != "lacuna.out").collect();
    assert_eq!(named, commands);
}

#[test]
fn every_documented_request_is_known() {
    let client = Client::start("//- a.py\nx = 1\n");
    for method in named("lacuna/")
        .into_iter()
        .filter(|it| *it != "lacuna/featureChanged")
    {
        let id = client.begin(method, serde_json::json!({}));
        let error = client.answer_to(&id).response_result.err();
        // Without a feature or a file it fails, but not for being unknown.
        assert_ne!(error.map(|error| error.code), Some(-32601), "{method}");
    }
    client.end();
}
