//! Concludes from the events of a run what became of every test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use analyzer::trace::{CollectionError, FailureDetail, Outcome, TestResult};

use super::events::{Events, PackageRun, TestRun, panic_line};
use super::plan::{self, Group};
use crate::lang::go::packages::{Package, Suite};
use crate::lang::go::places::Places;
use crate::process::Ended;
use crate::runner::Selection;

/// The most characters of a message.
const LONGEST: usize = 2_000;

/// What the run as a whole came to.
#[derive(Debug, Default)]
pub(super) struct Conclusion {
    pub(super) tests: Vec<TestResult>,
    pub(super) collection_errors: Vec<CollectionError>,
    /// Whether Go itself ended a test binary that ran too long.
    pub(super) timed_out: bool,
}

/// What conclusions are drawn from.
pub(super) struct Evidence<'a> {
    pub(super) tree: &'a Path,
    pub(super) suite: &'a Suite,
    pub(super) selection: &'a Selection,
    pub(super) groups: &'a [Group],
    pub(super) events: &'a Events,
    pub(super) ended: Ended,
    /// The last lines that the go command printed beside the events.
    pub(super) output: &'a str,
}

impl Evidence<'_> {
    /// Decides on every test.
    pub(super) fn conclude(&self) -> Conclusion {
        let mut conclusion = Conclusion::default();
        let mut parts: Vec<_> = self.groups.iter().flat_map(|group| &group.parts).collect();
        parts.sort_by_key(|part| part.package);
        let none = PackageRun::default();
        for part in parts {
            let Some(package) = self.suite.packages.get(part.package) else {
                continue;
            };
            let run = self
                .events
                .packages
                .get(&package.import_path)
                .unwrap_or(&none);
            conclusion.timed_out |= run
                .death()
                .is_some_and(|line| line.starts_with("panic: test timed out"));
            if !is_built(run) {
                continue;
            }
            conclusion
                .tests
                .extend(self.tests(package, run, &part.functions));
        }
        conclusion.collection_errors = self.collection_errors();
        if let Selection::Ids(ids) = self.selection {
            let asked: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
            conclusion
                .tests
                .retain(|test| asked.contains(test.id.as_str()));
        }
        conclusion
    }

    /// The tests of a package that was built, in the order of their functions.
    fn tests(
        &self,
        package: &Package,
        run: &PackageRun,
        wanted: &BTreeSet<String>,
    ) -> Vec<TestResult> {
        let is_dead = !run.is_finished && run.outcome != "pass" && run.outcome != "skip";
        let mut results = Vec::new();
        let begun = by_function(run);
        let wanted = package
            .tests
            .iter()
            .filter(|test| wanted.contains(&test.name));
        for test in wanted {
            let begun = begun.get(test.name.as_str());
            if begun.is_none() && is_dead {
                results.push(self.unfinished(package, run, &test.name));
            }
            results.extend(
                begun
                    .into_iter()
                    .flatten()
                    .map(|found| match outcome(found) {
                        Some(outcome) => self.finished(package, run, found, outcome),
                        None => self.unfinished(package, run, &found.name),
                    }),
            );
        }
        results
    }

    fn result(&self, package: &Package, name: &str, outcome: Outcome) -> TestResult {
        let function = name.split('/').next().unwrap_or(name);
        let declared = package.tests.iter().find(|test| test.name == function);
        TestResult {
            id: format!("{}::{name}", package.import_path),
            path: declared.map_or_else(String::new, |test| test.path.clone()),
            function: function.to_owned(),
            origin: None,
            outcome,
            seconds: 0.0,
            contexts: Vec::new(),
            detail: None,
        }
    }

    fn finished(
        &self,
        package: &Package,
        run: &PackageRun,
        test: &TestRun,
        outcome: Outcome,
    ) -> TestResult {
        let detail = match outcome {
            Outcome::Passed => None,
            Outcome::Skipped => Some(message(&said(&test.output.text()))),
            _ => Some(self.failure(package, run, test)),
        };
        TestResult {
            seconds: test.seconds,
            detail,
            ..self.result(package, &test.name, outcome)
        }
    }

    /// What a test says about its failure; a subtest that panics leaves its stack to its parents.
    fn failure(&self, package: &Package, run: &PackageRun, test: &TestRun) -> FailureDetail {
        let mut name = test.name.as_str();
        let mut text = test.output.text();
        while said(&text).is_empty() {
            let Some((parent, _)) = name.rsplit_once('/') else {
                break;
            };
            name = parent;
            let above = run
                .get(parent)
                .map(|test| test.output.text())
                .unwrap_or_default();
            if panic_line(&above).is_some() {
                text = above;
            }
        }
        self.detail(package, &text)
    }

    fn detail(&self, package: &Package, text: &str) -> FailureDetail {
        let folder = self.tree.join(&package.folder);
        let places = Places {
            tree: self.tree,
            folders: vec![&folder, self.tree],
        };
        match panic_line(text) {
            Some(line) => {
                let (kind, reason) = line.split_once(": ").unwrap_or(("panic", line));
                FailureDetail {
                    exception: kind.to_owned(),
                    message: cut(reason),
                    frames: places.stack(text),
                }
            }
            None => {
                let said = said(text);
                let silent = "failed without a word; its subtests say more, if it has any";
                FailureDetail {
                    frames: places.all(&said),
                    ..message(if said.is_empty() { silent } else { &said })
                }
            }
        }
    }

    /// A test that was to run and did not, or not to its end.
    fn unfinished(&self, package: &Package, run: &PackageRun, name: &str) -> TestResult {
        let began = run.get(name).is_some();
        let when = if began {
            "before this test ended"
        } else {
            "before this test began"
        };
        let why = match (run.death(), run.culprit().or_else(|| run.running())) {
            (Some(line), Some(culprit)) => format!("while running {}: {line}", culprit.name),
            (Some(line), None) => line,
            (None, Some(culprit)) if run.outcome == "fail" => {
                format!(
                    "while running {}: {}",
                    culprit.name,
                    said(&culprit.output.text())
                )
            }
            (None, _) => format!("{} {}", self.ended, said(&run.output.text())),
        };
        let why = why.trim();
        let text = run
            .get(name)
            .map(|test| test.output.text())
            .unwrap_or_default();
        let own = self.detail(package, &text);
        let detail = FailureDetail {
            message: cut(&format!("the test process ended {when} ({why})")),
            ..own
        };
        TestResult {
            detail: Some(detail),
            ..self.result(package, name, Outcome::Error)
        }
    }

    /// For each test file asked for whose package could not be built: why.
    fn collection_errors(&self) -> Vec<CollectionError> {
        let files = plan::files(self.suite, self.selection);
        let mut errors = Vec::new();
        for package in &self.suite.packages {
            let Some(run) = self.events.packages.get(&package.import_path) else {
                continue;
            };
            if is_built(run) {
                continue;
            }
            let detail = self.build_failure(package, run);
            let paths = files
                .get(package.import_path.as_str())
                .into_iter()
                .flatten();
            errors.extend(paths.map(|path| CollectionError {
                path: (*path).to_owned(),
                detail: detail.clone(),
            }));
        }
        errors.extend(
            self.suite
                .broken
                .iter()
                .map(|(path, reason)| CollectionError {
                    path: path.clone(),
                    detail: message(reason),
                }),
        );
        // Nothing ran and nothing says why: the go command itself failed.
        if errors.is_empty() && self.events.packages.is_empty() && self.ended != Ended::Exit(0) {
            errors.push(CollectionError {
                path: "go.mod".to_owned(),
                detail: message(&format!("{}: {}", self.ended, self.output)),
            });
        }
        errors
    }

    fn build_failure(&self, package: &Package, run: &PackageRun) -> FailureDetail {
        let builds = &self.events.builds;
        let path = &package.import_path;
        let names = [
            run.failed_build.clone(),
            format!("{path} [{path}.test]"),
            path.clone(),
            format!("{path}_test [{path}.test]"),
        ];
        let text = names.iter().find_map(|name| builds.get(name)).cloned();
        let text = text.unwrap_or_else(|| format!("{}\n{}", run.output.text(), self.output));
        let module = self
            .suite
            .modules
            .get(package.module)
            .map(|module| module.folder.as_path());
        let folder = self.tree.join(&package.folder);
        let places = Places {
            tree: self.tree,
            folders: vec![module.unwrap_or(self.tree), &folder, self.tree],
        };
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("# "))
            .collect();
        FailureDetail {
            exception: "build failed".to_owned(),
            message: cut(lines.join("\n").trim()),
            frames: places.all(&text),
        }
    }
}

