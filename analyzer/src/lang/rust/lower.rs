//! From the syntax tree of a file to its items and symbols.

mod modules;
mod types;

use std::sync::Arc;

use grammars::rust::syntax::ast::{self, HasAttrs, HasDocComments, HasModuleItem, HasName};
use grammars::rust::syntax::{AstNode, SyntaxNode, WalkEvent};
use grammars::{Problem, SyntaxTree};
use rustc_hash::FxHashMap;

use self::types::generics;
use super::items::{Def, Facts, ItemKind, Items, Scope, ScopeIndex, Span, TypeRef};
use super::syntax::{self, plain, range, type_ref};
use crate::facts::{DefId, Definition, FileFacts, MODULE, Name};
use crate::lang::Own;
use crate::summary;
use crate::symbol::{ByteRange, Symbol, SymbolId, SymbolKind};

/// All facts of a file.
pub(super) fn facts(path: &str, tree: &SyntaxTree) -> FileFacts {
    let mut lower = Lower::new(path, tree);
    if let Some(file) = grammars::rust::source_file(tree) {
        let place = Place {
            scope: 0,
            container: MODULE,
            is_test: false,
        };
        lower.items(place, file.items());
    }
    lower.finish(tree)
}

/// Where an item stands.
#[derive(Clone, Copy)]
struct Place {
    scope: ScopeIndex,
    container: DefId,
    is_test: bool,
}

struct Lower {
    symbols: Vec<Symbol>,
    items: Items,
    spans: Vec<Span>,
    /// How often a link was given in a container.
    links: FxHashMap<(DefId, String), u32>,
    line_starts: Vec<usize>,
}

/// A symbol to be.
struct Declared {
    def: Def,
    kind: SymbolKind,
    full: ByteRange,
    focus: ByteRange,
    body: Option<ByteRange>,
    doc: Option<ByteRange>,
    is_test: bool,
    /// What marks the link: for a block of implementations, what it implements.
    mark: Option<Name>,
}

