//! `why`: the shortest chain from a target test to a symbol.

use std::io::{self, Write};

use analyzer::feature::{self, FeatureOptions, Role, Scope};
use analyzer::symbol::SymbolId;
use harness::chain::{self, Chain};
use harness::study::Study;
use serde::Serialize;

use super::{App, Target, feature_options};
use crate::answer::{Answer, count};
use crate::cli::WhyArgs;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

#[derive(Serialize)]
struct Why {
    symbol: SymbolId,
    role: Option<Role>,
    target_tests: usize,
    other_tests: usize,
    /// Why it has no role.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    chain: Option<Chain>,
}

pub fn run(app: &App, args: &WhyArgs) -> Result<ExitStatus, Failure> {
    let (args, symbol) = args.parts();
    let Target {
        session,
        study,
        scope,
        ..
    } = app.study_of(&args)?;
    let symbol = chain::find_symbol(&study.analysis, &symbol).map_err(Failure::usage)?;
    let options = study.known(feature_options(&session, &args.rule))?;
    let feature = study.feature(&scope, &options);
    let role = feature.members.get(&symbol).map(|member| member.role);
    let (target_tests, other_tests) = feature::runs(&study.impact, &scope, &symbol);
    let reason = role
        .is_none()
        .then(|| no_part(&study, &scope, &options, &symbol));
    let why = Why {
        role,
        target_tests,
        other_tests,
        reason,
        chain: chain::shortest(&study, &scope, &symbol),
        symbol,
    };
    let found = why.chain.is_some();
    app.print(&why)?;
    Ok(if found {
        ExitStatus::Success
    } else {
        ExitStatus::Refused
    })
}

/// Why a symbol has no part in a feature, in words for a person.
fn no_part(study: &Study, scope: &Scope, options: &FeatureOptions, symbol: &SymbolId) -> String {
    if scope.is_test_code(symbol) {
        return "it is test code, which is held back or stays as its tests do".to_owned();
    }
    if !scope.is_removable(symbol) {
        return "it leaves only with the definition that it is part of, or if nothing else uses it"
            .to_owned();
    }
    if feature::runs_outside(&study.impact, scope, symbol) {
        return "it also runs outside the tests: at start-up, in imports or while tests are collected"
            .to_owned();
    }
    if feature::runs(&study.impact, scope, symbol).0 == 0 {
        return "no target test runs it, and what is removed is not all that refers to it"
            .to_owned();
    }
    format!(
        "its share of target tests is too small to stand for the feature (at least {}, or {} if its name \
         speaks of the target), or it would take too many others along, and nothing that is removed runs it",
        options.min_share, options.min_named_share
    )
}

impl Answer for Why {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        let part = match self.role {
            Some(role) => format!("is {}", role.word()),
            None => "has no part".to_owned(),
        };
        writeln!(
            out,
            "{} {part} in this feature: run by {} target and {}",
            self.symbol,
            self.target_tests,
            count(self.other_tests, "other test")
        )?;
        if let Some(reason) = &self.reason {
            writeln!(out, "{reason}")?;
        }
        let Some(chain) = &self.chain else {
            return writeln!(out, "no target test reaches it");
        };
        writeln!(out, "{}", chain.test)?;
        for link in &chain.steps {
            writeln!(
                out,
                "  -> {}  ({} {}, {}:{})",
                link.to, link.provenance, link.how, link.path, link.line
            )?;
        }
        Ok(())
    }
}
