//! Paths: what each of their names means.

use std::ops::Range;

use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast;

use super::items::ItemKind;
use super::map::{ALL, Hit, MACROS, Meaning, Sym, TYPES, VALUES};
use super::resolve::{Meant, Walk};
use super::syntax::{plain, segment_name, segments};
use super::types::Ty;
use crate::facts::Name;
use crate::occurrence::ReferenceKind;

/// What a path has led to.
#[derive(Clone, Debug)]
pub(super) enum Base {
    Hit(Meaning),
    Type(Ty),
    /// `<Type as Trait>`: what the type has by these traits of the project, or by some other one.
    As(Ty, Vec<Sym>),
}

impl Walk<'_> {
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

    /// A name that may be a value.
    pub fn value_name(&mut self, text: &str, range: Range<usize>, kind: ReferenceKind) {
        let names = [(plain(text), range)];
        self.named_path(&names, None, VALUES, kind);
    }
}
