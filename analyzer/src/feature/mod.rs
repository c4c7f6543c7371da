//! Features: what belongs to a set of target tests, with the role of every symbol that takes part.

mod affinity;
mod closure;
pub mod impact;
mod inferred;
mod selection;
mod test_code;
#[cfg(test)]
mod tests;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};

use self::impact::{Impact, SymbolIndex};
use self::test_code::TestCode;
use crate::Analysis;
use crate::symbol::{Symbol, SymbolId, SymbolKind};

/// What a symbol is to a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The target tests use it directly and it stands for the feature, or it leaves and a removed test
    /// uses it; it appears in the interface.
    Top,
    /// Reached from a top symbol, run by no kept test: removed.
    Specific,
    /// Not run, or a variable, and referenced by removed code only: removed.
    Orphaned,
    /// A kept test runs it: stays.
    Shared,
    /// Needed at start-up, import or collection, or kept by choice: stays.
    Protected,
}

impl Role {
    /// Whether symbols of this role leave the starting tree.
    pub fn is_removed(self) -> bool {
        matches!(self, Self::Top | Self::Specific | Self::Orphaned)
    }

    /// The word for the role, as records have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Specific => "specific",
            Self::Orphaned => "orphaned",
            Self::Shared => "shared",
            Self::Protected => "protected",
        }
    }
}

/// What a person or an earlier attempt decides about a feature.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureOptions {
    /// The share of the good other tests (0 to 1) that may turn into fail-to-pass.
    pub max_collateral: f64,
    /// The share of target tests among those that execute a symbol (0 to 1) from which it may be
    /// the target's without any affinity of names.
    pub min_share: f64,
    /// The same share for a symbol whose name or place speaks of the target.
    pub min_named_share: f64,
    /// Symbols that belong to the feature whatever the measure says.
    pub include: BTreeSet<SymbolId>,
    /// Symbols that stay, with all they contain.
    pub exclude: BTreeSet<SymbolId>,
    /// Symbols that keep their signatures if they leave; whether they do is decided without this.
    pub stub: BTreeSet<SymbolId>,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        Self {
            max_collateral: DEFAULT_MAX_COLLATERAL,
            min_share: DEFAULT_MIN_SHARE,
            min_named_share: DEFAULT_MIN_NAMED_SHARE,
            include: BTreeSet::new(),
            exclude: BTreeSet::new(),
            stub: BTreeSet::new(),
        }
    }
}

/// The default of [`FeatureOptions::max_collateral`].
pub const DEFAULT_MAX_COLLATERAL: f64 = 0.2;
/// The default of [`FeatureOptions::min_share`].
pub const DEFAULT_MIN_SHARE: f64 = 0.5;
/// The default of [`FeatureOptions::min_named_share`].
pub const DEFAULT_MIN_NAMED_SHARE: f64 = 0.1;

impl FeatureOptions {
    /// Whether a symbol, or what it is a part of, belongs to the feature by choice.
    fn includes(&self, id: &SymbolId) -> bool {
        self.include.iter().any(|included| id.is_within(included))
    }

    /// Whether a symbol is to stay by choice.
    fn keeps(&self, id: &SymbolId) -> bool {
        self.exclude.iter().any(|excluded| id.is_within(excluded))
    }
}

/// A feature: the target, the tests and the symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Every symbol that takes part, by id.
    pub members: BTreeMap<SymbolId, Member>,
    /// What is expected of each test of the suite, by its index in the trace.
    pub tests: Vec<Expectation>,
}

/// A symbol's part in a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its role.
    pub role: Role,
    /// How many good target tests execute it.
    pub target_tests: usize,
    /// How many good other tests execute it.
    pub other_tests: usize,
}

/// What is expected of a test once the feature is gone, judged from the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// A target test: expected to fail.
    Target,
    /// Another test that executes a top symbol: expected to fail.
    Collateral,
    /// A test that executes no top symbol: expected to pass.
    Kept,
    /// Not good in the full tree, so it proves nothing.
    Excluded,
}

