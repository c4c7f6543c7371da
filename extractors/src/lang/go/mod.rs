//! Go: how its definitions and imports are cut out and quoted.

mod align;
mod cut;
mod interface;
mod nodes;
#[cfg(test)]
mod testing;

use std::collections::BTreeSet;

use analyzer::occurrence::Import;
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use grammars::SyntaxTree;

use super::{Cuts, Cutting, Rules};

#[cfg(test)]
pub(crate) use testing::go_files;

/// The rules of Go.
pub(super) struct Go;

impl Rules for Go {
    fn cut(&self, cuts: &Cuts<'_>) -> Cutting {
        let mut cutting = cut::cut(cuts);
        align::align(cuts.tree, &mut cutting.edits);
        cutting
    }

    fn is_private(&self, _tree: &SyntaxTree, symbol: &Symbol) -> bool {
        !symbol.id.name().starts_with(char::is_uppercase)
    }

    fn is_dispensable(&self, tree: &SyntaxTree, field: &Symbol) -> bool {
        analyzer::may_be_orphan(tree, field)
    }

    fn keeps_import(&self, _tree: &SyntaxTree, _path: &str, import: &Import) -> bool {
        // `import "C"` stands for the C code above it.
        matches!(import.bound.as_str(), "_" | "C")
    }

    fn offers_imports(&self) -> bool {
        false
    }

    fn runs_for_folder(&self, symbol: &Symbol) -> bool {
        let name = symbol.id.name().split('#').next().unwrap_or_default();
        symbol.kind == SymbolKind::Function && matches!(name, "TestMain" | "init")
    }

    fn declarations_of(&self, _path: &str) -> Option<String> {
        None
    }

    fn definitions_of(&self, _path: &str) -> Option<String> {
        None
    }

    fn lookups(&self, _tree: &SyntaxTree) -> BTreeSet<String> {
        BTreeSet::new()
    }

    fn examples_in_text(&self, _text: &str) -> Vec<std::ops::Range<usize>> {
        Vec::new()
    }

    fn interface(
        &self,
        tree: &SyntaxTree,
        symbols: &[Symbol],
        top: &BTreeSet<SymbolId>,
    ) -> Vec<(SymbolId, String)> {
        interface::interface(tree, symbols, top)
    }
}
