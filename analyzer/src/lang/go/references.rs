//! Uses of names in one file, resolved.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use grammars::Language;

use crate::database::{Db, SourceFile, Text, files, summary};
use crate::facts::{DefId, Expr, ExprId, FileFacts, Name, RawImport, RawReference, Use};
use crate::files::text;
use crate::occurrence::{Confidence, Import, Reference, ReferenceKind, Runs, Target};
use crate::resolution::{ByName, Detail, Resolution};
use crate::symbol::{SymbolId, SymbolKind};

use super::dynamic::functions_like;
use super::interfaces::{fits_of, standard_targets};
use super::members::Found;
use super::values::{DefRef, Home, Meaning, Session, Shape, Value};

/// Uses by name of more definitions than this go through the node of the name in the graph.
const MANY: usize = 16;

/// Resolves all names of a file.
pub(super) fn resolve(db: &dyn Db, file: SourceFile) -> Resolution {
    let mut session = Session::new(db);
    let facts = session.facts(file);
    let mut resolver = Resolver {
        session,
        file,
        facts: facts.clone(),
        imports: FxHashMap::default(),
    };
    resolver.index_imports();
    let mut found: Vec<(Reference, Detail)> = Vec::new();
    for raw in &facts.references {
        found.extend(resolver.reference(raw));
    }
    let fits = fits_of(db, file);
    found.extend(
        fits.needs
            .iter()
            .filter_map(|(of, method)| resolver.needed(*of, method)),
    );
    found.sort_by_key(|(reference, _)| (reference.range.start, reference.range.end));
    let (references, details) = found.into_iter().unzip();
    let imports = facts
        .imports
        .iter()
        .map(|raw| resolver.import(raw))
        .collect();
    let (inherits, attached) = resolver.relations();
    Resolution {
        references: Arc::new(references),
        details,
        imports: Arc::new(imports),
        loads: Vec::new(),
        exports: Arc::default(),
        links: Arc::default(),
        inherits,
        attached,
        overrides: fits.overrides.clone(),
        demands: Vec::new(),
    }
}

/// Fields and methods by name, for uses on objects of unknown type.
#[salsa::tracked(returns(clone))]
fn member_index(db: &dyn Db) -> Arc<BTreeMap<Name, Vec<SymbolId>>> {
    let mut index: BTreeMap<Name, Vec<SymbolId>> = BTreeMap::new();
    let go = files(db)
        .iter()
        .filter(|file| file.language(db) == Language::Go);
    for file in go {
        for definition in &summary(db, *file).definitions {
            if matches!(definition.kind, SymbolKind::Field | SymbolKind::Method) {
                index
                    .entry(Name::new(definition.id.name()))
                    .or_default()
                    .push(definition.id.clone());
            }
        }
    }
    index.values_mut().for_each(|symbols| symbols.sort());
    Arc::new(index)
}

/// All fields and methods with a name.
#[salsa::tracked(returns(clone))]
fn members_named<'db>(db: &'db dyn Db, name: Text<'db>) -> Arc<[Target]> {
    let index = member_index(db);
    let symbols = index.get(name.text(db)).into_iter().flatten();
    symbols
        .map(|symbol| Target {
            symbol: symbol.clone(),
            confidence: Confidence::Named,
        })
        .collect()
}

struct Resolver<'db> {
    session: Session<'db>,
    file: SourceFile,
    facts: Arc<FileFacts>,
    /// Which import binds a name.
    imports: FxHashMap<Name, usize>,
}

/// Definitions that belong together: of this file and of the project.
type Pairs = Vec<(DefId, SymbolId)>;