impl Feature {
    /// The ids with one role, in order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &SymbolId> {
        self.members
            .iter()
            .filter(move |(_, member)| member.role == role)
            .map(|(id, _)| id)
    }

    /// The ids that leave the starting tree, in order.
    pub fn removed(&self) -> impl Iterator<Item = &SymbolId> {
        self.members
            .iter()
            .filter(|(_, member)| member.role.is_removed())
            .map(|(id, _)| id)
    }

    /// How many tests of the suite meet an expectation.
    pub fn count(&self, expectation: Expectation) -> usize {
        self.tests
            .iter()
            .filter(|&&test| test == expectation)
            .count()
    }
}

/// The tests and symbols a feature is decided among.
#[derive(Debug)]
pub struct Scope {
    /// Good target tests: indices into the trace's tests.
    pub target: FixedBitSet,
    /// Good tests of the suite outside the target.
    pub others: FixedBitSet,
    /// Files that consist of target tests and are held back whole.
    pub target_files: BTreeSet<String>,
    /// Test code in files of the product that consists of target tests, outermost symbols.
    target_code: Vec<SymbolId>,
    /// What is test code, and what is not.
    sides: Arc<Sides>,
}

impl Scope {
    /// Divides the tests of a trace by `is_target` and the project's files by what tests are for.
    ///
    /// A file of test code is a target file if every test in it is a target test.
    pub fn new(analysis: &Analysis, impact: &Impact, is_target: &dyn Fn(usize) -> bool) -> Self {
        let tests = &impact.trace.tests;
        let good = |index: &usize| tests.get(*index).is_some_and(|test| test.outcome.is_good());
        let target: FixedBitSet = (0..tests.len())
            .filter(good)
            .filter(|&index| is_target(index))
            .collect();
        let others: FixedBitSet = (0..tests.len())
            .filter(good)
            .filter(|&index| !is_target(index))
            .collect();
        let of = |wanted: bool| {
            let tests = tests.iter().enumerate();
            tests.filter(move |(index, _)| is_target(*index) == wanted)
        };
        let files = |wanted| of(wanted).map(|(_, test)| test.path.clone()).collect();
        let (with_target, with_others): (BTreeSet<String>, BTreeSet<String>) =
            (files(true), files(false));
        let sides = impact.sides(analysis);
        let has = |container: &SymbolId, wanted: bool| {
            let mut functions = of(wanted).filter_map(|(index, _)| sides.functions.get(index));
            functions.any(|test| test.is_within(container))
        };
        let target_code = sides
            .test_code
            .symbols()
            .filter(|code| has(code, true) && !has(code, false));
        Self {
            target_files: (&with_target - &with_others)
                .into_iter()
                .filter(|path| sides.test_code.is_file(path))
                .collect(),
            target_code: target_code.cloned().collect(),
            target,
            others,
            sides,
        }
    }

    /// Whether a symbol is a function, method or class of the product.
    pub fn is_removable(&self, id: &SymbolId) -> bool {
        self.sides.removable.contains(id)
    }

    /// Whether a symbol (by index in the impact) is test code.
    fn is_support_symbol(&self, symbol: SymbolIndex) -> bool {
        self.sides.support.contains(symbol)
    }

    /// Whether a variable or field of the product may leave with what uses it.
    fn may_be_orphan(&self, analysis: &Analysis, symbol: &Symbol) -> bool {
        let path = symbol.id.path();
        matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Field)
            && !self.is_test_code(&symbol.id)
            && analysis.problems(path).is_empty()
            && analysis
                .syntax(path)
                .is_some_and(|tree| crate::lang::may_be_orphan(&tree, symbol))
    }

    /// Whether a file is test support code.
    pub fn is_support(&self, path: &str) -> bool {
        self.sides.test_code.is_file(path)
    }

    /// Whether a symbol is test code.
    pub fn is_test_code(&self, id: &SymbolId) -> bool {
        self.sides.test_code.holds(id)
    }

    /// Whether a symbol is test code in which every test is a target test.
    pub fn leaves_with_target(&self, id: &SymbolId) -> bool {
        self.target_files.contains(id.path())
            || self.target_code.iter().any(|code| id.is_within(code))
    }
}

