//! Symbols: the named elements of a program, and the ids that name them across runs.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A half-open interval of byte offsets in the original bytes of a file.
pub type ByteRange = Range<usize>;

/// The stable name of a symbol: `path`, then `::` and the chain of containers ending in its own
/// name, joined by dots, with a `#disambiguator` on each link that needs one.
///
/// * a module is named by its path alone: `src/pkg/mod.py`
/// * `src/pkg/mod.py::Box.area`, `src/pkg/mod.py::outer.inner`
/// * the methods of a type carry its name, wherever they stand: `pkg/area.go::Box.Area`
/// * a block of implementations is a link of its own, marked with what it implements:
///   `src/lib.rs::Box#impl.area`, `src/lib.rs::Box#Display.fmt`
/// * the second definition of one name in one container is `…::f#2`; the setter of a property is
///   `…::Box.x#setter`; the overload stubs of `f` are `…::f#overload`, `…::f#overload2`
///
/// Invariant: no line number or offset is part of it, so it survives edits elsewhere.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SymbolId(Arc<str>);

impl SymbolId {
    /// The id of the module that a file is.
    pub fn module(path: &str) -> Self {
        Self(Arc::from(path))
    }

    /// The id of a member of `self`; `link` is the name with its disambiguator, if any.
    pub fn member(&self, link: &str) -> Self {
        let separator = if self.is_module() { "::" } else { "." };
        Self(Arc::from(format!("{}{separator}{link}", self.0)))
    }

    /// Reads an id from its text; the text is not checked against any project.
    pub fn parse(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// The project-relative path of the file, with `/` on every system.
    pub fn path(&self) -> &str {
        self.split().map_or(&*self.0, |(path, _)| path)
    }

    /// The chain of containers and the name, without the path; empty for a module.
    pub fn chain(&self) -> &str {
        self.split().map_or("", |(_, chain)| chain)
    }

    /// The bare name: the last link of the chain without its disambiguator (a file name for a module).
    pub fn name(&self) -> &str {
        let link = match self.chain() {
            "" => self.path().rsplit('/').next().unwrap_or_default(),
            chain => chain.rsplit('.').next().unwrap_or_default(),
        };
        if self.is_module() {
            link
        } else {
            link.split('#').next().unwrap_or_default()
        }
    }

    /// Whether this names a whole file.
    pub fn is_module(&self) -> bool {
        self.split().is_none()
    }

    /// Asked often, and a search for one byte is the fastest.
    fn split(&self) -> Option<(&str, &str)> {
        let mut colons = self.0.match_indices(':');
        let (at, _) = colons.find(|(at, _)| self.0.as_bytes().get(at + 1) == Some(&b':'))?;
        Some((self.0.get(..at)?, self.0.get(at + 2..)?))
    }

    /// Whether `self` is `container` or lies anywhere inside it (whole links, never a text prefix).
    pub fn is_within(&self, container: &SymbolId) -> bool {
        match self.0.strip_prefix(&*container.0) {
            Some("") => true,
            Some(rest) if container.is_module() => rest.starts_with("::"),
            Some(rest) => rest.starts_with('.'),
            None => false,
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The category of a symbol, after LSP's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A whole file as a unit of import.
    Module,
    /// A module inside a file.
    Namespace,
    /// A class, struct, enum, interface or trait.
    Class,
    /// A block that implements methods of a type that is defined elsewhere.
    Implementation,
    /// A function outside any class (it may be nested in another function).
    Function,
    /// A function in a class, properties included.
    Method,
    /// A macro by example.
    Macro,
    /// A name that is assigned at module level.
    Variable,
    /// A name that is assigned or declared in a class body.
    Field,
}

impl SymbolKind {
    /// Whether the symbol is code that can be taken out by itself, rather than a value or a whole module.
    pub fn is_definition(self) -> bool {
        self.is_callable() || matches!(self, Self::Class | Self::Implementation | Self::Macro)
    }

    /// Whether the symbol has a body of its own that runs when it is called.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }
}

/// One definition and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its stable name.
    pub id: SymbolId,
    /// Its category.
    pub kind: SymbolKind,
    /// The symbol that encloses it; `None` for a module.
    pub container: Option<SymbolId>,
    /// The whole element: from the first decorator, attribute or documentation comment to the end of
    /// its last statement, without other leading comments and without the final line end.
    pub full: ByteRange,
    /// Its name.
    pub focus: ByteRange,
    /// The statements a call runs or a class holds, documentation included; `None` where there are none.
    pub body: Option<ByteRange>,
    /// The documentation: for Python the docstring expression with its quotes, else the comments that
    /// stand directly above.
    pub doc: Option<ByteRange>,
    /// Whether it is there for tests only, by what the language says: a test function, or code that is
    /// compiled for tests alone. What lies in such a symbol is, too.
    pub is_test: bool,
    /// The first line of `full`, counted from 1: what a Python code object calls its first line.
    pub line: u32,
}
