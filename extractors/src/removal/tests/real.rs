//! Removals from real packages: whatever is removed, the rest stays valid and nothing else goes.

use crate::removal::Project;
use std::collections::BTreeMap;
use std::process::Command;

use analyzer::symbol::{Symbol, SymbolKind};

use super::check_laws;
use crate::removal::{Action, RemovalPlan, remove};
use crate::testing::{analysis_of, files_of, real_files};
use crate::verify::Fault;

/// Parses every file of a folder.
const PARSE: &str = r#"
import ast, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    try:
        ast.parse(path.read_bytes())
    except SyntaxError as error:
        sys.exit(f"{path}: {error}\n" + path.read_text())
"#;

#[test]
fn random_removals_from_packaging_are_clean() {
    check("packaging", "25.0", "src/packaging");
}

#[test]
fn random_removals_from_click_are_clean() {
    check("click", "8.1.8", "src/click");
}

#[test]
fn random_removals_from_jinja2_are_clean() {
    check("jinja2", "3.1.6", "src/jinja2");
}

/// Removes a tenth of all symbols, a different one each time, in all ways.
fn check(name: &str, version: &str, folder: &str) {
    let Some(files) = real_files(name, version, folder) else {
        return;
    };
    let before = analysis_of(files);
    let symbols: Vec<Symbol> = before
        .paths()
        .iter()
        .flat_map(|path| before.symbols(path).to_vec())
        .collect();
    for round in 0..2 {
        let plan = plan(&symbols, round);
        let removal = remove(&Project::new(&before), &plan);
        for fault in check_laws(&before, &plan, &removal) {
            // What staying code refers to is removed on purpose here.
            let is_expected = matches!(fault, Fault::Undefined { .. } | Fault::DanglingName { .. });
            assert!(is_expected, "{name}, round {round}: {fault}");
        }
        let mut after = files_of(&before);
        after.extend(
            removal
                .files
                .into_iter()
                .filter_map(|(path, bytes)| Some((path, bytes?))),
        );
        parse(&after);
    }
}

fn plan(symbols: &[Symbol], round: usize) -> RemovalPlan {
    let mut actions = BTreeMap::new();
    for (index, symbol) in symbols.iter().enumerate() {
        let digest = blake3::hash(format!("{round} {index}").as_bytes());
        let action = match digest.as_bytes() {
            [dice, ..] if *dice >= 26 => continue,
            [_, 0..128, ..] if symbol.kind.is_callable() => Action::Stub {
                keep_doc: digest.as_bytes()[2] < 128,
            },
            _ => Action::Delete,
        };
        if symbol.kind != SymbolKind::Module {
            actions.insert(symbol.id.clone(), action);
        }
    }
    RemovalPlan {
        actions,
        ..RemovalPlan::default()
    }
}

fn parse(files: &BTreeMap<String, Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let Ok(output) = Command::new("python3")
        .args(["-c", PARSE])
        .arg(folder.path())
        .output()
    else {
        return fixtures::unavailable("a Python 3").unwrap_or_default();
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
