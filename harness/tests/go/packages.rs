//! Real packages, prepared, run and traced at the first try.

use analyzer::trace::Outcome;
use harness::runner::Selection;

use crate::support::{module, results};

fn check(version: &str, at_least: usize) {
    let Some(prepared) = module(version).and_then(|place| place.prepare()) else {
        return;
    };
    let plain = prepared.run(&Selection::All, false);
    assert_eq!(plain.trace.collection_errors, []);
    let traced = prepared.run(&Selection::All, true);
    let outcomes = |run: &harness::runner::TestRun| -> Vec<(String, Outcome)> {
        run.trace
            .tests
            .iter()
            .map(|test| (test.id.clone(), test.outcome))
            .collect()
    };
    assert!(
        outcomes(&plain) == outcomes(&traced),
        "tracing changes results"
    );
    assert!(
        plain.trace.tests.len() >= at_least,
        "{}",
        plain.trace.tests.len()
    );
    let bad: Vec<_> = plain
        .trace
        .tests
        .iter()
        .filter(|test| test.outcome.is_bad())
        .collect();
    assert!(bad.is_empty(), "{}", results(&plain.trace));
}

#[test]
fn pflag_works_at_the_first_try() {
    check("github.com/spf13/pflag@v1.0.10", 150);
}

#[test]
fn chi_works_at_the_first_try() {
    check("github.com/go-chi/chi/v5@v5.2.3", 50);
}

#[test]
fn toml_works_at_the_first_try() {
    check("github.com/BurntSushi/toml@v1.5.0", 200);
}

/// More than 20 packages.
#[test]
fn image_works_at_the_first_try() {
    check("golang.org/x/image@v0.48.0", 100);
}
