//! Expressions: the names they use, and what is known about their values.

use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId, MODULE_SCOPE, Use};
use crate::occurrence::{ReferenceKind, Runs};

use super::lower::{LITERAL, Pass, Place, UNKNOWN};
use super::nodes::{children, field};

impl Pass<'_> {
    /// Visits one node, a statement, an expression or a type, and says what value it has.
    pub fn visit(&mut self, node: Node<'_>) -> ExprId {
        self.read(node, ReferenceKind::Read)
    }

    /// Visits a node whose name is used in the given way.
    pub fn read(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        self.deeper(node, |pass| {
            if pass.statement(node) {
                UNKNOWN
            } else {
                pass.expression(node, kind)
            }
        })
    }

    /// Visits what stands in a field.
    pub fn visit_in(&mut self, node: Node<'_>, name: &str) -> ExprId {
        field(node, name).map_or(UNKNOWN, |node| self.visit(node))
    }

    /// Visits everything below a node, in order.
    pub fn visit_children(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.visit(child);
        }
    }

    fn expression(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        match node.kind() {
            "identifier" => match self.local(self.text(node)) {
                Some(local) => local,
                None if self.text(node) == "_" => LITERAL,
                None => self.refer_name(node, kind),
            },
            "selector_expression" => {
                let object = self.visit_in(node, "operand");
                field(node, "field").map_or(UNKNOWN, |name| self.refer_member(object, name, kind))
            }
            "call_expression" => self.call(node),
            "composite_literal" => {
                let of = self.type_in(node, "type");
                let value = self.instance(of);
                if let Some(body) = field(node, "body") {
                    self.literal(body, value);
                }
                value
            }
            "func_literal" => self.function_literal(node, Runs::WhenCalled),
            "unary_expression" => self.unary(node),
            "binary_expression" => self.binary(node),
            "index_expression" => {
                let object = self.read_in(node, "operand", kind);
                self.visit_in(node, "index");
                self.add(Expr::Item(object))
            }
            "slice_expression" => {
                let object = self.visit_in(node, "operand");
                for part in children(node).into_iter().skip(1) {
                    self.visit(part);
                }
                object
            }
            "type_assertion_expression" => {
                self.visit_in(node, "operand");
                let of = self.type_in(node, "type");
                self.instance(of)
            }
            "type_conversion_expression" => {
                let of = self.type_in(node, "type");
                self.visit_in(node, "operand");
                self.instance(of)
            }
            "type_instantiation_expression" => {
                let parts = children(node);
                let Some((base, arguments)) = parts.split_first() else {
                    return UNKNOWN;
                };
                let base = self.typed(*base, kind);
                self.instantiated(base, arguments)
            }
            "parenthesized_expression"
            | "variadic_argument"
            | "literal_element"
            | "expression_list" => {
                let mut last = UNKNOWN;
                for part in children(node) {
                    last = self.read(part, kind);
                }
                last
            }
            kind if is_type(kind) => self.type_of(node),
            kind if kind.ends_with("_literal") || is_constant(kind) => LITERAL,
            _ => {
                self.visit_children(node);
                UNKNOWN
            }
        }
    }

    fn read_in(&mut self, node: Node<'_>, name: &str, kind: ReferenceKind) -> ExprId {
        field(node, name).map_or(UNKNOWN, |node| self.read(node, kind))
    }

    fn unary(&mut self, node: Node<'_>) -> ExprId {
        let value = self.visit_in(node, "operand");
        match field(node, "operator").map(|operator| operator.kind()) {
            Some("<-") => self.add(Expr::Item(value)),
            Some("!") => LITERAL,
            _ => value,
        }
    }

    /// A chain of operators, whose left sides are walked in a loop: they may be very many.
    fn binary(&mut self, node: Node<'_>) -> ExprId {
        let mut parts = vec![node];
        while let Some(left) = parts.last().and_then(|last| field(*last, "left")) {
            parts.push(left);
        }
        let mut value = LITERAL;
        for part in parts.into_iter().rev() {
            let is_operation = part.kind() == "binary_expression";
            let operand = match field(part, "right").filter(|_| is_operation) {
                Some(right) => self.visit(right),
                None => self.visit(part),
            };
            let operator = field(part, "operator").map_or("", |operator| operator.kind());
            value = match operator {
                "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => LITERAL,
                _ if value == LITERAL => operand,
                _ => value,
            };
        }
        value
    }

    fn call(&mut self, node: Node<'_>) -> ExprId {
        let arguments = field(node, "arguments").map(children).unwrap_or_default();
        let Some(function) = field(node, "function") else {
            return UNKNOWN;
        };
        if let Some(value) = self.builtin_call(function, &arguments) {
            return value;
        }
        let callee = match function.kind() {
            // It runs here and now.
            "func_literal" => self.function_literal(function, self.place.runs),
            _ => self.read(function, ReferenceKind::Call),
        };
        let callee = match field(node, "type_arguments") {
            Some(types) => self.instantiated(callee, &children(types)),
            None => callee,
        };
        let mut passed = vec![self.add(Expr::Call(callee))];
        passed.extend(arguments.iter().map(|argument| self.visit(*argument)));
        if !self.is_qualified(callee) {
            return passed[0];
        }
        // What a foreign function gives is often what it was given.
        self.add(Expr::First(passed.into()))
    }

    /// Whether an expression may be a member of another package.
    fn is_qualified(&self, callee: ExprId) -> bool {
        match self.expr(callee) {
            Expr::Attribute(object, _) => {
                matches!(self.expr(*object), Expr::Name(MODULE_SCOPE, _))
            }
            Expr::First(_) => true,
            _ => false,
        }
    }

    fn builtin_call(&mut self, function: Node<'_>, arguments: &[Node<'_>]) -> Option<ExprId> {
        let name = self.text(function);
        if function.kind() != "identifier" || self.local(name).is_some() {
            return None;
        }
        let is_type_first = matches!(name, "new" | "make");
        if !is_type_first && name != "append" {
            return None;
        }
        let mut first = UNKNOWN;
        for (index, argument) in arguments.iter().enumerate() {
            let value = if index == 0 && is_type_first {
                let of = self.type_of(*argument);
                self.instance(of)
            } else {
                self.visit(*argument)
            };
            first = if index == 0 { value } else { first };
        }
        Some(first)
    }

    fn function_literal(&mut self, node: Node<'_>, runs: Runs) -> ExprId {
        let place = Place { runs, ..self.place };
        self.in_block(|pass| {
            let never = Place {
                runs: Runs::Never,
                ..place
            };
            let signature = pass.at(never, |pass| pass.signature(node));
            if let Some(body) = field(node, "body") {
                pass.at(place, |pass| pass.visit(body));
            }
            pass.instance(signature)
        })
    }

    /// The elements of a composite literal of a value.
    fn literal(&mut self, node: Node<'_>, value: ExprId) {
        let elements = children(node);
        if elements
            .iter()
            .any(|element| element.kind() == "literal_element")
        {
            self.refer(node, ReferenceKind::Implicit, Use::Invoke(value));
        }
        for element in elements {
            match element.kind() {
                "keyed_element" => self.keyed(element, value),
                _ => {
                    let item = self.add(Expr::Item(value));
                    self.element(element, item);
                }
            }
        }
    }

    fn keyed(&mut self, element: Node<'_>, object: ExprId) {
        let item = self.add(Expr::Item(object));
        let key = field(element, "key").and_then(|key| children(key).first().copied());
        let value = field(element, "value");
        let mut inner = item;
        match key {
            Some(name) if name.kind() == "identifier" => {
                let member = self.name(name);
                let member = self.add(Expr::Attribute(object, member));
                inner = self.add(Expr::First([member, item].into()));
                let meaning = match self.local(self.text(name)) {
                    Some(_) => member,
                    None => {
                        let plain = self.name(name);
                        let plain = self.add(Expr::Name(MODULE_SCOPE, plain));
                        self.add(Expr::First([member, plain].into()))
                    }
                };
                self.refer(name, ReferenceKind::Write, Use::Named(meaning));
            }
            Some(key) => {
                let of = self.add(Expr::Part(object, 1));
                self.element(key, of);
            }
            None => {}
        }
        if let Some(value) = value {
            self.element(value, inner);
        }
    }

    /// One element, which may leave out its type.
    fn element(&mut self, node: Node<'_>, value: ExprId) {
        match node.kind() {
            "literal_value" => {
                self.deeper(node, |pass| {
                    pass.literal(node, value);
                    UNKNOWN
                });
            }
            "literal_element" => {
                for part in children(node) {
                    self.element(part, value);
                }
            }
            _ => {
                self.visit(node);
            }
        }
    }
}

fn is_type(kind: &str) -> bool {
    kind.ends_with("_type") || kind == "type_identifier" || kind == "type_elem"
}

fn is_constant(kind: &str) -> bool {
    matches!(kind, "nil" | "true" | "false" | "iota")
}
