//! Definitions: functions, classes and variables as symbols, with ids that tell equal names apart.

use grammars::SyntaxTree;
use grammars::tree_sitter::Node;
use rustc_hash::FxHashMap;

use crate::facts::{Binding, DefId, Definition, Expr, ExprId, Role, ScopeId, ScopeKind};
use crate::occurrence::{ReferenceKind, Runs};
use crate::symbol::{ByteRange, Symbol, SymbolId, SymbolKind};

use super::lower::{LITERAL, Pass, UNKNOWN};
use super::nodes::{children, field, fields, first_child, last_child};

/// How often each link was given out in each container.
pub(super) type Links = FxHashMap<(DefId, String), u32>;

/// What the decorators of a definition say about it.
#[derive(Default)]
struct Decorators {
    role: Role,
    /// Part of the id: `setter`, `deleter` or `overload`.
    mark: Option<&'static str>,
}

/// The symbol of the file itself.
pub(super) fn module_symbol(id: &SymbolId, tree: &SyntaxTree) -> Symbol {
    let root = tree.root();
    Symbol {
        id: id.clone(),
        kind: SymbolKind::Module,
        container: None,
        full: 0..tree.text().len(),
        focus: 0..0,
        body: code_range(root),
        doc: docstring(root).map(|node| node.byte_range()),
        is_test: false,
        line: 1,
    }
}

