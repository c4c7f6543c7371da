//! What leaves with a plan: the symbols, and the imports, exports and private variables that are
//! there for them alone, to a fixpoint.

mod effects;
mod places;
mod unused;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use analyzer::occurrence::Reference;
use analyzer::symbol::{Symbol, SymbolId};

use super::project::{Project, ProjectFile};
use super::{Action, RemovalPlan, body_of};
use crate::family::principal;

/// The range of a file that goes.
const WHOLE_FILE: Range<usize> = 0..usize::MAX;

/// Everything that leaves.
pub(super) struct Leaving<'a> {
    project: &'a Project<'a>,
    /// The symbols of the plan.
    planned: BTreeSet<SymbolId>,
    /// Symbols whose definitions go, outermost ones only; with families and orphans.
    deleted: BTreeSet<SymbolId>,
    stubs: BTreeMap<SymbolId, bool>,
    /// Symbols of the plan that lose their examples only.
    examples: BTreeSet<SymbolId>,
    /// Symbols that stay and are marked as used by nothing.
    silenced: BTreeSet<SymbolId>,
    /// Symbols that stay whatever uses them.
    kept: BTreeSet<SymbolId>,
    /// Files in which test code keeps its place.
    marked: BTreeSet<String>,
    orphans: BTreeSet<SymbolId>,
    /// By path: indices of the file's imports.
    imports: BTreeMap<&'a str, BTreeSet<usize>>,
    /// The same of those that stay for code which this build leaves out, or for tests, and which nothing else
    /// uses.
    silenced_imports: BTreeMap<&'a str, BTreeSet<usize>>,
    /// By path: the definitions and bodies that go.
    ranges: BTreeMap<&'a str, Vec<Range<usize>>>,
    /// By path: everything that the edits replace.
    edited: BTreeMap<&'a str, Vec<Range<usize>>>,
}

impl<'a> Leaving<'a> {
    /// What leaves with some actions, those of a plan that can be carried out.
    pub fn new(
        project: &'a Project<'a>,
        actions: &BTreeMap<SymbolId, Action>,
        plan: &RemovalPlan,
    ) -> Self {
        let mut leaving = Self::of_actions(project, actions);
        leaving.kept.clone_from(&plan.kept);
        leaving.marked.clone_from(&plan.marked);
        for (path, indices) in &plan.imports {
            if let Some(file) = project.file(path) {
                let indices = indices.iter().copied();
                let (stay, leave) = indices.partition(|it| {
                    leaving.has_conditional_use(file, *it)
                        || leaving.is_for_tests(file, *it)
                        || leaving.is_linked(file, *it)
                });
                leaving.imports.insert(&file.path, leave);
                leaving.silenced_imports.insert(&file.path, stay);
            }
        }
        for (path, indices) in &plan.silenced_imports {
            if let Some(file) = project.file(path) {
                let silenced = leaving.silenced_imports.entry(&file.path).or_default();
                silenced.extend(indices);
            }
        }
        // What becomes empty goes, too, and with it the last use of something, perhaps.
        loop {
            leaving.settle();
            let before = leaving.size();
            leaving.take_edits();
            leaving.settle();
            if leaving.size() == before {
                break;
            }
        }
        let stay = plan.silenced.iter().filter(|id| !leaving.is_deleted(id));
        leaving.silenced = stay.cloned().collect();
        if !plan.is_never_built {
            leaving.silence_idle();
        }
        leaving
    }

    /// What the actions say, without the imports and variables that follow.
    pub fn of_actions(project: &'a Project<'a>, actions: &BTreeMap<SymbolId, Action>) -> Self {
        let mut leaving = Self {
            project,
            planned: actions.keys().cloned().collect(),
            deleted: BTreeSet::new(),
            stubs: BTreeMap::new(),
            examples: BTreeSet::new(),
            silenced: BTreeSet::new(),
            kept: BTreeSet::new(),
            marked: BTreeSet::new(),
            orphans: BTreeSet::new(),
            imports: BTreeMap::new(),
            silenced_imports: BTreeMap::new(),
            ranges: BTreeMap::new(),
            edited: BTreeMap::new(),
        };
        leaving.take_actions(actions);
        leaving
    }

    fn take_actions(&mut self, actions: &BTreeMap<SymbolId, Action>) {
        let deleted =
            |(id, action): (&SymbolId, &Action)| (*action == Action::Delete).then(|| id.clone());
        let deleted = with_families(self.project, actions.iter().filter_map(deleted).collect());
        let deleted = self.project.outermost(&with_twins(self.project, deleted));
        deleted.iter().for_each(|id| self.delete(id));
        for (id, action) in actions {
            let Action::Stub { keep_doc } = action else {
                continue;
            };
            let Some(symbol) = self
                .project
                .symbol(id)
                .filter(|symbol| !self.covers(id.path(), &symbol.full))
            else {
                continue;
            };
            let Some(body) = body_of(symbol, *keep_doc) else {
                continue;
            };
            self.stubs.insert(id.clone(), *keep_doc);
            self.add_range(id.path(), body);
        }
        let (ranges, stubs) = (&self.ranges, &mut self.stubs);
        // A stub or a definition inside the body of another stub is gone already; a module is in none.
        let is_inside = |id: &SymbolId| {
            let symbol = self.project.symbol(id).filter(|_| !id.is_module());
            let ranges = ranges.get(id.path()).map(Vec::as_slice).unwrap_or_default();
            symbol.is_some_and(|symbol| {
                ranges
                    .iter()
                    .any(|range| holds(range, &symbol.full) && *range != symbol.full)
            })
        };
        stubs.retain(|id, _| !is_inside(id));
        let swallowed: Vec<_> = self
            .deleted
            .iter()
            .filter(|id| is_inside(id))
            .cloned()
            .collect();
        swallowed.iter().for_each(|id| {
            self.deleted.remove(id);
        });
        self.examples = actions
            .iter()
            .filter(|(_, action)| **action == Action::CutExamples)
            .map(|(id, _)| id.clone())
            .collect();
    }

