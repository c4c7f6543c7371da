//! Facts: everything one pass over the syntax tree of one file finds, before any other file is looked
//! at. What other files may depend on is the [`Summary`]; it holds no positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammars::{Language, Problem};
use smol_str::SmolStr;

use crate::occurrence::{ReferenceKind, Runs};
use crate::symbol::{ByteRange, Symbol, SymbolId, SymbolKind};

/// An identifier.
pub type Name = SmolStr;

/// Index into [`FileFacts::expressions`] or [`Summary::expressions`], whichever the holder belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Index into [`FileFacts::scopes`]; 0 is the module's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// Index into [`FileFacts::symbols`] and [`Summary::definitions`]; 0 is the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub u32);

/// The module itself.
pub const MODULE: DefId = DefId(0);

/// The scope of the module itself.
pub const MODULE_SCOPE: ScopeId = ScopeId(0);

/// An expression, as far as it helps to find out what a name means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Could be anything.
    Unknown,
    /// A text, number or truth value: nothing of the project, and neither are its members.
    Literal,
    /// A built-in container of these elements.
    Container(Box<[ExprId]>),
    /// A name, looked up from a scope.
    Name(ScopeId, Name),
    /// A member of an object.
    Attribute(ExprId, Name),
    /// What a call gives.
    Call(ExprId),
    /// What iteration or a subscript gives.
    Item(ExprId),
    /// What `with` binds.
    Entered(ExprId),
    /// An object that an annotation describes.
    Instance(ExprId),
    /// One of these.
    Union(Box<[ExprId]>),
    /// The function or class itself.
    Definition(DefId),
    /// The object a method of this class was called on.
    Receiver(DefId),
    /// The class a class method of this class was called on.
    ReceiverClass(DefId),
    /// The rest of the object's class after this class in the order of inheritance.
    Super(DefId),
    /// What an import binds.
    Imported(Box<ImportPath>),
    /// Several types in a fixed order: of results, or in a container of its items and its keys.
    Tuple(Box<[ExprId]>),
    /// The n-th of several.
    Part(ExprId, u32),
    /// The first of these that means something of the project.
    First(Box<[ExprId]>),
    /// A type of functions.
    Function {
        /// The types of the parameters.
        parameters: Box<[ExprId]>,
        /// The type of the result; a tuple of types unless there is exactly one.
        result: ExprId,
    },
    /// A type without a name, with its members and their types.
    Record(Box<[RecordMember]>),
}

/// A member of a type without a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordMember {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub declared: ExprId,
    /// Whether the members of that type are members of the record, too.
    pub is_embedded: bool,
}

/// What an import statement asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportPath {
    /// How many packages up the search starts; 0 for an absolute import.
    pub level: u32,
    /// The module, joined by dots; may be empty for a relative import.
    pub module: Name,
    /// The member asked for, if any.
    pub member: Option<Name>,
}

/// One way for a name to get its meaning in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// By a definition that is a symbol.
    Definition(DefId),
    /// By an import.
    Import(ImportPath),
    /// By an assignment, a loop, a parameter…
    Value(ExprId),
}

/// What kind of code a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// A module.
    Module,
    /// A class body; its names are not seen from the functions in it.
    Class,
    /// A function, lambda or comprehension.
    Function,
}

/// Names and what they are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Its kind.
    pub kind: ScopeKind,
    /// The enclosing scope.
    pub parent: Option<ScopeId>,
    /// The bindings, in source order for each name.
    pub names: BTreeMap<Name, Vec<Binding>>,
    /// Names that are declared to belong to another scope.
    pub elsewhere: BTreeMap<Name, ScopeId>,
    /// The modules whose names are all imported here, in source order.
    pub stars: Vec<ImportPath>,
}

/// How a function is meant to be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Called.
    #[default]
    Plain,
    /// Read like a field.
    Property,
    /// Called on the class or the object, without either as an argument.
    Static,
    /// Called with the class as its first argument.
    ClassMethod,
}

