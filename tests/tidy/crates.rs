//! Rules for dependencies between crates.

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package};

use crate::verdict;

/// The crates of the program, lowest first. Each may depend on those before it, on no others.
const LAYERS: &[&str] = &[
    "lacuna-grammars",
    "lacuna-analyzer",
    "lacuna-extractors",
    "lacuna-harness",
    "lacuna-lsp",
    "lacuna",
];

/// Outside crates that are the business of a few: the start of the name, and who may use it.
const RESERVED: &[(&str, &[&str])] = &[
    ("salsa", &["lacuna-analyzer"]),
    (
        "tree-sitter",
        &["lacuna-grammars", "lacuna-analyzer", "lacuna-extractors"],
    ),
    ("lsp-", &["lacuna-lsp"]),
    ("clap", &["lacuna"]),
    ("indicatif", &["lacuna"]),
];

#[test]
fn crates_depend_only_on_lower_ones() {
    let metadata = metadata();
    verdict(check(&metadata, |package, dependency| {
        (dependency.path.is_some() && !may_see(package, dependency))
            .then(|| "is not below it; turn the dependency round or move the code down".to_owned())
    }));
}

fn may_see(package: &Package, dependency: &Dependency) -> bool {
    let layer = |name: &str| LAYERS.iter().position(|&layer| layer == name);
    match (layer(package.name.as_str()), layer(&dependency.name)) {
        (Some(own), Some(other)) => other < own,
        (Some(_), None) => {
            dependency.name == "lacuna-fixtures" && dependency.kind == DependencyKind::Development
        }
        (None, _) => false,
    }
}

#[test]
fn reserved_crates_stay_with_their_owners() {
    let metadata = metadata();
    verdict(check(&metadata, |package, dependency| {
        let (_, owners) = RESERVED
            .iter()
            .find(|(start, _)| dependency.name.starts_with(start))?;
        // Tests may speak a protocol from the other side.
        let is_of_tests = dependency.kind == DependencyKind::Development;
        (!is_of_tests && !owners.contains(&package.name.as_str()))
            .then(|| format!("is reserved to {}", owners.join(", ")))
    }));
}

#[test]
fn every_crate_has_a_layer() {
    let metadata = metadata();
    let unknown = metadata
        .workspace_packages()
        .into_iter()
        .map(|package| package.name.as_str())
        .filter(|name| *name != "lacuna-fixtures" && !LAYERS.contains(name))
        .map(|name| format!("Cargo.toml:1: give {name} a place in LAYERS (tests/tidy/crates.rs)"));
    verdict(unknown.collect());
}

fn check(
    metadata: &Metadata,
    rule: impl Fn(&Package, &Dependency) -> Option<String>,
) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata.workspace_packages() {
        for dependency in &package.dependencies {
            let complaint = rule(package, dependency);
            found.extend(complaint.map(|what| {
                let (manifest, name) = (&package.manifest_path, &dependency.name);
                format!("{manifest}:1: {name} {what}")
            }));
        }
    }
    found
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo can describe its own workspace")
}
