//! Quoting code: headers, documentation and public fields, re-indented but otherwise verbatim.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use super::stub::{RAISE, header_end};
use super::{child_of_kind, code_end, statement_at};
use crate::family::principal;

/// A field whose value has more lines is shown without it.
const MAX_VALUE_LINES: usize = 12;

const INDENT: &str = "    ";

/// The text of each outermost definition that is, or holds, a top symbol, in the order of the file.
pub(super) fn interface(
    tree: &SyntaxTree,
    symbols: &[Symbol],
    top: &BTreeSet<SymbolId>,
) -> Vec<(SymbolId, String)> {
    let mut page = Page {
        tree,
        by_id: symbols.iter().map(|symbol| (&symbol.id, symbol)).collect(),
        by_container: BTreeMap::new(),
        top,
        wanted: BTreeSet::new(),
        strings: strings(tree),
    };
    for symbol in symbols {
        let container = symbol.container.as_ref();
        page.by_container.entry(container).or_default().push(symbol);
    }
    // `top` may hold the symbols of a whole project.
    let own = symbols.iter().map(|symbol| &symbol.id);
    page.wanted = own
        .filter(|id| top.contains(id))
        .flat_map(|id| page.chain(id))
        .map(principal)
        .collect();
    let module = page.by_container.get(&None).and_then(|files| files.first());
    let shown = module.map(|module| page.members(&module.id, top.contains(&module.id)));
    let mut entries: Vec<(SymbolId, String)> = Vec::new();
    for symbol in shown.unwrap_or_default() {
        let mut text = String::new();
        page.symbol(symbol, 0, &mut text);
        let id = principal(&symbol.id);
        match entries.last_mut().filter(|last| last.0 == id) {
            Some(last) => last.1 += &text,
            None => entries.push((id, text)),
        }
    }
    entries
}

struct Page<'a> {
    tree: &'a SyntaxTree,
    by_id: BTreeMap<&'a SymbolId, &'a Symbol>,
    /// In the order of the file.
    by_container: BTreeMap<Option<&'a SymbolId>, Vec<&'a Symbol>>,
    top: &'a BTreeSet<SymbolId>,
    /// The top symbols and what holds them, as families.
    wanted: BTreeSet<SymbolId>,
    /// Strings that span lines, in order; none lies in another one.
    strings: Vec<Range<usize>>,
}

