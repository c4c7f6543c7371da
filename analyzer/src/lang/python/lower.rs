//! The one pass over a syntax tree: its state, and the order in which its parts are visited.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammars::tree_sitter::Node;
use grammars::{Problem, SyntaxTree};
use rustc_hash::FxHashMap;

use crate::facts::{
    Binding, DefId, Definition, ExportPart, Expr, ExprId, FileFacts, MODULE, MODULE_SCOPE, Name,
    RawImport, RawReference, Scope, ScopeId, ScopeKind, Use,
};
use crate::occurrence::{ReferenceKind, Runs};
use crate::summary;
use crate::symbol::{ByteRange, Symbol, SymbolId, SymbolKind};

use super::definitions::{self, Links};
use super::nodes::children;

/// Code nested deeper than this is not looked at: the pass is recursive, and no stack is endless.
const DEEPEST: u32 = 400;

/// Reads all facts off a syntax tree.
pub(super) fn facts(path: &str, tree: &SyntaxTree) -> FileFacts {
    let mut pass = Pass::new(path, tree);
    pass.block(tree.root());
    pass.finish()
}

/// Reads the symbols alone off a syntax tree: the same pass, without a look at what makes none.
pub(super) fn symbols(path: &str, tree: &SyntaxTree) -> Vec<Symbol> {
    let mut pass = Pass::new(path, tree);
    pass.is_outline = true;
    pass.block(tree.root());
    pass.symbols
}

/// The expression every unknown value is.
pub(super) const UNKNOWN: ExprId = ExprId(0);
/// The expression every plain literal is.
pub(super) const LITERAL: ExprId = ExprId(1);

/// Where the pass stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The scope names are bound in.
    pub scope: ScopeId,
    /// The innermost symbol.
    pub symbol: DefId,
    /// The symbol whose execution evaluates this code.
    pub runner: DefId,
    /// The innermost class whose body this is, or whose method.
    pub class: Option<DefId>,
    /// The function whose `return` this would be.
    pub function: Option<DefId>,
    /// When the code runs.
    pub runs: Runs,
}

/// The state of the pass.
pub(super) struct Pass<'t> {
    pub tree: &'t SyntaxTree,
    pub place: Place,
    /// Added to every offset: where the text of a nested parse (an annotation in a string) starts.
    pub offset: usize,
    pub symbols: Vec<Symbol>,
    pub definitions: Vec<Definition>,
    pub links: Links,
    /// The symbols of assigned names by where the name starts.
    pub variables: FxHashMap<usize, DefId>,
    pub scopes: Vec<Scope>,
    pub expressions: Vec<Expr>,
    pub references: Vec<RawReference>,
    pub imports: Vec<RawImport>,
    pub exports: Vec<(ByteRange, Name)>,
    pub export_parts: Option<Vec<ExportPart>>,
    pub postponed_annotations: bool,
    problems: Vec<Problem>,
    depth: u32,
    /// Whether nothing is asked for but symbols.
    pub is_outline: bool,
}

impl<'t> Pass<'t> {
    fn new(path: &str, tree: &'t SyntaxTree) -> Self {
        let id = SymbolId::module(path);
        let place = Place {
            scope: MODULE_SCOPE,
            symbol: MODULE,
            runner: MODULE,
            class: None,
            function: None,
            runs: Runs::AtImport,
        };
        let mut pass = Self {
            tree,
            place,
            offset: 0,
            symbols: Vec::new(),
            definitions: Vec::new(),
            links: Links::default(),
            variables: FxHashMap::default(),
            scopes: Vec::new(),
            expressions: vec![Expr::Unknown, Expr::Literal],
            references: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            export_parts: None,
            postponed_annotations: false,
            problems: tree.text().problems().to_vec(),
            depth: 0,
            is_outline: false,
        };
        pass.open_scope(ScopeKind::Module, None);
        pass.symbols.push(definitions::module_symbol(&id, tree));
        pass.definitions
            .push(Definition::new(id, SymbolKind::Module, MODULE));
        pass.definitions[0].scope = Some(MODULE_SCOPE);
        pass
    }

    fn finish(mut self) -> FileFacts {
        self.problems
            .extend(self.tree.error_ranges().into_iter().map(syntax_error));
        self.problems
            .sort_by_key(|problem| (problem.range.start, problem.range.end));
        self.references
            .sort_by_key(|reference| (reference.start, reference.end));
        let mut facts = FileFacts {
            summary: Arc::new(summary::empty(self.tree.language())),
            symbols: Arc::new(self.symbols),
            problems: Arc::new(self.problems),
            scopes: self.scopes,
            definitions: self.definitions,
            expressions: self.expressions,
            references: self.references,
            imports: self.imports,
            exports: self.exports,
            own: Default::default(),
        };
        facts.summary = Arc::new(summary::of(&facts, self.tree.language(), self.export_parts));
        summary::drop_local_references(&mut facts);
        facts
    }

