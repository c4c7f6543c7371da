//! What leaves with a plan: the symbols, and the imports, exports and private variables that are
//! there for them alone, to a fixpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use analyzer::occurrence::{Import, Reference};
use analyzer::symbol::{Symbol, SymbolId};
use grammars::SyntaxTree;

use super::project::{Project, ProjectFile};
use super::{Action, RemovalProblem, body_of};
use crate::family::principal;
use crate::lang::{self, Cuts};

/// Everything that leaves.
pub(super) struct Leaving<'a> {
    project: &'a Project<'a>,
    /// The symbols of the plan.
    planned: BTreeSet<SymbolId>,
    /// Symbols whose definitions go, outermost ones only; with families and orphans.
    deleted: BTreeSet<SymbolId>,
    stubs: BTreeMap<SymbolId, bool>,
    orphans: BTreeSet<SymbolId>,
    /// By path: indices of the file's imports.
    imports: BTreeMap<&'a str, BTreeSet<usize>>,
    /// By path: the definitions and bodies that go.
    ranges: BTreeMap<&'a str, Vec<Range<usize>>>,
    /// By path: everything that the edits replace.
    edited: BTreeMap<&'a str, Vec<Range<usize>>>,
}

impl<'a> Leaving<'a> {
    /// What leaves with some actions.
    pub fn new(project: &'a Project<'a>, actions: &BTreeMap<SymbolId, Action>) -> Self {
        let mut leaving = Self::of_actions(project, actions);
        // What becomes empty goes, too, and with it the last use of something, perhaps.
        loop {
            leaving.settle();
            let before = leaving.size();
            leaving.take_edits();
            leaving.settle();
            if leaving.size() == before {
                return leaving;
            }
        }
    }

    /// What the actions say, without the imports and variables that follow.
    pub fn of_actions(project: &'a Project<'a>, actions: &BTreeMap<SymbolId, Action>) -> Self {
        let mut leaving = Self {
            project,
            planned: actions.keys().cloned().collect(),
            deleted: BTreeSet::new(),
            stubs: BTreeMap::new(),
            orphans: BTreeSet::new(),
            imports: BTreeMap::new(),
            ranges: BTreeMap::new(),
            edited: BTreeMap::new(),
        };
        leaving.take_actions(actions);
        leaving
    }

