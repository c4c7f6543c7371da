//! Uses of names in one file, resolved.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::database::{Db, SourceFile};
use crate::facts::{DefId, Expr, ExprId, Name, RawReference, ScopeId, Use};
use crate::files::text;
use crate::names::{named, named_like};
use crate::occurrence::{Confidence, Export, Reference, ReferenceKind, Runs, Target};
use crate::resolution::{ByName, Detail, Resolution};
use crate::symbol::{SymbolId, SymbolKind};

use super::modules::Module;
use super::values::{DefRef, Found, Home, Session, Value};

/// Resolves all names of a file.
pub(super) fn resolve(db: &dyn Db, file: SourceFile) -> Resolution {
    let mut resolver = Resolver {
        session: Session::new(db, file),
        imports: FxHashMap::default(),
        named: FxHashMap::default(),
        named_any: FxHashMap::default(),
        by_name_seen: FxHashSet::default(),
        merged: FxHashMap::default(),
    };
    resolver.index_imports();
    let facts = resolver.session.facts.clone();
    let (mut references, mut details) = (Vec::new(), Vec::new());
    for raw in &facts.references {
        for (reference, detail) in resolver.reference(raw) {
            references.push(reference);
            details.push(detail);
        }
    }
    references.shrink_to_fit();
    details.shrink_to_fit();
    let mut loads = Vec::new();
    let imports = (0..)
        .zip(&facts.imports)
        .map(|(index, raw)| resolver.import(index, raw, &mut loads))
        .collect();
    let exports = facts.exports.iter().map(|(range, name)| Export {
        range: range.clone(),
        name: name.to_string(),
        targets: resolver.members_of_module(file, name),
    });
    let exports = exports.collect();
    let (inherits, overrides) = resolver.session.hierarchy();
    Resolution {
        references: Arc::new(references),
        details,
        demands: Vec::new(),
        imports: Arc::new(imports),
        loads,
        exports: Arc::new(exports),
        links: Arc::default(),
        inherits,
        attached: Vec::new(),
        overrides,
    }
}

/// The methods that instantiation calls.
const CONSTRUCTION: &[&str] = &["__init__", "__new__", "__post_init__"];

/// Targets that were found one by one, and names that stand for more.
struct Targets {
    found: Vec<SymbolId>,
    by_name: ByName,
}

/// Targets found one by one, and the names whose definitions come on top.
type TargetsKey = (Vec<SymbolId>, Vec<Name>);

pub(super) struct Resolver<'db> {
    pub(super) session: Session<'db>,
    /// The first import that binds a name in a scope.
    pub(super) imports: FxHashMap<(ScopeId, Name), usize>,
    named: FxHashMap<Name, Arc<[Target]>>,
    named_any: FxHashMap<&'static [&'static str], Arc<[Target]>>,
    /// Implicit uses by name alone that were listed: the symbols around them and the names.
    by_name_seen: FxHashSet<(DefId, DefId, Runs, ByName)>,
    merged: FxHashMap<TargetsKey, Arc<[Target]>>,
}

