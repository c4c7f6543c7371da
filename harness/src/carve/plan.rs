//! Plans: from a feature to the edits that make the starting tree, and to the tests held back with it.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::Analysis;
use analyzer::feature::{Feature, Role};
use analyzer::symbol::{SymbolId, SymbolKind};
use analyzer::trace::TestResult;
use extractors::family::{bare_chain, principal};
use extractors::removal::{self, Action, Project, RemovalPlan};

use crate::config::RemovalMode;

/// The actions for a feature's removed symbols.
///
/// `stub_only` are symbols that earlier attempts showed to be needed by name; `held_back` are
/// the test symbols that leave as well, so their references do not count; `doctested` are symbols
/// whose documentation is run as a test that will fail.
pub fn actions(
    project: &Project<'_>,
    analysis: &Analysis,
    feature: &Feature,
    mode: RemovalMode,
    stub_only: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<SymbolId>,
    doctested: &BTreeSet<SymbolId>,
) -> RemovalPlan {
    // What nothing ran and belongs to another definition (an overload) shares the fate of that one.
    let follows = |id: &&SymbolId| {
        let role = |id: &SymbolId| feature.members.get(id).map(|member| member.role);
        let owner = principal(id);
        role(id) == Some(Role::Orphaned)
            && owner != **id
            && role(&owner).is_some_and(Role::is_removed)
    };
    let candidates: BTreeSet<SymbolId> = feature
        .removed()
        .filter(|id| !follows(id))
        .cloned()
        .collect();
    let blocked = removal::blockers(project, &candidates, held_back);
    let stub = |id: &SymbolId| Action::Stub {
        keep_doc: !doctested.contains(id),
    };
    let callable = |id: &SymbolId| {
        analysis
            .symbol(id)
            .is_some_and(|symbol| symbol.kind.is_callable())
    };
    let action = |id: &SymbolId| match mode {
        RemovalMode::Stub => callable(id).then(|| stub(id)),
        RemovalMode::Delete => {
            (!blocked.contains_key(id) && !stub_only.contains(id)).then_some(Action::Delete)
        }
        RemovalMode::Auto if blocked.contains_key(id) || stub_only.contains(id) => {
            callable(id).then(|| stub(id))
        }
        RemovalMode::Auto => Some(Action::Delete),
    };
    let actions: BTreeMap<SymbolId, Action> = candidates
        .iter()
        .filter_map(|id| action(id).map(|action| (id.clone(), action)))
        .collect();
    RemovalPlan {
        actions,
        ..RemovalPlan::default()
    }
}

/// The text of a test: what leaves when the test is held back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// The definition of a symbol.
    Definition(SymbolId),
    /// The examples in the documentation of a symbol, which stays.
    Examples(SymbolId),
    /// The examples of a file that is no code.
    Text(String),
}

impl Piece {
    /// The piece of a test; `None` where nothing that can be cut out is known to be its text.
    pub fn of(analysis: &Analysis, test: &TestResult) -> Option<Self> {
        if !test.function.is_empty() {
            return Some(Self::Definition(definition(analysis, test)));
        }
        if analysis.source(&test.path).is_none() {
            return Some(Self::Text(test.path.clone()));
        }
        documented(analysis, test).map(Self::Examples)
    }

    /// The file it stands in.
    pub fn path(&self) -> &str {
        match self {
            Self::Definition(id) | Self::Examples(id) => id.path(),
            Self::Text(path) => path,
        }
    }

    /// The symbol that leaves with the test.
    pub fn definition(&self) -> Option<&SymbolId> {
        match self {
            Self::Definition(id) => Some(id),
            Self::Examples(_) | Self::Text(_) => None,
        }
    }

    /// The symbol whose documentation is run.
    pub fn documented(&self) -> Option<&SymbolId> {
        match self {
            Self::Examples(id) => Some(id),
            Self::Definition(_) | Self::Text(_) => None,
        }
    }
}

/// Adds the pieces of held-back tests, and what leaves with them, to the actions of a plan; `tests`
/// are the definitions of all tests of the considered suite. Files that are no code are not among
/// what a plan can change.
pub fn with_tests(
    project: &Project<'_>,
    plan: &RemovalPlan,
    tests: &BTreeSet<SymbolId>,
    held_back: &BTreeSet<Piece>,
) -> RemovalPlan {
    let definitions = held_back.iter().filter_map(Piece::definition);
    let mut whole = removal::test_removal(project, tests, &definitions.cloned().collect());
    let documented = held_back.iter().filter_map(Piece::documented);
    for id in documented {
        let action = whole.actions.entry(id.clone());
        action.or_insert(Action::CutExamples);
    }
    whole.imports.clone_from(&plan.imports);
    whole.silenced.clone_from(&plan.silenced);
    whole.actions.extend(
        plan.actions
            .iter()
            .map(|(id, action)| (id.clone(), *action)),
    );
    whole
}

