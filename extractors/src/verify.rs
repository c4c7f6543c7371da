//! Static checks of a removal: what must hold of the new tree whatever its tests say.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::occurrence::{Confidence, Import, Reference};
use analyzer::symbol::{ByteRange, SymbolId, SymbolKind};

use crate::family::{Attached, bare_chain, original_of, principal};
use crate::lang;
use crate::removal::{Action, RemovalPlan};

/// Something that a removal left behind or took by mistake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Fault {
    /// A file has a syntax error that it did not have before.
    #[error("{path} does not parse any more")]
    SyntaxError {
        /// The file.
        path: String,
    },
    /// A definition that should have gone is still there, or the other way round.
    #[error("{path}: {name} is there {found} times, and should be {expected} times")]
    Definitions {
        /// The file.
        path: String,
        /// The chain of names without disambiguators.
        name: String,
        /// How often it should be defined.
        expected: usize,
        /// How often it is.
        found: usize,
    },
    /// An import that is used by nothing, though it was used before.
    #[error("{path}: the import of {name} has become unused")]
    UnusedImport {
        /// The file.
        path: String,
        /// The name it binds.
        name: String,
    },
    /// A name of the project that meant something before and means nothing now.
    #[error("{path}: {name} is not defined any more, but {from} refers to it")]
    Undefined {
        /// The file.
        path: String,
        /// The name.
        name: String,
        /// The symbol that refers to it.
        from: SymbolId,
    },
    /// An import or a public name of the project that meant something before and means nothing now.
    #[error("{path}: {name} is still imported or public, but not defined any more")]
    DanglingName {
        /// The file.
        path: String,
        /// The name.
        name: String,
    },
}

impl Fault {
    /// The file it is in.
    pub fn path(&self) -> &str {
        match self {
            Self::SyntaxError { path }
            | Self::Definitions { path, .. }
            | Self::UnusedImport { path, .. }
            | Self::Undefined { path, .. }
            | Self::DanglingName { path, .. } => path,
        }
    }
}

/// What is wrong with the tree `after` the removal of `plan` from the tree `before`, sorted.
///
/// Of `after` only those files are resolved that changed, or that refer to something in one.
pub fn verify(before: &Analysis, after: &Analysis, plan: &RemovalPlan) -> Vec<Fault> {
    let mut faults = Vec::new();
    let deleted = deleted(before, plan);
    let is_changed = |path: &String| after.source(path) != before.source(path);
    let changed: BTreeSet<String> = before.paths().into_iter().filter(is_changed).collect();
    let importers = importers(before);
    for path in &changed {
        if after.source(path).is_some() {
            faults.extend(syntax(before, after, path));
            faults.extend(unused_imports(before, after, &importers, path));
        }
        faults.extend(definitions(before, after, plan, &deleted, path));
    }
    let concerned = after.paths().into_iter().filter(|path| {
        changed.contains(path) || refers_to(before, path, &|to| changed.contains(to.path()))
    });
    faults.extend(concerned.flat_map(|path| dangling(before, after, &path)));
    faults.sort();
    faults.dedup();
    faults
}

/// Whether a file surely means one of some symbols anywhere.
fn refers_to(analysis: &Analysis, path: &str, is_one: &dyn Fn(&SymbolId) -> bool) -> bool {
    let (references, imports) = (analysis.references(path), analysis.imports(path));
    let mut targets = references
        .iter()
        .flat_map(|reference| reference.targets.iter())
        .filter(|target| target.confidence == Confidence::Resolved)
        .map(|target| &target.symbol);
    let mut imported = imports.iter().flat_map(|import| import.targets.iter());
    let exports = analysis.exports(path);
    let mut exported = exports.iter().flat_map(|export| export.targets.iter());
    targets.any(is_one) || imported.any(is_one) || exported.any(is_one)
}

fn syntax(before: &Analysis, after: &Analysis, path: &str) -> Option<Fault> {
    let errors = |analysis: &Analysis| {
        analysis
            .syntax(path)
            .map_or(0, |tree| tree.error_ranges().len())
    };
    (errors(after) > errors(before)).then(|| Fault::SyntaxError {
        path: path.to_owned(),
    })
}

/// The symbols that the plan deletes, with what belongs to them elsewhere.
fn deleted(before: &Analysis, plan: &RemovalPlan) -> BTreeSet<SymbolId> {
    let actions = plan.actions.iter();
    let deleted = actions.filter(|(_, action)| **action == Action::Delete);
    let deleted = deleted.map(|(id, _)| id.clone()).collect();
    Attached::of(before).with_members(deleted)
}

type Names = BTreeMap<(String, SymbolKind), usize>;