    /// Visits everything below a node, in order.
    pub fn block(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.visit(child);
        }
    }

    /// Visits one node, a statement or an expression, and says what value it has.
    pub fn visit(&mut self, node: Node<'_>) -> ExprId {
        self.read(node, ReferenceKind::Read)
    }

    /// Like [`Pass::visit`] for a node whose name is used in the given way.
    pub fn read(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        if self.depth == DEEPEST {
            self.problems.push(Problem {
                range: self.range(node),
                message: "nested too deeply; uses of names in here are not known".to_owned(),
            });
            return UNKNOWN;
        }
        self.depth += 1;
        let value = if self.makes_no_symbol(node) || self.statement(node) {
            UNKNOWN
        } else {
            self.expression(node, kind)
        };
        self.depth -= 1;
        value
    }

    /// Whether a node can be passed over if only symbols are asked for: an expression. In one that breaks
    /// the grammar there may be anything.
    pub fn makes_no_symbol(&self, node: Node<'_>) -> bool {
        self.is_outline && is_expression(node.kind()) && !node.has_error()
    }

    /// Does `work` somewhere else and comes back.
    pub fn at<T>(&mut self, place: Place, work: impl FnOnce(&mut Self) -> T) -> T {
        let here = std::mem::replace(&mut self.place, place);
        let result = work(self);
        self.place = here;
        result
    }

    /// The range of a node in the file.
    pub fn range(&self, node: Node<'_>) -> ByteRange {
        node.start_byte() + self.offset..node.end_byte() + self.offset
    }

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'t str {
        self.tree.text().slice(self.range(node))
    }

    /// The text of a node as a name.
    pub fn name(&self, node: Node<'_>) -> Name {
        Name::new(self.text(node))
    }

    /// Adds an expression.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        let id = ExprId(u32::try_from(self.expressions.len()).unwrap_or(0));
        self.expressions.push(expr);
        id
    }

    /// The expression with this id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        self.expressions
            .get(id.0 as usize)
            .unwrap_or(&Expr::Unknown)
    }

    /// One of several values.
    pub fn one_of(&mut self, mut values: Vec<ExprId>) -> ExprId {
        values.dedup();
        match values.as_slice() {
            [] => UNKNOWN,
            &[only] => only,
            _ => self.add(Expr::Union(values.into())),
        }
    }

    /// Adds a reference at a node.
    pub fn refer(&mut self, node: Node<'_>, kind: ReferenceKind, usage: Use) {
        let range = self.range(node);
        self.references.push(RawReference {
            start: u32::try_from(range.start).unwrap_or(u32::MAX),
            end: u32::try_from(range.end).unwrap_or(u32::MAX),
            from: self.place.symbol,
            runner: self.place.runner,
            kind,
            runs: self.place.runs,
            usage,
        });
    }

    /// Opens a scope inside `parent`.
    pub fn open_scope(&mut self, kind: ScopeKind, parent: Option<ScopeId>) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(0));
        self.scopes.push(Scope {
            kind,
            parent,
            names: BTreeMap::new(),
            elsewhere: BTreeMap::new(),
            stars: Vec::new(),
        });
        id
    }

    /// The scope with this id.
    pub fn scope(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id.0 as usize]
    }

    /// The definition with this id.
    pub fn definition(&mut self, id: DefId) -> &mut Definition {
        &mut self.definitions[id.0 as usize]
    }

    /// Binds a name where the pass stands, or where the scope says the name belongs.
    pub fn bind(&mut self, name: Name, binding: Binding) {
        let here = self.place.scope;
        let scope = self
            .scope(here)
            .elsewhere
            .get(&name)
            .copied()
            .unwrap_or(here);
        self.scope(scope)
            .names
            .entry(name)
            .or_default()
            .push(binding);
    }
}

/// Whether nodes of this kind hold no statement.
fn is_expression(kind: &str) -> bool {
    matches!(
        kind,
        "attribute"
            | "binary_operator"
            | "boolean_operator"
            | "call"
            | "comparison_operator"
            | "conditional_expression"
            | "dictionary"
            | "list"
            | "parameters"
            | "return_statement"
            | "string"
            | "concatenated_string"
            | "subscript"
            | "tuple"
            | "type"
    )
}

fn syntax_error(range: ByteRange) -> Problem {
    Problem {
        range,
        message: "this does not follow the grammar of the language".to_owned(),
    }
}
