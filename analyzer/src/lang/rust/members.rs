//! Members: what belongs to the types and traits of the project, wherever it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::items::{Def, ItemKind, TypeRef};
use super::map::{Map, Meaning, ModuleId, Sym, TYPES, map};
use crate::database::Db;
use crate::facts::{DefId, Name};

/// A block of implementations, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub block: Sym,
    /// The type it is for, if that is one of the project.
    pub of: Option<Sym>,
    /// What it implements.
    pub implements: Implements,
    /// Every type and trait of the project that its header cannot do without.
    pub owners: Vec<Sym>,
}

/// What a block implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Implements {
    /// Methods of the type itself.
    Nothing,
    /// A trait of the project.
    Trait(Sym),
    /// A trait of other code.
    Foreign,
}

/// Members by owner and by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Members {
    /// In order of files and places.
    pub blocks: Vec<Block>,
    /// The items of types (their own blocks), traits and blocks, by name.
    items: BTreeMap<Sym, BTreeMap<Name, Vec<Sym>>>,
    /// The fields of structs and variants, and the variants of enums.
    fields: BTreeMap<Sym, BTreeMap<Name, Vec<Sym>>>,
    /// The blocks for each type that implement a trait, as indices.
    of_type: BTreeMap<Sym, Vec<usize>>,
    /// Methods by name, wherever they are.
    pub methods: BTreeMap<Name, Vec<Sym>>,
    /// Items of traits and of blocks that implement traits, by name.
    pub by_trait: BTreeMap<Name, Vec<Sym>>,
    /// Fields by name.
    pub named_fields: BTreeMap<Name, Vec<Sym>>,
    /// Every item that can be seen outside its function, by name.
    pub everything: BTreeMap<Name, Vec<Sym>>,
    /// Items of the same file that share their names all the way: one of them is compiled at a time,
    /// or each belongs to other arguments of its type.
    twins: BTreeMap<Sym, Vec<Sym>>,
}

/// The members of the project.
#[salsa::tracked(returns(clone))]
pub(super) fn members(db: &dyn Db) -> Arc<Members> {
    let map = map(db);
    let mut members = Members::default();
    for (index, file) in (0..).zip(&map.files) {
        for (id, def) in (0..).map(DefId).zip(&file.items.defs) {
            let sym = Sym {
                file: index,
                def: id,
            };
            members.add(&map, sym, def);
        }
    }
    members.find_twins(&map);
    Arc::new(members)
}

impl Members {
    fn add(&mut self, map: &Map, sym: Sym, def: &Def) {
        let container = Sym {
            file: sym.file,
            def: def.container,
        };
        let name = || def.name.clone();
        if def.kind == ItemKind::Impl {
            return self.add_block(map, sym, def);
        }
        if def.kind != ItemKind::Module {
            self.everything.entry(name()).or_default().push(sym);
        }
        let Some(outer) = map.def(container).map(|outer| outer.kind) else {
            return;
        };
        match (outer, def.kind) {
            (_, ItemKind::Field | ItemKind::Variant) => {
                let own = self.fields.entry(container).or_default();
                own.entry(name()).or_default().push(sym);
                if def.kind == ItemKind::Field {
                    self.named_fields.entry(name()).or_default().push(sym);
                }
            }
            (ItemKind::Impl | ItemKind::Trait, _) => self.add_item(sym, def, container, outer),
            _ => {}
        }
    }

    fn find_twins(&mut self, map: &Map) {
        let mut groups: BTreeMap<String, Vec<Sym>> = BTreeMap::new();
        for sym in self.everything.values().flatten() {
            if let Some(id) = map.id(*sym) {
                groups
                    .entry(unnumbered(id.as_str()))
                    .or_default()
                    .push(*sym);
            }
        }
        for group in groups.into_values().filter(|group| group.len() > 1) {
            for sym in &group {
                self.twins.insert(*sym, group.clone());
            }
        }
    }

    /// The items that share all names with one, itself included.
    pub fn twins(&self, sym: Sym) -> Vec<Sym> {
        self.twins.get(&sym).cloned().unwrap_or_else(|| vec![sym])
    }

    fn add_item(&mut self, sym: Sym, def: &Def, container: Sym, outer: ItemKind) {
        let block = self.blocks.last().filter(|it| it.block == container);
        let is_of_trait = outer == ItemKind::Trait
            || block.is_some_and(|block| block.implements != Implements::Nothing);
        // The methods of a type itself are its own, whichever block they stand in.
        let of = block.and_then(|block| block.of).filter(|_| !is_of_trait);
        for owner in std::iter::once(container).chain(of) {
            let own = self.items.entry(owner).or_default();
            own.entry(def.name.clone()).or_default().push(sym);
        }
        if def.has_self {
            self.methods.entry(def.name.clone()).or_default().push(sym);
        }
        if is_of_trait {
            self.by_trait.entry(def.name.clone()).or_default().push(sym);
        }
    }