impl Pass<'_> {
    /// A definition below its decorators.
    pub fn decorated(&mut self, node: Node<'_>) {
        let decorators: Vec<_> = children(node)
            .into_iter()
            .filter(|child| child.kind() == "decorator")
            .collect();
        match field(node, "definition") {
            Some(definition) => self.define(node, definition, &decorators),
            None => self.block(node),
        }
    }

    /// A function or class; `full` is the node with its decorators.
    pub fn define(&mut self, full: Node<'_>, node: Node<'_>, decorators: &[Node<'_>]) {
        let Some(name) = field(node, "name") else {
            return self.block(node);
        };
        let is_class = node.kind() == "class_definition";
        let kind = match self.scope(self.place.scope).kind {
            _ if is_class => SymbolKind::Class,
            ScopeKind::Class => SymbolKind::Method,
            _ => SymbolKind::Function,
        };
        let marks = self.decorators(decorators);
        let symbol = self.declare(kind, full, name, marks.mark, field(node, "body"));
        self.definition(symbol).role = marks.role;
        let mut header = self.place;
        header.symbol = symbol;
        self.at(header, |pass| {
            for decorator in decorators {
                for expression in children(*decorator) {
                    pass.read(expression, ReferenceKind::Decorator);
                }
            }
            if let Some(parameters) = field(node, "type_parameters") {
                pass.type_parameters(parameters);
            }
            if is_class {
                pass.class(symbol, node);
            } else {
                pass.function(symbol, node);
            }
        });
    }

    fn class(&mut self, symbol: DefId, node: Node<'_>) {
        for base in field(node, "superclasses")
            .map(children)
            .unwrap_or_default()
        {
            self.base(symbol, base);
        }
        let mut inside = self.place;
        inside.scope = self.open_scope(ScopeKind::Class, Some(inside.scope));
        inside.class = Some(symbol);
        self.definition(symbol).scope = Some(inside.scope);
        self.at(inside, |pass| pass.body(node));
    }

    fn base(&mut self, class: DefId, node: Node<'_>) {
        if node.kind() != "keyword_argument" {
            let base = self.read(node, ReferenceKind::Base);
            return self.definition(class).bases.push(base);
        }
        let Some(value) = field(node, "value") else {
            return;
        };
        let keyword = field(node, "name").map_or("", |name| self.text(name));
        if keyword == "metaclass" {
            let metaclass = self.read(value, ReferenceKind::Base);
            self.definition(class).metaclass = Some(metaclass);
        } else {
            self.visit(value);
        }
    }

    fn function(&mut self, symbol: DefId, node: Node<'_>) {
        let header = self.place;
        let scope = self.open_scope(ScopeKind::Function, Some(header.scope));
        self.definition(symbol).scope = Some(scope);
        if let Some(annotation) = field(node, "return_type") {
            let declared = self.annotation(annotation);
            self.definition(symbol).declared = Some(declared);
        }
        let mut inside = header;
        inside.scope = scope;
        inside.runner = symbol;
        inside.function = Some(symbol);
        if inside.runs != Runs::Never {
            inside.runs = Runs::WhenCalled;
        }
        if let Some(parameters) = field(node, "parameters") {
            let receiver = self.receiver(symbol, node);
            self.parameters(parameters, scope, receiver);
        }
        if !self.is_passed_over(node) {
            self.at(inside, |pass| pass.body(node));
        }
    }

    /// Whether only symbols are asked for and a function has none in its body: nothing but a definition
    /// makes one there, and none begins without its word.
    fn is_passed_over(&self, function: Node<'_>) -> bool {
        let text = field(function, "body").map_or("", |body| self.text(body));
        let has_definition = text.contains("def") || text.contains("class");
        self.is_outline && !function.has_error() && !has_definition
    }

    fn body(&mut self, node: Node<'_>) {
        for body in fields(node, "body") {
            self.block(body);
        }
    }

    /// What the first parameter of a method is.
    fn receiver(&mut self, symbol: DefId, node: Node<'_>) -> Option<ExprId> {
        let class = self.place.class?;
        if self.definition(symbol).kind != SymbolKind::Method {
            return None;
        }
        let name = field(node, "name").map_or("", |name| self.text(name));
        let on_class = matches!(name, "__new__" | "__init_subclass__" | "__class_getitem__");
        match self.definition(symbol).role {
            Role::Static => None,
            Role::ClassMethod => Some(self.add(Expr::ReceiverClass(class))),
            _ if on_class => Some(self.add(Expr::ReceiverClass(class))),
            _ => Some(self.add(Expr::Receiver(class))),
        }
    }

    /// Binds parameters in `scope`; their annotations and defaults are evaluated here.
    pub fn parameters(&mut self, node: Node<'_>, scope: ScopeId, receiver: Option<ExprId>) {
        if self.makes_no_symbol(node) {
            return;
        }
        for (index, parameter) in children(node).into_iter().enumerate() {
            let is_splat = parameter_name(parameter).kind() != "identifier";
            let declared = field(parameter, "type").map(|annotation| self.annotation(annotation));
            let default =
                field(parameter, "value").map(|value| self.read(value, ReferenceKind::Default));
            let value = match (receiver, declared) {
                (Some(receiver), _) if index == 0 && !is_splat => receiver,
                (_, Some(declared)) if !is_splat => declared,
                _ => match default.filter(|default| *default != LITERAL && !is_splat) {
                    Some(default) => self.one_of(vec![UNKNOWN, default]),
                    None => UNKNOWN,
                },
            };
            let mut place = self.place;
            place.scope = scope;
            self.at(place, |pass| {
                pass.bind_parameter(parameter_name(parameter), value)
            });
        }
    }

    fn bind_parameter(&mut self, node: Node<'_>, value: ExprId) {
        match node.kind() {
            "identifier" => {
                let name = self.name(node);
                self.bind(name, Binding::Value(value));
            }
            _ => children(node)
                .into_iter()
                .for_each(|part| self.bind_parameter(part, UNKNOWN)),
        }
    }

    /// PEP 695: names that stand for any type, seen from the header and the body.
    fn type_parameters(&mut self, node: Node<'_>) {
        self.place.scope = self.open_scope(ScopeKind::Function, Some(self.place.scope));
        for parameter in children(node) {
            let mut names = Vec::new();
            identifiers(parameter, &mut names);
            for (index, name) in names.into_iter().enumerate() {
                if index == 0 {
                    let name = self.name(name);
                    self.bind(name, Binding::Value(UNKNOWN));
                } else {
                    self.read(name, ReferenceKind::Annotation);
                }
            }
        }
    }

    fn decorators(&self, nodes: &[Node<'_>]) -> Decorators {
        let mut decorators = Decorators::default();
        for node in nodes.iter().filter_map(|node| node.named_child(0)) {
            let name = match node.kind() {
                "attribute" => field(node, "attribute").map_or("", |name| self.text(name)),
                "identifier" => self.text(node),
                _ => continue,
            };
            match name {
                "property" | "cached_property" | "abstractproperty" | "lazyproperty" => {
                    decorators.role = Role::Property
                }
                "staticmethod" => decorators.role = Role::Static,
                "classmethod" => decorators.role = Role::ClassMethod,
                "setter" | "deleter" | "getter" if node.kind() == "attribute" => {
                    decorators.role = Role::Property;
                    decorators.mark = match name {
                        "setter" => Some("setter"),
                        "deleter" => Some("deleter"),
                        _ => None,
                    };
                }
                "overload" => decorators.mark = Some("overload"),
                _ => {}
            }
        }
        decorators
    }

    /// Makes a symbol and binds its name.
    fn declare(
        &mut self,
        kind: SymbolKind,
        full: Node<'_>,
        name: Node<'_>,
        mark: Option<&'static str>,
        body: Option<Node<'_>>,
    ) -> DefId {
        let container = self.container();
        let symbol = DefId(u32::try_from(self.symbols.len()).unwrap_or(0));
        let outer = self.symbols[container.0 as usize].id.clone();
        let id = outer.member(&self.link(container, name, mark));
        self.symbols.push(Symbol {
            id: id.clone(),
            kind,
            container: Some(outer),
            full: full.start_byte()..code_end(full),
            focus: name.byte_range(),
            body: body.and_then(code_range),
            doc: body.and_then(docstring).map(|node| node.byte_range()),
            is_test: false,
            line: u32::try_from(full.start_position().row).unwrap_or(u32::MAX - 1) + 1,
        });
        self.definitions.push(Definition::new(id, kind, container));
        let name = self.name(name);
        self.bind(name, Binding::Definition(symbol));
        symbol
    }

    /// Makes a symbol of an assigned name. Its values come when the target is reached.
    pub fn declare_variable(
        &mut self,
        kind: SymbolKind,
        statement: Node<'_>,
        name: Node<'_>,
    ) -> DefId {
        let symbol = self.declare(kind, statement, name, None, None);
        self.variables.insert(name.start_byte(), symbol);
        symbol
    }

    /// The innermost module, class or function around: a variable contains nothing.
    fn container(&self) -> DefId {
        let mut container = self.place.symbol;
        while let Some(definition) = self.definitions.get(container.0 as usize)
            && matches!(definition.kind, SymbolKind::Variable | SymbolKind::Field)
        {
            container = definition.container;
        }
        container
    }

    /// A name with what tells it apart from equal ones in its container.
    fn link(&mut self, container: DefId, name: Node<'_>, mark: Option<&'static str>) -> String {
        let name = self.text(name);
        let plain = match mark {
            Some(mark) => format!("{name}#{mark}"),
            None => name.to_owned(),
        };
        let count = self.links.entry((container, plain.clone())).or_default();
        *count += 1;
        match (*count, mark) {
            (1, _) => plain,
            (nth, Some(_)) => format!("{plain}{nth}"),
            (nth, None) => format!("{plain}#{nth}"),
        }
    }
}

/// The node that names a parameter.
fn parameter_name(node: Node<'_>) -> Node<'_> {
    field(node, "name")
        .or_else(|| {
            (node.kind() == "typed_parameter")
                .then(|| node.named_child(0))
                .flatten()
        })
        .unwrap_or(node)
}

fn identifiers<'t>(node: Node<'t>, found: &mut Vec<Node<'t>>) {
    if node.kind() == "identifier" {
        found.push(node);
    }
    children(node)
        .into_iter()
        .for_each(|child| identifiers(child, found));
}

/// From the first to the last piece of code in a block; comments around it do not count.
fn code_range(block: Node<'_>) -> Option<ByteRange> {
    let (first, last) = first_child(block).zip(last_child(block))?;
    Some(first.start_byte()..code_end(last))
}

/// Where the last token of a node ends. A block may reach over comments and blank lines behind it.
fn code_end(node: Node<'_>) -> usize {
    let mut last = node;
    let is_code = |child: &Node<'_>| child.kind() != "comment" && !child.byte_range().is_empty();
    while let Some(inner) = (0..last.child_count())
        .rev()
        .filter_map(|index| last.child(index))
        .find(is_code)
    {
        last = inner;
    }
    last.end_byte()
}

/// The string that documents the owner of a block.
fn docstring(block: Node<'_>) -> Option<Node<'_>> {
    let statement = first_child(block).filter(|first| first.kind() == "expression_statement")?;
    let text = statement.named_child(0)?;
    let is_text = matches!(text.kind(), "string" | "concatenated_string");
    (is_text && statement.named_child_count() == 1).then_some(text)
}
