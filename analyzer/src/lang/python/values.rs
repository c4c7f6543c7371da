//! Values: what an expression may be at run time, found by following names, imports, calls and
//! members through the summaries of the project.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::database::{self, Db, SourceFile};
use crate::facts::{DefId, Definition, Expr, ExprId, FileFacts, ImportPath, Name, Role, Summary};
use crate::symbol::{SymbolId, SymbolKind};

use super::classes::Lineage;
use super::modules::Module;

/// More values than this could be anything.
const MANY: usize = 12;

/// Longer chains of values are not followed.
const DEEPEST: u32 = 48;

/// A definition of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DefRef {
    pub file: SourceFile,
    pub def: DefId,
}

/// Where an expression is to be read: in the facts of the file at hand, or in a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Home {
    Facts,
    Summary(SourceFile),
}

/// What an expression may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    /// Anything.
    Unknown,
    /// Something of foreign code.
    Foreign,
    /// A text, number or truth value.
    Literal,
    /// A module or package.
    Module(Module),
    /// A function or class itself.
    Definition(DefRef),
    /// An object of a class.
    Instance(DefRef),
    /// What `super()` gives in a class.
    Super(DefRef),
    /// A generator of what a function yields.
    Generator(DefRef),
    /// A built-in container, by its expression.
    Container(Home, ExprId),
}

pub(super) type Values = Rc<[Value]>;

/// What a name or member was found to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Found {
    Definition(DefRef),
    Module(Module),
    /// A value without a definition that is a symbol.
    Value(Home, ExprId),
    Foreign,
    Unknown,
}

/// Resolves the names of one file, remembering everything found on the way.
pub(super) struct Session<'db> {
    pub db: &'db dyn Db,
    pub file: SourceFile,
    pub facts: Arc<FileFacts>,
    summaries: FxHashMap<SourceFile, Arc<Summary>>,
    values: FxHashMap<(Home, ExprId), Values>,
    pub(super) members: FxHashMap<(SourceFile, Name), Rc<[Found]>>,
    attributes: FxHashMap<(Value, Name), Rc<[Found]>>,
    pub(super) imports: FxHashMap<(SourceFile, ImportPath), Rc<[Found]>>,
    pub(super) lineages: FxHashMap<DefRef, Rc<Lineage>>,
    calls: FxHashMap<DefRef, Values>,
    pub(super) active: FxHashSet<(SourceFile, Name)>,
    depth: u32,
}

