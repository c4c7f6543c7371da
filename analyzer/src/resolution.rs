//! The resolved names of one file: what the public lists hold, and what else the graph needs.

use std::sync::Arc;

use crate::facts::{DefId, Name};
use crate::occurrence::{Export, Import, Link, Reference};
use crate::symbol::SymbolId;

/// Everything a file's names mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resolution {
    /// Uses of names, in source order.
    pub references: Arc<Vec<Reference>>,
    /// One for each reference.
    pub details: Vec<Detail>,
    /// Imported names, in source order.
    pub imports: Arc<Vec<Import>>,
    /// The modules that each import runs besides what it names, with the index of the import.
    pub loads: Vec<(u32, SymbolId)>,
    /// Public names, in source order.
    pub exports: Arc<Vec<Export>>,
    /// Links in documentation that mean something of the project, in source order.
    pub links: Arc<Vec<Link>>,
    /// Classes of this file with each of their bases.
    pub inherits: Vec<(DefId, SymbolId)>,
    /// Definitions of this file that belong to a type without standing in it, with that type: methods
    /// and blocks of implementations.
    pub attached: Vec<(DefId, SymbolId)>,
    /// Members of this file's classes with each inherited member of that name that they replace.
    pub overrides: Vec<(DefId, SymbolId)>,
    /// Definitions of this file that others cannot do without though they do not name them.
    pub demands: Vec<Demand>,
}

/// A definition that must be there as long as all of some others are: a method that a trait asks for
/// as long as there are the trait and the block that implements it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    /// The definition.
    pub of: DefId,
    /// The others; if there are none, it must be there in any case.
    pub by: Vec<SymbolId>,
}

/// What the graph needs to know about a reference beyond the public part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detail {
    /// The symbol whose execution evaluates the place.
    pub runner: DefId,
    /// The names all of whose definitions are among the targets because the object is not known.
    pub by_name: ByName,
}

/// Names that stand for all of their definitions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ByName {
    /// The targets were all found one by one.
    None,
    /// This name.
    One(Name),
    /// These names.
    Any(&'static [&'static str]),
}
