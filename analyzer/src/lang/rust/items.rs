//! Items: what a file declares and imports, in the terms of Rust.
//!
//! Invariant: but for [`Facts::spans`] there are no positions, and nothing about the body of a function
//! but the items in it.

use std::sync::Arc;

use crate::facts::{DefId, Name};
use crate::symbol::ByteRange;

/// What one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What other files may depend on.
    pub items: Arc<Items>,
    /// Where each import stands.
    pub spans: Vec<Span>,
}

/// Where an import stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The whole item.
    pub statement: ByteRange,
    /// The part that binds this name.
    pub item: ByteRange,
    /// The symbol around it.
    pub from: DefId,
}

/// Index into [`Items::scopes`]; 0 is the file's own.
pub type ScopeIndex = u32;

/// What a file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// Modules, and bodies that hold items.
    pub scopes: Vec<Scope>,
    /// One for each definition of the file.
    pub defs: Vec<Def>,
    /// Imported names, in source order.
    pub imports: Vec<Import>,
}

/// Where names are declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Whether it is a module; a body otherwise.
    pub is_module: bool,
    /// The scope around it.
    pub parent: Option<ScopeIndex>,
    /// The symbol that it is.
    pub def: DefId,
    /// What is declared in it.
    pub declared: Vec<DefId>,
    /// Modules written in it.
    pub modules: Vec<(Name, ScopeIndex)>,
}

/// A name that comes from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The scope it is bound in.
    pub scope: ScopeIndex,
    /// The name bound; `*` for all names, `_` for none.
    pub bound: Name,
    /// Where it comes from.
    pub source: Source,
    /// Whether others may take it from here.
    pub is_public: bool,
}

/// Where an imported name comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `use a::b`
    Path(Path),
    /// `extern crate a`
    Crate(Name),
    /// `mod a;`, with the text of its `#[path]`.
    File(Name, Option<Name>),
}

/// A path; it starts with an empty segment if the text starts with `::`.
pub type Path = Vec<Name>;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A file or a module in it.
    Module,
    /// A function or method.
    Function,
    /// A struct or union.
    Struct,
    /// An enum.
    Enum,
    /// A trait.
    Trait,
    /// A type alias or associated type.
    Alias,
    /// A constant or static.
    Value,
    /// A macro by example.
    Macro,
    /// A variant of an enum.
    Variant,
    /// A field.
    Field,
    /// A block of implementations.
    Impl,
}

/// Names of types and what they are said to implement.
pub type Bounds = Vec<(Name, Vec<TypeRef>)>;

/// What an item says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Def {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: ItemKind,
    /// Whether a value of it is written like a call or a name (tuple and unit structs and variants).
    pub is_value: bool,
    /// The scope it is declared in.
    pub scope: ScopeIndex,
    /// The definition around it.
    pub container: DefId,
    /// The scope of the items in its body.
    pub body: Option<ScopeIndex>,
    /// Whether it is a method.
    pub has_self: bool,
    /// How many arguments it takes beside `self`.
    pub arity: u32,
    /// Whether a trait gives it a meaning of its own (a default body or value).
    pub has_default: bool,
    /// The names of its type parameters and their bounds.
    pub generics: Bounds,
    /// What its where clause says about names that are not its own parameters: those of the item
    /// around it, or types.
    pub outer_bounds: Bounds,
    /// The type of a field or value, the result of a function, what an alias stands for, or the type
    /// that is implemented.
    pub of: TypeRef,
    /// The trait that is implemented, with its arguments; the traits above a trait.
    pub traits: Vec<TypeRef>,
    /// The names of macros that derive implementations.
    pub derives: Vec<Name>,
    /// Whether `macro_rules!` is exported from its crate.
    pub is_exported: bool,
}

/// A type as it is written. References and pointers are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TypeRef {
    /// Anything.
    #[default]
    Unknown,
    /// A path with the arguments of its last segment.
    Path(Path, Vec<TypeRef>),
    /// A slice or array.
    Slice(Box<TypeRef>),
    /// A tuple.
    Tuple(Vec<TypeRef>),
    /// A function with its result.
    Function(Box<TypeRef>),
    /// `impl A + B`, `dyn A + B`
    Bounds(Vec<TypeRef>),
}

impl TypeRef {
    /// The paths of everything that it names.
    pub fn paths(&self) -> Vec<&Path> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'t>(&'t self, found: &mut Vec<&'t Path>) {
        match self {
            Self::Unknown => {}
            Self::Path(path, arguments) => {
                found.push(path);
                arguments.iter().for_each(|it| it.collect(found));
            }
            Self::Slice(of) | Self::Function(of) => of.collect(found),
            Self::Tuple(parts) | Self::Bounds(parts) => {
                parts.iter().for_each(|it| it.collect(found));
            }
        }
    }
}
