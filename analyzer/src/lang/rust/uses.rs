//! Uses: what is noted about a place where a name is used.

use std::ops::Range;

use super::items::ItemKind;
use super::map::{Meaning, Sym};
use super::resolve::{Meant, Walk};
use crate::facts::Name;
use crate::occurrence::{Confidence, Reference, ReferenceKind, Target};
use crate::resolution::{ByName, Detail};

/// Names with more definitions than this go through the node of the name in the graph.
const MANY: usize = 16;

impl Walk<'_> {
    pub fn index_traits(&mut self) {
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
            self.imply(range, import);
        }
    }

    /// An import that is needed at a place without being named there: once for each definition.
    fn imply(&mut self, range: &Range<usize>, import: u32) {
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
            self.imply(range, import);
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
}
