//! `extract`: a feature carved out and written as a validated task.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use analyzer::feature::Expectation;
use extractors::instance::{ExcludedTest, Task};
use harness::carve::draft::Size;
use harness::carve::evidence::{Evidence, Scenario, TreeState};
use harness::carve::{self, CarveRequest};
use harness::config::RemovalMode;
use harness::task_dir;
use serde::Serialize;

use super::{App, feature_options, targets};
use crate::answer::{Answer, count};
use crate::cli::{self, ExtractArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// A task as `extract` reports it.
#[derive(Serialize)]
pub struct Extracted {
    directory: PathBuf,
    suite_runs: usize,
    /// How big the feature was planned; validation may have changed it.
    planned: Size,
    /// How many collateral tests the trace predicted; runs found those of the task.
    predicted_collateral: usize,
    task: Task,
    evidence: Evidence,
}

pub fn run(app: &App, args: &ExtractArgs) -> Result<ExitStatus, Failure> {
    task_dir::make_ready(&args.out)?;
    app.print(&extract(app, args)?)?;
    Ok(ExitStatus::Success)
}

/// Carves, validates and writes the task.
pub fn extract(app: &App, args: &ExtractArgs) -> Result<Extracted, Failure> {
    let (session, fresh) = &mut app.session_of(&args.feature)?;
    let request = CarveRequest {
        target: targets(&args.feature.suite.project.path, &args.feature.target),
        suite: args.feature.suite.suite.clone(),
        options: feature_options(session, &args.feature.rule),
        removal: args
            .removal
            .map_or(session.config().feature.removal, RemovalMode::from),
        min_lines: super::min_lines(session, &args.feature.rule),
        repeat: args.repeat,
        max_attempts: carve::MAX_ATTEMPTS,
        fresh: *fresh,
    };
    let mut evidence = Evidence::default();
    let carved = carve::carve(session, &request, &mut evidence, &|event| {
        app.progress.event(event)
    });
    let carved = carved.map_err(|error| with_history(error.into(), &evidence))?;
    let written = task_dir::write(session, &request, &carved, &args.out)?;
    Ok(Extracted {
        directory: written.directory,
        suite_runs: evidence.suite_runs(),
        planned: carved.planned,
        predicted_collateral: carved.feature.count(Expectation::Collateral),
        task: written.task,
        evidence,
    })
}

/// Adds what was tried to a failure, a line for each attempt.
fn with_history(mut failure: Failure, evidence: &Evidence) -> Failure {
    let scenarios = evidence.scenarios.iter();
    let tried = scenarios.filter(|scenario| !scenario.decision.is_empty());
    let tried: String = tried
        .map(|scenario| format!("\n  tried: {}", lesson(scenario)))
        .collect();
    if !tried.is_empty() {
        failure.error = anyhow::anyhow!("{:#}{tried}", failure.error);
    }
    failure
}

/// What an attempt broke, and what became of that.
fn lesson(scenario: &Scenario) -> String {
    let example = scenario.examples.first();
    let example = example.map_or_else(String::new, |it| format!(" ({}: {})", it.id, it.reason));
    let broken = count(scenario.bad, "test");
    let claim = scenario.state.claim();
    format!("{claim}: {broken} broke{example}; {}", scenario.decision)
}

impl From<cli::RemovalMode> for RemovalMode {
    fn from(mode: cli::RemovalMode) -> Self {
        match mode {
            cli::RemovalMode::Auto => Self::Auto,
            cli::RemovalMode::Delete => Self::Delete,
            cli::RemovalMode::Stub => Self::Stub,
        }
    }
}

impl Answer for Extracted {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        for refused in &self.evidence.inspections {
            writeln!(out, "rolled back before a run: {}", refused.decision)?;
        }
        for scenario in &self.evidence.scenarios {
            write_scenario(out, scenario)?;
        }
        let Task { tests, size, .. } = &self.task;
        if (self.planned.lines, self.planned.symbols) != (size.lines.removed, size.symbols) {
            writeln!(
                out,
                "changed by validation: {} and {} were planned to leave",
                count(self.planned.symbols, "symbol"),
                count(self.planned.lines, "line")
            )?;
        }
        if self.predicted_collateral != tests.collateral.len() {
            writeln!(
                out,
                "found by running: {}, where the trace predicted {}",
                count(tests.collateral.len(), "collateral test"),
                self.predicted_collateral
            )?;
        }
        for warning in &self.task.warnings {
            writeln!(out, "warning: {warning}")?;
        }
        writeln!(
            out,
            "patch: {} removed and {} added in {}, {} removed",
            count(size.lines.removed, "line"),
            count(size.lines.added, "line"),
            count(size.files, "file"),
            count(size.symbols, "symbol")
        )?;
        writeln!(
            out,
            "tests: {} fail-to-pass (target), {} fail-to-pass (collateral), {} pass-to-pass, {} excluded{}",
            tests.fail_to_pass.len(),
            tests.collateral.len(),
            tests.pass_to_pass.len(),
            tests.excluded.len(),
            reasons(&tests.excluded)
        )?;
        for fault in &self.evidence.faults {
            writeln!(out, "left in the starting tree: {fault}")?;
        }
        writeln!(out, "{} of the whole suite", count(self.suite_runs, "run"))?;
        writeln!(out, "task: {}", self.directory.display())
    }
}

/// How many tests are excluded for which reason, in brackets; nothing where none is.
fn reasons(excluded: &[ExcludedTest]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for test in excluded {
        *counts.entry(&test.reason).or_default() += 1;
    }
    if counts.is_empty() {
        return String::new();
    }
    let counts = counts.iter().map(|(reason, n)| format!("{n} {reason}"));
    format!(" ({})", counts.collect::<Vec<_>>().join(", "))
}

/// One line for a run: that it showed what it should, or what was decided because it did not.
fn write_scenario(out: &mut dyn Write, scenario: &Scenario) -> io::Result<()> {
    let time = match scenario.cached {
        true => "cached".to_owned(),
        false => format!("{:.1} s", scenario.wall_seconds),
    };
    if !scenario.decision.is_empty() {
        let broken = count(scenario.bad, "visible test");
        return writeln!(
            out,
            "rolled back: {broken} broke; {} ({time})",
            scenario.decision
        );
    }
    let good = match scenario.state {
        TreeState::Empty => format!("{} of {} pass", scenario.good, scenario.good + scenario.bad),
        _ => format!("{} good", count(scenario.good, "test")),
    };
    writeln!(out, "ok: {} ({good}, {time})", scenario.state.claim())
}
