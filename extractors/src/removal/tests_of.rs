//! Held-back tests: what leaves with them, so that nothing of the test code hints at the feature.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::occurrence::{Confidence, Reference};
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};

use super::leaving::Leaving;
use super::project::{Project, ProjectFile};
use super::{Action, RemovalPlan};

/// The plan that removes some of a project's tests: the tests, the helpers of their files that only
/// they use, classes whose tests are all gone, and files whose tests are all gone unless other code
/// takes something from them.
///
/// `tests` are all tests, `held_back` those that leave.
pub fn test_removal(
    project: &Project<'_>,
    tests: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<SymbolId>,
) -> RemovalPlan {
    let mut gone = held_back.clone();
    loop {
        let more = followers(project, tests, &gone);
        if more.is_empty() {
            break;
        }
        gone.extend(more);
    }
    let actions = project
        .outermost(&gone)
        .into_iter()
        .map(|id| (id, Action::Delete))
        .collect();
    RemovalPlan {
        actions,
        ..RemovalPlan::default()
    }
}

/// Symbols that have no reason to stay once `gone` has left.
fn followers(
    project: &Project<'_>,
    tests: &BTreeSet<SymbolId>,
    gone: &BTreeSet<SymbolId>,
) -> Vec<SymbolId> {
    let actions: BTreeMap<SymbolId, Action> =
        gone.iter().map(|id| (id.clone(), Action::Delete)).collect();
    let leaving = Leaving::new(project, &actions, &RemovalPlan::default());
    let own: BTreeSet<&str> = gone.iter().map(SymbolId::path).collect();
    let files = leaving
        .concerned()
        .into_iter()
        .filter(|path| own.contains(path) || project.test_files.contains(*path))
        .filter_map(|path| project.file(path))
        .filter(|file| !leaving.is_gone(&file.path));
    let symbols = files.flat_map(|file| file.symbols.iter().map(move |symbol| (file, symbol)));
    // A file of which all text goes is still there, and empty.
    let staying =
        symbols.filter(|(_, symbol)| symbol.id.is_module() || !leaving.is_deleted(&symbol.id));
    let follows = |(file, symbol): &(&ProjectFile, &Symbol)| match symbol.kind {
        // What is left of test code in a file of the product marks the place of the tests.
        _ if is_in_emptied(project, &leaving, tests, file, symbol) => true,
        SymbolKind::Namespace if is_outermost_test(project, symbol) => false,
        // Code beside the tests is what they test.
        _ if !symbol.is_test && !symbol.id.is_module() && stand_beside(project, tests, file) => {
            false
        }
        SymbolKind::Module if has_lost_tests(&leaving, tests, &symbol.id) => {
            is_for_tests(project, tests, file)
                && !is_taken(project, &leaving, file)
                && !serves_folder(project, &leaving, tests, file)
        }
        SymbolKind::Module => has_lost_all(project, &leaving, file),
        SymbolKind::Namespace if has_lost_tests(&leaving, tests, &symbol.id) => {
            symbol.is_test && !is_used_within(project, &leaving, file, symbol)
        }
        SymbolKind::Class if has_lost_tests(&leaving, tests, &symbol.id) => {
            !is_used(project, &leaving, symbol)
        }
        _ => {
            was_used(project, symbol)
                && !is_used(project, &leaving, symbol)
                && !tests.contains(&symbol.id)
        }
    };
    // Variables of test code that leave anyway are told, for what they use may leave, too.
    let orphans = leaving.orphaned().into_iter();
    let orphans = orphans.filter(|id| project.test_files.contains(id.path()));
    staying
        .filter(follows)
        .map(|(_, symbol)| symbol.id.clone())
        .chain(orphans)
        .collect()
}

/// Whether something held tests and holds none any more.
fn has_lost_tests(leaving: &Leaving<'_>, tests: &BTreeSet<SymbolId>, container: &SymbolId) -> bool {
    let behind = tests.range(container..);
    let near = behind.take_while(|test| test.as_str().starts_with(container.as_str()));
    let mut own = near.filter(|test| test.is_within(container)).peekable();
    own.peek().is_some() && own.all(|test| leaving.is_deleted(test))
}

/// Whether a file of test code without tests is left with nothing: neither definitions nor files that it
/// takes in.
fn has_lost_all(project: &Project<'_>, leaving: &Leaving<'_>, file: &ProjectFile) -> bool {
    let is_declared = project
        .rules(&file.path)
        .is_some_and(|rules| rules.declares_files());
    let definitions = file.symbols.iter().skip(1).map(|symbol| &symbol.id);
    let imports = file.imports.iter().filter(|import| import.module.is_none());
    let parts = imports.flat_map(|import| import.targets.iter().filter(|id| id.is_module()));
    let mut content = definitions.chain(parts).peekable();
    is_declared
        && project.test_files.contains(&file.path)
        && content.peek().is_some()
        && content.all(|id| leaving.is_deleted(id))
}

