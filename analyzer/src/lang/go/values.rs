//! Values: what an expression may be, found by following names, declared types, calls and members
//! through the packages of the project.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::database::{self, Db, SourceFile};
use crate::facts::{
    Binding, DefId, Definition, Expr, ExprId, FileFacts, ImportPath, Name, Summary,
};
use crate::files::text;
use crate::symbol::{SymbolId, SymbolKind};

use super::members::Found;
use super::packages::{self, PackageIndex};
use super::standard;

/// Longer chains of values are not followed.
const DEEPEST: u32 = 48;

/// A definition of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DefRef {
    pub file: SourceFile,
    pub def: DefId,
}

/// Where an expression is to be read: in the facts of a file or in its summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Home {
    pub file: SourceFile,
    pub in_facts: bool,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// A type that the project declares.
    Named(DefRef),
    /// A type that is written out: a tuple, a function or a record.
    Written(Home, ExprId),
    /// An interface of the standard library.
    Standard(usize),
}

/// What an expression may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    /// Anything.
    Unknown,
    /// Nothing of the project.
    Foreign,
    /// A package of the project: its folder and its name.
    Package(Name, Name),
    /// A package of foreign code, by its import path.
    ForeignPackage(Name),
    /// A type itself.
    Type(Shape),
    /// A value of a type.
    Object(Shape),
}

pub(super) type Values = Rc<[Value]>;

/// Resolves names, remembering everything found on the way.
pub(super) struct Session<'db> {
    pub db: &'db dyn Db,
    summaries: FxHashMap<SourceFile, Arc<Summary>>,
    facts: FxHashMap<SourceFile, Arc<FileFacts>>,
    packages: FxHashMap<(Name, Name), Arc<PackageIndex>>,
    values: FxHashMap<(Home, ExprId), Values>,
    names: FxHashMap<(SourceFile, Name), Rc<[Meaning]>>,
    depth: u32,
}

/// What a name of a file means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Definition(DefRef),
    /// What an import binds.
    Import(Value),
    /// An interface that the language itself declares.
    Standard(usize),
}

impl<'db> Session<'db> {
    pub fn new(db: &'db dyn Db) -> Self {
        Self {
            db,
            summaries: FxHashMap::default(),
            facts: FxHashMap::default(),
            packages: FxHashMap::default(),
            values: FxHashMap::default(),
            names: FxHashMap::default(),
            depth: 0,
        }
    }

    pub fn summary(&mut self, file: SourceFile) -> Arc<Summary> {
        let db = self.db;
        self.summaries
            .entry(file)
            .or_insert_with(|| database::summary(db, file))
            .clone()
    }

    pub fn facts(&mut self, file: SourceFile) -> Arc<FileFacts> {
        let db = self.db;
        self.facts
            .entry(file)
            .or_insert_with(|| database::facts(db, file))
            .clone()
    }

    /// Reads something off a definition.
    pub fn with<T: Default>(&mut self, at: DefRef, read: impl FnOnce(&Definition) -> T) -> T {
        let summary = self.summary(at.file);
        summary
            .definitions
            .get(at.def.0 as usize)
            .map(read)
            .unwrap_or_default()
    }

    pub fn id(&mut self, at: DefRef) -> Option<SymbolId> {
        self.with(at, |definition| Some(definition.id.clone()))
    }

    pub fn kind(&mut self, at: DefRef) -> Option<SymbolKind> {
        self.with(at, |definition| Some(definition.kind))
    }

    /// What the files of a package declare together.
    pub fn package(&mut self, folder: &Name, name: &Name) -> Arc<PackageIndex> {
        let db = self.db;
        self.packages
            .entry((folder.clone(), name.clone()))
            .or_insert_with(|| packages::package(db, text(db, folder), text(db, name)))
            .clone()
    }

    /// The package that a file is part of.
    pub fn package_of(&mut self, file: SourceFile) -> Arc<PackageIndex> {
        let folder = Name::new(packages::folder(file.path(self.db)));
        let name = self.summary(file).package.clone().unwrap_or_default();
        self.package(&folder, &name)
    }

