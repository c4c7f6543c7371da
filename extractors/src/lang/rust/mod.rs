//! Rust: how its definitions and imports are cut out and quoted.

use std::collections::BTreeSet;

use analyzer::occurrence::Import;
use analyzer::symbol::{Symbol, SymbolId};
use grammars::SyntaxTree;

use super::{Cuts, Cutting, Refusal, Rules};

/// The rules of Rust.
pub(super) struct Rust;

impl Rules for Rust {
    fn cut(&self, cuts: &Cuts<'_>) -> Cutting {
        let refusal = |symbol: &&Symbol| Refusal {
            symbol: symbol.id.clone(),
            reason: "it cannot be cut yet",
        };
        Cutting {
            edits: Vec::new(),
            refusals: cuts.delete.iter().map(refusal).collect(),
        }
    }

    fn is_private(&self, _name: &str) -> bool {
        false
    }

    fn keeps_import(&self, _tree: &SyntaxTree, _path: &str, _import: &Import) -> bool {
        true
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
        _tree: &SyntaxTree,
        _symbols: &[Symbol],
        _top: &BTreeSet<SymbolId>,
    ) -> Vec<(SymbolId, String)> {
        Vec::new()
    }
}
