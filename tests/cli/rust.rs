//! The sample in Rust through every command: a target inside a source file and one beside the sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fixtures::{copy_dir, tree_dir, unavailable};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::only_entry;

/// A copy of the sample with a cache of its own.
struct Sample {
    folder: TempDir,
}

impl Sample {
    /// `None` where there is no cargo.
    fn new() -> Option<Self> {
        let sample = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        copy_dir(&tree_dir("tally"), &sample.project());
        let cargo = Command::new("cargo").arg("--version").output();
        if cargo.is_ok_and(|output| output.status.success()) {
            Some(sample)
        } else {
            unavailable("cargo")
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("tally")
    }

    /// What the program answers in the sample's folder.
    fn json(&self, arguments: &[&str]) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
            .args(arguments)
            .args(["--format", "json", "--quiet"])
            .current_dir(self.project())
            .env("LACUNA_CACHE", self.folder.path().join("cache"))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {told}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Carves a task; its folder and its record.
    fn extract(&self, target: &str, name: &str) -> (PathBuf, Value) {
        let out = self.folder.path().join(name);
        let out_text = out.to_str().unwrap();
        let answer = self.json(&["extract", "--target", target, "--out", out_text]);
        (only_entry(&out), answer)
    }

    /// What `cargo check` and `rustfmt` say about the project with a patch applied.
    fn complaints_after(&self, patch: &Path) -> String {
        let tree = self.folder.path().join("tree");
        if tree.exists() {
            fs::remove_dir_all(&tree).unwrap();
        }
        copy_dir(&self.project(), &tree);
        let run = |program: &str, arguments: &[&str]| {
            let output = Command::new(program)
                .args(arguments)
                .current_dir(&tree)
                .env("GIT_CEILING_DIRECTORIES", self.folder.path())
                .output()
                .unwrap();
            let told = [output.stdout, output.stderr].concat();
            let told = String::from_utf8_lossy(&told).into_owned();
            let is_quiet = output.status.success() && !told.contains("warning");
            if is_quiet { String::new() } else { told }
        };
        let patch = patch.to_str().unwrap();
        run("git", &["apply", patch])
            + &run("cargo", &["check", "--all-targets", "--offline"])
            + &run("cargo", &["fmt", "--check"])
    }
}

fn texts(value: &Value) -> Vec<&str> {
    let values = value.as_array().into_iter().flatten();
    values.filter_map(Value::as_str).collect()
}

#[test]
fn features_of_a_rust_project_are_found_carved_and_checked() {
    let Some(sample) = Sample::new() else { return };
    sample.json(&["prepare"]);
    let tests = sample.json(&["tests"]);
    assert_eq!(tests["tests"].as_array().unwrap().len(), 18);
    let features = sample.json(&["features"]);
    let features = features["features"].as_array().unwrap();
    let offers = |target: &str| {
        features
            .iter()
            .any(|row| row["target"] == target && row["offer"] == "feature")
    };
    assert!(
        offers("src/settle.rs") && offers("tests/report.rs"),
        "{features:?}"
    );

    let (task, answer) = sample.extract("src/settle.rs", "inside");
    let record = &answer["task"];
    assert_eq!(
        texts(&record["tests"]["fail_to_pass"]),
        [
            "tally::lib::settle::tests::nobody_pays_when_nobody_owes",
            "tally::lib::settle::tests::the_first_of_equal_claims_is_paid_first",
            "tally::lib::settle::tests::the_largest_debt_is_paid_first",
        ]
    );
    assert_eq!(texts(&record["tests"]["put_back_into"]), ["src/settle.rs"]);
    assert_eq!(sample.complaints_after(&task.join("removal.patch")), "");
    assert_eq!(answer["evidence"]["faults"], Value::Array(Vec::new()));
    check(&sample, &task);

    let (task, answer) = sample.extract("tests/report.rs", "beside");
    assert_eq!(texts(&answer["task"]["tests"]["put_back_into"]), [""; 0]);
    assert_eq!(sample.complaints_after(&task.join("removal.patch")), "");
    check(&sample, &task);
}

fn check(sample: &Sample, task: &Path) {
    let answer = sample.json(&["check", task.to_str().unwrap()]);
    let claims = answer["claims"].as_array().unwrap();
    let broken: Vec<&Value> = claims
        .iter()
        .filter(|claim| claim["against"] != Value::Array(Vec::new()))
        .collect();
    assert!(!claims.is_empty() && broken.is_empty(), "{broken:?}");
}
