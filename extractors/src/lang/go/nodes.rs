//! Small helpers on nodes of the syntax tree.

use analyzer::symbol::Symbol;
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

/// The named children without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| child.kind() != "comment")
        .collect()
}

/// The named children in a field.
pub(super) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor)
        .filter(Node::is_named)
        .collect()
}

/// The node that declares a symbol: a function, a specification, a field or a method of an interface.
pub(super) fn element<'t>(tree: &'t SyntaxTree, symbol: &Symbol) -> Option<Node<'t>> {
    let focus = symbol.focus.clone();
    let mut node = tree
        .root()
        .named_descendant_for_byte_range(focus.start, focus.end)?;
    loop {
        if is_element(node.kind()) {
            return Some(node);
        }
        node = node.parent()?;
    }
}

fn is_element(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "method_declaration"
            | "type_spec"
            | "type_alias"
            | "const_spec"
            | "var_spec"
            | "field_declaration"
            | "method_elem"
            | "import_spec"
    )
}

/// Whether something is one of several in parentheses or braces.
pub(super) fn is_grouped(element: Node<'_>) -> bool {
    match element.kind() {
        "function_declaration" | "method_declaration" => false,
        "field_declaration" | "method_elem" => true,
        _ => siblings(element)
            .first()
            .and_then(Node::prev_sibling)
            .is_some_and(|before| matches!(before.kind(), "(" | "comment")),
    }
}

/// The elements that stand in the same parentheses or braces, in order.
pub(super) fn siblings(element: Node<'_>) -> Vec<Node<'_>> {
    element.parent().map(children).unwrap_or_default()
}

/// The declaration at the level of the file that a specification is part of.
pub(super) fn declaration(element: Node<'_>) -> Node<'_> {
    let mut node = element;
    while !node.kind().ends_with("_declaration") || node.kind() == "field_declaration" {
        match node.parent() {
            Some(parent) => node = parent,
            None => return element,
        }
    }
    node
}
