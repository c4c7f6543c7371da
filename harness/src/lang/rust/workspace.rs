//! What cargo knows about a workspace: its packages and their targets.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::cargo;
use super::records;
use crate::environment::Environment;
use crate::process::{Launcher, Limits};
use crate::runner::RunError;

/// Folders in which a manifest is data or somebody else's.
const FOREIGN: &[&str] = &[
    "target",
    "vendor",
    "node_modules",
    "tests",
    "testdata",
    "fixtures",
];

/// A workspace, or a single package.
#[derive(Clone, Debug)]
pub(super) struct Workspace {
    /// Its root folder in the tree.
    pub(super) folder: PathBuf,
    /// The same, relative to the tree, with a final `/` unless it is empty.
    pub(super) prefix: String,
    /// In the order of their names.
    pub(super) packages: Vec<Package>,
}

/// A member of a workspace.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    /// What cargo calls it in its messages.
    pub(super) id: String,
    pub(super) manifest: PathBuf,
    /// As `cargo metadata` describes it.
    pub(super) metadata: Value,
    pub(super) targets: Vec<Target>,
}

/// What one crate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Lib,
    Bin,
    Test,
    Example,
    Bench,
}

/// A crate of a package.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Its root file.
    pub(super) source: PathBuf,
    /// Whether `cargo test` runs it.
    pub(super) is_tested: bool,
    /// Whether `cargo test` runs its documentation.
    pub(super) has_doc_tests: bool,
    /// Whether it is a test program of the standard kind.
    pub(super) has_harness: bool,
    /// The features without which it is not built.
    required: Vec<String>,
}

impl Target {
    /// The middle part of its tests' ids.
    pub(super) fn label(&self) -> String {
        match self.kind {
            Kind::Lib => "lib".to_owned(),
            Kind::Bin => format!("bin/{}", self.name),
            Kind::Test => format!("tests/{}", self.name),
            Kind::Example => format!("examples/{}", self.name),
            Kind::Bench => format!("benches/{}", self.name),
        }
    }

    /// Whether it needs a feature that is not on by default.
    pub(super) fn is_off(&self, package: &Value) -> bool {
        let defaults = defaults(package);
        let mut required = self.required.iter();
        required.any(|feature| !defaults.contains(feature.as_str()))
    }