/// Exactly the symbols of the plan, and what they hold, are gone. Private variables and fields may be.
fn definitions(
    before: &Analysis,
    after: &Analysis,
    plan: &RemovalPlan,
    deleted: &BTreeSet<SymbolId>,
    path: &str,
) -> Vec<Fault> {
    let gone = gone(before, plan, deleted, path);
    let expected = names(before, path, |id| !gone.contains(id));
    let found = names(after, path, |_| true);
    let keys: BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let fault = |key: &&(String, SymbolKind)| {
        let count = |names: &Names| names.get(*key).copied().unwrap_or(0);
        let (expected, found) = (count(&expected), count(&found));
        // Private variables and fields go with their last use, and containers with the last of their members.
        let follows = matches!(
            key.1,
            SymbolKind::Variable
                | SymbolKind::Field
                | SymbolKind::Implementation
                | SymbolKind::Namespace
        );
        let can_leave = follows && found < expected;
        let name = key.0.clone();
        (expected != found && !can_leave).then(|| Fault::Definitions {
            path: path.to_owned(),
            name,
            expected,
            found,
        })
    };
    keys.iter().filter_map(fault).collect()
}

/// The symbols of a file that the plan takes: setters, overload stubs and methods go with the symbol
/// they belong to, and everything goes with what holds it.
fn gone(
    before: &Analysis,
    plan: &RemovalPlan,
    deleted: &BTreeSet<SymbolId>,
    path: &str,
) -> BTreeSet<SymbolId> {
    let is_deleted = |id: &SymbolId| deleted.contains(id);
    let declared = gone_declarations(before, plan, deleted, path);
    let mut gone = BTreeSet::new();
    // Invariant: a container comes before its members.
    for symbol in before.symbols(path).iter() {
        let with_container = symbol.container.as_ref().is_some_and(|container| {
            gone.contains(container)
                || matches!(plan.actions.get(container), Some(Action::Stub { .. }))
        });
        let is_gone = is_deleted(&symbol.id) || is_deleted(&principal(&symbol.id));
        if is_gone || declared.contains(&bare_chain(&symbol.id)) || with_container {
            gone.insert(symbol.id.clone());
        }
    }
    gone
}

/// The bare chains of what a file of declarations loses because all its definitions go.
fn gone_declarations(
    before: &Analysis,
    plan: &RemovalPlan,
    deleted: &BTreeSet<SymbolId>,
    path: &str,
) -> BTreeSet<String> {
    let Some(original) = original_of(path) else {
        return BTreeSet::new();
    };
    let gone = gone(before, plan, deleted, &original);
    let symbols = before.symbols(&original);
    let (goes, stays): (Vec<_>, Vec<_>) = symbols
        .iter()
        .map(|symbol| &symbol.id)
        .partition(|id| gone.contains(id));
    let chains = |ids: Vec<&SymbolId>| ids.into_iter().map(bare_chain).collect::<BTreeSet<_>>();
    &chains(goes) - &chains(stays)
}

fn names(analysis: &Analysis, path: &str, wanted: impl Fn(&SymbolId) -> bool) -> Names {
    let mut names = Names::new();
    for symbol in analysis
        .symbols(path)
        .iter()
        .filter(|symbol| symbol.container.is_some() && wanted(&symbol.id))
    {
        *names
            .entry((bare_chain(&symbol.id), symbol.kind))
            .or_default() += 1;
    }
    names
}

/// By scope and name: whether anything in the file uses an import, and whether it stays anyway.
fn import_uses(
    analysis: &Analysis,
    importers: &Importers,
    path: &str,
) -> BTreeMap<(String, String), (bool, bool)> {
    let (imports, references, exports) = (
        analysis.imports(path),
        analysis.references(path),
        analysis.exports(path),
    );
    let tree = analysis.syntax(path);
    let offers = tree
        .as_ref()
        .is_none_or(|tree| lang::rules(tree.language()).offers_imports());
    let is_kept = |import: &Import| {
        let tree = tree.as_ref();
        tree.is_none_or(|tree| lang::rules(tree.language()).keeps_import(tree, path, import))
            || exports.iter().any(|export| export.name == import.bound)
            || (offers && is_taken(analysis, importers, path, &import.bound))
            || (offers && is_also_defined(analysis, path, import))
    };
    let mut uses: BTreeMap<(String, String), (bool, bool)> = BTreeMap::new();
    for (index, import) in imports.iter().enumerate() {
        let used = references
            .iter()
            .any(|reference| reference.through == Some(index));
        let entry = uses
            .entry((bare_chain(&import.scope), import.bound.clone()))
            .or_default();
        *entry = (entry.0 || used, entry.1 || is_kept(import));
    }
    uses
}

/// Whether a definition stands in for an import.
fn is_also_defined(analysis: &Analysis, path: &str, import: &Import) -> bool {
    let symbols = analysis.symbols(path);
    symbols.iter().any(|symbol| {
        symbol.container.as_ref() == Some(&import.scope) && symbol.id.name() == import.bound
    })
}

