//! Types as they are written: references to the types they name, and what is known about them.

use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId, RecordMember};
use crate::occurrence::ReferenceKind;

use super::lower::{LITERAL, Pass, UNKNOWN};
use super::nodes::{children, field, fields};

impl Pass<'_> {
    /// A type.
    pub fn type_of(&mut self, node: Node<'_>) -> ExprId {
        self.typed(node, ReferenceKind::Annotation)
    }

    /// The type in a field of a node.
    pub fn type_in(&mut self, node: Node<'_>, name: &str) -> ExprId {
        field(node, name).map_or(UNKNOWN, |node| self.type_of(node))
    }

    /// A type whose name is used in the given way.
    pub fn typed(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        self.deeper(node, |pass| pass.type_expression(node, kind))
    }

    fn type_expression(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        match node.kind() {
            "type_identifier" | "identifier" => match self.local(self.text(node)) {
                Some(local) => local,
                None => self.refer_name(node, kind),
            },
            "qualified_type" => self.qualified(node, kind),
            "generic_type" => {
                let base = field(node, "type").map_or(UNKNOWN, |base| self.typed(base, kind));
                let arguments = field(node, "type_arguments")
                    .map(children)
                    .unwrap_or_default();
                self.instantiated(base, &arguments)
            }
            "array_type" | "implicit_length_array_type" | "slice_type" => {
                if let Some(length) = field(node, "length") {
                    self.visit(length);
                }
                let element = self.type_in(node, "element");
                self.container(&[element])
            }
            "map_type" => {
                let key = self.type_in(node, "key");
                let value = self.type_in(node, "value");
                self.container(&[value, key])
            }
            "channel_type" => {
                let value = self.type_in(node, "value");
                self.container(&[value, value])
            }
            "function_type" => self.in_block(|pass| pass.signature(node)),
            "struct_type" => self.record(node),
            "interface_type" => self.interface_record(node),
            // A pointer has the members of what it points to.
            "pointer_type" | "parenthesized_type" | "negated_type" => children(node)
                .first()
                .map_or(UNKNOWN, |inner| self.typed(*inner, kind)),
            "type_elem" | "type_constraint" => {
                let parts: Vec<ExprId> = children(node)
                    .into_iter()
                    .map(|part| self.typed(part, kind))
                    .collect();
                match parts.as_slice() {
                    &[only] => only,
                    _ => self.add(Expr::First(parts.into())),
                }
            }
            _ => self.visit(node),
        }
    }

    /// A container of items and, perhaps, their keys.
    fn container(&mut self, parts: &[ExprId]) -> ExprId {
        let parts = self.add(Expr::Tuple(parts.into()));
        self.add(Expr::Container([parts].into()))
    }

    /// `package.Type`
    fn qualified(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let Some((package, name)) = field(node, "package").zip(field(node, "name")) else {
            return UNKNOWN;
        };
        let package = match self.local(self.text(package)) {
            Some(local) => local,
            None => self.refer_name(package, ReferenceKind::Read),
        };
        self.refer_member(package, name, kind)
    }

    /// A generic type or function with its arguments. Foreign ones hand on what they are made for.
    pub fn instantiated(&mut self, base: ExprId, arguments: &[Node<'_>]) -> ExprId {
        let arguments: Vec<ExprId> = arguments.iter().map(|node| self.type_of(*node)).collect();
        let parts = std::iter::once(base).chain(arguments).collect();
        self.add(Expr::First(parts))
    }

    /// The type of a function; its parameters and results are bound in the current block.
    pub fn signature(&mut self, node: Node<'_>) -> ExprId {
        let parameters = field(node, "parameters")
            .map(|list| self.parameters(list))
            .unwrap_or_default();
        let result = match field(node, "result") {
            None => LITERAL,
            Some(list) if list.kind() == "parameter_list" => {
                let types = self.parameters(list);
                match types.as_slice() {
                    &[only] => only,
                    _ => self.add(Expr::Tuple(types.into())),
                }
            }
            Some(one) => self.type_of(one),
        };
        self.add(Expr::Function {
            parameters: parameters.into(),
            result,
        })
    }

    /// The types of parameters (or results), one for each; their names are bound.
    pub fn parameters(&mut self, list: Node<'_>) -> Vec<ExprId> {
        let mut types = Vec::new();
        for node in children(list) {
            let declared = self.type_in(node, "type");
            let declared = match node.kind() {
                "variadic_parameter_declaration" => self.container(&[declared]),
                _ => declared,
            };
            let names = fields(node, "name");
            let value = self.instance(declared);
            for name in &names {
                self.bind(*name, value);
            }
            types.extend(vec![declared; names.len().max(1)]);
        }
        types
    }

    /// Type parameters are what their constraint says, or anything.
    pub fn type_parameters(&mut self, node: Node<'_>) {
        let Some(list) = field(node, "type_parameters") else {
            return;
        };
        let parameters = children(list);
        // A constraint may mention any of them.
        for name in parameters.iter().flat_map(|node| fields(*node, "name")) {
            self.bind(name, UNKNOWN);
        }
        for parameter in parameters {
            let constraint = self.type_in(parameter, "type");
            let parts = [constraint, UNKNOWN].into();
            let meaning = self.add(Expr::First(parts));
            for name in fields(parameter, "name") {
                self.bind(name, meaning);
            }
        }
    }

    /// A struct without a name.
    fn record(&mut self, node: Node<'_>) -> ExprId {
        let mut members = Vec::new();
        for declaration in children(node).into_iter().flat_map(children) {
            let names = fields(declaration, "name");
            let declared = self.type_in(declaration, "type");
            if names.is_empty()
                && let Some(name) = field(declaration, "type").and_then(embedded_name)
            {
                members.push(RecordMember {
                    name: self.name(name),
                    declared,
                    is_embedded: true,
                });
            }
            members.extend(names.into_iter().map(|name| RecordMember {
                name: self.name(name),
                declared,
                is_embedded: false,
            }));
        }
        self.add(Expr::Record(members.into()))
    }

    /// An interface without a name.
    fn interface_record(&mut self, node: Node<'_>) -> ExprId {
        let mut members = Vec::new();
        for element in children(node) {
            match field(element, "name") {
                Some(name) if element.kind() == "method_elem" => members.push(RecordMember {
                    name: self.name(name),
                    declared: self.in_block(|pass| pass.signature(element)),
                    is_embedded: false,
                }),
                _ => members.push(RecordMember {
                    name: "".into(),
                    declared: self.type_of(element),
                    is_embedded: true,
                }),
            }
        }
        self.add(Expr::Record(members.into()))
    }
}

/// The node that names an embedded type, and the receiver's type of a method.
pub(super) fn embedded_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_identifier" | "identifier" => Some(node),
        "qualified_type" => field(node, "name"),
        "generic_type" => embedded_name(field(node, "type")?),
        "pointer_type" | "parenthesized_type" | "type_elem" => {
            embedded_name(children(node).first().copied()?)
        }
        _ => None,
    }
}
