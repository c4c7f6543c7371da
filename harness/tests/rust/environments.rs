//! Environments: lock files, toolchains, what builds write.

use std::fs;

use expect_test::expect;
use harness::environment::{EnvironmentError, Toolchain};
use harness::lang::rust::environment::Rust;
use harness::project::Project;
use harness::runner::Selection;

use super::support::{Place, launcher, results};

const MANIFEST: &str = "\
//- Cargo.toml
[package]
name = \"toy\"
version = \"0.1.0\"
edition = \"2021\"
";

#[test]
fn a_lock_file_is_made_in_the_work_tree_only() {
    let place = Place::new(&format!(
        "{MANIFEST}//- src/lib.rs\n#[test]\nfn one() {{}}\n"
    ));
    let Some(prepared) = place.prepare() else {
        return;
    };
    assert_eq!(prepared.environment.collection.tests, 1);
    assert_eq!(prepared.environment.distribution.as_deref(), Some("toy"));
    assert_eq!(prepared.environment.packages["toy"], "0.1.0");
    assert!(prepared.sandbox.tree().join("Cargo.lock").is_file());
    assert!(!place.root().join("Cargo.lock").exists());
    let environment = prepared.environment.clone();
    place.write("src/more.rs", "");
    let again = place.prepare().unwrap();
    assert_eq!(
        again.environment, environment,
        "what it is made from is the same"
    );
    assert!(again.sandbox.tree().join("Cargo.lock").is_file());
}

#[test]
fn what_a_build_script_writes_among_the_sources_is_kept() {
    let place = Place::new(&format!(
        "{MANIFEST}{}",
        r#"
//- build.rs
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    std::fs::write("src/made.rs", "pub fn made() -> u32 { 3 }").unwrap();
}
//- src/lib.rs
mod made;
#[test]
fn one() { assert_eq!(made::made(), 3) }
"#
    ));
    let Some(mut prepared) = place.prepare() else {
        return;
    };
    assert!(
        prepared
            .sandbox
            .generated()
            .any(|path| path == "src/made.rs")
    );
    assert!(!place.root().join("src/made.rs").exists());
    prepared.edit("src/other.rs", "");
    let run = prepared.run(&Selection::All, false);
    expect![[r#"
        Passed toy::lib::one (src/lib.rs, one)
    "#]]
    .assert_eq(&results(&run.trace));
}

#[test]
fn a_crate_that_does_not_compile_is_a_complaint() {
    let place = Place::new(&format!(
        "{MANIFEST}{}",
        r#"
[features]
off = []
[[test]]
name = "needs"
required-features = ["off"]
//- src/lib.rs
//- tests/broken.rs
fn broken() -> u32 { "" }
//- tests/good.rs
#[test]
fn good() {}
//- tests/needs.rs
fn broken() -> u32 { "" }
"#
    ));
    let Some(prepared) = place.prepare() else {
        return;
    };
    let collection = &prepared.environment.collection;
    assert_eq!(collection.tests, 1);
    let errors: Vec<&String> = collection.errors.keys().collect();
    assert_eq!(errors, ["tests/broken.rs"]);
    assert!(collection.errors["tests/broken.rs"].contains("mismatched types"));
}

#[test]
fn a_toolchain_that_is_not_there_is_asked_for_and_not_installed() {
    let place = Place::new(&format!("{MANIFEST}//- src/lib.rs\n"));
    if place.prepare().is_none() || !rustup() {
        return;
    }
    place.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.31.0\"\n");
    match place.try_prepare() {
        Err(EnvironmentError::NoRuntime { wanted, found, .. }) => {
            assert_eq!(wanted, "1.31.0");
            assert!(found.contains("1.31.0"), "{found}");
        }
        Err(other) => unreachable!("{other}"),
        Ok(_) => unreachable!("nobody has this toolchain"),
    }
}

fn rustup() -> bool {
    let asked = std::process::Command::new("rustup")
        .arg("--version")
        .output();
    asked.is_ok() || fixtures::unavailable::<()>("rustup").is_some()
}

#[test]
fn the_examination_tells_what_there_is() {
    let place = Place::new(&format!(
        "{MANIFEST}//- src/lib.rs\n#[test]\nfn one() {{}}\n"
    ));
    let project = Project::open(&place.root()).unwrap();
    let checks = Rust.examine(
        &project,
        &project.files().unwrap(),
        &Default::default(),
        &launcher(),
    );
    let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["cargo", "packages", "tests"]);
    assert_eq!(checks[2].found, "1 file with tests or examples");
    let _ = fs::metadata(place.root());
}

#[test]
fn a_package_that_its_workspace_leaves_out_is_named() {
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
    let place = Place::new(&format!(
        "//- Cargo.toml\n[workspace]\nmembers = [\"a\"]\nexclude = [\"b\", \"none\"]\n//- a/Cargo.toml\n{}//- a/src/lib.rs\n//- b/Cargo.toml\n{}//- b/src/lib.rs\n",
        package("a"),
        package("b"),
    ));
    let project = Project::open(&place.root()).unwrap();
    let files = project.files().unwrap();
    let checks = Rust.examine(&project, &files, &Default::default(), &launcher());
    let said = checks.iter().find(|check| check.name == "workspace");
    assert_eq!(said.unwrap().found, "b left out of the workspace");
}