    /// The packages that an import path means: of the project, or foreign.
    pub fn imported(&mut self, importer: SourceFile, path: &ImportPath) -> Vec<Value> {
        let db = self.db;
        let from = text(db, packages::folder(importer.path(db)));
        let Some(folder) = packages::folder_of(db, from, text(db, &path.module)) else {
            return vec![Value::ForeignPackage(path.module.clone())];
        };
        let names = packages::packages_in(db, text(db, &folder));
        let package = |name: &Name| Value::Package(Name::new(&folder), name.clone());
        names.iter().map(package).collect()
    }

    /// What a name means at the level of a file's package.
    pub fn name(&mut self, file: SourceFile, name: &Name) -> Rc<[Meaning]> {
        let key = (file, name.clone());
        if let Some(found) = self.names.get(&key) {
            return found.clone();
        }
        let found: Rc<[Meaning]> = self.find_name(file, name).into();
        self.names.insert(key, found.clone());
        found
    }

    fn find_name(&mut self, file: SourceFile, name: &Name) -> Vec<Meaning> {
        let own = self.package_of(file);
        if let Some(definitions) = own.names.get(name) {
            return definitions
                .iter()
                .copied()
                .map(Meaning::Definition)
                .collect();
        }
        let imported = self.imported_as(file, name);
        if !imported.is_empty() {
            return imported.into_iter().map(Meaning::Import).collect();
        }
        for star in self.stars(file) {
            for value in self.imported(file, &star) {
                let Value::Package(folder, package) = value else {
                    continue;
                };
                if let Some(definitions) = self.package(&folder, &package).names.get(name) {
                    return definitions
                        .iter()
                        .copied()
                        .map(Meaning::Definition)
                        .collect();
                }
            }
        }
        standard::find(name)
            .map(Meaning::Standard)
            .into_iter()
            .collect()
    }

    fn stars(&mut self, file: SourceFile) -> Vec<ImportPath> {
        let summary = self.summary(file);
        summary
            .scopes
            .first()
            .map(|scope| scope.stars.clone())
            .unwrap_or_default()
    }

    /// The packages that a file imports under a name. A package of the project is known by the name
    /// it gives itself, unless the import gives it another one.
    fn imported_as(&mut self, file: SourceFile, name: &Name) -> Vec<Value> {
        let summary = self.summary(file);
        let Some(scope) = summary.scopes.first() else {
            return Vec::new();
        };
        let bound = scope.names.get(name).into_iter().flatten();
        let mut found: Vec<Value> = Vec::new();
        for path in bound.filter_map(import) {
            found.extend(self.imported(file, path));
        }
        if !found.is_empty() {
            return found;
        }
        let all = scope.names.values().flatten().filter_map(import);
        for path in all {
            let packages = self.imported(file, path);
            found.extend(
                packages
                    .into_iter()
                    .filter(|value| matches!(value, Value::Package(_, package) if package == name)),
            );
        }
        found.dedup();
        found
    }

    /// What an expression may be.
    pub fn values(&mut self, home: Home, id: ExprId) -> Values {
        if let Some(values) = self.values.get(&(home, id)) {
            return values.clone();
        }
        if self.depth >= DEEPEST {
            return Rc::from([Value::Unknown]);
        }
        // What depends on itself could be anything.
        self.values.insert((home, id), Rc::from([Value::Unknown]));
        self.depth += 1;
        let values = self.evaluate(home, id);
        self.depth -= 1;
        let values: Values = distinct(values).into();
        self.values.insert((home, id), values.clone());
        values
    }

    pub fn expr(&mut self, home: Home, id: ExprId) -> Expr {
        let expr = if home.in_facts {
            self.facts(home.file)
                .expressions
                .get(id.0 as usize)
                .cloned()
        } else {
            self.summary(home.file)
                .expressions
                .get(id.0 as usize)
                .cloned()
        };
        expr.unwrap_or(Expr::Unknown)
    }

