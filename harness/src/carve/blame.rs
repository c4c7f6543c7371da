//! Blame: from a failing run to the removed symbols that it names.

use std::collections::BTreeSet;

use analyzer::symbol::SymbolId;
use analyzer::trace::{FailureDetail, Trace};

/// The removed symbols that the failures of a run point at, most telling failures first.
///
/// Two kinds of evidence count: the message names a removed symbol's bare name between quotes or
/// as a word (`cannot import name 'f'`, `'C' object has no attribute 'm'`, `name 'f' is not
/// defined`), or the innermost project frame lies in a stub (`frame_owner` tells which).
pub fn culprits(
    failures: &[&FailureDetail],
    removed: &BTreeSet<SymbolId>,
    frame_owner: &dyn Fn(&str, u32) -> Option<SymbolId>,
) -> BTreeSet<SymbolId> {
    let in_stubs: BTreeSet<SymbolId> = failures
        .iter()
        .flat_map(|failure| failure.frames.iter())
        .filter_map(|(path, line, _)| frame_owner(path, *line))
        .filter(|owner| removed.contains(owner))
        .collect();
    if !in_stubs.is_empty() {
        return in_stubs;
    }
    failures
        .iter()
        .flat_map(|failure| named(&failure.message, removed))
        .collect()
}

/// The failures of a run that a kept test or the collection suffered, in order.
pub fn failures<'a>(trace: &'a Trace, kept: &dyn Fn(&str) -> bool) -> Vec<&'a FailureDetail> {
    let collection = trace.collection_errors.iter().map(|error| &error.detail);
    let tests = trace
        .tests
        .iter()
        .filter(|test| test.outcome.is_bad() && kept(&test.id))
        .filter_map(|test| test.detail.as_ref());
    collection.chain(tests).collect()
}

fn named(message: &str, removed: &BTreeSet<SymbolId>) -> Vec<SymbolId> {
    let words: BTreeSet<&str> = message
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    removed
        .iter()
        .filter(|id| words.contains(id.name()))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, frames: &[(&str, u32)], expected: &[&str]) {
        let removed = ["m.py::f", "m.py::C.run", "n.py::g"]
            .into_iter()
            .map(SymbolId::parse)
            .collect();
        let detail = FailureDetail {
            exception: String::new(),
            message: message.to_owned(),
            frames: frames
                .iter()
                .map(|(path, line)| ((*path).to_owned(), *line, String::new()))
                .collect(),
        };
        let owner = |path: &str, line: u32| {
            (path == "n.py" && line == 3).then(|| SymbolId::parse("n.py::g"))
        };
        let found: Vec<String> = culprits(&[&detail], &removed, &owner)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn messages_name_their_culprit() {
        check("cannot import name 'f' from 'm' (m.py)", &[], &["m.py::f"]);
        check("'C' object has no attribute 'run'", &[], &["m.py::C.run"]);
        check("name 'g' is not defined", &[], &["n.py::g"]);
        check("something else entirely", &[], &[]);
    }

    #[test]
    fn a_frame_in_a_stub_outweighs_words() {
        check("f was expected", &[("t.py", 1), ("n.py", 3)], &["n.py::g"]);
    }
}
