//! Which types fit which interfaces: by the names of their methods and the numbers of parameters and
//! results, over the whole project.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammars::Language;
use rustc_hash::FxHashSet;

use crate::database::{Db, SourceFile, Text, files};
use crate::facts::{DefId, Expr, MODULE, Name};
use crate::occurrence::{Confidence, Target};
use crate::symbol::{SymbolId, SymbolKind};

use super::standard::{INTERFACES, Method};
use super::values::{DefRef, Home, Session, Shape, Value};

/// A method of a type that makes it fit an interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    of: (SymbolId, DefId),
    method: (SymbolId, DefId),
    /// The method of the interface, if the project declares it.
    meets: Option<SymbolId>,
}

/// What fits what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Fits {
    all: Vec<Fit>,
    /// By index and method of an interface of the standard library.
    standard: BTreeMap<(usize, Name), Vec<SymbolId>>,
}

/// What concerns one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileFits {
    /// Its methods, with methods of interfaces that they stand for.
    pub overrides: Vec<(DefId, SymbolId)>,
    /// Its types, with the methods that they need to fit some interface.
    pub needs: Vec<(DefId, SymbolId)>,
}

/// The methods of a type, and whether it may have more.
#[derive(Default)]
struct MethodSet {
    methods: BTreeMap<Name, Vec<(DefRef, Method)>>,
    is_open: bool,
}

/// What fits what in the project.
#[salsa::tracked(returns(clone))]
fn fits(db: &dyn Db) -> Arc<Fits> {
    let mut session = Session::new(db);
    let (mut interfaces, mut types) = (Vec::new(), Vec::new());
    for at in session.all_types() {
        match session.is_interface(at) {
            true => interfaces.push(at),
            false => types.push((at, session.method_set(at))),
        }
    }
    types.retain(|(_, set)| !set.methods.is_empty());
    let mut by_name: BTreeMap<Name, Vec<usize>> = BTreeMap::new();
    for (index, (_, set)) in types.iter().enumerate() {
        for name in set.methods.keys() {
            by_name.entry(name.clone()).or_default().push(index);
        }
    }
    let mut fits = Fits::default();
    for interface in interfaces {
        let wanted = session.method_set(interface);
        let all: Vec<Method> = wanted
            .methods
            .values()
            .flatten()
            .map(|(_, it)| it.clone())
            .collect();
        let own = wanted.methods.values().flatten().filter(|(at, _)| {
            at.file == interface.file
                && session.with(*at, |it| Some(it.container)) == Some(interface.def)
        });
        let own: Vec<(DefRef, Method)> = own.cloned().collect();
        for (at, method) in own {
            let meets = session.id(at);
            for index in by_name.get(&method.name).into_iter().flatten() {
                let Some((of, set)) = types
                    .get(*index)
                    .filter(|(_, set)| set.has(&all, set.is_open))
                else {
                    continue;
                };
                fits.add(&mut session, *of, set, &method, meets.clone());
            }
        }
    }
    for (standard, interface) in INTERFACES.iter().enumerate() {
        for method in &interface.methods {
            for index in by_name.get(&method.name).into_iter().flatten() {
                let Some((of, set)) = types
                    .get(*index)
                    .filter(|(_, set)| set.has(&interface.methods, false))
                else {
                    continue;
                };
                fits.add(&mut session, *of, set, method, None);
                let ids = set.named(method).filter_map(|at| session.id(at));
                fits.standard
                    .entry((standard, method.name.clone()))
                    .or_default()
                    .extend(ids);
            }
        }
    }
    fits.all.sort();
    fits.all.dedup();
    for ids in fits.standard.values_mut() {
        ids.sort();
        ids.dedup();
    }
    Arc::new(fits)
}

/// What concerns a file.
#[salsa::tracked(returns(clone))]
pub(super) fn fits_of(db: &dyn Db, file: SourceFile) -> Arc<FileFits> {
    let fits = fits(db);
    let mut own = FileFits::default();
    for fit in &fits.all {
        if fit.method.0.path() == file.path(db) {
            own.overrides
                .extend(fit.meets.clone().map(|meets| (fit.method.1, meets)));
        }
        if fit.of.0.path() == file.path(db) {
            own.needs.push((fit.of.1, fit.method.0.clone()));
        }
    }
    own.overrides.sort();
    own.overrides.dedup();
    own.needs.sort();
    own.needs.dedup();
    Arc::new(own)
}

