//! Members: the fields and methods of types, those of embedded types included.

use crate::facts::{Binding, Expr, ExprId, Name};
use crate::symbol::SymbolKind;

use super::standard;
use super::values::{DefRef, Home, Session, Shape, Value, distinct};

/// What a member was found to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Found {
    Definition(DefRef),
    /// A value of this type, without a definition that is a symbol.
    Typed(Home, ExprId),
    /// A type of foreign code.
    Type(Shape),
    /// A method of an interface of the standard library.
    Standard(usize),
    Foreign,
    Unknown,
}

/// Where the search for a member goes on.
#[derive(Default)]
struct Level {
    found: Vec<Found>,
    /// The types embedded in those that were searched.
    embedded: Vec<Value>,
}

impl Session<'_> {
    /// A member of a value.
    pub fn attribute(&mut self, value: &Value, name: &Name) -> Vec<Found> {
        match value {
            Value::Unknown => vec![Found::Unknown],
            Value::Foreign => vec![Found::Foreign],
            Value::ForeignPackage(path) => {
                let known = standard::find(&format!("{path}.{name}"));
                vec![known.map_or(Found::Foreign, |index| Found::Type(Shape::Standard(index)))]
            }
            Value::Package(folder, package) => {
                let index = self.package(folder, package);
                let definitions = index.names.get(name).into_iter().flatten();
                definitions.copied().map(Found::Definition).collect()
            }
            Value::Type(shape) | Value::Object(shape) => self.member(*shape, name),
        }
    }

    /// A member of a type: the ones that are embedded least deeply.
    pub fn member(&mut self, shape: Shape, name: &Name) -> Vec<Found> {
        let mut seen: Vec<Shape> = Vec::new();
        let mut shapes = vec![shape];
        let mut is_open = false;
        while !shapes.is_empty() {
            let mut level = Level::default();
            for shape in std::mem::take(&mut shapes) {
                if !seen.contains(&shape) {
                    seen.push(shape);
                    self.search(shape, name, &mut level);
                }
            }
            if !level.found.is_empty() {
                return distinct(level.found);
            }
            for value in level.embedded {
                match value {
                    Value::Type(shape) | Value::Object(shape) => shapes.push(shape),
                    Value::Unknown => return vec![Found::Unknown],
                    _ => is_open = true,
                }
            }
        }
        // Valid code asks for members that are there: what is not found was not what it seemed.
        let is_written = matches!(shape, Shape::Written(..));
        vec![if is_open || is_written {
            Found::Foreign
        } else {
            Found::Unknown
        }]
    }

    /// Looks for a member in a type itself.
    fn search(&mut self, shape: Shape, name: &Name, level: &mut Level) {
        match shape {
            Shape::Named(at) => {
                level
                    .found
                    .extend(self.own_member(at, name).into_iter().map(Found::Definition));
                level.embedded.extend(self.embedded(at));
            }
            Shape::Written(home, id) => {
                let Expr::Record(members) = self.expr(home, id) else {
                    return;
                };
                for member in members {
                    if member.name == *name {
                        level.found.push(Found::Typed(home, member.declared));
                    }
                    if member.is_embedded {
                        level
                            .embedded
                            .extend(self.values(home, member.declared).to_vec());
                    }
                }
            }
            Shape::Standard(index) => {
                let methods = standard::INTERFACES
                    .get(index)
                    .map(|it| it.methods.as_slice());
                let mut methods = methods.unwrap_or_default().iter();
                if methods.any(|method| method.name == *name) {
                    level.found.push(Found::Standard(index));
                }
            }
        }
    }

    /// The members with a name that a type declares itself.
    fn own_member(&mut self, at: DefRef, name: &Name) -> Vec<DefRef> {
        let summary = self.summary(at.file);
        let scope = self.with(at, |definition| definition.scope);
        let scope = scope.and_then(|scope| summary.scopes.get(scope.0 as usize));
        let bindings = scope
            .and_then(|scope| scope.names.get(name))
            .into_iter()
            .flatten();
        let mut found: Vec<DefRef> = bindings
            .filter_map(|binding| match binding {
                Binding::Definition(def) => Some(DefRef {
                    file: at.file,
                    def: *def,
                }),
                _ => None,
            })
            .collect();
        for method in self.methods(at) {
            if self.id(method).is_some_and(|id| id.name() == name) {
                found.push(method);
            }
        }
        found
    }

    /// The methods whose receiver a type is.
    pub fn methods(&mut self, at: DefRef) -> Vec<DefRef> {
        let Some(id) = self.id(at).filter(|_| at.def != crate::facts::MODULE) else {
            return Vec::new();
        };
        let package = self.package_of(at.file);
        package.methods.get(id.name()).cloned().unwrap_or_default()
    }

    /// The types embedded in a type; of a type that is declared by another one, that one.
    pub fn embedded(&mut self, at: DefRef) -> Vec<Value> {
        let home = Home {
            file: at.file,
            in_facts: false,
        };
        let (bases, declared) = self.with(at, |definition| {
            (definition.bases.clone(), definition.declared)
        });
        let types = bases.into_iter().chain(declared);
        types
            .flat_map(|of| self.values(home, of).to_vec())
            .collect()
    }

    /// The fields that a struct declares.
    pub fn fields(&mut self, shape: Shape) -> Vec<DefRef> {
        let Shape::Named(at) = shape else {
            return Vec::new();
        };
        let summary = self.summary(at.file);
        let fields = (0..).map(crate::facts::DefId).zip(&summary.definitions);
        fields
            .filter(|(_, field)| field.container == at.def && field.kind == SymbolKind::Field)
            .map(|(def, _)| DefRef { file: at.file, def })
            .collect()
    }

    /// The fields of a struct, and those of the structs of its package that have the same ones: values of
    /// one can be converted to another as long as that is so.
    pub fn convertible_fields(&mut self, shape: Shape) -> Vec<DefRef> {
        let Shape::Named(at) = shape else {
            return Vec::new();
        };
        let names = self.field_names(shape);
        if names.is_empty() {
            return Vec::new();
        }
        let package = self.package_of(at.file);
        let types = package.names.values().flatten();
        let alike = types
            .map(|other| Shape::Named(*other))
            .filter(|other| self.field_names(*other) == names);
        let alike: Vec<Shape> = alike.collect();
        alike.into_iter().flat_map(|it| self.fields(it)).collect()
    }

    fn field_names(&mut self, shape: Shape) -> Vec<String> {
        let fields = self.fields(shape).into_iter();
        let ids = fields.filter_map(|field| self.id(field));
        ids.map(|id| id.name().to_owned()).collect()
    }
}
