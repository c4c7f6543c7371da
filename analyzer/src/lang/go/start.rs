//! What the functions `init` are for.

use std::collections::BTreeSet;

use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

use crate::symbol::{ByteRange, Symbol};

use super::nodes::{children, field};

/// The names to which an `init` gives values. Conditions and loops may stand around that; a call that is
/// a statement of its own is there for something else.
pub(super) fn values_set_at_start(tree: &SyntaxTree, function: &Symbol) -> Option<Vec<ByteRange>> {
    if function.id.name().split('#').next() != Some("init") {
        return None;
    }
    let (start, end) = (function.focus.start, function.focus.end);
    let name = tree.root().named_descendant_for_byte_range(start, end)?;
    let mut setting = Setting {
        tree,
        own: BTreeSet::new(),
        set: Vec::new(),
    };
    setting.statements(field(name.parent()?, "body")?)?;
    Some(setting.set)
}

struct Setting<'t> {
    tree: &'t SyntaxTree,
    /// The variables of the function.
    own: BTreeSet<&'t str>,
    set: Vec<ByteRange>,
}

impl<'t> Setting<'t> {
    /// `None` for a statement that does something else.
    fn statements(&mut self, around: Node<'_>) -> Option<()> {
        for statement in children(around) {
            match statement.kind() {
                "statement_list" | "block" => self.statements(statement)?,
                "short_var_declaration" => {
                    let own = field(statement, "left").map(children).unwrap_or_default();
                    let own: Vec<&str> = own.into_iter().map(|it| self.text(it)).collect();
                    self.own.extend(own);
                }
                "assignment_statement" => {
                    let left = field(statement, "left").map(children).unwrap_or_default();
                    left.into_iter().try_for_each(|it| self.assigned(it))?;
                }
                "for_statement" => self.statements(field(statement, "body")?)?,
                "if_statement" => {
                    self.statements(field(statement, "consequence")?)?;
                    if let Some(otherwise) = field(statement, "alternative") {
                        self.statements(otherwise)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// `name` or `name[key]`; what a variable of the function leads to is not known.
    fn assigned(&mut self, target: Node<'_>) -> Option<()> {
        let name = match target.kind() {
            "index_expression" => field(target, "operand")?,
            _ => target,
        };
        let is_plain = name.kind() == "identifier";
        let is_known = name == target || !self.own.contains(self.text(name));
        (is_plain && is_known).then(|| self.set.push(name.byte_range()))
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.tree.text().slice(node.byte_range())
    }
}
