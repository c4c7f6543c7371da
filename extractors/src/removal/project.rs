//! A project as removal looks at it: all its references at once, forwards and backwards.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use analyzer::Analysis;
use analyzer::occurrence::{Confidence, Export, Import, Link, Reference, ReferenceKind};
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use rustc_hash::FxHashMap;

use super::cut::{Cut, Loss};
use crate::family::{Attached, bare_chain, original_of, twin_of};
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
    pub links: Arc<Vec<Link>>,
    /// See [`Project::may_look_up`].
    lookups: OnceCell<BTreeSet<String>>,
}

/// A reference or an import: index of its file, index in the file.
pub(super) type Place = (usize, usize);

/// All files, and where each symbol is meant.
pub struct Project<'a> {
    pub(super) analysis: &'a Analysis,
    /// Sorted by path.
    pub(super) files: Vec<ProjectFile>,
    /// Where each symbol is meant, by references that say so themselves (see [`meant`]).
    uses: FxHashMap<SymbolId, Vec<Place>>,
    symbols: FxHashMap<SymbolId, (usize, usize)>,
    /// What belongs to what without standing in it.
    pub(super) attached: Attached,
    /// What must be there as long as all of some others are.
    pub(super) demands: Vec<(SymbolId, Vec<SymbolId>)>,
    /// The files that exist for tests only.
    pub(super) test_files: BTreeSet<String>,
    /// By path: the imports that are for that file or something in it.
    importers: FxHashMap<String, Vec<Place>>,
    /// By path: the files that list something of it among their public names, or link to it.
    listers: FxHashMap<String, BTreeSet<usize>>,
    /// Cuts that were made, by file: plans that are tried one after the other share most of them.
    cuts: RefCell<FxHashMap<usize, FxHashMap<Loss, Rc<Cut>>>>,
}

