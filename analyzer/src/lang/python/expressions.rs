//! Expressions: which names they use and what value they have.

use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId, Name, Use};
use crate::occurrence::{ReferenceKind, Runs};

use super::lower::{LITERAL, Pass, UNKNOWN};
use super::nodes::{children, field, fields};
use super::statements::ITERATION;

impl Pass<'_> {
    /// Visits an expression (or any node without rules of its own) and gives its value.
    pub fn expression(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        match node.kind() {
            "identifier" => {
                let name = self.name(node);
                self.refer_name(node, name, kind)
            }
            "attribute" => self.attribute(node, kind),
            "call" => self.call(node, kind),
            "subscript" => self.subscript(node, kind),
            "string" => self.string(node),
            "integer" | "float" | "true" | "false" => LITERAL,
            "concatenated_string" => {
                self.block(node);
                LITERAL
            }
            "binary_operator" => self.binary(node),
            "comparison_operator" => self.comparison(node),
            "unary_operator" => self.unary(node),
            "not_operator" => {
                fields(node, "argument")
                    .into_iter()
                    .for_each(|argument| self.truth(argument));
                LITERAL
            }
            "boolean_operator" => self.either(node),
            "conditional_expression" => self.conditional(node),
            "named_expression" => self.named_expression(node),
            "lambda" => self.lambda(node),
            "list" | "tuple" | "set" | "expression_list" => self.container_of(node),
            "dictionary" => self.dictionary(node),
            "list_comprehension"
            | "set_comprehension"
            | "dictionary_comprehension"
            | "generator_expression" => self.comprehension(node),
            "parenthesized_expression" | "await" => self.single(node, kind),
            "yield" => self.yielded(node),
            "keyword_argument" => field(node, "value").map_or(UNKNOWN, |value| self.visit(value)),
            "type" => self.annotation(node),
            "list_splat" | "dictionary_splat" => {
                for part in children(node) {
                    self.iterate(part);
                }
                UNKNOWN
            }
            _ => {
                self.block(node);
                UNKNOWN
            }
        }
    }

    /// A use of a name that stands at `node`.
    pub fn refer_name(&mut self, node: Node<'_>, name: Name, kind: ReferenceKind) -> ExprId {
        let value = self.add(Expr::Name(self.place.scope, name));
        self.refer(node, kind, Use::Named(value));
        value
    }

    fn attribute(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let Some((object, attribute)) = field(node, "object").zip(field(node, "attribute")) else {
            self.block(node);
            return UNKNOWN;
        };
        let object = self.read(object, kind_of_object(kind));
        self.member(object, attribute, kind)
    }

    /// `object.attribute`, the object already visited.
    fn member(&mut self, object: ExprId, attribute: Node<'_>, kind: ReferenceKind) -> ExprId {
        if object == LITERAL {
            return LITERAL;
        }
        let value = self.add(Expr::Attribute(object, self.name(attribute)));
        self.refer(attribute, kind, Use::Named(value));
        value
    }

    /// The names of a dotted name, which has no structure of its own.
    pub fn dotted_name(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        let Some((first, rest)) = parts.split_first() else {
            return UNKNOWN;
        };
        let mut value = self.visit(*first);
        for attribute in rest {
            value = self.member(value, *attribute, ReferenceKind::Read);
        }
        value
    }

    fn single(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        match children(node).as_slice() {
            &[only] => self.read(only, kind),
            _ => {
                self.block(node);
                UNKNOWN
            }
        }
    }

    fn subscript(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let Some(value) = field(node, "value") else {
            self.block(node);
            return UNKNOWN;
        };
        let object = self.read(value, kind_of_object(kind));
        let indices = fields(node, "subscript");
        let is_slice = indices.iter().any(|index| index.kind() == "slice");
        for index in indices {
            self.visit(index);
        }
        self.protocol(
            node,
            object,
            &["__getitem__", "__class_getitem__", "__missing__"],
            true,
        );
        match object {
            LITERAL => LITERAL,
            _ if is_slice => UNKNOWN,
            _ => self.add(Expr::Item(object)),
        }
    }

    /// A text; what an f-string shows is converted to text.
    fn string(&mut self, node: Node<'_>) -> ExprId {
        for part in children(node)
            .into_iter()
            .filter(|part| part.kind() == "interpolation")
        {
            for shown in children(part) {
                let value = self.visit(shown);
                if shown.kind() != "format_specifier" && shown.kind() != "type_conversion" {
                    self.protocol(shown, value, &["__format__", "__str__", "__repr__"], true);
                }
            }
        }
        LITERAL
    }

    /// A chain `a + b + c + …` leans to the left and may be very long: it is walked, not recursed into.
    fn binary(&mut self, node: Node<'_>) -> ExprId {
        let mut chain = vec![node];
        let mut leftmost = field(node, "left");
        while let Some(left) = leftmost.filter(|left| left.kind() == "binary_operator") {
            chain.push(left);
            leftmost = field(left, "left");
        }
        let mut value = leftmost.map_or(UNKNOWN, |left| self.visit(left));
        for operation in chain.into_iter().rev() {
            let right = field(operation, "right").map_or(UNKNOWN, |right| self.visit(right));
            let operator = field(operation, "operator").map_or("", |operator| operator.kind());
            self.operator(operation, operator, value, right);
            value = if value == LITERAL && (right == LITERAL || operator == "%") {
                LITERAL
            } else {
                UNKNOWN
            };
        }
        value
    }

    fn comparison(&mut self, node: Node<'_>) -> ExprId {
        let operands = children(node);
        let operators: Vec<&str> = {
            let mut cursor = node.walk();
            node.children_by_field_name("operators", &mut cursor)
                .map(|operator| operator.kind())
                .collect()
        };
        let values: Vec<ExprId> = operands
            .iter()
            .map(|operand| self.visit(*operand))
            .collect();
        for (pair, operator) in values.windows(2).zip(operators) {
            if let &[left, right] = pair {
                self.operator(node, operator, left, right);
            }
        }
        LITERAL
    }

    fn unary(&mut self, node: Node<'_>) -> ExprId {
        let value = field(node, "argument").map_or(UNKNOWN, |argument| self.visit(argument));
        let method: &[&str] = match field(node, "operator").map_or("", |operator| operator.kind()) {
            "-" => &["__neg__"],
            "+" => &["__pos__"],
            _ => &["__invert__"],
        };
        self.protocol(node, value, method, true);
        if value == LITERAL { LITERAL } else { UNKNOWN }
    }

    /// Notes the methods that a binary operator or comparison calls on its operands.
    pub fn operator(&mut self, node: Node<'_>, operator: &str, left: ExprId, right: ExprId) {
        let (on_left, on_right) = operator_methods(operator);
        if !on_left.is_empty() {
            self.protocol(node, left, on_left, true);
        }
        if !on_right.is_empty() {
            self.protocol(node, right, on_right, true);
        }
    }

    fn either(&mut self, node: Node<'_>) -> ExprId {
        let values = ["left", "right"]
            .into_iter()
            .filter_map(|side| field(node, side))
            .map(|side| self.visit(side))
            .collect();
        self.one_of(values)
    }

    fn conditional(&mut self, node: Node<'_>) -> ExprId {
        match children(node).as_slice() {
            &[then, condition, otherwise] => {
                let then = self.visit(then);
                self.truth(condition);
                let otherwise = self.visit(otherwise);
                self.one_of(vec![then, otherwise])
            }
            _ => {
                self.block(node);
                UNKNOWN
            }
        }
    }

    /// A walrus in a comprehension binds around it; binding it here is close enough, because names
    /// that are not found here are looked for around it only if they are project names.
    fn named_expression(&mut self, node: Node<'_>) -> ExprId {
        let value = field(node, "value").map_or(UNKNOWN, |value| self.visit(value));
        if let Some(name) = field(node, "name") {
            self.bind_value(name, value);
        }
        value
    }

    fn lambda(&mut self, node: Node<'_>) -> ExprId {
        let mut place = self.place;
        place.scope = self.open_scope(crate::facts::ScopeKind::Function, Some(place.scope));
        if let Some(parameters) = field(node, "parameters") {
            self.parameters(parameters, place.scope, None);
        }
        place.runner = place.symbol;
        place.function = None;
        if place.runs != Runs::Never {
            place.runs = Runs::WhenCalled;
        }
        self.at(place, |pass| {
            fields(node, "body").into_iter().for_each(|body| {
                pass.visit(body);
            })
        });
        UNKNOWN
    }

    fn container_of(&mut self, node: Node<'_>) -> ExprId {
        let elements: Vec<ExprId> = children(node)
            .into_iter()
            .map(|element| self.visit(element))
            .collect();
        self.elements(elements)
    }

    fn dictionary(&mut self, node: Node<'_>) -> ExprId {
        let mut values = Vec::new();
        for entry in children(node) {
            if let Some(key) = field(entry, "key") {
                self.visit(key);
            }
            values.push(match field(entry, "value") {
                Some(value) => self.visit(value),
                None => self.visit(entry),
            });
        }
        self.elements(values)
    }

    /// A container; one with very many elements tells no more than that it is one.
    fn elements(&mut self, mut elements: Vec<ExprId>) -> ExprId {
        if elements.len() > MANY {
            elements = if elements.iter().all(|element| *element == LITERAL) {
                vec![LITERAL]
            } else {
                vec![UNKNOWN]
            };
        }
        self.add(Expr::Container(elements.into()))
    }

    fn comprehension(&mut self, node: Node<'_>) -> ExprId {
        let clauses: Vec<_> = children(node)
            .into_iter()
            .filter(|part| part.kind() != "pair")
            .collect();
        let body = field(node, "body");
        // The first iterable is evaluated outside.
        let first = clauses
            .iter()
            .find(|clause| clause.kind() == "for_in_clause")
            .and_then(|clause| field(*clause, "right"));
        let item = first.map_or(UNKNOWN, |first| self.iterate(first));
        self.in_anonymous_scope(|pass| {
            for clause in clauses {
                pass.clause(clause, first, item);
            }
            let value = match body {
                Some(body) if body.kind() == "pair" => {
                    pass.block(body);
                    UNKNOWN
                }
                Some(body) => pass.visit(body),
                None => UNKNOWN,
            };
            pass.elements(vec![value])
        })
    }

    fn clause(&mut self, clause: Node<'_>, first: Option<Node<'_>>, first_item: ExprId) {
        match clause.kind() {
            "for_in_clause" => {
                let rights = fields(clause, "right");
                let is_first = rights.first().copied() == first;
                let mut item = first_item;
                for (index, right) in rights.into_iter().enumerate() {
                    if !(is_first && index == 0) {
                        item = self.iterate(right);
                    }
                }
                if let Some(left) = field(clause, "left") {
                    self.target(left, item);
                }
            }
            "if_clause" => children(clause)
                .into_iter()
                .for_each(|condition| self.truth(condition)),
            _ => {}
        }
    }

    fn yielded(&mut self, node: Node<'_>) -> ExprId {
        let mut cursor = node.walk();
        let delegates = node
            .children(&mut cursor)
            .any(|child| child.kind() == "from");
        for value in children(node) {
            let mut value = self.visit(value);
            if delegates {
                self.protocol(node, value, ITERATION, true);
                value = self.add(Expr::Item(value));
            }
            self.returned(value, true);
        }
        UNKNOWN
    }
}

