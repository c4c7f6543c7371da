//! The verdict: exactly one class for every test of the considered suite, from what was measured.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::Scope;
use analyzer::trace::{Outcome, TestResult, Trace};
use serde::{Deserialize, Serialize};

use super::found::Found;
use super::unstable;
use crate::study::Study;

/// What a test is to the task.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestClass {
    /// A target test that fails without the feature and passes with it.
    FailToPassTarget,
    /// Another test that does.
    FailToPassCollateral,
    /// A test that passes in every state.
    PassToPass,
    /// A test that proves nothing, with the reason.
    Excluded(String),
}

/// The class of every test of the considered suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The ids that differ between runs; in `classes` they are masked.
    unstable: BTreeSet<String>,
    /// Test id to class, in the order of ids.
    pub classes: BTreeMap<String, TestClass>,
}

impl Verdict {
    /// The ids of one class, in order.
    pub fn ids<'a>(&'a self, class: &'a TestClass) -> impl Iterator<Item = &'a str> {
        self.classes
            .iter()
            .filter(move |(_, other)| *other == class)
            .map(|(id, _)| id.as_str())
    }

    /// How many tests are of a class.
    pub fn count(&self, class: &TestClass) -> usize {
        self.ids(class).count()
    }

    /// How many target tests prove the feature and cannot be put back for grading.
    pub(super) fn ungraded_target(&self, study: &Study, scope: &Scope) -> usize {
        let target = scope.target.ones();
        let ids = target.filter_map(|index| study.trace.tests.get(index));
        let ungraded = [UNGRADED, STUCK].map(|reason| TestClass::Excluded(reason.to_owned()));
        let classes = ids.filter_map(|test| self.classes.get(&test.id));
        classes.filter(|class| ungraded.contains(class)).count()
    }

    /// The names that a record has for tests, each once: their ids, those that differ between runs
    /// masked.
    pub fn names(&self, ids: Vec<String>) -> Vec<String> {
        let mut names: Vec<String> = ids.into_iter().map(|id| name(&self.unstable, id)).collect();
        names.dedup();
        names
    }

    /// How many tests are excluded, whatever the reason.
    pub fn excluded(&self) -> usize {
        self.classes
            .values()
            .filter(|class| matches!(class, TestClass::Excluded(_)))
            .count()
    }
}

/// The reason for a test that cannot be put back into what a solver made.
const UNGRADED: &str = "its text stands in a file that the solver has to edit";

/// The reason for a test of which nothing is known to be its text, such as a plugin's check of a source file's
/// format: what a solver writes there can break it, though nothing was wrong with the feature.
const ABOUT_EDITED: &str = "it is about a file that the solver has to edit";

/// The reason for an example that fails in the starting tree, where its text had to stay.
const STUCK: &str = "its text cannot be cut out of the starting tree";

/// The reason for a test whose result changed between equal runs.
const FLAKY: &str = "flaky";

/// Judges every test by the baseline, the runs of the starting tree and those of the restored tree.
pub(super) fn judge(study: &Study, scope: &Scope, found: &Found, restored: &[Trace]) -> Verdict {
    let flaky = flaky(&study.trace, restored, found);
    let unstable: BTreeSet<String> = restored
        .iter()
        .flat_map(|run| unstable::ids(&study.trace, run))
        .map(str::to_owned)
        .collect();
    let class = |(index, test): (usize, &TestResult)| {
        let class = if unstable.contains(&test.id) {
            TestClass::Excluded(unstable::REASON.to_owned())
        } else if let Some(reason) = unfit(test) {
            TestClass::Excluded(reason)
        } else if flaky.contains(test.id.as_str()) {
            TestClass::Excluded(FLAKY.to_owned())
        } else if found.stuck.contains(&test.id) {
            TestClass::Excluded(STUCK.to_owned())
        } else if found.leaves(study, index) && !found.is_graded(study, scope, index) {
            TestClass::Excluded(UNGRADED.to_owned())
        } else if study.pieces.own(index).is_none() && !found.is_of_tests(scope, &test.path) {
            TestClass::Excluded(ABOUT_EDITED.to_owned())
        } else if !found
            .put_back
            .get(&test.id)
            .is_some_and(|put_back| put_back.fails())
        {
            TestClass::PassToPass
        } else if scope.target.contains(index) {
            TestClass::FailToPassTarget
        } else {
            TestClass::FailToPassCollateral
        };
        (name(&unstable, test.id.clone()), class)
    };
    Verdict {
        classes: study.trace.tests.iter().enumerate().map(class).collect(),
        unstable,
    }
}

fn name(unstable: &BTreeSet<String>, id: String) -> String {
    match unstable.contains(&id) {
        true => unstable::masked(&id),
        false => id,
    }
}

/// Why a test cannot serve, judged from the full tree.
fn unfit(test: &TestResult) -> Option<String> {
    match test.outcome {
        Outcome::Passed | Outcome::XFailed | Outcome::XPassed => None,
        Outcome::Skipped => Some("skipped".to_owned()),
        Outcome::Failed | Outcome::Error => Some("failing before".to_owned()),
    }
}

/// Tests that were good in the full tree once and not good in it, or in equal states, another time.
fn flaky<'a>(baseline: &'a Trace, restored: &'a [Trace], found: &'a Found) -> BTreeSet<&'a str> {
    let good = |trace: &'a Trace| -> BTreeSet<&'a str> {
        trace
            .tests
            .iter()
            .filter(|test| test.outcome.is_good())
            .map(|test| &*test.id)
            .collect()
    };
    let restored: Vec<_> = restored.iter().map(good).collect();
    let lost = baseline
        .tests
        .iter()
        .map(|test| &*test.id)
        .filter(|id| !restored.iter().all(|good| good.contains(id)));
    let mixed = found
        .put_back
        .iter()
        .filter(|(_, put_back)| put_back.is_mixed())
        .map(|(id, _)| id.as_str());
    lost.chain(found.flaky.iter().map(String::as_str))
        .chain(mixed)
        .collect()
}
