//! A copy of a sample project at a fixed place, so that its environment is made once, and the
//! program at work on it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use fixtures::{Fixture, copy_dir, tree_dir, unavailable};
use serde_json::Value;

use crate::tasks::{is_whole, read};

/// The sample project, fresh, for one test at a time.
pub struct Bench {
    /// Everything of these tests.
    folder: PathBuf,
    /// The project's folder.
    pub project: PathBuf,
    /// An empty folder for what a command writes.
    pub out: PathBuf,
    _lock: File,
}

/// What a run of the program left.
pub struct Ran {
    /// The exit code; none after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// The sample project with its environment; none where environments cannot be made.
pub fn bench() -> Option<Bench> {
    static PREPARED: OnceLock<Result<(), String>> = OnceLock::new();
    let bench = Bench::take("cli", &tree_dir("recipes"));
    PREPARED
        .get_or_init(|| bench.prepare())
        .clone()
        .map_err(|error| eprintln!("{error}"))
        .ok()
        .or_else(|| unavailable("Python 3 with pip and venv, and pytest from the package index"))?;
    Some(bench)
}

impl Bench {
    /// Waits for whoever uses the place of this name and makes it new, with a copy of a project.
    pub fn take(place: &str, source: &Path) -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/lacuna-fixtures");
        let folder = fixtures.join(place);
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let project = folder.join(source.file_name().unwrap());
        let out = folder.join("out");
        for old in [&project, &out] {
            if old.exists() {
                fs::remove_dir_all(old).unwrap();
            }
        }
        copy_dir(source, &project);
        fs::create_dir(&out).unwrap();
        Self {
            folder,
            project,
            out,
            _lock: lock,
        }
    }

    /// The files of a fixture text; `None` where a command is missing.
    pub fn of_files(place: &str, tool: &str, files: &str) -> Option<Self> {
        if Command::new(tool).output().is_err() {
            return unavailable(tool);
        }
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("toy");
        for file in Fixture::parse(files).files {
            let path = source.join(file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file.text).unwrap();
        }
        Some(Self::take(place, &source))
    }

    fn prepare(&self) -> Result<(), String> {
        let ran = self.run(&["prepare"]);
        match ran.code {
            Some(0) => Ok(()),
            _ => Err(ran.err),
        }
    }

    /// The cache that the program uses.
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// The program in the project's folder, not yet started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
        command
            .args(arguments)
            .current_dir(&self.project)
            .env("LACUNA_CACHE", self.cache())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program in the project's folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    /// Standard output of a run that does what was asked, and says nothing else.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(
            (ran.code, &*ran.err),
            (Some(0), ""),
            "{arguments:?}\n{}",
            ran.out
        );
        ran.out
    }

    /// The JSON document that a run prints.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--format", "json"]].concat();
        serde_json::from_str(&self.ok(&arguments)).unwrap()
    }

    /// Exit code and standard error of a run that prints no answer.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.out, "", "{arguments:?}");
        format!("{:?}: {}", ran.code, ran.err)
    }

    /// Carves the feature of the sample; the task's folder.
    pub fn extract(&self) -> PathBuf {
        let out = self.out.to_str().unwrap();
        self.ok(&["extract", "--target", TARGET, "--out", out]);
        only_entry(&self.out)
    }

    /// The task of the unchanged sample, which is carved once for all tests that only look at it.
    pub fn task(&self) -> PathBuf {
        static TASK: OnceLock<(OsString, BTreeMap<PathBuf, Vec<u8>>)> = OnceLock::new();
        let (name, content) = TASK.get_or_init(|| {
            let task = self.extract();
            (task.file_name().unwrap().to_owned(), files(&task))
        });
        let task = self.out.join(name);
        fs::create_dir_all(&task).unwrap();
        for (name, bytes) in content {
            fs::write(task.join(name), bytes).unwrap();
        }
        task
    }

    /// Writes a file of the project.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// What carving a feature out of the files of a fixture text answers; the task was checked. `None` where
/// there is no such command.
pub fn carved(place: &str, tool: &str, files: &str, target: &str) -> Option<(Bench, Value)> {
    let bench = Bench::of_files(place, tool, files)?;
    bench.ok(&["prepare", "--quiet"]);
    let out = bench.out.to_str().unwrap();
    let answer = bench.json(&["extract", "--target", target, "--out", out, "--quiet"]);
    let task = only_entry(&bench.out);
    assert!(is_whole(&task));
    let checked = bench.ok(&["check", task.to_str().unwrap(), "--quiet"]);
    assert!(checked.ends_with(" holds\n"), "{checked}");
    Some((bench, answer))
}

/// What each attempt taught, and the lines that leave code that is no test.
pub fn told(bench: &Bench, answer: &Value, is_test: impl Fn(&str) -> bool) -> String {
    let scenarios = answer["evidence"]["scenarios"].as_array().unwrap().iter();
    let decisions = scenarios.filter_map(|one| one["decision"].as_str());
    let decisions = decisions.filter(|decision| !decision.is_empty());
    let mut told: String = decisions.map(|decision| format!("{decision}\n")).collect();
    let patch = read(&only_entry(&bench.out), "removal.patch");
    let mut is_left_out = false;
    for line in patch.lines() {
        if let Some(path) = line.strip_prefix("--- a/") {
            is_left_out = is_test(path);
            if !is_left_out {
                told += &format!("{path}\n");
            }
        } else if !is_left_out && line.starts_with(['-', '+']) && !line.starts_with("+++") {
            told += &format!("{}\n", line.trim_end());
        }
    }
    told
}

/// The target of the sample's feature.
pub const TARGET: &str = "tests/test_shopping.py";

/// The only entry of a folder.
pub fn only_entry(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let entry = entries.next().unwrap();
    assert_eq!(entries.next(), None);
    entry
}

/// Every file below a folder with its bytes.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}
