//! Reads the plugin's report of a run and concludes what became of every test.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use analyzer::symbol::SymbolId;
use analyzer::trace::{CollectionError, ContextKind, FailureDetail, Outcome, Phase, TestResult};
use serde::Deserialize;

use crate::process::Ended;
use crate::runner::Selection;

/// A line of the report.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event {
    /// A test that will run.
    Test {
        id: String,
        path: String,
        function: String,
        /// Path and qualified name of the function's own definition, if it is another one.
        origin: Option<(String, String)>,
    },
    /// All tests are known.
    Collected,
    CollectionError {
        path: String,
        detail: FailureDetail,
    },
    /// A test begins, perhaps once more.
    Start {
        id: String,
    },
    Phase(PhaseReport),
    /// Wider fixtures that a test uses, each a `ContextKind` in JSON.
    Fixtures {
        id: String,
        contexts: Vec<String>,
    },
    Imported {
        module: String,
        path: PathBuf,
    },
    End {
        exit: i32,
    },
}

#[derive(Debug, Deserialize)]
struct PhaseReport {
    id: String,
    phase: Phase,
    outcome: PhaseOutcome,
    expected_failure: bool,
    seconds: f64,
    detail: Option<FailureDetail>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PhaseOutcome {
    Passed,
    Failed,
    Skipped,
    /// Any word of a plugin, such as `rerun`; decides nothing.
    #[serde(other)]
    Other,
}

/// A test and the wider fixtures it used.
#[derive(Debug)]
pub struct Concluded {
    pub result: TestResult,
    pub fixtures: Vec<ContextKind>,
}

/// What the run as a whole came to.
#[derive(Debug)]
pub struct Conclusion {
    pub tests: Vec<Concluded>,
    pub collection_errors: Vec<CollectionError>,
}

/// The report, read.
#[derive(Debug, Default)]
pub struct Results {
    /// In the runner's order.
    tests: Vec<Test>,
    by_id: HashMap<String, usize>,
    collection_errors: Vec<CollectionError>,
    collected: bool,
    /// The last test that began.
    running: Option<String>,
    /// pytest's own exit code, if it came to its end.
    exit: Option<i32>,
    /// Every top-level module with the file it came from.
    pub imported: BTreeMap<String, PathBuf>,
}

/// What is known of a test.
#[derive(Debug, Default)]
struct Test {
    id: String,
    path: String,
    function: String,
    origin: Option<SymbolId>,
    /// Of the last attempt.
    reports: Vec<PhaseReport>,
    fixtures: BTreeSet<String>,
}

impl Results {
    /// Reads a report. It may be missing or end in the middle of a line: its process may have died.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let mut results = Self::default();
        for line in text.split(|byte| *byte == b'\n') {
            if let Ok(event) = serde_json::from_slice(line) {
                results.add(event);
            }
        }
        Ok(results)
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Test {
                id,
                path,
                function,
                origin,
            } => self.add_test(Test {
                id,
                path,
                function,
                origin: origin.map(|(path, name)| SymbolId::parse(&format!("{path}::{name}"))),
                ..Test::default()
            }),
            Event::Collected => self.collected = true,
            Event::CollectionError { path, detail } => {
                self.collection_errors
                    .push(CollectionError { path, detail });
            }
            Event::Start { id } => {
                if let Some(test) = self.test(&id) {
                    test.reports.clear();
                }
                self.running = Some(id);
            }
            Event::Phase(report) => {
                if let Some(test) = self.test(&report.id) {
                    test.report(report);
                }
            }
            Event::Fixtures { id, contexts } => {
                if let Some(test) = self.test(&id) {
                    test.fixtures.extend(contexts);
                }
            }
            Event::Imported { module, path } => drop(self.imported.insert(module, path)),
            Event::End { exit } => self.exit = Some(exit),
        }
    }

    fn add_test(&mut self, test: Test) {
        self.by_id.insert(test.id.clone(), self.tests.len());
        self.tests.push(test);
    }

    fn test(&mut self, id: &str) -> Option<&mut Test> {
        self.tests.get_mut(*self.by_id.get(id)?)
    }

    /// Whether pytest came to its own end: all passed, some failed, or there was nothing to run.
    pub fn came_to_its_end(&self) -> bool {
        matches!(self.exit, Some(0 | 1 | 5))
    }

    /// The test during which the process died.
    pub fn died_in(&self) -> Option<String> {
        let unfinished = |id: &&String| {
            let index = self.by_id.get(*id);
            let test = index.and_then(|index| self.tests.get(*index));
            test.is_some_and(|test| !test.is_complete())
        };
        let running = self.running.as_ref().filter(unfinished);
        running.filter(|_| self.exit.is_none()).cloned()
    }

    /// The tests that the process did not come to, if it died in one.
    pub fn not_begun(&self) -> Vec<String> {
        let Some(died_in) = self.died_in() else {
            return Vec::new();
        };
        let rest = self.tests.iter().filter(|test| test.reports.is_empty());
        let rest = rest.map(|test| test.id.clone());
        rest.filter(|id| *id != died_in).collect()
    }

    /// Decides on every test. `ended` and `output` explain what did not run.
    pub fn conclude(mut self, selection: &Selection, ended: Ended, output: &str) -> Conclusion {
        let death = self.death(ended);
        if !self.collected {
            self.explain_missing_collection(selection, &death, output);
        }
        let tests = self
            .tests
            .into_iter()
            .map(|test| test.conclude(&death))
            .collect();
        Conclusion {
            tests,
            collection_errors: self.collection_errors,
        }
    }

    /// Why a test that should have run did not, or not to its end.
    fn death(&self, ended: Ended) -> String {
        match (self.exit, self.died_in()) {
            (Some(exit), _) => {
                format!("the run was stopped before this test ended (pytest's exit code {exit})")
            }
            (None, Some(id)) => format!("the test process died while running {id} ({ended})"),
            (None, None) => format!("the test process died between two tests ({ended})"),
        }
    }

    /// Nothing was collected, for a reason that only the output tells. Tests asked for by id failed.
    fn explain_missing_collection(&mut self, selection: &Selection, death: &str, output: &str) {
        let reason = if self.exit.is_some() {
            "collection was stopped"
        } else {
            death
        };
        if self.collection_errors.is_empty() {
            self.collection_errors.push(CollectionError {
                path: "session".to_owned(),
                detail: message(&format!("{reason}:\n{}", tail(output))),
            });
        }
        if let Selection::Ids(ids) = selection {
            for id in ids {
                if !self.by_id.contains_key(id) {
                    let path = id.split("::").next().unwrap_or_default().to_owned();
                    self.add_test(Test {
                        id: id.clone(),
                        path,
                        ..Test::default()
                    });
                }
            }
        }
    }
}

