//! The one pass over a syntax tree: its state, and the order in which its parts are visited.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammars::tree_sitter::Node;
use grammars::{Problem, SyntaxTree};
use rustc_hash::FxHashMap;

use crate::facts::{
    Binding, DefId, Definition, Expr, ExprId, FileFacts, MODULE, MODULE_SCOPE, Name, RawImport,
    RawReference, Scope, ScopeId, ScopeKind, Use,
};
use crate::occurrence::{ReferenceKind, Runs};
use crate::summary;
use crate::symbol::{ByteRange, Symbol, SymbolId, SymbolKind};

/// Code nested deeper than this is not looked at: the pass is recursive, and no stack is endless.
const DEEPEST: u32 = 300;

/// Reads all facts off a syntax tree.
pub(super) fn facts(path: &str, tree: &SyntaxTree) -> FileFacts {
    let mut pass = Pass::new(path, tree);
    pass.file(tree.root());
    pass.finish()
}

/// The expression every unknown value is.
pub(super) const UNKNOWN: ExprId = ExprId(0);
/// The expression everything is that is nothing of the project.
pub(super) const LITERAL: ExprId = ExprId(1);

/// Where the pass stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The innermost symbol.
    pub symbol: DefId,
    /// The symbol whose execution evaluates this code.
    pub runner: DefId,
    /// When the code runs.
    pub runs: Runs,
}

/// The state of the pass.
pub(super) struct Pass<'t> {
    pub tree: &'t SyntaxTree,
    pub is_test_file: bool,
    pub place: Place,
    pub package: Option<Name>,
    pub symbols: Vec<Symbol>,
    pub definitions: Vec<Definition>,
    /// How often each id was given out.
    pub links: FxHashMap<SymbolId, u32>,
    pub scopes: Vec<Scope>,
    /// What names mean inside functions, the innermost block last: a name of a function is known
    /// where it is used, because it is declared before.
    pub locals: Vec<FxHashMap<Name, ExprId>>,
    pub expressions: Vec<Expr>,
    pub references: Vec<RawReference>,
    pub imports: Vec<RawImport>,
    problems: Vec<Problem>,
    depth: u32,
}

impl<'t> Pass<'t> {
    fn new(path: &str, tree: &'t SyntaxTree) -> Self {
        let id = SymbolId::module(path);
        let mut pass = Self {
            tree,
            is_test_file: path.ends_with("_test.go"),
            place: Place {
                symbol: MODULE,
                runner: MODULE,
                runs: Runs::AtImport,
            },
            package: None,
            symbols: vec![module_symbol(&id, tree)],
            definitions: vec![Definition::new(id, SymbolKind::Module, MODULE)],
            links: FxHashMap::default(),
            scopes: Vec::new(),
            locals: Vec::new(),
            expressions: vec![Expr::Unknown, Expr::Literal],
            references: Vec::new(),
            imports: Vec::new(),
            problems: tree.text().problems().to_vec(),
            depth: 0,
        };
        let scope = pass.open_scope(ScopeKind::Module);
        pass.definition(MODULE).scope = Some(scope);
        pass
    }

    fn finish(mut self) -> FileFacts {
        self.problems
            .extend(self.tree.error_ranges().into_iter().map(syntax_error));
        self.problems
            .sort_by_key(|problem| (problem.range.start, problem.range.end));
        self.references
            .sort_by_key(|reference| (reference.start, reference.end));
        self.references.shrink_to_fit();
        self.expressions.shrink_to_fit();
        let mut facts = FileFacts {
            summary: Arc::new(summary::empty(self.tree.language())),
            symbols: Arc::new(self.symbols),
            problems: Arc::new(self.problems),
            scopes: self.scopes,
            definitions: self.definitions,
            expressions: self.expressions,
            references: self.references,
            imports: self.imports,
            exports: Vec::new(),
            own: Default::default(),
        };
        let mut summary = summary::of(&facts, self.tree.language(), None);
        summary.package = self.package;
        facts.summary = Arc::new(summary);
        facts
    }