/// Whether a test binary was made: one that could not be says so in place of its results.
pub(super) fn is_built(run: &PackageRun) -> bool {
    let text = run.output.text();
    run.failed_build.is_empty()
        && !text.contains("[build failed]")
        && !text.contains("[setup failed]")
}

fn outcome(test: &TestRun) -> Option<Outcome> {
    match test.outcome.as_str() {
        "pass" => Some(Outcome::Passed),
        "fail" => Some(Outcome::Failed),
        "skip" => Some(Outcome::Skipped),
        _ => None,
    }
}

/// What a test itself printed, without the frame that the test runner puts around it.
fn said(text: &str) -> String {
    let is_own = |line: &&str| {
        let line = line.trim_start();
        ![
            "=== ",
            "--- PASS",
            "--- FAIL",
            "--- SKIP",
            "FAIL\t",
            "exit status ",
        ]
        .iter()
        .any(|mark| line.starts_with(mark))
    };
    let lines: Vec<&str> = text
        .lines()
        .filter(is_own)
        .map(|line| line.trim_start_matches("    "))
        .collect();
    lines.join("\n").trim().to_owned()
}

fn message(text: &str) -> FailureDetail {
    FailureDetail {
        message: cut(text),
        ..FailureDetail::default()
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// The tests below each function. Siblings are ordered by name: the order of the events depends on the
/// scheduler where subtests run side by side, and on chance where they come from a map.
fn by_function(run: &PackageRun) -> BTreeMap<&str, Vec<&TestRun>> {
    let mut tests: Vec<&TestRun> = run.tests.iter().collect();
    tests.sort_by(|one, other| one.name.split('/').cmp(other.name.split('/')));
    let mut sorted: BTreeMap<&str, Vec<&TestRun>> = BTreeMap::new();
    for test in tests {
        let function = test.name.split('/').next().unwrap_or(&test.name);
        sorted.entry(function).or_default().push(test);
    }
    sorted
}
