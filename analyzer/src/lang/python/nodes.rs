//! Steps from a node of the syntax tree to its children.

use std::num::NonZeroU16;
use std::sync::LazyLock;

use grammars::Language;
use grammars::tree_sitter::Node;
use rustc_hash::FxHashMap;

/// The grammar's numbers of the fields: looking a field up by name is slow, and done for most nodes.
static FIELDS: LazyLock<FxHashMap<String, NonZeroU16>> = LazyLock::new(|| {
    let grammar = Language::Python.grammar();
    let ids = 1..=u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
    ids.filter_map(NonZeroU16::new)
        .filter_map(|id| Some((grammar.field_name_for_id(id.get())?.to_owned(), id)))
        .collect()
});

/// The first child of a node in a field.
pub(super) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_id(FIELDS.get(name)?.get())
}

/// The children of a node in a field, without comments.
pub(super) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let Some(id) = FIELDS.get(name) else {
        return Vec::new();
    };
    let mut cursor = node.walk();
    node.children_by_field_id(*id, &mut cursor)
        .filter(|child| child.is_named() && !is_extra(*child))
        .collect()
}

/// Up to so many children are found faster one by one than with a cursor, which takes memory.
const FEW: u32 = 6;

/// The named children of a node without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    if node.child_count() <= FEW {
        return named_children(node)
            .filter(|child| !is_extra(*child))
            .collect();
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !is_extra(*child))
        .collect()
}

/// The first of [`children`].
pub(super) fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).find(|child| !is_extra(*child))
}

/// The last of [`children`]: the tree leads to it past all others.
pub(super) fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).rev().find(|child| !is_extra(*child))
}

fn named_children(node: Node<'_>) -> impl DoubleEndedIterator<Item = Node<'_>> {
    (0..node.named_child_count()).filter_map(move |index| node.named_child(index as u32))
}

/// Whether a node may stand anywhere and means nothing.
pub(super) fn is_extra(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_continuation")
}
