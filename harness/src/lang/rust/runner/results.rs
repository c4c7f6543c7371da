//! Results in the terms of a trace.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use analyzer::trace::{CollectionError, FailureDetail, Outcome, TestResult};

use super::super::build::{Wanted, cut, key};
use super::super::messages::project_path;
use super::super::places::{Places, panic_place};
use super::super::workspace::{Kind, Target, Workspace};
use super::program::Test;
use super::{Run, Suite};

/// A result that a caller may change.
pub(super) fn passed(test: &Test) -> TestResult {
    TestResult {
        id: test.id.clone(),
        path: test.path.clone(),
        function: test.function.clone(),
        origin: None,
        outcome: Outcome::Passed,
        seconds: 0.0,
        contexts: Vec::new(),
        detail: None,
    }
}

/// A test that did not come to its end.
pub(super) fn error(test: &Test, reason: &str) -> TestResult {
    TestResult {
        outcome: Outcome::Error,
        detail: Some(message(reason)),
        ..passed(test)
    }
}

pub(super) fn message(text: &str) -> FailureDetail {
    FailureDetail {
        message: cut(text),
        ..FailureDetail::default()
    }
}

/// What a failed test printed: the message of its panic, and where that was.
pub(super) fn detail(places: &Places, workspace: &Workspace, output: &str) -> FailureDetail {
    let Some((path, line, column)) = panic_place(output) else {
        return message(&without_thread_ids(output.trim()));
    };
    let path = project_path(path, places.tree(), workspace);
    let frame = path.map(|path| places.frame(&path, line, column));
    let said = output
        .split_once(" panicked at ")
        .map_or("", |(_, said)| said);
    let said = said.split_once('\n').map_or("", |(_, said)| said);
    let end = ["\nnote: run with `RUST_BACKTRACE", "\nstack backtrace:\n"];
    let end = end.iter().filter_map(|mark| said.find(mark)).min();
    FailureDetail {
        exception: "panic".to_owned(),
        message: cut(said.get(..end.unwrap_or(said.len())).unwrap_or(said).trim()),
        frames: frame.into_iter().collect(),
    }
}

/// A text in which threads go by their names alone: their numbers differ between runs.
fn without_thread_ids(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once("' (") {
        Some((before, rest)) if before.starts_with("thread '") => {
            let rest = rest.split_once(") ").map_or(rest, |(_, rest)| rest);
            format!("{before}' {rest}")
        }
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The error of a program that does not list its tests.
pub(super) fn unlisted(
    run: &Run<'_>,
    suite: &Suite,
    target: &Target,
    reason: String,
) -> CollectionError {
    let source = target.source.display().to_string();
    CollectionError {
        path: project_path(&source, run.tree, &suite.workspace).unwrap_or(source),
        detail: message(&reason),
    }
}

/// One error for each file with tests of a crate that was to be built and could not be.
pub(super) fn uncompiled(places: &Places, suite: &Suite, wanted: &Wanted) -> Vec<CollectionError> {
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for (package, target) in suite.workspace.targets() {
        let key = key(package, target);
        let is_wanted = match wanted {
            Wanted::All => target.is_tested && target.kind != Kind::Bench,
            Wanted::Some(keys) => keys.contains(&key),
        };
        // What needs a feature that is off is neither built nor an error.
        let is_missing = !suite.built.tests.contains_key(&key) && suite.built.complaint.is_some();
        let has_error = suite.built.errors.iter().any(|(of, _)| *of == key);
        let is_off = target.is_off(&package.metadata) && !has_error;
        if !is_wanted || !is_missing || is_off {
            continue;
        }
        let detail = suite.built.reason(&key);
        for path in files(places, suite, target) {
            if seen.insert(path.clone()) {
                errors.push(CollectionError {
                    path,
                    detail: detail.clone(),
                });
            }
        }
    }
    errors
}

/// The root file of a crate, and the files beside and below it that hold tests and belong to no
/// other crate.
fn files(places: &Places, suite: &Suite, target: &Target) -> Vec<String> {
    let folder = target.source.parent().unwrap_or(&target.source);
    let others: BTreeSet<&Path> = suite
        .workspace
        .targets()
        .map(|(_, other)| other.source.as_path())
        .filter(|source| *source != target.source)
        .collect();
    let below = if target.kind == Kind::Test && !target.source.ends_with("main.rs") {
        // Files beside it are crates of their own, or are shared.
        sources(&target.source.with_extension(""))
    } else {
        sources(folder)
    };
    let relative =
        |path: &PathBuf| project_path(&path.display().to_string(), places.tree(), &suite.workspace);
    let mut paths: Vec<String> = below
        .iter()
        .filter(|path| !others.contains(path.as_path()))
        .filter_map(relative)
        .filter(|path| places.has_tests(path))
        .collect();
    paths.extend(relative(&target.source));
    paths.sort();
    paths.dedup();
    paths
}

/// All source files below a folder, sorted.
pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            paths.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}
