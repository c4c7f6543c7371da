//! Whole statements that go: what becomes empty with them, and the `pass` that keeps blocks valid.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolKind};
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use super::{child_of_kind, children, code_end, is_block, statement_at};
use crate::lang::lines::{Lines, Piece};
use crate::lang::{Cuts, Refusal};

/// The statements that go, by the ids of their nodes.
#[derive(Default)]
pub(super) struct Dropped<'t> {
    nodes: BTreeMap<usize, Node<'t>>,
}

impl<'t> Dropped<'t> {
    /// Drops the statement that defines a symbol.
    pub fn definition(&mut self, cuts: &Cuts<'t>, symbol: &Symbol) -> Result<(), Refusal> {
        let refuse = |reason| {
            Err(Refusal {
                symbol: symbol.id.clone(),
                reason,
            })
        };
        let Some(statement) = statement_at(cuts.tree, &symbol.full) else {
            return refuse("its definition is not a statement");
        };
        let is_definition = match symbol.kind {
            SymbolKind::Module => return refuse("a file is not a statement"),
            SymbolKind::Variable | SymbolKind::Field => is_assignment(statement),
            _ => matches!(
                statement.kind(),
                "function_definition" | "class_definition" | "decorated_definition"
            ),
        };
        if !is_definition || statement.start_byte() != symbol.full.start {
            return refuse("its name is bound inside another statement");
        }
        let deleted = |other: &Symbol| cuts.delete.iter().any(|symbol| symbol.id == other.id);
        if cuts
            .symbols
            .iter()
            .any(|other| other.full == symbol.full && !deleted(other))
        {
            return refuse("its statement also defines a name that stays");
        }
        self.statement(statement);
        if matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Field) {
            documentation_after(statement)
                .into_iter()
                .for_each(|text| self.statement(text));
        }
        Ok(())
    }

    /// Drops a statement.
    pub fn statement(&mut self, statement: Node<'t>) {
        self.nodes.insert(statement.id(), statement);
    }

    /// Whether a node is a dropped statement.
    pub fn has(&self, node: Node<'t>) -> bool {
        self.nodes.contains_key(&node.id())
    }

    /// Marks everything that the dropped statements ask for.
    pub fn cut(mut self, tree: &'t SyntaxTree, lines: &mut Lines<'_>) {
        while self.drop_emptied(tree) {}
        for block in self.blocks() {
            self.cut_block(block, lines);
        }
    }

    /// The blocks around the outermost dropped statements.
    fn blocks(&self) -> Vec<Node<'t>> {
        let mut seen = BTreeSet::new();
        let outermost = self.nodes.values().filter(|node| !self.is_inside(**node));
        outermost
            .filter_map(Node::parent)
            .filter(|block| seen.insert(block.id()))
            .collect()
    }

    fn is_inside(&self, node: Node<'t>) -> bool {
        std::iter::successors(node.parent(), Node::parent).any(|parent| self.has(parent))
    }

    /// Drops compound statements all of whose branches have become empty; says whether there were any.
    fn drop_emptied(&mut self, tree: &SyntaxTree) -> bool {
        let owners = self
            .nodes
            .values()
            .filter_map(Node::parent)
            .filter_map(owner);
        let emptied: Vec<_> = owners
            .filter(|owner| !self.has(*owner) && self.is_emptied(tree, *owner))
            .collect();
        emptied.iter().for_each(|owner| self.statement(*owner));
        !emptied.is_empty()
    }

    /// Whether a statement does nothing any more once its dropped parts are gone.
    fn is_emptied(&self, tree: &SyntaxTree, owner: Node<'t>) -> bool {
        let blocks = blocks_of(owner);
        let is_void = |block: &Node<'t>| {
            children(*block)
                .into_iter()
                .all(|statement| self.has(statement) || statement.kind() == "pass_statement")
        };
        match owner.kind() {
            "if_statement" => blocks.iter().all(is_void) && !has_effect(owner),
            "try_statement" => {
                blocks.first().is_some_and(|body| self.is_empty(*body))
                    && blocks.iter().all(is_void)
            }
            "with_statement" => is_suppress(tree, owner) && blocks.iter().all(is_void),
            _ => false,
        }
    }

    fn is_empty(&self, block: Node<'t>) -> bool {
        children(block)
            .into_iter()
            .all(|statement| self.has(statement))
    }

    fn cut_block(&self, block: Node<'t>, lines: &mut Lines<'_>) {
        let statements = children(block);
        let mut needs_pass = block.kind() == "block" && self.is_empty(block);
        let stays: Vec<bool> = statements
            .iter()
            .map(|statement| !self.has(*statement))
            .collect();
        let mut at = 0;
        while at < statements.len() {
            let end = end_of_group(&statements, at, lines);
            let group = at..end;
            let gone = stays
                .get(group.clone())
                .is_some_and(|stays| stays.iter().all(|stays| !stays));
            let Some(texts) = statements.get(group.clone()) else {
                break;
            };
            if gone && needs_pass {
                put_pass(texts, lines);
                needs_pass = false;
            } else if gone {
                let replaced = block.kind() == "block" && self.is_empty(block);
                let first = !replaced && !stays.iter().take(group.start).any(|stays| *stays);
                let last = !stays.iter().skip(group.end).any(|stays| *stays);
                lines.remove(piece(texts, first, last, lines));
            } else {
                self.cut_group(texts, lines);
            }
            at = end;
        }
    }

    /// Cuts some of the statements that share a line.
    fn cut_group(&self, group: &[Node<'t>], lines: &mut Lines<'_>) {
        let mut stayed: Option<Node<'t>> = None;
        let mut run: Option<usize> = None;
        for statement in group {
            if self.has(*statement) {
                run = run.or(Some(statement.start_byte()));
                continue;
            }
            if let Some(start) = run.take() {
                lines.replace(start..statement.start_byte(), "");
            }
            stayed = Some(*statement);
        }
        if let (Some(_), Some(stayed), Some(last)) = (run, stayed, group.last()) {
            lines.replace(code_end(stayed)..code_end(*last), "");
        }
    }
}