/// What of a project is test code and what is not, whatever the target.
#[derive(Debug)]
struct Sides {
    test_code: TestCode,
    /// By test: the symbol that its function is.
    functions: Vec<SymbolId>,
    /// Symbols (by index in the impact) of test code.
    support: FixedBitSet,
    /// Ids of functions, methods and classes outside test code.
    removable: BTreeSet<SymbolId>,
}

impl Sides {
    fn new(analysis: &Analysis, impact: &Impact) -> Self {
        let test_code = TestCode::new(analysis, impact);
        let symbols = impact.symbols.iter().enumerate();
        let support = symbols.filter(|(_, id)| test_code.holds(id));
        Self {
            support: support.map(|(index, _)| index).collect(),
            functions: impact.trace.tests.iter().map(test_code::function).collect(),
            removable: removable(analysis, &test_code),
            test_code,
        }
    }
}

fn removable(analysis: &Analysis, test_code: &TestCode) -> BTreeSet<SymbolId> {
    let mut removable = BTreeSet::new();
    for path in analysis
        .paths()
        .into_iter()
        .filter(|path| !test_code.is_file(path))
    {
        if !analysis.problems(&path).is_empty() {
            continue;
        }
        let symbols = analysis.symbols(&path);
        let kinds = symbols.iter().filter(|symbol| symbol.kind.is_definition());
        let ids = kinds
            .map(|symbol| symbol.id.clone())
            .filter(|id| !test_code.holds(id));
        removable.extend(ids.filter(|id| impact::outermost_function(analysis, id) == *id));
    }
    removable
}

/// Decides the feature of the target in `scope`.
///
/// A feature without a top symbol is a valid answer: the target owns nothing.
pub fn decide(
    analysis: &Analysis,
    impact: &Impact,
    scope: &Scope,
    options: &FeatureOptions,
) -> Feature {
    let selection = selection::select(impact, scope, options);
    let mut kept = scope.others.clone();
    kept.difference_with(&selection.collateral);
    let roles = closure::close(analysis, impact, scope, options, &selection, &kept);
    let members = roles
        .into_iter()
        .map(|(id, role)| (id.clone(), member(impact, scope, &id, role)))
        .collect();
    let expect = |index| {
        if scope.target.contains(index) {
            Expectation::Target
        } else if selection.collateral.contains(index) {
            Expectation::Collateral
        } else if scope.others.contains(index) {
            Expectation::Kept
        } else {
            Expectation::Excluded
        }
    };
    Feature {
        members,
        tests: (0..impact.trace.tests.len()).map(expect).collect(),
    }
}

fn member(impact: &Impact, scope: &Scope, id: &SymbolId, role: Role) -> Member {
    let (target_tests, other_tests) = runs(impact, scope, id);
    Member {
        role,
        target_tests,
        other_tests,
    }
}

/// How many good target tests and how many good other tests execute a symbol or a part of it.
pub fn runs(impact: &Impact, scope: &Scope, id: &SymbolId) -> (usize, usize) {
    let mut tests = FixedBitSet::with_capacity(impact.trace.tests.len());
    for symbol in impact.within(id) {
        let runs = impact.executed_by.get(symbol);
        runs.into_iter().for_each(|runs| tests.union_with(runs));
    }
    let among = |set: &FixedBitSet| tests.intersection_count(set);
    (among(&scope.target), among(&scope.others))
}

/// Whether a symbol also runs outside the tests, where something that stays needs it: at start-up, in
/// imports, or while tests are collected.
pub fn runs_outside(impact: &Impact, scope: &Scope, id: &SymbolId) -> bool {
    let index = impact.index_of(id);
    index.is_some_and(|index| selection::needed_outside(impact, scope, index))
}
