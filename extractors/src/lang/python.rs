//! Python: how its definitions, imports and public names are cut out and quoted.

mod examples;
mod interface;
mod lists;
mod statements;
mod stub;

use std::collections::BTreeSet;

use analyzer::occurrence::Import;
use analyzer::symbol::{Symbol, SymbolId};
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use super::lines::Lines;
use super::{Cuts, Cutting, Rules};

/// The rules of Python.
pub(super) struct Python;

impl Rules for Python {
    fn cut(&self, cuts: &Cuts<'_>) -> Cutting {
        let mut lines = lines(cuts.tree);
        let mut refusals = Vec::new();
        for (symbol, keep_doc) in &cuts.stub {
            refusals.extend(stub::stub(cuts.tree, &mut lines, symbol, *keep_doc).err());
        }
        let mut dropped = statements::Dropped::default();
        for symbol in &cuts.delete {
            refusals.extend(dropped.definition(cuts, symbol).err());
        }
        for symbol in &cuts.examples {
            refusals.extend(examples::cut(cuts.tree, &mut lines, &mut dropped, symbol).err());
        }
        lists::cut_imports(cuts, &mut lines, &mut dropped);
        lists::cut_exports(cuts, &mut lines, &mut dropped);
        dropped.cut(cuts.tree, &mut lines);
        Cutting {
            edits: lines.finish(),
            refusals,
        }
    }

    fn refuses_stub(&self, tree: &SyntaxTree, symbol: &Symbol) -> Option<&'static str> {
        let is_one = stub::is_stub(tree, symbol);
        is_one.then_some("its body says already that it is not implemented")
    }

    fn declarations_of(&self, path: &str) -> Option<String> {
        path.ends_with(".py").then(|| format!("{path}i"))
    }

    fn definitions_of(&self, path: &str) -> Option<String> {
        let stem = path.strip_suffix(".pyi")?;
        Some(format!("{stem}.py"))
    }

    fn is_private(&self, tree: &SyntaxTree, symbol: &Symbol) -> bool {
        let name = symbol.id.name();
        let is_hidden = name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
        is_hidden || (symbol.id.path().ends_with(".pyi") && is_type_variable(tree, symbol))
    }

    fn keeps_import(&self, tree: &SyntaxTree, path: &str, import: &Import) -> bool {
        let item = tree.text().slice(import.item.clone());
        let is_explicit = item
            .split_once(" as ")
            .is_some_and(|(name, alias)| name.trim() == alias.trim());
        // A package without a list of public names offers what it imports from its own modules.
        let package = path.strip_suffix("__init__.py");
        let is_own = |target: &SymbolId| package.is_some_and(|it| target.path().starts_with(it));
        let is_offered = import.targets.iter().any(is_own) && !lists_public_names(tree);
        let is_passed_on = import.bound == "*" && !is_star_for_tests(tree, path, import);
        let statement = tree.text().slice(import.statement.clone());
        is_explicit
            || is_offered
            || is_passed_on
            || statement
                .trim_start_matches("from")
                .trim_start()
                .starts_with("__future__")
    }

    fn offers_imports(&self) -> bool {
        true
    }

    fn lookups(&self, tree: &SyntaxTree) -> BTreeSet<String> {
        let mut lookups = BTreeSet::new();
        descend(tree.root(), &mut |node| match node.kind() {
            "attribute" => lookups.extend(attribute_lookup(tree, node)),
            "argument_list" => lookups.extend(argument_lookups(tree, node)),
            "string_content" => lookups.extend(dotted_lookup(tree.text_of(node))),
            _ => {}
        });
        lookups
    }

    fn examples_in_text(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        examples::examples(text, examples::Frame::File)
    }

    fn interface(
        &self,
        tree: &SyntaxTree,
        symbols: &[Symbol],
        top: &BTreeSet<SymbolId>,
    ) -> Vec<(SymbolId, String)> {
        interface::interface(tree, symbols, top)
    }
}

/// The last name of `a.b.c` or `c`.
fn last_name<'t>(tree: &'t SyntaxTree, node: Node<'_>) -> Option<&'t str> {
    match node.kind() {
        "identifier" => Some(tree.text_of(node)),
        "attribute" => Some(tree.text_of(node.child_by_field_name("attribute")?)),
        _ => None,
    }
}