    fn evaluate(&mut self, home: Home, id: ExprId) -> Vec<Value> {
        match self.expr(home, id) {
            Expr::Literal => vec![Value::Foreign],
            Expr::Container(_) | Expr::Tuple(_) | Expr::Function { .. } | Expr::Record(_) => {
                vec![Value::Type(Shape::Written(home, id))]
            }
            Expr::Name(_, name) => self.values_of_name(home.file, &name),
            Expr::Attribute(object, name) => {
                let is_foreign = self.is_made_elsewhere(home, object);
                self.each(home, object, |session, value| {
                    let found = session.attribute(value, &name);
                    match *found {
                        [Found::Unknown] if is_foreign => vec![Value::Foreign],
                        _ => session.values_of(&found),
                    }
                })
            }
            Expr::Call(callee) => self.each(home, callee, Self::called),
            Expr::Item(whole) => self.each(home, whole, Self::item),
            Expr::Part(whole, index) => self.each(home, whole, |session, value| {
                session.part(value, index as usize)
            }),
            Expr::Instance(of) => self.each(home, of, |_, value| vec![instance(value)]),
            Expr::First(parts) => self.first(home, &parts),
            Expr::Definition(def) => {
                let file = home.file;
                self.values_of(&[Found::Definition(DefRef { file, def })])
            }
            // The others do not occur in Go.
            _ => vec![Value::Unknown],
        }
    }

    fn each(
        &mut self,
        home: Home,
        id: ExprId,
        step: impl Fn(&mut Self, &Value) -> Vec<Value>,
    ) -> Vec<Value> {
        let values = self.values(home, id);
        values.iter().flat_map(|value| step(self, value)).collect()
    }

    fn first(&mut self, home: Home, parts: &[ExprId]) -> Vec<Value> {
        for part in parts {
            let values = self.values(home, *part);
            if values.iter().any(|value| !is_foreign(value)) {
                return values.to_vec();
            }
        }
        vec![Value::Foreign]
    }

    /// Whether an object is what a function of foreign code made of what it was given.
    pub fn is_made_elsewhere(&mut self, home: Home, object: ExprId) -> bool {
        let Expr::First(parts) = self.expr(home, object) else {
            return false;
        };
        let made = parts.first().map(|made| self.expr(home, *made));
        let Some(Expr::Call(callee)) = made else {
            return false;
        };
        let callees = self.values(home, callee);
        callees.iter().all(|callee| *callee == Value::Foreign)
    }

    fn values_of_name(&mut self, file: SourceFile, name: &Name) -> Vec<Value> {
        let meanings = self.name(file, name);
        let mut values = Vec::new();
        for meaning in meanings.iter() {
            match meaning {
                Meaning::Definition(at) => values.extend(self.values_of_definition(*at)),
                Meaning::Import(value) => values.push(value.clone()),
                Meaning::Standard(index) => values.push(Value::Type(Shape::Standard(*index))),
            }
        }
        if values.is_empty() {
            values.push(Value::Foreign);
        }
        values
    }

    /// The values of something found.
    pub fn values_of(&mut self, found: &[Found]) -> Vec<Value> {
        let mut values = Vec::new();
        for one in found {
            match one {
                Found::Definition(at) => values.extend(self.values_of_definition(*at)),
                Found::Typed(home, of) => {
                    values.extend(self.values(*home, *of).iter().map(instance));
                }
                Found::Type(shape) => values.push(Value::Type(*shape)),
                Found::Standard(_) | Found::Foreign => values.push(Value::Foreign),
                Found::Unknown => values.push(Value::Unknown),
            }
        }
        values
    }

    fn values_of_definition(&mut self, at: DefRef) -> Vec<Value> {
        let home = Home {
            file: at.file,
            in_facts: false,
        };
        let kind = self.kind(at);
        let (declared, values) = self.with(at, |definition| {
            (definition.declared, definition.values.clone())
        });
        match (kind, declared) {
            (Some(SymbolKind::Class), _) => match self.alias(at) {
                Some(meaning) => self.values(home, meaning).to_vec(),
                None => vec![Value::Type(Shape::Named(at))],
            },
            (_, Some(declared)) => self.values(home, declared).iter().map(instance).collect(),
            _ => values
                .iter()
                .flat_map(|value| self.values(home, *value).to_vec())
                .collect(),
        }
    }

    /// The type that an alias stands for.
    pub fn alias(&mut self, at: DefRef) -> Option<ExprId> {
        self.with(at, |definition| {
            let is_alias = definition.scope.is_none() && definition.declared.is_none();
            definition.bases.first().copied().filter(|_| is_alias)
        })
    }

