//! The commands: each one module with its arguments' meaning and its answer.

mod check;
mod demo;
mod doctor;
mod extract;
mod features;
mod lsp;
mod prepare;
mod show;
mod tests;
mod trace;
mod why;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use analyzer::feature::{FeatureOptions, Scope};
use analyzer::symbol::SymbolId;
use harness::carve::{Event, MIN_LINES};
use harness::lang::Language;
use harness::process::Launcher;
use harness::session::{self, Session};
use harness::study::{Study, StudyError};

use crate::answer::{self, Answer};
use crate::cli::{Command, FeatureArgs, Global, RuleArgs, SuiteArgs};
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
        if self.global.format.is_of_graph() && !matches!(command, Command::Show(_)) {
            return Err(Failure::usage(
                "only `lacuna show` can print a graph; the `--format` of other commands is `human` or `json`",
            ));
        }
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
            Command::Lsp(_) => lsp::run(self),
        }
    }

    /// Opens a project in one of its languages, with its environment, which is made if need be.
    fn session(&self, path: &Path, language: &'static Language) -> Result<Session, Failure> {
        let report = |event: Event<'_>| self.progress.event(event);
        Ok(Session::open(
            path,
            language,
            self.launcher.clone(),
            &report,
        )?)
    }

    /// Takes the baseline of a suite in one language.
    fn study(
        &self,
        args: &SuiteArgs,
        language: &'static Language,
    ) -> Result<(Session, Study), Failure> {
        let mut session = self.session(&args.project.path, language)?;
        let study = Study::open(&mut session, &args.suite, args.fresh, &|event| {
            self.progress.event(event)
        })?;
        Ok((session, study))
    }

    /// Does something in every language of a project (or of the parts of its suite). Where it works in
    /// one, what is wrong with another is only told.
    fn in_languages<T>(
        &self,
        path: &Path,
        parts: &[String],
        work: impl Fn(&'static Language) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let languages = session::languages(path, parts)?;
        let mut done = Vec::new();
        let mut failures = Vec::new();
        for language in languages {
            match work(language) {
                Ok(result) => done.push(result),
                Err(failure) if failure.status == ExitStatus::Interrupted => return Err(failure),
                Err(failure) => failures.push((language, failure)),
            }
        }
        if done.is_empty()
            && let Some((_, failure)) = failures.pop()
        {
            return Err(failure);
        }
        for (language, failure) in &failures {
            self.progress.tell(&format!(
                "{} is left out: {:#}",
                language.name, failure.error
            ));
        }
        Ok(done)
    }

    /// Opens a project in the language of a target, and tells whether its trace is still to be made anew.
    fn session_of(&self, args: &FeatureArgs) -> Result<(Session, bool), Failure> {
        let path = &args.suite.project.path;
        let parts: Vec<String> = targets(path, &args.target)
            .into_iter()
            .chain(args.suite.suite.iter().cloned())
            .collect();
        match session::languages(path, &parts)?.as_slice() {
            [language] => Ok((self.session(path, language)?, args.suite.fresh)),
            _ => Ok((self.study_of(args)?.session, false)),
        }
    }

    /// Takes the baseline of a target's language; of several that it may be written in, of the first that
    /// has such tests.
    fn study_of(&self, args: &FeatureArgs) -> Result<Target, Failure> {
        let suite = &args.suite;
        let path = &suite.project.path;
        let patterns = targets(path, &args.target);
        let parts: Vec<String> = patterns.iter().chain(&suite.suite).cloned().collect();
        let mut languages = session::languages(path, &parts)?.into_iter().peekable();
        while let Some(language) = languages.next() {
            let (session, study) = match self.study(suite, language) {
                Err(_) if languages.peek().is_some() => continue,
                studied => studied?,
            };
            match study.scope(&patterns) {
                Err(StudyError::NoMatch(_)) if languages.peek().is_some() => {}
                scope => {
                    return Ok(Target {
                        scope: scope?,
                        session,
                        study,
                        patterns,
                    });
                }
            }
        }
        Err(Failure::usage("the project has no tests in any language"))
    }

    fn print(&self, answer: &impl Answer) -> Result<(), Failure> {
        self.progress.finish();
        answer::print(answer, self.global.format).map_err(unprintable)
    }

    fn print_text(&self, text: &str) -> Result<(), Failure> {
        self.progress.finish();
        answer::print_text(text).map_err(unprintable)
    }
}

fn unprintable(error: io::Error) -> Failure {
    let error = anyhow::Error::new(error).context("cannot print the answer");
    Failure::new(ExitStatus::Environment, error)
}

/// A target among the tests of its language.
struct Target {
    session: Session,
    study: Study,
    scope: Scope,
    /// What the person wrote, relative to the project.
    patterns: Vec<String>,
}

/// The options of a feature: arguments before the project's configuration before the defaults.
fn feature_options(session: &Session, args: &RuleArgs) -> FeatureOptions {
    let configured = session.config().feature.options();
    let with = |given: &[String], configured: BTreeSet<SymbolId>| -> BTreeSet<SymbolId> {
        let given = given.iter().map(|text| SymbolId::parse(text));
        given.chain(configured).collect()
    };
    FeatureOptions {
        max_collateral: args.max_collateral.unwrap_or(configured.max_collateral),
        min_share: args.min_share.unwrap_or(configured.min_share),
        min_named_share: args.min_named_share.unwrap_or(configured.min_named_share),
        include: with(&args.include, configured.include),
        exclude: with(&args.exclude, configured.exclude),
        stub: with(&args.stub, configured.stub),
    }
}

/// The fewest lines of a feature: the argument before the project's configuration before the default.
fn min_lines(session: &Session, args: &RuleArgs) -> usize {
    let configured = session.config().feature.min_lines;
    args.min_lines.or(configured).unwrap_or(MIN_LINES)
}

/// Targets as the tests know them: what a person's shell completes (an absolute path, or one from
/// the current folder) becomes relative to the project.
fn targets(project: &Path, texts: &[String]) -> Vec<String> {
    let Ok(root) = project.canonicalize() else {
        return texts.to_vec();
    };
    let relative = |text: &String| {
        let (path, rest) = text.split_at(text.find("::").unwrap_or(text.len()));
        if path.is_empty() || (Path::new(path).is_relative() && root.join(path).exists()) {
            return None;
        }
        let path = Path::new(path).canonicalize().ok()?;
        let inside = path.strip_prefix(&root).ok()?.to_str()?;
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