    fn take_actions(&mut self, actions: &BTreeMap<SymbolId, Action>) {
        let deleted =
            |(id, action): (&SymbolId, &Action)| (*action == Action::Delete).then(|| id.clone());
        let deleted = self.project.outermost(&with_families(
            self.project,
            actions.iter().filter_map(deleted).collect(),
        ));
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
        // A stub or a definition inside the body of another stub is gone already.
        let is_inside = |id: &SymbolId| {
            let symbol = self.project.symbol(id);
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
    }

    /// How much follows from the actions.
    fn size(&self) -> usize {
        self.imports.values().map(BTreeSet::len).sum::<usize>() + self.orphans.len()
    }

    /// Lets everything go that the edits take out.
    fn take_edits(&mut self) {
        for path in self.touched() {
            let Some(tree) = self
                .project
                .analysis
                .syntax(&path)
                .filter(|_| !self.is_gone(&path))
            else {
                continue;
            };
            let symbols = self.project.analysis.symbols(&path);
            let edits = lang::rules(tree.language())
                .cut(&self.cuts(&tree, &symbols, &path))
                .edits;
            let Some(file) = self.project.file(&path) else {
                continue;
            };
            self.edited.insert(
                &file.path,
                edits.into_iter().map(|edit| edit.range).collect(),
            );
        }
    }

    fn delete(&mut self, id: &SymbolId) {
        let Some(symbol) = self.project.symbol(id) else {
            return;
        };
        self.deleted.insert(id.clone());
        let full = if id.is_module() {
            0..usize::MAX
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
        self.deleted.contains(&SymbolId::module(path))
    }

    /// Whether the definition of a symbol goes.
    pub fn is_deleted(&self, id: &SymbolId) -> bool {
        self.is_gone(id.path())
            || self
                .project
                .symbol(id)
                .is_some_and(|symbol| self.covers(id.path(), &symbol.full))
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

    fn unused_imports(&self) -> Vec<(&'a str, usize)> {
        let files = self
            .project
            .files
            .iter()
            .filter(|file| file.is_editable && !self.is_gone(&file.path));
        let imports =
            files.flat_map(|file| (0..file.imports.len()).map(move |index| (file, index)));
        imports
            .filter(|(file, index)| self.is_import_unused(file, *index))
            .map(|(file, index)| (&*file.path, index))
            .collect()
    }

    fn is_import_unused(&self, file: &ProjectFile, index: usize) -> bool {
        let Some(import) = file
            .imports
            .get(index)
            .filter(|import| !self.is_import_gone(file, index, import))
        else {
            return false;
        };
        let is_lost = self.are_deleted(&import.targets);
        if !is_lost
            && !self.ranges.contains_key(&*file.path)
            && !self.edited.contains_key(&*file.path)
        {
            return false;
        }
        let uses: Vec<&Reference> = uses_of(file, import).collect();
        if uses.iter().any(|reference| self.stays((file, reference))) {
            return false;
        }
        // A name that is known to be gone cannot be imported, whoever wants it.
        is_lost || (!uses.is_empty() && !self.is_import_kept(file, import))
    }

    /// Whether an import of a file goes.
    pub fn is_import_gone(&self, file: &ProjectFile, index: usize, import: &Import) -> bool {
        let dropped = self
            .imports
            .get(&*file.path)
            .is_some_and(|dropped| dropped.contains(&index));
        dropped || self.covers(&file.path, &import.statement)
    }

    /// Whether an unused import is there for others.
    fn is_import_kept(&self, file: &ProjectFile, import: &Import) -> bool {
        let tree = self.project.analysis.syntax(&file.path);
        let rules = self.project.rules(&file.path).zip(tree);
        rules.is_none_or(|(rules, tree)| rules.keeps_import(&tree, &file.path, import))
            || import.bound == "*"
            || file
                .exports
                .iter()
                .any(|export| export.name == import.bound)
            || self.has_other_definition(file, import)
            || (import.scope.is_module() && self.is_imported_from(file, &import.bound))
    }

    /// Whether a definition that stays binds the same name (a fall-back, say).
    fn has_other_definition(&self, file: &ProjectFile, import: &Import) -> bool {
        let binds = |symbol: &&Symbol| {
            symbol.container.as_ref() == Some(&import.scope) && symbol.id.name() == import.bound
        };
        file.symbols
            .iter()
            .filter(binds)
            .any(|symbol| !self.is_deleted(&symbol.id))
    }

    /// Whether another file may get a name from a file.
    fn is_imported_from(&self, file: &ProjectFile, name: &str) -> bool {
        let others = self
            .project
            .files
            .iter()
            .filter(|other| other.path != file.path && !self.is_gone(&other.path));
        others.into_iter().any(|other| {
            let imports = other.imports.iter().enumerate();
            let staying =
                imports.filter(|(index, import)| !self.is_import_gone(other, *index, import));
            staying
                .into_iter()
                .any(|(_, import)| self.may_take(other, import, file, name))
        })
    }

    fn may_take(
        &self,
        other: &ProjectFile,
        import: &Import,
        file: &ProjectFile,
        name: &str,
    ) -> bool {
        if import.targets.contains(&SymbolId::module(&file.path))
            && self.project.may_look_up(other, name)
        {
            return true;
        }
        if import.module.as_deref() != Some(&*file.path) {
            return false;
        }
        import.bound == "*" || self.imported_name(other, import) == name
    }

    /// The name that an import item asks for: what comes before its alias.
    fn imported_name(&self, file: &ProjectFile, import: &Import) -> String {
        let source = self.project.analysis.source(&file.path);
        let item = source
            .map(|text| text.slice(import.item.clone()).to_owned())
            .unwrap_or_default();
        item.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// Private variables of files that lose code, used by nothing that stays.
    fn unused_variables(&self) -> Vec<SymbolId> {
        let paths: BTreeSet<&str> = self
            .ranges
            .keys()
            .chain(self.imports.keys())
            .copied()
            .collect();
        let files = paths
            .into_iter()
            .filter_map(|path| self.project.file(path))
            .filter(|file| file.is_editable);
        let symbols = files.flat_map(|file| file.symbols.iter());
        symbols
            .filter(|symbol| self.is_variable_unused(symbol))
            .map(|symbol| symbol.id.clone())
            .collect()
    }

    fn is_variable_unused(&self, symbol: &Symbol) -> bool {
        let path = symbol.id.path();
        if !self.project.is_module_variable(symbol)
            || self.is_deleted(&symbol.id)
            || !self.is_alone(symbol)
        {
            return false;
        }
        let is_private = self
            .project
            .rules(path)
            .is_some_and(|rules| rules.is_private(symbol.id.name()));
        let is_fallback = self.is_fallback(symbol);
        if !is_private && !is_fallback {
            return false;
        }
        let namesakes: Vec<&Symbol> = self.project.namesakes(symbol).collect();
        let elsewhere = |(file, reference): &(&ProjectFile, &Reference)| {
            file.path != path
                || !namesakes
                    .iter()
                    .any(|symbol| holds(&symbol.full, &reference.range))
        };
        let mut uses = namesakes
            .iter()
            .flat_map(|symbol| self.project.uses(&symbol.id))
            .filter(elsewhere)
            .peekable();
        (uses.peek().is_some() || is_fallback)
            && uses.all(|(file, reference)| !self.stays((file, reference)))
            && !namesakes
                .iter()
                .any(|symbol| self.is_wanted_elsewhere(symbol))
    }

    /// Whether a variable only stood in for an import that goes because its target does.
    fn is_fallback(&self, symbol: &Symbol) -> bool {
        let path = symbol.id.path();
        let file = self.project.file(path);
        let imports = self.imports.get(path).into_iter().flatten();
        let mut gone = imports.filter_map(|index| file?.imports.get(*index));
        gone.any(|import| {
            import.bound == symbol.id.name()
                && import.scope.is_module()
                && self.are_deleted(&import.targets)
        })
    }

    /// Whether its statement defines no other name.
    fn is_alone(&self, symbol: &Symbol) -> bool {
        let file = self.project.file(symbol.id.path());
        file.is_some_and(|file| {
            file.symbols
                .iter()
                .filter(|other| other.full == symbol.full)
                .count()
                == 1
        })
    }

    fn is_wanted_elsewhere(&self, symbol: &Symbol) -> bool {
        let imported = self.project.files.iter().any(|file| {
            let imports = file
                .imports
                .iter()
                .enumerate()
                .filter(|(_, import)| import.targets.contains(&symbol.id));
            imports
                .into_iter()
                .any(|(index, import)| !self.is_import_gone(file, index, import))
        });
        let exports = self
            .project
            .file(symbol.id.path())
            .map(|file| file.exports.iter());
        imported
            || exports
                .into_iter()
                .flatten()
                .any(|export| export.targets.contains(&symbol.id))
    }

    /// The files that change.
    pub fn touched(&self) -> BTreeSet<String> {
        let with_exports = self.project.files.iter().filter(|file| {
            file.is_editable
                && file
                    .exports
                    .iter()
                    .any(|export| self.are_deleted(&export.targets))
        });
        let with_exports = with_exports.map(|file| &*file.path);
        self.ranges
            .keys()
            .chain(self.imports.keys())
            .copied()
            .chain(with_exports)
            .map(str::to_owned)
            .collect()
    }

    /// What one file loses.
    pub fn cuts<'t>(&'t self, tree: &'t SyntaxTree, symbols: &'t [Symbol], path: &str) -> Cuts<'t> {
        let file = self.project.file(path);
        let imports = file.map(|file| file.imports.as_slice()).unwrap_or_default();
        let exports = file.map(|file| file.exports.as_slice()).unwrap_or_default();
        let dropped = self.imports.get(path);
        let imports = imports
            .iter()
            .enumerate()
            .filter(|(index, _)| dropped.is_some_and(|dropped| dropped.contains(index)));
        let is_inside = |range: &Range<usize>| {
            self.ranges
                .get(path)
                .is_some_and(|ranges| ranges.iter().any(|gone| holds(gone, range)))
        };
        Cuts {
            tree,
            symbols,
            delete: symbols
                .iter()
                .filter(|symbol| self.deleted.contains(&symbol.id))
                .collect(),
            stub: symbols
                .iter()
                .filter_map(|symbol| Some((symbol, *self.stubs.get(&symbol.id)?)))
                .collect(),
            imports: imports.map(|(_, import)| import).collect(),
            exports: exports
                .iter()
                .filter(|export| self.are_deleted(&export.targets) && !is_inside(&export.range))
                .collect(),
        }
    }

    /// Turns refusals of symbols that the plan does not name into ones that it does.
    pub fn blame(&self, refused: Vec<RemovalProblem>) -> Vec<RemovalProblem> {
        refused
            .into_iter()
            .map(|problem| RemovalProblem {
                symbol: self.planned_for(&problem.symbol),
                ..problem
            })
            .collect()
    }

    fn planned_for(&self, id: &SymbolId) -> SymbolId {
        if self.planned.contains(id) {
            id.clone()
        } else {
            principal(id)
        }
    }

    /// The symbols of the plan that a file is edited for.
    pub fn causes(&self, path: &str) -> Vec<SymbolId> {
        let own: Vec<_> = self
            .planned
            .iter()
            .filter(|id| id.path() == path)
            .cloned()
            .collect();
        if !own.is_empty() {
            return own;
        }
        let file = self.project.file(path);
        let imports = file
            .into_iter()
            .flat_map(|file| file.imports.iter())
            .flat_map(|import| import.targets.iter());
        let exports = file
            .into_iter()
            .flat_map(|file| file.exports.iter())
            .flat_map(|export| export.targets.iter());
        let named: BTreeSet<&SymbolId> = imports
            .chain(exports)
            .filter(|id| self.is_deleted(id))
            .collect();
        self.planned
            .iter()
            .filter(|planned| named.iter().any(|id| id.is_within(planned)))
            .cloned()
            .collect()
    }

    /// The symbols of the plan that leave.
    pub fn removed(&self) -> Vec<SymbolId> {
        self.planned.iter().cloned().collect()
    }

    /// Private variables that leave though the plan does not name them.
    pub fn orphaned(&self) -> Vec<SymbolId> {
        self.orphans
            .iter()
            .filter(|id| !self.planned.contains(id))
            .cloned()
            .collect()
    }

    /// The import items that leave files which stay.
    pub fn import_items(&self) -> Vec<(String, String)> {
        let all = self
            .imports
            .iter()
            .flat_map(|(path, indices)| indices.iter().map(move |index| (*path, *index)));
        let item = |(path, index): (&str, usize)| {
            let import = self.project.file(path)?.imports.get(index)?;
            let text = self.project.analysis.source(path)?;
            Some((path.to_owned(), text.slice(import.item.clone()).to_owned()))
        };
        all.filter_map(item).collect()
    }

    /// The public names that leave files which stay.
    pub fn export_names(&self) -> Vec<(String, String)> {
        let files = self
            .project
            .files
            .iter()
            .filter(|file| file.is_editable && !self.is_gone(&file.path));
        let exports = files.flat_map(|file| file.exports.iter().map(move |export| (file, export)));
        let gone = exports.filter(|(_, export)| self.are_deleted(&export.targets));
        gone.map(|(file, export)| (file.path.clone(), export.name.clone()))
            .collect()
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The references of a file that go through an import, or through another one of the same name.
fn uses_of<'f>(file: &'f ProjectFile, import: &'f Import) -> impl Iterator<Item = &'f Reference> {
    let same = |index: usize| {
        let other = file.imports.get(index);
        let is_same = |other: &Import| other.bound == import.bound && other.scope == import.scope;
        other.is_some_and(|other| {
            if import.bound == "*" {
                other.item == import.item
            } else {
                is_same(other)
            }
        })
    };
    file.references
        .iter()
        .filter(move |reference| reference.through.is_some_and(same))
}

/// Adds the definitions that make no sense without the ones given.
pub(super) fn with_families(project: &Project<'_>, ids: BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
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
