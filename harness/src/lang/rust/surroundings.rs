//! What cargo puts around a test program: the folder it runs in and its variables.
//!
//! Cargo itself would run the programs one after the other and stop where one cannot be built; so
//! they are started without it, in the way that the chapter "Environment Variables" of its book tells.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::build::Built;
use super::cargo;
use super::workspace::{Package, Workspace};
use crate::environment::Environment;
use crate::process::Command;

#[cfg(target_os = "macos")]
const LIBRARY_PATH: &str = "DYLD_FALLBACK_LIBRARY_PATH";
#[cfg(not(target_os = "macos"))]
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// A command that starts a program of a package as `cargo test` would.
pub(super) fn command(
    environment: &Environment,
    workspace: &Workspace,
    package: &Package,
    built: &Built,
    program: &Path,
) -> Command {
    let variables = environment.variables.iter();
    Command::new(program, package.folder())
        .envs(variables.map(|(name, value)| (name, value.as_ref())))
        .envs(set(configured(workspace)))
        .env("CARGO", &environment.runtime)
        .env(LIBRARY_PATH, library_path(environment, package, built))
        .envs(set(of_package(package)))
        .envs(set(of_build(package, built)))
}

fn set(variables: BTreeMap<String, String>) -> impl Iterator<Item = (String, Option<String>)> {
    variables
        .into_iter()
        .map(|(name, value)| (name, Some(value)))
}

fn of_package(package: &Package) -> BTreeMap<String, String> {
    let text = |key: &str| {
        package.metadata[key]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let mut variables = BTreeMap::from([
        (
            "CARGO_MANIFEST_DIR".to_owned(),
            package.folder().display().to_string(),
        ),
        (
            "CARGO_MANIFEST_PATH".to_owned(),
            package.manifest.display().to_string(),
        ),
    ]);
    let mut add = |name: &str, value: String| {
        variables.insert(format!("CARGO_PKG_{name}"), value);
    };
    for key in [
        "name",
        "description",
        "homepage",
        "repository",
        "license",
        "license_file",
        "rust_version",
        "readme",
    ] {
        add(&key.to_uppercase(), text(key));
    }
    let authors = package.metadata["authors"].as_array().into_iter().flatten();
    let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
    add("AUTHORS", authors.join(":"));
    let version = text("version");
    let plain = version.split('+').next().unwrap_or_default();
    let (numbers, pre) = plain.split_once('-').unwrap_or((plain, ""));
    let mut numbers = numbers.split('.');
    for part in ["MAJOR", "MINOR", "PATCH"] {
        add(
            &format!("VERSION_{part}"),
            numbers.next().unwrap_or_default().to_owned(),
        );
    }
    add("VERSION_PRE", pre.to_owned());
    add("VERSION", version);
    variables
}

fn of_build(package: &Package, built: &Built) -> BTreeMap<String, String> {
    let mut variables = BTreeMap::new();
    for ((id, name), program) in &built.programs {
        if *id == package.id {
            variables.insert(
                format!("CARGO_BIN_EXE_{name}"),
                program.display().to_string(),
            );
        }
    }
    if let Some(script) = built.scripts.get(&package.id) {
        variables.extend(script.variables.clone());
        variables.insert("OUT_DIR".to_owned(), script.out_dir.clone());
    }
    variables
}

/// The variables that `.cargo/config.toml` sets.
fn configured(workspace: &Workspace) -> BTreeMap<String, String> {
    let folder = workspace.folder.join(".cargo");
    let read = |name| fs::read_to_string(folder.join(name));
    let text = read("config.toml").or_else(|_| read("config"));
    let table: toml::Table = text.unwrap_or_default().parse().unwrap_or_default();
    let Some(variables) = table.get("env").and_then(toml::Value::as_table) else {
        return BTreeMap::new();
    };
    let value = |name: &String, value: &toml::Value| {
        let is = |key: &str| value.get(key).and_then(toml::Value::as_bool) == Some(true);
        let text = value
            .as_str()
            .or_else(|| value.get("value").and_then(toml::Value::as_str))?;
        let is_kept = std::env::var_os(name).is_some() && !is("force");
        let text = if is("relative") {
            workspace.folder.join(text).display().to_string()
        } else {
            text.to_owned()
        };
        (!is_kept).then(|| (name.clone(), text))
    };
    variables
        .iter()
        .filter_map(|(name, entry)| value(name, entry))
        .collect()
}

fn library_path(environment: &Environment, package: &Package, built: &Built) -> String {
    let target = cargo::target(environment).join("debug");
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(script) = built.scripts.get(&package.id) {
        folders.extend(script.libraries.clone());
    }
    folders.extend([target.clone(), target.join("deps")]);
    let library = cargo::toolchain(environment).join("lib");
    let hosts = fs::read_dir(library.join("rustlib"))
        .into_iter()
        .flatten()
        .flatten();
    let mut hosts: Vec<PathBuf> = hosts.map(|host| host.path().join("lib")).collect();
    hosts.retain(|folder| folder.is_dir());
    hosts.sort();
    folders.extend(hosts);
    let inherited = std::env::var_os(LIBRARY_PATH).unwrap_or_default();
    folders.extend(std::env::split_paths(&inherited));
    let path = std::env::join_paths(folders).unwrap_or_default();
    path.to_string_lossy().into_owned()
}
