//! Evidence: what was run on the way to a task, state by state.

use serde::{Deserialize, Serialize};

/// The states of the tree that are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeState {
    /// The untouched tree.
    Full,
    /// The starting tree with the held-back tests put back: what an empty solution is graded on.
    Empty,
    /// The starting tree as a solver sees it.
    Starting,
    /// The starting tree, built and looked over by the language's own tools, no test run.
    Built,
    /// The starting tree with the gold patch and the held-back tests.
    Restored,
}

impl TreeState {
    /// What the state must show, in words for a person.
    pub fn claim(self) -> &'static str {
        match self {
            Self::Full => "full tree: every expected test passes",
            Self::Empty => "starting tree, tests put back: the target fails",
            Self::Starting => "starting tree: everything visible passes",
            Self::Built => "starting tree: it builds without new complaints",
            Self::Restored => "gold and tests put back: everything passes again",
        }
    }
}

/// One run of tests in one state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The state.
    pub state: TreeState,
    /// Whether the tests of the whole considered suite ran (or only a few).
    pub whole_suite: bool,
    /// Whether the result was taken from the project's cache.
    pub cached: bool,
    /// How many tests were good.
    pub good: usize,
    /// How many of those that were looked at were not.
    pub bad: usize,
    /// The first that should have been good and were not, at most twenty.
    pub examples: Vec<Unexpected>,
    /// Symbols removed in this state.
    pub removed_symbols: usize,
    /// What was decided because of it; empty if it showed what it should.
    pub decision: String,
    /// Wall time in seconds.
    pub wall_seconds: f64,
    /// CPU time in seconds.
    pub cpu_seconds: f64,
}

impl Scenario {
    /// A run of which nothing is known yet.
    pub fn new(state: TreeState, whole_suite: bool) -> Self {
        Self {
            state,
            whole_suite,
            cached: false,
            good: 0,
            bad: 0,
            examples: Vec::new(),
            removed_symbols: 0,
            decision: String::new(),
            wall_seconds: 0.0,
            cpu_seconds: 0.0,
        }
    }
}

/// A test that did not do what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unexpected {
    /// The test id or the file that could not be collected.
    pub id: String,
    /// The failure in one line.
    pub reason: String,
}

/// Everything that ran, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The runs.
    pub scenarios: Vec<Scenario>,
    /// How often tests were run in some tree, the search for what broke them included.
    #[serde(default)]
    pub test_runs: usize,
    /// How often a tree was checked by the language's own tools.
    #[serde(default)]
    pub checks: usize,
    /// Starting trees that were given up before anything ran in them.
    #[serde(default)]
    pub inspections: Vec<Inspected>,
    /// What the static checks find in the starting tree of the task, in words for a person.
    #[serde(default)]
    pub faults: Vec<String>,
}

/// A starting tree that the static checks spoke against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspected {
    /// What they found, in words for a person; at most twenty.
    pub faults: Vec<String>,
    /// What was decided because of it.
    pub decision: String,
}

impl Evidence {
    /// How many runs of the whole considered suite were made (cached ones do not count).
    pub fn suite_runs(&self) -> usize {
        self.scenarios
            .iter()
            .filter(|scenario| scenario.whole_suite && !scenario.cached)
            .count()
    }

    /// Whether a step had to be taken back.
    pub fn rolled_back(&self) -> bool {
        let undone = |scenario: &Scenario| !scenario.decision.is_empty();
        !self.inspections.is_empty() || self.scenarios.iter().any(undone)
    }
}