impl Resolver<'_> {
    fn home(&self) -> Home {
        Home {
            file: self.file,
            in_facts: true,
        }
    }

    fn index_imports(&mut self) {
        let facts = self.facts.clone();
        for (index, raw) in facts.imports.iter().enumerate() {
            for name in self.names_of(raw) {
                self.imports.entry(name).or_insert(index);
            }
        }
    }

    /// The names that an import may bind.
    fn names_of(&mut self, raw: &RawImport) -> Vec<Name> {
        if !self.is_unnamed(raw) {
            return vec![raw.bound.clone()];
        }
        let packages = self.session.imported(self.file, &raw.path);
        let names = packages.into_iter().flat_map(|value| match value {
            Value::Package(_, name) => vec![name],
            _ => super::packages::likely_names(&raw.path.module),
        });
        names.collect()
    }

    /// Whether an import leaves the name to the package.
    fn is_unnamed(&self, raw: &RawImport) -> bool {
        let text = self.file.text(self.session.db).slice(raw.item.clone());
        text.starts_with(['"', '`'])
    }

    fn reference(&mut self, raw: &RawReference) -> Vec<(Reference, Detail)> {
        let found = match raw.usage {
            Use::Named(id) => self.named(raw, id),
            Use::Invoke(id) => self.invoked(raw, id),
            Use::Pattern { .. } | Use::Protocol { .. } => None,
        };
        found.map(apart).unwrap_or_default()
    }

    /// A name that stands in the text.
    fn named(&mut self, raw: &RawReference, id: ExprId) -> Option<(Reference, Detail)> {
        let home = self.home();
        let (found, through) = self.found(home, id);
        let mut targets: Vec<Target> = Vec::new();
        let mut by_name = None;
        let mut kind = raw.kind;
        for one in found {
            match one {
                Meant::Symbol(symbol) => targets.push(Target {
                    symbol,
                    confidence: Confidence::Resolved,
                }),
                Meant::Member(name) => by_name = Some(name),
                Meant::Foreign(name) => {
                    by_name = Some(name);
                    kind = ReferenceKind::Implicit;
                }
                Meant::Standard(interface, name) => {
                    let db = self.session.db;
                    targets.extend(
                        standard_targets(db, interface, text(db, &name))
                            .iter()
                            .cloned(),
                    );
                    // No text here stands for one of them.
                    kind = ReferenceKind::Implicit;
                }
            }
        }
        let mut hub = ByName::None;
        if let Some(name) = by_name {
            let db = self.session.db;
            let named = members_named(db, text(db, &name));
            if named.len() > MANY {
                hub = ByName::One(name);
            }
            targets.extend(named.iter().cloned());
        }
        if targets.is_empty() && through.is_none() {
            return None;
        }
        targets.sort_by(|a, b| (&a.symbol, b.confidence).cmp(&(&b.symbol, a.confidence)));
        targets.dedup_by(|a, b| a.symbol == b.symbol);
        Some(self.build(raw, kind, targets, through, hub))
    }

    /// What an expression that stands in the text means, and the import that binds it.
    fn found(&mut self, home: Home, id: ExprId) -> (Vec<Meant>, Option<usize>) {
        match self.session.expr(home, id) {
            Expr::Name(_, name) => {
                let meanings = self.session.name(self.file, &name);
                let meant: Vec<Meant> = meanings.iter().flat_map(|it| self.meant(it)).collect();
                let is_symbol = meanings.iter().any(|it| !matches!(it, Meaning::Import(_)));
                let through = self.imports.get(&name).copied().filter(|_| !is_symbol);
                (meant, through.or_else(|| self.star_of(&name, &meanings)))
            }
            Expr::Attribute(object, name) => (self.members(home, object, &name), None),
            Expr::First(parts) => {
                for part in parts {
                    let found = self.found(home, part);
                    if !found.0.is_empty() || found.1.is_some() {
                        return found;
                    }
                }
                (Vec::new(), None)
            }
            Expr::Definition(def) => {
                let file = self.file;
                (self.symbol(DefRef { file, def }), None)
            }
            _ => (Vec::new(), None),
        }
    }

    /// The dot import that a name comes through.
    fn star_of(&mut self, name: &Name, meanings: &[Meaning]) -> Option<usize> {
        let facts = self.facts.clone();
        let stars = facts
            .imports
            .iter()
            .enumerate()
            .filter(|(_, raw)| raw.bound == "*");
        let own = self.session.package_of(self.file);
        if own.names.contains_key(name) {
            return None;
        }
        for (index, raw) in stars {
            for value in self.session.imported(self.file, &raw.path) {
                let is_bound = match value {
                    Value::Package(folder, package) => self
                        .session
                        .package(&folder, &package)
                        .names
                        .contains_key(name),
                    // Any name without another meaning may come from foreign code.
                    _ => meanings.is_empty() && name.starts_with(char::is_uppercase),
                };
                if is_bound {
                    return Some(index);
                }
            }
        }
        None
    }

    fn meant(&mut self, meaning: &Meaning) -> Vec<Meant> {
        match meaning {
            Meaning::Definition(at) => self.symbol(*at),
            Meaning::Import(value) => self.modules(value).into_iter().map(Meant::Symbol).collect(),
            Meaning::Standard(_) => Vec::new(),
        }
    }

    fn symbol(&mut self, at: DefRef) -> Vec<Meant> {
        self.session.id(at).map(Meant::Symbol).into_iter().collect()
    }

    /// The files of a package that are there for whoever imports it.
    fn modules(&mut self, value: &Value) -> Vec<SymbolId> {
        let Value::Package(folder, name) = value else {
            return Vec::new();
        };
        let index = self.session.package(folder, name);
        let paths = index.files.iter().map(|file| file.path(self.session.db));
        paths
            .filter(|path| !path.ends_with("_test.go"))
            .map(SymbolId::module)
            .collect()
    }

    fn members(&mut self, home: Home, object: ExprId, name: &Name) -> Vec<Meant> {
        let mut meant = Vec::new();
        let is_foreign = self.session.is_made_elsewhere(home, object);
        for value in self.session.values(home, object).iter() {
            for found in self.session.attribute(value, name) {
                match found {
                    Found::Unknown if is_foreign => meant.push(Meant::Foreign(name.clone())),
                    Found::Definition(at) => meant.extend(self.symbol(at)),
                    Found::Standard(index) => meant.push(Meant::Standard(index, name.clone())),
                    Found::Unknown => meant.push(Meant::Member(name.clone())),
                    Found::Typed(..) | Found::Type(_) | Found::Foreign => {}
                }
            }
        }
        meant
    }

    /// What an object is used for without a name: a literal that gives all fields in their order uses
    /// all of them, as a conversion does, and a call of a function value whatever has its signature.
    fn invoked(&mut self, raw: &RawReference, object: ExprId) -> Option<(Reference, Detail)> {
        let home = self.home();
        let mut targets = Vec::new();
        for value in self.session.values(home, object).iter() {
            let fields = match value {
                Value::Object(shape) => self.session.fields(*shape),
                Value::Type(shape) if !self.is_given_nil(raw) => {
                    self.session.convertible_fields(*shape)
                }
                _ => Vec::new(),
            };
            targets.extend(fields.into_iter().filter_map(|field| {
                Some(Target {
                    symbol: self.session.id(field)?,
                    confidence: Confidence::Resolved,
                })
            }));
            if !self.is_known_function(home, object) {
                for signature in self.session.signatures(value) {
                    let db = self.session.db;
                    targets.extend(functions_like(db, text(db, &signature)).iter().cloned());
                }
            }
        }
        targets.sort();
        targets.dedup();
        (!targets.is_empty()).then(|| self.build(raw, raw.kind, targets, None, ByName::None))
    }

    /// Whether what is called or converted to is given `nil`, which has no fields.
    fn is_given_nil(&self, raw: &RawReference) -> bool {
        let text = self.file.text(self.session.db);
        text.slice(raw.end as usize..text.len())
            .starts_with("(nil)")
    }

    /// Whether an expression is a function itself, and no value that may be one or another.
    fn is_known_function(&mut self, home: Home, id: ExprId) -> bool {
        if let Expr::First(parts) = self.session.expr(home, id) {
            return parts.iter().any(|part| self.is_known_function(home, *part));
        }
        let definitions = match self.session.expr(home, id) {
            Expr::Name(_, name) => {
                let meanings = self.session.name(self.file, &name);
                let definitions = meanings.iter().filter_map(|meaning| match meaning {
                    Meaning::Definition(at) => Some(*at),
                    _ => None,
                });
                definitions.collect()
            }
            Expr::Attribute(object, name) => self.definitions(home, object, &name),
            _ => Vec::new(),
        };
        definitions
            .into_iter()
            .any(|at| self.session.kind(at).is_some_and(SymbolKind::is_callable))
    }

    fn definitions(&mut self, home: Home, object: ExprId, name: &Name) -> Vec<DefRef> {
        let mut definitions = Vec::new();
        for value in self.session.values(home, object).iter() {
            for found in self.session.attribute(value, name) {
                if let Found::Definition(at) = found {
                    definitions.push(at);
                }
            }
        }
        definitions
    }

    /// A type stands for interfaces as long as it has their methods.
    fn needed(&mut self, of: DefId, method: &SymbolId) -> Option<(Reference, Detail)> {
        let symbol = self.facts.symbols.get(of.0 as usize)?;
        let reference = Reference {
            range: symbol.focus.clone(),
            from: symbol.id.clone(),
            kind: ReferenceKind::Implicit,
            runs: Runs::Never,
            targets: [Target {
                symbol: method.clone(),
                confidence: Confidence::Resolved,
            }]
            .into(),
            through: None,
        };
        let detail = Detail {
            runner: of,
            by_name: ByName::None,
        };
        Some((reference, detail))
    }

    fn build(
        &mut self,
        raw: &RawReference,
        kind: ReferenceKind,
        targets: Vec<Target>,
        through: Option<usize>,
        by_name: ByName,
    ) -> (Reference, Detail) {
        let from = self.facts.definitions.get(raw.from.0 as usize);
        let module = || SymbolId::module(self.file.path(self.session.db));
        let reference = Reference {
            range: raw.start as usize..raw.end as usize,
            from: from.map_or_else(module, |from| from.id.clone()),
            kind,
            runs: raw.runs,
            targets: targets.into(),
            through,
        };
        let detail = Detail {
            runner: raw.runner,
            by_name,
        };
        (reference, detail)
    }

    fn import(&mut self, raw: &RawImport) -> Import {
        let packages = self.session.imported(self.file, &raw.path);
        let targets: Vec<SymbolId> = packages
            .iter()
            .flat_map(|value| self.modules(value))
            .collect();
        let bound = match packages.first() {
            Some(Value::Package(_, name)) if self.is_unnamed(raw) => name.clone(),
            _ => raw.bound.clone(),
        };
        Import {
            statement: raw.statement.clone(),
            item: raw.item.clone(),
            bound: bound.to_string(),
            scope: SymbolId::module(self.file.path(self.session.db)),
            module: targets.first().map(|module| module.path().to_owned()),
            targets,
            runs: raw.runs,
        }
    }

    /// What the types of this file embed, and what belongs to which type: methods, and variables
    /// that only say that a type fits an interface.
    fn relations(&mut self) -> (Pairs, Pairs) {
        let (mut inherits, mut attached) = (Vec::new(), Vec::new());
        let home = self.home();
        let facts = self.facts.clone();
        for (def, definition) in (0..).map(DefId).zip(&facts.definitions) {
            let mut owners: Vec<ExprId> = definition.owner.into_iter().collect();
            if definition.kind == SymbolKind::Variable && definition.id.name() == "_" {
                owners.extend(definition.declared);
                owners.extend(definition.values.iter().copied());
            }
            for owner in owners {
                attached.extend(self.types(home, owner).into_iter().map(|id| (def, id)));
            }
            for base in &definition.bases {
                inherits.extend(self.types(home, *base).into_iter().map(|id| (def, id)));
            }
        }
        (inherits, attached)
    }

    /// The types of the project that an expression is, or has values of.
    fn types(&mut self, home: Home, of: ExprId) -> Vec<SymbolId> {
        let values = self.session.values(home, of);
        let types = values.iter().filter_map(|value| match value {
            Value::Type(Shape::Named(at)) | Value::Object(Shape::Named(at)) => Some(*at),
            _ => None,
        });
        let types: Vec<DefRef> = types.collect();
        types
            .into_iter()
            .filter_map(|at| self.session.id(at))
            .collect()
    }
}

