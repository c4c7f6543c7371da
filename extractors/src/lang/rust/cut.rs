//! Cutting: whole items, members of lists, and what becomes empty with them.

use std::collections::BTreeMap;

use analyzer::symbol::Symbol;
use grammars::SyntaxTree;
use grammars::rust::syntax::ast::{self, AstToken, HasVisibility};
use grammars::rust::syntax::{AstNode, SyntaxKind, SyntaxNode, T};

use super::nodes::{full, holds_items, is_element, is_for_tests, item_at, node_of, range};
use super::{examples, links, silence, stub, uses};
use crate::lang::lines::{Lines, Piece};
use crate::lang::{Cuts, Cutting, Refusal};

/// The edits that make the cuts.
pub(super) fn cut(cuts: &Cuts<'_>) -> Cutting {
    let mut lines = lines(cuts.tree);
    let mut refusals = Vec::new();
    for (symbol, keep_doc) in &cuts.stub {
        refusals.extend(stub::stub(cuts.tree, &mut lines, symbol, *keep_doc).err());
    }
    for symbol in &cuts.examples {
        refusals.extend(examples::cut(cuts.tree, &mut lines, symbol).err());
    }
    links::cut(cuts, &mut lines);
    silence::silence(cuts, &mut lines);
    let mut dropped = Dropped::default();
    for symbol in &cuts.delete {
        refusals.extend(dropped.definition(cuts.tree, symbol).err());
    }
    dropped.mark(cuts, &mut lines);
    let emptied = dropped.emptied_tests();
    let is_inside = |at: usize| emptied.iter().any(|list| range(list).contains(&at));
    let mut trees = BTreeMap::new();
    let imports = cuts.imports.iter();
    for import in imports.filter(|import| !is_inside(import.statement.start)) {
        match item_at(cuts.tree, import.statement.start) {
            Some(ast::Item::Use(statement)) => {
                let key = range(statement.syntax()).start;
                let entry = trees.entry(key).or_insert((statement, Vec::new()));
                entry.1.push(import.item.clone());
            }
            Some(item) => dropped.add(item.syntax().clone()),
            None => {}
        }
    }
    for (statement, items) in trees.into_values() {
        if !uses::cut(&mut lines, &statement, &items) {
            dropped.add(statement.syntax().clone());
        }
    }
    dropped.cut(&mut lines, emptied);
    Cutting {
        edits: lines.finish(),
        refusals,
    }
}

fn lines(tree: &SyntaxTree) -> Lines<'_> {
    let file = grammars::rust::source_file(tree);
    let tokens = file.into_iter().flat_map(|file| {
        let elements = file.syntax().descendants_with_tokens();
        elements.filter_map(|it| it.into_token())
    });
    let comments = tokens.filter_map(ast::Comment::cast).filter_map(|comment| {
        let is_line = !comment.is_doc() && !comment.text().contains('\n');
        let range = comment.syntax().text_range();
        is_line.then(|| usize::from(range.start())..usize::from(range.end()))
    });
    Lines::new(tree.text().shadow(), "//", comments.collect::<Vec<_>>())
}

/// Stands where test code is put back.
const MARK: &str = "// Tests are put back here.";

/// The items and members that go, by where they start.
#[derive(Default)]
struct Dropped {
    nodes: BTreeMap<(usize, usize), SyntaxNode>,
}

impl Dropped {
    fn definition(&mut self, tree: &SyntaxTree, symbol: &Symbol) -> Result<(), Refusal> {
        let node = node_of(tree, symbol).ok_or(Refusal {
            symbol: symbol.id.clone(),
            reason: "its definition is not an item of its own",
        })?;
        self.add(node);
        Ok(())
    }

    /// Leaves a comment where test code stood, one for all that stands together.
    fn mark(&mut self, cuts: &Cuts<'_>, lines: &mut Lines<'_>) {
        let marks = cuts.marks.iter();
        let marks: Vec<SyntaxNode> = marks.filter_map(|it| node_of(cuts.tree, it)).collect();
        let follows = |node: &SyntaxNode| {
            let before = node.prev_sibling();
            before.is_some_and(|before| marks.contains(&before))
        };
        for node in marks.iter().filter(|node| !follows(node)) {
            let full = full(node);
            if lines.starts_line(full.start) && lines.ends_line(full.end, &[]) {
                let range = range(node);
                self.nodes.remove(&(range.start, range.end));
                lines.remove_comments_above(lines.line_of(full.start));
                lines.replace(full, MARK);
            }
        }
    }

    fn add(&mut self, node: SyntaxNode) {
        let range = range(&node);
        self.nodes.insert((range.start, range.end), node);
    }

    fn has(&self, node: &SyntaxNode) -> bool {
        let range = range(node);
        self.nodes.contains_key(&(range.start, range.end))
    }

    /// The lists of test modules in which nothing stays but imports. The modules stay: they mark the
    /// place of the tests.
    fn emptied_tests(&self) -> Vec<SyntaxNode> {
        let lists = self.nodes.values().filter_map(SyntaxNode::parent);
        let of_tests = lists.filter(|list| list.parent().is_some_and(|owner| is_of_tests(&owner)));
        let emptied = of_tests.filter(|list| self.is_emptied(list));
        emptied.collect()
    }

    /// Marks everything that the dropped nodes ask for; some lists become empty.
    fn cut(mut self, lines: &mut Lines<'_>, emptied: Vec<SyntaxNode>) {
        while self.drop_emptied() {}
        let outermost = self.nodes.values().filter(|node| {
            let mut around = node.ancestors().skip(1);
            !around.any(|outer| self.has(&outer) || emptied.contains(&outer))
        });
        let emptied = emptied.iter().filter(|list| {
            let mut around = list.ancestors();
            !around.any(|outer| self.has(&outer))
        });
        let mut hollow: BTreeMap<usize, SyntaxNode> = emptied
            .map(|list| (range(list).start, list.clone()))
            .collect();
        for node in outermost {
            match node.parent().filter(|list| self.is_hollow(list)) {
                Some(list) => {
                    hollow.insert(range(&list).start, list);
                }
                None => self.cut_node(node, lines),
            }
        }
        for list in hollow.into_values() {
            lines.replace(range(&list), "{}");
        }
    }

