//! Rules for Rust source.

use crate::tree::{TextFile, text_files};
use crate::verdict;
use crate::words::{Code, segments};

/// The only places that may name a language; everything else treats all languages alike.
const LANGUAGE_HOMES: &[&str] = &[
    "grammars/",
    "analyzer/src/lang",
    "extractors/src/lang",
    "harness/src/lang",
    "harness/build.rs",
];
const LANGUAGES: &[&str] = &["python", "rust", "go"];

#[test]
fn every_source_file_says_what_it_is_for() {
    let silent = text_files()
        .into_iter()
        .filter(|file| file.is_rust() && !file.text.starts_with("//! "))
        .map(|file| {
            format!(
                "{}:1: start with `//!` and the purpose of the file",
                file.path
            )
        });
    verdict(silent.collect());
}

#[test]
fn no_language_is_named_outside_the_language_folders() {
    verdict(complaints(LANGUAGE_HOMES, |line| {
        let name = line
            .words()
            .flat_map(segments)
            .find(|word| names_a_language(word));
        name.or_else(|| {
            line.texts()
                .find(|text| names_a_language(text))
                .map(str::to_owned)
        })
        .map(|name| format!("`{name}` names a language; move it to the table or a lang folder"))
    }));
}

fn names_a_language(word: &str) -> bool {
    LANGUAGES.contains(&word)
}

#[test]
fn only_the_harness_starts_processes() {
    verdict(complaints(&["harness/"], |line| {
        let mut words = line.words();
        (words.any(|word| word == "process") && words.any(|word| word == "Command"))
            .then(|| "starts a process; let the harness do it".to_owned())
    }));
}

#[test]
fn only_the_command_line_prints() {
    verdict(complaints(
        &["src/", "build.rs", "harness/build.rs"],
        |line| {
            ["print!", "println!", "dbg!"]
                .into_iter()
                .find(|call| line.code.contains(call))
                .map(|call| format!("`{call}` in a library; return the text to the caller"))
        },
    ));
}

/// Applies a rule to the lines of all product code outside the `exempt` files and folders.
fn complaints(exempt: &[&str], rule: impl Fn(&Code) -> Option<String>) -> Vec<String> {
    let concerned = |file: &TextFile| {
        let is_exempt = exempt.iter().any(|prefix| file.path.starts_with(prefix));
        file.is_rust() && !file.is_for_tests() && !is_exempt
    };
    let mut found = Vec::new();
    for file in text_files().into_iter().filter(concerned) {
        for (number, line) in Code::product_lines(&file.text).iter().enumerate() {
            let complaint = rule(line).map(|what| format!("{}:{}: {what}", file.path, number + 1));
            found.extend(complaint);
        }
    }
    found
}