/// One reference for each sure target but modules: a name that means several things needs all of
/// them, each in the builds for which it is there.
fn apart((reference, detail): (Reference, Detail)) -> Vec<(Reference, Detail)> {
    let is_apart =
        |target: &&Target| target.confidence == Confidence::Resolved && !target.symbol.is_module();
    let others: Vec<Target> = reference
        .targets
        .iter()
        .filter(is_apart)
        .skip(1)
        .cloned()
        .collect();
    let kept = reference
        .targets
        .iter()
        .filter(|target| !others.contains(target));
    let first = Reference {
        targets: kept.cloned().collect(),
        ..reference.clone()
    };
    let other = |target| {
        let targets = Arc::from([target]);
        let by_name = ByName::None;
        (
            Reference {
                targets,
                ..reference.clone()
            },
            Detail {
                by_name,
                ..detail.clone()
            },
        )
    };
    let first = (first, detail.clone());
    std::iter::once(first)
        .chain(others.into_iter().map(other))
        .collect()
}

/// What a name in the text means.
enum Meant {
    Symbol(SymbolId),
    /// Any field or method of this name.
    Member(Name),
    /// A member of something that foreign code made: one of the project's only if an interface hides it.
    Foreign(Name),
    /// A method of an interface of the standard library.
    Standard(usize, Name),
}