/// The string that stands behind an assignment and documents it.
fn documentation_after(assignment: Node<'_>) -> Option<Node<'_>> {
    let next = assignment.next_named_sibling()?;
    let is_text = |node: Node<'_>| matches!(node.kind(), "string" | "concatenated_string");
    let is_alone = next.kind() == "expression_statement" && next.named_child_count() == 1;
    (is_alone && next.named_child(0).is_some_and(is_text)).then_some(next)
}

/// One past the last of the statements that share lines with the one at `start`.
fn end_of_group(statements: &[Node<'_>], start: usize, lines: &Lines<'_>) -> usize {
    let shares = |pair: &&[Node<'_>]| match pair {
        [a, b] => lines.line_of(code_end(*a)) == lines.line_of(b.start_byte()),
        _ => false,
    };
    let rest = statements.get(start..).unwrap_or_default();
    start + 1 + rest.windows(2).take_while(shares).count()
}

fn piece(group: &[Node<'_>], first: bool, last: bool, lines: &Lines<'_>) -> Piece {
    let range = range_of(group);
    let start = lines.line_of(range.start);
    let compound = group.iter().any(|statement| is_compound(*statement));
    let last_line = lines.line_of(range.end.saturating_sub(1));
    let end = if compound {
        lines.end_of_body(start, last_line)
    } else {
        last_line + 1
    };
    Piece {
        lines: start..end,
        first,
        last,
        compound,
    }
}

/// Puts `pass` where the first statement of an emptied block was.
fn put_pass(group: &[Node<'_>], lines: &mut Lines<'_>) {
    let range = range_of(group);
    if !lines.starts_line(range.start) {
        return lines.replace(range, "pass");
    }
    let piece = piece(group, true, true, lines);
    let end = lines.end_of(piece.lines.end - 1);
    lines.replace(range.start..end, "pass");
    lines.remove_comments_above(piece.lines.start);
}

fn range_of(group: &[Node<'_>]) -> Range<usize> {
    let start = group.first().map_or(0, Node::start_byte);
    start..group.last().map_or(start, |last| code_end(*last))
}

fn is_compound(statement: Node<'_>) -> bool {
    !matches!(
        statement.kind(),
        "expression_statement" | "type_alias_statement"
    ) && !statement.kind().starts_with("import")
        && !statement.kind().starts_with("future")
}

fn is_assignment(statement: Node<'_>) -> bool {
    let is_one = statement.kind() == "expression_statement" && statement.named_child_count() == 1;
    statement.kind() == "type_alias_statement"
        || (is_one && child_of_kind(statement, "assignment").is_some())
}

/// The statement that a block is a branch of.
fn owner(block: Node<'_>) -> Option<Node<'_>> {
    let parent = block.parent()?;
    if parent.kind().ends_with("_clause") {
        parent.parent()
    } else {
        Some(parent)
    }
}

/// The blocks of all branches of a statement.
fn blocks_of(owner: Node<'_>) -> Vec<Node<'_>> {
    let parts = children(owner)
        .into_iter()
        .flat_map(|part| match part.kind() {
            "block" => vec![part],
            kind if kind.ends_with("_clause") => children(part)
                .into_iter()
                .filter(|part| is_block(*part))
                .collect(),
            _ => Vec::new(),
        });
    parts.collect()
}

/// Whether the conditions of an `if` may do more than look.
fn has_effect(statement: Node<'_>) -> bool {
    let clauses = children(statement)
        .into_iter()
        .filter(|part| part.kind() == "elif_clause");
    let conditions = clauses
        .chain([statement])
        .filter_map(|part| part.child_by_field_name("condition"));
    conditions.into_iter().any(|condition| {
        let mut found = false;
        super::descend(condition, &mut |node| {
            found |= matches!(node.kind(), "call" | "named_expression" | "await")
        });
        found
    })
}

/// `with suppress(…):` does nothing around nothing.
fn is_suppress(tree: &SyntaxTree, statement: Node<'_>) -> bool {
    let clause = child_of_kind(statement, "with_clause");
    clause.is_some_and(|clause| {
        let text = tree.text_of(clause);
        text.starts_with("suppress(") || text.starts_with("contextlib.suppress(")
    })
}
