//! The exact syntax of Rust: the tree that the parser of rust-analyzer makes, which loses nothing and
//! knows every edition.

use std::borrow::Cow;
use std::ops::Range;

pub use ra_ap_syntax as syntax;
use ra_ap_syntax::{AstNode, Edition, GreenNode, Parse, SyntaxNode, ast};

use crate::tree::SyntaxTree;

/// From the newest: a file belongs to the first edition that accepts it, so no manifest is needed.
const EDITIONS: [Edition; 4] = [
    Edition::Edition2024,
    Edition::Edition2021,
    Edition::Edition2018,
    Edition::Edition2015,
];

/// The parser calls itself for each level; beyond this it might run out of stack.
const DEEPEST: usize = 200;

/// The result of the exact parser, in a form that threads can share.
#[derive(Debug)]
pub(crate) struct Exact {
    green: GreenNode,
    errors: Vec<Range<usize>>,
}

impl Exact {
    /// Parses a text as the newest edition that accepts it, or as the newest one.
    pub fn parse(text: &str) -> Self {
        let text = &*plain(text);
        let mut first = None;
        for edition in EDITIONS {
            let Some(exact) = parsed(text, edition).map(|parse| Self::of(&parse)) else {
                break;
            };
            if exact.errors.is_empty() {
                return exact;
            }
            first.get_or_insert(exact);
        }
        first.unwrap_or_else(|| Self::unreadable(text))
    }

    /// A file that the parser cannot take: an empty tree, and all of the text is wrong.
    fn unreadable(text: &str) -> Self {
        let empty = ast::SourceFile::parse("", Edition::LATEST);
        Self {
            green: empty.syntax_node().green().to_owned(),
            errors: std::iter::once(0..text.len()).collect(),
        }
    }

    fn of(parse: &Parse<ast::SourceFile>) -> Self {
        let range = |error: &syntax::SyntaxError| {
            let range = error.range();
            usize::from(range.start())..usize::from(range.end())
        };
        let mut errors: Vec<_> = parse.errors().iter().map(range).collect();
        errors.sort_by_key(|range| (range.start, range.end));
        errors.dedup();
        Self {
            green: parse.syntax_node().green().to_owned(),
            errors,
        }
    }
}

/// What the parser takes for the text of a file, of the same length: without a BOM, and with line
/// feeds alone, since it knows no other line ends inside of texts. Two of them are a blank line, at which
/// a comment ends to belong to what follows.
fn plain(text: &str) -> Cow<'_, str> {
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => Cow::from(format!("   {rest}")),
        None => Cow::from(text),
    };
    match text.contains("\r\n") {
        true => Cow::from(text.replace("\r\n\r\n", "\n\n\n\n").replace("\r\n", "\n ")),
        false => text,
    }
}

/// `None` for a text that the parser has no result for: one that nests too deep, or that trips one
/// of its assertions.
fn parsed(text: &str, edition: Edition) -> Option<Parse<ast::SourceFile>> {
    if depth(text) > DEEPEST {
        return None;
    }
    std::panic::catch_unwind(|| ast::SourceFile::parse(text, edition)).ok()
}

/// How deep brackets are nested, those in texts and comments included.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The exact tree of a file. Offsets in it are offsets in the file. Trees of files that nest too deep
/// are empty; [`SyntaxTree::error_ranges`] then covers the file.
pub fn source_file(tree: &SyntaxTree) -> Option<ast::SourceFile> {
    ast::SourceFile::cast(SyntaxNode::new_root(tree.exact().green.clone()))
}

/// What stands before the text of [`statements`].
const OPENING: &str = "fn f() {";

/// A part of a file as the statements and the expression of a body, such as the argument of a macro:
/// the block, and how far its offsets are ahead of those of the text. `None` if it is no such thing.
pub fn statements(text: &str) -> Option<(ast::BlockExpr, usize)> {
    let parse = parsed(&format!("{OPENING}{text}\n}}"), Edition::LATEST)?;
    if !parse.errors().is_empty() {
        return None;
    }
    let function = parse.syntax_node().first_child().and_then(ast::Fn::cast)?;
    Some((function.body()?, OPENING.len()))
}

pub(crate) fn error_ranges(tree: &SyntaxTree) -> Vec<Range<usize>> {
    tree.exact().errors.clone()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Language, SourceText, parse};

    fn tree(text: &str) -> SyntaxTree {
        let bytes = Arc::from(text.as_bytes());
        parse(
            Language::Rust,
            &SourceText::new(Some(Language::Rust), &bytes),
        )
    }

    fn is_accepted(text: &str) -> bool {
        let tree = tree(text);
        assert_eq!(
            source_file(&tree).unwrap().syntax().text().to_string(),
            plain(text),
            "nothing is lost"
        );
        tree.error_ranges().is_empty()
    }

    #[test]
    fn a_file_of_any_edition_is_accepted() {
        assert!(is_accepted("fn f() { let async = 1; let dyn = async; }\n"));
        assert!(is_accepted("async fn f() { g().await }\n"));
        assert!(is_accepted("fn f(gen: u8) -> u8 { gen }\n"));
        assert!(is_accepted("\u{feff}fn main() {}\r\n"));
        assert!(is_accepted("const X: &str = \"a\\\r\n  b\r\n\";\r\n"));
        assert!(is_accepted("#!/usr/bin/env run\r\nfn main() {}\r\n"));
    }

    #[test]
    fn what_the_exact_parser_accepts_is_no_error() {
        assert!(is_accepted("fn f() { let x = &raw const y; }\n"));
        assert!(is_accepted(
            "fn f<T>() where T: for<'a> Fn(&'a u8) -> impl Sized {}\n"
        ));
    }

    #[test]
    fn broken_files_say_where() {
        let tree = tree("fn f( {}\nfn g() {}\n");
        assert!(!tree.error_ranges().is_empty());
    }

    #[test]
    fn a_file_that_nests_too_deep_is_broken_and_no_crash() {
        let text = format!("const X: u8 = {}1{};\n", "(".repeat(5000), ")".repeat(5000));
        let whole = 0..text.len();
        assert_eq!(tree(&text).error_ranges().first(), Some(&whole));
    }
}
