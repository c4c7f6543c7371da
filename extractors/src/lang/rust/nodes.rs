//! Small questions to the exact syntax tree.

use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolKind};
use grammars::SyntaxTree;
use grammars::rust::syntax::ast::{self, AstToken, HasAttrs};
use grammars::rust::syntax::{AstNode, SyntaxElement, SyntaxKind, SyntaxNode, TextSize};

/// The range of a node.
pub(super) fn range(node: &SyntaxNode) -> Range<usize> {
    let range = node.text_range();
    usize::from(range.start())..usize::from(range.end())
}

/// A node without the blanks and plain comments that it starts with.
pub(super) fn full(node: &SyntaxNode) -> Range<usize> {
    let is_filler = |element: &SyntaxElement| match element.as_token() {
        Some(token) => match ast::Comment::cast(token.clone()) {
            Some(comment) => !comment.is_doc(),
            None => token.kind() == SyntaxKind::WHITESPACE,
        },
        None => false,
    };
    let first = node.children_with_tokens().find(|it| !is_filler(it));
    let start = first.map_or(node.text_range().start(), |it| it.text_range().start());
    usize::from(start)..range(node).end
}

/// The node that defines a symbol.
pub(super) fn node_of(tree: &SyntaxTree, symbol: &Symbol) -> Option<SyntaxNode> {
    let file = grammars::rust::source_file(tree)?;
    let at = TextSize::try_from(symbol.focus.start).ok()?;
    let token = file.syntax().token_at_offset(at).right_biased()?;
    let is_definition = |node: &SyntaxNode| match symbol.kind {
        SymbolKind::Implementation => ast::Impl::can_cast(node.kind()),
        _ => is_element(node),
    };
    token
        .parent_ancestors()
        .find(|node| is_definition(node) && full(node) == symbol.full)
}

/// The item whose text starts at an offset.
pub(super) fn item_at(tree: &SyntaxTree, start: usize) -> Option<ast::Item> {
    let file = grammars::rust::source_file(tree)?;
    let token = file
        .syntax()
        .token_at_offset(TextSize::try_from(start).ok()?)
        .right_biased()?;
    token.parent_ancestors().find_map(ast::Item::cast)
}

/// Whether a node is an item or a member.
pub(super) fn is_element(node: &SyntaxNode) -> bool {
    let kind = node.kind();
    ast::Variant::can_cast(kind)
        || ast::RecordField::can_cast(kind)
        || (ast::Item::can_cast(kind) && !ast::MacroCall::can_cast(kind))
        || (ast::MacroCall::can_cast(kind) && node.parent().is_some_and(|it| holds_items(&it)))
}

/// Whether what stands at `used` depends on more than what `beside` does, and than tests being built.
pub(super) fn is_conditional(
    tree: &SyntaxTree,
    used: &Range<usize>,
    beside: &Range<usize>,
) -> bool {
    let file = grammars::rust::source_file(tree);
    let at = TextSize::try_from(used.start).ok();
    let token = file.zip(at).and_then(|(file, at)| {
        let tokens = file.syntax().token_at_offset(at);
        tokens.right_biased()
    });
    let around = token.into_iter().flat_map(|token| token.parent_ancestors());
    let mut around = around.take_while(|node| !range(node).contains(&beside.start));
    around.any(|node| {
        let mut attributes = node.children().filter_map(ast::Attr::cast);
        attributes.any(|attribute| match attribute.meta() {
            Some(ast::Meta::CfgMeta(meta)) => meta
                .cfg_predicate()
                .is_some_and(|predicate| predicate.syntax().text() != "test"),
            _ => false,
        })
    })
}

/// Whether a node is a list of items.
pub(super) fn holds_items(node: &SyntaxNode) -> bool {
    ast::SourceFile::can_cast(node.kind())
        || ast::ItemList::can_cast(node.kind())
        || ast::AssocItemList::can_cast(node.kind())
        || ast::ExternItemList::can_cast(node.kind())
}

/// Whether an item is compiled for tests only: `test`, `all(test, …)`.
pub(super) fn is_for_tests(item: &impl HasAttrs) -> bool {
    let mut attributes = item.attrs().filter_map(|it| it.meta());
    attributes.any(|meta| match meta {
        ast::Meta::CfgMeta(meta) => meta.cfg_predicate().is_some_and(|it| demands_test(&it)),
        _ => false,
    })
}

fn demands_test(predicate: &ast::CfgPredicate) -> bool {
    match predicate {
        ast::CfgPredicate::CfgAtom(atom) => atom.syntax().text() == "test",
        ast::CfgPredicate::CfgComposite(composite) => {
            let is_all = composite.syntax().text().to_string().starts_with("all");
            is_all && composite.cfg_predicates().any(|it| demands_test(&it))
        }
    }
}
