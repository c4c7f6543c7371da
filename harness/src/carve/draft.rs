//! Drafts: a feature with the edits that take it out, before anything has been run.

use std::collections::BTreeSet;

use analyzer::feature::{Expectation, Feature, FeatureOptions, Role, Scope};
use analyzer::symbol::SymbolId;
use extractors::patch::{Change, File, Patch};
use extractors::removal::{self, Project, Removal, RemovalPlan};
use serde::Serialize;

use super::pieces::Piece;
use super::plan;
use super::repair::Unused;
use crate::config::RemovalMode;
use crate::study::Study;
use crate::words::count;

/// What is known before a draft is made.
#[derive(Clone, Debug)]
pub struct Premises {
    /// How the feature is decided.
    pub options: FeatureOptions,
    /// How symbols leave.
    pub removal: RemovalMode,
    /// Symbols that earlier attempts showed to be needed by name.
    pub stub_only: BTreeSet<SymbolId>,
    /// What the language's own tools found to be there for nothing.
    pub unused: Unused,
    /// Tests (by index) that fail without the feature although the trace did not say so.
    pub also_failing: BTreeSet<usize>,
}

impl Premises {
    /// Before anything was tried.
    pub fn new(options: FeatureOptions, removal: RemovalMode) -> Self {
        Self {
            stub_only: options.stub.clone(),
            options,
            removal,
            unused: Unused::default(),
            also_failing: BTreeSet::new(),
        }
    }

    /// Lets some symbols stay, whatever spoke against them.
    pub fn keep(&mut self, symbols: BTreeSet<SymbolId>) {
        self.unused.spare(&symbols);
        self.options.exclude.extend(symbols);
    }
}

/// One feature with its edits.
pub struct Draft {
    /// The feature.
    pub feature: Feature,
    /// The action for each symbol that leaves.
    pub plan: RemovalPlan,
    /// What the plan does to the files.
    pub removal: Removal,
    /// Tests that may fail: indices, whole functions.
    pub suspects: BTreeSet<usize>,
}

/// How much a feature takes out of the product. Every count here means the same in all answers and
/// records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Top symbols that are deleted or stubbed.
    pub top: usize,
    /// All symbols that are, each counted on its own.
    pub symbols: usize,
    /// Files that change.
    pub files: usize,
    /// Lines that leave them, those of tests aside.
    pub lines: usize,
}

/// Below this a feature is small.
const FEW_LINES: usize = 30;
/// Fewer lines a file than this are scattered ones, if there are several files.
const FEW_LINES_A_FILE: usize = 8;

impl Size {
    /// What may make it a poor task, in words for a person.
    pub fn warnings(&self) -> Vec<String> {
        let Self { files, lines, .. } = self;
        let small = (*lines < FEW_LINES)
            .then(|| format!("the feature is small: {}", count(*lines, "line")));
        let scattered = *files >= 3 && lines / files < FEW_LINES_A_FILE;
        let scattered = scattered.then(|| {
            format!(
                "the feature is scattered: {} in {}",
                count(*lines, "line"),
                count(*files, "file")
            )
        });
        small.into_iter().chain(scattered).collect()
    }
}

impl Draft {
    /// Decides the feature of a target and how it leaves.
    pub fn new(study: &Study, project: &Project<'_>, scope: &Scope, premises: &Premises) -> Self {
        let feature = study.feature(scope, &premises.options);
        let suspects = suspects(study, scope, &feature, &premises.also_failing);
        let own = suspects.iter().filter_map(|&index| study.pieces.own(index));
        let leaving: BTreeSet<Piece> = own
            .filter(|piece| piece.definition().is_some())
            .cloned()
            .collect();
        let tests = study.pieces.definitions(&leaving);
        let leaving = leaving.iter().filter_map(Piece::definition).cloned();
        // What only they use leaves with them, and is no reason to keep anything either.
        let leaving = removal::test_removal(project, &tests, &leaving.collect());
        let kept = &premises.options.exclude | &premises.stub_only;
        let mut gone: BTreeSet<SymbolId> = leaving.actions.keys().cloned().collect();
        let plan = loop {
            let plan = plan::actions(
                project,
                &study.analysis,
                &feature,
                premises.removal,
                &premises.stub_only,
                &gone,
                &study.pieces.documented(),
            );
            let mut plan = premises.unused.added_to(plan);
            plan.kept.clone_from(&kept);
            let orphaned = orphaned(study, project, &feature, &plan, &leaving);
            if orphaned.is_subset(&gone) {
                break plan;
            }
            // What only they name need not stay for them.
            gone.extend(orphaned);
        };
        let removal = removal::remove(project, &plan);
        Self {
            feature,
            plan,
            removal,
            suspects,
        }
    }

    /// The tree that a solver sees if some tests leave, but for files that are no code.
    pub fn starting(
        &self,
        study: &Study,
        project: &Project<'_>,
        held_back: &BTreeSet<Piece>,
    ) -> Removal {
        removal::remove(project, &self.whole(study, project, held_back))
    }

    /// The plan with the tests that leave, and what leaves with them.
    pub fn whole(
        &self,
        study: &Study,
        project: &Project<'_>,
        held_back: &BTreeSet<Piece>,
    ) -> RemovalPlan {
        let tests = study.pieces.definitions(held_back);
        plan::with_tests(project, &self.plan, &tests, held_back)
    }