/// `a.b.c` looks up `c` in `b`.
fn attribute_lookup(tree: &SyntaxTree, node: Node<'_>) -> Option<String> {
    let object = last_name(tree, node.child_by_field_name("object")?)?;
    Some(format!("{object}.{}", last_name(tree, node)?))
}

/// `setattr(module, "name", …)`, `patch.object(module, "name")` look up `name` in `module`.
fn argument_lookups(tree: &SyntaxTree, node: Node<'_>) -> Vec<String> {
    let mut cursor = node.walk();
    let arguments: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let pair = |pair: &[Node<'_>]| {
        let [object, name] = pair else { return None };
        let object = last_name(tree, *object)?;
        let name = tree.text_of(*name).trim_matches(['"', '\'']);
        (name != tree.text_of(pair.get(1).copied()?)).then(|| format!("{object}.{name}"))
    };
    arguments.windows(2).filter_map(pair).collect()
}

/// The text `"package.module.name"` looks up `name` in `module`.
fn dotted_lookup(text: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (rest, name) = text
        .rsplit_once('.')
        .filter(|_| text.chars().all(is_name))?;
    Some(format!(
        "{}.{name}",
        rest.rsplit('.').next().unwrap_or_default()
    ))
}

/// Whether a module says which of its names are public (`__all__`).
fn lists_public_names(tree: &SyntaxTree) -> bool {
    let root = tree.root();
    let mut cursor = root.walk();
    root.named_children(&mut cursor).any(|statement| {
        let assigned = statement
            .named_child(0)
            .and_then(|node| node.child_by_field_name("left"));
        assigned.is_some_and(|name| tree.text_of(name) == "__all__")
    })
}

fn lines(tree: &SyntaxTree) -> Lines<'_> {
    Lines::new(tree.text().shadow(), "#", tree.comments().iter().cloned())
}

/// Visits a node and everything below it, parents first.
fn descend<'t>(node: Node<'t>, visit: &mut impl FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == node {
                return;
            }
        }
    }
}

/// The named children of a node without comments and line continuations.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !is_filler(*child))
        .collect()
}

/// What may stand between any two tokens.
fn is_filler(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "line_continuation")
}

fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .find(|child| child.kind() == kind)
}

/// Where the last token of a node ends: a block may reach over comments and blank lines behind it.
fn code_end(node: Node<'_>) -> usize {
    let mut last = node;
    loop {
        let mut cursor = last.walk();
        let inner = last.children(&mut cursor);
        match inner
            .filter(|child| !is_filler(*child) && !child.byte_range().is_empty())
            .last()
        {
            Some(inner) => last = inner,
            None => return last.end_byte(),
        }
    }
}

/// The statement of a block that holds a range.
fn statement_at<'t>(tree: &'t SyntaxTree, range: &std::ops::Range<usize>) -> Option<Node<'t>> {
    let mut node = tree
        .root()
        .named_descendant_for_byte_range(range.start, range.end.max(range.start + 1) - 1)?;
    while !is_block(node.parent()?) {
        node = node.parent()?;
    }
    Some(node)
}

fn is_block(node: Node<'_>) -> bool {
    matches!(node.kind(), "block" | "module")
}

/// Whether a variable stands for a type: declarations need those for themselves only.
fn is_type_variable(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    let assigned = statement_at(tree, &symbol.full)
        .and_then(|statement| child_of_kind(statement, "assignment"))
        .and_then(|assignment| assignment.child_by_field_name("right"))
        .filter(|value| value.kind() == "call")
        .and_then(|call| call.child_by_field_name("function"));
    assigned.is_some_and(|function| {
        let made_by = tree.text().slice(function.byte_range());
        let name = made_by.rsplit('.').next().unwrap_or_default();
        matches!(name, "TypeVar" | "ParamSpec" | "TypeVarTuple")
    })
}

/// Whether a star brings what only the tests of a file use: nobody takes it from there, and no parameter asks
/// for one of its names, as for a fixture.
fn is_star_for_tests(tree: &SyntaxTree, path: &str, import: &Import) -> bool {
    if import.targets.is_empty() || !analyzer::is_test_support(path) {
        return false;
    }
    let names: BTreeSet<&str> = import.targets.iter().map(SymbolId::name).collect();
    let mut is_asked_for = false;
    descend(tree.root(), &mut |node| {
        if node.kind() == "identifier" && node.parent().is_some_and(|it| it.kind() == "parameters")
        {
            is_asked_for |= names.contains(tree.text_of(node));
        }
    });
    !is_asked_for
}
