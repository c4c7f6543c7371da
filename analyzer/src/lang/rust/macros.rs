//! Macros: names inside their arguments and bodies count, whatever becomes of them.

use std::ops::Range;

use grammars::rust::syntax::ast::{self};
use grammars::rust::syntax::{
    AstNode, NodeOrToken, SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, T,
};

use super::map::{ALL, MACROS, Sym};
use super::resolve::{Meant, Walk};
use super::syntax::plain;
use crate::facts::Name;
use crate::occurrence::{ReferenceKind, Runs};

impl Walk<'_> {
    /// A call of a macro: its name, and its arguments as expressions where they are such.
    pub fn macro_call(&mut self, call: &ast::MacroCall) {
        if let Some(path) = call.path() {
            self.path(&path, MACROS, ReferenceKind::Call);
        }
        if let Some(tree) = call.token_tree() {
            self.arguments(&tree);
        }
    }

    fn arguments(&mut self, tree: &ast::TokenTree) {
        self.depth += 1;
        for part in parts(tree) {
            self.argument(&part);
        }
        self.depth -= 1;
    }

    fn argument(&mut self, part: &[SyntaxElement]) {
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            return;
        };
        if let [NodeOrToken::Token(only)] = part
            && is_name(only)
            && self.local(only.text()).is_none()
            && self.members.methods.contains_key(&plain(only.text()))
        {
            // The macro may put it behind a dot.
            self.member_token(only);
        }
        let start = usize::from(first.text_range().start());
        let mut text = String::new();
        for element in part {
            text.push_str(&element.to_string());
        }
        let is_whole = text.len() == usize::from(last.text_range().end()) - start;
        let parsed = Some(&text).filter(|_| is_whole && self.depth < 60);
        match parsed.and_then(|text| grammars::rust::statements(text)) {
            Some((block, ahead)) => {
                let outer = (self.offset, self.is_quoted);
                self.offset = self.offset.wrapping_add(start).wrapping_sub(ahead);
                self.is_quoted = true;
                self.expression(&ast::Expr::BlockExpr(block));
                (self.offset, self.is_quoted) = outer;
                let tokens = part.iter().flat_map(tokens);
                self.captured(&tokens.collect::<Vec<_>>());
            }
            None => {
                let tokens: Vec<SyntaxToken> = part.iter().flat_map(tokens).collect();
                self.tokens(&tokens, true);
            }
        }
    }

    /// Names in tokens that are no code by themselves.
    pub fn tokens_of(&mut self, node: &SyntaxNode) {
        let tokens = tokens(&NodeOrToken::Node(node.clone()));
        self.tokens(&tokens, true);
    }

    /// Names inside attributes: those of the project only.
    pub fn decorating(&mut self, node: &SyntaxNode) {
        let tokens = tokens(&NodeOrToken::Node(node.clone()));
        self.tokens(&tokens, false);
        for token in tokens
            .iter()
            .filter(|token| token.kind() == SyntaxKind::STRING)
        {
            self.path_in_text(token);
        }
    }

    /// `#[serde(with = "crate::dates")]`
    fn path_in_text(&mut self, token: &SyntaxToken) {
        let text = token.text().trim_matches('"');
        let is_path = !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        if !is_path {
            return;
        }
        let range = self.token_range(token);
        let names: Vec<(Name, Range<usize>)> = text
            .split("::")
            .map(|part| (plain(part), range.clone()))
            .collect();
        if names.iter().skip(1).all(|(name, _)| !name.is_empty()) {
            self.named_path(&names, None, ALL, ReferenceKind::Read);
        }
    }

    fn tokens(&mut self, tokens: &[SyntaxToken], by_name: bool) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let before = before.map(SyntaxToken::kind);
            if !is_name(token) || before == Some(T![$]) && token.text() != "crate" {
                at += 1;
                continue;
            }
            let end = path_end(tokens, at);
            let path = tokens.get(at..end).unwrap_or_default();
            match before {
                // A function that a macro writes may be one that a trait asks for.
                Some(T![.] | T![fn]) => self.member_token(token),
                _ if calls_macro(tokens, end) => self.path_tokens(path, MACROS, by_name),
                _ => self.path_tokens(path, ALL, by_name),
            }
            at = end.max(at + 1);
        }
        self.captured(tokens);
    }

    /// A name after a dot, or of a function.
    fn member_token(&mut self, token: &SyntaxToken) {
        let name = plain(token.text());
        let methods = self.members.methods.get(&name).into_iter().flatten();
        let methods = methods.chain(self.members.by_trait.get(&name).into_iter().flatten());
        let fields = self.members.named_fields.get(&name).into_iter().flatten();
        let meant = Meant {
            named: methods.chain(fields).copied().collect(),
            ..Meant::default()
        };
        let range = self.token_range(token);
        self.refer(range.clone(), ReferenceKind::Call, &meant);
        self.use_traits(&range, &name, &meant);
        self.use_foreign_traits(&range, &name);
    }

    fn path_tokens(&mut self, path: &[SyntaxToken], spaces: u8, by_name: bool) {
        let names: Vec<(Name, Range<usize>)> = path
            .iter()
            .filter(|token| is_name(token))
            .map(|token| (plain(token.text()), self.token_range(token)))
            .collect();
        let Some((last, range)) = names.last().cloned() else {
            return;
        };
        if names.len() == 1 && self.local(&last).is_some() {
            return;
        }
        let (meant, _) = self.named_path(&names, None, spaces, ReferenceKind::Read);
        let is_standard = spaces == MACROS && super::standard::is_macro(&last);
        if by_name
            && !is_standard
            && meant.sure.is_empty()
            && meant.named.is_empty()
            && meant.imports.is_empty()
        {
            // The macro may put it where it means something else.
            let named: Vec<Sym> = self
                .members
                .everything
                .get(&last)
                .cloned()
                .unwrap_or_default();
            let meant = Meant {
                named,
                ..Meant::default()
            };
            self.refer(range, ReferenceKind::Read, &meant);
        }
    }

    /// `format!("{name}")` reads `name`.
    fn captured(&mut self, tokens: &[SyntaxToken]) {
        let texts = tokens
            .iter()
            .filter(|token| token.kind() == SyntaxKind::STRING);
        for token in texts {
            let start = self.token_range(token).start;
            let text = token.text();
            for (at, _) in text.match_indices('{') {
                let rest = text.get(at + 1..).unwrap_or_default();
                let length = rest
                    .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .unwrap_or(rest.len());
                let name = rest.get(..length).unwrap_or_default();
                let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
                if is_name && self.local(name).is_none() && self.place.runs != Runs::Never {
                    let from = start + at + 1;
                    self.value_name(name, from..from + length, ReferenceKind::Read);
                }
            }
        }
    }
}

