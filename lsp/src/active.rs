//! The active feature: what a person looks at, decided from the recorded run, as plain data.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::{Expectation, Member, Role};
use analyzer::graph::Provenance;
use analyzer::occurrence::Confidence;
use analyzer::symbol::SymbolId;
use extractors::chain::Link;
use extractors::feature_graph::FeatureGraph;
use extractors::interface::{Interface, interface};
use extractors::patch::{Change, File, Patch};
use extractors::removal::{Action, Project};
use harness::carve::MIN_LINES;
use harness::carve::draft::{Draft, Premises, Size};
use harness::carve::pieces::Piece;
use harness::config::FeatureConfig;
use harness::overview::Offer;
use harness::study::{Study, StudyError};
use serde::Serialize;

/// A feature with all that is shown of it.
#[derive(Debug)]
pub struct ActiveFeature {
    /// What was asked for.
    pub target: Vec<String>,
    /// Every symbol that takes part.
    pub members: BTreeMap<SymbolId, Member>,
    /// How big it is.
    pub size: Size,
    /// What it comes to.
    pub offer: Offer,
    /// How its tests are expected to end.
    pub tests: ExpectedTests,
    /// What a solver would be told.
    pub interface: Interface,
    /// Files of the starting tree that differ from the full one; `None` where one is gone.
    pub starting: BTreeMap<String, Option<Vec<u8>>>,
    /// Full tree to starting tree.
    pub patch: Patch,
    /// The feature as a graph, with the chains from tests to its symbols.
    pub graph: FeatureGraph,
    /// What a curator should look at.
    pub findings: Vec<Finding>,
}

/// How many tests of a suite end how without a feature, judged from the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ExpectedTests {
    /// Target tests, which fail.
    pub target: usize,
    /// Others that fail.
    pub collateral: usize,
    /// Those that pass.
    pub kept: usize,
}

/// Something about a symbol of a feature that a curator should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The symbol.
    pub symbol: SymbolId,
    /// What.
    pub kind: FindingKind,
}

/// What a curator should look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// It is in the interface and has no documentation.
    Undocumented,
    /// It leaves, held-back tests name it, and the interface does not.
    Untold,
    /// It was to leave, and stays because code that stays needs its name.
    Kept,
    /// It leaves because a person said so, and this many other tests run it.
    Contradicted(usize),
}

impl ActiveFeature {
    /// Decides the feature of a target.
    ///
    /// # Errors
    /// The target means no test, none of its tests is good, or the configuration names no symbol.
    pub fn decide(
        study: &Study,
        config: &FeatureConfig,
        target: &[String],
    ) -> Result<Self, StudyError> {
        let scope = study.scope(target)?;
        let options = study.known(config.options())?;
        let premises = Premises::new(options, config.removal);
        let project = Project::new(&study.analysis);
        let draft = Draft::new(study, &project, &scope, &premises);
        let held_back = held_back(study, &draft);
        let starting = draft.starting(study, &project, &held_back);
        let removed: BTreeSet<&SymbolId> = draft.removal.removed.iter().collect();
        let top = draft.feature.with_role(Role::Top);
        let top: BTreeSet<SymbolId> = top.filter(|id| removed.contains(id)).cloned().collect();
        let deleted = deleted(&draft);
        let interface = interface(&study.analysis, &top).with_offers(&study.analysis, &deleted);
        let count = |expectation| draft.feature.count(expectation);
        let size = draft.size_in(&starting, &held_back, study, &project, &scope);
        Ok(Self {
            target: target.to_vec(),
            size,
            offer: Offer::of(&size, config.min_lines.unwrap_or(MIN_LINES)),
            tests: ExpectedTests {
                target: count(Expectation::Target),
                collateral: count(Expectation::Collateral),
                kept: count(Expectation::Kept),
            },
            graph: study.graph(&scope, &draft, target),
            findings: findings(study, &draft, &top, &premises.options.include),
            members: draft.feature.members.clone(),
            interface,
            patch: patch(study, &starting.files),
            starting: starting.files,
        })
    }

    /// The part of a symbol.
    pub fn member(&self, id: &SymbolId) -> Option<&Member> {
        self.members.get(id)
    }

    /// How a target test comes to need a symbol, step by step; empty where none does.
    pub fn chain(&self, id: &SymbolId) -> &[Link] {
        let nodes = &self.graph.nodes;
        let at = nodes.binary_search_by(|node| node.id.cmp(id)).ok();
        let node = at.and_then(|at| nodes.get(at));
        node.map_or(&[], |node| &node.chain)
    }
}

fn held_back(study: &Study, draft: &Draft) -> BTreeSet<Piece> {
    let suspects = draft.suspects.iter();
    let own = suspects.filter_map(|&index| study.pieces.own(index));
    let definitions = own.filter(|piece| piece.definition().is_some());
    definitions.cloned().collect()
}

fn deleted(draft: &Draft) -> BTreeSet<SymbolId> {
    let actions = draft.plan.actions.iter();
    let deleted = actions.filter(|(_, action)| **action == Action::Delete);
    deleted.map(|(id, _)| id.clone()).collect()
}

fn patch(study: &Study, files: &BTreeMap<String, Option<Vec<u8>>>) -> Patch {
    Patch::between(files.iter().filter_map(|(path, new)| {
        let old = study.analysis.source(path)?;
        Some(Change {
            path: path.clone(),
            old: Some(File::regular(old.bytes().to_vec())),
            new: new.clone().map(File::regular),
        })
    }))
}

fn findings(
    study: &Study,
    draft: &Draft,
    top: &BTreeSet<SymbolId>,
    include: &BTreeSet<SymbolId>,
) -> Vec<Finding> {
    let actions = &draft.plan.actions;
    let kind = |id: &SymbolId, member: &Member| {
        let symbol = study.analysis.symbol(id)?;
        match member.role {
            Role::Top
                if top.contains(id) && symbol.kind.is_definition() && symbol.doc.is_none() =>
            {
                Some(FindingKind::Undocumented)
            }
            role if role.is_removed() && !actions.keys().any(|other| id.is_within(other)) => {
                Some(FindingKind::Kept)
            }
            Role::Specific | Role::Orphaned if is_named_by_tests(study, draft, id) => {
                Some(FindingKind::Untold)
            }
            _ => None,
        }
    };
    let forced = |id: &SymbolId, member: &Member| {
        let is_forced = include.contains(id) && member.role.is_removed();
        (is_forced && member.other_tests > 0)
            .then_some(FindingKind::Contradicted(member.other_tests))
    };
    let members = draft.feature.members.iter();
    let found = members.filter_map(|(id, member)| {
        Some(Finding {
            symbol: id.clone(),
            kind: forced(id, member).or_else(|| kind(id, member))?,
        })
    });
    found.collect()
}

/// Whether the text of a test that leaves surely names a symbol.
fn is_named_by_tests(study: &Study, draft: &Draft, id: &SymbolId) -> bool {
    let graph = study.analysis.graph();
    let leaving: BTreeSet<&SymbolId> = draft
        .suspects
        .iter()
        .flat_map(|&index| study.pieces.symbols(index))
        .collect();
    let edges = graph.edges_to(id);
    edges.iter().any(|edge| {
        let is_static = matches!(
            edge.provenance,
            Provenance::Static(said) if said.confidence == Confidence::Resolved
        );
        is_static && edge.is_use() && leaving.contains(edge.from)
    })
}
