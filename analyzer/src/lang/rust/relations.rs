//! Relations between definitions: what belongs to which type, what implements what, and what a type
//! brings along without being named.

use super::items::ItemKind;
use super::map::Sym;
use super::members::{Block, Implements};
use super::resolve::Walk;
use crate::facts::DefId;
use crate::occurrence::{Confidence, ReferenceKind, Runs, Target};
use crate::resolution::{ByName, Demand, Resolution};
use crate::symbol::SymbolId;

/// Whoever uses a type may use what it implements of foreign traits: operators, formatting, dropping.
pub(super) fn implicit(walk: &mut Walk<'_>) {
    for (def, symbol) in (0..).map(DefId).zip(walk.facts.symbols.iter()) {
        let sym = walk.sym(def);
        let is_type = walk
            .map
            .def(sym)
            .is_some_and(|def| matches!(def.kind, ItemKind::Struct | ItemKind::Enum));
        if !is_type {
            continue;
        }
        let blocks = walk.members.blocks_of_type(sym);
        let foreign = blocks.filter(|block| block.implements == Implements::Foreign);
        let methods = foreign.flat_map(|block| walk.members.all_items(block.block));
        let targets: Vec<Target> = methods
            .filter_map(|method| walk.map.id(method))
            .map(|id| Target {
                symbol: id.clone(),
                confidence: Confidence::Named,
            })
            .collect();
        if !targets.is_empty() {
            walk.place.from = def;
            walk.place.runs = Runs::WhenCalled;
            walk.push(
                symbol.focus.clone(),
                ReferenceKind::Implicit,
                targets,
                None,
                ByName::None,
            );
        }
    }
}

/// What belongs together.
pub(super) fn relations(walk: &Walk<'_>) -> Resolution {
    let mut resolution = Resolution::default();
    let blocks = walk.members.blocks.iter();
    for block in blocks.filter(|block| block.block.file == walk.file) {
        let owners: Vec<SymbolId> = block
            .owners
            .iter()
            .filter_map(|owner| walk.map.id(*owner).cloned())
            .collect();
        let attached = owners.iter().map(|owner| (block.block.def, owner.clone()));
        resolution.attached.extend(attached);
        if block.implements != Implements::Nothing {
            members(walk, block, owners, &mut resolution);
        }
    }
    resolution
}

fn members(walk: &Walk<'_>, block: &Block, owners: Vec<SymbolId>, resolution: &mut Resolution) {
    let Some(id) = walk.map.id(block.block) else {
        return;
    };
    resolution.demands.push(Demand {
        of: block.block.def,
        by: owners,
    });
    for item in walk.members.all_items(block.block) {
        let mut by = vec![id.clone()];
        if let Some(implemented) = implemented(walk, block, item) {
            resolution.overrides.push((item.def, implemented.clone()));
            by.push(implemented);
        }
        resolution.demands.push(Demand { of: item.def, by });
    }
}

/// The item of a trait of the project that an item of a block implements.
fn implemented(walk: &Walk<'_>, block: &Block, item: Sym) -> Option<SymbolId> {
    let Implements::Trait(of) = block.implements else {
        return None;
    };
    let name = &walk.map.def(item)?.name;
    let found = walk.members.items(of, name).first()?;
    walk.map.id(*found).cloned()
}