    /// How much follows from the actions.
    fn size(&self) -> usize {
        self.imports.values().map(BTreeSet::len).sum::<usize>() + self.orphans.len()
    }

    /// Lets everything go that the edits take out.
    fn take_edits(&mut self) {
        let project = self.project;
        let edits = |path: &str| {
            let file = project.file(path).filter(|_| !self.is_gone(path))?;
            let cut = project.cut(path, self.loss(file))?;
            let edits = cut.cutting.edits.iter();
            Some((&*file.path, edits.map(|edit| edit.range.clone()).collect()))
        };
        let edited: Vec<_> = self.touched().into_iter().filter_map(edits).collect();
        self.edited.extend(edited);
    }

    fn delete(&mut self, id: &SymbolId) {
        let Some(symbol) = self.project.symbol(id) else {
            return;
        };
        self.deleted.insert(id.clone());
        let full = if id.is_module() {
            WHOLE_FILE
        } else {
            symbol.full.clone()
        };
        self.add_range(id.path(), full);
    }

    fn add_range(&mut self, path: &str, range: Range<usize>) {
        let Some(file) = self.project.file(path) else {
            return;
        };
        self.ranges.entry(&file.path).or_default().push(range);
    }

    /// Whether a range goes.
    fn covers(&self, path: &str, range: &Range<usize>) -> bool {
        let ranges = self
            .ranges
            .get(path)
            .into_iter()
            .chain(self.edited.get(path))
            .flatten();
        ranges.into_iter().any(|gone| holds(gone, range))
    }

    /// Whether a reference stays.
    pub fn stays(&self, (file, reference): (&ProjectFile, &Reference)) -> bool {
        !self.covers(&file.path, &reference.range)
    }

    pub fn is_gone(&self, path: &str) -> bool {
        let mut ranges = self.ranges.get(path).into_iter().flatten();
        ranges.any(|range| *range == WHOLE_FILE)
    }

    /// Whether the definition of a symbol goes.
    pub fn is_deleted(&self, id: &SymbolId) -> bool {
        self.is_gone(id.path())
            || self
                .project
                .symbol(id)
                .is_some_and(|symbol| self.covers(id.path(), &symbol.full))
    }

    /// The files that lose something, and those of which the lost code uses something without an import.
    pub fn concerned(&self) -> BTreeSet<&'a str> {
        let losing: BTreeSet<&str> = self
            .ranges
            .keys()
            .chain(self.imports.keys())
            .copied()
            .collect();
        let lost = losing
            .iter()
            .filter_map(|path| self.project.file(path))
            .flat_map(|file| {
                file.references
                    .iter()
                    .map(move |reference| (file, reference))
            })
            .filter(|(file, reference)| {
                reference.through.is_none() && !self.stays((file, reference))
            });
        let meant = lost.flat_map(|(_, reference)| reference.targets.iter());
        let others: BTreeSet<&str> = meant.map(|target| target.symbol.path()).collect();
        let others = others
            .into_iter()
            .filter_map(|path| self.project.file(path));
        losing
            .iter()
            .copied()
            .chain(others.map(|file| &*file.path))
            .collect()
    }

    fn are_deleted(&self, ids: &[SymbolId]) -> bool {
        !ids.is_empty() && ids.iter().all(|id| self.is_deleted(id))
    }

    /// Drops imports and private variables until nothing more is left without a use.
    fn settle(&mut self) {
        loop {
            let imports = self.unused_imports();
            let variables = self.unused_variables();
            if imports.is_empty() && variables.is_empty() {
                return;
            }
            for (path, index) in imports {
                self.imports.entry(path).or_default().insert(index);
            }
            for id in variables {
                self.delete(&id);
                self.orphans.insert(id);
            }
        }
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Adds the definitions in files of declarations that stand for nothing without the ones given.
fn with_twins(project: &Project<'_>, mut ids: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
    let paths: BTreeSet<&str> = ids.iter().map(SymbolId::path).collect();
    let twins = paths.into_iter().filter_map(|path| project.twin(path));
    let symbols = twins
        .filter(|file| file.is_editable)
        .flat_map(|file| file.symbols.iter());
    let leaves = |id: &SymbolId| project.chain(id).any(|id| ids.contains(id));
    let follows = |symbol: &&Symbol| {
        let mut originals = project.originals(&symbol.id).peekable();
        originals.peek().is_some() && originals.all(leaves)
    };
    let followers: Vec<SymbolId> = symbols
        .filter(follows)
        .map(|symbol| symbol.id.clone())
        .collect();
    ids.extend(followers);
    ids
}

/// Adds the definitions that make no sense without the ones given.
pub(super) fn with_families(project: &Project<'_>, ids: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
    let ids = project.attached.with_members(ids);
    let paths: BTreeSet<&str> = ids.iter().map(SymbolId::path).collect();
    let symbols = paths
        .into_iter()
        .filter_map(|path| project.file(path))
        .flat_map(|file| file.symbols.iter());
    let members = symbols
        .filter(|symbol| ids.contains(&principal(&symbol.id)))
        .map(|symbol| symbol.id.clone());
    let members: Vec<SymbolId> = members.collect();
    ids.into_iter().chain(members).collect()
}
