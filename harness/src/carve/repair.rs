//! Repair: what a language's own tools say about a starting tree, turned into lessons.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::occurrence::Import;
use analyzer::symbol::{SymbolId, SymbolKind};
use analyzer::trace::FailureDetail;
use analyzer::{Analysis, AnalysisHost, Change};
use extractors::removal::{self, Action, Removal, RemovalPlan};

use super::draft::Draft;
use super::evidence::{Scenario, TreeState, Unexpected};
use super::pieces::Piece;
use super::search::{Lessons, Search, list, one_line, stub};
use super::{CarveError, Event, blame};
use crate::checker::{self, Diagnostic};

/// What is there for nothing in a starting tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// By path, indices of the imports of the full tree's file.
    imports: BTreeMap<String, BTreeSet<usize>>,
    /// Those that were missed when they were gone.
    missed: BTreeMap<String, BTreeSet<usize>>,
    /// Those of them that are called unused all the same: tests alone need them, perhaps.
    silenced_imports: BTreeMap<String, BTreeSet<usize>>,
    definitions: BTreeSet<SymbolId>,
    /// Definitions that stay although nothing uses them until the feature is back.
    silenced: BTreeSet<SymbolId>,
}

impl Unused {
    /// Adds more; whether anything was new.
    fn extend(&mut self, more: Self) -> bool {
        let before = self.clone();
        for (path, indices) in more.imports {
            let missed = self.missed.get(&path);
            let is_missed = |index: &usize| missed.is_some_and(|missed| missed.contains(index));
            let (silenced, unused): (BTreeSet<_>, BTreeSet<_>) =
                indices.into_iter().partition(is_missed);
            if !silenced.is_empty() {
                let all = self.silenced_imports.entry(path.clone()).or_default();
                all.extend(silenced);
            }
            self.imports.entry(path).or_default().extend(unused);
        }
        let definitions = more.definitions.into_iter();
        let useless = definitions.filter(|id| !self.silenced.contains(id));
        self.definitions.extend(useless);
        self.silenced.extend(more.silenced);
        *self != before
    }

    /// Lets definitions stay that the code cannot do without, after all.
    pub(super) fn spare(&mut self, needed: &BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
        let spared: BTreeSet<SymbolId> = self.definitions.intersection(needed).cloned().collect();
        self.definitions.retain(|id| !spared.contains(id));
        self.silenced.extend(spared.iter().cloned());
        spared
    }

    /// Lets imports stay that code asks for by name, after all: those that a complaint about their file
    /// quotes. Gives their names.
    fn spare_imports(&mut self, full: &Analysis, found: &[Diagnostic]) -> BTreeSet<String> {
        let mut spared = BTreeSet::new();
        for complaint in found.iter().filter(|complaint| complaint.is_error) {
            let quoted: Vec<&str> = complaint.message.split('`').skip(1).step_by(2).collect();
            let imports = full.imports(&complaint.path);
            let Some(gone) = self.imports.get_mut(&complaint.path) else {
                continue;
            };
            gone.retain(|index| match imports.get(*index) {
                Some(import) if quoted.contains(&&*import.bound) => {
                    let missed = self.missed.entry(complaint.path.clone());
                    missed.or_default().insert(*index);
                    spared.insert(format!("{} ({})", import.bound, complaint.path));
                    false
                }
                _ => true,
            });
        }
        spared
    }

    /// A plan that takes all of it out, too.
    pub fn added_to(&self, mut plan: RemovalPlan) -> RemovalPlan {
        plan.imports.clone_from(&self.imports);
        plan.silenced_imports.clone_from(&self.silenced_imports);
        plan.silenced.clone_from(&self.silenced);
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
        lessons: &mut Lessons,
    ) -> Result<bool, CarveError> {
        if !self.session.has_checker() {
            return Ok(false);
        }
        let starting = self.checked_tree(attempt)?;
        let found = self.new_complaints(&starting, lessons)?;
        if found.is_empty() {
            return Ok(false);
        }
        let lesson = self.lesson(attempt, &starting, &found, lessons)?;
        let Some(decision) = lesson else {
            return Ok(false);
        };
        (self.report)(Event::RolledBack {
            decision: &decision,
        });
        let examples = found.iter().map(|diagnostic| Unexpected {
            id: format!("{}:{}", diagnostic.path, diagnostic.line),
            reason: one_line(&failure(diagnostic)),
        });
        self.evidence.scenarios.push(Scenario {
            bad: found.len(),
            examples: examples.take(20).collect(),
            removed_symbols: attempt.removal.removed.len(),
            decision,
            ..Scenario::new(TreeState::Built, false)
        });
        Ok(true)
    }

    /// What a solver would see if the code of every test that may fail leaves.
    fn checked_tree(&self, attempt: &Draft) -> Result<Removal, CarveError> {
        self.starting(attempt, &self.leaving_code(attempt))
    }

