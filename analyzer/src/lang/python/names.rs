//! Names: what they are bound to in scopes, modules and through imports.

use std::rc::Rc;

use crate::database::SourceFile;
use crate::facts::{Binding, ExportPart, ImportPath, MODULE_SCOPE, Name, ScopeId};
use crate::summary::lookup;

use super::modules::{self, Module};
use super::values::{DefRef, Found, Home, Session, Value, distinct};

impl Session<'_> {
    /// What a name means where an expression stands.
    pub fn name(&mut self, home: Home, scope: ScopeId, name: &Name) -> Rc<[Found]> {
        let file = self.file_of(home);
        if let Home::Facts = home {
            let facts = self.facts.clone();
            if let Some((_, bindings)) =
                lookup(&facts.scopes, scope, name).filter(|(owner, _)| *owner != MODULE_SCOPE)
            {
                return self.bound(Home::Facts, bindings).into();
            }
        }
        self.global(file, name)
    }

    /// What a name of a module means; a built-in name is foreign.
    fn global(&mut self, file: SourceFile, name: &Name) -> Rc<[Found]> {
        let found = self.member_of_file(file, name);
        if found.is_empty() {
            Rc::from([Found::Foreign])
        } else {
            found
        }
    }

    /// What a name bound in a module means, seen from outside; empty if it is not bound there.
    pub fn member_of_file(&mut self, file: SourceFile, name: &Name) -> Rc<[Found]> {
        let key = (file, name.clone());
        if let Some(found) = self.members.get(&key) {
            return found.clone();
        }
        if !self.active.insert(key.clone()) {
            return Rc::from([]);
        }
        let found: Rc<[Found]> = self.find_member_of_file(file, name).into();
        self.active.remove(&key);
        // An answer found in the middle of a circle of imports may lack what the circle would add.
        if self.active.is_empty() || !found.is_empty() {
            self.members.insert(key, found.clone());
        }
        found
    }

    fn find_member_of_file(&mut self, file: SourceFile, name: &Name) -> Vec<Found> {
        let summary = self.summary(file);
        let Some(scope) = summary.scopes.first() else {
            return Vec::new();
        };
        if let Some(bindings) = scope.names.get(name) {
            return self.bound(Home::Summary(file), bindings);
        }
        // The last star import wins. One in a circle of imports may know the name without its meaning.
        let mut vague = Vec::new();
        for star in scope.stars.iter().rev() {
            let Some(Module::File(module)) = modules::find(self.db, file, star.level, &star.module)
            else {
                continue;
            };
            if self.is_public(module, name) {
                let found = self.member_of_file(module, name);
                if is_definite(&found) {
                    return found.to_vec();
                }
                vague.extend(found.iter().cloned());
            }
        }
        distinct(vague)
    }

    pub fn bound(&mut self, home: Home, bindings: &[Binding]) -> Vec<Found> {
        let file = self.file_of(home);
        let mut found = Vec::new();
        for binding in bindings {
            match binding {
                Binding::Definition(def) => {
                    found.push(Found::Definition(DefRef { file, def: *def }))
                }
                Binding::Import(path) => found.extend(self.imported(file, path).iter().cloned()),
                Binding::Value(value) => found.push(Found::Value(home, *value)),
            }
        }
        distinct(found)
    }

    /// What an import asks for.
    pub fn imported(&mut self, importer: SourceFile, path: &ImportPath) -> Rc<[Found]> {
        let key = (importer, path.clone());
        if let Some(found) = self.imports.get(&key) {
            return found.clone();
        }
        let found: Rc<[Found]> = self.find_imported(importer, path).into();
        if self.active.is_empty() {
            self.imports.insert(key, found.clone());
        }
        found
    }

    fn find_imported(&mut self, importer: SourceFile, path: &ImportPath) -> Vec<Found> {
        let Some(module) = modules::find(self.db, importer, path.level, &path.module) else {
            return vec![Found::Foreign];
        };
        match &path.member {
            None => vec![Found::Module(module)],
            Some(name) => {
                let found = self.member_of_module(&module, name);
                if found.is_empty() {
                    vec![Found::Unknown]
                } else {
                    found
                }
            }
        }
    }

    /// A member of a module: a name bound in it, or else a module below it.
    pub fn member_of_module(&mut self, module: &Module, name: &Name) -> Vec<Found> {
        if let Module::File(file) = module {
            let found = self.member_of_file(*file, name);
            if !found.is_empty() {
                return found.to_vec();
            }
        }
        modules::submodule(self.db, module, name)
            .map(Found::Module)
            .into_iter()
            .collect()
    }

    /// Whether a star import of a module brings a name along.
    pub fn is_public(&mut self, module: SourceFile, name: &Name) -> bool {
        match self.public_names(module, &mut Vec::new()) {
            Some(names) => names.contains(name),
            None => !name.starts_with('_'),
        }
    }

    /// The names in the list of public names of a module, if it has one.
    pub fn public_names(
        &mut self,
        module: SourceFile,
        around: &mut Vec<SourceFile>,
    ) -> Option<Rc<[Name]>> {
        let summary = self.summary(module);
        let parts = summary.exports.as_ref()?;
        if around.contains(&module) {
            return Some(Rc::from([]));
        }
        around.push(module);
        let mut names = Vec::new();
        for part in parts {
            match part {
                ExportPart::Name(name) => names.push(name.clone()),
                ExportPart::AllOf(object) => {
                    for value in self.values(Home::Summary(module), *object).iter() {
                        if let Value::Module(Module::File(other)) = value {
                            names.extend(
                                self.public_names(*other, around)
                                    .iter()
                                    .flat_map(|names| names.to_vec()),
                            );
                        }
                    }
                }
            }
        }
        around.pop();
        Some(names.into())
    }

    /// The names that a star import of a module without a list of public names binds, sorted.
    pub fn all_names(&mut self, module: SourceFile, around: &mut Vec<SourceFile>) -> Vec<Name> {
        if around.contains(&module) {
            return Vec::new();
        }
        around.push(module);
        let summary = self.summary(module);
        let mut names: Vec<Name> = Vec::new();
        if let Some(scope) = summary.scopes.get(MODULE_SCOPE.0 as usize) {
            names.extend(
                scope
                    .names
                    .keys()
                    .filter(|name| !name.starts_with('_'))
                    .cloned(),
            );
            for star in scope.stars.iter().rev() {
                if let Some(Module::File(other)) =
                    modules::find(self.db, module, star.level, &star.module)
                {
                    match self.public_names(other, &mut Vec::new()) {
                        Some(public) => names.extend(public.iter().cloned()),
                        None => names.extend(self.all_names(other, around)),
                    }
                }
            }
        }
        around.pop();
        names.sort();
        names.dedup();
        names
    }
}

/// Whether something was found, and nothing of it is unknown.
fn is_definite(found: &[Found]) -> bool {
    !found.is_empty() && !found.contains(&Found::Unknown)
}
