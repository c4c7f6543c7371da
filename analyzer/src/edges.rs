//! The part of the dependency graph that one file gives rise to.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::facts::{DefId, Definition, Name, Summary};
use crate::graph::{Place, StaticEdge, StaticKind};
use crate::occurrence::{Confidence, Reference};
use crate::resolution::{ByName, Resolution};
use crate::symbol::SymbolId;

/// What an edge leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// A symbol.
    Symbol(SymbolId),
    /// Every definition of a name.
    Named(Name),
}

/// The edges that one file gives rise to: the first of each kind between two ends. Those of what
/// encloses what come first, then uses, imports and inheritance, each in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileEdges {
    /// From symbol, to end, how.
    pub edges: Vec<(SymbolId, End, StaticEdge)>,
}

/// What tells edges between the same two ends apart.
type Key = (SymbolId, End, StaticKind, Confidence);

impl FileEdges {
    /// The edges of a file.
    pub fn of(summary: &Summary, resolution: &Resolution) -> Self {
        let mut builder = Builder {
            summary,
            seen: FxHashSet::default(),
            edges: Vec::new(),
        };
        let path: Arc<str> = summary
            .definitions
            .first()
            .map(|module| Arc::from(module.id.path()))
            .unwrap_or_default();
        builder.containers();
        for (index, (reference, detail)) in
            (0..).zip(resolution.references.iter().zip(&resolution.details))
        {
            let place = Place::Reference {
                path: path.clone(),
                index,
            };
            builder.reference(reference, detail.runner, &detail.by_name, &place);
        }
        for (index, import) in (0..).zip(resolution.imports.iter()) {
            let place = Place::Import {
                path: path.clone(),
                index,
            };
            let module = import.module.as_deref().map(SymbolId::module);
            for target in import.targets.iter().chain(&module) {
                builder.add(&import.scope, target, StaticKind::Import, &place);
            }
        }
        for (index, module) in &resolution.loads {
            let place = Place::Import {
                path: path.clone(),
                index: *index,
            };
            if let Some(import) = resolution.imports.get(*index as usize) {
                builder.add(&import.scope, module, StaticKind::Import, &place);
            }
        }
        builder.classes(resolution);
        Self {
            edges: builder.edges,
        }
    }
}

struct Builder<'a> {
    summary: &'a Summary,
    seen: FxHashSet<Key>,
    edges: Vec<(SymbolId, End, StaticEdge)>,
}

impl Builder<'_> {
    fn insert(
        &mut self,
        from: &SymbolId,
        to: End,
        kind: StaticKind,
        confidence: Confidence,
        place: &Place,
    ) {
        let key = (from.clone(), to, kind, confidence);
        if !self.seen.contains(&key) {
            let edge = StaticEdge {
                kind,
                confidence,
                place: place.clone(),
            };
            self.edges.push((key.0.clone(), key.1.clone(), edge));
            self.seen.insert(key);
        }
    }

    fn add(&mut self, from: &SymbolId, to: &SymbolId, kind: StaticKind, place: &Place) {
        if from != to {
            self.insert(
                from,
                End::Symbol(to.clone()),
                kind,
                Confidence::Resolved,
                place,
            );
        }
    }

    fn containers(&mut self) {
        for definition in self.summary.definitions.iter().skip(1) {
            if let Some(container) = self
                .summary
                .definitions
                .get(definition.container.0 as usize)
            {
                let place = Place::Symbol(definition.id.clone());
                self.add(&container.id, &definition.id, StaticKind::Contain, &place);
            }
        }
    }

    fn classes(&mut self, resolution: &Resolution) {
        for (class, base) in &resolution.inherits {
            if let Some(class) = self.definition(*class) {
                let (id, place) = (class.id.clone(), Place::Symbol(class.id.clone()));
                self.add(&id, base, StaticKind::Inherit, &place);
            }
        }
        for (definition, owner) in &resolution.attached {
            if let Some(definition) = self.definition(*definition) {
                let (id, place) = (definition.id.clone(), Place::Symbol(definition.id.clone()));
                self.add(owner, &id, StaticKind::Contain, &place);
            }
        }
        for (member, inherited) in &resolution.overrides {
            if let Some(member) = self.definition(*member) {
                let (id, place) = (member.id.clone(), Place::Symbol(member.id.clone()));
                self.insert(
                    inherited,
                    End::Symbol(id),
                    StaticKind::Override,
                    Confidence::Named,
                    &place,
                );
            }
        }
    }

    /// An edge from the symbol around the place, and one from the code that evaluates it.
    fn reference(&mut self, reference: &Reference, runner: DefId, by_name: &ByName, place: &Place) {
        let kind = StaticKind::Reference(reference.kind);
        let runner = self.definition(runner).map(|runner| runner.id.clone());
        let runner = runner.filter(|runner| *runner != reference.from);
        for from in std::iter::once(&reference.from).chain(&runner) {
            let by_hub = !matches!(by_name, ByName::None);
            for target in reference.targets.iter() {
                if !(by_hub && target.confidence == Confidence::Named) {
                    self.insert(
                        from,
                        End::Symbol(target.symbol.clone()),
                        kind,
                        target.confidence,
                        place,
                    );
                }
            }
            let names: Vec<Name> = match by_name {
                ByName::None => Vec::new(),
                ByName::One(name) => vec![name.clone()],
                ByName::Any(names) => names.iter().map(|name| Name::new_static(name)).collect(),
            };
            for name in names {
                self.insert(from, End::Named(name), kind, Confidence::Named, place);
            }
        }
    }

    fn definition(&self, id: DefId) -> Option<&Definition> {
        self.summary.definitions.get(id.0 as usize)
    }
}
