//! Annotations: the names in them, and the objects they describe.

use std::sync::Arc;

use grammars::SourceText;
use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId, ScopeKind};
use crate::occurrence::{ReferenceKind, Runs};

use super::lower::{LITERAL, Pass, UNKNOWN};
use super::nodes::{children, field, fields};

impl<'t> Pass<'t> {
    /// Visits an annotation and gives the object it describes.
    pub fn annotation(&mut self, node: Node<'_>) -> ExprId {
        if self.makes_no_symbol(node) {
            return UNKNOWN;
        }
        let mut place = self.place;
        let is_local = self.scope(place.scope).kind == ScopeKind::Function
            && place.function == Some(place.symbol);
        if self.postponed_annotations || is_local {
            place.runs = Runs::Never;
        }
        self.at(place, |pass| pass.described(node))
    }

    fn described(&mut self, node: Node<'_>) -> ExprId {
        let parts = children(node);
        match (node.kind(), parts.as_slice()) {
            ("type" | "parenthesized_expression", &[only]) => self.described(only),
            ("identifier", _) if is_literal_type(self.text(node)) => {
                self.read(node, ReferenceKind::Annotation);
                LITERAL
            }
            ("identifier" | "attribute", _) => {
                let class = self.read(node, ReferenceKind::Annotation);
                self.add(Expr::Instance(class))
            }
            ("none", _) => LITERAL,
            ("string", _) => self.described_by_text(node),
            ("binary_operator" | "union_type", &[left, right]) => {
                let values = vec![self.described(left), self.described(right)];
                self.one_of(values)
            }
            ("generic_type", [class, parameters]) => {
                let arguments = children(*parameters);
                self.generic(*class, &arguments)
            }
            ("subscript", [class, ..]) => self.generic(*class, &fields(node, "subscript")),
            _ => {
                let values = parts.into_iter().map(|part| self.described(part)).collect();
                self.elements_described(values)
            }
        }
    }

    fn elements_described(&mut self, values: Vec<ExprId>) -> ExprId {
        if values.is_empty() {
            UNKNOWN
        } else {
            self.add(Expr::Container(values.into()))
        }
    }

    /// `Class[arguments]`
    fn generic(&mut self, class: Node<'_>, arguments: &[Node<'_>]) -> ExprId {
        let object = self.described(class);
        let name = match field(class, "attribute") {
            Some(attribute) => self.text(attribute),
            None => self.text(class),
        };
        if name == "Literal" {
            return LITERAL;
        }
        let arguments: Vec<ExprId> = arguments
            .iter()
            .map(|argument| self.described(*argument))
            .collect();
        let first = arguments.first().copied().unwrap_or(UNKNOWN);
        match name {
            "Optional" | "Union" => self.one_of(arguments),
            "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "Awaitable" => first,
            "Type" | "type" => match *self.expr(first) {
                Expr::Instance(class) => class,
                _ => UNKNOWN,
            },
            "Callable" | "Coroutine" | "Generator" | "AsyncGenerator" => UNKNOWN,
            _ if is_container(name) => self.add(Expr::Container(arguments.into())),
            _ => object,
        }
    }

    /// A forward reference: the text is parsed where it stands.
    fn described_by_text(&mut self, node: Node<'_>) -> ExprId {
        let content = match children(node).as_slice() {
            &[_, content, _]
                if content.kind() == "string_content" && content.named_child_count() == 0 =>
            {
                content
            }
            _ => {
                self.visit(node);
                return UNKNOWN;
            }
        };
        let range = self.range(content);
        let text: &'t str = self.text(content);
        if text.contains('\n') {
            return UNKNOWN;
        }
        let bytes: Arc<[u8]> = Arc::from(text.trim_start().as_bytes());
        let offset = range.start + (text.len() - bytes.len());
        let language = self.tree.language();
        let tree = grammars::parse(language, &SourceText::new(None, &bytes));
        self.forward_reference(&tree, offset)
    }

    fn forward_reference(&mut self, tree: &grammars::SyntaxTree, offset: usize) -> ExprId {
        if tree.root().has_error() {
            return UNKNOWN;
        }
        let outer = std::mem::replace(&mut self.offset, offset);
        let runs = std::mem::replace(&mut self.place.runs, Runs::Never);
        let value = match children(tree.root()).as_slice() {
            &[statement] if statement.kind() == "expression_statement" => {
                let values = children(statement)
                    .into_iter()
                    .map(|part| self.described(part))
                    .collect();
                self.one_of(values)
            }
            _ => UNKNOWN,
        };
        self.offset = outer;
        self.place.runs = runs;
        value
    }
}

/// Built-in classes whose objects have nothing to do with the project.
fn is_literal_type(name: &str) -> bool {
    matches!(
        name,
        "str" | "int" | "float" | "bool" | "bytes" | "complex" | "None"
    )
}

/// Generic classes whose arguments are what iteration or a subscript gives.
fn is_container(name: &str) -> bool {
    matches!(
        name,
        "list"
            | "List"
            | "set"
            | "Set"
            | "frozenset"
            | "FrozenSet"
            | "tuple"
            | "Tuple"
            | "dict"
            | "Dict"
            | "Sequence"
            | "MutableSequence"
            | "Iterable"
            | "Iterator"
            | "Collection"
            | "Mapping"
            | "MutableMapping"
            | "deque"
            | "Deque"
            | "defaultdict"
            | "DefaultDict"
            | "AsyncIterator"
            | "AsyncIterable"
            | "KeysView"
            | "ValuesView"
            | "ItemsView"
    )
}
