//! A test program: what it holds, and how it is brought to tell the outcome of each test.

use std::collections::BTreeMap;
use std::path::PathBuf;

use analyzer::trace::{FailureDetail, Outcome, TestResult};

use super::super::build::{TargetKey, Wanted, key};
use super::super::messages::project_path;
use super::super::surroundings;
use super::super::workspace::{Package, Target};
use super::events::{Discovered, End, Report};
use super::{Run, Suite, plan, results};
use crate::process::{Command, Ended, Finished};
use crate::runner::RunError;

/// A test program and its selected tests.
pub(in crate::lang::rust) struct Program {
    pub(in crate::lang::rust) key: TargetKey,
    package: usize,
    path: PathBuf,
    pub(in crate::lang::rust) has_harness: bool,
    pub(in crate::lang::rust) tests: Vec<Test>,
    /// Whether these are all of its tests.
    is_whole: bool,
}

/// A test of a program.
#[derive(Clone, Debug)]
pub(in crate::lang::rust) struct Test {
    /// What the program calls it.
    pub(in crate::lang::rust) name: String,
    pub(in crate::lang::rust) id: String,
    pub(in crate::lang::rust) path: String,
    pub(in crate::lang::rust) function: String,
}

/// How a process with tests ended, without those that ended by themselves.
struct Death {
    ended: Ended,
    output: String,
}

