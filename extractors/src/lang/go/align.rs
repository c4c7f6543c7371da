//! Columns: `gofmt` aligns the fields of a struct and the parts of grouped declarations, so what stays
//! moves when a longer neighbour goes.
//!
//! The layout is that of `go/printer` (functions `fieldList`, `valueSpec`, `spec`) and its tab writer:
//! a column is as wide as its widest cell in neighbouring lines. Files that are not laid out like that
//! to begin with are left alone.

use std::ops::Range;

use grammars::tree_sitter::Node;
use grammars::{SourceText, SyntaxTree};

use super::nodes::{children, fields};
use crate::lang::Edit;

/// A part of a line, with nothing at its place where the line has no such part.
type Cell = Option<Range<usize>>;

/// A line of a group: its number and its cells.
struct Row {
    line: usize,
    cells: Vec<Cell>,
    /// Whether what starts here goes on in the next line.
    is_open: bool,
}

/// Adds the edits that align what stays.
pub(super) fn align(tree: &SyntaxTree, edits: &mut Vec<Edit>) {
    if edits.is_empty() || !paddings(tree).is_empty() {
        return;
    }
    let bytes = crate::removal::apply(tree.text().bytes(), edits);
    let text = SourceText::new(Some(tree.language()), &bytes.into());
    let new = grammars::parse(tree.language(), &text);
    if !new.error_ranges().is_empty() {
        return;
    }
    let moved: Vec<Edit> = paddings(&new)
        .into_iter()
        .filter_map(|edit| {
            Some(Edit {
                range: old_range(edits, &edit.range)?,
                ..edit
            })
        })
        .collect();
    edits.extend(moved);
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
}

/// Where a range of the new text stood in the old one, unless it was edited itself.
fn old_range(edits: &[Edit], range: &Range<usize>) -> Option<Range<usize>> {
    // How far the new text is behind the old one.
    let mut shift: isize = 0;
    for edit in edits {
        let start = edit.range.start.checked_add_signed(-shift)?;
        if range.end <= start {
            break;
        }
        if range.start < start + edit.text.len() {
            return None;
        }
        let (old, new) = (edit.range.len(), edit.text.len());
        shift += isize::try_from(old).ok()? - isize::try_from(new).ok()?;
    }
    Some(range.start.checked_add_signed(shift)?..range.end.checked_add_signed(shift)?)
}

/// The blanks between cells that are not as they should be.
fn paddings(tree: &SyntaxTree) -> Vec<Edit> {
    let mut edits = Vec::new();
    let declarations = children(tree.root());
    let plain: Vec<Row> = declarations
        .iter()
        .filter_map(|node| function_row(*node).or_else(|| plain_row(*node)))
        .collect();
    for section in sections(&plain) {
        layout(tree, section, 0, &mut edits);
    }
    for declaration in declarations {
        for rows in groups(declaration) {
            for section in sections(&rows) {
                layout(tree, section, 0, &mut edits);
            }
        }
    }
    edits
}

