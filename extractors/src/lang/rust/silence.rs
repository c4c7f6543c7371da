//! Marks on definitions that stay and that nothing uses until the feature is back.

use std::collections::BTreeMap;

use analyzer::symbol::{Symbol, SymbolKind};
use grammars::SyntaxTree;
use grammars::rust::syntax::ast::{self, AstToken, Comment};
use grammars::rust::syntax::{AstNode, SyntaxNode};

use super::nodes::{full, is_element, item_at, node_of};
use crate::lang::Cuts;
use crate::lang::lines::Lines;

/// Lets the compiler accept what it would call unused.
pub(super) fn silence(cuts: &Cuts<'_>, lines: &mut Lines<'_>) {
    let symbols = cuts.silence.iter();
    let symbols = symbols.filter_map(|symbol| mark(cuts.tree, lines, symbol));
    let imports = cuts.silence_imports.iter();
    let imports = imports.filter_map(|import| {
        let statement = item_at(cuts.tree, import.statement.start)?;
        attribute(lines, behind_doc(statement.syntax()), "unused_imports")
    });
    let marks: BTreeMap<usize, String> = symbols.chain(imports).collect();
    for (at, text) in marks {
        lines.replace(at..at, text);
    }
}

/// A mark on a definition, or on the one around it that starts a line.
fn mark(tree: &SyntaxTree, lines: &Lines<'_>, symbol: &Symbol) -> Option<(usize, String)> {
    let lint = match symbol.kind {
        SymbolKind::Macro => "unused_macros",
        _ => "dead_code",
    };
    let node = node_of(tree, symbol)?;
    let mut around = node
        .ancestors()
        .filter(|node| is_element(node) && !is_laid_out_with_others(node))
        .map(|node| behind_doc(&node));
    around.find_map(|at| attribute(lines, at, lint))
}

/// Whether a node is a variant which the formatter would lay out differently with an attribute: one of an
/// enum where a variant has named fields.
fn is_laid_out_with_others(node: &SyntaxNode) -> bool {
    let variants = node.parent().and_then(ast::VariantList::cast);
    let mut variants = variants.into_iter().flat_map(|list| list.variants());
    ast::Variant::can_cast(node.kind())
        && variants.any(|it| matches!(it.field_list(), Some(ast::FieldList::RecordFieldList(_))))
}

/// An attribute on what starts a line.
fn attribute(lines: &Lines<'_>, at: usize, lint: &str) -> Option<(usize, String)> {
    if !lines.starts_line(at) {
        return None;
    }
    let indent = lines.indent(lines.line_of(at));
    let end = lines.line_end(at);
    Some((at, format!("#[allow({lint})]{end}{indent}")))
}

/// Where a node starts behind its documentation.
fn behind_doc(node: &SyntaxNode) -> usize {
    let is_doc = |it: &grammars::rust::syntax::SyntaxElement| {
        let token = it.as_token();
        token.is_some_and(|it| it.kind().is_trivia() || Comment::can_cast(it.kind()))
    };
    let mut children = node.children_with_tokens();
    let first = children.find(|it| !is_doc(it));
    first.map_or(full(node).start, |it| usize::from(it.text_range().start()))
}
