//! The tracer for Rust: which functions each test ran.
//!
//! The crates of the workspace are compiled a second time with the compiler's own coverage counters,
//! and each test is run alone in a process of it. A function ran if one of its counters did. Counters
//! start before `main`, so a run without any test tells how much of them that is.
//!
//! What is not seen: procedural macros and build scripts, which run while something is compiled; code
//! that the compiler evaluated or left out; functions that `derive` makes, which have no counters;
//! tests in documentation; and processes that end without running their exit handlers.

mod batch;
mod coverage;
mod profile;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use analyzer::trace::{
    Code, Context, ContextKind, Edge, EdgeKind, Outcome, Phase, TestResult, Trace,
};

use super::build::{Built, TargetKey, Wanted};
use super::cargo;
use super::records;
use super::runner::{Program, Run, Suite, Test};
use crate::environment::Environment;
use crate::runner::{RunError, Selection};
use batch::{Batch, Record};
use coverage::Map;

/// Compiles the crates of the workspace with counters; not what runs in the compiler or before it.
const WRAPPER: &str = r#"#!/bin/sh
case " $* " in
    *" --crate-type proc-macro "* | *" --crate-name build_script_"*) exec "$@" ;;
    *) exec "$@" -C instrument-coverage ;;
esac
"#;

/// The script that stands in for the compiler. Its path never changes: cargo would build anew.
pub(super) fn wrapper(environment: &Environment) -> Result<PathBuf, RunError> {
    let folder = cargo::target(environment);
    let folder = folder.parent().unwrap_or(&folder);
    let path = folder.join("instrument.sh");
    if fs::read_to_string(&path).ok().as_deref() != Some(WRAPPER) {
        write_script(&path, WRAPPER)?;
    }
    Ok(path)
}

pub(super) fn write_script(path: &Path, text: &str) -> Result<(), RunError> {
    fs::write(path, text).map_err(records(path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(records(path))
}

/// Adds codes, edges and contexts to a trace that has the results of the whole suite.
pub(super) fn record(run: &Run<'_>, suites: &[Suite], trace: &mut Trace) -> Result<(), RunError> {
    let wrapper = wrapper(run.environment)?;
    let mut recorder = Recorder::new(run, &trace.tests);
    for suite in suites {
        let keys: BTreeSet<TargetKey> = traced(suite, &recorder.outcomes)
            .map(|(program, _)| program.key.clone())
            .collect();
        if keys.is_empty() {
            continue;
        }
        let wanted = match run.selection {
            Selection::All => Wanted::All,
            _ => Wanted::Some(keys),
        };
        let built = run.built(&suite.workspace, &wanted, Some(&wrapper))?;
        recorder.add(suite, &built)?;
    }
    recorder.finish(trace);
    Ok(())
}

/// The programs with tests that ran to their end, and these tests.
fn traced<'s>(
    suite: &'s Suite,
    outcomes: &HashMap<String, Outcome>,
) -> impl Iterator<Item = (&'s Program, Vec<&'s Test>)> {
    let ran = move |test: &&Test| {
        let outcome = outcomes.get(&test.id);
        outcome.is_some_and(|outcome| !matches!(outcome, Outcome::Skipped | Outcome::Error))
    };
    suite.programs.iter().filter_map(move |program| {
        let tests: Vec<&Test> = program.tests.iter().filter(ran).collect();
        (!tests.is_empty()).then_some((program, tests))
    })
}

/// Puts together what the processes left.
struct Recorder<'a> {
    run: &'a Run<'a>,
    outcomes: HashMap<String, Outcome>,
    session: BTreeSet<Code>,
    /// What each test ran, by id.
    tests: BTreeMap<String, BTreeSet<Code>>,
    /// The code of each place, once found.
    codes: HashMap<(String, u32, u32), Code>,
    processes: u32,
    losses: BTreeSet<String>,
}

impl<'a> Recorder<'a> {
    fn new(run: &'a Run<'a>, tests: &[TestResult]) -> Self {
        let outcomes = tests.iter().map(|test| (test.id.clone(), test.outcome));
        Self {
            run,
            outcomes: outcomes.collect(),
            session: BTreeSet::new(),
            tests: BTreeMap::new(),
            codes: HashMap::new(),
            processes: 0,
            losses: BTreeSet::new(),
        }
    }

    fn add(&mut self, suite: &Suite, built: &Built) -> Result<(), RunError> {
        let programs: Vec<(&Program, Vec<&Test>)> = traced(suite, &self.outcomes).collect();
        let map = self.map(built);
        for (program, tests) in programs {
            let binary = built.tests.get(&program.key);
            let Some((binary, package)) = binary.zip(program.package(suite)) else {
                let (_, _, name) = &program.key;
                let reason = built.reason(&program.key).message;
                self.losses
                    .insert(format!("{name} could not be built for tracing: {reason}"));
                continue;
            };
            let batches = Batch::new(self.run, suite, package, built, binary, program);
            let start = batches.start()?;
            self.processes += start.processes;
            for place in start.ran.keys().filter_map(|name| map.place(*name)) {
                let code = self.code(place);
                self.session.insert(code);
            }
            for (test, record) in tests.iter().zip(self.records(&batches, &tests)?) {
                self.add_test(test, &record, &start, &map);
            }
        }
        Ok(())
    }

