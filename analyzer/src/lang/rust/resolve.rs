//! From the syntax tree of a file and the map of the project to what each name means.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use grammars::rust::syntax::ast::{self, HasName};
use grammars::rust::syntax::{AstNode, SyntaxNode, SyntaxToken};
use rustc_hash::FxHashMap;

use super::items::{Facts, ItemKind};
use super::map::{MACROS, Map, ModuleId, Sym, TYPES, map};
use super::members::{Members, members};
use super::syntax;
use super::types::{Env, Ty, World};
use crate::database::{self, Db, SourceFile};
use crate::facts::{DefId, FileFacts, MODULE, Name};
use crate::lang::Own;
use crate::occurrence::{Reference, ReferenceKind, Runs};
use crate::resolution::{Detail, Resolution};
use crate::symbol::SymbolId;

/// Resolves all names of a file.
pub(super) fn resolve(db: &dyn Db, file: SourceFile) -> Resolution {
    let facts = database::facts(db, file);
    let (map, members) = (map(db), members(db));
    let (Own::Rust(own), Some(index)) = (&facts.own, map.file(file.path(db))) else {
        return Resolution::default();
    };
    let tree = grammars::parse(file.language(db), file.text(db));
    let mut walk = Walk::new(&map, &members, index, &facts, own);
    let source = grammars::rust::source_file(&tree);
    if let Some(source) = &source {
        walk.children(source.syntax());
    }
    super::relations::implicit(&mut walk);
    let imports = super::imports::imports(&mut walk);
    let links = super::links::links(&mut walk, source.as_ref(), tree.text());
    let mut resolution = super::relations::relations(&walk);
    let mut found = walk.found;
    found.sort_by_key(|(reference, _)| (reference.range.start, reference.range.end));
    let (references, details) = found.into_iter().unzip();
    resolution.references = Arc::new(references);
    resolution.details = details;
    resolution.imports = Arc::new(imports);
    resolution.links = Arc::new(links);
    resolution
}

/// Where the walk is.
#[derive(Clone)]
pub(super) struct Place {
    /// The symbol around it.
    pub from: DefId,
    pub runs: Runs,
    /// The scope of the file.
    pub scope: u32,
    pub env: Env,
}

/// One pass over the exact tree.
pub(super) struct Walk<'w> {
    pub map: &'w Map,
    pub members: &'w Members,
    pub file: u32,
    pub facts: &'w FileFacts,
    pub own: &'w Facts,
    pub place: Place,
    /// How far the file is ahead of the tree that is walked over (it wraps around below zero).
    pub offset: usize,
    /// Whether that tree is of an argument of a macro.
    pub is_quoted: bool,
    /// Names of values in a body, innermost last.
    pub locals: Vec<(Name, Ty)>,
    pub found: Vec<(Reference, Detail)>,
    by_focus: FxHashMap<usize, DefId>,
    /// Imports by the traits of the project that they bring, with their scopes.
    pub traits: FxHashMap<Sym, Vec<(u32, u32)>>,
    /// Imports of what may be a trait of other code, with their scopes and names.
    pub foreign_traits: Vec<(u32, u32, Name)>,
    /// Imports that a symbol has used without naming them.
    pub implied: BTreeSet<(DefId, u32)>,
    pub depth: u32,
}

/// What a name means: what is sure, and what only has the name.
#[derive(Clone, Debug, Default)]
pub(super) struct Meant {
    pub sure: Vec<Sym>,
    pub named: Vec<Sym>,
    /// The imports of this file that lead there.
    pub imports: Vec<u32>,
}

impl<'w> Walk<'w> {
    fn new(
        map: &'w Map,
        members: &'w Members,
        file: u32,
        facts: &'w FileFacts,
        own: &'w Facts,
    ) -> Self {
        let by_focus = (0..)
            .map(DefId)
            .zip(facts.symbols.iter())
            .skip(1)
            .map(|(id, symbol)| (symbol.focus.start, id));
        let mut walk = Self {
            map,
            members,
            file,
            facts,
            own,
            place: Place {
                from: MODULE,
                runs: Runs::Never,
                scope: 0,
                env: Env::default(),
            },
            offset: 0,
            is_quoted: false,
            locals: Vec::new(),
            found: Vec::new(),
            by_focus: by_focus.collect(),
            traits: FxHashMap::default(),
            foreign_traits: Vec::new(),
            implied: BTreeSet::new(),
            depth: 0,
        };
        walk.index_traits();
        walk
    }

