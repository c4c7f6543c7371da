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
                    old.edit(&input_edit(self.0.text.shadow(), range, new.as_bytes()));
                }
                parse_with(self.0.language, text.shadow(), Some(&old))
            });
        }
        edited
    }

    /// The tree of a text that is much like this tree's: where both begin and end alike, nothing is
    /// parsed again. It is the tree that [`parse`] makes: after an error tree-sitter may recover in
    /// another way than from the start, so a text with one is parsed anew.
    pub fn followed_by(&self, text: &SourceText) -> Self {
        let followed = parse(self.0.language, text);
        // A tree that nobody has asked for yet is no help.
        let made = self.0.tree.get();
        if let Some(mut old) = made
            .cloned()
            .filter(|_| self.0.language.exact_errors().is_none())
        {
            let (range, new) = difference(self.0.text.shadow(), text.shadow());
            old.edit(&input_edit(self.0.text.shadow(), range, new));
            let tree = parse_with(self.0.language, text.shadow(), Some(&old));
            if !tree.root_node().has_error() {
                followed.0.tree.get_or_init(|| tree);
            }
        }
        followed
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

/// The one range of a text that another one replaces, and what stands in its place.
fn difference<'n>(old: &str, new: &'n str) -> (Range<usize>, &'n [u8]) {
    let (mut old, mut new) = (old.as_bytes(), new.as_bytes());
    let alike = |(one, other): &(&u8, &u8)| one == other;
    let start = old.iter().zip(new).take_while(alike).count();
    (old, new) = (&old[start..], &new[start..]);
    let both = old.iter().rev().zip(new.iter().rev());
    let end = both.take_while(alike).count();
    (start..start + old.len() - end, &new[..new.len() - end])
}

fn input_edit(text: &str, range: Range<usize>, new: &[u8]) -> InputEdit {
    let text = text.as_bytes();
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
fn point_behind(start: Point, text: &[u8], length: usize) -> Point {
    let bytes = text.get(..length).unwrap_or_default();
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
    fn a_tree_that_follows_another_is_the_tree_of_its_text() {
        let texts = [
            "class A:\n    def f(self):\n        return 1\n\n    x = 'é'\n",
            "class A:\n    def f(self):\n        return 1\n\n    x = 'è'\n",
            "class A:\n    def f(self):\n        return (1\n\n    x = 'è'\n",
            "",
            "\u{feff}y = \"\"\"\nclass A:\n    def f(self): pass\n\"\"\"\n",
            "y = ''\nclass A:\n    def f(self): pass\n\"\"\"\n",
            "y = ''\nif y:\n    class A:\n        def f(self): pass\n''\n",
        ];
        let mut followed = tree(texts[0]);
        for text in texts.iter().cycle().skip(1).take(2 * texts.len()) {
            let whole = tree(text);
            followed = followed.followed_by(whole.text());
            assert_eq!(followed.root().to_sexp(), whole.root().to_sexp(), "{text}");
        }
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
