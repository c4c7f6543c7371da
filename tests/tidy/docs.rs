//! Rules for prose, and for text in general.

use std::collections::BTreeSet;

use crate::tree::{TextFile, root, text_files};
use crate::verdict;

#[test]
fn what_the_documentation_mentions_exists() {
    let top = top_level_names();
    let mut found = Vec::new();
    for page in pages() {
        let base = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in prose(&page.text) {
            let text: String = line.split('`').step_by(2).collect();
            let links = between(&text, "](", ")").filter_map(|link| local_target(base, link));
            let spans = between(line, "`", "`").filter(|span| is_repository_path(span, &top));
            for path in links.chain(spans.map(str::to_owned)) {
                if !root().join(&path).exists() {
                    found.push(format!(
                        "{}:{number}: there is no `{path}`; correct the name or drop it",
                        page.path
                    ));
                }
            }
        }
    }
    verdict(found);
}

#[test]
fn every_guard_that_a_table_names_is_a_test() {
    let tests = test_names();
    let mut found = Vec::new();
    for page in pages().filter(|page| page.text.contains("| guarded by |")) {
        for (number, line) in prose(&page.text).filter(|(_, line)| line.starts_with('|')) {
            let guards = line.trim_end().trim_end_matches('|').rsplit('|').next();
            for guard in between(guards.unwrap_or_default(), "`", "`") {
                if !tests.contains(guard) {
                    found.push(format!(
                        "{}:{number}: no test is called `{guard}`; name one",
                        page.path
                    ));
                }
            }
        }
    }
    verdict(found);
}

#[test]
fn nothing_is_left_for_later_and_no_machine_shows() {
    // Written in two parts, so that this file passes its own rule.
    let forbidden = [
        (concat!("TO", "DO"), "do it, or document the gap"),
        (concat!("FIX", "ME"), "do it, or document the gap"),
        (concat!("/ro", "ot/"), "a path of one machine"),
        (concat!("/ho", "me/"), "a path of one machine"),
        (concat!("/wo", "rk/"), "a path of one machine"),
        (
            concat!("py", "pi.org"),
            "a registry; its client knows the host",
        ),
        (
            concat!("pytho", "nhosted"),
            "a registry; its client knows the host",
        ),
        (
            concat!("crat", "es.io"),
            "a registry; its client knows the host",
        ),
        (
            concat!("proxy.gol", "ang"),
            "a registry; its client knows the host",
        ),
    ];
    let mut found = Vec::new();
    for file in text_files().iter().filter(|file| !is_from_elsewhere(file)) {
        for (number, line) in file.text.lines().enumerate() {
            for (text, why) in forbidden.iter().filter(|(text, _)| line.contains(text)) {
                found.push(format!("{}:{}: `{text}`: {why}", file.path, number + 1));
            }
        }
    }
    verdict(found);
}

/// Whether others wrote a file: what package managers write down, and libraries that are kept as they are.
fn is_from_elsewhere(file: &TextFile) -> bool {
    ["Cargo.lock", "package-lock.json"]
        .iter()
        .any(|lock| file.path.ends_with(lock))
        || file.path.contains("/vendor/")
}

/// The pages of the documentation.
fn pages() -> impl Iterator<Item = TextFile> {
    text_files().into_iter().filter(|file| {
        file.path == "README.md" || (file.path.starts_with("docs/") && file.path.ends_with(".md"))
    })
}

/// The numbered lines of a page outside its code blocks.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    page.lines().enumerate().filter_map(move |(number, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        (!in_code && !is_fence).then_some((number + 1, line))
    })
}

/// The pieces of a line between an opening and the next closing text.
fn between<'a>(line: &'a str, open: &str, close: &str) -> impl Iterator<Item = &'a str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(open)?;
        let (piece, after) = after.split_once(close)?;
        rest = after;
        Some(piece)
    })
}

/// The path from the root that a link means; `None` for other sites and for places in the same page.
fn local_target(base: &str, link: &str) -> Option<String> {
    let path = link.split('#').next().filter(|path| !path.is_empty())?;
    (!path.contains("://")).then(|| {
        if base.is_empty() {
            path.to_owned()
        } else {
            format!("{base}/{path}")
        }
    })
}

/// Whether a code span is a path in this repository: it starts at the top and has no blank,
/// pattern or placeholder in it.
fn is_repository_path(span: &str, top: &BTreeSet<String>) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let first = span.split('/').next().unwrap_or_default();
    span.contains('/') && span.chars().all(plain) && !span.contains("NAME") && top.contains(first)
}

fn top_level_names() -> BTreeSet<String> {
    text_files()
        .iter()
        .filter_map(|file| file.path.split('/').next().map(str::to_owned))
        .collect()
}

/// The names of all functions in Rust files: a guard must be one of them.
fn test_names() -> BTreeSet<String> {
    let files = text_files();
    let sources = files.iter().filter(|file| file.is_rust());
    let lines = sources.flat_map(|file| file.text.lines());
    lines
        .filter_map(|line| line.trim_start().strip_prefix("fn ")?.split('(').next())
        .map(str::to_owned)
        .collect()
}
