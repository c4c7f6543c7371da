//! Unstable ids: those that hold the time, an address or the place of a run, so that no later run has them.

use std::collections::BTreeSet;

use analyzer::trace::{TestResult, Trace};

/// The reason for a test that no later run can name.
pub const REASON: &str = "its id differs between runs";

/// What stands in a record for all unstable ids of a function: nothing in it depends on a run.
pub fn masked(id: &str) -> String {
    let names = id.find("::").unwrap_or(0);
    let parameters = id[names..].find('[').map_or(id.len(), |at| names + at);
    format!("{}[...]", &id[..parameters])
}

/// The ids of `before` that `after`, a run of the same tree, does not have, although it has new ids of
/// the same functions.
pub(super) fn ids<'a>(before: &'a Trace, after: &Trace) -> BTreeSet<&'a str> {
    let (old, new) = (names(before), names(after));
    let appeared = after.tests.iter().filter(|test| !old.contains(&*test.id));
    let functions: BTreeSet<_> = appeared.map(function).collect();
    let vanished = before.tests.iter().filter(|test| !new.contains(&*test.id));
    let replaced = vanished.filter(|test| functions.contains(&function(test)));
    replaced.map(|test| &*test.id).collect()
}

fn names(trace: &Trace) -> BTreeSet<&str> {
    trace.tests.iter().map(|test| &*test.id).collect()
}

fn function(test: &TestResult) -> (&str, &str) {
    (&test.path, &test.function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyzer::trace::Outcome;

    fn trace(ids: &[&str]) -> Trace {
        let test = |id: &&str| TestResult {
            id: (*id).to_owned(),
            path: "t.py".to_owned(),
            function: id.split('[').next().unwrap_or_default().to_owned(),
            origin: None,
            outcome: Outcome::Passed,
            seconds: 0.0,
            contexts: Vec::new(),
            detail: None,
        };
        Trace {
            tests: ids.iter().map(test).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn an_id_is_unstable_if_another_one_stands_for_it() {
        let before = trace(&["t.py::f[1]", "t.py::f[x]", "t.py::g[1]", "t.py::h"]);
        let after = trace(&["t.py::f[2]", "t.py::f[x]", "t.py::h"]);
        assert_eq!(ids(&before, &after), BTreeSet::from(["t.py::f[1]"]));
        assert_eq!(ids(&before, &before), BTreeSet::new());
    }

    #[test]
    fn what_may_differ_is_masked() {
        for (id, expected) in [
            ("t.py::f[<object at 0x7f>]", "t.py::f[...]"),
            ("t.py::C::f[a[0]::b]", "t.py::C::f[...]"),
            ("a[b]/t.py::f[1]", "a[b]/t.py::f[...]"),
            ("t.py::f", "t.py::f[...]"),
        ] {
            assert_eq!(masked(id), expected);
        }
    }
}