impl Lower {
    fn new(path: &str, tree: &SyntaxTree) -> Self {
        let text = tree.text().shadow();
        let id = SymbolId::module(path);
        let module = Symbol {
            id,
            kind: SymbolKind::Module,
            container: None,
            full: 0..text.len(),
            focus: 0..0,
            body: None,
            doc: None,
            is_test: false,
            line: 1,
        };
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let mut items = Items::default();
        items.scopes.push(Scope {
            is_module: true,
            parent: None,
            def: MODULE,
            declared: Vec::new(),
            modules: Vec::new(),
        });
        items.defs.push(def(Name::default(), ItemKind::Module));
        Self {
            symbols: vec![module],
            items,
            spans: Vec::new(),
            links: FxHashMap::default(),
            line_starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    fn finish(self, tree: &SyntaxTree) -> FileFacts {
        let mut problems: Vec<Problem> = tree.text().problems().to_vec();
        problems.extend(tree.error_ranges().into_iter().map(|range| Problem {
            range,
            message: "this does not follow the grammar of the language".to_owned(),
        }));
        problems.sort_by_key(|problem| (problem.range.start, problem.range.end));
        let definitions = self
            .symbols
            .iter()
            .zip(&self.items.defs)
            .map(|(symbol, def)| Definition::new(symbol.id.clone(), symbol.kind, def.container));
        let mut facts = FileFacts {
            summary: Arc::new(summary::empty(tree.language())),
            definitions: definitions.collect(),
            symbols: Arc::new(self.symbols),
            problems: Arc::new(problems),
            scopes: Vec::new(),
            expressions: Vec::new(),
            references: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            own: Own::Rust(Arc::new(Facts {
                items: Arc::new(self.items),
                spans: self.spans,
            })),
        };
        facts.summary = Arc::new(summary::of(&facts, tree.language(), None));
        facts
    }

    fn items(&mut self, place: Place, items: impl Iterator<Item = ast::Item>) {
        items.for_each(|item| self.item(place, item));
    }

    fn item(&mut self, place: Place, item: ast::Item) {
        match item {
            ast::Item::Const(it) => self.value(
                place,
                &it,
                it.ty(),
                it.underscore_token().map(|it| it.text_range()),
            ),
            ast::Item::Static(it) => self.value(place, &it, it.ty(), None),
            ast::Item::Enum(it) => self.enumeration(place, &it),
            ast::Item::ExternBlock(it) => {
                let place = Place {
                    is_test: place.is_test || syntax::is_test(&it),
                    ..place
                };
                let items = it.extern_item_list().into_iter();
                let items = items.flat_map(|list| list.extern_items());
                self.items(place, items.map(ast::Item::from));
            }
            ast::Item::ExternCrate(it) => self.extern_crate(place, &it),
            ast::Item::Fn(it) => self.function(place, &it),
            ast::Item::Impl(it) => self.implementation(place, &it),
            ast::Item::MacroDef(it) => self.macro_item(place, &it, true),
            ast::Item::MacroRules(it) => {
                let is_exported = it
                    .attrs()
                    .any(|attribute| attribute.simple_name().as_deref() == Some("macro_export"));
                self.macro_item(place, &it, is_exported);
            }
            ast::Item::Module(it) => self.module(place, &it),
            ast::Item::Struct(it) => self.structure(place, &it, it.field_list()),
            ast::Item::Union(it) => self.structure(
                place,
                &it,
                it.record_field_list().map(ast::FieldList::RecordFieldList),
            ),
            ast::Item::Trait(it) => self.trait_item(place, &it),
            ast::Item::TypeAlias(it) => self.alias(place, &it),
            ast::Item::Use(it) => self.use_item(place, &it),
            ast::Item::MacroCall(_) | ast::Item::AsmExpr(_) => {}
        }
    }

    /// Adds a symbol.
    fn declare(&mut self, place: Place, declared: Declared) -> DefId {
        let Declared { mut def, .. } = declared;
        let id = DefId(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX));
        let container = self.symbol(place.container).id.clone();
        let base = match &declared.mark {
            Some(mark) => format!("{}#{mark}", def.name),
            None => def.name.to_string(),
        };
        let count = self
            .links
            .entry((place.container, base.clone()))
            .and_modify(|count| *count += 1)
            .or_insert(1);
        let link = match (*count, &declared.mark) {
            (1, _) => base,
            (count, Some(_)) => format!("{base}{count}"),
            (count, None) => format!("{base}#{count}"),
        };
        let line = self
            .line_starts
            .partition_point(|start| *start <= declared.full.start);
        self.symbols.push(Symbol {
            id: container.member(&link),
            kind: declared.kind,
            container: Some(container),
            full: declared.full,
            focus: declared.focus,
            body: declared.body,
            doc: declared.doc,
            is_test: place.is_test || declared.is_test,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        def.scope = place.scope;
        def.container = place.container;
        self.items.defs.push(def);
        id
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ids are given out by `declare` only"
    )]
    fn symbol(&self, id: DefId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// Lets a name be seen in a scope.
    fn show(&mut self, scope: ScopeIndex, def: DefId) {
        if let Some(scope) = self.items.scopes.get_mut(scope as usize) {
            scope.declared.push(def);
        }
    }

    fn declared<T: HasName + HasAttrs + HasDocComments>(
        node: &T,
        kind: ItemKind,
        symbol: SymbolKind,
        body: Option<&SyntaxNode>,
    ) -> Option<Declared> {
        let name = node.name()?;
        Some(Declared {
            def: def(plain(name.text()), kind),
            kind: symbol,
            full: syntax::full(node.syntax()),
            focus: range(name.syntax()),
            body: body.map(range),
            doc: syntax::doc(node.syntax()),
            is_test: syntax::is_test(node),
            mark: None,
        })
    }

    fn add(&mut self, place: Place, declared: Declared) -> (DefId, Place) {
        let is_test = place.is_test || declared.is_test;
        let def = self.declare(place, declared);
        let inside = Place {
            container: def,
            is_test,
            ..place
        };
        (def, inside)
    }

    fn value<T: HasName + HasAttrs + HasDocComments>(
        &mut self,
        place: Place,
        node: &T,
        of: Option<ast::Type>,
        underscore: Option<grammars::rust::syntax::TextRange>,
    ) {
        let in_container = self.is_member(place);
        let kind = match in_container {
            true => SymbolKind::Field,
            false => SymbolKind::Variable,
        };
        let declared = match underscore {
            Some(blank) => Some(Declared {
                def: def(Name::new_static("_"), ItemKind::Value),
                kind,
                full: syntax::full(node.syntax()),
                focus: syntax::bytes(blank),
                body: None,
                doc: syntax::doc(node.syntax()),
                is_test: syntax::is_test(node),
                mark: None,
            }),
            None => Self::declared(node, ItemKind::Value, kind, None),
        };
        let Some(mut declared) = declared else { return };
        declared.def.of = type_ref(of);
        let value = node.syntax().children().find_map(ast::Expr::cast);
        declared.def.has_default = value.is_some();
        let (def, inside) = self.add(place, declared);
        if !in_container {
            self.show(place.scope, def);
        }
        if let Some(value) = value {
            self.body(inside, value.syntax());
        }
    }

    /// Whether a place is in a trait or a block of implementations.
    fn is_member(&self, place: Place) -> bool {
        let kind = self.items.defs.get(place.container.0 as usize);
        kind.is_some_and(|def| matches!(def.kind, ItemKind::Impl | ItemKind::Trait))
    }

    fn function(&mut self, place: Place, node: &ast::Fn) {
        let is_member = self.is_member(place);
        let kind = match is_member {
            true => SymbolKind::Method,
            false => SymbolKind::Function,
        };
        let body = node.body();
        let syntax = body.as_ref().map(|body| body.syntax());
        let Some(mut declared) = Self::declared(node, ItemKind::Function, kind, syntax) else {
            return;
        };
        let parameters = node.param_list();
        let def = &mut declared.def;
        def.has_self = parameters
            .as_ref()
            .is_some_and(|list| list.self_param().is_some());
        def.arity = parameters.as_ref().map_or(0, |list| {
            u32::try_from(list.params().count()).unwrap_or(u32::MAX)
        });
        def.of = match node.ret_type() {
            Some(result) => type_ref(result.ty()),
            None => TypeRef::Tuple(Vec::new()),
        };
        (def.generics, def.outer_bounds) = generics(node);
        def.has_default = body.is_some();
        let (def, inside) = self.add(place, declared);
        if !is_member {
            self.show(place.scope, def);
        }
        if let Some(body) = body {
            self.body(inside, body.syntax());
        }
    }

    /// The items inside a body.
    fn body(&mut self, place: Place, body: &SyntaxNode) {
        let mut scope = None;
        let mut walk = body.preorder();
        while let Some(event) = walk.next() {
            let WalkEvent::Enter(node) = event else {
                continue;
            };
            let is_item = ast::Item::can_cast(node.kind())
                && !ast::MacroCall::can_cast(node.kind())
                && !ast::AsmExpr::can_cast(node.kind());
            if let Some(item) = ast::Item::cast(node).filter(|_| is_item) {
                let scope = *scope.get_or_insert_with(|| self.open_body(place));
                self.item(Place { scope, ..place }, item);
                walk.skip_subtree();
            }
        }
    }

    fn open_body(&mut self, place: Place) -> ScopeIndex {
        let scope = self.open(false, place.scope, place.container);
        if let Some(def) = self.items.defs.get_mut(place.container.0 as usize) {
            def.body = Some(scope);
        }
        scope
    }

    fn open(&mut self, is_module: bool, parent: ScopeIndex, def: DefId) -> ScopeIndex {
        let scope = u32::try_from(self.items.scopes.len()).unwrap_or(u32::MAX);
        self.items.scopes.push(Scope {
            is_module,
            parent: Some(parent),
            def,
            declared: Vec::new(),
            modules: Vec::new(),
        });
        scope
    }
}

fn def(name: Name, kind: ItemKind) -> Def {
    Def {
        name,
        kind,
        is_value: false,
        scope: 0,
        container: MODULE,
        body: None,
        has_self: false,
        arity: 0,
        has_default: false,
        generics: Vec::new(),
        outer_bounds: Vec::new(),
        of: TypeRef::Unknown,
        traits: Vec::new(),
        derives: Vec::new(),
        is_exported: false,
    }
}