    pub fn world(&self) -> World<'w> {
        World {
            map: self.map,
            members: self.members,
        }
    }

    pub fn bases(&self) -> Vec<ModuleId> {
        let file = self.map.files.get(self.file as usize);
        file.map(|file| file.bases.clone()).unwrap_or_default()
    }

    /// The modules that a scope of this file is.
    pub fn modules(&self) -> Vec<ModuleId> {
        let scope = self.place.scope;
        self.bases().into_iter().map(|base| base + scope).collect()
    }

    /// The first of them.
    pub fn at(&self) -> ModuleId {
        self.modules().first().copied().unwrap_or_default()
    }

    pub fn sym(&self, def: DefId) -> Sym {
        Sym {
            file: self.file,
            def,
        }
    }

    pub fn range(&self, node: &SyntaxNode) -> Range<usize> {
        let range = syntax::range(node);
        range.start.wrapping_add(self.offset)..range.end.wrapping_add(self.offset)
    }

    pub fn token_range(&self, token: &SyntaxToken) -> Range<usize> {
        let range = syntax::bytes(token.text_range());
        range.start.wrapping_add(self.offset)..range.end.wrapping_add(self.offset)
    }

    /// Visits what is below a node.
    pub fn children(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            self.node(&child);
        }
    }

    /// Visits a node.
    pub fn node(&mut self, node: &SyntaxNode) {
        self.depth += 1;
        if self.depth > 300 {
            // Too deep to go on; what is there counts all the same.
            self.tokens_of(node);
        } else {
            self.node_within(node);
        }
        self.depth -= 1;
    }

    fn node_within(&mut self, node: &SyntaxNode) {
        if let Some(call) = ast::MacroCall::cast(node.clone()) {
            return self.macro_call(&call);
        }
        if let Some(expression) = ast::Expr::cast(node.clone()) {
            self.expression(&expression);
            return;
        }
        if let Some(item) = ast::Item::cast(node.clone()) {
            return self.item(&item);
        }
        if let Some(pattern) = ast::Pat::cast(node.clone()) {
            return self.pattern(&pattern, &Ty::Unknown);
        }
        if let Some(path) = ast::Path::cast(node.clone()) {
            self.path(&path, TYPES, ReferenceKind::Annotation);
            return;
        }
        if let Some(attribute) = ast::Attr::cast(node.clone()) {
            return self.attribute(&attribute);
        }
        if let Some(member) = ast::AnyHasName::cast(node.clone())
            && (ast::RecordField::can_cast(node.kind()) || ast::Variant::can_cast(node.kind()))
        {
            return self.within(&member, |walk| walk.children(node));
        }
        self.children(node);
    }

    /// Visits something as part of the symbol that it is.
    fn within(&mut self, node: &impl HasName, visit: impl FnOnce(&mut Self)) {
        let start = node.name().map(|name| self.range(name.syntax()).start);
        self.in_symbol(start, visit);
    }

    fn in_symbol(&mut self, start: Option<usize>, visit: impl FnOnce(&mut Self)) {
        let def = start
            .filter(|_| !self.is_quoted)
            .and_then(|start| self.by_focus.get(&start).copied());
        let Some(def) = def else { return visit(self) };
        let sym = self.sym(def);
        let mut inside = self.place.clone();
        inside.from = def;
        if let Some(found) = self.map.def(sym) {
            inside.scope = found.scope;
            if found.kind != ItemKind::Field {
                inside.env = self.world().env(sym, &inside.env);
            }
        }
        let outer = std::mem::replace(&mut self.place, inside);
        visit(self);
        self.place = outer;
    }

    /// Goes into the scope of the items in the body of the present symbol.
    fn enter_body(&mut self) {
        let body = self
            .map
            .def(self.sym(self.place.from))
            .and_then(|it| it.body);
        if let Some(scope) = body {
            self.place.scope = scope;
        }
    }

    fn item(&mut self, item: &ast::Item) {
        // What is around an item does not see into it, and the other way round.
        let locals = std::mem::take(&mut self.locals);
        let runs = std::mem::replace(&mut self.place.runs, Runs::Never);
        let outer = std::mem::take(&mut self.place.env);
        let is_member = self
            .map
            .def(self.sym(self.place.from))
            .is_some_and(|def| matches!(def.kind, ItemKind::Impl | ItemKind::Trait));
        if is_member {
            self.place.env.clone_from(&outer);
        }
        match item {
            ast::Item::Use(_) | ast::Item::ExternCrate(_) => {}
            ast::Item::Fn(it) => self.within(it, |walk| walk.function(it)),
            ast::Item::Impl(it) => {
                let start = it.self_ty().map(|of| self.range(of.syntax()).start);
                self.in_symbol(start, |walk| walk.implementation(it));
            }
            ast::Item::Module(it) => self.within(it, |walk| {
                if it.item_list().is_some() {
                    walk.enter_body();
                }
                walk.children(it.syntax());
            }),
            ast::Item::Const(it) => {
                let blank = it.underscore_token().map(|it| self.token_range(&it).start);
                let named = it.name().map(|name| self.range(name.syntax()).start);
                self.in_symbol(named.or(blank), |walk| walk.value(it.syntax()));
            }
            ast::Item::Static(it) => self.within(it, |walk| walk.value(it.syntax())),
            ast::Item::MacroRules(it) => self.within(it, |walk| walk.rules(it.syntax())),
            ast::Item::MacroDef(it) => self.within(it, |walk| walk.rules(it.syntax())),
            ast::Item::Trait(it) => self.within(it, |walk| walk.trait_item(it)),
            ast::Item::Struct(it) => self.within(it, |walk| walk.children(it.syntax())),
            ast::Item::Enum(it) => self.within(it, |walk| walk.children(it.syntax())),
            ast::Item::Union(it) => self.within(it, |walk| walk.children(it.syntax())),
            ast::Item::TypeAlias(it) => self.within(it, |walk| walk.children(it.syntax())),
            ast::Item::MacroCall(_) | ast::Item::AsmExpr(_) | ast::Item::ExternBlock(_) => {
                self.children(item.syntax());
            }
        }
        self.locals = locals;
        self.place.runs = runs;
        self.place.env = outer;
    }

    fn implementation(&mut self, node: &ast::Impl) {
        let implemented = node.trait_();
        for child in node.syntax().children() {
            let is_trait = implemented.as_ref().is_some_and(|it| *it.syntax() == child);
            match ast::PathType::cast(child.clone()).and_then(|of| of.path()) {
                Some(path) if is_trait => {
                    self.path(&path, TYPES, ReferenceKind::Base);
                }
                _ => self.node(&child),
            }
        }
    }

    fn trait_item(&mut self, node: &ast::Trait) {
        self.children(node.syntax());
    }

    fn function(&mut self, node: &ast::Fn) {
        let body = node.body();
        for child in node.syntax().children() {
            match &body {
                Some(body) if *body.syntax() == child => {}
                _ if ast::ParamList::can_cast(child.kind()) => {}
                _ => self.node(&child),
            }
        }
        if let Some(parameters) = node.param_list() {
            self.parameters(&parameters, &[]);
        }
        if let Some(body) = body {
            self.enter_body();
            self.place.runs = Runs::WhenCalled;
            self.expression(&ast::Expr::BlockExpr(body));
        }
    }

    /// Binds the names of parameters; `known` are types that the place gives them.
    pub fn parameters(&mut self, list: &ast::ParamList, known: &[Ty]) {
        if let Some(this) = list.self_param() {
            let of = self.place.env.this.clone();
            self.locals.push((Name::new_static("self"), of));
            self.children(this.syntax());
        }
        for (index, parameter) in list.params().enumerate() {
            let declared = match parameter.ty() {
                Some(of) => {
                    self.node(of.syntax());
                    self.type_of(Some(of))
                }
                None => known.get(index).cloned().unwrap_or_default(),
            };
            for attribute in parameter.syntax().children().filter_map(ast::Attr::cast) {
                self.attribute(&attribute);
            }
            if let Some(pattern) = parameter.pat() {
                self.pattern(&pattern, &declared);
            }
        }
    }

    /// What a written type is here.
    pub fn type_of(&self, of: Option<ast::Type>) -> Ty {
        let of = syntax::type_ref(of);
        self.world().ty(&of, self.at(), &self.place.env)
    }

    /// A constant: its value is worked out when it is used.
    fn value(&mut self, node: &SyntaxNode) {
        self.enter_body();
        for child in node.children() {
            if ast::Expr::can_cast(child.kind()) {
                self.place.runs = Runs::WhenCalled;
            }
            self.node(&child);
        }
    }

    fn rules(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            if ast::TokenTree::can_cast(child.kind()) {
                self.place.runs = Runs::WhenCalled;
                self.tokens_of(&child);
            } else {
                self.node(&child);
            }
        }
    }

    fn attribute(&mut self, attribute: &ast::Attr) {
        let Some(meta) = attribute.meta() else { return };
        if let ast::Meta::CfgMeta(_) = meta {
            return;
        }
        if let Some(path) = meta.path() {
            self.path(&path, MACROS | TYPES, ReferenceKind::Decorator);
        }
        for child in meta.syntax().children() {
            let is_argument = ast::TokenTree::can_cast(child.kind())
                || ast::Meta::can_cast(child.kind())
                || ast::Expr::can_cast(child.kind());
            if is_argument {
                self.decorating(&child);
            }
        }
    }

    /// Whether a name is one of a local value.
    pub fn local(&self, name: &str) -> Option<&Ty> {
        let mut locals = self.locals.iter().rev();
        locals.find(|(known, _)| known == name).map(|(_, of)| of)
    }

    /// The id of the symbol that the walk is in.
    pub fn id_of(&self, def: DefId) -> Option<&SymbolId> {
        self.facts.symbols.get(def.0 as usize).map(|it| &it.id)
    }
}
