//! From the syntax tree of a file and the map of the project to what each name means.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use grammars::rust::syntax::ast::{self, HasName};
use grammars::rust::syntax::{AstNode, SyntaxNode, SyntaxToken};
use rustc_hash::FxHashMap;

use super::items::{Facts, ItemKind};
use super::map::{ALL, Hit, MACROS, Map, Meaning, ModuleId, Sym, TYPES, VALUES, map};
use super::members::{Members, members};
use super::syntax::{self, plain, segment_name, segments};
use super::types::{Env, Ty, World};
use crate::database::{self, Db, SourceFile};
use crate::facts::{DefId, FileFacts, MODULE, Name};
use crate::lang::Own;
use crate::occurrence::{Confidence, Reference, ReferenceKind, Runs, Target};
use crate::resolution::{ByName, Detail, Resolution};
use crate::symbol::SymbolId;

/// Names with more definitions than this go through the node of the name in the graph.
const MANY: usize = 16;

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
    traits: FxHashMap<Sym, Vec<(u32, u32)>>,
    /// Imports of what may be a trait of other code, with their scopes and names.
    foreign_traits: Vec<(u32, u32, Name)>,
    /// Imports that a symbol has used without naming them.
    implied: BTreeSet<(DefId, u32)>,
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

    fn index_traits(&mut self) {
        for base in self.bases() {
            for (scope, _) in (0..).zip(&self.own.items.scopes) {
                let Some(module) = self.map.module(base + scope) else {
                    continue;
                };
                for (name, entry) in module
                    .names
                    .iter()
                    .flat_map(|(name, entries)| entries.iter().map(move |entry| (name, entry)))
                {
                    let Some(import) = entry.import else { continue };
                    match entry.meaning {
                        Meaning::Item(sym)
                            if self
                                .map
                                .def(sym)
                                .is_some_and(|def| def.kind == ItemKind::Trait) =>
                        {
                            let known = self.traits.entry(sym).or_default();
                            if !known.contains(&(scope, import)) {
                                known.push((scope, import));
                            }
                        }
                        Meaning::Foreign
                            if name.starts_with(|c: char| c.is_uppercase() || c == '_') =>
                        {
                            let source = super::imports::last_name(self.own, import);
                            let known = (scope, import, source);
                            if !self.foreign_traits.contains(&known) {
                                self.foreign_traits.push(known);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
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

    /// Visits a path. Returns what its last segment means and the type that it is a member of.
    pub fn path(&mut self, path: &ast::Path, spaces: u8, kind: ReferenceKind) -> (Meant, Ty) {
        let segments = segments(path);
        let mut names: Vec<(Name, Range<usize>)> = Vec::new();
        let mut anchor = None;
        for segment in &segments {
            for child in segment.syntax().children() {
                if !ast::NameRef::can_cast(child.kind()) {
                    self.node(&child);
                }
            }
            if segment.coloncolon_token().is_some() && names.is_empty() && anchor.is_none() {
                names.push((Name::default(), 0..0));
            }
            match segment_name(segment) {
                Some(name) => {
                    let range = segment.name_ref().map(|it| self.range(it.syntax()));
                    names.push((name, range.unwrap_or_default()));
                }
                None => {
                    let found = segment.type_anchor();
                    anchor = found.map(|it| {
                        let of = self.type_of(it.ty());
                        let paths = it.syntax().children().filter_map(ast::PathType::cast);
                        let implemented = it.as_token().and_then(|_| paths.last());
                        let implemented = implemented.map(ast::Type::PathType);
                        let is_of_trait = implemented.is_some();
                        match (self.type_of(implemented), of) {
                            (Ty::Bounds(traits), Ty::Own(sym, arguments)) => {
                                Base::As(Ty::Own(sym, arguments), traits)
                            }
                            (Ty::Bounds(traits), _) => Base::Type(Ty::Bounds(traits)),
                            (_, of @ Ty::Own(..)) if is_of_trait => Base::As(of, Vec::new()),
                            (_, of) => Base::Type(of),
                        }
                    });
                }
            }
        }
        self.named_path(&names, anchor, spaces, kind)
    }

    /// The same for names with their ranges.
    pub fn named_path(
        &mut self,
        names: &[(Name, Range<usize>)],
        anchor: Option<Base>,
        spaces: u8,
        kind: ReferenceKind,
    ) -> (Meant, Ty) {
        let plain: Vec<Name> = names.iter().map(|(name, _)| name.clone()).collect();
        let mut steps = self.follow(&plain, anchor, spaces);
        let last = steps.pop();
        for (index, found, _) in &steps {
            self.note(names, *index, ReferenceKind::Read, found);
        }
        let Some((index, meant, of)) = last else {
            return Default::default();
        };
        self.note(names, index, kind, &meant);
        (meant, of)
    }

    /// Notes the use of one of the names of a path.
    fn note(
        &mut self,
        names: &[(Name, Range<usize>)],
        index: usize,
        kind: ReferenceKind,
        found: &Meant,
    ) {
        let Some((name, range)) = names.get(index) else {
            return;
        };
        self.refer(range.clone(), kind, found);
        if !found.sure.is_empty() || !found.named.is_empty() {
            self.use_traits(range, name, found);
        }
    }

    /// What the names of a path mean, each with its index and the type that it is a member of.
    fn follow(&self, names: &[Name], anchor: Option<Base>, spaces: u8) -> Vec<(usize, Meant, Ty)> {
        let mut bases: Vec<Base> = anchor.into_iter().collect();
        let is_anchored = !bases.is_empty();
        let is_from_root = names.first().is_some_and(Name::is_empty);
        let mut steps = Vec::new();
        for (index, name) in names
            .iter()
            .enumerate()
            .filter(|(_, name)| !name.is_empty())
        {
            let wanted = if index + 1 == names.len() {
                spaces
            } else {
                TYPES
            };
            let after_root = index == 1 && is_from_root;
            let (next, found) = match (index == 0 && !is_anchored) || after_root {
                true => self.first(name, after_root, wanted),
                false => self.step(&bases, name, wanted),
            };
            let base = bases.first().map(|base| self.base_type(base));
            steps.push((index, found, base.unwrap_or_default()));
            bases = next;
        }
        steps
    }

    /// What a path surely means, without noting a use.
    pub fn meaning(&self, names: &[Name], spaces: u8) -> Vec<Sym> {
        let steps = self.follow(names, None, spaces);
        let last = steps
            .into_iter()
            .last()
            .filter(|(index, ..)| index + 1 == names.len());
        let sure = last.map(|(_, meant, _)| meant.sure).unwrap_or_default();
        sure.iter()
            .flat_map(|sym| self.members.twins(*sym))
            .collect()
    }

    fn base_type(&self, base: &Base) -> Ty {
        match base {
            Base::Type(of) | Base::As(of, _) => of.clone(),
            Base::Hit(Meaning::Item(sym)) => match self.map.def(*sym).map(|def| def.kind) {
                Some(ItemKind::Struct | ItemKind::Enum | ItemKind::Alias) => {
                    self.world().type_of(*sym, &Ty::Unknown)
                }
                Some(ItemKind::Trait) => Ty::Bounds(vec![*sym]),
                _ => Ty::Unknown,
            },
            Base::Hit(_) => Ty::Unknown,
        }
    }

    /// The first name of a path.
    fn first(&self, name: &Name, after_root: bool, spaces: u8) -> (Vec<Base>, Meant) {
        if name == "Self" && !after_root {
            return (
                vec![Base::Type(self.place.env.this.clone())],
                Meant::default(),
            );
        }
        let parameter = self
            .place
            .env
            .parameters
            .iter()
            .find(|(known, _)| known == name);
        if let Some((_, of)) = parameter.filter(|_| spaces & TYPES != 0 && !after_root) {
            return (vec![Base::Type(of.clone())], Meant::default());
        }
        let path: Vec<Name> = match after_root {
            true => vec![Name::default(), name.clone()],
            false => vec![name.clone()],
        };
        let mut hits: Vec<Hit> = Vec::new();
        for module in self.modules() {
            for hit in self.map.resolve(module, &path, spaces, None) {
                if !hits.contains(&hit) {
                    hits.push(hit);
                }
            }
        }
        let mut bases: Vec<Base> = Vec::new();
        let mut meant = Meant::default();
        for hit in &hits {
            self.take(hit, &mut meant);
            bases.push(Base::Hit(hit.meaning));
        }
        if hits.is_empty() && spaces & MACROS != 0 {
            // `#[macro_use]` lets a macro be seen in places that no path leads to.
            let all = self.members.everything.get(name).into_iter().flatten();
            let is_macro =
                |sym: &Sym| self.map.def(*sym).map(|it| it.kind) == Some(ItemKind::Macro);
            meant.sure.extend(all.copied().filter(is_macro));
        }
        let is_standard = super::standard::is_prelude(name)
            || (spaces == MACROS && super::standard::is_macro(name));
        if hits.is_empty() && meant.sure.is_empty() && !is_standard {
            // A macro may put its argument anywhere, behind a dot as well.
            match self.members.everything.get(name).filter(|_| self.is_quoted) {
                Some(all) => meant.named.extend(all),
                None => meant.named.extend(self.free(name)),
            }
        }
        if hits.is_empty() && spaces & TYPES != 0 {
            bases.push(Base::Type(super::types::foreign(name, Vec::new())));
        }
        (bases, meant)
    }

    /// A name after `::`.
    fn step(&self, bases: &[Base], name: &Name, spaces: u8) -> (Vec<Base>, Meant) {
        let mut next: Vec<Base> = Vec::new();
        let mut meant = Meant::default();
        for base in bases {
            match base {
                Base::Hit(Meaning::Module(module)) => {
                    let root = vec![Name::new(name)];
                    let hits = match name.as_str() {
                        "super" | "self" => self.map.resolve(*module, &root, TYPES, None),
                        _ => self.map.named(*module, name, spaces, None),
                    };
                    if hits.is_empty() {
                        // A macro may have written the item, or the import.
                        meant.named.extend(self.free(name));
                    }
                    for hit in hits {
                        self.take(&hit, &mut meant);
                        next.push(Base::Hit(hit.meaning));
                    }
                }
                Base::Hit(Meaning::Foreign) => {
                    let of = super::types::foreign(name, Vec::new());
                    next.push(match of {
                        Ty::Unknown => Base::Hit(Meaning::Foreign),
                        of => Base::Type(of),
                    });
                    meant
                        .named
                        .extend(self.members.by_trait.get(name).into_iter().flatten());
                }
                Base::Hit(Meaning::Item(sym)) => {
                    let variants = self.members.fields(*sym, name).iter().copied();
                    let mut found: Vec<Sym> = variants
                        .filter(|it| {
                            self.map
                                .def(*it)
                                .is_some_and(|def| def.kind == ItemKind::Variant)
                        })
                        .collect();
                    let of = self.base_type(base);
                    if found.is_empty() {
                        self.member(&of, name, &mut found, &mut meant.named);
                    }
                    next.extend(found.iter().map(|sym| Base::Hit(Meaning::Item(*sym))));
                    meant.sure.extend(found);
                }
                Base::As(of, traits) => {
                    let found = self.world().items_as(of, traits, name);
                    next.extend(found.iter().map(|sym| Base::Hit(Meaning::Item(*sym))));
                    meant.sure.extend(found);
                }
                Base::Type(of) => {
                    let mut found = Vec::new();
                    if let Ty::Own(sym, _) = of {
                        found.extend(self.members.fields(*sym, name).iter().copied().filter(
                            |it| {
                                self.map
                                    .def(*it)
                                    .is_some_and(|def| def.kind == ItemKind::Variant)
                            },
                        ));
                    }
                    if found.is_empty() {
                        self.member(of, name, &mut found, &mut meant.named);
                    }
                    next.extend(found.iter().map(|sym| Base::Hit(Meaning::Item(*sym))));
                    meant.sure.extend(found);
                }
            }
        }
        if !meant.sure.is_empty() {
            meant.named.clear();
        }
        (next, meant)
    }

    fn member(&self, of: &Ty, name: &Name, sure: &mut Vec<Sym>, named: &mut Vec<Sym>) {
        match self.world().items(of, name) {
            Some(found) => sure.extend(found),
            None if *of == Ty::Unknown => {
                let all = self.members.everything.get(name).into_iter().flatten();
                named.extend(all.copied().filter(|sym| self.is_member(*sym)));
            }
            None => named.extend(self.world().by_name(of, name)),
        }
    }

    /// Items of a name that stand in no type.
    fn free(&self, name: &Name) -> Vec<Sym> {
        let all = self.members.everything.get(name).into_iter().flatten();
        let is_free = |sym: &Sym| {
            let kind = self.map.def(*sym).map(|def| def.kind);
            !self.is_member(*sym) && kind != Some(ItemKind::Field)
        };
        all.copied().filter(is_free).collect()
    }

    fn is_member(&self, sym: Sym) -> bool {
        let container = self.map.def(sym).and_then(|def| {
            self.map.def(Sym {
                file: sym.file,
                def: def.container,
            })
        });
        container.is_some_and(|def| {
            matches!(def.kind, ItemKind::Impl | ItemKind::Trait | ItemKind::Enum)
        })
    }

    /// Notes what a hit means, and the imports that lead there.
    pub fn take(&self, hit: &Hit, meant: &mut Meant) {
        match hit.meaning {
            Meaning::Item(sym) => meant.sure.push(sym),
            Meaning::Module(module) => meant.sure.extend(self.map.module_symbol(module)),
            Meaning::Foreign => {}
        }
        let mut at = hit.at.clone();
        let mut import = hit.import;
        // A chain of imports within this file: each of them is used.
        for _ in 0..8 {
            let (Some((module, name)), Some(index)) = (at.take(), import.take()) else {
                return;
            };
            let Some(found) = self.map.module(module) else {
                return;
            };
            if found.file == self.file && !meant.imports.contains(&index) {
                meant.imports.push(index);
            }
            let entries = found.names.get(&name).into_iter().flatten();
            let mut entries =
                entries.filter(|it| it.import == Some(index) && it.meaning == hit.meaning);
            let Some(origin) = entries.find_map(|entry| entry.origin.clone()) else {
                return;
            };
            let next = self.map.named(origin.0, &origin.1, ALL, None);
            let next = next.into_iter().find(|it| it.meaning == hit.meaning);
            import = next.and_then(|it| it.import);
            at = Some(origin);
        }
    }

    /// Adds a reference, and one for each further import that it goes through.
    pub fn refer(&mut self, range: Range<usize>, kind: ReferenceKind, meant: &Meant) {
        if meant.sure.is_empty() && meant.named.is_empty() && meant.imports.is_empty() {
            return;
        }
        let mut targets: Vec<Target> = Vec::new();
        let mut add = |syms: &[Sym], confidence| {
            for sym in syms {
                targets.extend(self.map.id(*sym).map(|symbol| Target {
                    symbol: symbol.clone(),
                    confidence,
                }));
            }
        };
        let sure: Vec<Sym> = meant
            .sure
            .iter()
            .flat_map(|it| self.members.twins(*it))
            .collect();
        add(&sure, Confidence::Resolved);
        let mut by_name = ByName::None;
        if meant.sure.is_empty() {
            add(&meant.named, Confidence::Named);
            if targets.len() > MANY
                && let Some(name) = targets.first().map(|target| target.symbol.name())
            {
                by_name = ByName::One(Name::new(name));
            }
        }
        targets.sort();
        targets.dedup_by(|a, b| a.symbol == b.symbol);
        let (first, rest) = match meant.imports.split_first() {
            Some((first, rest)) => (Some(*first), rest),
            None => (None, [].as_slice()),
        };
        if !(targets.is_empty() && first.is_none()) {
            self.push(range.clone(), kind, targets, first, by_name);
        }
        for import in rest {
            self.push(
                range.clone(),
                ReferenceKind::Implicit,
                Vec::new(),
                Some(*import),
                ByName::None,
            );
        }
    }

    /// Adds a reference.
    pub fn push(
        &mut self,
        range: Range<usize>,
        kind: ReferenceKind,
        targets: Vec<Target>,
        through: Option<u32>,
        by_name: ByName,
    ) {
        let from = self.facts.symbols.get(self.place.from.0 as usize);
        let Some(from) = from.map(|symbol| symbol.id.clone()) else {
            return;
        };
        let reference = Reference {
            range,
            from,
            kind,
            runs: self.place.runs,
            targets: targets.into(),
            through: through.map(|index| index as usize),
        };
        let runner = self.place.from;
        self.found.push((reference, Detail { runner, by_name }));
    }

    /// An item of a trait is found because the trait is imported.
    pub fn use_traits(&mut self, range: &Range<usize>, name: &Name, meant: &Meant) {
        let mut used: Vec<u32> = Vec::new();
        for sym in meant.sure.iter().chain(&meant.named) {
            let Some(of) = self.trait_of(*sym) else {
                continue;
            };
            let imports = self.traits.get(&of).into_iter().flatten();
            used.extend(
                imports
                    .filter(|(scope, _)| self.sees(*scope))
                    .map(|(_, import)| *import),
            );
        }
        if meant.sure.is_empty() {
            used.extend(self.foreign_uses(name));
        }
        for import in used {
            if self.implied.insert((self.place.from, import)) {
                self.push(
                    range.clone(),
                    ReferenceKind::Implicit,
                    Vec::new(),
                    Some(import),
                    ByName::None,
                );
            }
        }
    }

    /// The imports of foreign traits that a method may come from.
    fn foreign_uses(&self, name: &str) -> Vec<u32> {
        let visible = self
            .foreign_traits
            .iter()
            .filter(|(scope, ..)| self.sees(*scope));
        let may_have = visible.filter(|(_, _, of)| super::standard::may_have(of, name));
        may_have.map(|(_, import, _)| *import).collect()
    }

    /// A method of which nothing is known in the project.
    pub fn use_foreign_traits(&mut self, range: &Range<usize>, name: &str) {
        for import in self.foreign_uses(name) {
            if self.implied.insert((self.place.from, import)) {
                self.push(
                    range.clone(),
                    ReferenceKind::Implicit,
                    Vec::new(),
                    Some(import),
                    ByName::None,
                );
            }
        }
    }

    fn sees(&self, scope: u32) -> bool {
        let parent = |scope: &u32| {
            let scope = self.own.items.scopes.get(*scope as usize)?;
            scope.parent.filter(|_| !scope.is_module)
        };
        std::iter::successors(Some(self.place.scope), parent).any(|seen| seen == scope)
    }

    fn trait_of(&self, sym: Sym) -> Option<Sym> {
        let container = Sym {
            file: sym.file,
            def: self.map.def(sym)?.container,
        };
        match self.map.def(container)?.kind {
            ItemKind::Trait => Some(container),
            ItemKind::Impl => match self.members.block(container)?.implements {
                super::members::Implements::Trait(of) => Some(of),
                _ => None,
            },
            _ => None,
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

    /// A name that may be a value.
    pub fn value_name(&mut self, text: &str, range: Range<usize>, kind: ReferenceKind) {
        let names = [(plain(text), range)];
        self.named_path(&names, None, VALUES, kind);
    }
}

/// What a path has led to.
#[derive(Clone, Debug)]
pub(super) enum Base {
    Hit(Meaning),
    Type(Ty),
    /// `<Type as Trait>`: what the type has by these traits of the project, or by some other one.
    As(Ty, Vec<Sym>),
}
