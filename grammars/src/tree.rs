//! Syntax trees: a parse that always succeeds, beside the text it was made from.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

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
    comments: OnceLock<Vec<Range<usize>>>,
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
        self.tree().root_node()
    }

    fn tree(&self) -> &Tree {
        let parsed = || parse_with(self.0.language, self.0.text.shadow(), None);
        self.0.tree.get_or_init(parsed)
    }

    /// The tree of `text`, which this tree's text becomes by some edits: ranges, sorted and apart, and
    /// what stands in their place. What was not edited is not parsed again.
    pub fn edited<'e>(
        &self,
        edits: impl DoubleEndedIterator<Item = (Range<usize>, &'e str)>,
        text: &SourceText,
    ) -> Self {
        let edited = parse(self.0.language, text);
        if self.0.language.exact_errors().is_none() {
            edited.0.tree.get_or_init(|| {
                let mut old = self.tree().clone();
                // The last one first, so that the others keep their places.
                for (range, new) in edits.rev() {
                    old.edit(&input_edit(self.0.text.shadow(), range, new));
                }
                parse_with(self.0.language, text.shadow(), Some(&old))
            });
        }
        edited
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

    /// The ranges of all comments, in the order of the file.
    pub fn comments(&self) -> &[Range<usize>] {
        self.0.comments.get_or_init(|| self.find_comments())
    }

    fn find_comments(&self) -> Vec<Range<usize>> {
        let mut comments = Vec::new();
        let mut cursor = self.root().walk();
        loop {
            if cursor.node().kind().ends_with("comment") {
                comments.push(cursor.node().byte_range());
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return comments;
                }
            }
        }
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
        comments: OnceLock::new(),
    }))
}

#[expect(
    clippy::expect_used,
    reason = "fails only for a grammar of another ABI, which a test of all rows rules out"
)]
fn parse_with(language: Language, text: &str, old: Option<&Tree>) -> Tree {
    PARSER.with_borrow_mut(|parser| {
        parser
            .set_language(&language.grammar())
            .expect("a grammar of this ABI");
        parser
            .parse(text, old)
            .expect("a parser with a language and no cancellation")
    })
}

fn input_edit(text: &str, range: Range<usize>, new: &str) -> InputEdit {
    let start_position = point_behind(Point::new(0, 0), text, range.start);
    InputEdit {
        start_byte: range.start,
        old_end_byte: range.end,
        new_end_byte: range.start + new.len(),
        start_position,
        old_end_position: point_behind(Point::new(0, 0), text, range.end),
        new_end_position: point_behind(start_position, new, new.len()),
    }
}

/// The point behind the first bytes of a text that starts at a point.
fn point_behind(start: Point, text: &str, length: usize) -> Point {
    let bytes = text.as_bytes().get(..length).unwrap_or_default();
    let rows = bytes.iter().filter(|byte| **byte == b'\n').count();
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(last) => Point::new(start.row + rows, length - last - 1),
        None => Point::new(start.row, start.column + length),
    }
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
    fn an_edited_tree_is_the_tree_of_the_new_text() {
        let check = |old: &str, edits: &[(Range<usize>, &str)], new: &str| {
            let whole = tree(new);
            let edited = tree(old).edited(edits.iter().cloned(), whole.text());
            assert_eq!(edited.root().to_sexp(), whole.root().to_sexp(), "{new}");
            assert_eq!(edited.error_ranges(), whole.error_ranges(), "{new}");
        };
        let old = "class A:\n    def f(self):\n        return 1\n\n    x = 'é'\n\ny = (\n  2)\n";
        check(old, &[], old);
        check(
            old,
            &[(9..42, ""), (43..44, "")],
            "class A:\n    x = 'é'\n\ny = (\n  2)\n",
        );
        check(
            old,
            &[(34..42, "pass"), (57..59, "z\nw =")],
            "class A:\n    def f(self):\n        pass\n\n    x = 'é'\nz\nw = = (\n  2)\n",
        );
        check(old, &[(0..9, "")], &old[9..]);
    }

    #[test]
    fn comments_are_found_in_order() {
        assert_eq!(tree("# a\nx = [  # b\n]\n'#'\n").comments(), [0..3, 11..14]);
    }

    #[test]
    fn broken_code_is_a_tree_with_error_ranges() {
        let tree = tree("x = 1\ndef (:\ny = 2\n");
        assert!(!tree.error_ranges().is_empty());
        assert_eq!(tree.root().kind(), "module");
    }
}
