//! Quoting code: documentation, headers and exported fields, verbatim but for their indentation.

use std::collections::BTreeSet;
use std::ops::Range;

use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use super::cut::is_member;
use super::nodes::{children, declaration, element, is_grouped};

/// A value of more lines is not shown.
const MAX_VALUE_LINES: usize = 12;

/// What `go doc` says instead of fields that are not for others.
const ELIDED: &str = "\t// contains filtered or unexported fields\n";

/// The text of each outermost definition that is, or holds, a top symbol, in the order of the file.
/// The first one says which package they are of.
pub(super) fn interface(
    tree: &SyntaxTree,
    symbols: &[Symbol],
    top: &BTreeSet<SymbolId>,
) -> Vec<(SymbolId, String)> {
    let page = Page { tree, symbols, top };
    let mut entries: Vec<(SymbolId, String)> = Vec::new();
    let mut shown = BTreeSet::new();
    let module_is_top = symbols
        .first()
        .is_some_and(|module| top.contains(&module.id));
    for symbol in symbols.iter().skip(1).filter(|symbol| !is_member(symbol)) {
        let wanted = page.is_wanted(symbol) || (module_is_top && is_exported(symbol));
        if wanted && !page.belongs_to_top(symbol) && shown.insert(page.start(symbol)) {
            entries.push((symbol.id.clone(), page.definition(symbol)));
        }
    }
    if let (Some((_, text)), Some(package)) = (entries.first_mut(), package(tree)) {
        *text = format!("// package {package}\n\n{text}");
    }
    entries
}

fn package(tree: &SyntaxTree) -> Option<&str> {
    let clause = children(tree.root())
        .into_iter()
        .find(|node| node.kind() == "package_clause")?;
    Some(tree.text_of(*children(clause).first()?))
}

struct Page<'a> {
    tree: &'a SyntaxTree,
    symbols: &'a [Symbol],
    top: &'a BTreeSet<SymbolId>,
}