impl<'db> Session<'db> {
    pub fn new(db: &'db dyn Db, file: SourceFile) -> Self {
        Self {
            db,
            file,
            facts: database::facts(db, file),
            summaries: FxHashMap::default(),
            values: FxHashMap::default(),
            members: FxHashMap::default(),
            attributes: FxHashMap::default(),
            imports: FxHashMap::default(),
            lineages: FxHashMap::default(),
            calls: FxHashMap::default(),
            active: FxHashSet::default(),
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

    /// Reads something off a definition.
    pub fn with<T: Default>(&mut self, at: DefRef, read: impl FnOnce(&Definition) -> T) -> T {
        let summary = self.summary(at.file);
        summary
            .definitions
            .get(at.def.0 as usize)
            .map(read)
            .unwrap_or_default()
    }

    /// The id of a definition.
    pub fn id(&mut self, at: DefRef) -> Option<SymbolId> {
        self.with(at, |definition| Some(definition.id.clone()))
    }

    /// The kind of a definition.
    pub fn kind(&mut self, at: DefRef) -> Option<SymbolKind> {
        self.with(at, |definition| Some(definition.kind))
    }

    /// What an expression may be.
    pub fn values(&mut self, home: Home, id: ExprId) -> Values {
        if let Some(values) = self.values.get(&(home, id)) {
            return values.clone();
        }
        if self.depth >= DEEPEST {
            return unknown();
        }
        // What depends on itself could be anything.
        self.values.insert((home, id), unknown());
        self.depth += 1;
        let values = self.evaluate(home, id);
        self.depth -= 1;
        let values: Values = distinct(values).into();
        self.values.insert((home, id), values.clone());
        values
    }

    fn expr(&mut self, home: Home, id: ExprId) -> Expr {
        let expr = match home {
            Home::Facts => self.facts.expressions.get(id.0 as usize).cloned(),
            Home::Summary(file) => self.summary(file).expressions.get(id.0 as usize).cloned(),
        };
        expr.unwrap_or(Expr::Unknown)
    }

    pub(super) fn file_of(&self, home: Home) -> SourceFile {
        match home {
            Home::Facts => self.file,
            Home::Summary(file) => file,
        }
    }

    fn evaluate(&mut self, home: Home, id: ExprId) -> Vec<Value> {
        let file = self.file_of(home);
        let at = |def| DefRef { file, def };
        match self.expr(home, id) {
            // The last five do not occur in Python.
            Expr::Unknown
            | Expr::Tuple(_)
            | Expr::Part(..)
            | Expr::First(_)
            | Expr::Function { .. }
            | Expr::Record(_) => vec![Value::Unknown],
            Expr::Literal => vec![Value::Literal],
            Expr::Container(_) => vec![Value::Container(home, id)],
            Expr::Name(scope, name) => {
                let found = self.name(home, scope, &name);
                self.values_of(&found)
            }
            Expr::Attribute(object, name) => self.each(home, object, |session, value| {
                session.attribute_values(value, &name)
            }),
            Expr::Call(callee) => self.each(home, callee, Self::call_values),
            Expr::Item(container) => self.each(home, container, Self::item_values),
            Expr::Entered(manager) => self.each(home, manager, Self::entered_values),
            Expr::Instance(class) => self.each(home, class, |_, value| vec![instance_of(value)]),
            Expr::Union(parts) => parts
                .iter()
                .flat_map(|part| self.values(home, *part).to_vec())
                .collect(),
            Expr::Definition(def) | Expr::ReceiverClass(def) => vec![Value::Definition(at(def))],
            Expr::Receiver(def) => vec![Value::Instance(at(def))],
            Expr::Super(def) => vec![Value::Super(at(def))],
            Expr::Imported(path) => {
                let found = self.imported(file, &path);
                self.values_of(&found)
            }
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

    /// The values of something found.
    pub fn values_of(&mut self, found: &[Found]) -> Vec<Value> {
        let mut values = Vec::new();
        for one in found {
            match one {
                Found::Definition(at) => values.extend(self.values_of_definition(*at)),
                Found::Module(module) => values.push(Value::Module(module.clone())),
                Found::Value(home, id) => values.extend(self.values(*home, *id).iter().cloned()),
                Found::Foreign => values.push(Value::Foreign),
                Found::Unknown => values.push(Value::Unknown),
            }
        }
        distinct(values)
    }

    fn values_of_definition(&mut self, at: DefRef) -> Vec<Value> {
        match self.kind(at) {
            Some(SymbolKind::Class | SymbolKind::Function | SymbolKind::Method) => {
                vec![Value::Definition(at)]
            }
            _ => {
                let assigned = self.with(at, |definition| definition.values.clone());
                if assigned.is_empty() || self.is_field_of_foreign_kind(at) {
                    return vec![Value::Unknown];
                }
                let home = Home::Summary(at.file);
                assigned
                    .into_iter()
                    .flat_map(|value| self.values(home, value).to_vec())
                    .collect()
            }
        }
    }

    /// A foreign base or metaclass may make anything of a field: the members of an enumeration are its
    /// objects.
    fn is_field_of_foreign_kind(&mut self, at: DefRef) -> bool {
        let (kind, container) = self.with(at, |definition| {
            (Some(definition.kind), definition.container.0)
        });
        let class = DefRef {
            file: at.file,
            def: DefId(container),
        };
        kind == Some(SymbolKind::Field) && !self.lineage(class).is_complete
    }

    fn attribute_values(&mut self, object: &Value, name: &Name) -> Vec<Value> {
        let found = self.attribute(object, name);
        let on_object = matches!(object, Value::Instance(_) | Value::Super(_));
        let mut values = Vec::new();
        for one in found.iter() {
            match one {
                Found::Definition(at)
                    if on_object
                        && self.with(*at, |definition| definition.role) == Role::Property =>
                {
                    values.extend(self.call_values(&Value::Definition(*at)));
                }
                other => values.extend(self.values_of(std::slice::from_ref(other))),
            }
        }
        values
    }

    /// What a member of an object is.
    pub fn attribute(&mut self, object: &Value, name: &Name) -> Rc<[Found]> {
        let key = (object.clone(), name.clone());
        if let Some(found) = self.attributes.get(&key) {
            return found.clone();
        }
        let found: Rc<[Found]> = self.find_attribute(object, name).into();
        if self.active.is_empty() {
            self.attributes.insert(key, found.clone());
        }
        found
    }

    fn find_attribute(&mut self, object: &Value, name: &Name) -> Vec<Found> {
        let found = match object {
            Value::Literal | Value::Foreign | Value::Container(..) => return vec![Found::Foreign],
            Value::Unknown | Value::Generator(_) => Vec::new(),
            Value::Module(module) => self.member_of_module(module, name),
            Value::Definition(at) if self.kind(*at) == Some(SymbolKind::Class) => {
                self.member_of_class(*at, name)
            }
            Value::Definition(_) => Vec::new(),
            Value::Instance(at) if name == "__class__" => vec![Found::Definition(*at)],
            Value::Instance(at) => self.member_of_object(*at, name),
            Value::Super(at) => self.inherited_member(*at, name),
        };
        if found.is_empty() {
            vec![Found::Unknown]
        } else {
            found
        }
    }

    /// What calling a value gives.
    pub fn call_values(&mut self, callee: &Value) -> Vec<Value> {
        match callee {
            Value::Literal => vec![Value::Literal],
            Value::Definition(at) if self.kind(*at) == Some(SymbolKind::Class) => {
                vec![Value::Instance(*at)]
            }
            Value::Definition(at) => self.returned(*at).to_vec(),
            Value::Instance(_) => {
                let found = self.attribute(callee, &Name::new_static("__call__"));
                let methods = self.values_of(&found);
                methods
                    .iter()
                    .filter(|method| **method != *callee)
                    .flat_map(|method| match method {
                        Value::Definition(at) => self.returned(*at).to_vec(),
                        _ => vec![Value::Unknown],
                    })
                    .collect()
            }
            _ => vec![Value::Unknown],
        }
    }

    fn returned(&mut self, function: DefRef) -> Values {
        if let Some(values) = self.calls.get(&function) {
            return values.clone();
        }
        self.calls.insert(function, unknown());
        let values: Values = distinct(self.find_returned(function)).into();
        self.calls.insert(function, values.clone());
        values
    }

    fn find_returned(&mut self, function: DefRef) -> Vec<Value> {
        let home = Home::Summary(function.file);
        let (declared, values, is_generator) = self.with(function, |definition| {
            (
                definition.declared,
                definition.values.clone(),
                definition.is_generator,
            )
        });
        match declared {
            Some(declared) => self.values(home, declared).to_vec(),
            None if is_generator => vec![Value::Generator(function)],
            None if values.is_empty() => vec![Value::Literal],
            None => values
                .into_iter()
                .flat_map(|value| self.values(home, value).to_vec())
                .collect(),
        }
    }

    /// What iteration or a subscript gives.
    fn item_values(&mut self, container: &Value) -> Vec<Value> {
        match container {
            Value::Literal => vec![Value::Literal],
            Value::Container(home, id) => match self.expr(*home, *id) {
                Expr::Container(elements) => elements
                    .iter()
                    .flat_map(|element| self.values(*home, *element).to_vec())
                    .collect(),
                _ => vec![Value::Unknown],
            },
            // `Class[int]` is the class; the items of an enumeration are its objects.
            Value::Definition(at) if self.kind(*at) == Some(SymbolKind::Class) => {
                let is_plain = self.lineage(*at).is_complete;
                let items = [Value::Definition(*at), Value::Instance(*at)];
                items
                    .into_iter()
                    .take(if is_plain { 1 } else { 2 })
                    .collect()
            }
            Value::Generator(function) => self.yielded(*function),
            Value::Foreign => vec![Value::Foreign],
            _ => vec![Value::Unknown],
        }
    }

    fn yielded(&mut self, function: DefRef) -> Vec<Value> {
        let home = Home::Summary(function.file);
        let values = self.with(function, |definition| definition.values.clone());
        values
            .into_iter()
            .flat_map(|value| self.values(home, value).to_vec())
            .collect()
    }

    /// What `with` binds.
    fn entered_values(&mut self, manager: &Value) -> Vec<Value> {
        match manager {
            Value::Generator(function) => self.yielded(*function),
            Value::Instance(at) => {
                let found = self.member_of_class(*at, &Name::new_static("__enter__"));
                let methods: Vec<DefRef> = found
                    .iter()
                    .filter_map(|one| match one {
                        Found::Definition(method) => Some(*method),
                        _ => None,
                    })
                    .collect();
                if methods.is_empty() {
                    return vec![Value::Unknown];
                }
                methods
                    .into_iter()
                    .flat_map(|method| self.returned(method).to_vec())
                    .collect()
            }
            _ => vec![Value::Unknown],
        }
    }
}

fn unknown() -> Values {
    Rc::from([Value::Unknown])
}

fn instance_of(class: &Value) -> Value {
    match class {
        Value::Definition(at) => Value::Instance(*at),
        Value::Literal => Value::Literal,
        Value::Container(home, id) => Value::Container(*home, *id),
        _ => Value::Unknown,
    }
}

/// Each value once, in order of first appearance; too many are unknown as well.
pub(super) fn distinct<T: Clone + PartialEq + CutOff>(values: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            if kept.len() == MANY {
                if !kept.contains(&T::UNKNOWN) {
                    kept.push(T::UNKNOWN);
                }
                break;
            }
            kept.push(value);
        }
    }
    kept
}

/// What stands for everything that was cut off.
pub(super) trait CutOff {
    const UNKNOWN: Self;
}

impl CutOff for Value {
    const UNKNOWN: Self = Value::Unknown;
}

impl CutOff for Found {
    const UNKNOWN: Self = Found::Unknown;
}
