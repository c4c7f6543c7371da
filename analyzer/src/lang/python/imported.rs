//! What the imports and exports of one file mean, and which import binds a name.

use crate::database::SourceFile;
use crate::facts::{Binding, Expr, ExprId, Name, RawImport};
use crate::occurrence::Import;
use crate::summary::lookup;
use crate::symbol::SymbolId;

use super::modules::{self, Module};
use super::references::Resolver;

impl Resolver<'_> {
    pub(super) fn index_imports(&mut self) {
        for (index, import) in self.session.facts.imports.iter().enumerate() {
            self.imports
                .entry((import.scope, import.bound.clone()))
                .or_insert(index);
        }
    }

    /// The import that binds the name.
    pub(super) fn through(&mut self, id: ExprId) -> Option<usize> {
        let Some(Expr::Name(scope, name)) = self.expr(id) else {
            return None;
        };
        let facts = self.session.facts.clone();
        match lookup(&facts.scopes, scope, &name) {
            Some((owner, bindings)) => {
                let is_import = bindings
                    .iter()
                    .any(|binding| matches!(binding, Binding::Import(_)));
                is_import
                    .then(|| self.imports.get(&(owner, name)).copied())
                    .flatten()
            }
            None => self.through_star(&name),
        }
    }

    pub(super) fn through_star(&mut self, name: &Name) -> Option<usize> {
        let facts = self.session.facts.clone();
        let file = self.session.file;
        let stars = facts
            .imports
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, import)| import.bound == "*");
        for (index, star) in stars {
            let module = modules::find(self.session.db, file, star.path.level, &star.path.module);
            let Some(Module::File(module)) = module else {
                continue;
            };
            if self.session.is_public(module, name)
                && !self.session.member_of_file(module, name).is_empty()
            {
                return Some(index);
            }
        }
        None
    }

    pub(super) fn import(
        &mut self,
        index: u32,
        raw: &RawImport,
        loads: &mut Vec<(u32, SymbolId)>,
    ) -> Import {
        let (db, file) = (self.session.db, self.session.file);
        let module = match modules::find(db, file, raw.path.level, &raw.path.module) {
            Some(Module::File(module)) => Some(module),
            _ => None,
        };
        let targets = match (raw.bound == "*", module) {
            (true, Some(module)) => self.star_targets(module),
            (true, None) => Vec::new(),
            (false, _) => {
                let found = self.session.imported(file, &raw.path);
                self.symbols(&found)
            }
        };
        let named = module.map(|module| module.path(db).to_owned());
        for path in named.iter().map(String::as_str).chain(
            targets
                .iter()
                .filter(|target| target.is_module())
                .map(SymbolId::path),
        ) {
            loads.extend(
                modules::packages_around(db, path)
                    .into_iter()
                    .map(|package| (index, package)),
            );
        }
        let from = self
            .session
            .facts
            .definitions
            .get(raw.from.0 as usize)
            .map(|from| from.id.clone());
        Import {
            statement: raw.statement.clone(),
            item: raw.item.clone(),
            bound: raw.bound.to_string(),
            scope: from.unwrap_or_else(|| SymbolId::module(file.path(db))),
            targets: sorted(targets),
            module: named,
            runs: raw.runs,
        }
    }

    pub(super) fn star_targets(&mut self, module: SourceFile) -> Vec<SymbolId> {
        let names = match self.session.public_names(module, &mut Vec::new()) {
            Some(names) => names.to_vec(),
            None => self.session.all_names(module, &mut Vec::new()),
        };
        names
            .iter()
            .filter(|name| !name.starts_with("__"))
            .flat_map(|name| self.members_of_module(module, name))
            .collect()
    }

    pub(super) fn members_of_module(&mut self, module: SourceFile, name: &Name) -> Vec<SymbolId> {
        let found = self.session.member_of_module(&Module::File(module), name);
        sorted(self.symbols(&found))
    }
}

fn sorted(mut symbols: Vec<SymbolId>) -> Vec<SymbolId> {
    symbols.sort();
    symbols.dedup();
    symbols
}