    /// The complaints about a tree that are not made about the full one, which is only asked about if there
    /// are any.
    fn new_complaints(
        &mut self,
        starting: &Removal,
        lessons: &mut Lessons,
    ) -> Result<Vec<Diagnostic>, CarveError> {
        let found = self.session.check(&starting.files)?;
        if found.is_empty() {
            return Ok(found);
        }
        let before = match lessons.before.take() {
            Some(before) => before,
            None => self.session.check_full(self.request.fresh)?,
        };
        let found = new_ones(found, &before);
        lessons.before = Some(before);
        Ok(found)
    }

    /// What the complaints teach, in words for a person; `None` if they teach nothing and stand in
    /// nobody's way.
    fn lesson(
        &mut self,
        attempt: &Draft,
        starting: &Removal,
        found: &[Diagnostic],
        lessons: &mut Lessons,
    ) -> Result<Option<String>, CarveError> {
        let nothing_needs = unused(&self.study.analysis, starting, found);
        if let Some(decision) = self.release(attempt, nothing_needs, lessons) {
            return Ok(Some(decision));
        }
        let unused = &mut lessons.premises.unused;
        let spared = unused.spare_imports(&self.study.analysis, found);
        if !spared.is_empty() {
            let names: Vec<String> = spared.into_iter().collect();
            return Ok(Some(format!("imported after all: {}", names.join(", "))));
        }
        let details: Vec<FailureDetail> = found.iter().map(failure).collect();
        let removed = attempt.removal.removed.iter().cloned().collect();
        let owner = |path: &str, line: u32| crate::study::symbol_at(starting, path, line);
        let failures: Vec<&FailureDetail> = details.iter().collect();
        let culprits = blame::culprits(&failures, &removed, &owner);
        if let Some(decision) = keep(attempt, culprits, lessons) {
            return Ok(Some(decision));
        }
        if found.iter().all(|diagnostic| !diagnostic.is_error) {
            return Ok(None);
        }
        let culprits = self.bisect_build(attempt, lessons)?;
        let decision = format!("needed to build, protected: {}", list(&culprits));
        lessons.premises.keep(culprits);
        Ok(Some(decision))
    }

    /// Lets what is there for nothing leave, too, but for what kept tests run and what is named
    /// somewhere all the same.
    fn release(&self, attempt: &Draft, mut found: Unused, lessons: &mut Lessons) -> Option<String> {
        let code = self.leaving_code(attempt);
        let tests = code.iter().filter_map(Piece::definition);
        let planned = attempt.plan.actions.keys().cloned();
        let stubs = planned.filter(|id| is_stub(attempt, id)).collect();
        let stays = |id: &SymbolId| {
            is_stub(attempt, id) || self.is_needed_by_type(id) || self.is_run_by_kept(attempt, id)
        };
        let definitions = std::mem::take(&mut found.definitions).into_iter();
        let (staying, useless): (BTreeSet<_>, BTreeSet<_>) = definitions.partition(stays);
        let candidates = attempt.plan.actions.keys().chain(&useless);
        let named = removal::blockers(
            self.project,
            &candidates.cloned().collect(),
            &stubs,
            &tests.cloned().collect(),
        );
        let is_named = |id: &SymbolId| named.contains_key(id);
        let (named, useless): (BTreeSet<_>, _) = useless.into_iter().partition(is_named);
        found.silenced.extend(staying);
        found.silenced.extend(named);
        found.definitions = useless;
        let leaves = !found.imports.is_empty() || !found.definitions.is_empty();
        let silenced = list(&found.silenced);
        let unused = &mut lessons.premises.unused;
        unused.extend(found).then(|| match leaves {
            true => "what is there for nothing now leaves, too".to_owned(),
            false => format!("nothing uses it until the feature is back: {silenced}"),
        })
    }

    /// Whether a symbol is a field without which its type says something else, or nothing that compiles.
    fn is_needed_by_type(&self, id: &SymbolId) -> bool {
        let analysis = &self.study.analysis;
        let field = analysis.symbol(id);
        let field = field.filter(|symbol| symbol.kind == SymbolKind::Field);
        let tree = analysis.syntax(id.path());
        field
            .zip(tree)
            .is_some_and(|(field, tree)| !analyzer::may_be_orphan(&tree, &field))
    }

    /// Whether a good test that is to stay executes a symbol.
    fn is_run_by_kept(&self, attempt: &Draft, id: &SymbolId) -> bool {
        let impact = &self.study.impact;
        let index = impact.index_of(id);
        let tests = index.and_then(|index| impact.executed_by.get(index));
        let mut tests = tests.into_iter().flat_map(|tests| tests.ones());
        tests.any(|test| self.scope.others.contains(test) && !attempt.suspects.contains(&test))
    }

    /// Finds a symbol whose return lets the tree be built again, by halving the removed symbols.
    fn bisect_build(
        &mut self,
        attempt: &Draft,
        lessons: &mut Lessons,
    ) -> Result<BTreeSet<SymbolId>, CarveError> {
        let code = self.leaving_code(attempt);
        let mut suspects: Vec<SymbolId> = attempt.plan.actions.keys().cloned().collect();
        while suspects.len() > 1 {
            let half = suspects.split_off(suspects.len() / 2);
            let starting = self.lighter(&half, &code, lessons)?;
            let found = self.new_complaints(&starting, lessons)?;
            // What is there for nothing in such a tree would leave, too.
            let is_broken = |one: &Diagnostic| one.is_error && one.unused.is_none();
            if !found.iter().any(is_broken) {
                suspects = half;
            }
        }
        Ok(suspects.into_iter().collect())
    }
}

