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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The least share of collateral tests, in percent, from which the feature is big enough.
    share: Option<Share>,
    /// The symbols that come nearest, cheapest first.
    candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Share {
    percent: usize,
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
            share: share(study, project, scope, premises, min_lines),
            candidates: candidates(study, scope, &premises.options, draft),
        }
    }
}

/// Tries greater shares of collateral tests in steps of ten percent.
fn share(
    study: &Study,
    project: &Project<'_>,
    scope: &Scope,
    premises: &Premises,
    min_lines: usize,
) -> Option<Share> {
    (1..=10).map(|tenth| tenth * 10).find_map(|percent: u32| {
        let max_collateral = f64::from(percent) / 100.0;
        if max_collateral <= premises.options.max_collateral {
            return None;
        }
        let options = FeatureOptions {
            max_collateral,
            ..premises.options.clone()
        };
        let premises = Premises {
            options,
            ..premises.clone()
        };
        let draft = Draft::new(study, project, scope, &premises);
        let size = draft.size(study, project, scope);
        (size.top > 0 && size.lines >= min_lines).then(|| Share {
            percent: percent as usize,
            lines: size.lines,
            collateral: draft.feature.count(Expectation::Collateral),
        })
    })
}

/// What would be top if neither collateral tests nor the share of a namesake counted.
fn candidates(
    study: &Study,
    scope: &Scope,
    options: &FeatureOptions,
    draft: &Draft,
) -> Vec<Candidate> {
    let all = FeatureOptions {
        max_collateral: 1.0,
        min_named_share: 0.0,
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
        match &self.share {
            Some(share) => write!(
                f,
                "; with --max-collateral {} {} would go and {} fail",
                share.percent as f64 / 100.0,
                count(share.lines, "line"),
                count(share.collateral, "other test")
            )?,
            None => f.write_str("; no greater --max-collateral gives it enough")?,
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
