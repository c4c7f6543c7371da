//! Repair: what a language's own tools say about a starting tree, turned into lessons.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::symbol::SymbolId;
use analyzer::trace::FailureDetail;
use analyzer::{Analysis, AnalysisHost, Change};
use extractors::removal::{Action, Removal, RemovalPlan};

use super::draft::Draft;
use super::evidence::{Scenario, TreeState, Unexpected};
use super::search::{Lessons, Search, list, one_line, stub};
use super::{CarveError, Event, blame};
use crate::checker::{self, Diagnostic};

/// What is there for nothing in a starting tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// By path, indices of the imports of the full tree's file.
    imports: BTreeMap<String, BTreeSet<usize>>,
    definitions: BTreeSet<SymbolId>,
}

impl Unused {
    /// Adds more; whether anything was new.
    pub fn extend(&mut self, more: Self) -> bool {
        let before = self.clone();
        for (path, indices) in more.imports {
            self.imports.entry(path).or_default().extend(indices);
        }
        self.definitions.extend(more.definitions);
        *self != before
    }

    /// A plan that takes all of it out, too.
    pub fn added_to(&self, mut plan: RemovalPlan) -> RemovalPlan {
        plan.imports.clone_from(&self.imports);
        for id in &self.definitions {
            plan.actions.entry(id.clone()).or_insert(Action::Delete);
        }
        plan
    }
}

impl Search<'_> {
    /// Checks the tree that a solver would see, for languages where that can fail, and learns from it;
    /// whether there was anything to learn.
    pub(super) fn repair(
        &mut self,
        attempt: &Draft,
        before: &[Diagnostic],
        lessons: &mut Lessons,
    ) -> Result<bool, CarveError> {
        if !self.session.has_checker() {
            return Ok(false);
        }
        let pieces = attempt.suspects.iter();
        let pieces = pieces.filter_map(|&index| self.study.pieces.own(index).cloned());
        let starting = self.starting(attempt, &pieces.collect())?;
        let found = new_ones(self.session.check(&starting.files)?, before);
        if found.is_empty() {
            return Ok(false);
        }
        let nothing_needs = unused(&self.study.analysis, &starting, &found);
        let details: Vec<FailureDetail> = found.iter().map(failure).collect();
        let examples = found
            .iter()
            .zip(&details)
            .map(|(diagnostic, detail)| Unexpected {
                id: format!("{}:{}", diagnostic.path, diagnostic.line),
                reason: one_line(detail),
            });
        let mut scenario = Scenario {
            bad: found.len(),
            examples: examples.take(20).collect(),
            removed_symbols: attempt.removal.removed.len(),
            ..Scenario::new(TreeState::Built, false)
        };
        scenario.decision = if lessons.premises.unused.extend(nothing_needs) {
            "what is there for nothing now leaves, too".to_owned()
        } else {
            let removed = attempt.removal.removed.iter().cloned().collect();
            let owner = |path: &str, line: u32| crate::study::symbol_at(&starting, path, line);
            let failures: Vec<&FailureDetail> = details.iter().collect();
            let culprits = blame::culprits(&failures, &removed, &owner);
            match keep(attempt, culprits, lessons) {
                Some(decision) => decision,
                // Only complaints that stand in nobody's way are left.
                None if found.iter().all(|diagnostic| !diagnostic.is_error) => return Ok(false),
                None => {
                    let culprits = self.bisect_build(attempt, before)?;
                    let decision = format!("needed to build, protected: {}", list(&culprits));
                    lessons.premises.options.exclude.extend(culprits);
                    decision
                }
            }
        };
        (self.report)(Event::RolledBack {
            decision: &scenario.decision,
        });
        self.evidence.scenarios.push(scenario);
        Ok(true)
    }

    /// Finds a symbol whose return lets the tree be built again, by halving the removed symbols.
    fn bisect_build(
        &mut self,
        attempt: &Draft,
        before: &[Diagnostic],
    ) -> Result<BTreeSet<SymbolId>, CarveError> {
        let mut suspects: Vec<SymbolId> = attempt.plan.actions.keys().cloned().collect();
        while suspects.len() > 1 {
            let half = suspects.split_off(suspects.len() / 2);
            let lighter = Draft {
                feature: attempt.feature.clone(),
                removal: Removal::default(),
                suspects: attempt.suspects.clone(),
                plan: attempt.without(&half),
            };
            let pieces = lighter.suspects.iter();
            let pieces = pieces.filter_map(|&index| self.study.pieces.own(index).cloned());
            let starting = self.starting(&lighter, &pieces.collect())?;
            let found = new_ones(self.session.check(&starting.files)?, before);
            if !found.iter().any(|diagnostic| diagnostic.is_error) {
                suspects = half;
            }
        }
        Ok(suspects.into_iter().collect())
    }
}

/// Symbols that the tree cannot be built without become stubs; those that are stubs already stay.
fn keep(attempt: &Draft, culprits: BTreeSet<SymbolId>, lessons: &mut Lessons) -> Option<String> {
    if culprits.is_empty() {
        return None;
    }
    stub(attempt, &culprits, lessons).or_else(|| {
        let decision = format!("needed to build, protected: {}", list(&culprits));
        lessons.premises.options.exclude.extend(culprits);
        Some(decision)
    })
}

