//! Statements: what they bind, and the blocks in which that counts.

use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId};
use crate::occurrence::ReferenceKind;

use super::lower::{LITERAL, Pass, UNKNOWN};
use super::nodes::{children, field, fields, has_token};

impl Pass<'_> {
    /// Visits a statement; says whether the node is one.
    pub fn statement(&mut self, node: Node<'_>) -> bool {
        match node.kind() {
            "block"
            | "if_statement"
            | "for_statement"
            | "expression_switch_statement"
            | "select_statement"
            | "expression_case"
            | "default_case"
            | "communication_case" => {
                self.in_block(|pass| pass.visit_children(node));
            }
            "type_switch_statement" => self.in_block(|pass| pass.type_switch(node)),
            "short_var_declaration" => {
                let values = self.sides(node);
                self.bind_all(node, &values);
            }
            "assignment_statement" => self.assignment(node),
            "inc_statement" | "dec_statement" => {
                for part in children(node) {
                    self.read(part, ReferenceKind::Write);
                }
            }
            "range_clause" => self.range_clause(node),
            "receive_statement" => {
                let value = self.visit_in(node, "right");
                self.bind_or_write(node, &[value, LITERAL]);
            }
            "var_declaration" | "const_declaration" | "type_declaration" => {
                self.local_declaration(node)
            }
            "labeled_statement" | "break_statement" | "continue_statement" | "goto_statement" => {
                for part in children(node) {
                    if part.kind() != "label_name" {
                        self.visit(part);
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// The values on the right side of a statement, one for each name on the left.
    fn sides(&mut self, node: Node<'_>) -> Vec<ExprId> {
        let right = field(node, "right").map(children).unwrap_or_default();
        let count = field(node, "left").map_or(0, |left| children(left).len());
        self.values_for(&right, count)
    }

    /// The values that `count` names get from some expressions.
    pub fn values_for(&mut self, right: &[Node<'_>], count: usize) -> Vec<ExprId> {
        let values: Vec<ExprId> = right.iter().map(|node| self.visit(*node)).collect();
        match (values.as_slice(), right) {
            (&[value], [node]) if count > 1 && is_call(*node) => (0..count)
                .filter_map(|index| u32::try_from(index).ok())
                .map(|index| self.add(Expr::Part(value, index)))
                .collect(),
            // `value, ok := m[key]`
            (&[value], _) if count > 1 => {
                let mut all = vec![LITERAL; count];
                all[0] = value;
                all
            }
            _ => values,
        }
    }

    fn bind_all(&mut self, node: Node<'_>, values: &[ExprId]) {
        let names = field(node, "left").map(children).unwrap_or_default();
        for (index, name) in names.into_iter().enumerate() {
            if name.kind() == "identifier" {
                self.bind(name, values.get(index).copied().unwrap_or(UNKNOWN));
            }
        }
    }

    fn bind_or_write(&mut self, node: Node<'_>, values: &[ExprId]) {
        if has_token(node, ":=") {
            return self.bind_all(node, values);
        }
        for target in field(node, "left").map(children).unwrap_or_default() {
            self.read(target, ReferenceKind::Write);
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        for target in field(node, "left").map(children).unwrap_or_default() {
            self.read(target, ReferenceKind::Write);
        }
        self.visit_in(node, "right");
    }

    fn range_clause(&mut self, node: Node<'_>) {
        let container = self.visit_in(node, "right");
        let key = self.add(Expr::Part(container, 1));
        let value = self.add(Expr::Part(container, 0));
        self.bind_or_write(node, &[key, value]);
    }

    fn type_switch(&mut self, node: Node<'_>) {
        if let Some(initializer) = field(node, "initializer") {
            self.visit(initializer);
        }
        let value = self.visit_in(node, "value");
        let alias = field(node, "alias").and_then(|alias| children(alias).first().copied());
        for case in children(node) {
            if !matches!(case.kind(), "type_case" | "default_case") {
                continue;
            }
            let types = fields(case, "type");
            self.in_block(|pass| {
                let meant: Vec<ExprId> = types.iter().map(|node| pass.type_of(*node)).collect();
                let inner = match meant.as_slice() {
                    &[only] => pass.instance(only),
                    _ => value,
                };
                if let Some(alias) = alias {
                    pass.bind(alias, inner);
                }
                for part in children(case)
                    .into_iter()
                    .filter(|part| !types.contains(part))
                {
                    pass.visit(part);
                }
            });
        }
    }

    /// A declaration in a function: its names are no symbols.
    fn local_declaration(&mut self, node: Node<'_>) {
        let specs = specs(node);
        for spec in specs {
            if spec.kind().starts_with("type_") {
                self.local_type(spec);
                continue;
            }
            let names = fields(spec, "name");
            let declared = field(spec, "type").map(|declared| self.type_of(declared));
            let right = field(spec, "value").map(children).unwrap_or_default();
            let values = self.values_for(&right, names.len());
            let declared = declared.map(|declared| self.instance(declared));
            for (index, name) in names.into_iter().enumerate() {
                let value = values.get(index).copied().unwrap_or(LITERAL);
                self.bind(name, declared.unwrap_or(value));
            }
        }
    }

    fn local_type(&mut self, spec: Node<'_>) {
        let Some(name) = field(spec, "name") else {
            return;
        };
        // Until it is known: a type may mention itself.
        self.bind(name, UNKNOWN);
        let meaning = self.in_block(|pass| {
            pass.type_parameters(spec);
            pass.type_in(spec, "type")
        });
        self.bind(name, meaning);
    }
}

/// The specifications of a declaration, in parentheses or not.
pub(super) fn specs(declaration: Node<'_>) -> Vec<Node<'_>> {
    children(declaration)
        .into_iter()
        .flat_map(|node| match node.kind() {
            "var_spec_list" | "import_spec_list" => children(node),
            _ => vec![node],
        })
        .collect()
}

fn is_call(node: Node<'_>) -> bool {
    match node.kind() {
        "call_expression" => true,
        "parenthesized_expression" => children(node).first().is_some_and(|inner| is_call(*inner)),
        _ => false,
    }
}
