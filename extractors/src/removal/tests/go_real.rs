//! Removals from real Go modules: whatever may go goes, and the rest builds, is vetted and formatted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use analyzer::Analysis;
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};

use super::{check_laws, check_line_ends};
use crate::lang::go_files;
use crate::removal::{Action, Project, RemovalPlan, blockers, remove};
use crate::testing::analysis_of;
use crate::verify::Fault;

#[test]
fn what_nothing_needs_can_go_from_pflag() {
    check("github.com/spf13/pflag", "v1.0.6", 4);
}

#[test]
fn what_nothing_needs_can_go_from_chi() {
    check("github.com/go-chi/chi/v5", "v5.2.1", 4);
}

#[test]
fn what_nothing_needs_can_go_from_toml() {
    check("github.com/BurntSushi/toml", "v1.5.0", 4);
}

/// A module of more than twenty packages.
#[test]
fn what_nothing_needs_can_go_from_gods() {
    check("github.com/emirpasic/gods/v2", "v2.0.0-alpha", 2);
}

fn check(module: &str, version: &str, rounds: u32) {
    let Some(files) = go_files(module, version) else {
        return;
    };
    let root = fixtures::go_module(module, version).unwrap();
    let before = analysis_of(files);
    let clean = unformatted(&root);
    for path in before.paths().iter().filter(|path| path.ends_with(".go")) {
        let is_accepted = !clean.contains(path) && !path.contains("testdata");
        assert!(
            !is_accepted || before.problems(path).is_empty(),
            "{path} is valid"
        );
    }
    let vetted = complaints(&root);
    for round in 0..rounds {
        let plan = plan(&before, round);
        let removal = remove(&Project::new(&before), &plan);
        assert!(removal.removed.len() > 3, "{:?}", removal.problems);
        if round == 0 {
            check_line_ends(&before, &plan, &removal);
        }
        for fault in check_laws(&before, &plan, &removal) {
            let is_expected = matches!(fault, Fault::Undefined { .. } | Fault::DanglingName { .. });
            assert!(is_expected, "{module}, round {round}: {fault}");
        }
        let folder = tempfile::tempdir().unwrap();
        fixtures::copy_dir(&root, folder.path());
        for (path, bytes) in &removal.files {
            let path = folder.path().join(path);
            match bytes {
                Some(bytes) => std::fs::write(path, bytes).unwrap(),
                None => std::fs::remove_file(path).unwrap(),
            }
        }
        let new: Vec<String> = complaints(folder.path())
            .into_iter()
            .filter(|line| !vetted.contains(line))
            .collect();
        let unformatted = unformatted(folder.path());
        let keep = (!new.is_empty() || unformatted != clean).then(|| folder.keep());
        assert!(
            new.is_empty(),
            "{module}, round {round}, {keep:?}: {new:#?}"
        );
        assert_eq!(unformatted, clean, "{module}, round {round}, {keep:?}");
    }
}

/// A sixth of what is defined outside tests, a different one each time: deleted where nothing that
/// stays needs it, else turned into stubs where that can be.
fn plan(analysis: &Analysis, round: u32) -> RemovalPlan {
    let mut candidates = BTreeSet::new();
    let paths = analysis.paths();
    let paths = paths.iter().filter(|path| !path.ends_with("_test.go"));
    for symbol in paths.flat_map(|path| analysis.symbols(path).to_vec()) {
        let digest = blake3::hash(format!("{round} {}", symbol.id).as_bytes());
        if digest.as_bytes()[0] < 42 && is_candidate(&symbol) {
            candidates.insert(symbol.id.clone());
        }
    }
    let blocked = blockers(
        &Project::new(analysis),
        &candidates,
        &BTreeSet::new(),
        &BTreeSet::new(),
    );
    let action = |id: SymbolId| {
        if !blocked.contains_key(&id) {
            return Some((id, Action::Delete));
        }
        let symbol = analysis.symbol(&id)?;
        let can_be_stub = symbol.kind.is_callable() && symbol.body.is_some();
        let keep_doc = symbol.id.as_str().len() % 2 == 0;
        can_be_stub.then_some((id, Action::Stub { keep_doc }))
    };
    let actions: BTreeMap<SymbolId, Action> = candidates.into_iter().filter_map(action).collect();
    RemovalPlan {
        actions,
        ..RemovalPlan::default()
    }
}

fn is_candidate(symbol: &Symbol) -> bool {
    let is_entry = matches!(symbol.id.name(), "main" | "init" | "_");
    symbol.kind != SymbolKind::Module && !is_entry && !symbol.id.path().contains("testdata")
}

/// What the compiler and `go vet` say, without positions.
fn complaints(folder: &Path) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for command in ["build", "vet"] {
        let output = Command::new("go")
            .args([command, "./..."])
            .env("GOFLAGS", "-mod=mod -buildvcs=false")
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let errors = said.lines().filter(|line| line.contains(".go:"));
        lines.extend(errors.map(without_position));
    }
    lines
}

fn without_position(line: &str) -> String {
    let mut parts = line.splitn(4, ':');
    let path = parts.next().unwrap_or_default();
    format!("{path}: {}", parts.nth(2).unwrap_or_default())
}

fn unformatted(folder: &Path) -> BTreeSet<String> {
    let output = Command::new("gofmt")
        .args(["-l", "."])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines().map(str::to_owned).collect()
}
