//! Advice: what a person can do when a target owns nothing, or too little.

use std::collections::BTreeSet;
use std::fmt;

use analyzer::feature::{Expectation, FeatureOptions, Role, Scope};
use analyzer::symbol::SymbolId;

use extractors::removal::Project;

use super::draft::{Draft, Premises};
use crate::overview;
use crate::study::Study;
use crate::words::count;

/// How many symbols are named.
const CANDIDATES: usize = 5;

/// What would give the target a bigger feature, and its cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Whether no code of the project was seen running in a test of the target.
    saw_nothing: bool,
    /// The setting nearest to the one in force with which the feature is big enough.
    setting: Option<Setting>,
    /// The symbols that come nearest, cheapest first.
    candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq)]
struct Setting {
    option: &'static str,
    value: f64,
    lines: usize,
    collateral: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    symbol: SymbolId,
    lines: usize,
    /// How many other tests execute it.
    other_tests: usize,
}

impl Advice {
    /// Looks for what would make a draft bigger.
    pub fn new(
        study: &Study,
        project: &Project<'_>,
        scope: &Scope,
        premises: &Premises,
        draft: &Draft,
        min_lines: usize,
    ) -> Self {
        Self {
            saw_nothing: saw_nothing(study, scope),
            setting: setting(study, project, scope, premises, min_lines),
            candidates: candidates(study, scope, &premises.options, draft),
        }
    }
}

/// Whether the tests of the target ran no code of the product that a record tells of.
fn saw_nothing(study: &Study, scope: &Scope) -> bool {
    let ran = study.impact.symbols.iter().zip(&study.impact.executed_by);
    let mut product = ran.filter(|(id, _)| scope.is_removable(id));
    product.all(|(_, tests)| tests.is_disjoint(&scope.target))
}

/// Tries greater shares of collateral tests, then lesser shares of the target, in steps of a tenth.
fn setting(
    study: &Study,
    project: &Project<'_>,
    scope: &Scope,
    premises: &Premises,
    min_lines: usize,
) -> Option<Setting> {
    let now = &premises.options;
    let tenths = || (1..=10).map(|tenth| f64::from(tenth) / 10.0);
    let more = tenths().filter(|value| *value > now.max_collateral);
    let more = more.map(|max_collateral| FeatureOptions {
        max_collateral,
        ..now.clone()
    });
    let less = tenths().rev().filter(|value| *value < now.min_share);
    let less = less.map(|min_share| FeatureOptions {
        min_share,
        ..now.clone()
    });
    more.chain(less).find_map(|options| {
        let (option, value) = match options.min_share < now.min_share {
            true => ("--min-share", options.min_share),
            false => ("--max-collateral", options.max_collateral),
        };
        let premises = Premises {
            options,
            ..premises.clone()
        };
        let draft = Draft::new(study, project, scope, &premises);
        let size = draft.size(study, project, scope);
        (size.top > 0 && size.lines >= min_lines).then(|| Setting {
            option,
            value,
            lines: size.lines,
            collateral: draft.feature.count(Expectation::Collateral),
        })
    })
}

/// What would be top if neither collateral tests nor the target's share counted.
fn candidates(
    study: &Study,
    scope: &Scope,
    options: &FeatureOptions,
    draft: &Draft,
) -> Vec<Candidate> {
    let all = FeatureOptions {
        max_collateral: 1.0,
        min_named_share: 0.0,
        min_share: 0.0,
        ..options.clone()
    };
    let feature = study.feature(scope, &all);
    let owned: BTreeSet<&SymbolId> = draft.removal.removed.iter().collect();
    let mut candidates: Vec<Candidate> = feature
        .with_role(Role::Top)
        .filter(|id| !owned.contains(id))
        .filter_map(|id| {
            let member = feature.members.get(id)?;
            (member.target_tests > 0).then(|| Candidate {
                symbol: id.clone(),
                lines: overview::place(&study.analysis, id).1,
                other_tests: member.other_tests,
            })
        })
        .collect();
    candidates.sort_by(|one, other| {
        let cost = one.other_tests.cmp(&other.other_tests);
        cost.then(one.symbol.cmp(&other.symbol))
    });
    candidates.truncate(CANDIDATES);
    candidates
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.saw_nothing {
            return f.write_str(
                "; its tests ran no code of the project that a trace sees: what runs while code is \
                 compiled, as procedural macros do, or in other programs is in none",
            );
        }
        match &self.setting {
            Some(setting) => write!(
                f,
                "; with {} {} {} would go and {} fail",
                setting.option,
                setting.value,
                count(setting.lines, "line"),
                count(setting.collateral, "other test")
            )?,
            None => f.write_str(
                "; neither a greater --max-collateral nor a lesser --min-share gives it enough",
            )?,
        }
        if self.candidates.is_empty() {
            return f.write_str("; or name a symbol with --include");
        }
        f.write_str("; or take a symbol with --include:")?;
        for (index, candidate) in self.candidates.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(
                f,
                "{comma} {} ({}, executed by {})",
                candidate.symbol,
                count(candidate.lines, "line"),
                count(candidate.other_tests, "other test")
            )?;
        }
        Ok(())
    }
}