    /// Does `work` one level deeper, unless that is too deep.
    pub fn deeper(&mut self, node: Node<'_>, work: impl FnOnce(&mut Self) -> ExprId) -> ExprId {
        if self.depth == DEEPEST {
            self.problems.push(Problem {
                range: node.byte_range(),
                message: "nested too deeply; uses of names in here are not known".to_owned(),
            });
            return UNKNOWN;
        }
        self.depth += 1;
        let value = work(self);
        self.depth -= 1;
        value
    }

    /// Does `work` somewhere else and comes back.
    pub fn at<T>(&mut self, place: Place, work: impl FnOnce(&mut Self) -> T) -> T {
        let here = std::mem::replace(&mut self.place, place);
        let result = work(self);
        self.place = here;
        result
    }

    /// Does `work` in a block of its own.
    pub fn in_block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push(FxHashMap::default());
        let result = work(self);
        self.locals.pop();
        result
    }

    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> &'t str {
        self.tree.text().slice(node.byte_range())
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

    /// A value of a type.
    pub fn instance(&mut self, of: ExprId) -> ExprId {
        self.add(Expr::Instance(of))
    }

    /// What a name of a function means, if it is one.
    pub fn local(&self, name: &str) -> Option<ExprId> {
        self.locals
            .iter()
            .rev()
            .find_map(|block| block.get(name))
            .copied()
    }

    /// Gives a name of a function its meaning.
    pub fn bind(&mut self, name: Node<'_>, value: ExprId) {
        let name = self.name(name);
        if let Some(block) = self.locals.last_mut()
            && name != "_"
        {
            block.insert(name, value);
        }
    }

    /// Uses a name that is none of the function's.
    pub fn refer_name(&mut self, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let name = self.name(node);
        let expr = self.add(Expr::Name(MODULE_SCOPE, name));
        self.refer(node, kind, Use::Named(expr));
        expr
    }

    /// Uses a member of an object.
    pub fn refer_member(&mut self, object: ExprId, node: Node<'_>, kind: ReferenceKind) -> ExprId {
        let name = self.name(node);
        let expr = self.add(Expr::Attribute(object, name));
        if object != LITERAL {
            self.refer(node, kind, Use::Named(expr));
        }
        expr
    }

    /// Adds a reference at a node.
    pub fn refer(&mut self, node: Node<'_>, kind: ReferenceKind, usage: Use) {
        self.references.push(RawReference {
            start: u32::try_from(node.start_byte()).unwrap_or(u32::MAX),
            end: u32::try_from(node.end_byte()).unwrap_or(u32::MAX),
            from: self.place.symbol,
            runner: self.place.runner,
            kind,
            runs: self.place.runs,
            usage,
        });
    }

    /// Opens a scope.
    pub fn open_scope(&mut self, kind: ScopeKind) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(0));
        self.scopes.push(Scope {
            kind,
            parent: None,
            names: BTreeMap::new(),
            elsewhere: BTreeMap::new(),
            stars: Vec::new(),
        });
        id
    }

    /// Binds a name in a scope of the file.
    pub fn bind_in(&mut self, scope: ScopeId, name: Name, binding: Binding) {
        if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
            scope.names.entry(name).or_default().push(binding);
        }
    }

    /// The definition with this id.
    pub fn definition(&mut self, id: DefId) -> &mut Definition {
        &mut self.definitions[id.0 as usize]
    }
}

fn module_symbol(id: &SymbolId, tree: &SyntaxTree) -> Symbol {
    Symbol {
        id: id.clone(),
        kind: SymbolKind::Module,
        container: None,
        full: 0..tree.text().len(),
        focus: 0..0,
        body: None,
        doc: None,
        is_test: false,
        line: 1,
    }
}

fn syntax_error(range: ByteRange) -> Problem {
    Problem {
        range,
        message: "this does not follow the grammar of the language".to_owned(),
    }
}