/// The parts of an argument list between its commas and semicolons.
fn parts(tree: &ast::TokenTree) -> Vec<Vec<SyntaxElement>> {
    let elements: Vec<SyntaxElement> = tree.syntax().children_with_tokens().collect();
    let inner = elements
        .get(1..elements.len().saturating_sub(1))
        .unwrap_or_default();
    let is_separator = |element: &SyntaxElement| matches!(element.kind(), T![,] | T![;]);
    inner
        .split(is_separator)
        .filter(|part| !part.is_empty())
        .map(<[SyntaxElement]>::to_vec)
        .collect()
}

/// The tokens of an element without blanks and comments.
fn tokens(element: &SyntaxElement) -> Vec<SyntaxToken> {
    let all: Vec<SyntaxToken> = match element {
        NodeOrToken::Token(token) => vec![token.clone()],
        NodeOrToken::Node(node) => {
            let elements = node.descendants_with_tokens();
            elements
                .filter_map(|element| element.into_token())
                .collect()
        }
    };
    all.into_iter()
        .filter(|token| !token.kind().is_trivia())
        .collect()
}

/// Whether the path that ends at an index is that of a macro which is called.
fn calls_macro(tokens: &[SyntaxToken], end: usize) -> bool {
    let kind = |at: usize| tokens.get(at).map(SyntaxToken::kind);
    kind(end) == Some(T![!]) && matches!(kind(end + 1), Some(T!['('] | T!['['] | T!['{']))
}

fn is_name(token: &SyntaxToken) -> bool {
    matches!(
        token.kind(),
        SyntaxKind::IDENT | T![crate] | T![self] | T![super] | T![Self]
    )
}

/// Where the path that starts at a token ends: `a::b::c`.
fn path_end(tokens: &[SyntaxToken], start: usize) -> usize {
    let kind = |at: usize| tokens.get(at).map(SyntaxToken::kind);
    let mut end = start + 1;
    loop {
        // In a token tree the colons may stand one by one.
        let colons = match (kind(end), kind(end + 1)) {
            (Some(T![::]), _) => 1,
            (Some(T![:]), Some(T![:])) => 2,
            _ => return end,
        };
        match tokens.get(end + colons) {
            Some(token) if is_name(token) => end += colons + 1,
            _ => return end,
        }
    }
}