    /// Whether a list that stays loses everything, and has no comments.
    fn is_hollow(&self, list: &SyntaxNode) -> bool {
        let mut rest = list.children_with_tokens().filter(|it| match it.as_node() {
            Some(child) => !self.has(child),
            None => !matches!(
                it.kind(),
                T!['{'] | T!['}'] | T![,] | SyntaxKind::WHITESPACE
            ),
        });
        !ast::SourceFile::can_cast(list.kind()) && !has_note(list) && rest.next().is_none()
    }

    /// Drops blocks, modules and lists that hold nothing any more; whether there was one.
    fn drop_emptied(&mut self) -> bool {
        let emptied: Vec<SyntaxNode> = self
            .nodes
            .values()
            .filter_map(SyntaxNode::parent)
            .filter(|list| !ast::SourceFile::can_cast(list.kind()) && holds_items(list))
            .filter(|list| self.is_emptied(list))
            .filter_map(|list| list.parent())
            .filter(|owner| !ast::Trait::can_cast(owner.kind()) && !is_of_tests(owner))
            .filter(|owner| !self.has(owner))
            .filter(|owner| {
                ast::Impl::cast(owner.clone()).is_none_or(|block| block.trait_().is_none())
            })
            .collect();
        let is_any = !emptied.is_empty();
        emptied.into_iter().for_each(|owner| self.add(owner));
        is_any
    }

    /// Whether nothing stays in a list but imports for what has left.
    fn is_emptied(&self, list: &SyntaxNode) -> bool {
        let mut staying = list
            .children()
            .filter(|child| is_element(child) && !self.has(child));
        staying.all(|child| {
            ast::Use::cast(child).is_some_and(|statement| statement.visibility().is_none())
        })
    }

    fn siblings(&self, node: &SyntaxNode) -> Vec<SyntaxNode> {
        let list = node.parent();
        let children = list.into_iter().flat_map(|list| list.children());
        children
            .filter(|child| !ast::Attr::can_cast(child.kind()))
            .collect()
    }

    fn cut_node(&self, node: &SyntaxNode, lines: &mut Lines<'_>) {
        let mut range = full(node);
        let next = node.next_sibling_or_token();
        let comma = next.filter(|it| it.kind() == T![,]);
        let has_comma = comma.is_some();
        if let Some(comma) = comma {
            range.end = usize::from(comma.text_range().end());
        }
        let siblings = self.siblings(node);
        let stays = |other: &&SyntaxNode| !self.has(other);
        let before = siblings.iter().take_while(|it| *it != node).filter(stays);
        let after = siblings.iter().skip_while(|it| *it != node).filter(stays);
        let (first, last) = (before.count() == 0, after.count() == 0);
        if lines.starts_line(range.start) && lines.ends_line(range.end, &[]) {
            let lines_of = lines.line_of(range.start)..lines.line_of(range.end) + 1;
            lines.remove(Piece {
                lines: lines_of,
                first,
                last,
                compound: is_compound(node),
            });
            return;
        }
        if range.start == BOM.len() && lines.content(0).starts_with(BOM) {
            // The file keeps its mark, and starts with what comes next.
            let after = lines.line_of(range.end) + 1;
            let next = (after..)
                .find(|line| !lines.is_blank(*line))
                .unwrap_or(after);
            lines.replace(range.start..lines.start_of(next), "");
            return;
        }
        // Within a line: with the blanks on one side, and a comma.
        let mut start = range.start;
        let mut element = node.prev_sibling_or_token();
        while let Some(before) = element {
            let is_blank = before.kind().is_trivia() && !before.to_string().contains('\n');
            let is_comma = before.kind() == T![,] && last && !has_comma;
            if !is_blank && !is_comma {
                break;
            }
            start = usize::from(before.text_range().start());
            element = before.prev_sibling_or_token();
        }
        lines.replace(start..range.end, "");
    }
}

/// Whether a comment follows the brace that opens a list: it is about the owner, though the tree has it
/// as part of the first member.
fn has_note(list: &SyntaxNode) -> bool {
    let brace = list.first_token();
    let mut behind = std::iter::successors(brace, |token| token.next_token()).skip(1);
    behind
        .find(|token| token.kind() != SyntaxKind::WHITESPACE || token.text().contains('\n'))
        .is_some_and(|token| token.kind() == SyntaxKind::COMMENT)
}

/// Whether a node is a module that is compiled for tests only.
fn is_of_tests(node: &SyntaxNode) -> bool {
    ast::Module::cast(node.clone()).is_some_and(|module| is_for_tests(&module))
}

/// The mark that a text in UTF-8 may start with; in the exact tree blanks stand for it.
const BOM: &str = "\u{feff}";

/// Whether comments above a node are its own, rather than those of a group of lines.
fn is_compound(node: &SyntaxNode) -> bool {
    let kind = node.kind();
    let is_line = ast::Use::can_cast(kind)
        || ast::ExternCrate::can_cast(kind)
        || ast::Const::can_cast(kind)
        || ast::Static::can_cast(kind)
        || ast::TypeAlias::can_cast(kind)
        || ast::RecordField::can_cast(kind)
        || ast::Variant::can_cast(kind)
        || ast::Module::cast(node.clone()).is_some_and(|it| it.item_list().is_none());
    !is_line
}