impl Resolver<'_> {
    /// The references that one use of a name gives: itself, and what it uses implicitly.
    fn reference(&mut self, raw: &RawReference) -> Vec<(Reference, Detail)> {
        let (targets, through) = match &raw.usage {
            Use::Named(id) => (self.named_use(*id, raw.kind), self.through(*id)),
            Use::Pattern {
                object,
                prefix,
                suffix,
                exact,
            } => return self.pattern(raw, *object, prefix, suffix, *exact),
            Use::Invoke(callee) => (self.invoked(*callee), None),
            Use::Protocol {
                object,
                methods,
                by_name,
            } => (self.protocol(*object, methods, *by_name), None),
        };
        let by_name = targets.by_name.clone();
        if raw.kind == ReferenceKind::Implicit
            && targets.found.is_empty()
            && !self
                .by_name_seen
                .insert((raw.from, raw.runner, raw.runs, by_name.clone()))
        {
            return Vec::new();
        }
        let passed = self.passed_classes(raw, &targets);
        let mut references = Vec::new();
        let all = self.all_targets(targets);
        if !all.is_empty() || through.is_some() {
            references.push(self.build(raw, raw.kind, all, through, by_name));
        }
        if !passed.is_empty() {
            references.push(self.build(
                raw,
                ReferenceKind::Implicit,
                passed.into(),
                None,
                ByName::None,
            ));
        }
        references
    }

    fn build(
        &mut self,
        raw: &RawReference,
        kind: ReferenceKind,
        targets: Arc<[Target]>,
        through: Option<usize>,
        by_name: ByName,
    ) -> (Reference, Detail) {
        let from = self
            .session
            .facts
            .definitions
            .get(raw.from.0 as usize)
            .map(|from| from.id.clone());
        let from =
            from.unwrap_or_else(|| SymbolId::module(self.session.file.path(self.session.db)));
        let range = raw.start as usize..raw.end as usize;
        let reference = Reference {
            range,
            from,
            kind,
            runs: raw.runs,
            targets,
            through,
        };
        (
            reference,
            Detail {
                runner: raw.runner,
                by_name,
            },
        )
    }

    /// A class that is handed on may be instantiated by whoever gets it.
    fn passed_classes(&mut self, raw: &RawReference, targets: &Targets) -> Vec<Target> {
        let is_passed = matches!(
            raw.kind,
            ReferenceKind::Read | ReferenceKind::Decorator | ReferenceKind::Default
        );
        let Use::Named(id) = raw.usage else {
            return Vec::new();
        };
        if !is_passed || targets.found.is_empty() {
            return Vec::new();
        }
        let mut methods = Vec::new();
        for value in self.session.values(Home::Facts, id).iter() {
            if let Value::Definition(class) = value {
                methods.extend(self.constructors(*class));
            }
        }
        methods.sort();
        methods.dedup();
        methods
            .into_iter()
            .map(|symbol| Target {
                symbol,
                confidence: Confidence::Named,
            })
            .collect()
    }

    fn constructors(&mut self, class: DefRef) -> Vec<SymbolId> {
        if self.session.kind(class) != Some(SymbolKind::Class) {
            return Vec::new();
        }
        let mut methods = Vec::new();
        for name in CONSTRUCTION {
            let found = self.session.member_of_class(class, &Name::new_static(name));
            methods.extend(self.symbols(&found));
        }
        if let Some(metaclass) = self.session.metaclass(class) {
            let found = self
                .session
                .member_of_class(metaclass, &Name::new_static("__call__"));
            methods.extend(self.symbols(&found));
        }
        methods
    }

    /// The symbols among what was found.
    pub(super) fn symbols(&mut self, found: &[Found]) -> Vec<SymbolId> {
        found
            .iter()
            .filter_map(|one| match one {
                Found::Definition(at) => self.session.id(*at),
                Found::Module(Module::File(file)) => {
                    Some(SymbolId::module(file.path(self.session.db)))
                }
                _ => None,
            })
            .collect()
    }

    pub(super) fn expr(&self, id: ExprId) -> Option<Expr> {
        self.session.facts.expressions.get(id.0 as usize).cloned()
    }

    /// A name or attribute that stands in the text.
    fn named_use(&mut self, id: ExprId, kind: ReferenceKind) -> Targets {
        match self.expr(id) {
            Some(Expr::Name(scope, name)) => {
                let found = self.session.name(Home::Facts, scope, &name);
                Targets {
                    found: self.symbols(&found),
                    by_name: ByName::None,
                }
            }
            Some(Expr::Attribute(object, name)) => {
                let mut targets = Targets {
                    found: Vec::new(),
                    by_name: ByName::None,
                };
                for value in self.session.values(Home::Facts, object).iter() {
                    let found = self.session.attribute(value, &name);
                    if found.contains(&Found::Unknown) {
                        targets.by_name = ByName::One(name.clone());
                    }
                    targets.found.extend(self.symbols(&found));
                }
                targets.found = accessors(targets.found, kind);
                targets
            }
            _ => Targets {
                found: Vec::new(),
                by_name: ByName::None,
            },
        }
    }

    /// What a call runs besides the name that stands in the text.
    fn invoked(&mut self, callee: ExprId) -> Targets {
        let named = self.named_use(callee, ReferenceKind::Call).found;
        let mut targets = Targets {
            found: Vec::new(),
            by_name: ByName::None,
        };
        for value in self.session.values(Home::Facts, callee).iter() {
            match value {
                Value::Definition(at) if self.session.kind(*at) == Some(SymbolKind::Class) => {
                    targets.found.extend(self.constructors(*at));
                    targets
                        .found
                        .extend(self.session.id(*at).filter(|class| !named.contains(class)));
                }
                Value::Definition(at) => {
                    targets.found.extend(
                        self.session
                            .id(*at)
                            .filter(|function| !named.contains(function)),
                    );
                }
                Value::Instance(_) => {
                    let found = self.session.attribute(value, &Name::new_static("__call__"));
                    targets.found.extend(self.symbols(&found));
                }
                Value::Unknown => targets.by_name = ByName::One(Name::new_static("__call__")),
                _ => {}
            }
        }
        targets
    }

    /// The methods that the language calls on an object.
    fn protocol(
        &mut self,
        object: ExprId,
        methods: &'static [&'static str],
        by_name: bool,
    ) -> Targets {
        let mut targets = Targets {
            found: Vec::new(),
            by_name: ByName::None,
        };
        for value in self.session.values(Home::Facts, object).iter() {
            match value {
                Value::Instance(class) => {
                    for method in methods {
                        let found = self
                            .session
                            .member_of_class(*class, &Name::new_static(method));
                        targets.found.extend(self.symbols(&found));
                    }
                }
                Value::Definition(class) => {
                    if let Some(metaclass) = self.session.metaclass(*class) {
                        for method in methods {
                            let found = self
                                .session
                                .member_of_class(metaclass, &Name::new_static(method));
                            targets.found.extend(self.symbols(&found));
                        }
                    }
                }
                Value::Unknown if by_name => targets.by_name = ByName::Any(methods),
                _ => {}
            }
        }
        targets
    }

    /// Attributes whose names are put together at run time.
    fn pattern(
        &mut self,
        raw: &RawReference,
        object: ExprId,
        prefix: &Name,
        suffix: &Name,
        exact: bool,
    ) -> Vec<(Reference, Detail)> {
        let db = self.session.db;
        let targets = if exact {
            let mut found = Vec::new();
            let mut is_known = true;
            for value in self.session.values(Home::Facts, object).iter() {
                let members = self.session.attribute(value, prefix);
                is_known &= !members.contains(&Found::Unknown);
                found.extend(self.symbols(&members));
            }
            let named = if is_known {
                Vec::new()
            } else {
                named(db, text(db, prefix)).to_vec()
            };
            let found = found.into_iter().map(|symbol| Target {
                symbol,
                confidence: Confidence::Named,
            });
            let mut all: Vec<Target> = found.chain(named).collect();
            all.sort();
            all.dedup();
            all.into()
        } else {
            named_like(db, text(db, &format!("{prefix}*{suffix}")))
        };
        if targets.is_empty() {
            Vec::new()
        } else {
            vec![self.build(raw, raw.kind, targets, None, ByName::None)]
        }
    }

    /// All targets, sorted; a symbol that was found is not listed by name again.
    fn all_targets(&mut self, targets: Targets) -> Arc<[Target]> {
        let mut found = targets.found;
        found.sort();
        found.dedup();
        let by_name = self.by_name(&targets.by_name);
        if found.is_empty() {
            return by_name;
        }
        let names = match targets.by_name {
            ByName::None => Vec::new(),
            ByName::One(name) => vec![name],
            ByName::Any(names) => names.iter().map(|name| Name::new_static(name)).collect(),
        };
        let key = (found, names);
        if let Some(merged) = self.merged.get(&key) {
            return merged.clone();
        }
        let resolved: FxHashSet<&SymbolId> = key.0.iter().collect();
        let mut all: Vec<Target> = by_name
            .iter()
            .filter(|target| !resolved.contains(&target.symbol))
            .cloned()
            .collect();
        all.extend(key.0.iter().map(|symbol| Target {
            symbol: symbol.clone(),
            confidence: Confidence::Resolved,
        }));
        all.sort();
        let merged: Arc<[Target]> = all.into();
        self.merged.insert(key, merged.clone());
        merged
    }

    fn by_name(&mut self, names: &ByName) -> Arc<[Target]> {
        let db = self.session.db;
        match names {
            ByName::None => Arc::from([]),
            ByName::One(name) => self
                .named
                .entry(name.clone())
                .or_insert_with(|| named(db, text(db, name)))
                .clone(),
            ByName::Any(names) => self
                .named_any
                .entry(names)
                .or_insert_with(|| {
                    let mut all: Vec<Target> = names
                        .iter()
                        .flat_map(|name| named(db, text(db, name)).to_vec())
                        .collect();
                    all.sort();
                    all.dedup();
                    all.into()
                })
                .clone(),
        }
    }
}

/// Reading a property means its getter, writing it its setter or deleter.
fn accessors(found: Vec<SymbolId>, kind: ReferenceKind) -> Vec<SymbolId> {
    let is_accessor = |symbol: &SymbolId| {
        symbol.as_str().ends_with("#setter") || symbol.as_str().ends_with("#deleter")
    };
    if !found.iter().any(is_accessor) {
        return found;
    }
    let wants_accessor = kind == ReferenceKind::Write;
    found
        .into_iter()
        .filter(|symbol| is_accessor(symbol) == wants_accessor)
        .collect()
}
