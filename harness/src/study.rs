//! A study: the baseline of a project's suite together with the analysis of its files.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use analyzer::feature::impact::Impact;
use analyzer::feature::{self, Feature, FeatureOptions, Scope};
use analyzer::symbol::SymbolId;
use analyzer::trace::{CollectionError, Trace};
use analyzer::{Analysis, AnalysisHost, Change};
use extractors::chain::Evidence;
use extractors::feature_graph::{self, FeatureGraph, Ingredients};
use extractors::removal::Removal;

use crate::cache::Last;
use crate::carve::Event;
use crate::carve::draft::Draft;
use crate::carve::pieces::Pieces;
use crate::carve::target::{self, NoMatch};
use crate::chain;
use crate::runner::Selection;
use crate::session::{Baseline, Session, SessionError, Source};
use crate::words;

/// Why a project's tests cannot be studied.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The target or suite means nothing.
    #[error(transparent)]
    NoMatch(#[from] NoMatch),
    /// A part of the suite does not exist.
    #[error(
        "the project has no file or folder {0}, which is to be a part of the suite; `lacuna tests` lists what there is"
    )]
    NoSuite(String),
    /// None of the target tests is good in the full tree.
    #[error(
        "no test of the target passes in the full tree ({}, such as {example}); `lacuna doctor` tells what may be missing",
        words::count(*count, "target test")
    )]
    TargetFails {
        /// How many there are.
        count: usize,
        /// One with its failure.
        example: String,
    },
    /// The target's file cannot be collected.
    #[error(
        "{path} cannot be collected in the full tree ({reason}); `lacuna doctor` tells what may be missing"
    )]
    NotCollected {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The suite is empty.
    #[error(
        "no test was found{}; other files and folders with tests can be named by `paths` under `[tests]` in lacuna.toml, and `lacuna doctor` tells what may be missing",
        list_errors(errors)
    )]
    NoTests {
        /// Files that cannot be collected, with the reason.
        errors: Vec<String>,
    },
    /// No test of the suite is good.
    #[error(
        "no test passes in the full tree ({example}); `lacuna tests` lists them, and `lacuna doctor` tells what may be missing"
    )]
    NonePasses {
        /// One with its failure.
        example: String,
    },
    /// A symbol to include or exclude is none.
    #[error("{0}")]
    NoSymbol(String),
    /// A symbol is to be in the feature and not to be in it.
    #[error(
        "{0} is included and excluded at once, by `--include` and `--exclude` or by lacuna.toml; take one of them back"
    )]
    Contradiction(SymbolId),
    /// The project or its environment.
    #[error(transparent)]
    Session(#[from] SessionError),
}

fn list_errors(errors: &[String]) -> String {
    let more = errors.len().saturating_sub(3);
    let mut text: String = errors
        .iter()
        .take(3)
        .map(|error| format!("; {error}"))
        .collect();
    if more > 0 {
        text += &format!("; and {more} more");
    }
    text
}

