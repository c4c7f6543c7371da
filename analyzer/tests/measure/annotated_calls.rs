//! Looks up the calls of rust-callgraph-benchmark (`github.com/ktrianta/rust-callgraph-benchmark`) whose
//! targets are written in comments above them, and prints those that are not found.
//!
//! ```sh
//! cargo run -p lacuna-analyzer --example annotated_calls -- FOLDER
//! ```
//!
//! A comment says what kind of call stands below it, up to the next empty line, and on its next line what is
//! called. A call is found if a reference there may mean a symbol of this name in that crate, or a method of
//! a trait that such a symbol implements. Calls through function pointers, whose comments have no name but a
//! type, are only counted.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement prints what it finds, and has nobody to report to"
)]

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use analyzer::symbol::SymbolId;
use analyzer::{Analysis, AnalysisHost, Change};

/// A call whose target is known.
struct Annotated {
    target: String,
    line: usize,
    /// What stands below the comment.
    below: Range<usize>,
}

fn main() {
    let root = std::env::args().nth(1).unwrap();
    let mut change = Change::default();
    read(Path::new(&root), "", &mut change);
    let mut host = AnalysisHost::new();
    host.apply(change);
    let analysis = host.analysis();
    let (mut found, mut all, mut pointers) = (0, 0, 0);
    for path in analysis.paths() {
        let source = analysis.source(&path).unwrap();
        for call in annotated(source.shadow()) {
            let Some((package, name)) = meant(&call.target) else {
                pointers += 1;
                continue;
            };
            all += 1;
            match is_found(&analysis, &path, &call, package, name) {
                true => found += 1,
                false => println!("{path}:{}: {} is not found", call.line, call.target),
            }
        }
    }
    println!(
        "{found} of {all} annotated calls have their target; {pointers} more are through pointers"
    );
}

/// All files below a folder that the analysis reads.
fn read(folder: &Path, prefix: &str, change: &mut Change) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            read(&entry.path(), &format!("{path}/"), change);
        } else if analyzer::is_input(&path) {
            let bytes = Arc::from(fs::read(entry.path()).unwrap());
            change.files.push((path, Some(bytes)));
        }
    }
}

/// The annotated calls of a file.
fn annotated(text: &str) -> Vec<Annotated> {
    let mut calls = Vec::new();
    let mut targets: Vec<(usize, String)> = Vec::new();
    let (mut at, mut is_kind) = (0, false);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        match line.trim().strip_prefix("//").map(str::trim) {
            Some(target) if is_kind => {
                targets.push((number + 1, target.to_owned()));
                is_kind = false;
            }
            Some(comment) => is_kind = comment.ends_with(" call") || comment.contains(" call ("),
            None => {
                let rest = text.get(at..).unwrap_or_default();
                let below = at..rest.find("\n\n").map_or(text.len(), |empty| at + empty);
                calls.extend(targets.drain(..).map(|(line, target)| Annotated {
                    target,
                    line,
                    below: below.clone(),
                }));
            }
        }
        at = end;
    }
    calls
}

fn is_found(analysis: &Analysis, path: &str, call: &Annotated, package: &str, name: &str) -> bool {
    let is_it = |symbol: &SymbolId| {
        symbol.name() == name && symbol.path().split('/').nth(1) == Some(package)
    };
    let implementing = analysis.paths().into_iter();
    let implementing = implementing.flat_map(|path| analysis.overrides(&path));
    let implementing: Vec<_> = implementing.filter(|(by, _)| is_it(by)).collect();
    let references = analysis.references(path);
    let inside = references
        .iter()
        .filter(|it| call.below.start <= it.range.start && it.range.end <= call.below.end);
    let mut targets = inside.flat_map(|it| it.targets.iter());
    targets.any(|it| is_it(&it.symbol) || implementing.iter().any(|(_, of)| *of == it.symbol))
}

/// The crate and the name that an annotation says; `None` for a type of functions.
fn meant(target: &str) -> Option<(&str, &str)> {
    let plain = target.split("::<").next()?;
    let name = plain.rsplit("::").next()?;
    let path = plain.rsplit(" as ").next()?;
    let package = path.split("::").next()?;
    (!target.contains("fn(") && !target.contains("Fn(")).then_some((package, name))
}
