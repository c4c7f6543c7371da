//! The map of the project: the module trees of all crates, with every name that `use` items bring
//! into them.

mod building;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use grammars::Language;

use super::crates;
use super::items::{Def, ItemKind, Items, ScopeIndex};
use crate::database::{self, Db, SourceFile};
use crate::facts::{DefId, Name, Summary};
use crate::lang::Own;
use crate::symbol::SymbolId;

/// A definition: the index of its file, and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sym {
    pub file: u32,
    pub def: DefId,
}

/// Index into [`Map::modules`].
pub(super) type ModuleId = u32;

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    /// A module or the body of a function.
    Module(ModuleId),
    /// An item.
    Item(Sym),
    /// Something of another project.
    Foreign,
}

/// Sets of name spaces.
pub(super) const TYPES: u8 = 1;
pub(super) const VALUES: u8 = 2;
pub(super) const MACROS: u8 = 4;
pub(super) const ALL: u8 = TYPES | VALUES | MACROS;

/// One meaning of a name in a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub spaces: u8,
    pub meaning: Meaning,
    /// The import that brings it, as an index into the imports of the module's file.
    pub import: Option<u32>,
    /// Whether that import brings all names; others go before it.
    pub is_glob: bool,
    /// Where the import takes it from.
    pub origin: Option<(ModuleId, Name)>,
    /// Whether others may take it from here.
    pub is_public: bool,
}

/// A scope of a file as part of one module tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub file: u32,
    pub scope: ScopeIndex,
    /// The module above; for a body what is around it.
    pub parent: Option<ModuleId>,
    pub is_module: bool,
    pub root: ModuleId,
    /// The folder in which files of child modules stand.
    folder: String,
    pub names: BTreeMap<Name, Vec<Entry>>,
    /// Imports of all names of foreign modules.
    pub foreign_globs: Vec<u32>,
}

/// A file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MapFile {
    pub file: SourceFile,
    pub path: String,
    pub items: Arc<Items>,
    pub summary: Arc<Summary>,
    /// Where its scopes start in the list of modules, for each place in a module tree.
    pub bases: Vec<ModuleId>,
}

/// All crates of the project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Map {
    /// In order of their paths.
    pub files: Vec<MapFile>,
    pub modules: Vec<Module>,
    pub externs: BTreeMap<Name, ModuleId>,
    index: BTreeMap<String, u32>,
}

/// One way to read a path: what its last segment means, and where each segment was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub meaning: Meaning,
    pub spaces: u8,
    /// Where the name stands that led here.
    pub at: Option<(ModuleId, Name)>,
    pub import: Option<u32>,
}

/// The map of the project.
#[salsa::tracked(returns(clone))]
pub(super) fn map(db: &dyn Db) -> Arc<Map> {
    let mut map = Map::default();
    for &file in database::files(db) {
        if file.language(db) == Language::Rust {
            map.add_file(
                file,
                file.path(db),
                items(db, file),
                database::summary(db, file),
            );
        }
    }
    let paths: BTreeSet<&str> = map.files.iter().map(|file| &*file.path).collect();
    let manifests = database::manifests(db)
        .iter()
        .filter(|manifest| manifest.path(db).ends_with("Cargo.toml"))
        .map(|manifest| (manifest.path(db), manifest.text(db)));
    let crates = crates::crates(manifests, &paths);
    map.plant(&crates);
    map.import_all();
    Arc::new(map)
}

/// What a file declares; it holds no positions.
#[salsa::tracked(returns(clone))]
fn items(db: &dyn Db, file: SourceFile) -> Arc<Items> {
    match &database::facts(db, file).own {
        Own::Rust(facts) => facts.items.clone(),
        Own::Nothing => Arc::default(),
    }
}

impl Map {
    /// The index of a file.
    pub fn file(&self, path: &str) -> Option<u32> {
        self.index.get(path).copied()
    }