    /// Whether a file is given back with the tests as a whole: it is test code, or the feature's removal
    /// alone does not change it. Any other file is the solver's to edit.
    pub fn is_of_tests(&self, scope: &Scope, path: &str) -> bool {
        scope.is_support(path) || !self.removal.files.contains_key(path)
    }

    /// Whether a piece is put back for grading: test code is, wherever it stands; documentation is not
    /// where the solver edits.
    pub fn can_put_back(&self, scope: &Scope, piece: &Piece) -> bool {
        let is_test_code = piece
            .definition()
            .is_some_and(|definition| scope.is_test_code(definition));
        is_test_code || self.is_of_tests(scope, piece.path())
    }

    /// How big it is, if all tests that may fail leave with it.
    pub fn size(&self, study: &Study, project: &Project<'_>, scope: &Scope) -> Size {
        let suspects = self.suspects.iter();
        let pieces = suspects.filter_map(|&index| study.pieces.own(index));
        let definitions = pieces.filter(|piece| piece.definition().is_some());
        let definitions = definitions.cloned().collect();
        let starting = self.starting(study, project, &definitions);
        self.size_in(&starting, &definitions, study, project, scope)
    }

    /// How big it is in a starting tree that some tests have left. Tests that stand in files of the
    /// product are no part of it.
    pub fn size_in(
        &self,
        starting: &Removal,
        held_back: &BTreeSet<Piece>,
        study: &Study,
        project: &Project<'_>,
        scope: &Scope,
    ) -> Size {
        let without_tests = without_tests(study, project, scope, held_back);
        let changes = starting.files.iter().filter_map(|(path, new)| {
            let old = match without_tests.files.get(path) {
                Some(old) => old.as_ref()?.clone(),
                None => study.analysis.source(path)?.bytes().to_vec(),
            };
            Some(Change {
                path: path.clone(),
                old: Some(File::regular(old)),
                new: new.clone().map(File::regular),
            })
        });
        let product = |change: &Change| {
            self.removal.files.contains_key(&change.path) && !scope.is_support(&change.path)
        };
        let product = Patch::between(changes.filter(product));
        let removed: BTreeSet<&SymbolId> = self.removal.removed.iter().collect();
        let top = self.feature.with_role(Role::Top);
        Size {
            top: top.filter(|top| removed.contains(top)).count(),
            symbols: removed.len(),
            files: product.files.len(),
            lines: product.line_counts().removed,
        }
    }
}

/// The variables and fields that go with a plan because nothing uses them any more, if a type might go with
/// them that stays for now.
fn orphaned(
    study: &Study,
    project: &Project<'_>,
    feature: &Feature,
    plan: &RemovalPlan,
    leaving: &RemovalPlan,
) -> BTreeSet<SymbolId> {
    let is_type = |id: &SymbolId| {
        let symbol = study.analysis.symbol(id);
        symbol.is_some_and(|symbol| !symbol.kind.is_callable())
    };
    let mut staying = feature.removed();
    if !staying.any(|id| !plan.actions.contains_key(id) && is_type(id)) {
        return BTreeSet::new();
    }
    let mut whole = leaving.clone();
    whole.imports.clone_from(&plan.imports);
    whole.kept.clone_from(&plan.kept);
    whole.actions.extend(plan.actions.clone());
    removal::remove(project, &whole)
        .orphaned
        .into_iter()
        .collect()
}

/// The full tree without those of some tests that stand in files of the product.
fn without_tests(
    study: &Study,
    project: &Project<'_>,
    scope: &Scope,
    held_back: &BTreeSet<Piece>,
) -> Removal {
    let inside = held_back.iter().filter(|piece| {
        let is_test = |id: &SymbolId| scope.is_test_code(id) && !scope.is_support(id.path());
        piece.definition().is_some_and(is_test)
    });
    let inside: BTreeSet<Piece> = inside.cloned().collect();
    if inside.is_empty() {
        return Removal::default();
    }
    let nothing = RemovalPlan::default();
    let tests = study.pieces.definitions(&inside);
    removal::remove(
        project,
        &plan::with_tests(project, &nothing, &tests, &inside),
    )
}

/// The good tests of every test function of which a case may fail.
fn suspects(
    study: &Study,
    scope: &Scope,
    feature: &Feature,
    also_failing: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let expected = |(index, expectation): (usize, &Expectation)| {
        matches!(expectation, Expectation::Target | Expectation::Collateral).then_some(index)
    };
    let expected = feature.tests.iter().enumerate().filter_map(expected);
    let direct = expected
        .chain(also_failing.iter().copied())
        .chain(unrecorded(study, scope))
        .collect();
    let mut suspects = study.pieces.cases(&direct);
    suspects.retain(|&index| scope.target.contains(index) || scope.others.contains(index));
    suspects
}

/// The good examples in documentation of which no record tells what they run: any of them may fail, and
/// those that pass all the same stay.
fn unrecorded<'a>(study: &'a Study, scope: &'a Scope) -> impl Iterator<Item = usize> + 'a {
    let tests = study.trace.tests.iter().enumerate();
    let unrecorded = tests.filter(|(index, test)| {
        let is_good = scope.target.contains(*index) || scope.others.contains(*index);
        is_good && test.contexts.is_empty() && test.function.is_empty()
    });
    unrecorded.map(|(index, _)| index)
}
