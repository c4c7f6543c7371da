//! `tests`: the project's tests with their results in the full tree.

use std::io::{self, Write};

use analyzer::trace::{Outcome, Trace};
use serde::Serialize;

use super::App;
use crate::answer::{Answer, count};
use crate::cli::SuiteArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

#[derive(Serialize)]
struct Tests {
    tests: Vec<Test>,
    collection_errors: Vec<CollectionError>,
}

#[derive(Serialize)]
struct Test {
    id: String,
    outcome: Outcome,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize)]
struct CollectionError {
    path: String,
    reason: String,
}

pub fn run(app: &App, args: &SuiteArgs) -> Result<ExitStatus, Failure> {
    let of_languages = app.in_languages(&args.project.path, &args.suite, |language| {
        Ok(Tests::new(&app.study(args, language)?.1.trace))
    })?;
    app.print(&Tests::of_several(of_languages))?;
    Ok(ExitStatus::Success)
}

impl Tests {
    fn new(trace: &Trace) -> Self {
        let tests = trace.tests.iter().map(|test| Test {
            id: test.id.clone(),
            outcome: test.outcome,
            seconds: test.seconds,
            reason: test.detail.as_ref().map(|detail| detail.message.clone()),
        });
        let errors = trace.collection_errors.iter().map(|error| CollectionError {
            path: error.path.clone(),
            reason: error.detail.message.clone(),
        });
        Self {
            tests: tests.collect(),
            collection_errors: errors.collect(),
        }
    }

    fn of_several(languages: Vec<Self>) -> Self {
        let (mut tests, mut errors) = (Vec::new(), Vec::new());
        for language in languages {
            tests.extend(language.tests);
            errors.extend(language.collection_errors);
        }
        Self {
            tests,
            collection_errors: errors,
        }
    }

    fn with(&self, outcome: Outcome) -> usize {
        self.tests
            .iter()
            .filter(|test| test.outcome == outcome)
            .count()
    }
}

impl Answer for Tests {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        for test in &self.tests {
            writeln!(out, "{:<8} {}", word(test.outcome), test.id)?;
            if let Some(reason) = test.reason.as_ref().filter(|_| test.outcome.is_bad()) {
                let line = reason.lines().next().unwrap_or_default();
                writeln!(out, "         {line}")?;
            }
        }
        for error in &self.collection_errors {
            writeln!(
                out,
                "not collected: {}: {}",
                error.path,
                error.reason.lines().last().unwrap_or_default()
            )?;
        }
        let outcomes = [
            Outcome::Passed,
            Outcome::Failed,
            Outcome::Error,
            Outcome::Skipped,
            Outcome::XFailed,
            Outcome::XPassed,
        ];
        let parts: Vec<String> = outcomes
            .iter()
            .map(|&outcome| (self.with(outcome), word(outcome)))
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{number} {word}"))
            .collect();
        writeln!(
            out,
            "{}: {}",
            count(self.tests.len(), "test"),
            parts.join(", ")
        )
    }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Error => "error",
        Outcome::Skipped => "skipped",
        Outcome::XFailed => "xfailed",
        Outcome::XPassed => "xpassed",
    }
}
