//! Syntax trees: a parse that always succeeds, beside the text it was made from.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tree_sitter::{InputEdit, Node, Parser, Point, Tree, TreeCursor};

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
        let parsed = || parse_with(self.0.language, self.0.text.code(), None);
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
        if self.can_be_edited_to(text) {
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
        if let Some(mut old) = made.cloned().filter(|_| self.can_be_edited_to(text)) {
            let (before, after) = (self.0.text.shadow(), text.shadow());
            let Range { start, end } = widened(&old, &difference(before, after));
            let end = end.min(before.len());
            let new = after
                .as_bytes()
                .get(start..after.len() - (before.len() - end));
            let new = new.unwrap_or_default();
            old.edit(&input_edit(before, start..end, new));
            let tree = parse_with(self.0.language, text.shadow(), Some(&old));
            if !tree.root_node().has_error() {
                followed.0.tree.get_or_init(|| tree);
            }
        }
        followed
    }

    /// Whether the tree of another text can be made from this one: both were made from all of their texts,
    /// and no other parser has the last word.
    fn can_be_edited_to(&self, text: &SourceText) -> bool {
        let has_code = !self.0.text.is_blank() && !text.is_blank();
        has_code && self.0.language.exact_errors().is_none()
    }

    /// What the exact parser of Rust makes of the text.
    pub(crate) fn exact(&self) -> &Exact {
        self.0
            .exact
            .get_or_init(|| Exact::parse(self.0.text.code()))
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

/// The one range of a text that another one replaces.
fn difference(old: &str, new: &str) -> Range<usize> {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let start = alike(old.chunks(BLOCK).zip(new.chunks(BLOCK)), |(one, other)| {
        one.iter()
            .zip(*other)
            .take_while(|(one, other)| one == other)
            .count()
    });
    let (rest, new) = (&old[start..], &new[start..]);
    let behind = alike(
        rest.rchunks(BLOCK).zip(new.rchunks(BLOCK)),
        |(one, other)| {
            let both = one.iter().rev().zip(other.iter().rev());
            both.take_while(|(one, other)| one == other).count()
        },
    );
    start..old.len() - behind
}

/// Texts are compared in blocks of so many bytes, which takes a fraction of the time.
const BLOCK: usize = 1024;

/// How many bytes blocks have in common before they differ; `within` counts those of two that differ.
fn alike<'b>(
    mut blocks: impl Iterator<Item = (&'b [u8], &'b [u8])>,
    within: impl Fn(&(&[u8], &[u8])) -> usize,
) -> usize {
    let mut count = 0;
    let differing = blocks.find(|(one, other)| {
        let is_alike = one == other;
        count += if is_alike { one.len() } else { 0 };
        !is_alike
    });
    count + differing.as_ref().map_or(0, within)
}

/// A token without a width, such as Python's indents, is read by looking at so many bytes of the next one.
const AHEAD: usize = 5;

/// What tree-sitter is told that was edited, so that it goes on with its old tree behind it: the tokens on
/// both sides, too. Where only a token without a width was edited, the nodes that begin at the same place
/// would be passed over for good, to the end of the file; if the edit reaches from the token before into
/// the token behind, they begin elsewhere. To say that more was edited than was is always right.
fn widened(tree: &Tree, edited: &Range<usize>) -> Range<usize> {
    let mut before = token_at(tree, edited.start.saturating_sub(AHEAD));
    let start = match step(&mut before, TreeCursor::goto_previous_sibling) {
        true => before.node().end_byte().saturating_sub(1),
        false => 0,
    };
    let mut behind = token_at(tree, edited.end);
    let is_inside = behind.node().start_byte() < edited.end;
    let end = match is_inside && !step(&mut behind, TreeCursor::goto_next_sibling) {
        true => usize::MAX,
        false => behind.node().start_byte() + 1,
    };
    start.min(edited.start)..end.max(edited.end)
}

/// The first token that ends behind a place.
fn token_at(tree: &Tree, place: usize) -> TreeCursor<'_> {
    let mut cursor = tree.walk();
    while cursor.goto_first_child_for_byte(place).is_some() {}
    cursor
}

/// Goes to the node beside this one, or beside the innermost around it that has one there.
fn step<'t>(cursor: &mut TreeCursor<'t>, aside: fn(&mut TreeCursor<'t>) -> bool) -> bool {
    while !aside(cursor) {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
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
            "x = 1\n\0",
        ];
        let mut followed = tree(texts[0]);
        for text in texts.iter().cycle().skip(1).take(2 * texts.len()) {
            let whole = tree(text);
            followed = followed.followed_by(whole.text());
            assert_eq!(followed.root().to_sexp(), whole.root().to_sexp(), "{text}");
        }
    }

    /// Where the nodes of a kind are in memory.
    fn nodes(tree: &SyntaxTree, kind: &str) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![tree.root()]);
        let mut cursor = tree.root().walk();
        while let Some(node) = open.pop() {
            open.extend(node.children(&mut cursor));
            found.extend((node.kind() == kind).then(|| node.id()));
        }
        found
    }

    #[test]
    fn what_is_not_edited_is_not_parsed_again() {
        let member = |at| format!("    def f{at}(self):\n        x = {at}\n        return (x)\n\n");
        let members: String = (0..20).map(member).collect();
        let text = format!("class A:\n{members}\nclass B:\n{members}\ndef g():\n    return 1\n");
        let old = tree(&text);
        let before = nodes(&old, "return_statement");
        let check = |edited: &str, new: &str| {
            let new = tree(&text.replacen(edited, new, 1));
            assert!(!new.root().has_error());
            let followed = old.followed_by(new.text());
            let after = nodes(&followed, "return_statement");
            let kept = after.iter().filter(|node| before.contains(node));
            assert!(kept.count() >= 36, "{edited:?}");
        };
        check("f3(self):\n", "f3(self):\n\n");
        check("        x = 3", "        y = 3\n        x = 3");
        check("x = 3", "xy = 3");
        check("x = 3\n", "x = 3 + 4\n");
        check("(x)\n\n    def f4", "(x).y\n\n    def f4");
        check("\n    def f4", "\n\n    def f4");
        check("def f4", "def h4");
        check("def f4", "@h\n    def f4");
        check("\n    def f4", "\n    # f4\n    def f4");
        check("\nclass B", "\nc = 1\n\nclass B");
        check("\ndef g", "\n\n\ndef g");
        check("return 1\n", "return 12\n");
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
