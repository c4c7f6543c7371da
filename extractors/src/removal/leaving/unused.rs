//! Imports, variables and fields that are there for removed code alone.

use std::collections::BTreeSet;

use analyzer::occurrence::{Import, Reference};
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};

use super::{Leaving, holds};
use crate::removal::project::ProjectFile;

impl<'a> Leaving<'a> {
    /// The imports without a use that nothing keeps: path and index.
    pub(super) fn unused_imports(&self) -> Vec<(&'a str, usize)> {
        let places: BTreeSet<&str> = self
            .ranges
            .keys()
            .chain(self.edited.keys())
            .copied()
            .collect();
        // An import loses its last use where it stands, or its target.
        let in_places = places.iter().filter_map(|path| self.project.file(path));
        let in_places = in_places.flat_map(|file| (0..file.imports.len()).map(move |i| (file, i)));
        let of_places = places.iter().flat_map(|path| self.project.importers(path));
        let of_places = of_places.map(|(file, index, _)| (file, index));
        let mut unused: Vec<_> = in_places
            .chain(of_places)
            .filter(|(file, index)| self.is_import_unused(file, *index))
            .map(|(file, index)| (&*file.path, index))
            .collect();
        unused.sort_unstable();
        unused.dedup();
        unused
    }

    fn is_import_unused(&self, file: &ProjectFile, index: usize) -> bool {
        if !file.is_editable || self.is_gone(&file.path) {
            return false;
        }
        let Some(import) = file
            .imports
            .get(index)
            .filter(|import| !self.is_import_gone(file, index, import))
        else {
            return false;
        };
        let is_lost = self.are_deleted(&import.targets);
        if is_lost && import.module.is_none() && self.keep_place(&import.targets) {
            return false;
        }
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
        is_lost
            || (!uses.is_empty()
                && !self.is_import_kept(file, import)
                && !self.is_for_tests(file, index))
    }

    /// Whether the files of some modules stay though nothing is left in them.
    fn keep_place(&self, modules: &[SymbolId]) -> bool {
        let mut modules = modules.iter();
        modules.all(|id| id.is_module() && self.keeps_place(id.path()))
    }

    /// Whether code that stays uses an import, and is not part of every build.
    pub(super) fn has_conditional_use(&self, file: &ProjectFile, index: usize) -> bool {
        let tree = self.project.analysis.syntax(&file.path);
        let rules = self.project.rules(&file.path).zip(tree);
        let Some(((rules, tree), import)) = rules.zip(file.imports.get(index)) else {
            return false;
        };
        let mut uses = uses_of(file, import).filter(|it| self.stays((file, it)));
        uses.any(|it| rules.is_conditional(&tree, &it.range, import))
    }

    /// Whether an import of a file goes.
    pub fn is_import_gone(&self, file: &ProjectFile, index: usize, import: &Import) -> bool {
        let dropped = self
            .imports
            .get(&*file.path)
            .is_some_and(|dropped| dropped.contains(&index));
        dropped || self.covers(&file.path, &import.statement)
    }

    /// Whether an import that stays means a symbol.
    pub fn is_imported(&self, id: &SymbolId) -> bool {
        let mut imports = self.project.importers(id.path());
        imports.any(|(file, index, import)| {
            import.targets.contains(id) && !self.is_import_gone(file, index, import)
        })
    }

    /// Whether an unused import is there for others.
    fn is_import_kept(&self, file: &ProjectFile, import: &Import) -> bool {
        let tree = self.project.analysis.syntax(&file.path);
        let rules = self.project.rules(&file.path).zip(tree);
        let offers = self
            .project
            .rules(&file.path)
            .is_none_or(|rules| rules.offers_imports());
        rules.is_none_or(|(rules, tree)| rules.keeps_import(&tree, &file.path, import))
            || file
                .exports
                .iter()
                .any(|export| export.name == import.bound)
            || (offers && self.has_other_definition(file, import))
            || (offers && import.scope.is_module() && self.is_imported_from(file, &import.bound))
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
        let mut passing = BTreeSet::new();
        self.is_passed_on(file, name, &mut passing)
    }

