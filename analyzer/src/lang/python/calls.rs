//! Calls: what is called, and built-in functions that call methods in turn.

use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId, Name, Use};
use crate::occurrence::ReferenceKind;

use super::lower::{LITERAL, Pass, UNKNOWN};
use super::nodes::{children, field};
use super::statements::ITERATION;

impl<'t> Pass<'t> {
    /// `function(arguments)`
    pub fn call(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let Some(function) = field(node, "function") else {
            self.block(node);
            return UNKNOWN;
        };
        let arguments = field(node, "arguments");
        let kind = if kind == ReferenceKind::Read {
            ReferenceKind::Call
        } else {
            kind
        };
        let callee = self.read(function, kind);
        let values = arguments
            .map(|arguments| self.arguments(arguments))
            .unwrap_or_default();
        if function.kind() == "identifier" {
            let name = self.text(function);
            if let Some(value) = self.special_call(node, name, arguments, &values) {
                return value;
            }
        }
        if function.kind() == "attribute" {
            self.public_list_call(function, arguments);
        }
        if callee == LITERAL {
            return LITERAL;
        }
        let named = field(function, "attribute").unwrap_or(function);
        self.refer(named, ReferenceKind::Implicit, Use::Invoke(callee));
        self.add(Expr::Call(callee))
    }

    fn arguments(&mut self, node: Node<'_>) -> Vec<ExprId> {
        match node.kind() {
            "argument_list" => children(node)
                .into_iter()
                .map(|argument| self.visit(argument))
                .collect(),
            _ => vec![self.visit(node)],
        }
    }

    /// Built-in functions whose meaning is known. Whether the name really is the built-in one is not
    /// checked: who shadows `len` still means something like it.
    fn special_call(
        &mut self,
        node: Node<'_>,
        name: &str,
        arguments: Option<Node<'_>>,
        values: &[ExprId],
    ) -> Option<ExprId> {
        match name {
            "super" => {
                return Some(
                    self.place
                        .class
                        .map_or(UNKNOWN, |class| self.add(Expr::Super(class))),
                );
            }
            "type" if values.len() == 1 => {
                let object = *values.first()?;
                return Some(self.add(Expr::Attribute(object, Name::new_static("__class__"))));
            }
            "getattr" | "setattr" | "delattr" | "hasattr" => {
                self.attribute_by_text(arguments?, *values.first()?)
            }
            _ => {}
        }
        let (methods, result) = builtin_methods(name)?;
        for value in values {
            self.protocol(node, *value, methods, true);
        }
        (result == Gives::Literal).then_some(LITERAL)
    }

    /// `getattr(object, "name")`, `getattr(object, f"visit_{kind}")`, `getattr(object, "visit_" + kind)`
    fn attribute_by_text(&mut self, arguments: Node<'_>, object: ExprId) {
        let Some(text) = children(arguments).get(1).copied() else {
            return;
        };
        let pattern = match text.kind() {
            "string" => self.text_pattern(text),
            "binary_operator" => self.sum_pattern(text),
            _ => None,
        };
        if let Some((prefix, suffix, exact)) = pattern {
            self.refer(
                text,
                ReferenceKind::Read,
                Use::Pattern {
                    object,
                    prefix,
                    suffix,
                    exact,
                },
            );
        }
    }

    /// The fixed start and end of a string that may have holes.
    fn text_pattern(&self, string: Node<'_>) -> Option<(Name, Name, bool)> {
        let parts = children(string);
        let fixed = |part: Option<&Node<'_>>| {
            part.filter(|part| part.kind() == "string_content")
                .map_or("", |part| self.text(*part))
        };
        let parts: Vec<_> = parts
            .into_iter()
            .filter(|part| matches!(part.kind(), "string_content" | "interpolation"))
            .collect();
        let prefix = fixed(parts.first());
        let exact = parts.len() == 1 && !prefix.is_empty();
        let suffix = if exact { "" } else { fixed(parts.last()) };
        is_telling(prefix, suffix).then(|| (Name::new(prefix), Name::new(suffix), exact))
    }

    /// `"prefix" + …`, `… + "suffix"`, `"visit_%s" % …`
    fn sum_pattern(&self, sum: Node<'_>) -> Option<(Name, Name, bool)> {
        let plain = |side: &str| -> &'t str {
            field(sum, side)
                .filter(|side| side.kind() == "string")
                .and_then(|string| {
                    children(string)
                        .into_iter()
                        .find(|part| part.kind() == "string_content")
                })
                .map_or("", |content| self.text(content))
        };
        let (prefix, suffix) = match field(sum, "operator")?.kind() {
            "+" => (plain("left"), plain("right")),
            "%" => plain("left").split_once("%s")?,
            _ => return None,
        };
        is_telling(prefix, suffix).then(|| (Name::new(prefix), Name::new(suffix), false))
    }
}

/// Whether a pattern says enough to be followed: a lone underscore fits half of all names.
fn is_telling(prefix: &str, suffix: &str) -> bool {
    prefix.len() + suffix.len() > 1
}

/// What a built-in function gives.
#[derive(PartialEq)]
enum Gives {
    Literal,
    Anything,
}

/// The methods that a built-in function calls on its arguments.
fn builtin_methods(name: &str) -> Option<(&'static [&'static str], Gives)> {
    use Gives::{Anything, Literal};
    let methods: (&'static [&'static str], Gives) = match name {
        "str" | "print" => (&["__str__", "__repr__"], Literal),
        "repr" | "ascii" => (&["__repr__"], Literal),
        "format" => (&["__format__", "__str__"], Literal),
        "bytes" => (&["__bytes__"], Literal),
        "len" => (&["__len__"], Literal),
        "bool" => (&["__bool__", "__len__"], Literal),
        "hash" => (&["__hash__"], Literal),
        "int" => (&["__int__", "__index__", "__trunc__"], Literal),
        "float" => (&["__float__", "__index__"], Literal),
        "complex" => (&["__complex__", "__float__"], Literal),
        "isinstance" => (&["__instancecheck__"], Literal),
        "issubclass" => (&["__subclasscheck__"], Literal),
        "abs" => (&["__abs__"], Anything),
        "round" => (&["__round__"], Anything),
        "divmod" => (&["__divmod__", "__rdivmod__"], Anything),
        "pow" => (&["__pow__", "__rpow__"], Anything),
        "next" => (&["__next__"], Anything),
        "anext" => (&["__anext__"], Anything),
        "reversed" => (
            &["__reversed__", "__iter__", "__getitem__", "__len__"],
            Anything,
        ),
        "dir" => (&["__dir__"], Anything),
        "sum" => (&["__iter__", "__next__", "__add__", "__radd__"], Anything),
        "sorted" | "min" | "max" => (&["__iter__", "__next__", "__lt__", "__gt__"], Anything),
        "dict" => (&["__iter__", "__next__", "keys", "__getitem__"], Anything),
        "any" | "all" => (&["__iter__", "__next__", "__bool__"], Literal),
        "iter" | "list" | "tuple" | "set" | "frozenset" | "enumerate" | "zip" | "map"
        | "filter" => (ITERATION, Anything),
        _ => return None,
    };
    Some(methods)
}