impl Page<'_> {
    fn is_top(&self, symbol: &Symbol) -> bool {
        self.top.contains(&symbol.id)
            || symbol
                .container
                .as_ref()
                .is_some_and(|it| self.top.contains(it))
    }

    /// Whether a symbol is, or holds, a top symbol.
    fn is_wanted(&self, symbol: &Symbol) -> bool {
        let holds_top = || {
            let mut members = self.members(symbol);
            members.any(|member| self.top.contains(&member.id))
        };
        self.top.contains(&symbol.id) || holds_top()
    }

    fn members<'s>(&'s self, symbol: &'s Symbol) -> impl Iterator<Item = &'s Symbol> {
        self.symbols
            .iter()
            .filter(|member| member.container.as_ref() == Some(&symbol.id))
    }

    /// The methods in this file of a type.
    fn methods<'s>(&'s self, symbol: &'s Symbol) -> impl Iterator<Item = &'s Symbol> {
        self.symbols.iter().filter(|method| {
            method.kind == SymbolKind::Method
                && method.container != Some(symbol.id.clone())
                && method.id.is_within(&symbol.id)
        })
    }

    /// Whether a method is shown with its type.
    fn belongs_to_top(&self, symbol: &Symbol) -> bool {
        let mut types = self
            .symbols
            .iter()
            .filter(|it| it.kind == SymbolKind::Class);
        symbol.kind == SymbolKind::Method
            && types.any(|it| symbol.id.is_within(&it.id) && self.top.contains(&it.id))
    }

    /// Where the text of a definition starts: names that are declared together share it.
    fn start(&self, symbol: &Symbol) -> usize {
        element(self.tree, symbol)
            .filter(|node| self.is_counted(*node))
            .map_or(symbol.full.start, |node| declaration(node).start_byte())
    }

    /// Whether a constant only makes sense among its neighbours.
    fn is_counted(&self, node: Node<'_>) -> bool {
        node.kind() == "const_spec"
            && is_grouped(node)
            && children(declaration(node)).into_iter().any(|spec| {
                let value = spec.child_by_field_name("value");
                value.is_none_or(|value| self.tree.text_of(value).contains("iota"))
            })
    }

    fn definition(&self, symbol: &Symbol) -> String {
        let mut text = match (element(self.tree, symbol), symbol.kind) {
            (None, _) => self.quote(symbol.full.clone()),
            (Some(node), SymbolKind::Function | SymbolKind::Method) => self.function(symbol, node),
            (Some(node), SymbolKind::Class) => self.class(symbol, node),
            (Some(node), _) => self.variable(symbol, node),
        };
        text.push('\n');
        if symbol.kind == SymbolKind::Class && self.top.contains(&symbol.id) {
            let shown = |it: &&Symbol| is_exported(it) || self.top.contains(&it.id);
            for method in self.methods(symbol).filter(shown) {
                text.push('\n');
                text.push_str(&self.definition(method));
            }
        }
        text
    }

    /// Documentation and header.
    fn function(&self, symbol: &Symbol, node: Node<'_>) -> String {
        let body = node.child_by_field_name("body");
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        self.quote(symbol.full.start..end).trim_end().to_owned()
    }

    /// `keyword ` in front of what stands in parentheses, behind the documentation.
    fn with_keyword(&self, symbol: &Symbol, node: Node<'_>, keyword: &str, text: &str) -> String {
        let doc = symbol
            .doc
            .clone()
            .map(|doc| self.quote(doc) + "\n")
            .unwrap_or_default();
        if is_grouped(node) {
            format!("{doc}{keyword} {text}")
        } else {
            format!("{doc}{text}")
        }
    }

    fn class(&self, symbol: &Symbol, node: Node<'_>) -> String {
        let start = match is_grouped(node) {
            true => node.start_byte(),
            false => declaration(node).start_byte(),
        };
        let of = node.child_by_field_name("type");
        let fields = of
            .filter(|of| of.kind() == "struct_type")
            .and_then(|of| children(of).first().copied());
        let text = match fields {
            Some(list) => self.quote(start..list.start_byte()) + &self.fields(symbol),
            None => self.quote(start..node.end_byte()),
        };
        self.with_keyword(symbol, node, "type", &text)
    }

    /// The fields of a struct that others may use.
    fn fields(&self, symbol: &Symbol) -> String {
        let mut text = String::new();
        let mut is_elided = false;
        let mut seen = BTreeSet::new();
        for field in self.members(symbol) {
            let is_shown = match self.is_top(symbol) {
                true => is_exported(field) || self.top.contains(&field.id),
                false => self.top.contains(&field.id),
            };
            is_elided |= !is_shown;
            if is_shown && seen.insert(field.full.start) {
                let end = self.with_comment(field.full.end);
                for line in self.quote(field.full.start..end).lines() {
                    text += format!("\t{line}").trim_end();
                    text.push('\n');
                }
            }
        }
        if is_elided {
            text += ELIDED;
        }
        match text.is_empty() {
            true => "{}".to_owned(),
            false => format!("{{\n{text}}}"),
        }
    }

    fn variable(&self, symbol: &Symbol, node: Node<'_>) -> String {
        let whole = declaration(node);
        if self.is_counted(node) {
            return self.quote(whole.byte_range());
        }
        let keyword = if node.kind() == "const_spec" {
            "const"
        } else {
            "var"
        };
        let start = match is_grouped(node) {
            true => node.start_byte(),
            false => whole.start_byte(),
        };
        let is_long = self.quote(start..node.end_byte()).lines().count() > MAX_VALUE_LINES;
        let value = node.child_by_field_name("value").filter(|_| is_long);
        let text = match value {
            None => self.quote(start..self.with_comment(node.end_byte())),
            Some(value) => {
                let head = self.quote(start..value.start_byte());
                let head = head.trim_end().trim_end_matches('=').trim_end();
                match node.child_by_field_name("type") {
                    Some(_) => head.to_owned(),
                    None => format!("{head} = nil // ..."),
                }
            }
        };
        self.with_keyword(symbol, node, keyword, &text)
    }

    /// Where the comment ends that follows in the same line, if there is one.
    fn with_comment(&self, offset: usize) -> usize {
        let text = self.tree.text();
        let rest = text.slice(offset..text.len());
        let line = rest.lines().next().unwrap_or_default();
        match line.trim_start().starts_with("//") {
            true => offset + line.len(),
            false => offset,
        }
    }

    /// The text of a range; what is indented in its file moves to the left.
    fn quote(&self, range: Range<usize>) -> String {
        let text = self.tree.text();
        let before = text.slice(0..range.start);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let indent = line
            .get(..line.len() - line.trim_start().len())
            .unwrap_or_default();
        let decoded = text.decode(range);
        let mut quoted = String::new();
        for (index, line) in decoded.split('\n').enumerate() {
            if index > 0 {
                quoted.push('\n');
            }
            let moved = match index {
                0 => line,
                _ => line.strip_prefix(indent).unwrap_or(line),
            };
            quoted.push_str(moved.trim_end_matches('\r'));
        }
        quoted
    }
}

fn is_exported(symbol: &Symbol) -> bool {
    symbol.id.name().starts_with(char::is_uppercase)
}
