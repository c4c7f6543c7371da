//! The commands: each one module with its arguments' meaning and its answer.

mod check;
mod demo;
mod doctor;
mod extract;
mod features;
mod prepare;
mod show;
mod tests;
mod trace;
mod why;

use std::collections::BTreeSet;
use std::path::Path;

use analyzer::feature::{
    DEFAULT_MAX_COLLATERAL, DEFAULT_MIN_NAMED_SHARE, DEFAULT_MIN_SHARE, FeatureOptions,
};
use analyzer::symbol::SymbolId;
use harness::carve::MIN_LINES;
use harness::process::Launcher;
use harness::session::Session;
use harness::study::Study;

use crate::answer::{self, Answer};
use crate::cli::{Command, Global, RuleArgs, SuiteArgs};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::progress::Progress;

/// What every command works with.
pub struct App {
    /// Settings of every command.
    pub global: Global,
    /// Shows what is going on.
    pub progress: Progress,
    /// Starts foreign programs.
    pub launcher: Launcher,
}

impl App {
    /// Carries out a command.
    ///
    /// # Errors
    /// The failure with its exit status.
    pub fn run(&self, command: &Command) -> Result<ExitStatus, Failure> {
        match command {
            Command::Demo(args) => demo::run(self, args),
            Command::Doctor(args) => doctor::run(self, args),
            Command::Prepare(args) => prepare::run(self, args),
            Command::Tests(args) => tests::run(self, args),
            Command::Trace(args) => trace::run(self, args),
            Command::Features(args) => features::run(self, args),
            Command::Show(args) => show::run(self, args),
            Command::Why(args) => why::run(self, args),
            Command::Extract(args) => extract::run(self, args),
            Command::Check(args) => check::run(self, args),
        }
    }

    /// Opens a project and its environment, which is made if need be.
    fn session(&self, path: &Path) -> Result<Session, Failure> {
        Ok(Session::open(path, self.launcher.clone(), &|event| {
            self.progress.event(event)
        })?)
    }

    /// Opens a project and takes the baseline of a suite.
    fn study(&self, args: &SuiteArgs) -> Result<(Session, Study), Failure> {
        let mut session = self.session(&args.project.path)?;
        let study = Study::open(&mut session, &args.suite, args.fresh, &|event| {
            self.progress.event(event)
        })?;
        Ok((session, study))
    }

    fn print(&self, answer: &impl Answer) -> Result<(), Failure> {
        self.progress.finish();
        answer::print(answer, self.global.format).map_err(|error| {
            let error = anyhow::Error::new(error).context("cannot print the answer");
            Failure::new(ExitStatus::Environment, error)
        })
    }
}

/// The options of a feature: arguments before the project's configuration before the defaults.
fn feature_options(session: &Session, args: &RuleArgs) -> FeatureOptions {
    let configured = &session.config().feature;
    let symbols = |given: &[String], configured: &[String]| -> BTreeSet<SymbolId> {
        given
            .iter()
            .chain(configured)
            .map(|text| SymbolId::parse(text))
            .collect()
    };
    FeatureOptions {
        max_collateral: args
            .max_collateral
            .or(configured.max_collateral)
            .unwrap_or(DEFAULT_MAX_COLLATERAL),
        min_share: args
            .min_share
            .or(configured.min_share)
            .unwrap_or(DEFAULT_MIN_SHARE),
        min_named_share: args
            .min_named_share
            .or(configured.min_named_share)
            .unwrap_or(DEFAULT_MIN_NAMED_SHARE),
        include: symbols(&args.include, &configured.include),
        exclude: symbols(&args.exclude, &configured.exclude),
    }
}

/// The fewest lines of a feature: the argument before the project's configuration before the default.
fn min_lines(session: &Session, args: &RuleArgs) -> usize {
    let configured = session.config().feature.min_lines;
    args.min_lines.or(configured).unwrap_or(MIN_LINES)
}

/// Targets as the tests know them: what a person's shell completes (an absolute path, or one from
/// the current folder) becomes relative to the project.
fn targets(session: &Session, texts: &[String]) -> Vec<String> {
    let root = session.project().root();
    let relative = |text: &String| {
        let (path, rest) = text.split_at(text.find("::").unwrap_or(text.len()));
        if path.is_empty() || (Path::new(path).is_relative() && root.join(path).exists()) {
            return None;
        }
        let path = Path::new(path).canonicalize().ok()?;
        let inside = path.strip_prefix(root).ok()?.to_str()?;
        Some(format!(
            "{}{rest}",
            if inside.is_empty() { "." } else { inside }
        ))
    };
    texts
        .iter()
        .map(|text| relative(text).unwrap_or_else(|| text.clone()))
        .collect()
}