impl Run<'_> {
    /// Asks each program of a suite for its tests.
    pub(super) fn list(&self, suite: &mut Suite, wanted: &Wanted) -> Result<(), RunError> {
        let mut programs = Vec::new();
        let mut errors = Vec::new();
        for (index, package) in suite.workspace.packages.iter().enumerate() {
            for target in &package.targets {
                let key = key(package, target);
                let is_wanted = match wanted {
                    Wanted::All => true,
                    Wanted::Some(keys) => keys.contains(&key),
                };
                let Some(path) = suite.built.tests.get(&key).filter(|_| is_wanted) else {
                    continue;
                };
                let mut program = Program {
                    key,
                    package: index,
                    path: path.clone(),
                    has_harness: target.has_harness,
                    tests: Vec::new(),
                    is_whole: true,
                };
                match self.tests(suite, &program, package, target)? {
                    Ok(tests) => {
                        let count = tests.len();
                        let selected =
                            |test: &Test| plan::is_selected(self.selection, &test.id, &test.path);
                        program.tests = tests.into_iter().filter(selected).collect();
                        program.is_whole = count == program.tests.len();
                        programs.push(program);
                    }
                    Err(reason) => errors.push(results::unlisted(self, suite, target, reason)),
                }
            }
        }
        suite.programs = programs;
        suite.errors.extend(errors);
        Ok(())
    }

    /// The tests of a program, or why it does not tell.
    fn tests(
        &self,
        suite: &Suite,
        program: &Program,
        package: &Package,
        target: &Target,
    ) -> Result<Result<Vec<Test>, String>, RunError> {
        let prefix = plan::prefix(package, target);
        let source = target.source.display().to_string();
        let source = project_path(&source, self.tree, &suite.workspace).unwrap_or_default();
        if !program.has_harness {
            // Its arguments may mean anything to it: it is one test.
            let test = Test {
                name: String::new(),
                id: prefix,
                path: source,
                function: String::new(),
            };
            return Ok(Ok(vec![test]));
        }
        let file = self.file("tests.json");
        let command = self
            .harness(suite, program)
            .arg("--list")
            .copy_stdout(&file);
        let finished = self.launcher.run(&command, &self.limits_of_one())?;
        self.add_use(&finished);
        let report = Report::read(&file);
        if !report.is_complete {
            let said = finished.stderr.last_lines(20);
            return Ok(Err(format!(
                "the test program ended before it listed its tests ({}) {said}",
                finished.ended
            )));
        }
        let test = |found: &Discovered| self.test(suite, &prefix, &source, found);
        Ok(Ok(report.discovered.iter().map(test).collect()))
    }

    fn test(&self, suite: &Suite, prefix: &str, source: &str, found: &Discovered) -> Test {
        let path = project_path(&found.path, self.tree, &suite.workspace);
        let function = path.as_ref().map(|path| {
            self.places
                .test(path, found.line, found.column, &found.name)
        });
        Test {
            name: found.name.clone(),
            id: format!("{prefix}::{}", found.name),
            path: path.unwrap_or_else(|| source.to_owned()),
            function: function.unwrap_or_default(),
        }
    }

    /// The command of a program, as cargo would start it.
    fn command(&self, suite: &Suite, program: &Program) -> Option<Command> {
        let package = suite.workspace.packages.get(program.package)?;
        Some(surroundings::command(
            self.environment,
            &suite.workspace,
            package,
            &suite.built,
            &program.path,
        ))
    }

    /// The same with the flags that make the standard harness write events. They are not stable, and
    /// this variable is how a stable harness takes them; programs that a test starts inherit it.
    fn harness(&self, suite: &Suite, program: &Program) -> Command {
        let command = self.command(suite, program);
        let command = command.unwrap_or_else(|| Command::new(&program.path, self.tree));
        command
            .env("RUSTC_BOOTSTRAP", "1")
            .args(["--format=json", "--report-time", "-Zunstable-options"])
            .args(&self.arguments.tests)
    }

    /// Runs the selected tests of a program.
    pub(super) fn run_program(
        &self,
        suite: &Suite,
        program: &Program,
    ) -> Result<Vec<TestResult>, RunError> {
        if program.tests.is_empty() {
            return Ok(Vec::new());
        }
        if !program.has_harness {
            return self.run_whole(suite, program);
        }
        let mut ended: BTreeMap<String, TestResult> = BTreeMap::new();
        let mut pending: Vec<&Test> = program.tests.iter().collect();
        while !pending.is_empty() && !self.is_over() {
            let death = self.run_some(suite, program, &pending, &mut ended)?;
            pending.retain(|test| !ended.contains_key(&test.name));
            let Some((death, suspects)) = death else {
                break;
            };
            self.judge(suite, program, &death, &suspects, &mut ended)?;
            pending.retain(|test| !ended.contains_key(&test.name));
        }
        if !pending.is_empty() {
            self.cut_short();
        }
        let never = |test: &Test| {
            let ended = self.ended();
            results::error(test, &format!("the run ended before this test ({ended})"))
        };
        let result = |test: &Test| ended.remove(&test.name).unwrap_or_else(|| never(test));
        Ok(program.tests.iter().map(result).collect())
    }

    /// Runs tests in one process. If it died: how, and the tests that were running.
    fn run_some<'t>(
        &self,
        suite: &Suite,
        program: &Program,
        tests: &[&'t Test],
        ended: &mut BTreeMap<String, TestResult>,
    ) -> Result<Option<(Death, Vec<&'t Test>)>, RunError> {
        let file = self.file("events.json");
        // The harness prints a line when a test begins and when it ends.
        let command = self.harness(suite, program).copy_stdout(&file);
        let mut command = command.heard_within(self.patience);
        if !program.is_whole || tests.len() < program.tests.len() {
            let names = tests.iter().map(|test| &test.name);
            command = command.arg("--exact").args(names);
        }
        let finished = self.launcher.run(&command, &self.limits_of_one())?;
        self.add(&finished);
        let report = Report::read(&file);
        for test in tests {
            if let Some(end) = report.ended.get(&test.name) {
                ended.insert(test.name.clone(), self.result(suite, test, end));
            }
        }
        if report.is_complete {
            return Ok(None);
        }
        let unfinished = report.unfinished();
        let running = |test: &&&Test| unfinished.contains(&test.name);
        let mut suspects: Vec<&Test> = tests.iter().filter(running).copied().collect();
        if suspects.is_empty() {
            // It died between two tests, or before the first one: no test can be blamed.
            suspects = tests.to_vec();
            suspects.retain(|test| !ended.contains_key(&test.name));
        }
        Ok(Some((death(&finished), suspects)))
    }

    /// Finds out which of the tests that were running ended the process.
    fn judge(
        &self,
        suite: &Suite,
        program: &Program,
        death: &Death,
        suspects: &[&Test],
        ended: &mut BTreeMap<String, TestResult>,
    ) -> Result<(), RunError> {
        // A test that hangs would do so again; the others would have ended long ago.
        let is_sure = suspects.len() == 1 || death.ended == Ended::TimedOut;
        for suspect in suspects {
            let alone = if is_sure || self.is_over() {
                None
            } else {
                self.run_some(suite, program, &[*suspect], ended)?
            };
            let death = alone.map_or_else(
                || Death {
                    ended: death.ended,
                    output: death.output.clone(),
                },
                |(death, _)| death,
            );
            ended
                .entry(suspect.name.clone())
                .or_insert_with(|| self.killer(suite, suspect, &death));
        }
        Ok(())
    }

    fn killer(&self, suite: &Suite, test: &Test, death: &Death) -> TestResult {
        let detail = results::detail(&self.places, &suite.workspace, &death.output);
        let message = format!(
            "the test process ended while this test was running ({})\n{}",
            death.ended, detail.message
        );
        let mut result = results::error(test, message.trim());
        if let Some(own) = &mut result.detail {
            own.frames = detail.frames;
        }
        result
    }

    fn result(&self, suite: &Suite, test: &Test, end: &End) -> TestResult {
        let (outcome, detail) = match end.event.as_str() {
            "ok" => (Outcome::Passed, None),
            "ignored" => {
                let reason = if end.message.is_empty() {
                    "ignored"
                } else {
                    &end.message
                };
                (Outcome::Skipped, Some(results::message(reason)))
            }
            _ => (
                Outcome::Failed,
                Some(self.failure(suite, &end.output, &end.message)),
            ),
        };
        TestResult {
            outcome,
            seconds: end.seconds,
            detail,
            ..results::passed(test)
        }
    }

    fn failure(&self, suite: &Suite, output: &str, message: &str) -> FailureDetail {
        let mut detail = results::detail(&self.places, &suite.workspace, output);
        if !message.is_empty() {
            detail.message = format!("{message}\n{}", detail.message).trim().to_owned();
        }
        detail
    }

    /// Runs a program with a harness of its own: its exit code is the outcome.
    fn run_whole(&self, suite: &Suite, program: &Program) -> Result<Vec<TestResult>, RunError> {
        let Some((test, command)) = program.tests.first().zip(self.command(suite, program)) else {
            return Ok(Vec::new());
        };
        let command = command.args(&self.arguments.tests);
        let finished = self.launcher.run(&command, &self.limits_of_one())?;
        self.add(&finished);
        let result = match finished.ended {
            Ended::Exit(0) => results::passed(test),
            Ended::Exit(code) => {
                let output = death(&finished).output;
                let detail = self.failure(suite, &output, &format!("exit code {code}"));
                TestResult {
                    outcome: Outcome::Failed,
                    detail: Some(detail),
                    ..results::passed(test)
                }
            }
            _ => self.killer(suite, test, &death(&finished)),
        };
        Ok(vec![TestResult {
            seconds: finished.wall.as_secs_f64(),
            ..result
        }])
    }
}

impl Program {
    /// The package it belongs to.
    pub(in crate::lang::rust) fn package<'s>(&self, suite: &'s Suite) -> Option<&'s Package> {
        suite.workspace.packages.get(self.package)
    }
}

fn death(finished: &Finished) -> Death {
    Death {
        ended: finished.ended,
        output: finished.stderr.last_lines(60),
    }
}