/// By file: the files that import it or something in it. A removal makes nobody import more.
type Importers = BTreeMap<String, BTreeSet<String>>;

fn importers(before: &Analysis) -> Importers {
    let mut importers = Importers::new();
    for path in before.paths() {
        for import in before.imports(&path).iter() {
            let targets = import.targets.iter().map(SymbolId::path);
            for of in targets
                .chain(import.module.as_deref())
                .filter(|of| *of != path)
            {
                importers
                    .entry(of.to_owned())
                    .or_default()
                    .insert(path.clone());
            }
        }
    }
    importers
}

/// Whether another file may take a name from a file.
fn is_taken(analysis: &Analysis, importers: &Importers, path: &str, name: &str) -> bool {
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let module = SymbolId::module(&path);
        for other in importers.get(&path).into_iter().flatten() {
            for import in analysis.imports(other).iter() {
                let from = import.module.as_deref() == Some(&*path);
                if (from && import.bound == name) || import.targets.contains(&module) {
                    return true;
                }
                if from && import.bound == "*" && seen.insert(other.clone()) {
                    if mentions(analysis, other, name) {
                        return true;
                    }
                    open.push(other.clone());
                }
            }
        }
    }
    false
}

/// Whether code of a file has a name.
fn mentions(analysis: &Analysis, path: &str, name: &str) -> bool {
    let source = analysis.source(path);
    let text = |range: &ByteRange| source.as_ref().map(|text| text.slice(range.clone()));
    let references = analysis.references(path);
    references
        .iter()
        .any(|reference| text(&reference.range) == Some(name))
}

fn unused_imports(
    before: &Analysis,
    after: &Analysis,
    importers: &Importers,
    path: &str,
) -> Vec<Fault> {
    let before = import_uses(before, importers, path);
    let was_used = |key: &(String, String)| before.get(key).is_some_and(|(used, _)| *used);
    let uses = import_uses(after, importers, path).into_iter();
    let unused = uses.filter(|(key, (used, kept))| !used && !kept && was_used(key));
    unused
        .map(|((_, name), _)| Fault::UnusedImport {
            path: path.to_owned(),
            name,
        })
        .collect()
}

/// Uses, imports and public names whose every meaning is gone: a reference is matched to the one of
/// the old tree with the same text from the same symbol.
fn dangling(before: &Analysis, after: &Analysis, path: &str) -> Vec<Fault> {
    let scope = |import: &Import| (bare_chain(&import.scope), import.bound.clone());
    let imports = before.imports(path);
    let foreign = imports.iter().filter(|import| import.targets.is_empty());
    let foreign: BTreeSet<(String, String)> = foreign.map(scope).collect();
    let meant = |analysis: &Analysis| -> BTreeMap<(String, String), bool> {
        let source = analysis.source(path);
        let mut meant = BTreeMap::new();
        let imports = analysis.imports(path);
        // A name of foreign code never meant anything of the project, whatever else is called so.
        let is_foreign = |reference: &Reference| {
            let import = reference.through.and_then(|index| imports.get(index));
            import.is_some_and(|import| foreign.contains(&scope(import)))
        };
        let references = analysis.references(path);
        let own = references.iter().filter(|reference| !is_foreign(reference));
        for reference in own {
            let name = source
                .as_ref()
                .map(|text| text.slice(reference.range.clone()).to_owned())
                .unwrap_or_default();
            *meant
                .entry((bare_chain(&reference.from), name))
                .or_insert(false) |= !reference.targets.is_empty();
        }
        meant
    };
    let (old, new) = (meant(before), meant(after));
    let lost = new
        .into_iter()
        .filter(|(key, means)| !means && old.get(key) == Some(&true));
    let undefined = lost.map(|((from, name), _)| Fault::Undefined {
        path: path.to_owned(),
        name,
        from: if from.is_empty() {
            SymbolId::module(path)
        } else {
            SymbolId::module(path).member(&from)
        },
    });
    undefined
        .chain(dangling_names(before, after, path))
        .collect()
}

fn dangling_names(before: &Analysis, after: &Analysis, path: &str) -> Vec<Fault> {
    let named = |analysis: &Analysis| -> BTreeMap<(Option<String>, String), bool> {
        let (imports, exports) = (analysis.imports(path), analysis.exports(path));
        let imports = imports.iter().map(|import| {
            (
                (Some(bare_chain(&import.scope)), import.bound.clone()),
                !import.targets.is_empty(),
            )
        });
        let exports = exports
            .iter()
            .map(|export| ((None, export.name.clone()), !export.targets.is_empty()));
        imports.chain(exports).collect()
    };
    let (old, new) = (named(before), named(after));
    let lost = new
        .into_iter()
        .filter(|(key, means)| !means && old.get(key) == Some(&true));
    lost.map(|((_, name), _)| Fault::DanglingName {
        path: path.to_owned(),
        name,
    })
    .collect()
}
