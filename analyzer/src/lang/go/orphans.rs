//! Definitions that may leave once nothing refers to them.

use grammars::SyntaxTree;

use crate::symbol::{Symbol, SymbolKind};

use super::nodes::field;

/// What its package alone can name. A field with a tag is looked for by whoever reads the tag, a blank
/// one takes up room, and one without a name of its own gives a type its members.
pub(super) fn may_be_orphan(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    symbol.id.name() != "_"
        && !is_exported(symbol)
        && match symbol.kind {
            SymbolKind::Variable => true,
            SymbolKind::Field => is_plain_field(tree, symbol),
            _ => false,
        }
}

/// Only its package can name it, and it is not called from elsewhere all the same.
pub(super) fn is_dead_without_users(tree: &SyntaxTree, function: &Symbol) -> bool {
    let name = function.id.name().split('#').next().unwrap_or_default();
    let text = tree.text().slice(function.full.clone());
    let mut lines = text.lines();
    !is_exported(function)
        && function.body.is_some()
        && !matches!(name, "init" | "main" | "_")
        && !lines.any(|line| line.starts_with("//export ") || line.starts_with("//go:linkname "))
}

fn is_plain_field(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    let (start, end) = (symbol.focus.start, symbol.focus.end);
    let name = tree.root().named_descendant_for_byte_range(start, end);
    let declaration = name.and_then(|name| name.parent());
    declaration.is_some_and(|it| {
        it.kind() == "field_declaration"
            && field(it, "name").is_some()
            && field(it, "tag").is_none()
    })
}

/// Whether other packages can name a symbol.
pub(super) fn is_exported(symbol: &Symbol) -> bool {
    symbol.id.name().starts_with(char::is_uppercase)
}