    pub fn def(&self, sym: Sym) -> Option<&Def> {
        let file = self.files.get(sym.file as usize)?;
        file.items.defs.get(sym.def.0 as usize)
    }

    pub fn id(&self, sym: Sym) -> Option<&SymbolId> {
        let file = self.files.get(sym.file as usize)?;
        Some(&file.summary.definitions.get(sym.def.0 as usize)?.id)
    }

    /// The module or body in whose terms the text of an item is written.
    pub fn home(&self, sym: Sym) -> Option<ModuleId> {
        let file = self.files.get(sym.file as usize)?;
        let def = file.items.defs.get(sym.def.0 as usize)?;
        Some(file.bases.first()? + def.scope)
    }

    pub fn module(&self, id: ModuleId) -> Option<&Module> {
        self.modules.get(id as usize)
    }

    /// The symbols of a module: its file, or the module in it.
    pub fn module_symbol(&self, id: ModuleId) -> Option<Sym> {
        let module = self.module(id)?;
        let file = self.files.get(module.file as usize)?;
        let scope = file.items.scopes.get(module.scope as usize)?;
        Some(Sym {
            file: module.file,
            def: scope.def,
        })
    }

    /// A module and those above it.
    pub fn outwards(&self, from: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(from), |id| self.module(*id)?.parent)
    }

    /// The variants of an enum.
    pub fn variants(&self, sym: Sym) -> Vec<(Name, u8, Sym)> {
        let Some(file) = self.files.get(sym.file as usize) else {
            return Vec::new();
        };
        let inside = (0..).map(DefId).zip(&file.items.defs);
        let variants = inside
            .skip(sym.def.0 as usize + 1)
            .take_while(|(_, def)| def.container >= sym.def)
            .filter(|(_, def)| def.container == sym.def && def.kind == ItemKind::Variant);
        let variant = |(id, def): (DefId, &Def)| {
            let file = sym.file;
            (def.name.clone(), TYPES | VALUES, Sym { file, def: id })
        };
        variants.map(variant).collect()
    }

    /// The nearest module around a scope.
    pub fn enclosing(&self, at: ModuleId) -> ModuleId {
        let mut scopes = self.outwards(at);
        scopes
            .find(|id| self.module(*id).is_some_and(|module| module.is_module))
            .unwrap_or(at)
    }

    /// Everything that a path may mean; items of types are found with [`super::members`]. An import
    /// does not find itself (`except`).
    pub fn resolve(
        &self,
        at: ModuleId,
        path: &[Name],
        spaces: u8,
        except: Option<u32>,
    ) -> Vec<Hit> {
        let Some((first, rest)) = path.split_first() else {
            return Vec::new();
        };
        let wanted = |rest: &[Name]| if rest.is_empty() { spaces } else { TYPES };
        let (mut hits, mut rest) = match rest.split_first() {
            // What follows is a crate, or in old code something of this one.
            Some((name, after)) if first.is_empty() => {
                (self.of_root(at, name, wanted(after)), after)
            }
            _ => (self.first(at, first, wanted(rest), except), rest),
        };
        while let Some((name, after)) = rest.split_first() {
            let found = hits.iter().flat_map(|hit| match hit.meaning {
                Meaning::Module(module) if name == "super" => {
                    self.above(module).into_iter().collect()
                }
                Meaning::Module(module) if name == "self" => vec![module_hit(module)],
                Meaning::Module(module) => {
                    self.named(module, name, wanted(after), except.filter(|_| module == at))
                }
                Meaning::Item(sym) => self.variant(sym, name),
                Meaning::Foreign => vec![foreign_hit()],
            });
            hits = found.collect();
            rest = after;
        }
        hits
    }

    fn of_root(&self, at: ModuleId, name: &Name, spaces: u8) -> Vec<Hit> {
        if let Some(root) = self.externs.get(name) {
            return vec![module_hit(*root)];
        }
        let root = self.module(at).map(|module| module.root);
        let hits: Vec<Hit> = root
            .map(|root| self.named(root, name, spaces, None))
            .unwrap_or_default();
        match hits.is_empty() {
            true => vec![foreign_hit()],
            false => hits,
        }
    }

    fn variant(&self, sym: Sym, name: &Name) -> Vec<Hit> {
        let variants = self.variants(sym).into_iter();
        let found = variants.filter(|(variant, ..)| variant == name);
        found
            .map(|(_, spaces, variant)| Hit {
                meaning: Meaning::Item(variant),
                spaces,
                at: None,
                import: None,
            })
            .collect()
    }

    fn above(&self, module: ModuleId) -> Option<Hit> {
        let above = self.module(self.enclosing(module))?.parent?;
        Some(module_hit(self.enclosing(above)))
    }

    /// What a name means in a module.
    pub fn named(
        &self,
        module: ModuleId,
        name: &Name,
        spaces: u8,
        except: Option<u32>,
    ) -> Vec<Hit> {
        let entries = self.module(module).and_then(|it| it.names.get(name));
        let entries: Vec<&Entry> = entries
            .into_iter()
            .flatten()
            .filter(|entry| entry.spaces & spaces != 0)
            .filter(|entry| except.is_none() || entry.import != except)
            .collect();
        let explicit = entries
            .iter()
            .filter(|entry| !entry.is_glob)
            .fold(0, |spaces, entry| spaces | entry.spaces);
        let wins = |entry: &&&Entry| !entry.is_glob || entry.spaces & spaces & !explicit != 0;
        let hit = |entry: &&Entry| Hit {
            meaning: entry.meaning,
            spaces: entry.spaces & spaces,
            at: Some((module, name.clone())),
            import: entry.import,
        };
        entries.iter().filter(wins).map(hit).collect()
    }

    /// What the first segment of a path means.
    fn first(&self, at: ModuleId, name: &Name, spaces: u8, except: Option<u32>) -> Vec<Hit> {
        let own = self.enclosing(at);
        match name.as_str() {
            "crate" | "$crate" => {
                let root = self.module(at).map(|module| module.root);
                return root.map(module_hit).into_iter().collect();
            }
            "self" => return vec![module_hit(own)],
            "super" => return self.above(own).into_iter().collect(),
            _ => {}
        }
        for scope in self.outwards(at) {
            let hits = self.named(scope, name, spaces, except.filter(|_| scope == at));
            if !hits.is_empty() {
                return hits;
            }
            if scope == own {
                break;
            }
        }
        if spaces & MACROS != 0 {
            let scopes = self.outwards(own).skip(1);
            let root = self.module(own).map(|module| module.root);
            let crates = root.into_iter().chain(self.externs.values().copied());
            for scope in scopes.chain(crates) {
                let hits = self.named(scope, name, MACROS, None);
                if !hits.is_empty() {
                    return hits;
                }
            }
        }
        if spaces & TYPES == 0 {
            return Vec::new();
        }
        if let Some(root) = self.externs.get(name) {
            return vec![module_hit(*root)];
        }
        // In the 2015 edition `use` starts at the root of the crate.
        let root = self.module(at).map(|module| module.root);
        if except.is_some()
            && let Some(root) = root
        {
            let hits = self.named(root, name, spaces, except.filter(|_| root == at));
            if !hits.is_empty() {
                return hits;
            }
        }
        match except {
            Some(_) => vec![foreign_hit()],
            None if ["std", "core", "alloc", "proc_macro"].contains(&name.as_str()) => {
                vec![foreign_hit()]
            }
            None => Vec::new(),
        }
    }
}

fn module_hit(module: ModuleId) -> Hit {
    Hit {
        meaning: Meaning::Module(module),
        spaces: TYPES,
        at: None,
        import: None,
    }
}

fn foreign_hit() -> Hit {
    Hit {
        meaning: Meaning::Foreign,
        spaces: ALL,
        at: None,
        import: None,
    }
}
