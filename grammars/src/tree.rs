//! Syntax trees: a parse that always succeeds, beside the text it was made from.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Node, Parser, Tree};

use crate::language::Language;
use crate::rust::Exact;
use crate::source::SourceText;

/// A syntax tree with its text. Cheap to clone; ranges of nodes are ranges of the original bytes.
#[derive(Clone, Debug)]
pub struct SyntaxTree(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    language: Language,
    text: SourceText,
    /// Made when somebody asks for it: a language with an exact parser of its own may not need it.
    tree: OnceLock<Tree>,
    exact: OnceLock<Exact>,
}

impl SyntaxTree {
    /// The language it was parsed as.
    pub fn language(&self) -> Language {
        self.0.language
    }

    /// The text it was made from.
    pub fn text(&self) -> &SourceText {
        &self.0.text
    }

    /// The root node.
    pub fn root(&self) -> Node<'_> {
        let parsed = || {
            PARSER
                .with_borrow_mut(|parser| parse_with(parser, self.0.language, self.0.text.shadow()))
        };
        self.0.tree.get_or_init(parsed).root_node()
    }

    /// What the exact parser of Rust makes of the text.
    pub(crate) fn exact(&self) -> &Exact {
        self.0
            .exact
            .get_or_init(|| Exact::parse(self.0.text.shadow()))
    }

    /// The shadow text of a node.
    pub fn text_of(&self, node: Node<'_>) -> &str {
        self.0.text.slice(node.byte_range())
    }

    /// Where the file does not follow the grammar, in the order of the file; a range is empty where
    /// something is missing.
    pub fn error_ranges(&self) -> Vec<Range<usize>> {
        match self.0.language.exact_errors() {
            Some(errors) => errors(self),
            None => self.error_nodes(),
        }
    }

    fn error_nodes(&self) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut cursor = self.root().walk();
        loop {
            let node = cursor.node();
            let is_error = node.is_error() || node.is_missing();
            if is_error {
                ranges.push(node.byte_range());
            }
            if node.has_error() && !is_error && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return ranges;
                }
            }
        }
    }
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Parses a file. Broken code gives a tree with error nodes.
pub fn parse(language: Language, text: &SourceText) -> SyntaxTree {
    SyntaxTree(Arc::new(Inner {
        language,
        text: text.clone(),
        tree: OnceLock::new(),
        exact: OnceLock::new(),
    }))
}

#[expect(
    clippy::expect_used,
    reason = "fails only for a grammar of another ABI, which a test of all rows rules out"
)]
fn parse_with(parser: &mut Parser, language: Language, text: &str) -> Tree {
    parser
        .set_language(&language.grammar())
        .expect("a grammar of this ABI");
    parser
        .parse(text, None)
        .expect("a parser with a language and no cancellation")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> SyntaxTree {
        let bytes = Arc::from(text.as_bytes());
        parse(
            Language::Python,
            &SourceText::new(Some(Language::Python), &bytes),
        )
    }

    #[test]
    fn good_code_has_no_error_ranges() {
        assert!(tree("\u{feff}def f(): pass\n").error_ranges().is_empty());
        assert!(tree("").error_ranges().is_empty());
    }

    #[test]
    fn broken_code_is_a_tree_with_error_ranges() {
        let tree = tree("x = 1\ndef (:\ny = 2\n");
        assert!(!tree.error_ranges().is_empty());
        assert_eq!(tree.root().kind(), "module");
    }
}
