//! The map of the project: the module trees of all crates, with every name that `use` items bring
//! into them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use grammars::Language;

use super::crates::{self, Crates, join};
use super::items::{Def, Import, ItemKind, Items, Path, ScopeIndex, Source};
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

/// Rounds after which imports that still bring something new are left alone.
const ROUNDS: usize = 32;

impl Map {
    fn add_file(&mut self, file: SourceFile, path: &str, items: Arc<Items>, summary: Arc<Summary>) {
        let index = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        self.index.insert(path.to_owned(), index);
        self.files.push(MapFile {
            file,
            path: path.to_owned(),
            items,
            summary,
            bases: Vec::new(),
        });
    }

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

    /// Builds the module trees.
    fn plant(&mut self, crates: &Crates) {
        for root in &crates.roots {
            if let Some(file) = self.file(root) {
                let folder = folder_of(root).to_owned();
                self.instantiate(file, None, folder, 0);
            }
        }
        for (name, path) in &crates.externs {
            let base = self
                .file(path)
                .and_then(|file| self.files.get(file as usize)?.bases.first().copied());
            if let Some(base) = base {
                self.externs.insert(name.clone(), base);
            }
        }
        self.adopt();
    }

    /// Files that no module names get a place by their paths: a macro may write the `mod` item.
    fn adopt(&mut self) {
        loop {
            let unplaced = |file: &MapFile| file.bases.is_empty();
            let mut paths: Vec<String> = self
                .files
                .iter()
                .filter(|file| unplaced(file))
                .map(|file| file.path.clone())
                .collect();
            let found = paths
                .iter()
                .find_map(|path| Some((path.clone(), self.parent_by_path(path)?)));
            let (path, parent) = match found {
                Some((path, parent)) => (path, Some(parent)),
                None if paths.is_empty() => return,
                None => (paths.swap_remove(0), None),
            };
            let Some(file) = self.file(&path) else { return };
            let (folder, name) = (child_folder(&path), module_name(&path));
            let base = self.instantiate(file, parent, folder, 0);
            if let (Some(parent), Some(base)) = (parent, base) {
                self.bind(parent, &name, module_entry(base, None));
            }
        }
    }

    fn parent_by_path(&self, path: &str) -> Option<ModuleId> {
        let folder = match path.strip_suffix("/mod.rs") {
            Some(folder) => folder_of(folder),
            None => folder_of(path),
        };
        let candidates = [
            format!("{folder}.rs"),
            join(folder, "mod.rs"),
            join(folder, "lib.rs"),
            join(folder, "main.rs"),
        ];
        let candidates = candidates.iter().filter(|candidate| *candidate != path);
        candidates
            .filter_map(|path| self.file(path))
            .find_map(|file| self.files.get(file as usize)?.bases.first().copied())
    }

    /// Gives a file a place in a module tree, and its child modules with it.
    fn instantiate(
        &mut self,
        file: u32,
        parent: Option<ModuleId>,
        folder: String,
        depth: u32,
    ) -> Option<ModuleId> {
        let entry = self.files.get_mut(file as usize)?;
        // A file that includes itself, or one that hundreds include, is placed once.
        if depth > 64 || entry.bases.len() > 16 {
            return None;
        }
        let base = u32::try_from(self.modules.len()).ok()?;
        entry.bases.push(base);
        let items = entry.items.clone();
        let root = parent.map_or(base, |parent| {
            self.module(parent).map_or(base, |module| module.root)
        });
        for (index, scope) in (0..).zip(&items.scopes) {
            let above = match scope.parent {
                Some(above) => Some(base + above),
                None => parent,
            };
            let folder = match scope.parent.and_then(|above| {
                let outer = self.module(base + above)?;
                let named = items.scopes.get(above as usize)?.modules.iter();
                let (name, _) = named.into_iter().find(|(_, inner)| *inner == index)?;
                Some(join(&outer.folder, name))
            }) {
                Some(folder) => folder,
                None => folder.clone(),
            };
            self.modules.push(Module {
                file,
                scope: index,
                parent: above,
                is_module: scope.is_module,
                root,
                folder,
                names: BTreeMap::new(),
                foreign_globs: Vec::new(),
            });
        }
        self.declare(file, base, &items);
        for (index, import) in (0..).zip(&items.imports) {
            if let Source::File(name, path) = &import.source {
                self.file_module(base, index, import, name, path.as_ref(), depth);
            }
        }
        Some(base)
    }

