//! The exact syntax of Rust: the tree that the parser of rust-analyzer makes, which loses nothing and
//! knows every edition.

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
        let blanked = text
            .strip_prefix('\u{feff}')
            .map(|rest| format!("   {rest}"));
        let text = blanked.as_deref().unwrap_or(text);
        if depth(text) > DEEPEST {
            return Self {
                green: parsed("", Edition::LATEST).syntax_node().green().to_owned(),
                errors: std::iter::once(0..text.len()).collect(),
            };
        }
        let tried = EDITIONS.into_iter().map(|edition| parsed(text, edition));
        let mut first = None;
        for parse in tried {
            let exact = Self::of(&parse);
            if exact.errors.is_empty() {
                return exact;
            }
            first.get_or_insert(exact);
        }
        first.unwrap_or_else(|| Self::of(&parsed(text, Edition::LATEST)))
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

fn parsed(text: &str, edition: Edition) -> Parse<ast::SourceFile> {
    ast::SourceFile::parse(text, edition)
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

/// A part of a file that stands where an expression may, such as the argument of a macro.
pub fn expression(text: &str) -> Option<SyntaxNode> {
    if text.trim().is_empty() || depth(text) > DEEPEST {
        return None;
    }
    let parse = ast::Expr::parse(text, Edition::LATEST);
    parse.errors().is_empty().then(|| parse.syntax_node())
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
            text.replace('\u{feff}', "   "),
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