/// The symbol to delete so that a test function is gone: its function, or the nearest container
/// that the file defines (a class that only inherits the function), or the whole file.
fn definition(analysis: &Analysis, test: &TestResult) -> SymbolId {
    let mut links: Vec<&str> = test.function.split('.').collect();
    let module = SymbolId::module(&test.path);
    while !links.is_empty() {
        let id = links
            .iter()
            .fold(module.clone(), |id, link| id.member(link));
        // What a macro makes cannot go without the macro's uses.
        let symbol = analysis.symbol(&id);
        if symbol.is_some_and(|symbol| symbol.kind != SymbolKind::Macro) {
            return id;
        }
        links.pop();
    }
    module
}

/// The symbol whose documentation a test runs. The id of such a test ends with the file's path and,
/// behind a dash, the names of what is documented; or else its last part is the module's dotted name,
/// which ends the file's path, and the symbol's chain.
fn documented(analysis: &Analysis, test: &TestResult) -> Option<SymbolId> {
    if let Some((_, item)) = test.id.split_once(&format!("::{}", test.path)) {
        return Some(documented_item(analysis, &test.path, item));
    }
    let name = test.id.rsplit("::").next()?;
    let chain = chain_behind_module(&test.path, name)?;
    let symbols = analysis.symbols(&test.path);
    let mut named = symbols
        .iter()
        .filter(|symbol| symbol.doc.is_some() && bare_chain(&symbol.id) == chain);
    // Of several definitions the last one counts.
    named.next_back().map(|symbol| symbol.id.clone())
}

/// The symbol of a file that ` - module::Type<T>::method#2` means: its chain ends the names. Without
/// such a symbol it is the file.
fn documented_item(analysis: &Analysis, path: &str, item: &str) -> SymbolId {
    let item = item.trim_start_matches(" - ").split('#').next();
    let mut depth = 0_usize;
    let plain = item.unwrap_or_default().chars().filter(|&letter| {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && letter != '>'
    });
    let names = plain.collect::<String>().replace("::", ".");
    let symbols = analysis.symbols(path);
    let ends = |chain: &str| {
        let before = names.strip_suffix(chain);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let documented = symbols
        .iter()
        .filter(|symbol| symbol.doc.is_some() && ends(&bare_chain(&symbol.id)));
    let longest = documented.max_by_key(|symbol| symbol.id.chain().matches('.').count());
    longest.map_or_else(|| SymbolId::module(path), |symbol| symbol.id.clone())
}

/// `Box.area` for `src/shop/boxes.py` and `shop.boxes.Box.area`.
fn chain_behind_module<'n>(path: &str, name: &'n str) -> Option<&'n str> {
    let (stem, _) = path.rsplit_once('.')?;
    let parts: Vec<&str> = stem.split('/').collect();
    let folder = parts.split_last().map(|(_, folders)| folders)?;
    let behind = |parts: &[&str]| -> Option<&'n str> {
        let rest = name.strip_prefix(&*parts.join("."))?;
        if rest.is_empty() {
            Some(rest)
        } else {
            rest.strip_prefix('.')
        }
    };
    let suffixes = |parts: &[&str]| {
        let starts = 0..parts.len();
        starts
            .filter_map(|start| behind(parts.get(start..)?))
            .next()
    };
    // A package's own code stands in a file of its folder.
    suffixes(&parts).or_else(|| suffixes(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_doctest_is_that_of_its_module_and_of_what_it_documents() {
        let check = |path: &str, name: &str, chain: Option<&str>| {
            assert_eq!(chain_behind_module(path, name), chain, "{path} {name}");
        };
        check("src/shop/boxes.py", "shop.boxes.Box.area", Some("Box.area"));
        check("src/shop/boxes.py", "shop.boxes", Some(""));
        check("glom/glom.py", "glom.glom", Some(""));
        check("glom/glom.py", "glom.glom.glom", Some("glom"));
        check("src/shop/__init__.py", "shop.Box", Some("Box"));
        check("src/shop/boxes.py", "elsewhere.f", None);
    }
}
