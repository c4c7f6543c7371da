//! Rust: how its definitions and imports are cut out and quoted.

mod cut;
mod examples;
mod interface;
mod links;
mod nodes;
mod silence;
mod stub;
mod uses;

use std::collections::BTreeSet;

use analyzer::occurrence::Import;
use analyzer::symbol::{ByteRange, Symbol, SymbolId};
use grammars::SyntaxTree;
use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, HasAttrs, HasVisibility};

use super::{Cuts, Cutting, Rules};

/// The rules of Rust.
pub(super) struct Rust;

impl Rules for Rust {
    fn cut(&self, cuts: &Cuts<'_>) -> Cutting {
        cut::cut(cuts)
    }

    fn is_private(&self, tree: &SyntaxTree, symbol: &Symbol) -> bool {
        let Some(node) = nodes::node_of(tree, symbol) else {
            return false;
        };
        let is_public = node
            .children()
            .any(|it| ast::Visibility::can_cast(it.kind()));
        // An attribute may be what somebody else finds it by.
        let is_marked = node.children().any(|it| ast::Attr::can_cast(it.kind()));
        // Variants are what their enum is.
        !ast::Variant::can_cast(node.kind()) && !is_public && !is_marked && symbol.id.name() != "_"
    }

    fn keeps_import(&self, tree: &SyntaxTree, _path: &str, import: &Import) -> bool {
        let statement = nodes::item_at(tree, import.statement.start);
        let Some(ast::Item::Use(statement)) = statement else {
            return true;
        };
        let is_macro = |it: &ast::Attr| it.simple_name().as_deref() == Some("macro_use");
        statement.visibility().is_some()
            || import.bound == "_"
            || statement.attrs().any(|it| is_macro(&it))
    }

    fn offers_imports(&self) -> bool {
        true
    }

    fn declares_files(&self) -> bool {
        true
    }

    fn needs_every_meaning(&self) -> bool {
        true
    }

    fn refuses_stub(&self, tree: &SyntaxTree, symbol: &Symbol) -> Option<&'static str> {
        stub::refusal(&stub::function(tree, symbol)?)
    }

    fn runs_while_compiling(&self, tree: &SyntaxTree, symbol: &Symbol) -> bool {
        stub::function(tree, symbol).is_some_and(|it| it.const_token().is_some())
    }

    fn is_conditional(&self, tree: &SyntaxTree, used: &ByteRange, import: &Import) -> bool {
        nodes::is_conditional(tree, used, &import.statement)
    }

    fn is_linked(&self, tree: &SyntaxTree, import: &Import) -> bool {
        let statement = nodes::item_at(tree, import.statement.start);
        matches!(statement, Some(ast::Item::ExternCrate(_)))
    }

    fn is_for_tests(&self, tree: &SyntaxTree, import: &Import) -> bool {
        let statement = nodes::item_at(tree, import.statement.start);
        let Some(ast::Item::Use(statement)) = statement else {
            return false;
        };
        statement.visibility().is_none() && nodes::is_for_tests(&statement)
    }

    fn declarations_of(&self, _path: &str) -> Option<String> {
        None
    }

    fn definitions_of(&self, _path: &str) -> Option<String> {
        None
    }

    fn lookups(&self, tree: &SyntaxTree) -> BTreeSet<String> {
        let Some(file) = grammars::rust::source_file(tree) else {
            return BTreeSet::new();
        };
        let paths = file.syntax().descendants().filter_map(ast::Path::cast);
        let lookup = |path: ast::Path| {
            let object = path.qualifier()?.segment()?.name_ref()?;
            let name = path.segment()?.name_ref()?;
            Some(format!("{}.{}", object.text(), name.text()))
        };
        paths.filter_map(lookup).collect()
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
