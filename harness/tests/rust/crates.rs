//! Crates of other people, from the registry.

use std::collections::BTreeMap;

use harness::runner::Selection;

use super::support::registered;

/// How many tests have each outcome, and how many functions the traced ones ran.
fn check(name: &str, version: &str) -> Option<(BTreeMap<String, usize>, usize)> {
    let prepared = registered(name, version)?.prepare()?;
    let run = prepared.run(&Selection::All, true);
    assert_eq!(run.trace.collection_errors, []);
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for test in &run.trace.tests {
        *outcomes.entry(format!("{:?}", test.outcome)).or_default() += 1;
    }
    let untraced = run.trace.tests.iter().filter(|test| {
        test.contexts.is_empty() && test.outcome.is_good() && !test.id.contains("::doc::")
    });
    assert_eq!(untraced.count(), 0, "{:?}", run.trace.losses);
    Some((outcomes, run.trace.codes.len()))
}

#[test]
fn semver_runs() {
    let Some((outcomes, codes)) = check("semver", "1.0.28") else {
        return;
    };
    assert_eq!(outcomes.get("Failed"), None, "{outcomes:?}");
    assert!(
        outcomes["Passed"] > 30 && codes > 50,
        "{outcomes:?} {codes}"
    );
}
