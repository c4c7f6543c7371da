//! Shells: classes that stay for their name alone, and what of them has to stay so that they still say
//! what they are for.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::symbol::{Symbol, SymbolId, SymbolKind};

use super::Action;
use super::project::Project;
use crate::family::principal;

/// The public members that are to be deleted from classes which stay without any other member.
///
/// A class that nothing is left of but its name tells a reader less than none at all.
pub fn shells(project: &Project<'_>, actions: &BTreeMap<SymbolId, Action>) -> BTreeSet<SymbolId> {
    let goes = |id: &SymbolId| actions.get(&principal(id)) == Some(&Action::Delete);
    let deleted = actions.keys().filter(|id| goes(id));
    let owners: BTreeSet<&SymbolId> = deleted
        .filter_map(|id| project.symbol(id)?.container.as_ref())
        .filter(|owner| !project.chain(owner).any(goes))
        .collect();
    let members = owners.into_iter().map(|owner| members(project, owner));
    members
        .filter(|members| members.iter().all(|member| goes(&member.id)))
        .flatten()
        .filter(|member| is_public(project, member) && actions.contains_key(&member.id))
        .map(|member| member.id.clone())
        .collect()
}

/// What stands directly in a class; nothing for what is no class.
fn members<'p>(project: &'p Project<'_>, owner: &SymbolId) -> Vec<&'p Symbol> {
    let class = project.symbol(owner);
    let Some(class) = class.filter(|class| class.kind == SymbolKind::Class) else {
        return Vec::new();
    };
    let file = project.file(owner.path());
    let symbols = file.map(|file| file.symbols.as_slice()).unwrap_or_default();
    let stands_in = |symbol: &&Symbol| {
        symbol.container.as_ref() == Some(owner)
            && class.full.start <= symbol.full.start
            && symbol.full.end <= class.full.end
    };
    symbols.iter().filter(stands_in).collect()
}

fn is_public(project: &Project<'_>, member: &Symbol) -> bool {
    let tree = project.analysis.syntax(member.id.path());
    let rules = project.rules(member.id.path()).zip(tree);
    let is_private = rules.is_some_and(|(rules, tree)| rules.is_private(&tree, member));
    !is_private && (member.kind.is_callable() || member.kind == SymbolKind::Field)
}
