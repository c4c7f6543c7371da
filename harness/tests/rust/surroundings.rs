//! A test program runs as cargo would run it.

use std::collections::BTreeMap;
use std::fs;

use harness::runner::Selection;

use super::support::Place;

/// Variables that tell the two ways apart and not the programs.
const OWN: &[&str] = &[
    "RUSTC_BOOTSTRAP",
    "CARGO_NET_OFFLINE",
    "SHLVL",
    "_",
    "OLDPWD",
    "PWD",
];

#[test]
fn variables_and_folder_are_those_of_cargo() {
    let place = Place::new(
        r#"
//- Cargo.toml
[workspace]
members = ["member"]
resolver = "2"
//- .cargo/config.toml
[env]
PLAIN = "1"
FORCED = { value = "x", force = true }
FOLDER = { value = "member", relative = true }
//- member/Cargo.toml
[package]
name = "toy"
version = "0.1.2-beta.1+build"
edition = "2021"
authors = ["A <a@b.c>", "D"]
description = "Some \"words\""
license = "MIT"
rust-version = "1.70"
//- member/build.rs
fn main() { println!("cargo:rustc-env=BUILT=yes"); }
//- member/src/main.rs
fn main() {}
//- member/tests/all.rs
#[test]
fn all() {
    let mut text = format!("FOLDER OF {}\n", std::env::current_dir().unwrap().display());
    for (name, value) in std::env::vars() { text += &format!("{name}={value}\n"); }
    std::fs::write(std::env::var("SHOW").unwrap_or_else(|_| "/dev/null".into()), text).unwrap();
}
"#,
    );
    let shown = place.root().with_file_name("shown");
    let variables = format!(
        "[environment.variables]\nSHOW = {:?}\n",
        shown.display().to_string()
    );
    place.write("lacuna.toml", &variables);
    let Some(prepared) = place.prepare() else {
        return;
    };
    prepared.run(&Selection::All, false);
    let ours = fs::read_to_string(&shown).unwrap();
    let environment = &prepared.environment;
    let mut cargo = std::process::Command::new(&environment.runtime);
    for (name, value) in &environment.variables {
        match value {
            Some(value) => cargo.env(name, value),
            None => cargo.env_remove(name),
        };
    }
    let status = cargo
        .args(["test", "--workspace", "--tests", "--offline", "--locked"])
        .current_dir(prepared.sandbox.tree())
        .status();
    assert!(status.unwrap().success());
    let theirs = fs::read_to_string(&shown).unwrap();
    let read = |text: &str| -> BTreeMap<String, String> {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs
            .filter(|(name, _)| !OWN.contains(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    assert_eq!(ours.lines().next(), theirs.lines().next());
    assert_eq!(read(&ours), read(&theirs));
}