/// The groups of a declaration at the level of the file.
fn groups(declaration: Node<'_>) -> Vec<Vec<Row>> {
    let mut groups = Vec::new();
    let members = children(declaration);
    let list = match declaration.kind() {
        "import_declaration" | "var_declaration" => members.first().copied(),
        "const_declaration" | "type_declaration" => Some(declaration),
        _ => None,
    };
    if let Some(list) = list.filter(|list| has_parenthesis(*list)) {
        let specs = children(list);
        let with_types = types_kept(&specs);
        let row = |(spec, with_type): (&Node<'_>, bool)| spec_row(*spec, with_type);
        groups.push(specs.iter().zip(with_types).map(row).collect());
    }
    if declaration.kind() == "type_declaration" {
        groups.extend(members.into_iter().filter_map(members_of_type));
    }
    groups
}

fn has_parenthesis(list: Node<'_>) -> bool {
    let mut cursor = list.walk();
    list.children(&mut cursor).any(|child| child.kind() == "(")
}

fn members_of_type(spec: Node<'_>) -> Option<Vec<Row>> {
    let of = spec.child_by_field_name("type")?;
    let list = match of.kind() {
        "struct_type" => children(of).first().copied()?,
        "interface_type" => of,
        _ => return None,
    };
    if list.start_position().row == list.end_position().row {
        return None;
    }
    Some(children(list).into_iter().map(field_row).collect())
}

/// Whether the types of variables and constants have a column of their own (`keepTypeColumn`).
fn types_kept(specs: &[Node<'_>]) -> Vec<bool> {
    let has = |spec: &Node<'_>, field| spec.child_by_field_name(field).is_some();
    let mut kept = vec![false; specs.len()];
    let mut start: Option<usize> = None;
    let mut any_type = false;
    for (index, spec) in specs.iter().enumerate() {
        if has(spec, "value") {
            if start.is_none() {
                start = Some(index);
                any_type = false;
            }
        } else if let Some(start) = start.take() {
            kept.get_mut(start..index)
                .into_iter()
                .for_each(|run| run.fill(any_type));
        }
        any_type |= has(spec, "type");
    }
    if let Some(start) = start {
        kept.get_mut(start..)
            .into_iter()
            .for_each(|run| run.fill(any_type));
    }
    kept
}

fn row(node: Node<'_>, mut cells: Vec<Cell>) -> Row {
    let line = node.start_position().row;
    let is_open = node.end_position().row > line;
    if is_open {
        // Only the first line counts, and its last cell goes on.
        let is_beyond = |cell: &Range<usize>| row_of(node, cell.end) > line;
        let first = cells
            .iter()
            .position(|cell| cell.as_ref().is_some_and(is_beyond));
        cells.truncate(first.map_or(cells.len(), |first| first + 1));
    } else if let Some(comment) = trailing_comment(node) {
        cells.push(Some(comment));
    }
    while cells.last().is_some_and(Option::is_none) {
        cells.pop();
    }
    Row {
        line,
        cells,
        is_open,
    }
}

/// The line in which an offset inside a node lies.
fn row_of(node: Node<'_>, offset: usize) -> usize {
    let last = offset.saturating_sub(1);
    node.descendant_for_byte_range(last, offset)
        .map_or(0, |leaf| leaf.end_position().row)
}

/// The comment behind an element in its last line.
fn trailing_comment(node: Node<'_>) -> Option<Range<usize>> {
    let mut next = node.next_sibling()?;
    while matches!(next.kind(), "\n" | ";") && next.start_position().row == node.end_position().row
    {
        next = next.next_sibling()?;
    }
    (next.kind() == "comment" && next.start_position().row == node.end_position().row)
        .then(|| next.byte_range())
}

/// A declaration in one line without parentheses.
fn plain_row(node: Node<'_>) -> Option<Row> {
    let is_line = node.start_position().row == node.end_position().row;
    let is_declaration = matches!(
        node.kind(),
        "import_declaration" | "const_declaration" | "var_declaration" | "type_declaration"
    );
    (is_declaration && is_line).then(|| row(node, vec![Some(node.byte_range())]))
}

/// A function in one line: its header and its body.
fn function_row(node: Node<'_>) -> Option<Row> {
    let body = node.child_by_field_name("body")?;
    let is_function = matches!(node.kind(), "function_declaration" | "method_declaration");
    let is_line = node.start_position().row == node.end_position().row;
    let end = body.prev_sibling()?.end_byte();
    (is_function && is_line).then(|| {
        row(
            node,
            vec![Some(node.start_byte()..end), Some(body.byte_range())],
        )
    })
}

fn span(nodes: &[Node<'_>]) -> Cell {
    Some(nodes.first()?.start_byte()..nodes.last()?.end_byte())
}

fn field_row(field: Node<'_>) -> Row {
    let names = fields(field, "name");
    let of = field.child_by_field_name("type");
    let tag = field.child_by_field_name("tag").map(|tag| tag.byte_range());
    if field.kind() != "field_declaration" {
        return row(field, vec![Some(field.byte_range())]);
    }
    let end = of.map_or(field.end_byte(), |of| of.end_byte());
    let mut cells = match names.is_empty() {
        // The star of an embedded pointer is no part of the type.
        true => vec![Some(field.start_byte()..end)],
        false => vec![span(&names), of.map(|of| of.byte_range())],
    };
    match (tag, names.is_empty()) {
        (Some(tag), true) => cells.push(Some(tag)),
        (Some(tag), false) => cells.extend([None, Some(tag)]),
        (None, true) => cells.push(None),
        (None, false) => {}
    }
    row(field, cells)
}

fn spec_row(spec: Node<'_>, with_type: bool) -> Row {
    let of = spec.child_by_field_name("type");
    let value = spec.child_by_field_name("value");
    let whole = Some(spec.byte_range());
    match spec.kind() {
        "import_spec" => row(spec, vec![whole]),
        "type_spec" | "type_alias" => {
            let name = spec.child_by_field_name("type_parameters");
            let name = name.or_else(|| spec.child_by_field_name("name"));
            let end = name.map_or(spec.start_byte(), |name| name.end_byte());
            let start = match equals(spec) {
                Some(equals) => equals.start_byte(),
                None => of.map_or(end, |of| of.start_byte()),
            };
            row(
                spec,
                vec![Some(spec.start_byte()..end), Some(start..spec.end_byte())],
            )
        }
        _ => {
            let mut cells = vec![span(&fields(spec, "name"))];
            if of.is_some() || with_type {
                cells.push(of.map(|of| of.byte_range()));
            }
            if let Some(equals) = equals(spec).filter(|_| value.is_some()) {
                cells.push(Some(equals.start_byte()..spec.end_byte()));
            }
            cells.resize(cells.len().max(3), None);
            row(spec, cells)
        }
    }
}

fn equals(spec: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = spec.walk();
    spec.children(&mut cursor).find(|child| child.kind() == "=")
}

/// Rows in neighbouring lines; what spans lines is the last of its section.
fn sections(rows: &[Row]) -> Vec<&[Row]> {
    rows.chunk_by(|a, b| !a.is_open && a.line + 1 == b.line)
        .collect()
}

/// Lays out the cells from a column on: neighbouring rows that have a cell behind it share its width.
fn layout(tree: &SyntaxTree, rows: &[Row], column: usize, edits: &mut Vec<Edit>) {
    let has_more = |row: &Row| row.cells.len() > column + 1;
    for block in rows.chunk_by(|a, b| has_more(a) == has_more(b)) {
        if !block.first().is_some_and(has_more) {
            continue;
        }
        pad(tree, block, column, edits);
        layout(tree, block, column + 1, edits);
    }
}

/// The widths are put together in [`gaps`]: an empty column takes no room.
fn pad(tree: &SyntaxTree, block: &[Row], column: usize, edits: &mut Vec<Edit>) {
    let width = |row: &Row| {
        row.cells
            .get(column)
            .and_then(Option::as_ref)
            .map_or(0, |cell| width(tree, cell))
    };
    let widest = block.iter().map(width).max().unwrap_or(0);
    for row in block {
        let Some(Some(cell)) = row.cells.get(column) else {
            continue;
        };
        let Some((next, skipped)) = next_cell(row, column) else {
            continue;
        };
        let mut blanks = widest + 1 - width(row);
        blanks += skipped_width(tree, block, column + 1, skipped);
        let range = cell.end..next.start;
        if tree.text().slice(range.clone()) != " ".repeat(blanks) {
            edits.push(Edit {
                range,
                text: " ".repeat(blanks),
            });
        }
    }
}

fn width(tree: &SyntaxTree, cell: &Range<usize>) -> usize {
    tree.text().slice(cell.clone()).chars().count()
}

/// The next cell that is there, and how many are not before it.
fn next_cell(row: &Row, column: usize) -> Option<(Range<usize>, usize)> {
    let rest = row.cells.get(column + 1..)?;
    let skipped = rest.iter().take_while(|cell| cell.is_none()).count();
    Some((rest.get(skipped)?.clone()?, skipped))
}

/// The room of columns that a row leaves empty: none if its neighbours do, too.
fn skipped_width(tree: &SyntaxTree, block: &[Row], from: usize, count: usize) -> usize {
    let mut room = 0;
    for column in from..from + count {
        let cells = block.iter().filter(|row| row.cells.len() > column + 1);
        let cells = cells.filter_map(|row| row.cells.get(column).and_then(Option::as_ref));
        room += cells.map(|cell| width(tree, cell) + 1).max().unwrap_or(0);
    }
    room
}

#[cfg(test)]
mod tests {
    use grammars::Language;

    use super::*;
    use crate::lang::go_files;

    /// Files of real modules that are laid out in another way than this module thinks.
    fn odd_files(module: &str, version: &str) -> Vec<String> {
        let files = go_files(module, version).unwrap_or_default();
        let is_odd = |(path, bytes): (&String, &Vec<u8>)| {
            let text = SourceText::new(Some(Language::Go), &bytes.clone().into());
            let tree = grammars::parse(Language::Go, &text);
            let edits = if path.ends_with(".go") && !path.contains("tables") {
                paddings(&tree)
            } else {
                Vec::new()
            };
            let edit = edits.first()?;
            let before = text.slice(0..edit.range.start);
            let line = before.matches('\n').count() + 1;
            Some(format!("{path}:{line} {:?}", edit.text))
        };
        files.iter().filter_map(is_odd).collect()
    }

    #[test]
    fn real_modules_are_laid_out_as_go_printer_does() {
        let modules = [
            ("github.com/spf13/pflag", "v1.0.6"),
            ("github.com/go-chi/chi/v5", "v5.2.1"),
            ("github.com/BurntSushi/toml", "v1.5.0"),
            ("github.com/emirpasic/gods/v2", "v2.0.0-alpha"),
        ];
        for (module, version) in modules {
            assert_eq!(odd_files(module, version), Vec::<String>::new(), "{module}");
        }
    }
}