    /// Binds what the scopes of a file declare themselves.
    fn declare(&mut self, file: u32, base: ModuleId, items: &Items) {
        for (index, scope) in (0..).zip(&items.scopes) {
            for def in &scope.declared {
                let Some(item) = items.defs.get(def.0 as usize) else {
                    continue;
                };
                let spaces = spaces_of(item);
                if spaces == 0 {
                    continue;
                }
                let entry = Entry {
                    spaces,
                    meaning: Meaning::Item(Sym { file, def: *def }),
                    import: None,
                    is_glob: false,
                    origin: None,
                    is_public: true,
                };
                if item.is_exported
                    && let Some(root) = self.module(base + index).map(|module| module.root)
                {
                    self.bind(root, &item.name, entry.clone());
                }
                self.bind(base + index, &item.name, entry);
            }
            for (name, inner) in &scope.modules {
                self.bind(base + index, name, module_entry(base + inner, None));
            }
        }
    }

    fn file_module(
        &mut self,
        base: ModuleId,
        index: u32,
        import: &Import,
        name: &Name,
        path: Option<&Name>,
        depth: u32,
    ) {
        let at = base + import.scope;
        let Some(module) = self.module(at) else {
            return;
        };
        let own = self.files.get(module.file as usize);
        let own = own.map(|file| folder_of(&file.path).to_owned());
        let folder = module.folder.clone();
        let candidates = match path {
            // Beside the file for a module of its own, below the folder of the module in one.
            Some(path) if module.scope == 0 => {
                vec![join(&own.unwrap_or_default(), path)]
            }
            Some(path) => vec![join(&folder, path), join(&own.unwrap_or_default(), path)],
            None => vec![
                join(&folder, &format!("{name}.rs")),
                join(&folder, &format!("{name}/mod.rs")),
            ],
        };
        let found = candidates
            .iter()
            .find_map(|path| Some((path, self.file(path)?)));
        let meaning = found.and_then(|(found, file)| {
            let folder = match path {
                Some(_) => folder_of(found).to_owned(),
                None => join(&folder, name),
            };
            self.instantiate(file, Some(at), folder, depth + 1)
        });
        if let Some(child) = meaning {
            let mut entry = module_entry(child, Some(index));
            entry.is_public = import.is_public;
            self.bind(at, name, entry);
        }
    }

    /// Adds a meaning; whether it is a new one.
    fn bind(&mut self, at: ModuleId, name: &Name, entry: Entry) -> bool {
        let Some(module) = self.modules.get_mut(at as usize) else {
            return false;
        };
        let entries = module.names.entry(name.clone()).or_default();
        let known = |other: &Entry| {
            other.meaning == entry.meaning
                && other.spaces & entry.spaces == entry.spaces
                && other.import == entry.import
        };
        if entries.iter().any(known) || entries.len() > 64 {
            return false;
        }
        entries.push(entry);
        true
    }

    /// Follows imports until they bring nothing new.
    fn import_all(&mut self) {
        for _ in 0..ROUNDS {
            let mut is_new = false;
            for file in 0..self.files.len() {
                let Some(entry) = self.files.get(file) else {
                    continue;
                };
                let (items, bases) = (entry.items.clone(), entry.bases.clone());
                for base in bases {
                    for (index, import) in (0..).zip(&items.imports) {
                        is_new |= self.import(base + import.scope, index, import);
                    }
                }
            }
            if !is_new {
                return;
            }
        }
    }

