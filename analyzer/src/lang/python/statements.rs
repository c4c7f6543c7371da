//! Statements: what each does to names.

use grammars::tree_sitter::Node;

use crate::facts::{Expr, ExprId, MODULE_SCOPE, ScopeId, ScopeKind, Use};
use crate::occurrence::{ReferenceKind, Runs};

use super::lower::{Pass, UNKNOWN};
use super::nodes::{children, field, fields};

impl Pass<'_> {
    /// Visits a node if it is a statement that needs care, and says whether it was one.
    pub fn statement(&mut self, node: Node<'_>) -> bool {
        match node.kind() {
            "function_definition" | "class_definition" => self.define(node, node, &[]),
            "decorated_definition" => self.decorated(node),
            "assignment" => {
                self.assignment(node);
            }
            "augmented_assignment" => self.augmented_assignment(node),
            "type_alias_statement" => self.type_alias(node),
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                self.import_statement(node);
            }
            "if_statement" => self.if_statement(node),
            "for_statement" => self.for_statement(node),
            "except_clause" | "except_group_clause" => self.except_clause(node),
            "with_item" => self.with_item(node),
            "case_clause" => self.case_clause(node),
            "global_statement" => self.elsewhere(node, MODULE_SCOPE),
            "nonlocal_statement" => self.nonlocal_statement(node),
            "delete_statement" => self.delete_statement(node),
            "return_statement" => self.return_statement(node),
            _ => return false,
        }
        true
    }

    fn if_statement(&mut self, node: Node<'_>) {
        let condition = field(node, "condition");
        let never = condition.is_some_and(|condition| self.is_type_checking(condition));
        if let Some(condition) = condition {
            self.truth(condition);
        }
        if let Some(consequence) = field(node, "consequence") {
            let mut place = self.place;
            if never {
                place.runs = Runs::Never;
            }
            self.at(place, |pass| pass.block(consequence));
        }
        for alternative in fields(node, "alternative") {
            self.block(alternative);
        }
    }

    /// `TYPE_CHECKING` or `typing.TYPE_CHECKING`.
    fn is_type_checking(&self, condition: Node<'_>) -> bool {
        let name = match condition.kind() {
            "attribute" => field(condition, "attribute"),
            _ => Some(condition),
        };
        name.is_some_and(|name| self.text(name) == "TYPE_CHECKING")
    }

    /// Visits a condition: its truth is asked for.
    pub fn truth(&mut self, condition: Node<'_>) {
        let object = self.visit(condition);
        self.protocol(condition, object, &["__bool__", "__len__"], false);
    }

    fn for_statement(&mut self, node: Node<'_>) {
        if let Some((left, right)) = sides(node) {
            let item = self.iterate(right);
            self.target(left, item);
        }
        for field in ["body", "alternative"] {
            fields(node, field)
                .into_iter()
                .for_each(|part| self.block(part));
        }
    }

    /// Visits something that is iterated over and gives its items.
    pub fn iterate(&mut self, node: Node<'_>) -> ExprId {
        let iterable = self.visit(node);
        self.protocol(node, iterable, ITERATION, true);
        self.add(Expr::Item(iterable))
    }

    fn except_clause(&mut self, node: Node<'_>) {
        let parts = children(node);
        let (Some(value), alias) = (field(node, "value"), field(node, "alias")) else {
            return self.block(node);
        };
        let (value, alias) = match value.kind() {
            "as_pattern" => (value.named_child(0).unwrap_or(value), field(value, "alias")),
            _ => (value, alias),
        };
        let class = self.visit(value);
        let caught = self.add(Expr::Call(class));
        if let Some(alias) = alias {
            self.target(alias, caught);
        }
        for part in parts.into_iter().filter(|part| part.kind() == "block") {
            self.block(part);
        }
    }

    fn with_item(&mut self, node: Node<'_>) {
        let Some(value) = field(node, "value") else {
            return self.block(node);
        };
        let (manager, alias) = match value.kind() {
            "as_pattern" => (value.named_child(0).unwrap_or(value), field(value, "alias")),
            _ => (value, None),
        };
        let object = self.visit(manager);
        self.protocol(manager, object, CONTEXT, true);
        if let Some(alias) = alias {
            let entered = self.add(Expr::Entered(object));
            self.target(alias, entered);
        }
    }

    fn case_clause(&mut self, node: Node<'_>) {
        for part in children(node) {
            match part.kind() {
                "case_pattern" => self.case_pattern(part),
                _ => self.block(part),
            }
        }
    }

    /// Dotted names and class names are read; a plain name is bound.
    fn case_pattern(&mut self, node: Node<'_>) {
        let parts = children(node);
        match (node.kind(), parts.as_slice()) {
            ("dotted_name", [only]) if is_capture(node) => self.target(*only, UNKNOWN),
            ("dotted_name", _) => {
                self.dotted_name(node);
            }
            ("identifier" | "as_pattern_target", _) => self.target(node, UNKNOWN),
            ("keyword_pattern", [_, value @ ..]) => {
                value.iter().for_each(|part| self.case_pattern(*part));
            }
            ("string" | "concatenated_string" | "attribute" | "call", _) => {
                self.visit(node);
            }
            _ => parts.into_iter().for_each(|part| self.case_pattern(part)),
        }
    }

    fn nonlocal_statement(&mut self, node: Node<'_>) {
        let mut parent = self.scope(self.place.scope).parent;
        for name in children(node) {
            while let Some(scope) = parent {
                let scope_facts = self.scope(scope);
                parent = scope_facts.parent;
                let name = self.name(name);
                if self.scope(scope).names.contains_key(&name) {
                    let here = self.place.scope;
                    self.scope(here).elsewhere.insert(name, scope);
                    break;
                }
            }
            parent = self.scope(self.place.scope).parent;
        }
    }

    fn elsewhere(&mut self, node: Node<'_>, scope: ScopeId) {
        for name in children(node) {
            let (here, name) = (self.place.scope, self.name(name));
            if here != scope {
                self.scope(here).elsewhere.insert(name, scope);
            }
        }
    }

    fn delete_statement(&mut self, node: Node<'_>) {
        for part in children(node) {
            let deleted = if part.kind() == "expression_list" {
                children(part)
            } else {
                vec![part]
            };
            for target in deleted {
                self.delete(target);
            }
        }
    }

    fn delete(&mut self, target: Node<'_>) {
        match target.kind() {
            "identifier" | "attribute" => {
                self.read(target, ReferenceKind::Write);
            }
            "subscript" => {
                if let Some(value) = field(target, "value") {
                    let object = self.visit(value);
                    self.protocol(target, object, &["__delitem__"], true);
                }
                for index in fields(target, "subscript") {
                    self.visit(index);
                }
            }
            _ => children(target)
                .into_iter()
                .for_each(|part| self.delete(part)),
        }
    }

    fn return_statement(&mut self, node: Node<'_>) {
        for value in children(node) {
            let value = self.visit(value);
            self.returned(value, false);
        }
    }

    /// Notes a value that the function around gives back.
    pub fn returned(&mut self, value: ExprId, is_yield: bool) {
        let Some(function) = self.place.function else {
            return;
        };
        let definition = self.definition(function);
        if is_yield && !definition.is_generator {
            definition.is_generator = true;
            definition.values.clear();
        }
        if is_yield == definition.is_generator {
            definition.values.push(value);
        }
    }

    /// Notes that the language calls methods of an object.
    pub fn protocol(
        &mut self,
        node: Node<'_>,
        object: ExprId,
        methods: &'static [&'static str],
        by_name: bool,
    ) {
        let worthless = match self.expr(object) {
            Expr::Literal | Expr::Container(_) | Expr::Definition(_) => true,
            Expr::Unknown => !by_name,
            _ => false,
        };
        if !worthless {
            let usage = Use::Protocol {
                object,
                methods,
                by_name,
            };
            self.refer(node, ReferenceKind::Implicit, usage);
        }
    }

    /// Opens a function-like scope that is no symbol, and does `work` in it.
    pub fn in_anonymous_scope<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut place = self.place;
        place.scope = self.open_scope(ScopeKind::Function, Some(place.scope));
        self.at(place, work)
    }
}

/// What iteration calls.
pub(super) const ITERATION: &[&str] = &[
    "__iter__",
    "__next__",
    "__aiter__",
    "__anext__",
    "__getitem__",
];

const CONTEXT: &[&str] = &["__enter__", "__exit__", "__aenter__", "__aexit__"];

/// The two sides of a `for` or an assignment.
pub(super) fn sides(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    field(node, "left").zip(field(node, "right"))
}

/// A one-word pattern binds a name, except as the class of a class pattern.
fn is_capture(node: Node<'_>) -> bool {
    node.parent().is_none_or(|parent| {
        parent.kind() != "class_pattern" || parent.named_child(0) != Some(node)
    })
}
