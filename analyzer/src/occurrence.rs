//! Occurrences: every place where a file uses a name, resolved to the symbols it may mean.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::symbol::{ByteRange, SymbolId};

/// How sure a reference is of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Found by name only (an attribute of an object whose class is not known).
    Named,
    /// Found through scopes, imports, classes.
    Resolved,
}

/// What a reference is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// The name is called (instantiation included).
    Call,
    /// The name is read in any other way.
    Read,
    /// The name decorates a definition.
    Decorator,
    /// The name is a base class (or metaclass).
    Base,
    /// The name stands in an annotation, as text in a string included.
    Annotation,
    /// The name stands in a default value.
    Default,
    /// The name is rebound or deleted from outside its definition (`module.x = 1`, `del x`).
    Write,
    /// The language uses the symbol without its name being written here: the methods behind operators,
    /// loops and `with`, `__init__` behind an instantiation, the function a called variable holds. The
    /// range is that of the operation or of the name that is called.
    Implicit,
}

/// When the code around a reference runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runs {
    /// When the module is imported: module level, class bodies, decorators, defaults.
    AtImport,
    /// When the enclosing function is called.
    WhenCalled,
    /// Never at run time (under `TYPE_CHECKING`, annotations that are not evaluated).
    Never,
}

/// One possible meaning of a reference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The symbol meant.
    pub symbol: SymbolId,
    /// How sure that is.
    pub confidence: Confidence,
}

/// A use of a name outside import statements and `__all__`. Built-in names and locals that are no
/// symbols have none. Implicit uses that could only be found by name (an operator on objects of
/// unknown class) are listed once for each symbol they stand in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name itself: for `a.b.c` there is one reference each for `a`, `b` and `c`.
    pub range: ByteRange,
    /// The innermost symbol whose text holds the place. Decorators, defaults, annotations and bases
    /// belong to the symbol they are written on.
    pub from: SymbolId,
    /// What the name is used for.
    pub kind: ReferenceKind,
    /// When that happens.
    pub runs: Runs,
    /// The project symbols it may mean, sorted; empty where an import binds a name of foreign code.
    /// Shared, because a common name of unknown objects may stand for hundreds.
    pub targets: Arc<[Target]>,
    /// The import of this file that binds the name, as an index into the file's imports.
    pub through: Option<usize>,
}

/// One name bound by an import statement (a star import is one, too).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The whole statement.
    pub statement: ByteRange,
    /// This name's part of it: `a.b`, `x`, `x as y` or `*`.
    pub item: ByteRange,
    /// The name it binds here; `*` for a star import.
    pub bound: String,
    /// Where it binds it: the module, or a class or function for imports inside one.
    pub scope: SymbolId,
    /// The project symbols it means (a module or one of its members, followed through re-exports to
    /// the definition); for a star import everything it binds. Empty for foreign code.
    pub targets: Vec<SymbolId>,
    /// The project file the statement names, if any (`from .a import b` → the file of `.a`).
    pub module: Option<String>,
    /// When the statement runs.
    pub runs: Runs,
}

/// An entry of the module's list of public names (`__all__`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The entry with its quotes.
    pub range: ByteRange,
    /// The name as text.
    pub name: String,
    /// The project symbols it names, followed through imports.
    pub targets: Vec<SymbolId>,
}

/// A link in documentation to a symbol, where the tools of the language follow such links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The documentation that it stands in.
    pub documentation: ByteRange,
    /// All of it: ``[`Name`]``, `[text](Name)`, or the line that says what a label stands for.
    pub range: ByteRange,
    /// The part of it that a reader sees; empty for such a line.
    pub shown: ByteRange,
    /// The project symbols it may mean, sorted.
    pub targets: Vec<SymbolId>,
}
