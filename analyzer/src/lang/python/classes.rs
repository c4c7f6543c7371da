//! Classes: the order of inheritance (C3), and members found along it.

use std::rc::Rc;

use crate::facts::{DefId, Name};
use crate::symbol::{SymbolId, SymbolKind};

use super::values::{DefRef, Found, Home, Session, Value};

/// Definitions of the file at hand with a symbol each belongs to.
pub(super) type Pairs = Vec<(DefId, SymbolId)>;

/// A class and everything it inherits from.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    /// The class itself, then its ancestors of the project in the order members are looked up.
    pub classes: Vec<DefRef>,
    /// Whether all ancestors are known; not so with foreign bases.
    pub is_complete: bool,
}

impl Session<'_> {
    /// The order of inheritance of a class.
    pub fn lineage(&mut self, class: DefRef) -> Rc<Lineage> {
        if let Some(lineage) = self.lineages.get(&class) {
            return lineage.clone();
        }
        // A class that inherits from itself does so from itself only.
        self.lineages.insert(
            class,
            Rc::new(Lineage {
                classes: vec![class],
                is_complete: false,
            }),
        );
        let lineage = Rc::new(self.find_lineage(class));
        self.lineages.insert(class, lineage.clone());
        lineage
    }

    fn find_lineage(&mut self, class: DefRef) -> Lineage {
        let (bases, mut is_complete) = self.bases(class);
        let mut lists: Vec<Vec<DefRef>> = Vec::new();
        for base in &bases {
            let lineage = self.lineage(*base);
            is_complete &= lineage.is_complete;
            lists.push(lineage.classes.clone());
        }
        lists.push(bases);
        let mut classes = vec![class];
        classes.extend(
            merge(lists)
                .into_iter()
                .filter(|ancestor| *ancestor != class),
        );
        Lineage {
            classes,
            is_complete,
        }
    }

    /// The bases of a class, and whether those are all.
    pub fn bases(&mut self, class: DefRef) -> (Vec<DefRef>, bool) {
        let home = Home::Summary(class.file);
        let expressions = self.with(class, |definition| definition.bases.clone());
        let mut bases = Vec::new();
        let mut is_complete = true;
        for expression in expressions {
            for value in self.values(home, expression).iter() {
                match value {
                    Value::Definition(base) if self.kind(*base) == Some(SymbolKind::Class) => {
                        if !bases.contains(base) && *base != class {
                            bases.push(*base);
                        }
                    }
                    _ => is_complete = false,
                }
            }
        }
        (bases, is_complete)
    }

    /// A member found on the class itself.
    pub fn member_of_class(&mut self, class: DefRef, name: &Name) -> Vec<Found> {
        let lineage = self.lineage(class);
        let found = self.member_along(&lineage.classes, name);
        if found.is_empty() {
            self.member_of_metaclass(class, name)
        } else {
            found
        }
    }

    fn member_of_metaclass(&mut self, class: DefRef, name: &Name) -> Vec<Found> {
        let Some(metaclass) = self.metaclass(class) else {
            return Vec::new();
        };
        let lineage = self.lineage(metaclass);
        self.member_along(&lineage.classes, name)
    }

    /// The metaclass, if it is of the project.
    pub fn metaclass(&mut self, class: DefRef) -> Option<DefRef> {
        for ancestor in self.lineage(class).classes.clone() {
            let metaclass = self.with(ancestor, |definition| definition.metaclass);
            let values =
                metaclass.map(|metaclass| self.values(Home::Summary(ancestor.file), metaclass));
            if let Some(Value::Definition(metaclass)) =
                values.as_deref().and_then(|values| values.first())
            {
                return (*metaclass != class).then_some(*metaclass);
            }
        }
        None
    }

    /// A member of an object: what its methods assign to it, and what its class has.
    pub fn member_of_object(&mut self, class: DefRef, name: &Name) -> Vec<Found> {
        let classes = self.lineage(class).classes.clone();
        let mut found = self.member_along(&classes, name);
        for ancestor in classes {
            let assigned = self
                .with(ancestor, |definition| {
                    definition.attributes.get(name).cloned()
                })
                .unwrap_or_default();
            found.extend(
                assigned
                    .into_iter()
                    .map(|value| Found::Value(Home::Summary(ancestor.file), value)),
            );
        }
        found
    }

    /// A member that `super()` finds in a method of a class.
    pub fn inherited_member(&mut self, class: DefRef, name: &Name) -> Vec<Found> {
        let lineage = self.lineage(class);
        self.member_along(lineage.classes.get(1..).unwrap_or_default(), name)
    }

    fn member_along(&mut self, classes: &[DefRef], name: &Name) -> Vec<Found> {
        for class in classes {
            let found = self.own_member(*class, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// A member that a class itself binds.
    fn own_member(&mut self, class: DefRef, name: &Name) -> Vec<Found> {
        let summary = self.summary(class.file);
        let scope = self.with(class, |definition| definition.scope);
        let bindings =
            scope.and_then(|scope| summary.scopes.get(scope.0 as usize)?.names.get(name));
        bindings
            .map(|bindings| self.bound(Home::Summary(class.file), bindings))
            .unwrap_or_default()
    }

    /// The classes of a file with their bases, and its members with what they override.
    pub fn hierarchy(&mut self) -> (Pairs, Pairs) {
        let (mut inherits, mut overrides) = (Vec::new(), Vec::new());
        let summary = self.summary(self.file);
        for (def, definition) in (0..).map(DefId).zip(&summary.definitions) {
            if definition.kind == SymbolKind::Class {
                let class = DefRef {
                    file: self.file,
                    def,
                };
                let bases = self.bases(class).0;
                inherits.extend(
                    bases
                        .into_iter()
                        .filter_map(|base| Some((def, self.id(base)?))),
                );
            } else if matches!(definition.kind, SymbolKind::Method | SymbolKind::Field) {
                let class = DefRef {
                    file: self.file,
                    def: definition.container,
                };
                let name = Name::new(definition.id.name());
                for found in self.inherited_member(class, &name) {
                    if let Found::Definition(inherited) = found {
                        overrides.extend(self.id(inherited).map(|inherited| (def, inherited)));
                    }
                }
            }
        }
        (inherits, overrides)
    }
}

/// The C3 merge of orders of inheritance. Where it has no answer (the program would fail), the first
/// candidate is taken, so that nothing gets lost.
fn merge(mut lists: Vec<Vec<DefRef>>) -> Vec<DefRef> {
    let mut merged: Vec<DefRef> = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        let heads: Vec<DefRef> = lists
            .iter()
            .filter_map(|list| list.first().copied())
            .collect();
        let good = heads.iter().find(|head| {
            !lists
                .iter()
                .any(|list| list.iter().skip(1).any(|class| class == *head))
        });
        let Some(next) = good.or(heads.first()).copied() else {
            return merged;
        };
        if !merged.contains(&next) {
            merged.push(next);
        }
        for list in &mut lists {
            list.retain(|class| *class != next);
        }
    }
}
