//! `show`: one feature with the roles of its symbols, its sizes and its tests, or as a graph.

mod dot;
mod page;

use std::collections::BTreeSet;
use std::io::{self, Write};

use analyzer::feature::{Expectation, Role};
use analyzer::symbol::SymbolId;
use extractors::feature_graph::FeatureGraph;
use extractors::removal::{Action, Project};
use harness::carve::draft::{Draft, Premises, Size};
use harness::overview;
use harness::study::Study;
use serde::Serialize;

use super::{App, Target, feature_options};
use crate::answer::{Answer, count};
use crate::cli::{FeatureArgs, Format};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;

/// A feature as `show` prints it.
#[derive(Serialize)]
pub struct Shown {
    target: Vec<String>,
    size: Size,
    target_tests: usize,
    collateral_tests: usize,
    kept_tests: usize,
    excluded_tests: usize,
    symbols: Vec<ShownSymbol>,
}

#[derive(Serialize)]
struct ShownSymbol {
    symbol: String,
    role: Role,
    /// What is done with it; none if it stays.
    action: Option<Action>,
    target_tests: usize,
    other_tests: usize,
    line: u32,
    lines: usize,
}

/// What `show` finds out.
#[derive(Serialize)]
struct Feature {
    #[serde(flatten)]
    shown: Shown,
    graph: FeatureGraph,
}

pub fn run(app: &App, args: &FeatureArgs) -> Result<ExitStatus, Failure> {
    let target = app.study_of(args)?;
    let (shown, draft) = drafted(&target, args)?;
    let empty = shown.size.top == 0;
    let graph = || target.study.graph(&target.scope, &draft, &target.patterns);
    match app.global.format {
        Format::Human => app.print(&shown)?,
        Format::Json => {
            let graph = graph();
            app.print(&Feature { shown, graph })?;
        }
        Format::Dot => app.print_text(&dot::render(&graph()))?,
        Format::Html => {
            let page = page::render(&graph());
            app.print_text(&page.map_err(|error| Failure::new(ExitStatus::Internal, error))?)?;
        }
    }
    Ok(if empty {
        ExitStatus::Refused
    } else {
        ExitStatus::Success
    })
}

/// Decides and describes a feature.
pub fn shown(target: &Target, args: &FeatureArgs) -> Result<Shown, Failure> {
    Ok(drafted(target, args)?.0)
}

fn drafted(target: &Target, args: &FeatureArgs) -> Result<(Shown, Draft), Failure> {
    let Target {
        session,
        study,
        scope,
        patterns,
    } = target;
    let options = study.known(feature_options(session, &args.rule))?;
    let premises = Premises::new(options, session.config().feature.removal);
    let project = Project::new(&study.analysis);
    let draft = Draft::new(study, &project, scope, &premises);
    let size = draft.size(study, &project, scope);
    Ok((Shown::new(study, &draft, size, patterns), draft))
}

impl Shown {
    fn new(study: &Study, draft: &Draft, size: Size, target: &[String]) -> Self {
        let feature = &draft.feature;
        let removed: BTreeSet<&SymbolId> = draft.removal.removed.iter().collect();
        let action = |id: &SymbolId| draft.plan.actions.get(id).copied();
        let symbols = feature.members.iter().map(|(id, member)| {
            let (line, lines) = overview::place(&study.analysis, id);
            ShownSymbol {
                symbol: id.to_string(),
                role: member.role,
                action: action(id).filter(|_| removed.contains(id)),
                target_tests: member.target_tests,
                other_tests: member.other_tests,
                line,
                lines,
            }
        });
        Self {
            target: target.to_vec(),
            size,
            target_tests: feature.count(Expectation::Target),
            collateral_tests: feature.count(Expectation::Collateral),
            kept_tests: feature.count(Expectation::Kept),
            excluded_tests: feature.count(Expectation::Excluded),
            symbols: symbols.collect(),
        }
    }
}

impl Answer for Feature {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        self.shown.write_human(out)
    }
}

impl Answer for Shown {
    fn write_human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Feature of {}", self.target.join(", "))?;
        writeln!(
            out,
            "  removes {}: {} in {}",
            count(self.size.symbols, "symbol"),
            count(self.size.lines, "line"),
            count(self.size.files, "file")
        )?;
        writeln!(
            out,
            "  tests: {} target, {} collateral, {} kept, {} excluded",
            self.target_tests, self.collateral_tests, self.kept_tests, self.excluded_tests
        )?;
        for role in [
            Role::Top,
            Role::Specific,
            Role::Orphaned,
            Role::Shared,
            Role::Protected,
        ] {
            self.write_role(out, role)?;
        }
        Ok(())
    }
}

impl Shown {
    fn write_role(&self, out: &mut dyn Write, role: Role) -> io::Result<()> {
        let of_role: Vec<&ShownSymbol> = self
            .symbols
            .iter()
            .filter(|symbol| symbol.role == role)
            .collect();
        if of_role.is_empty() {
            return Ok(());
        }
        writeln!(out, "{} ({})", role_word(role), of_role.len())?;
        for symbol in of_role {
            writeln!(
                out,
                "  {}  line {}, {}{}, run by {} target and {}",
                symbol.symbol,
                symbol.line,
                count(symbol.lines, "line"),
                symbol.fate(),
                symbol.target_tests,
                count(symbol.other_tests, "other test")
            )?;
        }
        Ok(())
    }
}

impl ShownSymbol {
    /// What becomes of a symbol, where its role does not tell.
    fn fate(&self) -> &'static str {
        match self.action {
            Some(Action::Stub { .. }) => ", keeps its header",
            None if self.role.is_removed() => ", stays because of its name",
            _ => "",
        }
    }
}

/// The word for a role, with what becomes of its symbols.
fn role_word(role: Role) -> &'static str {
    match role {
        Role::Top => "top: removed, in the interface",
        Role::Specific => "specific: removed",
        Role::Orphaned => "orphaned: removed, nothing else refers to it",
        Role::Shared => "shared: stays, kept tests run it",
        Role::Protected => "protected: stays, needed at import or collection",
    }
}