/// Takes the baseline of a suite (from the cache if the tree is unchanged), which has a test.
///
/// # Errors
/// A part of the suite does not exist, it has no test, or it cannot be run.
pub fn baseline(
    session: &mut Session,
    suite: &[String],
    fresh: bool,
    report: &dyn Fn(Event<'_>),
) -> Result<Baseline, StudyError> {
    let parts = suite.iter().chain(&session.config().tests.paths);
    let mut files = parts.filter_map(|part| part.split("::").next());
    if let Some(lost) = files.find(|path| !session.has(path)) {
        return Err(StudyError::NoSuite(lost.to_owned()));
    }
    let baseline = session.baseline(suite, fresh, report)?;
    match baseline.trace.tests.is_empty() {
        true => Err(no_tests(&baseline.trace)),
        false => Ok(baseline),
    }
}

/// A project's baseline, seen from its symbols.
pub struct Study {
    /// The files and the trace.
    pub analysis: Analysis,
    /// Which tests execute which symbols.
    pub impact: Impact,
    /// The baseline: every test of the considered suite in the full tree.
    pub trace: Arc<Trace>,
    /// What is run to run the considered suite.
    pub suite: Selection,
    /// Whether the baseline was found in the cache.
    pub cached: bool,
    /// Wall and CPU time of the baseline run.
    pub times: (Duration, Duration),
    /// The texts of the tests.
    pub pieces: Pieces,
}

impl Study {
    /// Takes the baseline of a suite (from the cache if the tree is unchanged) and analyses the files.
    pub fn open(
        session: &mut Session,
        suite: &[String],
        fresh: bool,
        report: &dyn Fn(Event<'_>),
    ) -> Result<Self, StudyError> {
        let baseline = baseline(session, suite, fresh, report)?;
        report(Event::Analysing);
        Ok(Self::of(baseline, session.sources()?))
    }

    /// The study of what was remembered of a run: of the files as they were then.
    pub fn remembered(last: Last) -> Self {
        let files = last.sources.into_iter();
        let files = files.map(|(path, bytes)| (path, Some(Arc::from(bytes))));
        let baseline = Baseline {
            trace: Arc::new(last.trace),
            selection: Selection::All,
            cached: true,
            times: (Duration::ZERO, Duration::ZERO),
        };
        Self::of(baseline, files.collect())
    }

    fn of(baseline: Baseline, files: Vec<Source>) -> Self {
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files,
            trace: Some(Some(Arc::clone(&baseline.trace))),
        });
        let analysis = host.analysis();
        analysis.prime();
        let impact = Impact::new(&analysis);
        Self {
            pieces: Pieces::new(&analysis, &impact.trace.tests),
            analysis,
            impact,
            trace: baseline.trace,
            suite: baseline.selection,
            cached: baseline.cached,
            times: baseline.times,
        }
    }

    /// Divides the tests by a target.
    ///
    /// # Errors
    /// A pattern that means no test, or a target of which no test is good.
    pub fn scope(&self, patterns: &[String]) -> Result<Scope, StudyError> {
        let selected = target::select(patterns, &self.trace.tests);
        let selected = selected.map_err(|lost| self.explain(lost))?;
        let target: BTreeSet<usize> = selected.into_iter().collect();
        let scope = Scope::new(&self.analysis, &self.impact, &|index| {
            target.contains(&index)
        });
        if scope.target.is_clear() {
            return Err(StudyError::TargetFails {
                count: target.len(),
                example: self.example(&target),
            });
        }
        Ok(scope)
    }

    /// Executed code that is no symbol of the files as they are now: `path:line name`.
    pub fn unmatched(&self) -> Vec<String> {
        let matches = self.analysis.trace_symbols();
        let codes = matches
            .unmatched
            .iter()
            .filter_map(|&index| self.trace.codes.get(index as usize));
        codes
            .map(|code| format!("{}:{} {}", code.path, code.line, code.name))
            .collect()
    }

    /// A pattern means no test: perhaps because its file cannot be collected.
    fn explain(&self, lost: NoMatch) -> StudyError {
        let mut errors = self.trace.collection_errors.iter();
        let of_file =
            |error: &&CollectionError| lost.pattern.split("::").next() == Some(&error.path);
        match errors.find(of_file) {
            Some(error) => StudyError::NotCollected {
                path: error.path.clone(),
                reason: telling_line(&error.detail.message).to_owned(),
            },
            None => lost.into(),
        }
    }

    /// The options with each included or excluded symbol in full, as `chain::find_symbol` finds it.
    ///
    /// # Errors
    /// One of them means no symbol, or several, or is both included and excluded.
    pub fn known(&self, options: FeatureOptions) -> Result<FeatureOptions, StudyError> {
        let known = |symbols: BTreeSet<SymbolId>| {
            let found = symbols
                .iter()
                .map(|id| chain::find_symbol(&self.analysis, id.as_str()));
            found
                .collect::<Result<_, _>>()
                .map_err(StudyError::NoSymbol)
        };
        let include: BTreeSet<SymbolId> = known(options.include)?;
        let exclude: BTreeSet<SymbolId> = known(options.exclude)?;
        let is_kept = |id: &&SymbolId| exclude.iter().any(|kept| id.is_within(kept));
        if let Some(both) = include.iter().find(is_kept) {
            return Err(StudyError::Contradiction(both.clone()));
        }
        Ok(FeatureOptions {
            include,
            exclude,
            stub: known(options.stub)?,
            ..options
        })
    }

    /// The functions of the target tests, each once, in the runner's order.
    pub fn functions(&self, scope: &Scope) -> Vec<SymbolId> {
        let mut seen = BTreeSet::new();
        let tests = scope.target.ones();
        let functions = tests.flat_map(|index| self.pieces.symbols(index));
        let functions = functions.filter(|function| seen.insert(*function));
        functions.cloned().collect()
    }

    /// What is known of a target, whose test functions are `tests`.
    pub fn evidence<'a>(&'a self, scope: &'a Scope, tests: &'a [SymbolId]) -> Evidence<'a> {
        Evidence {
            analysis: &self.analysis,
            impact: &self.impact,
            scope,
            tests,
        }
    }

    /// The graph of a feature that was drafted for a target.
    pub fn graph(&self, scope: &Scope, draft: &Draft, target: &[String]) -> FeatureGraph {
        let leaving = draft.removal.removed.iter();
        let action = |id| Some((id, *draft.plan.actions.get(id)?));
        feature_graph::feature_graph(&Ingredients {
            evidence: self.evidence(scope, &self.functions(scope)),
            feature: &draft.feature,
            actions: leaving.filter_map(action).collect(),
            target,
        })
    }

    /// Decides a feature.
    pub fn feature(&self, scope: &Scope, options: &FeatureOptions) -> Feature {
        feature::decide(&self.analysis, &self.impact, scope, options)
    }

    /// Refuses a suite without any good test: nothing could be seen to fail or to go on passing.
    pub fn require_baseline(&self) -> Result<(), StudyError> {
        let tests = &self.trace.tests;
        if tests.iter().any(|test| test.outcome.is_good()) {
            return Ok(());
        }
        let example = self.example(&(0..tests.len()).collect());
        Err(StudyError::NonePasses { example })
    }

    fn example(&self, target: &BTreeSet<usize>) -> String {
        let test = target.iter().find_map(|&index| self.trace.tests.get(index));
        test.map_or_else(String::new, |test| {
            let why = test.detail.as_ref().map_or("", |detail| {
                detail.message.lines().next().unwrap_or_default()
            });
            format!("{}: {why}", test.id)
        })
    }
}

