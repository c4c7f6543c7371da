//! The events of `go test -json` (see `go doc test2json`), gathered by package and test.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

/// How much of the output of one test or package is kept from its beginning and from its end.
const KEPT: usize = 32 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Event {
    action: String,
    package: String,
    test: String,
    output: String,
    elapsed: f64,
    import_path: String,
    failed_build: String,
}

/// What the events of a run tell.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// By import path.
    pub(super) packages: BTreeMap<String, PackageRun>,
    /// What the builder printed, by import path (with `[p.test]` where it is compiled for a test).
    pub(super) builds: BTreeMap<String, String>,
}

/// What happened to a package.
#[derive(Debug, Default)]
pub(super) struct PackageRun {
    /// In the order in which they began.
    pub(super) tests: Vec<TestRun>,
    by_name: HashMap<String, usize>,
    pub(super) output: Text,
    /// `pass`, `fail` or `skip`; empty if it was not reached.
    pub(super) outcome: String,
    /// What could not be built.
    pub(super) failed_build: String,
    /// Whether the test binary came to its end by itself.
    pub(super) is_finished: bool,
}

/// What happened to a test.
#[derive(Debug, Default)]
pub(super) struct TestRun {
    pub(super) name: String,
    pub(super) output: Text,
    /// `pass`, `fail` or `skip`; empty if it did not end.
    pub(super) outcome: String,
    pub(super) seconds: f64,
}

/// The beginning and the end of an output.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    head: String,
    tail: String,
}

impl Text {
    fn push(&mut self, text: &str) {
        if self.head.len() < KEPT {
            self.head.push_str(text);
            return;
        }
        self.tail.push_str(text);
        if self.tail.len() > 2 * KEPT {
            let cut = (self.tail.len() - KEPT..).find(|&at| self.tail.is_char_boundary(at));
            self.tail.drain(..cut.unwrap_or(0));
        }
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}", self.head, self.tail)
    }
}

impl Events {
    /// Adds the events of a file; what is no event is what the builder of an older Go printed. The
    /// file may end in the middle of a line.
    pub(super) fn read(&mut self, file: &Path) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(file)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            if let Ok(event) = serde_json::from_slice(&line) {
                self.add(event);
            }
            line.clear();
        }
        Ok(())
    }

    /// Adds what the builder printed as text: `# IMPORT/PATH` before the lines of each package.
    pub(super) fn read_text(&mut self, text: &str) {
        let mut current = None;
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("# ") {
                current = Some(path.to_owned());
            }
            if let Some(path) = &current {
                let build = self.builds.entry(path.clone()).or_default();
                build.push_str(line);
                build.push('\n');
            }
        }
    }

    fn add(&mut self, event: Event) {
        if event.action == "build-output" {
            self.builds
                .entry(event.import_path)
                .or_default()
                .push_str(&event.output);
        } else if !event.package.is_empty() {
            let package = self.packages.entry(event.package.clone()).or_default();
            if event.test.is_empty() {
                package.add(event);
            } else {
                package.test(&event.test).add(event);
            }
        }
    }
}

impl PackageRun {
    fn add(&mut self, event: Event) {
        match event.action.as_str() {
            "output" => {
                self.is_finished |= matches!(event.output.as_str(), "PASS\n" | "FAIL\n");
                self.output.push(&event.output);
            }
            "pass" | "fail" | "skip" => {
                self.outcome = event.action;
                self.failed_build = event.failed_build;
            }
            _ => {}
        }
    }

    fn test(&mut self, name: &str) -> &mut TestRun {
        let next = self.tests.len();
        let index = *self.by_name.entry(name.to_owned()).or_insert(next);
        if index == next {
            self.tests.push(TestRun {
                name: name.to_owned(),
                ..TestRun::default()
            });
        }
        &mut self.tests[index]
    }

    /// The test of this name, if it began.
    pub(super) fn get(&self, name: &str) -> Option<&TestRun> {
        self.tests.get(*self.by_name.get(name)?)
    }

    /// The test whose output tells why the binary died, if any does.
    pub(super) fn culprit(&self) -> Option<&TestRun> {
        let fatal = |test: &&TestRun| panic_line(&test.output.text()).is_some();
        self.tests.iter().find(fatal)
    }

    /// The last test that began and did not end.
    pub(super) fn running(&self) -> Option<&TestRun> {
        self.tests.iter().rfind(|test| test.outcome.is_empty())
    }

    /// The line that says why the binary died.
    pub(super) fn death(&self) -> Option<String> {
        let own = self.output.text();
        let texts = self.tests.iter().map(|test| test.output.text());
        texts
            .chain([own])
            .find_map(|text| panic_line(&text).map(str::to_owned))
    }
}

/// The line by which the run time says that the process dies.
pub(super) fn panic_line(text: &str) -> Option<&str> {
    let is_fatal = |line: &&str| line.starts_with("panic: ") || line.starts_with("fatal error: ");
    let has_stack = text.contains("\ngoroutine ") || text.starts_with("goroutine ");
    text.lines().find(is_fatal).filter(|_| has_stack)
}

impl TestRun {
    fn add(&mut self, event: Event) {
        match event.action.as_str() {
            "output" => self.output.push(&event.output),
            "pass" | "fail" | "skip" => {
                self.outcome = event.action;
                self.seconds = event.elapsed;
            }
            _ => {}
        }
    }
}
