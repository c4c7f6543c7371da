//! What is Rust's own in preparing and running projects.

use std::path::Path;

use analyzer::trace::CollectionError;
use harness::lang::rust::{checker::CargoCheck, environment::Rust, runner::CargoTest};
use harness::runner::Selection;

pub use crate::shared::{Place, Prepared, codes, contexts, ids, launcher, results};
use crate::shared::{Tools, said};

pub const TOOLS: Tools = Tools {
    name: "cargo",
    toolchain: &Rust,
    runner: &CargoTest,
    checker: &CargoCheck,
    cache: None,
};

/// An exact version of somebody else's crate, as the registry has it.
pub fn registered(name: &str, version: &str) -> Option<Place> {
    let fetcher = Place::new("");
    let manifest = format!(
        "[package]\nname = 'fetcher'\nversion = '0.1.0'\nedition = '2021'\n[dependencies]\n{name} = '={version}'\n"
    );
    fetcher.write("Cargo.toml", &manifest);
    fetcher.write("src/lib.rs", "");
    let asked = std::process::Command::new("cargo")
        .args(["metadata", "--format-version=1", "--quiet"])
        .current_dir(fetcher.root())
        .output();
    let Some(answer) = asked.ok().filter(|answer| answer.status.success()) else {
        return fixtures::unavailable(&format!("cargo and {name} {version} from the registry"));
    };
    let answer: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let packages = answer["packages"].as_array().unwrap();
    let found = packages.iter().find(|package| package["name"] == name);
    let manifest = Path::new(found.unwrap()["manifest_path"].as_str().unwrap());
    Some(Place::of_folder(manifest.parent().unwrap()))
}

pub fn uncollected(error: &CollectionError) -> String {
    let first = error.detail.message.lines().next().unwrap_or_default();
    let said = said(&error.detail.exception, first);
    format!("Uncollected {}\n{said}", error.path)
}

pub fn paths(paths: &[&str]) -> Selection {
    Selection::Paths(paths.iter().map(|path| (*path).to_owned()).collect())
}
