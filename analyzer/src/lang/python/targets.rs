//! Assignment targets: names, tuples, attributes and items that get a value.

use grammars::tree_sitter::Node;

use crate::facts::{Binding, DefId, Expr, ExprId, ScopeKind, Use};
use crate::occurrence::ReferenceKind;
use crate::symbol::SymbolKind;

use super::lower::{Pass, UNKNOWN};
use super::nodes::{children, field, fields};
use super::statements::sides;

impl Pass<'_> {
    /// `a = b = value`, `a: T = value`, `a: T`.
    pub fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let Some(left) = field(node, "left") else {
            self.block(node);
            return UNKNOWN;
        };
        let mut place = self.place;
        if let Some(symbol) = self.declare_variables(node, left) {
            place.symbol = symbol;
        }
        self.at(place, |pass| {
            let declared = field(node, "type").map(|annotation| pass.annotation(annotation));
            let value = field(node, "right").map(|right| pass.visit(right));
            let exports = pass.is_public_list(left);
            if exports && let Some(right) = field(node, "right") {
                pass.export_list(right, true);
            }
            pass.assign(left, declared.into_iter().chain(value).collect(), declared);
            value.unwrap_or(UNKNOWN)
        })
    }

    fn assign(&mut self, left: Node<'_>, values: Vec<ExprId>, declared: Option<ExprId>) {
        // A declared type says more than the value; a bare declaration binds nothing but the type.
        let value = declared.unwrap_or_else(|| self.one_of(values));
        self.target(left, value);
    }

    /// Makes symbols of the names that a statement at module or class level assigns, all before the
    /// right side is visited, so that it belongs to the first of them.
    fn declare_variables(&mut self, node: Node<'_>, left: Node<'_>) -> Option<DefId> {
        let kind = match self.scope(self.place.scope).kind {
            ScopeKind::Module => SymbolKind::Variable,
            ScopeKind::Class => SymbolKind::Field,
            ScopeKind::Function => return None,
        };
        // In `a = b = 1` the second assignment lies in the first, and so does its symbol's statement.
        let mut statement = node;
        while let Some(parent) = statement.parent().filter(|parent| {
            matches!(
                parent.kind(),
                "assignment" | "expression_statement" | "type_alias_statement"
            )
        }) {
            if parent.kind() == "expression_statement" && parent.named_child_count() > 1 {
                break;
            }
            statement = parent;
        }
        let mut names = Vec::new();
        plain_names(left, &mut names);
        let declared: Vec<DefId> = names
            .into_iter()
            .map(|name| self.declare_variable(kind, statement, name))
            .collect();
        declared.first().copied()
    }

    /// `type X[T] = value`
    pub fn type_alias(&mut self, node: Node<'_>) {
        let Some((left, right)) = sides(node) else {
            return self.block(node);
        };
        let mut names = Vec::new();
        plain_names(left, &mut names);
        names.truncate(1);
        let mut place = self.place;
        if let Some(name) = names.first().copied() {
            let kind = match self.scope(place.scope).kind {
                ScopeKind::Module => SymbolKind::Variable,
                ScopeKind::Class => SymbolKind::Field,
                ScopeKind::Function => {
                    self.bind_value(name, UNKNOWN);
                    return self.block(right);
                }
            };
            place.symbol = self.declare_variable(kind, node, name);
            self.bind_value(name, UNKNOWN);
        }
        self.at(place, |pass| pass.annotation(right));
    }

    /// `a += b` changes a binding; it is no definition.
    pub fn augmented_assignment(&mut self, node: Node<'_>) {
        let Some((left, right)) = sides(node) else {
            return self.block(node);
        };
        let mut place = self.place;
        let is_export = self.is_public_list(left);
        if is_export && let Some(symbol) = self.symbol_of_public_list() {
            place.symbol = symbol;
        }
        self.at(place, |pass| {
            let object = pass.visit(left);
            let value = pass.visit(right);
            if is_export {
                pass.export_list(right, false);
            }
            let operator = field(node, "operator").map_or("", |operator| operator.kind());
            pass.operator(node, operator, object, value);
            if left.kind() != "identifier" {
                pass.target(left, UNKNOWN);
            } else {
                let name = pass.name(left);
                pass.refer_name(left, name, ReferenceKind::Write);
            }
        });
    }

    /// Gives a value to a target.
    pub fn target(&mut self, node: Node<'_>, value: ExprId) {
        match node.kind() {
            "identifier" => self.bind_value(node, value),
            "attribute" => self.attribute_target(node, value),
            "subscript" => {
                if let Some(object) = field(node, "value") {
                    let object = self.visit(object);
                    self.protocol(node, object, &["__setitem__"], true);
                }
                for index in fields(node, "subscript") {
                    self.visit(index);
                }
            }
            "as_pattern_target" | "parenthesized_expression" => {
                children(node)
                    .into_iter()
                    .for_each(|part| self.target(part, value));
            }
            "list_splat_pattern" | "list_splat" | "splat_pattern" => {
                children(node)
                    .into_iter()
                    .for_each(|part| self.target(part, UNKNOWN));
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list"
            | "expression_list" => {
                self.unpack(node, value);
            }
            _ => {
                self.visit(node);
            }
        }
    }

    fn unpack(&mut self, node: Node<'_>, value: ExprId) {
        let parts = children(node);
        let elements = match self.expr(value) {
            Expr::Container(elements) if elements.len() == parts.len() => elements.to_vec(),
            _ => {
                let item = self.add(Expr::Item(value));
                vec![item; parts.len()]
            }
        };
        for (part, element) in parts.into_iter().zip(elements) {
            self.target(part, element);
        }
    }

    /// Binds a name that stands in the text.
    pub fn bind_value(&mut self, node: Node<'_>, value: ExprId) {
        let name = self.name(node);
        let here = self.place.scope;
        let scope = self.scope(here).elsewhere.get(&name).copied();
        if let Some(&definition) = self.variables.get(&node.start_byte()) {
            self.definition(definition).values.push(value);
            return;
        }
        if scope.is_some() {
            self.refer_name(node, name.clone(), ReferenceKind::Write);
        }
        self.bind(name, Binding::Value(value));
    }

    /// `object.name = value`: a value for the objects of a class, or a change from outside.
    fn attribute_target(&mut self, node: Node<'_>, value: ExprId) {
        let Some((object, attribute)) = field(node, "object").zip(field(node, "attribute")) else {
            return self.block(node);
        };
        let object = self.visit(object);
        let name = self.name(attribute);
        if let Some(class) = self.receiver_class(object) {
            self.definition(class)
                .attributes
                .entry(name.clone())
                .or_default()
                .push(value);
        }
        let member = self.add(Expr::Attribute(object, name));
        self.refer(attribute, ReferenceKind::Write, Use::Named(member));
    }

    /// The class whose object or self an expression plainly is.
    fn receiver_class(&mut self, object: ExprId) -> Option<DefId> {
        let (scope, name) = match self.expr(object) {
            Expr::Name(scope, name) => (*scope, name.clone()),
            _ => return None,
        };
        let mut scope = Some(scope);
        while let Some(id) = scope {
            let facts = self.scope(id);
            scope = facts.parent;
            if let Some(bindings) = facts.names.get(&name) {
                let Some(Binding::Value(value)) = bindings.first() else {
                    return None;
                };
                let value = *value;
                return match self.expr(value) {
                    Expr::Receiver(class) | Expr::ReceiverClass(class) => Some(*class),
                    _ => None,
                };
            }
        }
        None
    }
}

/// The identifiers that an assignment to this target binds, in order.
fn plain_names<'t>(target: Node<'t>, names: &mut Vec<Node<'t>>) {
    match target.kind() {
        "identifier" => names.push(target),
        "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "list_splat_pattern"
        | "tuple"
        | "list"
        | "parenthesized_expression"
        | "type"
        | "generic_type" => {
            for part in children(target) {
                if part.kind() != "type_parameter" {
                    plain_names(part, names);
                }
            }
        }
        _ => {}
    }
}