/// The methods of the project that a call on an interface of the standard library may reach.
#[salsa::tracked(returns(clone))]
pub(super) fn standard_targets<'db>(
    db: &'db dyn Db,
    interface: usize,
    method: Text<'db>,
) -> Arc<[Target]> {
    let key = (interface, Name::new(method.text(db)));
    let fits = fits(db);
    let symbols = fits.standard.get(&key).into_iter().flatten();
    symbols
        .map(|symbol| Target {
            symbol: symbol.clone(),
            confidence: Confidence::Named,
        })
        .collect()
}

impl Fits {
    fn add(
        &mut self,
        session: &mut Session<'_>,
        of: DefRef,
        set: &MethodSet,
        method: &Method,
        meets: Option<SymbolId>,
    ) {
        for at in set.named(method) {
            // A method of an embedded interface is none of the type's own.
            let is_own = session.with(at, |it| it.owner).is_some();
            if let Some((of_id, id)) = session.id(of).zip(session.id(at)).filter(|_| is_own) {
                self.all.push(Fit {
                    of: (of_id, of.def),
                    method: (id, at.def),
                    meets: meets.clone(),
                });
            }
        }
    }
}

impl MethodSet {
    fn has(&self, wanted: &[Method], or_may_have: bool) -> bool {
        wanted
            .iter()
            .all(|method| match self.methods.get(&method.name) {
                Some(found) => found.iter().any(|(_, found)| found == method),
                None => or_may_have,
            })
    }

    fn named<'a>(&'a self, wanted: &'a Method) -> impl Iterator<Item = DefRef> + 'a {
        let found = self.methods.get(&wanted.name).into_iter().flatten();
        found
            .filter(move |(_, method)| method == wanted)
            .map(|(at, _)| *at)
    }
}

impl Session<'_> {
    /// Every type of the project.
    fn all_types(&mut self) -> Vec<DefRef> {
        let mut types = Vec::new();
        for &file in files(self.db) {
            if file.language(self.db) != Language::Go {
                continue;
            }
            let summary = self.summary(file);
            for (def, definition) in (0..).map(DefId).zip(&summary.definitions) {
                if definition.kind == SymbolKind::Class {
                    types.push(DefRef { file, def });
                }
            }
        }
        types
    }

    /// Whether a type has methods of its own that nothing implements where they stand.
    fn is_interface(&mut self, at: DefRef) -> bool {
        let summary = self.summary(at.file);
        summary
            .definitions
            .iter()
            .any(|it| it.kind == SymbolKind::Method && it.container == at.def && at.def != MODULE)
    }

    /// The methods of a type, those of embedded types included.
    fn method_set(&mut self, at: DefRef) -> MethodSet {
        let mut set = MethodSet::default();
        let mut seen = FxHashSet::default();
        let mut level = vec![at];
        while !level.is_empty() {
            let mut found: BTreeMap<Name, Vec<(DefRef, Method)>> = BTreeMap::new();
            let mut next = Vec::new();
            for at in std::mem::take(&mut level) {
                if !seen.insert(at) {
                    continue;
                }
                for method in self.declared_methods(at) {
                    if let Some(shape) = self.method(method) {
                        found
                            .entry(shape.name.clone())
                            .or_default()
                            .push((method, shape));
                    }
                }
                for value in self.embedded(at) {
                    match value {
                        Value::Type(Shape::Named(at)) => next.push(at),
                        Value::Type(Shape::Written(..)) => {}
                        _ => set.is_open = true,
                    }
                }
            }
            for (name, methods) in found {
                set.methods.entry(name).or_insert(methods);
            }
            level = next;
        }
        set
    }

    fn declared_methods(&mut self, at: DefRef) -> Vec<DefRef> {
        let summary = self.summary(at.file);
        let members = (0..).map(DefId).zip(&summary.definitions);
        let own = members
            .filter(|(_, it)| it.kind == SymbolKind::Method && it.container == at.def)
            .map(|(def, _)| DefRef { file: at.file, def });
        let mut own: Vec<DefRef> = own.collect();
        own.extend(self.methods(at));
        own
    }

    fn method(&mut self, at: DefRef) -> Option<Method> {
        let home = Home {
            file: at.file,
            in_facts: false,
        };
        let (id, declared) = self.with(at, |it| (Some(it.id.clone()), it.declared));
        let Expr::Function { parameters, result } = self.expr(home, declared?) else {
            return None;
        };
        let results = match self.expr(home, result) {
            Expr::Literal => 0,
            Expr::Tuple(results) => results.len(),
            _ => 1,
        };
        Some(Method {
            name: Name::new(id?.name()),
            parameters: parameters.len(),
            results,
        })
    }
}
