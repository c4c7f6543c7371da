//! The overview: for every test file the feature it would give, and the sizes of a feature.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::feature::{Expectation, Feature, FeatureOptions, Role, Scope};
use analyzer::symbol::SymbolId;
use serde::Serialize;

use crate::study::Study;

/// How big a feature is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Top symbols.
    pub top: usize,
    /// Symbols that leave, those inside others not counted again.
    pub symbols: usize,
    /// Files they stand in.
    pub files: usize,
    /// Lines they take.
    pub lines: usize,
}

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
}

/// One row for every test file with a good test, in the order of paths.
pub fn rows(study: &Study, options: &FeatureOptions) -> Vec<Row> {
    let files: BTreeSet<&str> = study.trace.tests.iter().map(|test| &*test.path).collect();
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
            let feature = study.feature(&scope, options);
            Row {
                target: (*file).to_owned(),
                tests: feature.count(Expectation::Target),
                size: size(&study.analysis, &feature),
                collateral: feature.count(Expectation::Collateral),
                kept: feature.count(Expectation::Kept),
            }
        })
    };
    files.iter().filter_map(row).collect()
}

/// The size of a feature.
pub fn size(analysis: &Analysis, feature: &Feature) -> Size {
    let mut lines: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut outermost: Vec<&SymbolId> = Vec::new();
    for id in feature.removed() {
        // Containers come before what they contain.
        if !outermost.iter().any(|outer| id.is_within(outer)) {
            outermost.push(id);
        }
        let (line, count) = place(analysis, id);
        lines
            .entry(id.path())
            .or_default()
            .extend(line as usize..line as usize + count);
    }
    Size {
        top: feature.with_role(Role::Top).count(),
        symbols: outermost.len(),
        files: lines.len(),
        lines: lines.values().map(BTreeSet::len).sum(),
    }
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
