//! Measures what tracing costs on a real suite: processor time of traced and plain runs that take turns.
//!
//! ```sh
//! cargo run --release -p lacuna-harness --example trace_cost -- PROJECT LANGUAGE ROUNDS
//! ```
//!
//! The environment is prepared if it is not there. Everything is built before the first round, so what
//! the rounds build is nothing; tests in documentation, which are compiled whenever they run, are left
//! out.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a tool for developers"
)]

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::ExitCode;

use harness::process::{Launcher, supervisor};
use harness::runner::Selection;
use harness::session::Session;

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
    let (project, language, rounds) = (next("PROJECT"), next("LANGUAGE"), next("ROUNDS"));
    let language = harness::lang::named(&language).unwrap();
    let launcher = Launcher::default().supervised_by(env::current_exe().unwrap());
    let mut session = Session::open(Path::new(&project), language, launcher, &|_| ()).unwrap();
    let whole = session
        .run(&BTreeMap::new(), &Selection::All, true)
        .unwrap();
    let tests = whole.trace.tests.iter();
    let traced = tests.filter(|test| !test.contexts.is_empty());
    let tests = Selection::Ids(traced.map(|test| test.id.clone()).collect());
    let mut cost = |traced| {
        let run = session.run(&BTreeMap::new(), &tests, traced).unwrap();
        run.cpu.as_secs_f64()
    };
    cost(false);
    cost(true);
    let rounds = 0..rounds.parse().unwrap();
    let (plain, traced): (Vec<f64>, Vec<f64>) = rounds.map(|_| (cost(false), cost(true))).unzip();
    let (plain, traced) = (median(plain), median(traced));
    println!("{} tests", whole.trace.tests.len());
    println!(
        "medians of processor time: plain {plain:.2} s, traced {traced:.2} s, ratio {:.2}",
        traced / plain
    );
    ExitCode::SUCCESS
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