/// Whether a symbol keeps its header in an attempt.
fn is_stub(attempt: &Draft, id: &SymbolId) -> bool {
    matches!(attempt.plan.actions.get(id), Some(Action::Stub { .. }))
}

/// Symbols that the tree cannot be built without become stubs; those that are stubs already stay.
fn keep(attempt: &Draft, culprits: BTreeSet<SymbolId>, lessons: &mut Lessons) -> Option<String> {
    if culprits.is_empty() {
        return None;
    }
    let spared = lessons.premises.unused.spare(&culprits);
    if !spared.is_empty() {
        return Some(format!("needed after all: {}", list(&spared)));
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
                match edited.definition_at(analysis, diagnostic) {
                    Some((id, true)) => unused.definitions.insert(id),
                    Some((id, false)) => unused.silenced.insert(id),
                    None => false,
                };
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

    /// The imports of the full tree's file that bind the names which the ones at a place bind, for the
    /// same scope.
    fn imports_at(&self, full: &Analysis, diagnostic: &Diagnostic) -> Vec<usize> {
        let Some(offset) = self.offset(diagnostic) else {
            return Vec::new();
        };
        let imports = self.analysis.imports(&self.path);
        let imports = imports.iter();
        let mut meant: Vec<&Import> = imports
            .clone()
            .filter(|import| import.item.contains(&offset))
            .collect();
        if meant.is_empty() {
            meant = imports
                .filter(|import| import.statement.contains(&offset))
                .collect();
        }
        let of_full = full.imports(&self.path);
        let is_meant = |import: &Import| {
            let mut meant = meant.iter();
            meant.any(|it| it.bound == import.bound && it.scope == import.scope)
        };
        let same = of_full.iter().enumerate();
        let same = same.filter(|(_, import)| is_meant(import));
        same.map(|(index, _)| index).collect()
    }

    /// The symbol whose name stands at a place (`true`), or around it, if the full tree has it.
    fn definition_at(&self, full: &Analysis, diagnostic: &Diagnostic) -> Option<(SymbolId, bool)> {
        let offset = self.offset(diagnostic)?;
        let symbols = self.analysis.symbols(&self.path);
        let named = symbols.iter().find(|it| it.focus.contains(&offset));
        let around = symbols
            .iter()
            .filter(|it| !it.id.is_module() && it.full.contains(&offset));
        let found = named.or_else(|| around.min_by_key(|it| it.full.len()))?;
        let id = full.symbol(&found.id)?.id;
        Some((id, named.is_some()))
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
            diagnostic(2, 8, Some(checker::Unused::Definition)),
        ];
        let unused = unused(&analysis, &starting, &found);
        assert_eq!(unused.imports, [("m.py".to_owned(), [2].into())].into());
        assert_eq!(unused.definitions, [SymbolId::parse("m.py::g")].into());
        assert_eq!(unused.silenced, [SymbolId::parse("m.py::g")].into());
    }

    #[test]
    fn an_unused_import_is_that_of_its_scope_and_comes_back_when_it_is_missed() {
        let text = "use a::X;\nmod inner {\n    use a::X;\n    fn f(_: X) {}\n}\n";
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: vec![("src/lib.rs".to_owned(), Some(Arc::from(text.as_bytes())))],
            trace: None,
        });
        let full = host.analysis();
        let complaint = |line, column, unused: Option<checker::Unused>, message: &str| Diagnostic {
            path: "src/lib.rs".to_owned(),
            message: message.to_owned(),
            is_error: unused.is_none(),
            ..diagnostic(line, column, unused)
        };
        let import = Some(checker::Unused::Import);
        let of_full = Removal::default();
        let mut outer = unused(&full, &of_full, &[complaint(1, 5, import, "")]);
        assert_eq!(
            outer.imports,
            [("src/lib.rs".to_owned(), [0].into())].into()
        );
        let inner = unused(&full, &of_full, &[complaint(3, 9, import, "")]);
        assert_eq!(
            inner.imports,
            [("src/lib.rs".to_owned(), [1].into())].into()
        );
        let missed = complaint(4, 13, None, "cannot find type `X` in this scope");
        let spared = outer.spare_imports(&full, &[missed]);
        assert_eq!(spared, ["X (src/lib.rs)".to_owned()].into());
        assert_eq!(outer.imports, [("src/lib.rs".to_owned(), [].into())].into());
        // In another build it is unused all the same.
        let again = unused(&full, &of_full, &[complaint(1, 5, import, "")]);
        assert!(outer.extend(again.clone()) && !outer.extend(again));
        let plan = outer.added_to(RemovalPlan::default());
        assert_eq!(plan.imports, [("src/lib.rs".to_owned(), [].into())].into());
        assert_eq!(
            plan.silenced_imports,
            [("src/lib.rs".to_owned(), [0].into())].into()
        );
    }
}