/// What a definition says about values, beside its [`Symbol`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The symbol's id.
    pub id: SymbolId,
    /// The symbol's kind.
    pub kind: SymbolKind,
    /// The definition that encloses it; the module is its own.
    pub container: DefId,
    /// How a function is used.
    pub role: Role,
    /// The scope it opens; in a [`Summary`] functions have none.
    pub scope: Option<ScopeId>,
    /// Base classes (embedded types), in order.
    pub bases: Vec<ExprId>,
    /// The type that a definition belongs to without standing in it.
    pub owner: Option<ExprId>,
    /// The metaclass.
    pub metaclass: Option<ExprId>,
    /// The declared type of a variable or field, or of what a function returns.
    pub declared: Option<ExprId>,
    /// What a variable is assigned, a function returns or a generator yields.
    pub values: Vec<ExprId>,
    /// Whether a call gives a generator of `values`.
    pub is_generator: bool,
    /// What is assigned to attributes of a class's objects from its methods.
    pub attributes: BTreeMap<Name, Vec<ExprId>>,
}

impl Definition {
    /// A definition that nothing is known about but what it is.
    pub fn new(id: SymbolId, kind: SymbolKind, container: DefId) -> Self {
        Self {
            id,
            kind,
            container,
            role: Role::Plain,
            scope: None,
            bases: Vec::new(),
            owner: None,
            metaclass: None,
            declared: None,
            values: Vec::new(),
            is_generator: false,
            attributes: BTreeMap::new(),
        }
    }
}

/// A part of the module's list of public names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportPart {
    /// One name.
    Name(Name),
    /// All public names of the module that this expression is.
    AllOf(ExprId),
}

/// What the rest of the project may depend on.
///
/// Invariant: no positions, and nothing about a function's body but what it returns and binds to
/// its object, so that most edits leave it equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The language of the file.
    pub language: Language,
    /// The package that the file says it is part of, where files say so.
    pub package: Option<Name>,
    /// Every definition, in the order of the file's symbols.
    pub definitions: Vec<Definition>,
    /// The scopes of the module and the classes.
    pub scopes: Vec<Scope>,
    /// Expressions over module-level names.
    pub expressions: Vec<Expr>,
    /// The list of public names, if the module has one.
    pub exports: Option<Vec<ExportPart>>,
}

/// What a reference looks like before it is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A name or attribute that stands in the text.
    Named(ExprId),
    /// Any attribute of an object whose name starts and ends like this.
    Pattern {
        /// The object.
        object: ExprId,
        /// The start of the name.
        prefix: Name,
        /// The end of the name.
        suffix: Name,
        /// Whether the prefix is the whole name.
        exact: bool,
    },
    /// A call, without the name that stands in the text.
    Invoke(ExprId),
    /// The methods that an operator, loop or built-in function calls on an object.
    Protocol {
        /// The object.
        object: ExprId,
        /// The methods that may be called, all of them if present.
        methods: &'static [&'static str],
        /// Whether any method of that name is meant if the class of the object is not known.
        by_name: bool,
    },
}

/// A reference before it is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawReference {
    /// Start of the name.
    pub start: u32,
    /// End of the name.
    pub end: u32,
    /// The innermost symbol around it.
    pub from: DefId,
    /// The symbol whose execution evaluates it.
    pub runner: DefId,
    /// What the name is used for.
    pub kind: ReferenceKind,
    /// When.
    pub runs: Runs,
    /// The name.
    pub usage: Use,
}

/// One name bound by an import statement, before it is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawImport {
    /// The whole statement.
    pub statement: ByteRange,
    /// This name's part.
    pub item: ByteRange,
    /// The name bound; `*` for a star import.
    pub bound: Name,
    /// The scope it is bound in.
    pub scope: ScopeId,
    /// The symbol around the statement.
    pub from: DefId,
    /// What it asks for.
    pub path: ImportPath,
    /// When it runs.
    pub runs: Runs,
}

/// Everything one pass over a file finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// What other files may depend on.
    pub summary: Arc<Summary>,
    /// Definitions in source order; the first is the module.
    pub symbols: Arc<Vec<Symbol>>,
    /// What the file's reader should know, in source order.
    pub problems: Arc<Vec<Problem>>,
    /// All scopes.
    pub scopes: Vec<Scope>,
    /// All definitions, with expressions of this file.
    pub definitions: Vec<Definition>,
    /// All expressions.
    pub expressions: Vec<Expr>,
    /// All uses of names that may mean something of the project, in source order.
    pub references: Vec<RawReference>,
    /// All imported names, in source order.
    pub imports: Vec<RawImport>,
    /// The names in the list of public names and where they stand, with their quotes.
    pub exports: Vec<(ByteRange, Name)>,
    /// What only the rules of the file's own language read.
    pub own: crate::lang::Own,
}