    /// The written types beneath a type.
    pub fn underlying(&mut self, shape: Shape) -> Vec<(Home, Expr)> {
        let mut seen = Vec::new();
        let mut shapes = vec![shape];
        let mut found = Vec::new();
        while let Some(shape) = shapes.pop() {
            if seen.contains(&shape) {
                continue;
            }
            seen.push(shape);
            match shape {
                Shape::Written(home, id) => found.push((home, self.expr(home, id))),
                Shape::Named(at) => {
                    let home = Home {
                        file: at.file,
                        in_facts: false,
                    };
                    if let Some(declared) = self.with(at, |definition| definition.declared) {
                        let values = self.values(home, declared);
                        shapes.extend(values.iter().filter_map(shape_of));
                    }
                }
                Shape::Standard(_) => {}
            }
        }
        found
    }

    fn called(&mut self, value: &Value) -> Vec<Value> {
        match value {
            Value::Type(shape) => vec![Value::Object(*shape)],
            Value::Object(shape) => {
                let mut results = Vec::new();
                for (home, expr) in self.underlying(*shape) {
                    if let Expr::Function { result, .. } = expr {
                        results.extend(self.values(home, result).iter().map(instance));
                    }
                }
                results
            }
            Value::Unknown => vec![Value::Unknown],
            _ => vec![Value::Foreign],
        }
    }

    /// An element, or a generic function or type made for certain types.
    fn item(&mut self, value: &Value) -> Vec<Value> {
        match value {
            Value::Object(shape) => {
                let is_function = |(_, expr): &(Home, Expr)| matches!(expr, Expr::Function { .. });
                if self.underlying(*shape).iter().any(is_function) {
                    return vec![value.clone()];
                }
                self.part(value, 0)
            }
            Value::Type(_) | Value::Unknown => vec![value.clone()],
            _ => vec![Value::Foreign],
        }
    }

    /// The n-th part of several results; of a container the items (0) or the keys (1).
    fn part(&mut self, value: &Value, index: usize) -> Vec<Value> {
        let Value::Object(shape) = value else {
            return vec![value.clone()];
        };
        let mut parts = Vec::new();
        for (home, expr) in self.underlying(*shape) {
            match expr {
                Expr::Tuple(types) => parts.extend(self.typed(home, &types, index)),
                Expr::Container(inner) => {
                    for inner in inner {
                        if let Expr::Tuple(types) = self.expr(home, inner) {
                            parts.extend(self.typed(home, &types, index));
                        }
                    }
                }
                // An iterator hands its elements to a function.
                Expr::Function { parameters, .. } => {
                    if let Some(yields) = parameters.first() {
                        parts.extend(self.yielded(home, *yields, index));
                    }
                }
                _ => {}
            }
        }
        if parts.is_empty() {
            parts.push(Value::Foreign);
        }
        parts
    }

    /// Values of the n-th of some types.
    fn typed(&mut self, home: Home, types: &[ExprId], index: usize) -> Vec<Value> {
        let of = types.get(index);
        of.map(|of| self.values(home, *of).iter().map(instance).collect())
            .unwrap_or_default()
    }

    fn yielded(&mut self, home: Home, yields: ExprId, index: usize) -> Vec<Value> {
        let Expr::Function { parameters, .. } = self.expr(home, yields) else {
            return Vec::new();
        };
        let of = match index {
            1 => parameters.first(),
            _ => parameters.last(),
        };
        of.map(|of| self.values(home, *of).iter().map(instance).collect())
            .unwrap_or_default()
    }
}

/// A value of a type.
fn instance(of: &Value) -> Value {
    match of {
        Value::Type(shape) => Value::Object(*shape),
        Value::Unknown => Value::Unknown,
        _ => Value::Foreign,
    }
}

fn shape_of(value: &Value) -> Option<Shape> {
    match value {
        Value::Type(shape) | Value::Object(shape) => Some(*shape),
        _ => None,
    }
}

fn is_foreign(value: &Value) -> bool {
    matches!(value, Value::Foreign | Value::ForeignPackage(_))
}

/// What an import binds in the scope of a file.
fn import(binding: &Binding) -> Option<&ImportPath> {
    match binding {
        Binding::Import(path) => Some(path),
        _ => None,
    }
}

pub(super) fn distinct<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