/// Whether a symbol holds test code and nothing around it does.
fn is_outermost_test(project: &Project<'_>, symbol: &Symbol) -> bool {
    let container = symbol.container.as_ref();
    let around = container.and_then(|container| project.symbol(container));
    symbol.is_test
        && symbol.kind == SymbolKind::Namespace
        && around.is_some_and(|around| !around.is_test)
}

/// Whether a symbol stands in outermost test code that has lost all its tests and that nothing else uses.
fn is_in_emptied(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    tests: &BTreeSet<SymbolId>,
    file: &ProjectFile,
    symbol: &Symbol,
) -> bool {
    let container = symbol.container.as_ref();
    container
        .and_then(|container| project.symbol(container))
        .is_some_and(|around| {
            is_outermost_test(project, around)
                && has_lost_tests(leaving, tests, &around.id)
                && !is_used_within(project, leaving, file, around)
        })
}

/// Whether tests stand in the same file as the code that they test; they say themselves what they are.
fn stand_beside(project: &Project<'_>, tests: &BTreeSet<SymbolId>, file: &ProjectFile) -> bool {
    let mut own = file.symbols.iter();
    own.any(|symbol| symbol.is_test && tests.contains(&symbol.id))
        && !project.test_files.contains(&file.path)
}

/// Whether a file is there for its tests alone.
fn is_for_tests(project: &Project<'_>, tests: &BTreeSet<SymbolId>, file: &ProjectFile) -> bool {
    !stand_beside(project, tests, file) || file.symbols.iter().skip(1).all(|symbol| symbol.is_test)
}

/// Whether code outside that stays uses something in a container.
fn is_used_within(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    file: &ProjectFile,
    container: &Symbol,
) -> bool {
    let inside = file.symbols.iter();
    let inside = inside.filter(|symbol| symbol.id.is_within(&container.id));
    let mut uses = inside.flat_map(|symbol| project.uses(&symbol.id));
    uses.any(|(file, reference)| {
        is_sure(reference)
            && !reference.from.is_within(&container.id)
            && leaving.stays((file, reference))
    })
}

/// Whether another file imports a file or something in it, or uses it without an import.
fn is_taken(project: &Project<'_>, leaving: &Leaving<'_>, file: &ProjectFile) -> bool {
    let own = file.symbols.iter().skip(1);
    let mut uses = own
        .flat_map(|symbol| project.uses(&symbol.id))
        .filter(|(other, reference)| other.path != file.path && is_sure(reference));
    if uses.any(|place| leaving.stays(place)) {
        return true;
    }
    let mut importers = project.importers(&file.path);
    importers.any(|(other, index, import)| {
        other.path != file.path
            && !leaving.is_gone(&other.path)
            && !leaving.is_import_gone(other, index, import)
    })
}

/// Whether something in a file runs for tests of other files, too.
fn serves_folder(
    project: &Project<'_>,
    leaving: &Leaving<'_>,
    tests: &BTreeSet<SymbolId>,
    file: &ProjectFile,
) -> bool {
    let Some(rules) = project.rules(&file.path) else {
        return false;
    };
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let beside =
        |test: &&SymbolId| folder(test.path()) == folder(&file.path) && !leaving.is_deleted(test);
    file.symbols
        .iter()
        .any(|symbol| rules.runs_for_folder(symbol))
        && tests.iter().any(|test| beside(&test))
}

fn is_sure(reference: &Reference) -> bool {
    let mut targets = reference.targets.iter();
    targets.any(|target| target.confidence == Confidence::Resolved)
}

/// Whether code ever meant a symbol. An attribute of an object whose class is not known is hardly a function
/// that just has the name: a fixture, say, which is asked for by parameters.
fn was_used(project: &Project<'_>, symbol: &Symbol) -> bool {
    let is_function = symbol.kind == SymbolKind::Function;
    let mut uses = uses_from_outside(project, symbol);
    uses.any(|(_, reference)| !is_function || means_surely(reference, &symbol.id))
}

fn means_surely(reference: &Reference, id: &SymbolId) -> bool {
    let mut targets = reference.targets.iter();
    targets.any(|it| it.symbol == *id && it.confidence == Confidence::Resolved)
}

/// The uses of a symbol that stand neither in it nor in what belongs to it.
fn uses_from_outside<'a>(
    project: &'a Project<'_>,
    symbol: &'a Symbol,
) -> impl Iterator<Item = (&'a ProjectFile, &'a Reference)> {
    let is_own = |around: &SymbolId| project.attached.owners(around).contains(&symbol.id);
    project.uses(&symbol.id).filter(move |(_, reference)| {
        let from = &reference.from;
        !from.is_within(&symbol.id) && !project.chain(from).any(is_own)
    })
}

/// Whether code that stays, or an import that stays, means a symbol.
fn is_used(project: &Project<'_>, leaving: &Leaving<'_>, symbol: &Symbol) -> bool {
    let mut uses = uses_from_outside(project, symbol);
    uses.any(|place| leaving.stays(place)) || leaving.is_imported(&symbol.id)
}
