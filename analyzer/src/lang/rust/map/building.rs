//! How the map is made: module trees from the files of each crate, and what `use` items bring into them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ALL, Entry, MACROS, Map, MapFile, Meaning, Module, ModuleId, Sym, TYPES, VALUES};
use crate::database::SourceFile;
use crate::facts::{Name, Summary};
use crate::lang::rust::crates::{Crates, join};
use crate::lang::rust::items::{Def, Import, ItemKind, Items, Path, Source};

/// Rounds after which imports that still bring something new are left alone.
const ROUNDS: usize = 32;

impl Map {
    pub fn add_file(
        &mut self,
        file: SourceFile,
        path: &str,
        items: Arc<Items>,
        summary: Arc<Summary>,
    ) {
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

    /// Builds the module trees.
    pub fn plant(&mut self, crates: &Crates) {
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
    pub fn import_all(&mut self) {
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
