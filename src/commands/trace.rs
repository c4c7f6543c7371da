//! `trace`: the recorded run of the suite in numbers.

use std::io::{self, Write};

use analyzer::trace::CodeKind;
use harness::study::Study;
use serde::Serialize;

use super::App;
use crate::answer::{Answer, count};
use crate::cli::SuiteArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

#[derive(Default, Serialize)]
struct Summary {
    tests: usize,
    good: usize,
    functions: usize,
    edges: usize,
    processes: u32,
    cached: bool,
    wall_seconds: f64,
    cpu_seconds: f64,
    unmatched: Vec<String>,
    losses: Vec<String>,
}

pub fn run(app: &App, args: &SuiteArgs) -> Result<ExitStatus, Failure> {
    let of_languages = app.in_languages(&args.project.path, &args.suite, |language| {
        Ok(Summary::new(&app.study(args, language)?.1))
    })?;
    app.print(&Summary::of_several(of_languages))?;
    Ok(ExitStatus::Success)
}

impl Summary {
    fn new(study: &Study) -> Self {
        let trace = &study.trace;
        Self {
            tests: trace.tests.len(),
            good: trace
                .tests
                .iter()
                .filter(|test| test.outcome.is_good())
                .count(),
            functions: trace
                .codes
                .iter()
                .filter(|code| code.kind == CodeKind::Function)
                .count(),
            edges: trace.edges.len(),
            processes: trace.processes,
            cached: study.cached,
            wall_seconds: study.times.0.as_secs_f64(),
            cpu_seconds: study.times.1.as_secs_f64(),
            unmatched: study.unmatched(),
            losses: trace.losses.clone(),
        }
    }
}

impl Summary {
    fn of_several(languages: Vec<Self>) -> Self {
        let mut whole = Self {
            cached: true,
            ..Self::default()
        };
        for language in languages {
            whole.tests += language.tests;
            whole.good += language.good;
            whole.functions += language.functions;
            whole.edges += language.edges;
            whole.processes += language.processes;
            whole.cached &= language.cached;
            whole.wall_seconds += language.wall_seconds;
            whole.cpu_seconds += language.cpu_seconds;
            whole.unmatched.extend(language.unmatched);
            whole.losses.extend(language.losses);
        }
        whole
    }
}

impl Answer for Summary {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        let origin = if self.cached {
            "from the cache"
        } else {
            "recorded now"
        };
        let processes = if self.processes == 1 {
            "process"
        } else {
            "processes"
        };
        writeln!(
            out,
            "{} ({} good), {origin}",
            count(self.tests, "test"),
            self.good
        )?;
        writeln!(
            out,
            "{} executed, {} observed",
            count(self.functions, "function"),
            count(self.edges, "call edge")
        )?;
        writeln!(
            out,
            "{} {processes} traced; {:.1} s wall, {:.1} s CPU",
            self.processes, self.wall_seconds, self.cpu_seconds
        )?;
        for code in &self.unmatched {
            writeln!(out, "no symbol for executed code: {code}")?;
        }
        for loss in &self.losses {
            writeln!(out, "not followed: {loss}")?;
        }
        Ok(())
    }
}