fn no_tests(trace: &Trace) -> StudyError {
    let errors = trace
        .collection_errors
        .iter()
        .map(|error| format!("{}: {}", error.path, telling_line(&error.detail.message)));
    StudyError::NoTests {
        errors: errors.collect(),
    }
}

/// The line of a message that a compiler marks as an error, else the last one, without the advice that
/// tools put below it.
fn telling_line(message: &str) -> &str {
    let mut lines = message.lines();
    let marked = lines.clone().find(|line| line.starts_with("error"));
    marked
        .or_else(|| lines.rfind(|line| !line.starts_with('\t')))
        .unwrap_or_default()
}

/// The innermost function of an edited file that a line (counted from 1) lies in.
pub fn symbol_at(removal: &Removal, path: &str, line: u32) -> Option<SymbolId> {
    let bytes = removal.files.get(path)?.as_ref()?;
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: vec![(path.to_owned(), Some(Arc::from(bytes.as_slice())))],
        trace: None,
    });
    let analysis = host.analysis();
    let offset = offset_of_line(bytes, line)?;
    let symbols = analysis.symbols(path);
    let around = symbols.iter().filter(|symbol| {
        symbol.kind.is_callable() && symbol.full.start <= offset && offset <= symbol.full.end
    });
    around
        .min_by_key(|symbol| symbol.full.len())
        .map(|symbol| symbol.id.clone())
}

/// The offset of the first character of a line that is not a blank.
fn offset_of_line(bytes: &[u8], line: u32) -> Option<usize> {
    let mut start = 0;
    for (number, text) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
        if number == line {
            return Some(
                start
                    + text
                        .iter()
                        .take_while(|byte| byte.is_ascii_whitespace())
                        .count(),
            );
        }
        start += text.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::telling_line;

    #[test]
    fn the_line_that_tells_is_the_last_one_but_for_advice() {
        let check = |message: &str, line: &str| assert_eq!(telling_line(message), line);
        check("E   import x\nE   ImportError: x", "E   ImportError: x");
        check("missing x; to add:\n\tgo get x", "missing x; to add:");
        check(
            "error[E0554]: no\n --> src/lib.rs:1:1\n  |\n  | ^^^",
            "error[E0554]: no",
        );
        check("", "");
    }
}