    fn import(&mut self, at: ModuleId, index: u32, import: &Import) -> bool {
        let entry = |meaning, spaces, origin| Entry {
            spaces,
            meaning,
            import: Some(index),
            is_glob: false,
            origin,
            is_public: import.is_public,
        };
        match &import.source {
            Source::File(..) => false,
            Source::Crate(name) => {
                let meaning = match name.as_str() {
                    "self" => self.module(at).map(|module| Meaning::Module(module.root)),
                    name => self.externs.get(name).map(|root| Meaning::Module(*root)),
                };
                let meaning = meaning.unwrap_or(Meaning::Foreign);
                self.bind(at, &import.bound, entry(meaning, TYPES, None))
            }
            Source::Path(path) if import.bound == "*" => self.glob(at, index, import, path),
            Source::Path(path) => {
                let mut is_new = false;
                for hit in self.resolve(at, path, ALL, Some(index)) {
                    let spaces = match hit.meaning {
                        Meaning::Foreign => ALL,
                        _ => hit.spaces,
                    };
                    is_new |= self.bind(at, &import.bound, entry(hit.meaning, spaces, hit.at));
                }
                is_new
            }
        }
    }

    fn glob(&mut self, at: ModuleId, index: u32, import: &Import, path: &Path) -> bool {
        let mut is_new = false;
        for hit in self.resolve(at, path, TYPES, Some(index)) {
            let from = match hit.meaning {
                Meaning::Module(from) => from,
                Meaning::Item(sym) => {
                    for (name, spaces, variant) in self.variants(sym) {
                        let entry = Entry {
                            spaces,
                            meaning: Meaning::Item(variant),
                            import: Some(index),
                            is_glob: true,
                            origin: None,
                            is_public: import.is_public,
                        };
                        is_new |= self.bind(at, &name, entry);
                    }
                    continue;
                }
                Meaning::Foreign => {
                    if let Some(module) = self.modules.get_mut(at as usize)
                        && !module.foreign_globs.contains(&index)
                    {
                        module.foreign_globs.push(index);
                    }
                    continue;
                }
            };
            if from == at {
                continue;
            }
            let is_inside = self.is_inside(at, from);
            let names = self.module(from).map(|module| module.names.clone());
            for (name, entries) in names.into_iter().flatten() {
                for known in entries.into_iter().filter(|it| it.is_public || is_inside) {
                    let entry = Entry {
                        import: Some(index),
                        is_glob: true,
                        origin: Some((from, name.clone())),
                        is_public: import.is_public,
                        ..known
                    };
                    is_new |= self.bind(at, &name, entry);
                }
            }
        }
        is_new
    }

    fn is_inside(&self, inner: ModuleId, outer: ModuleId) -> bool {
        self.outwards(inner).any(|module| module == outer)
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

fn spaces_of(item: &Def) -> u8 {
    match item.kind {
        ItemKind::Function | ItemKind::Value => VALUES,
        ItemKind::Struct if item.is_value => TYPES | VALUES,
        ItemKind::Struct | ItemKind::Enum | ItemKind::Trait | ItemKind::Alias => TYPES,
        ItemKind::Macro => MACROS,
        ItemKind::Module | ItemKind::Variant | ItemKind::Field | ItemKind::Impl => 0,
    }
}

fn module_entry(module: ModuleId, import: Option<u32>) -> Entry {
    Entry {
        spaces: TYPES,
        meaning: Meaning::Module(module),
        import,
        is_glob: false,
        origin: None,
        is_public: true,
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

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of the child modules of a file that is no root of a crate.
fn child_folder(path: &str) -> String {
    let is_root = ["mod.rs", "lib.rs", "main.rs"]
        .iter()
        .any(|name| path.rsplit('/').next() == Some(name));
    match is_root {
        true => folder_of(path).to_owned(),
        false => path.strip_suffix(".rs").unwrap_or(path).to_owned(),
    }
}

/// What a file is called as a module.
fn module_name(path: &str) -> Name {
    let path = path.strip_suffix("/mod.rs").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    Name::new(name.strip_suffix(".rs").unwrap_or(name))
}