    /// The same, with the files that are known to pass the name on by a star.
    fn is_passed_on(
        &self,
        file: &ProjectFile,
        name: &str,
        passing: &mut BTreeSet<&'a str>,
    ) -> bool {
        let mut takers = self
            .project
            .importers(&file.path)
            .filter(|(other, index, import)| {
                other.path != file.path
                    && !self.is_gone(&other.path)
                    && !self.is_import_gone(other, *index, import)
            });
        takers.any(|(other, _, import)| {
            self.may_take(other, import, file, name)
                || (is_star_of(import, file)
                    && passing.insert(&other.path)
                    && (self.is_named_in(other, name) || self.is_passed_on(other, name, passing)))
        })
    }

    fn may_take(
        &self,
        other: &ProjectFile,
        import: &Import,
        file: &ProjectFile,
        name: &str,
    ) -> bool {
        let looks_up = |object: &str| self.project.may_look_up(other, object, name);
        if import.targets.contains(&SymbolId::module(&file.path))
            && (looks_up(module_name(&file.path))
                || (looks_up(&import.bound) && !self.is_outer_package(other, import)))
        {
            return true;
        }
        import.module.as_deref() == Some(&*file.path) && self.imported_name(other, import) == name
    }

    /// Whether code of a file that stays, or its list of public names, has a name.
    fn is_named_in(&self, file: &ProjectFile, name: &str) -> bool {
        let source = self.project.analysis.source(&file.path);
        let is_it = |reference: &&Reference| {
            let text = source
                .as_ref()
                .map(|text| text.slice(reference.range.clone()));
            text == Some(name) && self.stays((file, reference))
        };
        file.references.iter().any(|reference| is_it(&reference))
            || file.exports.iter().any(|export| export.name == name)
    }

    /// Whether `import a.b` binds `a`, which is not the module it is for.
    fn is_outer_package(&self, file: &ProjectFile, import: &Import) -> bool {
        self.imported_name(file, import)
            .split_once('.')
            .is_some_and(|(outer, _)| outer == import.bound)
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

    /// Private variables and fields that lost code used, and nothing that stays.
    pub(super) fn unused_variables(&self) -> Vec<SymbolId> {
        let files = self
            .concerned()
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
        let is_field = self.is_dispensable(symbol);
        if !(is_field || self.project.is_module_variable(symbol))
            || self.is_deleted(&symbol.id)
            || self.kept.iter().any(|kept| symbol.id.is_within(kept))
            || !self.is_alone(symbol)
        {
            return false;
        }
        let tree = self.project.analysis.syntax(path);
        let rules = self.project.rules(path).zip(tree);
        let is_private = rules.is_some_and(|(rules, tree)| rules.is_private(&tree, symbol));
        let is_fallback = !is_field && self.is_fallback(symbol);
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

    fn is_dispensable(&self, symbol: &Symbol) -> bool {
        let tree = || self.project.analysis.syntax(symbol.id.path());
        let rules = self.project.rules(symbol.id.path());
        symbol.kind == SymbolKind::Field
            && rules
                .is_some_and(|rules| tree().is_some_and(|tree| rules.is_dispensable(&tree, symbol)))
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
        let imported = self.is_imported(&symbol.id);
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
}

/// Whether an import takes all public names of a file. If the file lists them, whoever asks has looked
/// there.
fn is_star_of(import: &Import, file: &ProjectFile) -> bool {
    import.bound == "*" && import.module.as_deref() == Some(&*file.path) && file.exports.is_empty()
}

/// The references of a file that go through an import, or through another one of the same name.
pub(super) fn uses_of<'f>(
    file: &'f ProjectFile,
    import: &'f Import,
) -> impl Iterator<Item = &'f Reference> {
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

/// What a file is called where it is imported: its name, or its folder's if it stands for that.
fn module_name(path: &str) -> &str {
    let mut links = path.rsplit('/');
    let stem = links
        .next()
        .and_then(|name| name.split('.').next())
        .unwrap_or_default();
    if stem.starts_with("__") {
        links.next().unwrap_or(stem)
    } else {
        stem
    }
}