    fn add_block(&mut self, map: &Map, sym: Sym, def: &Def) {
        let Some(home) = map.home(sym) else { return };
        let parameters: BTreeSet<&Name> = def.generics.iter().map(|(name, _)| name).collect();
        let head = |of: &TypeRef| match of {
            TypeRef::Path(path, _) => item_at(map, home, path),
            TypeRef::Bounds(bounds) => bounds.iter().find_map(|bound| match bound {
                TypeRef::Path(path, _) => item_at(map, home, path),
                _ => None,
            }),
            _ => None,
        };
        let implements = match def.traits.first() {
            None => Implements::Nothing,
            Some(of) => head(of).map_or(Implements::Foreign, Implements::Trait),
        };
        let is_parameter = matches!(&def.of, TypeRef::Path(path, _) if path.first().is_some_and(|first| parameters.contains(first)));
        let of = head(&def.of).filter(|_| !is_parameter);
        let mut owners: Vec<Sym> = Vec::new();
        for path in def
            .of
            .paths()
            .into_iter()
            .chain(def.traits.iter().flat_map(TypeRef::paths))
        {
            if path.first().is_some_and(|first| parameters.contains(first)) {
                continue;
            }
            owners.extend(raw_item_at(map, home, path).filter(|owner| !owners.contains(owner)));
        }
        let index = self.blocks.len();
        if let Some(of) = of.filter(|_| implements != Implements::Nothing) {
            self.of_type.entry(of).or_default().push(index);
        }
        self.blocks.push(Block {
            block: sym,
            of,
            implements,
            owners,
        });
    }

    /// The items of a type, trait or block.
    pub fn items(&self, owner: Sym, name: &str) -> &[Sym] {
        found(&self.items, owner, name)
    }

    /// All items of a type, trait or block.
    pub fn all_items(&self, owner: Sym) -> impl Iterator<Item = Sym> {
        let items = self.items.get(&owner).into_iter();
        items.flat_map(BTreeMap::values).flatten().copied()
    }

    /// The fields and variants of a type or variant.
    pub fn fields(&self, owner: Sym, name: &str) -> &[Sym] {
        found(&self.fields, owner, name)
    }

    /// The blocks that implement traits for a type.
    pub fn blocks_of_type(&self, of: Sym) -> impl Iterator<Item = &Block> {
        let blocks = self.of_type.get(&of).into_iter().flatten();
        blocks.filter_map(|index| self.blocks.get(*index))
    }

    /// The block that a symbol is.
    pub fn block(&self, sym: Sym) -> Option<&Block> {
        let at = self.blocks.partition_point(|block| block.block < sym);
        self.blocks.get(at).filter(|block| block.block == sym)
    }
}

fn found<'m>(
    map: &'m BTreeMap<Sym, BTreeMap<Name, Vec<Sym>>>,
    owner: Sym,
    name: &str,
) -> &'m [Sym] {
    let named = map.get(&owner).and_then(|named| named.get(name));
    named.map(Vec::as_slice).unwrap_or_default()
}

/// The type or trait at a path; an alias is what it stands for.
pub(super) fn item_at(map: &Map, at: ModuleId, path: &[Name]) -> Option<Sym> {
    let mut found = raw_item_at(map, at, path)?;
    for _ in 0..8 {
        let def = map.def(found)?;
        if def.kind != ItemKind::Alias {
            return Some(found);
        }
        let TypeRef::Path(path, _) = &def.of else {
            return None;
        };
        found = raw_item_at(map, map.home(found)?, path)?;
    }
    None
}

fn raw_item_at(map: &Map, at: ModuleId, path: &[Name]) -> Option<Sym> {
    let hits = map.resolve(at, path, TYPES, None);
    hits.into_iter().find_map(|hit| match hit.meaning {
        Meaning::Item(sym) => Some(sym),
        _ => None,
    })
}

/// An id without the numbers that tell equal names apart.
fn unnumbered(id: &str) -> String {
    let links = id.split('.').map(|link| match link.split_once('#') {
        Some((name, mark)) => {
            let mark = mark.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{name}#{mark}")
        }
        None => format!("{link}#"),
    });
    links.collect::<Vec<_>>().join(".")
}
