//! Stubs: a function keeps its header and loses its body.

use analyzer::symbol::Symbol;
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use super::{child_of_kind, children, code_end, statement_at};
use crate::lang::Refusal;
use crate::lang::lines::Lines;

/// What a stub does when it is called.
pub(super) const RAISE: &str = "raise NotImplementedError";

/// Replaces the body of a function.
pub(super) fn stub(
    tree: &SyntaxTree,
    lines: &mut Lines<'_>,
    symbol: &Symbol,
    keep_doc: bool,
) -> Result<(), Refusal> {
    let refusal = Refusal {
        symbol: symbol.id.clone(),
        reason: "it has no body that can be replaced",
    };
    let statement = statement_at(tree, &symbol.full);
    let function = statement
        .and_then(function_of)
        .ok_or_else(|| refusal.clone())?;
    let body = function.child_by_field_name("body").ok_or(refusal)?;
    let doc = children(body)
        .into_iter()
        .next()
        .filter(|_| keep_doc && symbol.doc.is_some());
    let header = header_end(function, body);
    if lines.line_of(header) == lines.line_of(body.start_byte()) {
        stub_in_line(lines, body, doc);
    } else {
        stub_lines(
            lines,
            function,
            body,
            doc.map_or(header, |doc| code_end(doc)),
        );
    }
    Ok(())
}

/// Whether the body of a function is `...` or raises `NotImplementedError` and does nothing else: a
/// stub would take nothing away.
pub(super) fn is_stub(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    let function = statement_at(tree, &symbol.full).and_then(function_of);
    let body = function.and_then(|function| function.child_by_field_name("body"));
    let documented = usize::from(symbol.doc.is_some());
    let statements: Vec<Node<'_>> = body.map(children).unwrap_or_default();
    let [only] = statements.get(documented..).unwrap_or_default() else {
        return false;
    };
    let text = tree.text().slice(only.byte_range());
    let raised = text.strip_prefix(RAISE).map(str::trim_start);
    text == "..." || raised.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
}

/// The function that a statement defines.
pub(super) fn function_of(statement: Node<'_>) -> Option<Node<'_>> {
    match statement.kind() {
        "function_definition" => Some(statement),
        "decorated_definition" => child_of_kind(statement, "function_definition"),
        _ => None,
    }
}

/// Where the colon before a body ends.
pub(super) fn header_end(definition: Node<'_>, body: Node<'_>) -> usize {
    let mut cursor = definition.walk();
    let colons = definition
        .children(&mut cursor)
        .filter(|child| child.kind() == ":");
    let colon = colons
        .filter(|colon| colon.end_byte() <= body.start_byte())
        .last();
    colon.map_or(body.start_byte(), |colon| colon.end_byte())
}

/// `def f(): return 1`
fn stub_in_line(lines: &mut Lines<'_>, body: Node<'_>, doc: Option<Node<'_>>) {
    match doc {
        Some(doc) => lines.replace(code_end(doc)..code_end(body), format!("; {RAISE}")),
        None => lines.replace(body.start_byte()..code_end(body), RAISE),
    }
}

/// Replaces the lines of a body behind `kept`, the end of the header or of the documentation.
fn stub_lines(lines: &mut Lines<'_>, function: Node<'_>, body: Node<'_>, kept: usize) {
    let owner = lines.line_of(function.start_byte());
    let last = lines.line_of(code_end(body).saturating_sub(1));
    let end = lines.end_of(lines.end_of_body(owner, last) - 1);
    // A comment at the end of the header or of the documentation stays with it.
    let kept = if lines.ends_line(kept, &[]) {
        lines.end_of(lines.line_of(kept))
    } else {
        kept
    };
    let indent = lines.indent(lines.line_of(body.start_byte()));
    let text = format!("{}{indent}{RAISE}", lines.line_end(kept));
    lines.replace(kept..end.max(kept), text);
}