impl Test {
    /// A repeated test begins again with its set-up.
    fn report(&mut self, report: PhaseReport) {
        if report.phase == Phase::Setup {
            self.reports.clear();
        }
        self.reports.push(report);
    }

    fn is_complete(&self) -> bool {
        self.reports
            .iter()
            .any(|report| report.phase == Phase::Teardown)
    }

    fn conclude(self, death: &str) -> Concluded {
        let seconds = self.reports.iter().map(|report| report.seconds).sum();
        let (outcome, detail) = match decide(&self.reports) {
            Some((outcome, report)) if outcome == Outcome::Failed || self.is_complete() => {
                (outcome, report.and_then(|report| report.detail.clone()))
            }
            _ => (Outcome::Error, Some(message(death))),
        };
        let fixtures = self
            .fixtures
            .iter()
            .filter_map(|kind| serde_json::from_str(kind).ok());
        Concluded {
            fixtures: fixtures.collect(),
            result: TestResult {
                id: self.id,
                path: self.path,
                function: self.function,
                origin: self.origin,
                outcome,
                seconds,
                contexts: Vec::new(),
                detail,
            },
        }
    }
}

/// The outcome and the report that says why. Sub-tests make several reports for one phase: the worst
/// decides. None without a verdict.
fn decide(reports: &[PhaseReport]) -> Option<(Outcome, Option<&PhaseReport>)> {
    let find = |suits: &dyn Fn(&PhaseReport) -> bool| reports.iter().find(|report| suits(report));
    let called = |report: &PhaseReport| report.phase == Phase::Call;
    let is = |outcome| move |report: &PhaseReport| report.outcome == outcome;
    let (failed, passed, skipped) = (
        is(PhaseOutcome::Failed),
        is(PhaseOutcome::Passed),
        is(PhaseOutcome::Skipped),
    );
    if let Some(report) = find(&|r| called(r) && failed(r)) {
        return Some((Outcome::Failed, Some(report)));
    }
    if let Some(report) = find(&|r| failed(r)) {
        return Some((Outcome::Error, Some(report)));
    }
    if let Some(report) = find(&|r| skipped(r) && r.expected_failure) {
        return Some((Outcome::XFailed, Some(report)));
    }
    if let Some(report) = find(&|r| called(r) && passed(r)) {
        let unexpected = report.expected_failure;
        return Some(if unexpected {
            (Outcome::XPassed, Some(report))
        } else {
            (Outcome::Passed, None)
        });
    }
    find(&|r| skipped(r)).map(|report| (Outcome::Skipped, Some(report)))
}

fn message(text: &str) -> FailureDetail {
    FailureDetail {
        message: text.to_owned(),
        ..FailureDetail::default()
    }
}

fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
