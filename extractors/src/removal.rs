//! Removal: from the symbols that leave a project to the bytes of the files that change.
//!
//! Invariant: bytes outside the edits are untouched; a file that does not parse is never edited,
//! and no edit makes a file stop parsing.

mod blockers;
mod cut;
mod leaving;
mod project;
mod shells;
mod tests_of;

use std::collections::{BTreeMap, BTreeSet};

use analyzer::symbol::{Symbol, SymbolId};
use grammars::SourceText;
use serde::{Deserialize, Serialize};

pub use self::blockers::{Blocking, blockers};
pub(crate) use self::cut::apply;
pub use self::project::Project;
pub use self::shells::shells;
pub use self::tests_of::test_removal;
use crate::lang::{self, Edit};
use leaving::Leaving;

/// How a symbol leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The definition goes, with everything in it and all that belongs to it.
    Delete,
    /// The header stays, and the body becomes one that reports that it is not implemented.
    Stub {
        /// Whether the documentation stays, too.
        keep_doc: bool,
    },
    /// The definition stays, and its documentation loses the examples that are run as a test.
    CutExamples,
}

/// What to remove.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovalPlan {
    /// The action for each symbol. A module that is deleted is a file that goes.
    pub actions: BTreeMap<SymbolId, Action>,
    /// Imports that go whether or not they seem to be used: by path, indices of the file's imports. Those
    /// that code of another build uses stay, marked.
    pub imports: BTreeMap<String, BTreeSet<usize>>,
    /// Imports, given in the same way, that stay and that the compiler calls unused in some of its builds.
    pub silenced_imports: BTreeMap<String, BTreeSet<usize>>,
    /// Definitions that stay and that nothing uses for now: they are marked, so that no tool complains.
    pub silenced: BTreeSet<SymbolId>,
    /// What stays, with all it holds, even if nothing that stays uses it: variables and fields else go
    /// with their last use.
    pub kept: BTreeSet<SymbolId>,
    /// Files in which test code that leaves keeps its place: a comment stands for definitions, and imports
    /// for tests stay. Where all around it leaves, too, it could else not be put back.
    pub marked: BTreeSet<String>,
    /// Whether nobody builds what comes out: nothing in it has to be silenced.
    pub is_never_built: bool,
}

/// What a removal does to the files of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// The files that change, with their new bytes; `None` for a file that goes.
    pub files: BTreeMap<String, Option<Vec<u8>>>,
    /// Lines of the old files that the new ones do not have, as the patch counts them.
    pub removed_lines: usize,
    /// The symbols of the plan that were deleted or stubbed, sorted; not those that lost examples only.
    pub removed: Vec<SymbolId>,
    /// Private variables that went because only removed code used them, sorted.
    pub orphaned: Vec<SymbolId>,
    /// Names that are no longer imported: path and the item of the statement, in order.
    pub imports: Vec<(String, String)>,
    /// Names that are no longer public: path and name, in order.
    pub exports: Vec<(String, String)>,
    /// What could not be done, in order.
    pub problems: Vec<RemovalProblem>,
}

/// Why an action of a plan was dropped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{symbol} was not removed: {reason}")]
pub struct RemovalProblem {
    /// The symbol of the plan.
    pub symbol: SymbolId,
    /// Why.
    pub reason: String,
}

/// Carries out a plan. A plan is never refused as a whole: an action that cannot be carried out is
/// dropped and told in `problems`.
pub fn remove(project: &Project<'_>, plan: &RemovalPlan) -> Removal {
    let mut actions = plan.actions.clone();
    let mut problems = impossible(project, &actions);
    loop {
        actions.retain(|id, _| !problems.iter().any(|problem| problem.symbol == *id));
        let leaving = Leaving::new(project, &actions, plan);
        match carry_out(project, &leaving) {
            Ok(files) => return report(project, &leaving, files, problems),
            Err(found) => {
                let helps = found
                    .iter()
                    .any(|problem| actions.contains_key(&problem.symbol));
                problems.extend(found);
                if !helps {
                    return Removal {
                        problems,
                        ..Removal::default()
                    };
                }
            }
        }
    }
}

/// Actions that fail whatever else is done.
fn impossible(project: &Project<'_>, actions: &BTreeMap<SymbolId, Action>) -> Vec<RemovalProblem> {
    let reason = |id: &SymbolId, action: Action| {
        let Some(symbol) = project.symbol(id) else {
            return Some("there is no such symbol");
        };
        let Some(file) = project.file(id.path()) else {
            return Some("its file is not known");
        };
        let has_body = symbol.kind.is_callable() && symbol.body.is_some();
        match action {
            Action::Stub { .. } if !has_body => {
                Some("only a function can become a stub; delete it")
            }
            Action::Stub { .. } if file.is_editable => project.stub_refusal(id),
            Action::Delete if id.is_module() => None,
            _ if !file.is_editable => Some("its file has syntax errors or unreadable bytes"),
            _ => None,
        }
    };
    let problem = |(id, action): (&SymbolId, &Action)| {
        let reason = reason(id, *action)?.to_owned();
        Some(RemovalProblem {
            symbol: id.clone(),
            reason,
        })
    };
    actions.iter().filter_map(problem).collect()
}

