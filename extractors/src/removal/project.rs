//! A project as removal looks at it: all its references at once, forwards and backwards.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analyzer::Analysis;
use analyzer::occurrence::{Confidence, Export, Import, Reference, ReferenceKind};
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use rustc_hash::FxHashMap;

use crate::lang::{self, Rules};

/// One file.
pub(super) struct ProjectFile {
    pub path: String,
    /// Whether it parses and every byte of it can be read.
    pub is_editable: bool,
    pub symbols: Arc<Vec<Symbol>>,
    pub references: Arc<Vec<Reference>>,
    pub imports: Arc<Vec<Import>>,
    pub exports: Arc<Vec<Export>>,
    /// Names that it may look up in a module.
    pub member_names: BTreeSet<String>,
}

/// A reference: index of its file, index in the file.
pub(super) type Place = (usize, usize);

/// All files, and where each symbol is meant.
pub(super) struct Project<'a> {
    pub analysis: &'a Analysis,
    /// Sorted by path.
    pub files: Vec<ProjectFile>,
    /// Where each symbol is meant, by references that say so themselves (see [`meant`]).
    uses: FxHashMap<SymbolId, Vec<Place>>,
    symbols: FxHashMap<SymbolId, (usize, usize)>,
}

impl<'a> Project<'a> {
    pub fn new(analysis: &'a Analysis) -> Self {
        let mut paths: Vec<String> = analysis
            .paths()
            .into_iter()
            .map(|path| path.to_string())
            .collect();
        paths.sort();
        let files: Vec<ProjectFile> = paths
            .into_iter()
            .filter_map(|path| file(analysis, path))
            .collect();
        let mut uses: FxHashMap<SymbolId, Vec<Place>> = FxHashMap::default();
        let mut symbols = FxHashMap::default();
        for (f, file) in files.iter().enumerate() {
            for (r, reference) in file.references.iter().enumerate() {
                for target in meant(reference) {
                    uses.entry(target.clone()).or_default().push((f, r));
                }
            }
            symbols.extend(
                file.symbols
                    .iter()
                    .enumerate()
                    .map(|(s, symbol)| (symbol.id.clone(), (f, s))),
            );
        }
        Self {
            analysis,
            files,
            uses,
            symbols,
        }
    }

    pub fn file(&self, path: &str) -> Option<&ProjectFile> {
        let index = self
            .files
            .binary_search_by(|file| (*file.path).cmp(path))
            .ok()?;
        self.files.get(index)
    }

    pub fn symbol(&self, id: &SymbolId) -> Option<&Symbol> {
        let (file, symbol) = self.symbols.get(id)?;
        self.files.get(*file)?.symbols.get(*symbol)
    }

    /// The rules of a file's language.
    pub fn rules(&self, path: &str) -> Option<&'static dyn Rules> {
        Some(lang::rules(grammars::Language::from_path(path)?))
    }

    /// Every reference that means a symbol itself.
    pub fn uses(&self, id: &SymbolId) -> impl Iterator<Item = (&ProjectFile, &Reference)> {
        let places = self.uses.get(id).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|place| self.reference(*place))
    }

    pub fn reference(&self, place: Place) -> Option<(&ProjectFile, &Reference)> {
        let file = self.files.get(place.0)?;
        Some((file, file.references.get(place.1)?))
    }

    /// Every reference of the project that may mean one of the symbols or something in them.
    pub fn uses_within(&self, ids: &BTreeSet<SymbolId>) -> BTreeMap<Place, ()> {
        let inside = |id: &SymbolId| {
            std::iter::successors(Some(id), |id| self.container(id)).any(|id| ids.contains(id))
        };
        let places = self
            .uses
            .iter()
            .filter(|(id, _)| inside(id))
            .flat_map(|(_, places)| places);
        places.map(|place| (*place, ())).collect()
    }

    pub fn container(&self, id: &SymbolId) -> Option<&SymbolId> {
        self.symbol(id)?.container.as_ref()
    }

    /// The definitions of the same name in the same container, the symbol itself included.
    pub fn namesakes(&self, symbol: &Symbol) -> impl Iterator<Item = &Symbol> {
        let symbols = self
            .file(symbol.id.path())
            .map(|file| file.symbols.as_slice())
            .unwrap_or_default();
        let (name, container) = (symbol.id.name().to_owned(), symbol.container.clone());
        symbols
            .iter()
            .filter(move |other| other.container == container && other.id.name() == name)
    }

    pub fn is_module_variable(&self, symbol: &Symbol) -> bool {
        symbol.kind == SymbolKind::Variable
            && symbol.container.as_ref().is_some_and(SymbolId::is_module)
    }
}

/// What a reference means: the targets that were resolved, or all that have its name if none was.
pub(super) fn meant(reference: &Reference) -> impl Iterator<Item = &SymbolId> {
    let is_resolved = |confidence| confidence == Confidence::Resolved;
    let any_resolved = reference
        .targets
        .iter()
        .any(|target| is_resolved(target.confidence));
    // A call that no text stands for cannot dangle unless it is sure to be one.
    let counts = any_resolved || reference.kind != ReferenceKind::Implicit;
    let targets = reference
        .targets
        .iter()
        .filter(move |target| counts && is_resolved(target.confidence) == any_resolved);
    targets.map(|target| &target.symbol)
}

fn file(analysis: &Analysis, path: String) -> Option<ProjectFile> {
    let tree = analysis.syntax(&path)?;
    let text = tree.text();
    Some(ProjectFile {
        is_editable: text.problems().is_empty() && tree.error_ranges().is_empty(),
        symbols: analysis.symbols(&path),
        imports: analysis.imports(&path),
        exports: analysis.exports(&path),
        references: analysis.references(&path),
        member_names: lang::rules(tree.language()).member_names(&tree),
        path,
    })
}
