//! Languages: what the extractors must know about each one to cut and to quote its code.

mod go;
mod lines;
mod python;
mod rust;

use std::collections::BTreeSet;

use analyzer::occurrence::{Export, Import, Link};
use analyzer::symbol::{ByteRange, Symbol, SymbolId};
use grammars::{Language, SyntaxTree};

#[cfg(test)]
pub(crate) use go::go_files;

/// A range of bytes and what is put in its place (ASCII, so it fits every encoding).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub range: ByteRange,
    pub text: String,
}

/// One file and what leaves it.
pub(crate) struct Cuts<'a> {
    pub tree: &'a SyntaxTree,
    /// All symbols of the file.
    pub symbols: &'a [Symbol],
    /// Symbols whose definitions go; none lies in another one or in a stub.
    pub delete: Vec<&'a Symbol>,
    /// Those of them that are test code and leave a mark: they are to be put back where they stood.
    pub marks: Vec<&'a Symbol>,
    /// Symbols whose bodies go; with `true` the documentation stays.
    pub stub: Vec<(&'a Symbol, bool)>,
    /// Symbols that stay and whose documentation loses its examples.
    pub examples: Vec<&'a Symbol>,
    /// Symbols that stay and that the compiler would call unused.
    pub silence: Vec<&'a Symbol>,
    /// Names that are no longer imported.
    pub imports: Vec<&'a Import>,
    /// Imports that stay and that the compiler would call unused.
    pub silence_imports: Vec<&'a Import>,
    /// Names that are no longer public.
    pub exports: Vec<&'a Export>,
    /// Links in documentation that lead nowhere any more.
    pub links: Vec<&'a Link>,
}

/// A symbol that cannot be removed in the way asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Refusal {
    pub symbol: SymbolId,
    pub reason: &'static str,
}

/// The edits for one file.
#[derive(Debug, Default)]
pub(crate) struct Cutting {
    /// Sorted, without overlap.
    pub edits: Vec<Edit>,
    /// What was left out of the edits.
    pub refusals: Vec<Refusal>,
}

/// What a language says about its code. One value a language; all of it is pure.
pub(crate) trait Rules: Sync {
    /// The edits that make the cuts and keep the rest valid.
    fn cut(&self, cuts: &Cuts<'_>) -> Cutting;

    /// The file beside a file that declares again what the file defines, if there may be one.
    fn declarations_of(&self, path: &str) -> Option<String>;

    /// The other way round.
    fn definitions_of(&self, path: &str) -> Option<String>;

    /// Whether a variable is for its own file only.
    fn is_private(&self, tree: &SyntaxTree, symbol: &Symbol) -> bool;

    /// Whether a private field may leave a type that stays, once nothing uses it.
    fn is_dispensable(&self, _tree: &SyntaxTree, _field: &Symbol) -> bool {
        false
    }

    /// Whether an import is there for others, or for what it does, though nothing in the file uses it.
    fn keeps_import(&self, tree: &SyntaxTree, path: &str, import: &Import) -> bool;

    /// Whether what a file imports can be taken from it by others.
    fn offers_imports(&self) -> bool;

    /// Whether a file is part of a program only where another one declares it.
    fn declares_files(&self) -> bool {
        false
    }

    /// Whether a definition in a file of tests runs for the tests of all files in the folder, though no text
    /// names it.
    fn runs_for_folder(&self, _symbol: &Symbol) -> bool {
        false
    }

    /// Whether a use that was found by name only needs each definition that it may mean: code does not
    /// compile without the right one.
    fn needs_every_meaning(&self) -> bool {
        false
    }

    /// Why a function cannot become a stub, if it cannot.
    fn refuses_stub(&self, _tree: &SyntaxTree, _symbol: &Symbol) -> Option<&'static str> {
        None
    }

    /// Whether a function may run while the code is compiled: if a constant needs it, a stub breaks
    /// the build.
    fn runs_while_compiling(&self, _tree: &SyntaxTree, _symbol: &Symbol) -> bool {
        false
    }

    /// Whether a use of an import stands in code that this build may leave out: whoever builds sees it
    /// only with other settings.
    fn is_conditional(&self, _tree: &SyntaxTree, _used: &ByteRange, _import: &Import) -> bool {
        false
    }

    /// Whether an import lets all files see something, though only its own file can say so.
    fn is_linked(&self, _tree: &SyntaxTree, _import: &Import) -> bool {
        false
    }

    /// Whether an import is made for tests only, though it stands outside of them.
    fn is_for_tests(&self, _tree: &SyntaxTree, _import: &Import) -> bool {
        false
    }

    /// What a file looks up in what by name: `object.name` for every `….object.name`, and for names
    /// given as text to functions that look them up.
    fn lookups(&self, tree: &SyntaxTree) -> BTreeSet<String>;

    /// The ranges that the examples of a text which is no code take; none where they are no tests.
    fn examples_in_text(&self, text: &str) -> Vec<std::ops::Range<usize>>;

    /// The text that stands for some symbols of a file in an interface.
    fn interface(
        &self,
        tree: &SyntaxTree,
        symbols: &[Symbol],
        top: &BTreeSet<SymbolId>,
    ) -> Vec<(SymbolId, String)>;
}

/// The rules of a language.
pub(crate) fn rules(language: Language) -> &'static dyn Rules {
    match language {
        Language::Go => &go::Go,
        Language::Python => &python::Python,
        Language::Rust => &rust::Rust,
    }
}