impl<'a> Page<'a> {
    /// The members of a container to show: what is top or holds it; all that is public if `all`.
    fn members(&self, container: &SymbolId, all: bool) -> Vec<&'a Symbol> {
        let members = self.by_container.get(&Some(container));
        let mut statements = BTreeSet::new();
        members
            .into_iter()
            .flatten()
            .copied()
            .filter(|symbol| (all && is_public(symbol)) || self.is_wanted(&symbol.id))
            .filter(|symbol| statements.insert(symbol.full.start))
            .collect()
    }

    fn is_wanted(&self, id: &SymbolId) -> bool {
        self.wanted.contains(&principal(id))
    }

    /// Whether everything public of a symbol is shown.
    fn is_top(&self, id: &SymbolId) -> bool {
        self.chain(id).any(|id| self.top.contains(id))
    }

    /// A symbol and what holds it, innermost first.
    fn chain<'s>(&'s self, id: &'s SymbolId) -> impl Iterator<Item = &'s SymbolId> {
        std::iter::successors(Some(id), |id| self.by_id.get(*id)?.container.as_ref())
    }

    fn symbol(&self, symbol: &Symbol, depth: usize, out: &mut String) {
        let Some(statement) = statement_at(self.tree, &symbol.full) else {
            return;
        };
        match symbol.kind {
            SymbolKind::Class => self.class(symbol, statement, depth, out),
            SymbolKind::Function | SymbolKind::Method => {
                self.function(symbol, statement, depth, out)
            }
            _ => self.field(statement, depth, out),
        }
    }

    fn field(&self, statement: Node<'_>, depth: usize, out: &mut String) {
        let range = statement.start_byte()..code_end(statement);
        let lines = self.tree.text().slice(range.clone()).lines().count();
        let assignment = child_of_kind(statement, "assignment").filter(|_| lines > MAX_VALUE_LINES);
        let equals = assignment.and_then(|assignment| child_of_kind(assignment, "="));
        let is_annotated =
            assignment.is_some_and(|assignment| child_of_kind(assignment, ":").is_some());
        match equals {
            None => self.quote(range, depth, out),
            Some(equals) => {
                self.quote(range.start..equals.start_byte(), depth, out);
                let shown = out.trim_end().len();
                out.truncate(shown);
                out.push_str(if is_annotated { "" } else { " = ..." });
            }
        }
        out.push('\n');
    }

    fn class(&self, symbol: &Symbol, statement: Node<'_>, depth: usize, out: &mut String) {
        let all = self.is_top(&symbol.id);
        self.header(statement, depth, out);
        let empty = out.len();
        if all {
            self.documentation(symbol, depth + 1, out);
        }
        let mut after_field = false;
        for member in self.members(&symbol.id, all) {
            let is_field = member.kind == SymbolKind::Field;
            if out.len() > empty && !(is_field && after_field) {
                out.push('\n');
            }
            self.symbol(member, depth + 1, out);
            after_field = is_field;
        }
        if out.len() == empty {
            self.line("pass", depth + 1, out);
        }
    }

    fn function(&self, symbol: &Symbol, statement: Node<'_>, depth: usize, out: &mut String) {
        self.header(statement, depth, out);
        self.documentation(symbol, depth + 1, out);
        for member in self.members(&symbol.id, false) {
            self.symbol(member, depth + 1, out);
            out.push('\n');
        }
        self.line(RAISE, depth + 1, out);
    }

    /// From the first decorator to the colon.
    fn header(&self, statement: Node<'_>, depth: usize, out: &mut String) {
        let definition = statement
            .child_by_field_name("definition")
            .unwrap_or(statement);
        let Some(body) = definition.child_by_field_name("body") else {
            return;
        };
        self.quote(
            statement.start_byte()..header_end(definition, body),
            depth,
            out,
        );
        out.push('\n');
    }

    fn documentation(&self, symbol: &Symbol, depth: usize, out: &mut String) {
        if let Some(doc) = symbol.doc.clone() {
            self.quote(doc, depth, out);
            out.push('\n');
        }
    }

    fn line(&self, text: &str, depth: usize, out: &mut String) {
        out.push_str(&INDENT.repeat(depth));
        out.push_str(text);
        out.push('\n');
    }

    /// Quotes a range: its lines move to the new depth, but for those that start inside a string.
    fn quote(&self, range: Range<usize>, depth: usize, out: &mut String) {
        let text = self.tree.text();
        let before = text.slice(0..range.start);
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let old = line
            .get(..line.len() - line.trim_start().len())
            .unwrap_or_default();
        let mut at = range.start;
        for line in text.slice(range.clone()).split_inclusive('\n') {
            let decoded = text.decode(at..at + line.len());
            let is_fixed = self.is_inside_string(at);
            let first = at == range.start;
            let moved = if first || is_fixed {
                &decoded
            } else {
                decoded.strip_prefix(old).unwrap_or(&decoded)
            };
            if !is_fixed && !moved.trim().is_empty() {
                out.push_str(&INDENT.repeat(depth));
            }
            out.push_str(moved.trim_end_matches(['\r', '\n']));
            if line.ends_with('\n') {
                out.push('\n');
            }
            at += line.len();
        }
    }

    fn is_inside_string(&self, at: usize) -> bool {
        let before = self.strings.partition_point(|string| string.start < at);
        let last = before
            .checked_sub(1)
            .and_then(|index| self.strings.get(index));
        last.is_some_and(|string| at < string.end)
    }
}

/// Names without a leading underscore, and those that the language itself calls.
fn is_public(symbol: &Symbol) -> bool {
    let name = symbol.id.name();
    !name.starts_with('_')
        || (name.starts_with("__") && name.ends_with("__") && symbol.kind.is_callable())
}

fn strings(tree: &SyntaxTree) -> Vec<Range<usize>> {
    let mut strings: Vec<Range<usize>> = Vec::new();
    super::descend(tree.root(), &mut |node| {
        let spans_lines = node.start_position().row != node.end_position().row;
        let is_inside = |last: &Range<usize>| node.start_byte() < last.end;
        if node.kind() == "string" && spans_lines && !strings.last().is_some_and(is_inside) {
            strings.push(node.byte_range());
        }
    });
    strings
}
