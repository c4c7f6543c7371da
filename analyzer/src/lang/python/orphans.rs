//! Which variables and class fields may leave once nothing refers to them.

use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use crate::symbol::{Symbol, SymbolKind};

use super::nodes::{children, field};

/// Functions and methods, by their last name, whose call does nothing but give a value.
const WITHOUT_EFFECT: &[&str] = &[
    "abs",
    "all",
    "any",
    "attrgetter",
    "bin",
    "bool",
    "bytearray",
    "bytes",
    "casefold",
    "chr",
    "compile",
    "complex",
    "copy",
    "count",
    "decode",
    "defaultdict",
    "deque",
    "dict",
    "difference",
    "divmod",
    "encode",
    "enumerate",
    "escape",
    "filter",
    "float",
    "format",
    "fromkeys",
    "frozenset",
    "get",
    "getLogger",
    "hash",
    "hex",
    "int",
    "intersection",
    "isinstance",
    "issubclass",
    "itemgetter",
    "items",
    "join",
    "keys",
    "len",
    "list",
    "local",
    "lower",
    "lstrip",
    "maketrans",
    "map",
    "max",
    "memoryview",
    "methodcaller",
    "min",
    "namedtuple",
    "object",
    "oct",
    "ord",
    "partial",
    "pow",
    "range",
    "replace",
    "repr",
    "reversed",
    "round",
    "rstrip",
    "set",
    "slice",
    "sorted",
    "split",
    "splitlines",
    "str",
    "strip",
    "sum",
    "title",
    "tuple",
    "type",
    "union",
    "upper",
    "values",
    "zip",
];

/// A private variable, whatever it holds; a public one whose value is made without effects; a private
/// field of that kind in a class that nothing decorates. Names with underscores at the end are looked
/// for by the interpreter or by libraries.
pub(super) fn may_be_orphan(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    let name = symbol.id.name();
    let Some(statement) = statement_of(tree, symbol).filter(|_| !name.ends_with('_')) else {
        return false;
    };
    let is_private = name.starts_with('_');
    match symbol.kind {
        SymbolKind::Variable => is_private || !has_effect(tree, statement),
        SymbolKind::Field => {
            is_private && !has_effect(tree, statement) && is_in_plain_class(statement)
        }
        _ => false,
    }
}

/// The assignment that is the whole statement of a symbol.
fn statement_of<'t>(tree: &'t SyntaxTree, symbol: &Symbol) -> Option<Node<'t>> {
    let (start, end) = (symbol.full.start, symbol.full.end);
    let node = tree.root().named_descendant_for_byte_range(start, end)?;
    let enclosing = std::iter::successors(Some(node), |node| node.parent());
    let mut same = enclosing.take_while(|node| node.byte_range() == symbol.full);
    same.find(|node| match node.kind() {
        "expression_statement" => children(*node)
            .iter()
            .all(|part| part.kind() == "assignment"),
        kind => kind == "type_alias_statement",
    })
}

fn is_in_plain_class(statement: Node<'_>) -> bool {
    let class = statement.parent().and_then(|block| block.parent());
    let decorated = class.and_then(|class| class.parent());
    decorated.is_some_and(|around| around.kind() != "decorated_definition")
        && class.is_some_and(|class| class.kind() == "class_definition")
}

/// Whether evaluating a node may do more than give a value.
fn has_effect(tree: &SyntaxTree, node: Node<'_>) -> bool {
    match node.kind() {
        // Its body does not run here.
        "lambda" => return false,
        "await" | "yield" | "named_expression" => return true,
        "call" if !is_without_effect(tree, node) => return true,
        _ => {}
    }
    children(node)
        .into_iter()
        .any(|child| has_effect(tree, child))
}

/// A call of a known function, or of what is named like a class.
fn is_without_effect(tree: &SyntaxTree, call: Node<'_>) -> bool {
    let Some(function) = field(call, "function") else {
        return false;
    };
    let name = match function.kind() {
        "attribute" => field(function, "attribute"),
        _ => Some(function),
    };
    let name = name.map_or("", |name| tree.text_of(name));
    let is_class = name.trim_start_matches('_').starts_with(char::is_uppercase);
    is_class || WITHOUT_EFFECT.contains(&name)
}