/// The complaints that are not among those about the full tree. A place counts for nothing, for lines
/// move.
pub(super) fn new_ones(found: Vec<Diagnostic>, before: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut known: Vec<(&str, &str)> = before
        .iter()
        .map(|diagnostic| (&*diagnostic.path, &*diagnostic.message))
        .collect();
    let mut is_new = |diagnostic: &Diagnostic| {
        let place = known
            .iter()
            .position(|known| *known == (&*diagnostic.path, &*diagnostic.message));
        place.map(|place| known.swap_remove(place)).is_none()
    };
    found
        .into_iter()
        .filter(|diagnostic| is_new(diagnostic))
        .collect()
}

/// A complaint as the failure of a run.
pub(super) fn failure(diagnostic: &Diagnostic) -> FailureDetail {
    FailureDetail {
        exception: String::new(),
        message: diagnostic.message.clone(),
        frames: vec![(diagnostic.path.clone(), diagnostic.line, String::new())],
    }
}

/// What the complaints call unused, as it is called in the full tree.
pub(super) fn unused(analysis: &Analysis, starting: &Removal, found: &[Diagnostic]) -> Unused {
    let mut unused = Unused::default();
    for diagnostic in found {
        let path = &diagnostic.path;
        let Some(edited) = Edited::new(analysis, starting, path) else {
            continue;
        };
        match diagnostic.unused {
            Some(checker::Unused::Import) => {
                let indices = edited.imports_at(analysis, diagnostic);
                unused
                    .imports
                    .entry(path.clone())
                    .or_default()
                    .extend(indices);
            }
            Some(checker::Unused::Definition) => {
                unused
                    .definitions
                    .extend(edited.definition_at(analysis, diagnostic));
            }
            None => {}
        }
    }
    unused.imports.retain(|_, indices| !indices.is_empty());
    unused
}

/// A file of the starting tree, read by itself.
struct Edited {
    path: String,
    analysis: Analysis,
}

impl Edited {
    fn new(full: &Analysis, starting: &Removal, path: &str) -> Option<Self> {
        let bytes: Arc<[u8]> = match starting.files.get(path) {
            Some(bytes) => Arc::from(bytes.as_ref()?.as_slice()),
            None => Arc::from(full.source(path)?.bytes()),
        };
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: vec![(path.to_owned(), Some(bytes))],
            trace: None,
        });
        Some(Self {
            path: path.to_owned(),
            analysis: host.analysis(),
        })
    }

    fn offset(&self, diagnostic: &Diagnostic) -> Option<usize> {
        let source = self.analysis.source(&self.path)?;
        let lines = source.bytes().split_inclusive(|&byte| byte == b'\n');
        let start: usize = lines
            .take((diagnostic.line as usize).saturating_sub(1))
            .map(<[u8]>::len)
            .sum();
        Some(start + (diagnostic.column as usize).saturating_sub(1))
    }

    /// The imports of the full tree's file that are written like the ones at a place.
    fn imports_at(&self, full: &Analysis, diagnostic: &Diagnostic) -> Vec<usize> {
        let Some(offset) = self.offset(diagnostic) else {
            return Vec::new();
        };
        let imports = self.analysis.imports(&self.path);
        let exact = imports
            .iter()
            .filter(|import| import.item.contains(&offset));
        let mut bound: Vec<&str> = exact.map(|import| &*import.bound).collect();
        if bound.is_empty() {
            let around = imports
                .iter()
                .filter(|import| import.statement.contains(&offset));
            bound = around.map(|import| &*import.bound).collect();
        }
        let of_full = full.imports(&self.path);
        let same = of_full
            .iter()
            .enumerate()
            .filter(|(_, import)| bound.contains(&&*import.bound));
        same.map(|(index, _)| index).collect()
    }

    /// The symbol whose name stands at a place, if the full tree has it.
    fn definition_at(&self, full: &Analysis, diagnostic: &Diagnostic) -> Option<SymbolId> {
        let offset = self.offset(diagnostic)?;
        let symbols = self.analysis.symbols(&self.path);
        let symbol = symbols
            .iter()
            .find(|symbol| symbol.focus.contains(&offset))?;
        full.symbol(&symbol.id).map(|symbol| symbol.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(line: u32, column: u32, unused: Option<checker::Unused>) -> Diagnostic {
        Diagnostic {
            path: "m.py".to_owned(),
            line,
            column,
            is_error: false,
            unused,
            message: format!("in {column}"),
        }
    }

    #[test]
    fn complaints_about_the_full_tree_are_no_news_wherever_they_have_moved() {
        let before = [diagnostic(1, 1, None)];
        let found = vec![
            diagnostic(7, 1, None),
            diagnostic(8, 1, None),
            diagnostic(9, 2, None),
        ];
        let new: Vec<u32> = new_ones(found, &before)
            .iter()
            .map(|one| one.line)
            .collect();
        assert_eq!(new, [8, 9]);
    }

    #[test]
    fn what_is_unused_is_found_by_its_place_in_the_starting_tree() {
        let text = "import a\nimport b, c\ndef f(): pass\ndef g(): pass\n";
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: vec![("m.py".to_owned(), Some(Arc::from(text.as_bytes())))],
            trace: None,
        });
        let analysis = host.analysis();
        let starting = Removal {
            files: [(
                "m.py".to_owned(),
                Some(b"import b, c\ndef g(): pass\n".to_vec()),
            )]
            .into(),
            ..Removal::default()
        };
        let found = [
            diagnostic(1, 11, Some(checker::Unused::Import)),
            diagnostic(2, 5, Some(checker::Unused::Definition)),
        ];
        let unused = unused(&analysis, &starting, &found);
        assert_eq!(unused.imports, [("m.py".to_owned(), [2].into())].into());
        assert_eq!(unused.definitions, [SymbolId::parse("m.py::g")].into());
    }
}
