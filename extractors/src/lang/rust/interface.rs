//! Interfaces: headers and documentation, without bodies.

use std::collections::BTreeSet;
use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use grammars::SyntaxTree;
use grammars::rust::syntax::ast::{self, AstToken, HasGenericParams};
use grammars::rust::syntax::{AstNode, Direction, SyntaxNode, T};

use super::nodes::{full, node_of, range};
use crate::lang::Edit;
use crate::removal::apply;

/// The text for each outermost definition that is, or holds, a top symbol.
pub(super) fn interface(
    tree: &SyntaxTree,
    symbols: &[Symbol],
    top: &BTreeSet<SymbolId>,
) -> Vec<(SymbolId, String)> {
    let quoting = Quoting { tree, symbols, top };
    let outermost = symbols
        .iter()
        .filter(|symbol| symbol.container.as_ref().is_some_and(SymbolId::is_module));
    let text = |symbol: &Symbol| Some((symbol.id.clone(), quoting.text(symbol)?));
    outermost.filter_map(text).collect()
}

struct Quoting<'a> {
    tree: &'a SyntaxTree,
    symbols: &'a [Symbol],
    top: &'a BTreeSet<SymbolId>,
}

impl Quoting<'_> {
    fn is_top(&self, symbol: &Symbol) -> bool {
        self.top.contains(&symbol.id)
    }

    fn members(&self, symbol: &Symbol) -> impl Iterator<Item = &Symbol> {
        let id = symbol.id.clone();
        self.symbols
            .iter()
            .filter(move |member| member.container.as_ref() == Some(&id))
    }

    /// Whether a block is one of a type that is top.
    fn is_of_top(&self, symbol: &Symbol) -> bool {
        let of = self.symbols.iter().filter(|other| {
            other.kind == SymbolKind::Class
                && other.container == symbol.container
                && other.id.name() == symbol.id.name()
        });
        symbol.kind == SymbolKind::Implementation && of.into_iter().any(|of| self.is_top(of))
    }

    fn is_shown(&self, symbol: &Symbol) -> bool {
        self.is_top(symbol)
            || self.is_of_top(symbol)
            || self.members(symbol).any(|member| self.is_shown(member))
    }

    /// A definition as it is shown; `None` if it is not.
    fn text(&self, symbol: &Symbol) -> Option<String> {
        if !self.is_shown(symbol) {
            return None;
        }
        let node = node_of(self.tree, symbol)?;
        let mut edits = Vec::new();
        self.edit(symbol, &node, self.is_top(symbol), &mut edits);
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let mut text = String::new();
        let whole = full(&node);
        let source = self.tree.text().bytes();
        let shifted: Vec<Edit> = edits
            .into_iter()
            .map(|edit| Edit {
                range: edit.range.start - whole.start..edit.range.end - whole.start,
                text: edit.text,
            })
            .collect();
        let bytes = apply(source.get(whole)?, &shifted);
        text.push_str(&String::from_utf8_lossy(&bytes));
        text.push('\n');
        Some(text)
    }

    /// The edits that take the bodies and everything that is not shown out of a definition.
    fn edit(&self, symbol: &Symbol, node: &SyntaxNode, whole: bool, edits: &mut Vec<Edit>) {
        if let Some(function) = ast::Fn::cast(node.clone()) {
            if let Some(body) = function.body() {
                replace_body(&function, &body, edits);
            }
            return;
        }
        let value = node.children().find_map(ast::Expr::cast);
        let is_value = ast::Const::can_cast(node.kind()) || ast::Static::can_cast(node.kind());
        if let Some(value) = value.filter(|_| is_value) {
            let equals = value.syntax().siblings_with_tokens(Direction::Prev);
            let equals = equals.filter(|it| it.kind() == T![=]).last();
            let start = equals.map_or(range(value.syntax()).start, |it| {
                usize::from(it.text_range().start())
            });
            edits.push(Edit {
                range: start.saturating_sub(1)..range(value.syntax()).end,
                text: String::new(),
            });
            return;
        }
        let is_trait = ast::Trait::can_cast(node.kind());
        let of_trait = ast::Impl::cast(node.clone()).is_some_and(|block| block.trait_().is_some());
        let is_container = matches!(
            symbol.kind,
            SymbolKind::Implementation | SymbolKind::Namespace
        );
        for member in self.members(symbol) {
            let Some(inner) = node_of(self.tree, member) else {
                continue;
            };
            let shows_all = match () {
                () if is_trait => whole,
                () if of_trait => whole || self.is_top(member),
                () if is_container => (whole || self.is_of_top(symbol)) && is_public(&inner),
                () if ast::RecordField::can_cast(inner.kind())
                    && (ast::Struct::can_cast(node.kind())
                        || ast::Union::can_cast(node.kind())) =>
                {
                    is_public(&inner)
                }
                () => true,
            };
            if shows_all || self.is_shown(member) {
                self.edit(member, &inner, shows_all, edits);
            } else {
                edits.push(Edit {
                    range: self.with_line(&inner),
                    text: String::new(),
                });
            }
        }
    }

    /// A member with its comma, its comments and its line.
    fn with_line(&self, node: &SyntaxNode) -> Range<usize> {
        let mut start = full(node).start;
        let mut end = range(node).end;
        if let Some(next) = node.next_sibling_or_token()
            && next.kind() == T![,]
        {
            end = usize::from(next.text_range().end());
        }
        let mut before = node.first_token().and_then(|token| match full(node).start {
            at if at == range(node).start => token.prev_token(),
            _ => Some(token),
        });
        while let Some(token) = before {
            let is_comment = ast::Comment::cast(token.clone()).is_some();
            if usize::from(token.text_range().start()) < start
                && (is_comment || token.kind().is_trivia())
            {
                start = usize::from(token.text_range().start());
                before = token.prev_token();
            } else {
                break;
            }
        }
        start..end
    }
}

fn replace_body(function: &ast::Fn, body: &ast::BlockExpr, edits: &mut Vec<Edit>) {
    let body = range(body.syntax());
    let before = function
        .body()
        .and_then(|it| it.syntax().prev_sibling_or_token())
        .filter(|it| it.kind().is_trivia())
        .map(|it| usize::from(it.text_range().start()));
    let mut start = before.unwrap_or(body.start);
    // The last bound of a where clause has a comma.
    let comma = function
        .where_clause()
        .and_then(|it| it.syntax().last_token());
    if comma.is_some_and(|it| it.kind() == T![,]) {
        start -= 1;
    }
    edits.push(Edit {
        range: start..body.end,
        text: ";".to_owned(),
    });
}

fn is_public(node: &SyntaxNode) -> bool {
    node.children()
        .any(|it| ast::Visibility::can_cast(it.kind()))
}
