//! The overview: for every test file the feature it would give, and the sizes of a feature.

use std::collections::BTreeSet;

use analyzer::Analysis;
use analyzer::feature::{Expectation, Scope};
use analyzer::symbol::SymbolId;
use extractors::removal::Project;
use serde::Serialize;

use crate::carve::draft::{Draft, Premises, Size};
use crate::study::Study;

/// What one test file offers as a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The test file.
    pub target: String,
    /// Good target tests.
    pub tests: usize,
    /// The feature's size.
    #[serde(flatten)]
    pub size: Size,
    /// Other tests that would fail without the feature.
    pub collateral: usize,
    /// Other tests that would go on passing.
    pub kept: usize,
    /// What it comes to.
    pub offer: Offer,
}

/// What a target comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// A feature.
    Feature,
    /// One of fewer lines than asked for.
    Small,
    /// None.
    Nothing,
}

impl Offer {
    /// What a feature of a size comes to, if it has to take out so many lines.
    pub fn of(size: &Size, min_lines: usize) -> Self {
        match size.top {
            0 => Self::Nothing,
            _ if size.lines < min_lines => Self::Small,
            _ => Self::Feature,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Small => "small",
            Self::Nothing => "nothing",
        }
    }
}

/// One row for every test file with a good test, in the order of paths.
pub fn rows(study: &Study, premises: &Premises, min_lines: usize) -> Vec<Row> {
    // A plugin's check of the whole project stands in no file.
    let paths = study.trace.tests.iter().map(|test| &*test.path);
    let files: BTreeSet<&str> = paths.filter(|path| !path.is_empty()).collect();
    let project = Project::new(&study.analysis);
    let row = |file: &&str| {
        let of_file = |index: usize| {
            study
                .trace
                .tests
                .get(index)
                .is_some_and(|test| test.path == *file)
        };
        let scope = Scope::new(&study.analysis, &study.impact, &of_file);
        (!scope.target.is_clear()).then(|| {
            let draft = Draft::new(study, &project, &scope, premises);
            let feature = &draft.feature;
            let size = draft.size(study, &project, &scope);
            Row {
                target: (*file).to_owned(),
                tests: feature.count(Expectation::Target),
                size,
                collateral: feature.count(Expectation::Collateral),
                kept: feature.count(Expectation::Kept),
                offer: Offer::of(&size, min_lines),
            }
        })
    };
    files.iter().filter_map(row).collect()
}

/// The first line of a symbol, counted from 1, and how many lines it takes; zeros if it is not there.
pub fn place(analysis: &Analysis, id: &SymbolId) -> (u32, usize) {
    let Some(symbol) = analysis.symbol(id) else {
        return (0, 0);
    };
    let Some(source) = analysis.source(id.path()) else {
        return (0, 0);
    };
    let text = source.bytes().get(symbol.full.clone()).unwrap_or_default();
    (
        symbol.line,
        1 + text.iter().filter(|&&byte| byte == b'\n').count(),
    )
}