    /// Where the functions of all programs stand: a test may start any of them.
    fn map(&mut self, built: &Built) -> Map {
        let mut map = Map::default();
        for program in built.tests.values().chain(built.programs.values()) {
            if let Err(reason) = map.read(program, self.run.tree) {
                self.losses
                    .insert(format!("{}: {reason}", program.display()));
            }
        }
        map
    }

    /// Runs tests side by side; what comes out differently than in the suite is run again alone:
    /// another test may have been in its way.
    fn records(&self, batches: &Batch, tests: &[&Test]) -> Result<Vec<Record>, RunError> {
        let mut records = batches.run(tests)?;
        for (test, record) in tests.iter().zip(&mut records) {
            if record.code.is_some() && !self.is_as_expected(test, record) {
                let again = batches.run(&[*test])?;
                if let Some(again) = again.into_iter().next() {
                    *record = again;
                }
            }
        }
        Ok(records)
    }

    fn is_as_expected(&self, test: &Test, record: &Record) -> bool {
        let is_bad = self
            .outcomes
            .get(&test.id)
            .is_some_and(|outcome| outcome.is_bad());
        record.code == Some(0) && !is_bad || record.code.is_some_and(|code| code != 0) && is_bad
    }

    fn add_test(&mut self, test: &Test, record: &Record, start: &Record, map: &Map) {
        self.processes += record.processes;
        let id = &test.id;
        if let Some(reason) = &record.trouble {
            self.losses.insert(format!("{id}: {reason}"));
        }
        match record.code {
            Some(_) if self.is_as_expected(test, record) => {}
            Some(0) => drop(self.losses.insert(format!(
                "{id} fails in the suite and not when it runs alone"
            ))),
            Some(code) => drop(self.losses.insert(format!(
                "{id} fails when it runs alone (exit code {code}) and not in the suite: it depends on tests before it"
            ))),
            None => {}
        }
        if record.processes == 0 {
            self.losses.insert(format!(
                "{id} was not recorded: its process did not come to its end"
            ));
            return;
        }
        let own = record
            .ran
            .iter()
            .filter(|(name, counters)| start.ran.get(name) != Some(counters));
        let places: Vec<_> = own.filter_map(|(name, _)| map.place(*name)).collect();
        let codes = places.into_iter().map(|place| self.code(place)).collect();
        self.tests.insert(id.clone(), codes);
    }

    fn code(&mut self, place: &coverage::Place) -> Code {
        let (path, line, column) = place;
        let found = self.codes.entry(place.clone());
        found
            .or_insert_with(|| self.run.places.code(path, *line, *column))
            .clone()
    }

    /// Numbers codes and contexts. An edge has the number of its code.
    fn finish(mut self, trace: &mut Trace) {
        let all: BTreeSet<&Code> = self
            .session
            .iter()
            .chain(self.tests.values().flatten())
            .collect();
        let numbers: BTreeMap<&Code, u32> = all.into_iter().zip(0..).collect();
        trace.codes = numbers.keys().map(|code| (*code).clone()).collect();
        trace.edges = numbers.values().map(|number| entered(*number)).collect();
        let edges = |codes: &BTreeSet<Code>| -> Vec<u32> {
            codes
                .iter()
                .filter_map(|code| numbers.get(code).copied())
                .collect()
        };
        trace.contexts.push(Context {
            kind: ContextKind::Session,
            edges: edges(&self.session),
        });
        for test in &mut trace.tests {
            let Some(codes) = self.tests.get(&test.id) else {
                continue;
            };
            test.contexts = vec![u32::try_from(trace.contexts.len()).unwrap_or(u32::MAX)];
            trace.contexts.push(Context {
                kind: ContextKind::Test {
                    test: test.id.clone(),
                    phase: Phase::Call,
                },
                edges: edges(codes),
            });
        }
        let unseen = trace.tests.iter().filter(|test| test.contexts.is_empty());
        let documented = unseen.filter(|test| test.id.contains("::doc::")).count();
        if documented > 0 {
            self.losses.insert(format!(
                "{documented} tests in documentation are not traced"
            ));
        }
        trace.processes = self.processes;
        trace.losses.extend(self.losses);
    }
}

fn entered(callee: u32) -> Edge {
    Edge {
        caller: None,
        callee,
        kind: EdgeKind::Entered,
    }
}
