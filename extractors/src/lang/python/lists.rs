//! Names that leave a list: import items and the entries of `__all__`.

use std::ops::Range;

use grammars::tree_sitter::Node;

use super::statements::Dropped;
use super::{children, code_end, is_filler, statement_at};
use crate::lang::Cuts;
use crate::lang::lines::{Lines, Piece};

/// One element of a comma-separated list.
struct Item {
    range: Range<usize>,
    /// Where its comma ends; the end of the item if it has none.
    end: usize,
    gone: bool,
}

/// How a list may be written.
#[derive(Clone, Copy)]
struct Style {
    /// It stands in brackets: it may span lines and end with a comma.
    bracketed: bool,
    /// A single element needs its comma.
    tuple: bool,
}

/// Takes names out of import statements; a statement without names is dropped.
pub(super) fn cut_imports<'t>(cuts: &Cuts<'t>, lines: &mut Lines<'_>, dropped: &mut Dropped<'t>) {
    for group in cuts.imports.chunk_by(|a, b| a.statement == b.statement) {
        let Some(first) = group.first() else { continue };
        let Some(statement) = statement_at(cuts.tree, &first.statement) else {
            continue;
        };
        let gone = |item: Node<'_>| group.iter().any(|import| import.item == item.byte_range());
        let mut cursor = statement.walk();
        let names: Vec<_> = statement
            .children_by_field_name("name", &mut cursor)
            .collect();
        let items = items(&names, gone);
        if items.iter().all(|item| item.gone) {
            dropped.statement(statement);
        } else {
            let bracketed = super::child_of_kind(statement, "(").is_some();
            cut_items(
                &items,
                Style {
                    bracketed,
                    tuple: false,
                },
                lines,
            );
        }
    }
}

/// Takes entries out of `__all__`.
pub(super) fn cut_exports<'t>(cuts: &Cuts<'t>, lines: &mut Lines<'_>, dropped: &mut Dropped<'t>) {
    let mut lists: Vec<Node<'_>> = Vec::new();
    let at = |range: &Range<usize>| {
        cuts.tree
            .root()
            .named_descendant_for_byte_range(range.start, range.end)
    };
    for entry in cuts.exports.iter().filter_map(|export| at(&export.range)) {
        let list = entry_and_list(entry).1;
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    for list in lists {
        cut_list(cuts, list, lines, dropped);
    }
}

/// The string node of an entry and the node that lists it.
fn entry_and_list(mut entry: Node<'_>) -> (Node<'_>, Node<'_>) {
    while let Some(parent) = entry.parent() {
        if parent.kind() != "string" && parent.kind() != "concatenated_string" {
            return (entry, parent);
        }
        entry = parent;
    }
    (entry, entry)
}

fn cut_list<'t>(cuts: &Cuts<'t>, list: Node<'t>, lines: &mut Lines<'_>, dropped: &mut Dropped<'t>) {
    let gone = |item: Node<'_>| {
        let inside =
            |range: &Range<usize>| item.start_byte() <= range.start && range.end <= item.end_byte();
        cuts.exports.iter().any(|export| inside(&export.range))
    };
    let items = items(&children(list), gone);
    let style = Style {
        bracketed: list.kind() != "expression_list",
        tuple: matches!(list.kind(), "tuple" | "expression_list"),
    };
    if items.iter().any(|item| !item.gone) {
        return cut_items(&items, style, lines);
    }
    match statement_at(cuts.tree, &list.byte_range()) {
        Some(statement) if is_addition(list) => dropped.statement(statement),
        _ if style.bracketed => lines.replace(list.start_byte() + 1..code_end(list) - 1, ""),
        _ => lines.replace(list.byte_range(), "()"),
    }
}

/// Whether a list does nothing but add its entries to one that stands elsewhere.
fn is_addition(list: Node<'_>) -> bool {
    let kind = list.parent().map(|parent| parent.kind());
    list.kind() == "argument_list" || matches!(kind, Some("augmented_assignment" | "argument_list"))
}

fn items<'t>(nodes: &[Node<'t>], gone: impl Fn(Node<'t>) -> bool) -> Vec<Item> {
    let end = |node: &Node<'t>| {
        let mut next = node.next_sibling();
        while next.is_some_and(is_filler) {
            next = next.and_then(|node| node.next_sibling());
        }
        next.filter(|next| next.kind() == ",")
            .map_or(node.end_byte(), |comma| comma.end_byte())
    };
    nodes
        .iter()
        .map(|node| Item {
            range: node.byte_range(),
            end: end(node),
            gone: gone(*node),
        })
        .collect()
}

/// Cuts items out of a list that keeps at least one.
fn cut_items(items: &[Item], style: Style, lines: &mut Lines<'_>) {
    if !style.bracketed {
        return cut_row(items, style, 1, lines);
    }
    let shares_line = |a: &Item, b: &Item| {
        lines.line_of(a.end.max(a.range.end) - 1) == lines.line_of(b.range.start)
    };
    let kept = items.iter().filter(|item| !item.gone).count();
    let rows: Vec<&[Item]> = items.chunk_by(shares_line).collect();
    for row in rows {
        let (Some(first), Some(last)) = (row.first(), row.last()) else {
            continue;
        };
        let is_gone = row.iter().all(|item| item.gone);
        if !is_gone {
            cut_row(row, style, kept, lines);
        } else if lines.starts_line(first.range.start) && lines.ends_line(last.end, &[]) {
            let rows = lines.line_of(first.range.start)..lines.line_of(last.end - 1) + 1;
            lines.remove(Piece {
                lines: rows,
                first: true,
                last: true,
                compound: false,
            });
        } else {
            let line = lines.line_of(last.end - 1);
            let end = if lines.ends_line(last.end, &[]) {
                lines.end_of(line)
            } else {
                last.end
            };
            lines.replace(first.range.start..end, "");
        }
    }
}

/// Cuts items out of a row that keeps at least one.
fn cut_row(row: &[Item], style: Style, kept: usize, lines: &mut Lines<'_>) {
    let mut stayed: Option<&Item> = None;
    let mut run: Option<usize> = None;
    for item in row {
        if item.gone {
            run = run.or(Some(item.range.start));
            continue;
        }
        if let Some(start) = run.take() {
            lines.replace(start..item.range.start, "");
        }
        stayed = Some(item);
    }
    let (Some(_), Some(stayed), Some(last)) = (run, stayed, row.last()) else {
        return;
    };
    let has_comma = last.end > last.range.end;
    let keeps_comma = has_comma || (style.tuple && kept == 1);
    let start = if keeps_comma {
        stayed.end
    } else {
        stayed.range.end
    };
    lines.replace(start..last.end, "");
}
