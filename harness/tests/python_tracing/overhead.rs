//! Measures the Python tracer on a real suite: how exact it is, and what it costs.
//!
//! ```sh
//! cargo run --release -p lacuna-harness --example python_overhead -- PYTHON TREE ROUNDS [PYTEST ARGUMENTS]
//! ```
//!
//! PYTHON is an interpreter with pytest and all that the tree's tests need; the tree is written to.
//! Compared are the calls that an independent, slow tracer sees in the set-up and call phases, and the
//! processor time of traced and untraced runs that take turns.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a tool for developers"
)]

mod reference;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use analyzer::trace::Outcome;
use harness::environment::{Collection, Environment};
use harness::process::{Launcher, Limits, supervisor};
use harness::runner::{RunRequest, Selection, TestRun, run};
use reference::{Counts, Reference};

fn main() -> ExitCode {
    // The supervisor of a run is this program started again.
    supervisor::enter().unwrap_or_else(measure)
}

fn measure() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let mut next = |what: &str| {
        arguments
            .next()
            .unwrap_or_else(|| panic!("missing argument: {what}"))
    };
    let (program, tree, rounds) = (next("PYTHON"), next("TREE"), next("ROUNDS"));
    let suite = Suite {
        environment: environment(program.into()),
        tree: Path::new(&tree).canonicalize().unwrap(),
        arguments: arguments.collect(),
    };
    suite.measure_exactness();
    suite.measure_cost(rounds.parse().unwrap());
    ExitCode::SUCCESS
}

struct Suite {
    environment: Environment,
    tree: PathBuf,
    arguments: Vec<String>,
}

impl Suite {
    fn measure_exactness(&self) {
        let traced = self.run(true);
        let reference = Reference::record(&self.environment.runtime, &self.tree, &self.arguments);
        let compared = reference.compare(&traced.trace);
        let trace = &traced.trace;
        println!(
            "{} tests, {} codes, {} edges",
            trace.tests.len(),
            trace.codes.len(),
            trace.edges.len()
        );
        println!("losses: {:?}", trace.losses);
        println!("functions per test: {}", ratios(compared.functions));
        println!("calls per test:     {}", ratios(compared.calls));
        for (test, (caller, callee)) in compared.differences.iter().take(20) {
            println!(
                "  differs: {test}: {} -> {callee}",
                caller.as_deref().unwrap_or("-")
            );
        }
        let plain = self.run(false);
        let [plain, traced] = [&plain, &traced].map(outcomes);
        let different: Vec<_> = plain.symmetric_difference(&traced).collect();
        println!("results that differ without tracing: {different:?}");
    }

    fn measure_cost(&self, rounds: usize) {
        let mut ratios = Vec::new();
        for round in 1..=rounds {
            let [plain, traced] = [false, true].map(|traced| self.run(traced).cpu.as_secs_f64());
            println!(
                "round {round}: plain {plain:.2} s, traced {traced:.2} s, ratio {:.3}",
                traced / plain
            );
            ratios.push(traced / plain);
        }
        ratios.sort_by(f64::total_cmp);
        if let Some(median) = ratios.get(rounds / 2) {
            println!("median ratio of processor time: {median:.3}");
        }
    }

    fn run(&self, traced: bool) -> TestRun {
        let request = RunRequest {
            tree: &self.tree,
            scratch: &std::env::temp_dir(),
            environment: &self.environment,
            arguments: &self.arguments,
            selection: &Selection::All,
            traced,
            limits: Limits {
                wall: Duration::from_secs(3600),
                memory: 8 << 30,
                output: 1 << 30,
            },
            patience: None,
        };
        let launcher = Launcher::default().supervised_by(env::current_exe().unwrap());
        run(&request, &launcher).unwrap()
    }
}

fn outcomes(run: &TestRun) -> BTreeSet<(&str, Outcome)> {
    let tests = run.trace.tests.iter();
    tests.map(|test| (test.id.as_str(), test.outcome)).collect()
}

fn ratios(counts: Counts) -> String {
    let share = |missing: usize| counts.common as f64 / (counts.common + missing) as f64;
    format!(
        "precision {:.4}, recall {:.4} of {} (only reference {}, only trace {})",
        share(counts.only_trace),
        share(counts.only_reference),
        counts.common,
        counts.only_reference,
        counts.only_trace
    )
}

fn environment(runtime: PathBuf) -> Environment {
    Environment {
        distribution: None,
        language: "python".to_owned(),
        runtime,
        version: String::new(),
        variables: BTreeMap::new(),
        packages: BTreeMap::new(),
        steps: Vec::new(),
        collection: Collection::default(),
        fingerprint: String::new(),
    }
}