impl<'a> Project<'a> {
    /// Reads a snapshot; costly, so it serves many removals.
    pub fn new(analysis: &'a Analysis) -> Self {
        let files: Vec<ProjectFile> = analysis
            .paths()
            .into_iter()
            .map(|path| file(analysis, path))
            .collect();
        let demands = files.iter().flat_map(|file| analysis.demands(&file.path));
        let demands = demands.collect();
        let mut uses: FxHashMap<SymbolId, Vec<Place>> = FxHashMap::default();
        let mut symbols = FxHashMap::default();
        let mut importers: FxHashMap<String, Vec<Place>> = FxHashMap::default();
        let mut listers: FxHashMap<String, BTreeSet<usize>> = FxHashMap::default();
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
            for (i, import) in file.imports.iter().enumerate() {
                for path in sources(import) {
                    importers.entry(path.to_owned()).or_default().push((f, i));
                }
            }
            let exported = file.exports.iter().flat_map(|export| &export.targets);
            let linked = file.links.iter().flat_map(|link| &link.targets);
            for target in exported.chain(linked) {
                let listers = listers.entry(target.path().to_owned()).or_default();
                listers.insert(f);
            }
        }
        Self {
            analysis,
            files,
            uses,
            symbols,
            attached: Attached::of(analysis),
            demands,
            test_files: analysis.test_files(),
            importers,
            listers,
            cuts: RefCell::default(),
        }
    }

    pub(super) fn file(&self, path: &str) -> Option<&ProjectFile> {
        self.files.get(self.index_of(path)?)
    }

    fn index_of(&self, path: &str) -> Option<usize> {
        self.files
            .binary_search_by(|file| (*file.path).cmp(path))
            .ok()
    }

    /// The imports that are for a file or something in it, in order, with their indices.
    pub(super) fn importers(
        &self,
        path: &str,
    ) -> impl Iterator<Item = (&ProjectFile, usize, &Import)> {
        let places = self.importers.get(path).map(Vec::as_slice);
        let import = |(f, i): &Place| {
            let file = self.files.get(*f)?;
            Some((file, *i, file.imports.get(*i)?))
        };
        places.unwrap_or_default().iter().filter_map(import)
    }

    /// The files that list something of a file among their public names, or link to it, in order.
    pub(super) fn listers(&self, path: &str) -> impl Iterator<Item = &ProjectFile> {
        let files = self.listers.get(path).into_iter().flatten();
        files.filter_map(|file| self.files.get(*file))
    }

    /// The cut that makes a file lose something.
    pub(super) fn cut(&self, path: &str, loss: Loss) -> Option<Rc<Cut>> {
        let index = self.index_of(path)?;
        let known = |cuts: &FxHashMap<Loss, Rc<Cut>>| cuts.get(&loss).cloned();
        if let Some(cut) = self.cuts.borrow().get(&index).and_then(known) {
            return Some(cut);
        }
        let tree = self.analysis.syntax(path)?;
        let cut = Rc::new(Cut::new(tree, self.files.get(index)?, &loss));
        let mut cuts = self.cuts.borrow_mut();
        cuts.entry(index).or_default().insert(loss, cut.clone());
        Some(cut)
    }

    pub(super) fn symbol(&self, id: &SymbolId) -> Option<&Symbol> {
        let (file, symbol) = self.symbols.get(id)?;
        self.files.get(*file)?.symbols.get(*symbol)
    }

    /// A symbol's index in its file.
    pub(super) fn position(&self, id: &SymbolId) -> Option<usize> {
        self.symbols.get(id).map(|(_, symbol)| *symbol)
    }

    /// The rules of a file's language.
    pub(super) fn rules(&self, path: &str) -> Option<&'static dyn Rules> {
        Some(lang::rules(grammars::Language::from_path(path)?))
    }

    /// Why a function cannot become a stub, if it cannot.
    pub fn stub_refusal(&self, id: &SymbolId) -> Option<&'static str> {
        let rules = self.rules(id.path())?;
        let tree = self.analysis.syntax(id.path())?;
        let refused = rules.refuses_stub(&tree, self.symbol(id)?);
        refused.or_else(|| {
            let is_needed = self.runs_while_compiling(id);
            is_needed.then_some("a constant is worked out with it while the code is compiled")
        })
    }

    /// Whether a function may run while the code is compiled, and something that is no function uses
    /// it, or a function of that kind does which is used so.
    fn runs_while_compiling(&self, id: &SymbolId) -> bool {
        let may_run = |id: &SymbolId| {
            let rules = self.rules(id.path()).zip(self.analysis.syntax(id.path()));
            let found = rules.zip(self.symbol(id));
            found.is_some_and(|((rules, tree), symbol)| rules.runs_while_compiling(&tree, symbol))
        };
        if !may_run(id) {
            return false;
        }
        let mut seen = BTreeSet::from([id.clone()]);
        let mut open = vec![id.clone()];
        while let Some(id) = open.pop() {
            let users: BTreeSet<&SymbolId> = self.uses(&id).map(|(_, it)| &it.from).collect();
            for user in users {
                let kind = self.symbol(user).map(|symbol| symbol.kind);
                match kind {
                    Some(SymbolKind::Variable | SymbolKind::Field) => return true,
                    Some(kind) if kind.is_callable() && !seen.contains(user) && may_run(user) => {
                        seen.insert(user.clone());
                        open.push(user.clone());
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// Every reference that means a symbol itself.
    pub(super) fn uses(&self, id: &SymbolId) -> impl Iterator<Item = (&ProjectFile, &Reference)> {
        let places = self.uses.get(id).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|place| self.reference(*place))
    }

    pub(super) fn reference(&self, place: Place) -> Option<(&ProjectFile, &Reference)> {
        let file = self.files.get(place.0)?;
        Some((file, file.references.get(place.1)?))
    }

    /// Every reference of the project that may mean one of the symbols or something in them.
    pub(super) fn uses_within(&self, ids: &BTreeSet<SymbolId>) -> BTreeSet<Place> {
        let uses = self
            .uses
            .iter()
            .filter(|(id, _)| self.holders(id).iter().any(|id| ids.contains(id)));
        uses.flat_map(|(_, places)| places).copied().collect()
    }

    /// A symbol and what holds it, innermost first.
    pub(super) fn chain<'s>(&'s self, id: &'s SymbolId) -> impl Iterator<Item = &'s SymbolId> {
        std::iter::successors(Some(id), |id| self.symbol(id)?.container.as_ref())
    }

    /// A symbol, what holds it and what it belongs to: whatever takes it along.
    pub(super) fn holders(&self, id: &SymbolId) -> BTreeSet<SymbolId> {
        let mut holders = BTreeSet::new();
        let mut open = vec![id.clone()];
        while let Some(id) = open.pop() {
            if holders.contains(&id) {
                continue;
            }
            open.extend(self.symbol(&id).and_then(|it| it.container.clone()));
            open.extend_from_slice(self.attached.owners(&id));
            holders.insert(id);
        }
        holders
    }

    /// The symbols whose definitions lie in none of the others.
    pub(super) fn outermost(&self, ids: &BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
        let inside = |id: &SymbolId| self.chain(id).skip(1).any(|outer| ids.contains(outer));
        ids.iter().filter(|id| !inside(id)).cloned().collect()
    }

    /// Whether a file looks up a name in something called `object`.
    pub(super) fn may_look_up(&self, file: &ProjectFile, object: &str, name: &str) -> bool {
        let lookups = file.lookups.get_or_init(|| {
            let tree = self.analysis.syntax(&file.path);
            tree.map(|tree| lang::rules(tree.language()).lookups(&tree))
                .unwrap_or_default()
        });
        lookups.contains(&format!("{object}.{name}"))
    }

    /// The definitions that share a symbol's id but for their numbers, the symbol itself included.
    pub(super) fn namesakes(&self, symbol: &Symbol) -> impl Iterator<Item = &Symbol> {
        let symbols = self
            .file(symbol.id.path())
            .map(|file| file.symbols.as_slice())
            .unwrap_or_default();
        let (id, container) = (unmarked(&symbol.id).to_owned(), symbol.container.clone());
        symbols
            .iter()
            .filter(move |other| other.container == container && unmarked(&other.id) == id)
    }

    /// The file of the project that declares again what a file defines.
    pub(super) fn twin(&self, path: &str) -> Option<&ProjectFile> {
        self.file(&twin_of(path)?)
    }

    /// The definitions that a declaration stands for; none unless a file of declarations holds it.
    pub(super) fn originals(&self, id: &SymbolId) -> impl Iterator<Item = &SymbolId> {
        let file = original_of(id.path()).and_then(|path| self.file(&path));
        let symbols = file.map(|file| file.symbols.as_slice()).unwrap_or_default();
        let chain = bare_chain(id);
        symbols
            .iter()
            .map(|symbol| &symbol.id)
            .filter(move |original| bare_chain(original) == chain)
    }

    pub(super) fn is_module_variable(&self, symbol: &Symbol) -> bool {
        symbol.kind == SymbolKind::Variable
            && symbol.container.as_ref().is_some_and(SymbolId::is_module)
    }
}

/// An id without what tells equal names apart.
fn unmarked(id: &SymbolId) -> &str {
    let text = id.as_str();
    let last_link = text.rfind(['.', ':']).unwrap_or(0);
    let mark = text.get(last_link..).and_then(|link| link.find('#'));
    mark.and_then(|at| text.get(..last_link + at))
        .unwrap_or(text)
}

/// The files that an import is for, each once.
fn sources(import: &Import) -> BTreeSet<&str> {
    let targets = import.targets.iter().map(SymbolId::path);
    targets.chain(import.module.as_deref()).collect()
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

fn file(analysis: &Analysis, path: String) -> ProjectFile {
    ProjectFile {
        is_editable: analysis.problems(&path).is_empty(),
        symbols: analysis.symbols(&path),
        references: analysis.references(&path),
        imports: analysis.imports(&path),
        exports: analysis.exports(&path),
        links: analysis.links(&path),
        lookups: OnceCell::new(),
        path,
    }
}