/// What a file that must be there holds when nothing of it is left; formatters want a line.
fn empty(project: &Project<'_>, path: &str) -> Vec<u8> {
    let text = project.analysis.source(path);
    let is_long = text.is_some_and(|text| {
        let mut lines = text.bytes().split_inclusive(|byte| *byte == b'\n');
        lines.next().is_some_and(|line| line.ends_with(b"\r\n"))
    });
    if is_long {
        b"\r\n".to_vec()
    } else {
        b"\n".to_vec()
    }
}

type NewFiles = BTreeMap<String, Option<Vec<u8>>>;

/// The new files, or the actions that cannot be carried out.
fn carry_out(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
) -> Result<NewFiles, Vec<RemovalProblem>> {
    let mut files = NewFiles::new();
    let mut problems = Vec::new();
    for path in leaving.touched() {
        if leaving.is_gone(path) {
            let stays = project.analysis.is_asked_for(path) || leaving.keeps_place(path);
            files.insert(path.to_owned(), stays.then(|| empty(project, path)));
            continue;
        }
        match edit(project, leaving, path) {
            Ok(Some(bytes)) if bytes.is_empty() => {
                files.insert(path.to_owned(), emptied(project, leaving, path));
            }
            Ok(Some(bytes)) => {
                files.insert(path.to_owned(), Some(bytes));
            }
            Ok(None) => {}
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() {
        Ok(files)
    } else {
        Err(problems)
    }
}

/// What a file becomes in which nothing is left: none if nobody takes it in any more.
fn emptied(project: &Project<'_>, leaving: &Leaving<'_>, path: &str) -> Option<Vec<u8>> {
    let rules = project.rules(path);
    // An empty file of declarations would hide the code that they declare.
    if rules.is_some_and(|rules| rules.definitions_of(path).is_some()) {
        return None;
    }
    let is_declared = rules.is_some_and(|rules| rules.declares_files());
    let is_asked_for = project.analysis.is_asked_for(path) || leaving.keeps_place(path);
    let is_gone = is_declared && leaving.is_deleted(&SymbolId::module(path));
    match is_asked_for || is_declared {
        true if is_gone && !is_asked_for => None,
        true => Some(empty(project, path)),
        false => Some(Vec::new()),
    }
}

fn edit(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    path: &str,
) -> Result<Option<Vec<u8>>, Vec<RemovalProblem>> {
    let cut = project.file(path).map(|file| leaving.loss(file));
    let Some(cut) = cut.and_then(|loss| project.cut(path, loss)) else {
        return Ok(None);
    };
    let problem = |symbol: &SymbolId, reason: &str| RemovalProblem {
        symbol: symbol.clone(),
        reason: reason.to_owned(),
    };
    let refusals = cut.cutting.refusals.iter();
    let refused: Vec<_> = refusals
        .map(|refusal| problem(&refusal.symbol, refusal.reason))
        .collect();
    if !refused.is_empty() {
        return Err(leaving.blame(refused));
    }
    let Some(bytes) = cut.new_bytes() else {
        let culprits = leaving.causes(path);
        return Err(culprits
            .iter()
            .map(|id| problem(id, "the file would not parse any more"))
            .collect());
    };
    Ok((bytes != cut.old_bytes()).then_some(bytes))
}

/// A text that is no code without the examples that are run as a test; `None` if it has none.
pub fn without_examples(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = SourceText::new(None, &bytes.into());
    let cuts = grammars::Language::ALL
        .iter()
        .map(|language| lang::rules(*language).examples_in_text(text.shadow()))
        .find(|cuts| !cuts.is_empty())?;
    let edits: Vec<Edit> = cuts
        .into_iter()
        .map(|range| Edit {
            range,
            text: String::new(),
        })
        .collect();
    Some(apply(bytes, &edits))
}

fn report(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    files: NewFiles,
    mut problems: Vec<RemovalProblem>,
) -> Removal {
    problems.sort();
    problems.dedup();
    Removal {
        removed_lines: removed_lines(project, &files),
        removed: leaving.removed(),
        orphaned: leaving.orphaned(),
        imports: leaving.import_items(),
        exports: leaving.export_names(),
        problems,
        files,
    }
}

fn removed_lines(project: &Project<'_>, files: &NewFiles) -> usize {
    use crate::patch::{Change, File, Patch};
    let changes = files.iter().map(|(path, new)| Change {
        path: path.clone(),
        old: project
            .analysis
            .source(path)
            .map(|text| File::regular(text.bytes())),
        new: new.clone().map(File::regular),
    });
    Patch::between(changes).line_counts().removed
}

/// The part of a symbol that a call runs, without its documentation if that stays.
fn body_of(symbol: &Symbol, keep_doc: bool) -> Option<std::ops::Range<usize>> {
    let body = symbol.body.clone()?;
    let start = symbol
        .doc
        .as_ref()
        .filter(|doc| keep_doc && body.start <= doc.start)
        .map_or(body.start, |doc| doc.end);
    Some(start..body.end)
}

#[cfg(test)]
mod tests;
