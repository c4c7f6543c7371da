//! Cutting: whole declarations, members of groups, bodies and imports.

use std::collections::BTreeMap;
use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolKind};
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use super::nodes::{children, declaration, element, fields, is_grouped, siblings};
use crate::lang::lines::{Lines, Piece};
use crate::lang::{Cuts, Cutting, Refusal};

/// What a stub does when it is called.
const PANIC: &str = "panic(\"not implemented\")";

/// `gofmt` puts functions into one line up to this length of header and body.
const LONGEST: usize = 100;

/// The edits that make the cuts.
pub(super) fn cut(cuts: &Cuts<'_>) -> Cutting {
    let mut lines = lines(cuts.tree);
    let mut refusals = Vec::new();
    for (symbol, keep_doc) in &cuts.stub {
        refusals.extend(stub(cuts.tree, &mut lines, symbol, *keep_doc).err());
    }
    let mut dropped = Dropped::default();
    for symbol in &cuts.delete {
        refusals.extend(dropped.definition(cuts, symbol).err());
    }
    for import in &cuts.imports {
        let range = import.item.clone();
        let item = cuts
            .tree
            .root()
            .named_descendant_for_byte_range(range.start, range.end);
        // Without an alias the path is the whole specification.
        let specs = std::iter::successors(item, Node::parent);
        if let Some(spec) = specs.take(3).find(|node| node.kind() == "import_spec") {
            dropped.elements.insert(spec.start_byte(), spec);
        }
    }
    dropped.cut(cuts.tree, &mut lines);
    Cutting {
        edits: lines.finish(),
        refusals,
    }
}

fn lines(tree: &SyntaxTree) -> Lines<'_> {
    let mut comments = Vec::new();
    let mut cursor = tree.root().walk();
    loop {
        let node = cursor.node();
        if node.kind() == "comment" && node.start_position().row == node.end_position().row {
            comments.push(node.byte_range());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Lines::new(tree.text().shadow(), "//", comments);
            }
        }
    }
}

fn refusal(symbol: &Symbol, reason: &'static str) -> Refusal {
    Refusal {
        symbol: symbol.id.clone(),
        reason,
    }
}

/// Replaces the body of a function; what stood in one line stays in one line.
fn stub(
    tree: &SyntaxTree,
    lines: &mut Lines<'_>,
    symbol: &Symbol,
    keep_doc: bool,
) -> Result<(), Refusal> {
    let body = element(tree, symbol).and_then(|node| node.child_by_field_name("body"));
    let body = body.ok_or_else(|| refusal(symbol, "it has no body that can be replaced"))?;
    // Bodies in neighbouring lines may stand in a column.
    let header = body
        .prev_sibling()
        .map_or(body.start_byte(), |it| it.end_byte());
    let length = header - declaration(body).start_byte();
    let is_one_line =
        body.start_position().row == body.end_position().row && length + PANIC.len() <= LONGEST;
    let end = lines.line_end(body.start_byte());
    match is_one_line {
        true => lines.replace(body.byte_range(), format!("{{ {PANIC} }}")),
        false => {
            let text = format!(" {{{end}\t{PANIC}{end}}}");
            lines.replace(header..body.end_byte(), text);
        }
    }
    if let Some(doc) = symbol.doc.clone().filter(|_| !keep_doc) {
        for line in lines.line_of(doc.start)..lines.line_of(doc.end) + 1 {
            // A directive is for the compiler.
            if !is_directive(lines.content(line)) {
                lines.remove(Piece {
                    lines: line..line + 1,
                    first: false,
                    last: false,
                    compound: false,
                });
            }
        }
    }
    Ok(())
}

/// `//go:noinline`, `//export name`, `//line …`
fn is_directive(comment: &str) -> bool {
    comment.trim_start().strip_prefix("//").is_some_and(|text| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text
                .split([' ', ':'])
                .next()
                .is_some_and(|word| !word.is_empty())
    })
}

/// The elements that go, by where they start.
#[derive(Default)]
struct Dropped<'t> {
    elements: BTreeMap<usize, Node<'t>>,
}

impl<'t> Dropped<'t> {
    fn definition(&mut self, cuts: &Cuts<'t>, symbol: &Symbol) -> Result<(), Refusal> {
        let Some(element) = element(cuts.tree, symbol) else {
            return Err(refusal(symbol, "it is not a declaration"));
        };
        let deleted = |other: &Symbol| cuts.delete.iter().any(|symbol| symbol.id == other.id);
        let shares = |other: &&Symbol| other.full == symbol.full && !deleted(other);
        if cuts.symbols.iter().any(|other| shares(&other)) {
            return Err(refusal(
                symbol,
                "its declaration also defines a name that stays",
            ));
        }
        let has_code_elsewhere = symbol.kind.is_callable()
            && element.kind().ends_with("_declaration")
            && element.child_by_field_name("body").is_none();
        if has_code_elsewhere {
            return Err(refusal(
                symbol,
                "its body stands in a file of another language",
            ));
        }
        self.elements.insert(element.start_byte(), element);
        Ok(())
    }