    fn read(value: &Value, manifest: &toml::Table) -> Option<Self> {
        let kind = kind(value["kind"].get(0)?.as_str()?)?;
        let name = value["name"].as_str()?.to_owned();
        let is = |key: &str| value[key].as_bool().unwrap_or_default();
        Some(Self {
            has_harness: has_harness(manifest, kind, &name),
            kind,
            source: PathBuf::from(value["src_path"].as_str()?),
            is_tested: is("test"),
            has_doc_tests: is("doctest"),
            required: texts(&value["required-features"]),
            name,
        })
    }
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten();
    let texts = texts.filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// The features of a package that are on by default.
fn defaults(package: &Value) -> BTreeSet<String> {
    let features = &package["features"];
    let mut found = BTreeSet::from(["default".to_owned()]);
    let mut open = vec!["default".to_owned()];
    while let Some(feature) = open.pop() {
        for next in texts(&features[&feature]) {
            if found.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

fn kind(name: &str) -> Option<Kind> {
    match name {
        "bin" => Some(Kind::Bin),
        "test" => Some(Kind::Test),
        "example" => Some(Kind::Example),
        "bench" => Some(Kind::Bench),
        "custom-build" => None,
        _ => Some(Kind::Lib),
    }
}

/// `cargo metadata` does not tell; the manifest does.
fn has_harness(manifest: &toml::Table, kind: Kind, name: &str) -> bool {
    let entries: Vec<&toml::Value> = match kind {
        Kind::Lib => manifest.get("lib").into_iter().collect(),
        Kind::Bin => listed(manifest, "bin"),
        Kind::Test => listed(manifest, "test"),
        Kind::Example => listed(manifest, "example"),
        Kind::Bench => listed(manifest, "bench"),
    };
    let is_it = |entry: &&toml::Value| {
        kind == Kind::Lib || entry.get("name").and_then(toml::Value::as_str) == Some(name)
    };
    let entry = entries.into_iter().find(is_it);
    let harness = entry.and_then(|entry| entry.get("harness")?.as_bool());
    harness.unwrap_or(true)
}

fn listed<'m>(manifest: &'m toml::Table, key: &str) -> Vec<&'m toml::Value> {
    let entries = manifest.get(key).and_then(toml::Value::as_array);
    entries.into_iter().flatten().collect()
}

impl Package {
    pub(super) fn folder(&self) -> &Path {
        self.manifest.parent().unwrap_or(Path::new("/"))
    }

    fn read(value: &Value) -> Option<Self> {
        let manifest = PathBuf::from(value["manifest_path"].as_str()?);
        let text = fs::read_to_string(&manifest).unwrap_or_default();
        let table: toml::Table = text.parse().unwrap_or_default();
        let targets = value["targets"].as_array().into_iter().flatten();
        let mut targets: Vec<Target> = targets
            .filter_map(|target| Target::read(target, &table))
            .collect();
        targets.sort_by(|a, b| (a.kind, &a.name).cmp(&(b.kind, &b.name)));
        Some(Self {
            name: value["name"].as_str()?.to_owned(),
            id: value["id"].as_str()?.to_owned(),
            manifest,
            metadata: value.clone(),
            targets,
        })
    }
}

impl Workspace {
    fn at(tree: &Path, folder: &Path) -> Self {
        let prefix = folder.strip_prefix(tree).unwrap_or(Path::new(""));
        let prefix = prefix.to_string_lossy();
        Self {
            folder: folder.to_owned(),
            prefix: if prefix.is_empty() {
                String::new()
            } else {
                format!("{prefix}/")
            },
            packages: Vec::new(),
        }
    }

    /// The workspaces of a tree, without their packages: each topmost folder that has a manifest.
    /// What such a workspace leaves out is not run.
    pub(super) fn find(tree: &Path) -> Vec<Self> {
        topmost(tree)
            .iter()
            .map(|folder| Self::at(tree, folder))
            .collect()
    }

    /// Asks cargo for the packages. What is wrong with a manifest is said in `Err`.
    pub(super) fn describe(
        &mut self,
        environment: &Environment,
        scratch: &Path,
        launcher: &Launcher,
        limits: &Limits,
    ) -> Result<Result<(), String>, RunError> {
        let file = scratch.join("metadata.json");
        let command = cargo::command(environment, self)
            .args(["metadata", "--no-deps", "--format-version=1"])
            .copy_stdout(&file);
        let finished = launcher.run(&command, limits)?;
        if !finished.success() {
            return Ok(Err(finished.stderr.last_lines(20)));
        }
        let bytes = fs::read(&file).map_err(records(&file))?;
        let metadata: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let packages = metadata["packages"].as_array().into_iter().flatten();
        self.packages = packages.filter_map(Package::read).collect();
        self.packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Ok(()))
    }

    /// All targets with their packages.
    pub(super) fn targets(&self) -> impl Iterator<Item = (&Package, &Target)> {
        self.packages
            .iter()
            .flat_map(|package| package.targets.iter().map(move |target| (package, target)))
    }
}

/// The topmost folders that hold a manifest, sorted.
fn topmost(folder: &Path) -> BTreeSet<PathBuf> {
    if folder.join("Cargo.toml").is_file() {
        return BTreeSet::from([folder.to_owned()]);
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .filter(|entry| entry.file_name().to_str().is_some_and(is_own))
        .flat_map(|entry| topmost(&entry.path()))
        .collect()
}

fn is_own(folder: &str) -> bool {
    !folder.starts_with('.') && !FOREIGN.contains(&folder)
}

/// Whether a path is the manifest of a package of the project.
pub(super) fn is_manifest(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop() == Some("Cargo.toml") && folders.into_iter().all(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_manifests_are_the_workspaces() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        write("native/Cargo.toml");
        write("native/inner/Cargo.toml");
        write("tests/data/Cargo.toml");
        write("tools/gen/Cargo.toml");
        let prefixes = |workspaces: Vec<Workspace>| -> Vec<String> {
            workspaces
                .into_iter()
                .map(|workspace| workspace.prefix)
                .collect()
        };
        assert_eq!(
            prefixes(Workspace::find(folder.path())),
            ["native/", "tools/gen/"]
        );
        write("Cargo.toml");
        assert_eq!(prefixes(Workspace::find(folder.path())), [""]);
    }

    #[test]
    fn the_manifest_says_which_targets_have_no_harness() {
        let manifest = "[[test]]\nname = 'ui'\nharness = false\n[lib]\nname = 'x'\n"
            .parse()
            .unwrap();
        assert!(!has_harness(&manifest, Kind::Test, "ui"));
        assert!(has_harness(&manifest, Kind::Test, "other"));
        assert!(has_harness(&manifest, Kind::Lib, "x"));
    }
}
