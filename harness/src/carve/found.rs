//! A plan that held, and what each test did with it.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::Scope;
use extractors::removal::Removal;

use super::draft::{Draft, Size};
use super::patches::Parts;
use super::pieces::Piece;
use crate::study::Study;

/// A plan that held: the feature, the edits and what each test did.
pub(super) struct Found {
    /// The feature and its removal alone: the starting tree with the held-back tests put back.
    pub draft: Draft,
    /// How big it is.
    pub size: Size,
    /// How big it was before anything was tried.
    pub planned: Size,
    /// The removal and the held-back tests: what a solver sees.
    pub starting: Removal,
    /// The texts of the tests that leave with the feature.
    pub held_back: BTreeSet<Piece>,
    /// Per test that was put back: what it did without the feature.
    pub put_back: BTreeMap<String, PutBack>,
    /// Tests whose result changed between equal runs.
    pub flaky: BTreeSet<String>,
    /// Examples that fail without the feature and stay all the same: their text cannot be cut out.
    pub stuck: BTreeSet<String>,
}

/// What a held-back test did in the starting tree, over all runs of that state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PutBack {
    good: u32,
    bad: u32,
}

impl Found {
    /// What the patches are made of.
    pub fn parts(&self) -> Parts<'_> {
        Parts {
            draft: &self.draft,
            starting: &self.starting,
            held_back: &self.held_back,
        }
    }

    /// Whether a test (by index) is not in the starting tree.
    pub fn leaves(&self, study: &Study, index: usize) -> bool {
        leaves(study, &self.held_back, &self.put_back, index)
    }

    /// See [`Draft::is_of_tests`].
    pub fn is_of_tests(&self, scope: &Scope, path: &str) -> bool {
        self.draft.is_of_tests(scope, path)
    }

    /// Whether a test (by index) is put back for grading if it left.
    pub fn is_graded(&self, study: &Study, scope: &Scope, index: usize) -> bool {
        let test = study.trace.tests.get(index);
        let piece = study.pieces.own(index);
        !test.is_some_and(|test| self.stuck.contains(&test.id))
            && piece.is_none_or(|piece| self.draft.can_put_back(scope, piece))
    }
}

impl PutBack {
    /// It was never good.
    pub fn fails(self) -> bool {
        self.good == 0
    }

    /// It was good every time.
    pub fn passes(self) -> bool {
        self.bad == 0
    }

    /// It was good in some runs and not in others.
    pub fn is_mixed(self) -> bool {
        self.good > 0 && self.bad > 0
    }

    pub fn count(&mut self, good: bool) {
        if good { self.good += 1 } else { self.bad += 1 }
    }
}

/// Whether a test (by index) is not to be in the starting tree.
pub(super) fn leaves(
    study: &Study,
    held_back: &BTreeSet<Piece>,
    put_back: &BTreeMap<String, PutBack>,
    index: usize,
) -> bool {
    let fails = || {
        let result = study.trace.tests.get(index);
        let result = result.and_then(|test| put_back.get(&test.id));
        result.is_some_and(|result| !result.passes())
    };
    let with_piece = study.pieces.leaves(index, held_back);
    with_piece.unwrap_or_else(fails)
}
