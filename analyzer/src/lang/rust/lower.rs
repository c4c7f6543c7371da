//! From the syntax tree of a file to its items and symbols.

use std::sync::Arc;

use grammars::rust::syntax::ast::{
    self, HasAttrs, HasDocComments, HasGenericParams, HasModuleItem, HasName, HasTypeBounds,
    HasVisibility,
};
use grammars::rust::syntax::{AstNode, SyntaxNode, WalkEvent};
use grammars::{Problem, SyntaxTree};
use rustc_hash::FxHashMap;

use super::items::{
    Bounds, Def, Facts, Import, ItemKind, Items, Path, Scope, ScopeIndex, Source, Span, TypeRef,
};
use super::syntax::{self, bound_refs, plain, range, type_ref};
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

    fn module(&mut self, place: Place, node: &ast::Module) {
        let Some(list) = node.item_list() else {
            return self.file_module(place, node);
        };
        let body = Some(list.syntax());
        let Some(declared) = Self::declared(node, ItemKind::Module, SymbolKind::Namespace, body)
        else {
            return;
        };
        let name = declared.def.name.clone();
        let (def, inside) = self.add(place, declared);
        let scope = self.open(true, place.scope, def);
        if let Some(def) = self.items.defs.get_mut(def.0 as usize) {
            def.body = Some(scope);
        }
        if let Some(outer) = self.items.scopes.get_mut(place.scope as usize) {
            outer.modules.push((name, scope));
        }
        self.items(Place { scope, ..inside }, list.items());
    }

    /// `mod name;`
    fn file_module(&mut self, place: Place, node: &ast::Module) {
        let Some(name) = node.name() else { return };
        let path = node.attrs().find_map(|attribute| match attribute.meta()? {
            ast::Meta::KeyValueMeta(meta)
                if meta.path().as_ref().and_then(syntax::last_name)? == "path" =>
            {
                let text = meta.expr()?.syntax().text().to_string();
                Some(Name::new(text.trim_matches('"')))
            }
            _ => None,
        });
        let name = plain(name.text());
        let full = syntax::full(node.syntax());
        self.import(
            place,
            node.syntax(),
            full,
            name.clone(),
            Source::File(name, path),
            node.visibility().is_some(),
        );
    }

    fn extern_crate(&mut self, place: Place, node: &ast::ExternCrate) {
        let Some(name) = node.name_ref() else { return };
        let name = syntax::name(&name);
        let bound = match node.rename() {
            Some(rename) => renamed(&rename),
            None => name.clone(),
        };
        let full = syntax::full(node.syntax());
        self.import(
            place,
            node.syntax(),
            full,
            bound,
            Source::Crate(name),
            node.visibility().is_some(),
        );
    }

    fn use_item(&mut self, place: Place, node: &ast::Use) {
        if let Some(tree) = node.use_tree() {
            self.use_tree(place, node, &tree, Path::new());
        }
    }

    fn use_tree(&mut self, place: Place, node: &ast::Use, tree: &ast::UseTree, mut path: Path) {
        let own = tree.path();
        path.extend(own.as_ref().and_then(syntax::path_of).unwrap_or_default());
        if path.is_empty() && tree.coloncolon_token().is_some() {
            path.push(Name::default());
        }
        if let Some(list) = tree.use_tree_list() {
            for tree in list.use_trees() {
                self.use_tree(place, node, &tree, path.clone());
            }
            return;
        }
        let is_self = path.len() > 1 && path.last().is_some_and(|last| last == "self");
        if is_self {
            path.pop();
        }
        let bound = match (tree.star_token(), tree.rename()) {
            (Some(_), _) => Name::new_static("*"),
            (None, Some(rename)) => renamed(&rename),
            (None, None) => path.last().cloned().unwrap_or_default(),
        };
        self.import(
            place,
            node.syntax(),
            range(tree.syntax()),
            bound,
            Source::Path(path),
            node.visibility().is_some(),
        );
    }

    fn import(
        &mut self,
        place: Place,
        statement: &SyntaxNode,
        item: ByteRange,
        bound: Name,
        source: Source,
        is_public: bool,
    ) {
        self.items.imports.push(Import {
            scope: place.scope,
            bound,
            source,
            is_public,
        });
        self.spans.push(Span {
            statement: syntax::full(statement),
            item,
            from: place.container,
        });
    }

    fn structure<T: HasName + HasAttrs + HasDocComments + HasGenericParams>(
        &mut self,
        place: Place,
        node: &T,
        fields: Option<ast::FieldList>,
    ) {
        let body = fields.as_ref().map(|fields| fields.syntax().clone());
        let Some(mut declared) =
            Self::declared(node, ItemKind::Struct, SymbolKind::Class, body.as_ref())
        else {
            return;
        };
        declared.def.is_value = !matches!(fields, Some(ast::FieldList::RecordFieldList(_)));
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.derives = derives(node);
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        self.fields(inside, fields);
    }

    fn fields(&mut self, place: Place, fields: Option<ast::FieldList>) {
        let Some(ast::FieldList::RecordFieldList(fields)) = fields else {
            return self.positional_fields(place, fields);
        };
        for field in fields.fields() {
            let declared = Self::declared(&field, ItemKind::Field, SymbolKind::Field, None);
            if let Some(mut declared) = declared {
                declared.def.of = type_ref(field.ty());
                self.add(place, declared);
            }
        }
    }

    /// Fields without names are no symbols, but their types are worth knowing: they are kept as the
    /// types of what holds them.
    fn positional_fields(&mut self, place: Place, fields: Option<ast::FieldList>) {
        let Some(ast::FieldList::TupleFieldList(fields)) = fields else {
            return;
        };
        let types = fields.fields().map(|field| type_ref(field.ty())).collect();
        if let Some(def) = self.items.defs.get_mut(place.container.0 as usize) {
            def.of = TypeRef::Tuple(types);
        }
    }

    fn enumeration(&mut self, place: Place, node: &ast::Enum) {
        let list = node.variant_list();
        let body = list.as_ref().map(|list| list.syntax());
        let Some(mut declared) = Self::declared(node, ItemKind::Enum, SymbolKind::Class, body)
        else {
            return;
        };
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.derives = derives(node);
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        for variant in list.into_iter().flat_map(|list| list.variants()) {
            let fields = variant.field_list();
            let Some(mut declared) =
                Self::declared(&variant, ItemKind::Variant, SymbolKind::Field, None)
            else {
                continue;
            };
            declared.def.is_value = !matches!(fields, Some(ast::FieldList::RecordFieldList(_)));
            let (_, inside) = self.add(inside, declared);
            self.fields(inside, fields);
        }
    }

    fn trait_item(&mut self, place: Place, node: &ast::Trait) {
        let list = node.assoc_item_list();
        let body = list.as_ref().map(|list| list.syntax());
        let Some(mut declared) = Self::declared(node, ItemKind::Trait, SymbolKind::Class, body)
        else {
            return;
        };
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.traits = bound_refs(node.type_bound_list());
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        let items = list.into_iter().flat_map(|list| list.assoc_items());
        self.items(inside, items.map(ast::Item::from));
    }

    fn alias(&mut self, place: Place, node: &ast::TypeAlias) {
        let Some(mut declared) = Self::declared(node, ItemKind::Alias, SymbolKind::Class, None)
        else {
            return;
        };
        declared.def.of = type_ref(node.ty());
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.has_default = node.ty().is_some();
        let (def, _) = self.add(place, declared);
        if !self.is_member(place) {
            self.show(place.scope, def);
        }
    }

    fn macro_item<T: HasName + HasAttrs + HasDocComments>(
        &mut self,
        place: Place,
        node: &T,
        is_exported: bool,
    ) {
        let body = node
            .syntax()
            .children()
            .find(|child| ast::TokenTree::can_cast(child.kind()));
        let declared = Self::declared(node, ItemKind::Macro, SymbolKind::Macro, body.as_ref());
        if let Some(mut declared) = declared {
            declared.def.is_exported = is_exported;
            let (def, _) = self.add(place, declared);
            self.show(place.scope, def);
        }
    }

    fn implementation(&mut self, place: Place, node: &ast::Impl) {
        let (of, implemented) = (node.self_ty(), node.trait_());
        let Some(focus) = of.as_ref().map(|of| range(of.syntax())) else {
            return;
        };
        let (of, implemented) = (type_ref(of), implemented.map(|it| type_ref(Some(it))));
        let list = node.assoc_item_list();
        let mut def = def(type_name(&of), ItemKind::Impl);
        (def.generics, def.outer_bounds) = generics(node);
        def.of = of;
        let mark = implemented
            .as_ref()
            .map_or(Name::new_static("impl"), type_name);
        def.traits.extend(implemented);
        let declared = Declared {
            def,
            kind: SymbolKind::Implementation,
            full: syntax::full(node.syntax()),
            focus,
            body: list.as_ref().map(|list| range(list.syntax())),
            doc: syntax::doc(node.syntax()),
            is_test: syntax::is_test(node),
            mark: Some(mark),
        };
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        let items = list.into_iter().flat_map(|list| list.assoc_items());
        self.items(inside, items.map(ast::Item::from));
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

fn renamed(rename: &ast::Rename) -> Name {
    match rename.name() {
        Some(name) => plain(name.text()),
        None => Name::new_static("_"),
    }
}

/// What a type is called in the id of a block of implementations.
fn type_name(of: &TypeRef) -> Name {
    match of {
        TypeRef::Path(path, _) => path.last().cloned().unwrap_or_default(),
        TypeRef::Slice(_) => Name::new_static("slice"),
        TypeRef::Tuple(_) => Name::new_static("tuple"),
        TypeRef::Function(_) => Name::new_static("fn"),
        TypeRef::Bounds(bounds) => bounds.first().map(type_name).unwrap_or_default(),
        TypeRef::Unknown => Name::new_static("type"),
    }
}

/// The type parameters of an item and their bounds, those of the where clause included; and what the
/// clause says about other names.
fn generics(node: &impl HasGenericParams) -> (Bounds, Bounds) {
    let list = node.generic_param_list().into_iter();
    let parameters = list.flat_map(|list| list.generic_params());
    let (mut generics, mut others) = (Bounds::new(), Bounds::new());
    for parameter in parameters {
        if let ast::GenericParam::TypeParam(parameter) = parameter
            && let Some(name) = parameter.name()
        {
            let bounds = bound_refs(parameter.type_bound_list());
            generics.push((plain(name.text()), bounds));
        }
    }
    let clauses = node
        .where_clause()
        .into_iter()
        .flat_map(|it| it.predicates());
    for clause in clauses {
        if let TypeRef::Path(path, arguments) = type_ref(clause.ty())
            && let ([name], []) = (path.as_slice(), arguments.as_slice())
        {
            let bounds = bound_refs(clause.type_bound_list());
            match generics.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.extend(bounds),
                None => others.push((name.clone(), bounds)),
            }
        }
    }
    (generics, others)
}

/// The names in `#[derive(…)]`.
fn derives(node: &impl HasAttrs) -> Vec<Name> {
    let derived = node
        .attrs()
        .filter_map(|attribute| attribute.as_simple_call());
    let derived = derived.filter(|(name, _)| name == "derive");
    let tokens = derived.flat_map(|(_, tokens)| {
        let tokens = tokens.syntax().descendants_with_tokens();
        tokens.filter_map(|element| element.into_token())
    });
    tokens
        .filter(|token| token.kind() == grammars::rust::syntax::SyntaxKind::IDENT)
        .map(|token| plain(token.text()))
        .collect()
}