    fn has(&self, element: Node<'t>) -> bool {
        self.elements.get(&element.start_byte()) == Some(&element)
    }

    fn cut(&self, tree: &'t SyntaxTree, lines: &mut Lines<'_>) {
        for element in self.elements.values() {
            let group = siblings(*element);
            if !is_grouped(*element) || self.takes_declaration(*element, &group) {
                remove(lines, declaration(*element), None);
            } else if must_hold_place(tree, *element, &group, |other| self.has(other)) {
                blank(lines, *element);
            } else if let Some(braces) = self.emptied_line(*element, &group) {
                lines.replace(braces, "{}");
            } else {
                self.cut_member(lines, *element, &group);
            }
        }
    }

    /// Whether a declaration in parentheses loses all it has. Types keep their braces.
    fn takes_declaration(&self, element: Node<'t>, group: &[Node<'t>]) -> bool {
        !matches!(element.kind(), "field_declaration" | "method_elem")
            && group.iter().all(|other| self.has(*other))
    }

    /// The braces in one line that lose all they have.
    fn emptied_line(&self, element: Node<'t>, group: &[Node<'t>]) -> Option<Range<usize>> {
        let list = element.parent()?;
        let opening = match list.kind() {
            "field_declaration_list" => list.child(0),
            "interface_type" => list.child(1),
            _ => None,
        }?;
        let is_line = list.start_position().row == list.end_position().row;
        let is_emptied = is_line && group.iter().all(|other| self.has(*other));
        is_emptied.then(|| opening.start_byte()..list.end_byte())
    }

    fn cut_member(&self, lines: &mut Lines<'_>, element: Node<'t>, group: &[Node<'t>]) {
        let index = group
            .iter()
            .position(|other| *other == element)
            .unwrap_or(0);
        let stays = |other: &Node<'t>| !self.has(*other);
        let around = Around {
            first: !group.iter().take(index).any(stays),
            last: !group.iter().skip(index + 1).any(stays),
            before: index
                .checked_sub(1)
                .and_then(|at| group.get(at))
                .map(Node::end_byte),
            after: group.get(index + 1).map(Node::start_byte),
        };
        remove(lines, element, Some(around));
    }
}

/// What stands around a member of a group.
struct Around {
    first: bool,
    last: bool,
    before: Option<usize>,
    after: Option<usize>,
}

/// Lets a declaration or a member go, with its line if nothing else stands there.
fn remove(lines: &mut Lines<'_>, node: Node<'_>, around: Option<Around>) {
    let range = node.byte_range();
    if lines.starts_line(range.start) && lines.ends_line(range.end, &[';']) {
        let is_import = node.kind().starts_with("import");
        return lines.remove(Piece {
            lines: lines.line_of(range.start)..lines.line_of(range.end) + 1,
            first: around.as_ref().is_some_and(|around| around.first),
            last: around.as_ref().is_some_and(|around| around.last),
            compound: !is_import,
        });
    }
    let (before, after) = around.map_or((None, None), |around| (around.before, around.after));
    let range = match (before, after) {
        (_, Some(after)) => range.start..after,
        (Some(before), None) => before..range.end,
        (None, None) => range,
    };
    lines.replace(range, "");
}

/// Whether constants behind one count on its place or repeat what it says.
fn must_hold_place<'t>(
    tree: &SyntaxTree,
    element: Node<'t>,
    group: &[Node<'t>],
    is_gone: impl Fn(Node<'t>) -> bool,
) -> bool {
    if element.kind() != "const_spec" {
        return false;
    }
    let mut is_behind = false;
    // Whether the values in force count the specifications, and whether they are the element's own.
    let (mut counts, mut is_own) = (false, false);
    for other in group {
        if let Some(value) = other.child_by_field_name("value") {
            counts = mentions_iota(tree, value);
            is_own = *other == element;
        }
        if is_behind && !is_gone(*other) && (counts || is_own) {
            return true;
        }
        is_behind |= *other == element;
    }
    false
}

fn mentions_iota(tree: &SyntaxTree, node: Node<'_>) -> bool {
    tree.text_of(node) == "iota"
        || children(node)
            .into_iter()
            .any(|child| mentions_iota(tree, child))
}

/// Takes the names of a constant away and leaves its place, without what was said about it.
fn blank(lines: &mut Lines<'_>, spec: Node<'_>) {
    for name in fields(spec, "name") {
        lines.replace(name.byte_range(), "_");
    }
    lines.remove_comments_above(lines.line_of(spec.start_byte()));
    let end = spec.end_byte();
    if lines.ends_line(end, &[]) {
        let rest: Range<usize> = end..lines.end_of(lines.line_of(end));
        lines.replace(rest, "");
    }
}

/// Whether a symbol is a member that stands in its type.
pub(super) fn is_member(symbol: &Symbol) -> bool {
    let in_type = symbol.container.as_ref().is_some_and(|it| !it.is_module());
    in_type && matches!(symbol.kind, SymbolKind::Field | SymbolKind::Method)
}