/// Containers with more elements than this are not looked into.
const MANY: usize = 16;

/// How the object of `object.name` is used, by how the name is.
fn kind_of_object(kind: ReferenceKind) -> ReferenceKind {
    match kind {
        ReferenceKind::Annotation
        | ReferenceKind::Base
        | ReferenceKind::Decorator
        | ReferenceKind::Default => kind,
        _ => ReferenceKind::Read,
    }
}

/// The methods an operator calls: on the left operand and on the right one.
fn operator_methods(operator: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match operator {
        "+" => (&["__add__"], &["__radd__"]),
        "-" => (&["__sub__"], &["__rsub__"]),
        "*" => (&["__mul__"], &["__rmul__"]),
        "/" => (&["__truediv__"], &["__rtruediv__"]),
        "//" => (&["__floordiv__"], &["__rfloordiv__"]),
        "%" => (&["__mod__"], &["__rmod__"]),
        "**" => (&["__pow__"], &["__rpow__"]),
        "@" => (&["__matmul__"], &["__rmatmul__"]),
        "&" => (&["__and__"], &["__rand__"]),
        "|" => (&["__or__"], &["__ror__"]),
        "^" => (&["__xor__"], &["__rxor__"]),
        "<<" => (&["__lshift__"], &["__rlshift__"]),
        ">>" => (&["__rshift__"], &["__rrshift__"]),
        "+=" => (&["__iadd__", "__add__"], &["__radd__"]),
        "-=" => (&["__isub__", "__sub__"], &["__rsub__"]),
        "*=" => (&["__imul__", "__mul__"], &["__rmul__"]),
        "/=" => (&["__itruediv__", "__truediv__"], &["__rtruediv__"]),
        "//=" => (&["__ifloordiv__", "__floordiv__"], &["__rfloordiv__"]),
        "%=" => (&["__imod__", "__mod__"], &["__rmod__"]),
        "**=" => (&["__ipow__", "__pow__"], &["__rpow__"]),
        "@=" => (&["__imatmul__", "__matmul__"], &["__rmatmul__"]),
        "&=" => (&["__iand__", "__and__"], &["__rand__"]),
        "|=" => (&["__ior__", "__or__"], &["__ror__"]),
        "^=" => (&["__ixor__", "__xor__"], &["__rxor__"]),
        "<<=" => (&["__ilshift__", "__lshift__"], &["__rlshift__"]),
        ">>=" => (&["__irshift__", "__rshift__"], &["__rrshift__"]),
        "==" => (&["__eq__"], &["__eq__"]),
        "!=" => (&["__ne__", "__eq__"], &["__ne__", "__eq__"]),
        "<" => (&["__lt__"], &["__gt__"]),
        ">" => (&["__gt__"], &["__lt__"]),
        "<=" => (&["__le__"], &["__ge__"]),
        ">=" => (&["__ge__"], &["__le__"]),
        "in" | "not in" => (&[], &["__contains__", "__iter__", "__getitem__"]),
        _ => (&[], &[]),
    }
}
