//! `why`: the shortest chain from a target test to a symbol.

use std::io::{self, Write};

use analyzer::feature::Role;
use analyzer::symbol::SymbolId;
use harness::chain::{self, Chain};
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
    let member = feature.members.get(&symbol);
    let why = Why {
        role: member.map(|member| member.role),
        target_tests: member.map_or(0, |member| member.target_tests),
        other_tests: member.map_or(0, |member| member.other_tests),
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

impl Answer for Why {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.role {
            Some(role) => writeln!(
                out,
                "{} is {} in this feature: run by {} target and {}",
                self.symbol,
                role.word(),
                self.target_tests,
                count(self.other_tests, "other test")
            )?,
            None => writeln!(out, "{} has no part in this feature", self.symbol)?,
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
