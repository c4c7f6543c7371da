//! Each test names files and a plan, and shows every file that changes.

mod declarations;
mod definitions;
mod examples;
mod go;
mod go_pitfalls;
mod go_real;
mod headings;
mod names;
mod needs;
mod real;
mod rust;
mod rust_pitfalls;
mod rust_tests;
mod stubs;

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::symbol::SymbolId;
use expect_test::Expect;

use super::{Project, Removal, RemovalPlan, blockers, remove};
use crate::patch::{Change, File, Patch};
use crate::testing::{actions, analysis, analysis_of, files_of, visible};
use crate::verify::{Fault, verify};

/// Removes the symbols that `plan` lists (see [`actions`]) and compares what comes out.
#[track_caller]
fn check(fixture: &str, plan: &str, expected: Expect) {
    check_analysis(&analysis(fixture), plan, expected);
}

#[track_caller]
fn check_analysis(before: &Analysis, plan: &str, expected: Expect) {
    let plan = RemovalPlan {
        actions: actions(plan),
        ..RemovalPlan::default()
    };
    let removal = remove(&Project::new(before), &plan);
    check_line_ends(before, &plan, &removal);
    let faults = check_laws(before, &plan, &removal);
    let faults: String = faults
        .iter()
        .map(|fault| format!("fault: {fault}\n"))
        .collect();
    expected.assert_eq(&(rendered(&removal) + &faults));
}

/// The candidates that something keeps from being deleted.
#[track_caller]
fn check_blocked(fixture: &str, candidates: &[&str], expected: Expect) {
    let analysis = analysis(fixture);
    let candidates = candidates.iter().map(|id| SymbolId::parse(id)).collect();
    let none = BTreeSet::new();
    let blocked = blockers(&Project::new(&analysis), &candidates, &none, &none);
    let blocked: Vec<&str> = blocked.keys().map(SymbolId::as_str).collect();
    expected.assert_eq(&blocked.join("\n"));
}

/// With other line ends the same lines leave, and all line ends stay what they are.
#[track_caller]
fn check_line_ends(before: &Analysis, plan: &RemovalPlan, removal: &Removal) {
    let old = files_of(before);
    if old.values().any(|bytes| bytes.contains(&b'\r')) {
        return;
    }
    let with_returns = |bytes: &[u8]| -> Vec<u8> {
        let ends = |byte: &u8| match byte {
            b'\n' => vec![b'\r', b'\n'],
            other => vec![*other],
        };
        bytes.iter().flat_map(ends).collect()
    };
    let files = old
        .iter()
        .map(|(path, bytes)| (path.clone(), with_returns(bytes)));
    let mut expected = removal.clone();
    for bytes in expected.files.values_mut().flatten() {
        *bytes = with_returns(bytes);
    }
    let other = remove(&Project::new(&analysis_of(files)), plan);
    expected.imports.clone_from(&other.imports);
    assert_eq!(rendered(&other), rendered(&expected));
}

/// Removal, then the gold patch, gives back every byte. Returns what the static checks find.
#[track_caller]
fn check_laws(before: &Analysis, plan: &RemovalPlan, removal: &Removal) -> Vec<Fault> {
    let old = files_of(before);
    let mut new = old.clone();
    for (path, bytes) in &removal.files {
        match bytes {
            Some(bytes) => new.insert(path.clone(), bytes.clone()),
            None => new.remove(path),
        };
    }
    let trees: Vec<Change> = old
        .keys()
        .map(|path| Change {
            path: path.clone(),
            old: old.get(path).map(|bytes| File::regular(&**bytes)),
            new: new.get(path).map(|bytes| File::regular(&**bytes)),
        })
        .collect();
    let gold = Patch::between(trees).reversed();
    let restored = gold
        .apply(|path| new.get(path).map(|bytes| File::regular(&**bytes)))
        .unwrap();
    for (path, file) in restored {
        assert_eq!(
            file.map(|file| file.bytes).as_ref(),
            old.get(&path),
            "the gold patch gives back {path}"
        );
    }
    let carried_out = plan
        .actions
        .iter()
        .filter(|(id, _)| removal.removed.contains(id));
    let done = RemovalPlan {
        actions: carried_out
            .map(|(id, action)| (id.clone(), *action))
            .collect(),
        ..RemovalPlan::default()
    };
    verify(before, &analysis_of(new), &done)
}

fn rendered(removal: &Removal) -> String {
    let mut out = String::new();
    for (path, bytes) in &removal.files {
        out += &match bytes {
            Some(bytes) => format!("//- {path}\n{}", visible(bytes)),
            None => format!("//- {path} is gone\n"),
        };
        if !out.ends_with('\n') {
            out += "⏎\n";
        }
    }
    let list = |name: &str, items: Vec<String>| {
        if items.is_empty() {
            String::new()
        } else {
            format!("{name}: {}\n", items.join(", "))
        }
    };
    let pairs = |pairs: &[(String, String)]| {
        pairs
            .iter()
            .map(|(path, name)| format!("{name} ({path})"))
            .collect()
    };
    out += &list("imports", pairs(&removal.imports));
    out += &list("exports", pairs(&removal.exports));
    out += &list(
        "orphaned",
        removal.orphaned.iter().map(ToString::to_string).collect(),
    );
    out += &list(
        "problems",
        removal.problems.iter().map(ToString::to_string).collect(),
    );
    out
}

/// Replaces the visible stand-ins in a fixture by what they stand for.
fn bytes(files: &[(&str, &str)]) -> Analysis {
    let real = |text: &str| {
        text.replace("␍", "\r")
            .replace("␌", "\u{c}")
            .replace("⌁", "\u{feff}")
            .into_bytes()
    };
    analysis_of(
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), real(text)))
            .collect::<BTreeMap<_, _>>(),
    )
}
