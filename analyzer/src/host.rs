//! The two handles on the database: [`AnalysisHost`] takes changes, [`Analysis`] answers questions
//! about one state of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use grammars::{Language, Problem, SourceText, SyntaxTree};
use rayon::prelude::*;
use salsa::Setter;

use crate::database::{self, Database, Db, Manifest, Observer, Project, SourceFile};
use crate::facts::DefId;
use crate::graph::{DependencyGraph, Place};
use crate::lang;
use crate::occurrence::{Export, Import, Link, Reference};
use crate::resolution::{Demand, Resolution};
use crate::symbol::{ByteRange, Symbol, SymbolId};
use crate::trace::Trace;
use crate::trace_symbols::TraceSymbols;

/// One transaction over the inputs.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Files by path with their new bytes, or `None` where the file is gone. Paths are relative to the
    /// root of the project, with `/`. A file that [`is_input`] does not
    /// know is ignored.
    pub files: Vec<(String, Option<Arc<[u8]>>)>,
    /// The new trace, if it changes: `Some(None)` takes it away.
    pub trace: Option<Option<Arc<Trace>>>,
}

/// Owns the database and takes changes.
pub struct AnalysisHost {
    db: Database,
    files: BTreeMap<String, SourceFile>,
    manifests: BTreeMap<String, Manifest>,
}

/// Whether the analysis reads a file with this path: source code, or a manifest.
pub fn is_input(path: &str) -> bool {
    Language::from_path(path).is_some() || lang::is_manifest(path)
}

/// What [`is_input`] knows, as glob patterns.
pub fn input_patterns() -> Vec<String> {
    let extensions = Language::ALL
        .iter()
        .flat_map(|language| language.extensions());
    let sources = extensions.map(|extension| format!("**/*.{extension}"));
    let manifests = lang::manifests().map(|name| format!("**/{name}"));
    sources.chain(manifests).collect()
}

impl Default for AnalysisHost {
    fn default() -> Self {
        Self::new()
    }
}

impl AnalysisHost {
    /// A host of an empty project.
    pub fn new() -> Self {
        Self::with_observer(None)
    }

    /// A host that tells `observer` the name and key of every tracked function that is executed.
    pub fn observed(observer: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::with_observer(Some(Box::new(observer)))
    }

    fn with_observer(observer: Option<Observer>) -> Self {
        Self {
            db: Database::new(observer),
            files: BTreeMap::new(),
            manifests: BTreeMap::new(),
        }
    }

    /// Applies a change. What is equal to what is there already is no change.
    ///
    /// Waits until every [`Analysis`] is dropped; a question in flight in another thread is cancelled:
    /// it unwinds with [`crate::Cancelled`], for `Cancelled::catch`.
    pub fn apply(&mut self, change: Change) {
        let count = self.files.len();
        let mut is_moved = false;
        for (path, bytes) in change.files {
            if lang::is_manifest(&path) {
                self.write_manifest(path, bytes.as_deref());
                continue;
            }
            match (bytes, Language::from_path(&path)) {
                (Some(bytes), Some(language)) => self.write(path, language, &bytes),
                _ => is_moved |= self.files.remove(&path).is_some(),
            }
        }
        if is_moved || self.files.len() != count {
            let files = self.files.values().copied().collect();
            Project::get(&self.db).set_files(&mut self.db).to(files);
        }
        if let Some(trace) = change.trace
            && *Project::get(&self.db).trace(&self.db) != trace
        {
            Project::get(&self.db).set_trace(&mut self.db).to(trace);
        }
    }

    fn write(&mut self, path: String, language: Language, bytes: &Arc<[u8]>) {
        match self.files.get(&path) {
            Some(file) if file.text(&self.db).bytes() == &**bytes => {}
            Some(file) => {
                let file = *file;
                self.set_edited(file, SourceText::new(Some(language), bytes));
            }
            None => {
                let text = SourceText::new(Some(language), bytes);
                let file = SourceFile::new(&self.db, path.clone(), language, text);
                self.files.insert(path, file);
            }
        }
    }

    fn set_edited(&mut self, file: SourceFile, text: SourceText) {
        self.db.edited().note(file);
        file.set_text(&mut self.db).to(text);
    }

    /// A file is likely to be edited from now on: its tree is kept from the next question on, so that the
    /// first change costs as little as those after it. Waits like [`AnalysisHost::apply`].
    pub fn expect_edits(&mut self, path: &str) {
        if let Some(file) = self.files.get(path).copied()
            && !self.db.edited().has(file)
        {
            let text = file.text(&self.db).clone();
            self.set_edited(file, text);
        }
    }

    fn write_manifest(&mut self, path: String, bytes: Option<&[u8]>) {
        let text = bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        match (self.manifests.get(&path), text) {
            (Some(manifest), Some(text)) if manifest.text(&self.db) == text => return,
            (Some(manifest), Some(text)) => {
                manifest.set_text(&mut self.db).to(text);
                return;
            }
            (None, None) => return,
            (Some(_), None) => {
                self.manifests.remove(&path);
            }
            (None, Some(text)) => {
                let manifest = Manifest::new(&self.db, path.clone(), text);
                self.manifests.insert(path, manifest);
            }
        }
        let manifests = self.manifests.values().copied().collect();
        Project::get(&self.db)
            .set_manifests(&mut self.db)
            .to(manifests);
    }

    /// Frees the syntax trees and facts of all but the files asked for last; they are computed again
    /// when they are needed. Waits like [`AnalysisHost::apply`].
    pub fn trim(&mut self) {
        salsa::Database::trigger_lru_eviction(&mut self.db);
    }

    /// A handle on the present state.
    pub fn analysis(&self) -> Analysis {
        Analysis {
            db: self.db.clone(),
        }
    }
}

/// Ends the questions of one [`Analysis`].
#[derive(Clone, Debug)]
pub struct Canceller(salsa::CancellationToken);

impl Canceller {
    /// Lets the question in flight, or the next one, unwind.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// Answers questions about one state of the project. Every answer is the same for the same state, at
/// any number of threads; every list has a stated order. A path that is not in the project has no
/// symbols, references, imports, exports or problems.
pub struct Analysis {
    db: Database,
}

impl Clone for Analysis {
    fn clone(&self) -> Self {
        Self {
            db: self.db.clone(),
        }
    }
}

impl Analysis {
    /// The paths of all files, sorted.
    pub fn paths(&self) -> Vec<String> {
        database::files(&self.db)
            .iter()
            .map(|file| file.path(&self.db).to_owned())
            .collect()
    }

    /// The paths and texts of all files, sorted by path.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &SourceText)> {
        let files = database::files(&self.db).iter();
        files.map(|file| (file.path(&self.db), file.text(&self.db)))
    }

    /// The paths of the files whose text may have one of some words, sorted: all that have one, and hardly
    /// another.
    pub fn paths_with(&self, words: &[String]) -> Vec<&str> {
        let may_have = |text: &SourceText| words.iter().any(|word| text.words().may_have(word));
        let found = self.sources().filter(|(_, text)| may_have(text));
        found.map(|(path, _)| path).collect()
    }

    /// Everything that the state was made from, as a [`Change`] takes it: files, then manifests, each
    /// sorted by path.
    pub fn inputs(&self) -> Vec<(String, Option<Arc<[u8]>>)> {
        let files = database::files(&self.db).iter();
        let files = files.map(|file| (file.path(&self.db), file.text(&self.db).bytes()));
        let manifests = database::manifests(&self.db).iter();
        let manifests = manifests.map(|it| (it.path(&self.db), it.text(&self.db).as_bytes()));
        files
            .chain(manifests)
            .map(|(path, bytes)| (path.to_owned(), Some(Arc::from(bytes))))
            .collect()
    }

    /// The files that exist for tests only, whatever tests they hold: their places say so, or nothing but
    /// test code takes them in.
    pub fn test_files(&self) -> BTreeSet<String> {
        let paths = self.paths();
        let mut found = by_place(&paths);
        let mut open = paths;
        while let Some(path) = open.pop() {
            let Some(source) = self.source(&path) else {
                continue;
            };
            let is_test = found.contains(&path);
            for import in self.imports(&path).iter() {
                let modules = import.targets.iter().filter(|target| target.is_module());
                let mut parts = modules.map(SymbolId::path);
                let Some(part) = parts.find(|part| !found.contains(*part)) else {
                    continue;
                };
                let statement = source.slice(import.statement.clone());
                let for_tests = lang::takes_in_for_tests(&path, statement);
                if for_tests.is_some_and(|for_tests| for_tests || is_test) {
                    found.insert(part.to_owned());
                    open.push(part.to_owned());
                }
            }
        }
        found
    }

    /// Whether a manifest asks for a file with tests: without the file nothing can be built.
    pub fn is_asked_for(&self, path: &str) -> bool {
        let mut manifests = database::manifests(&self.db).iter();
        manifests.any(|it| lang::asks_for(it.path(&self.db), it.text(&self.db), path))
    }

    /// The text of a file.
    pub fn source(&self, path: &str) -> Option<SourceText> {
        Some(self.file(path)?.text(&self.db).clone())
    }

    /// The syntax tree of a file.
    pub fn syntax(&self, path: &str) -> Option<SyntaxTree> {
        Some(database::syntax(&self.db, self.file(path)?))
    }

    /// What went wrong while reading and parsing a file, in source order.
    pub fn problems(&self, path: &str) -> Arc<Vec<Problem>> {
        self.of_file(path, |file| database::problems(&self.db, file))
    }

    /// The symbols of a file in source order; the first is the module.
    pub fn symbols(&self, path: &str) -> Arc<Vec<Symbol>> {
        self.of_file(path, |file| database::symbols(&self.db, file))
    }

    /// The symbol with this id.
    pub fn symbol(&self, id: &SymbolId) -> Option<Symbol> {
        let file = self.file(id.path())?;
        let symbols = database::symbols(&self.db, file);
        let sorted = database::symbols_by_id(&self.db, file);
        let at = sorted.binary_search_by(|at| symbols.get(*at).map(|it| &it.id).cmp(&Some(id)));
        symbols.get(*sorted.get(at.ok()?)?).cloned()
    }

    /// The uses of names in a file that may mean something of the project or come from an import, in
    /// source order.
    pub fn references(&self, path: &str) -> Arc<Vec<Reference>> {
        self.of_file(path, |file| {
            database::resolution(&self.db, file).references.clone()
        })
    }

    /// The uses of a symbol in some files, on all cores: for each path those in source order.
    pub fn references_to(&self, id: &SymbolId, paths: &[&str]) -> Vec<Vec<Reference>> {
        let is_use = |it: &&Reference| it.targets.iter().any(|target| target.symbol == *id);
        let uses = |analysis: &mut Self, path: &&str| -> Vec<Reference> {
            let Some(file) = analysis.file(path) else {
                return Vec::new();
            };
            let found = database::use_index(&analysis.db, file).may_mean(id);
            if found.is_empty() {
                return Vec::new();
            }
            let references = analysis.references(path);
            let found = found.into_iter().filter_map(|at| references.get(at));
            found.filter(is_use).cloned().collect()
        };
        let found = paths.par_iter().map_with(self.clone(), uses);
        found.collect()
    }

    /// The imported names of a file, in source order.
    pub fn imports(&self, path: &str) -> Arc<Vec<Import>> {
        self.of_file(path, |file| {
            database::resolution(&self.db, file).imports.clone()
        })
    }

    /// The entries of a module's list of public names, in source order.
    pub fn exports(&self, path: &str) -> Arc<Vec<Export>> {
        self.of_file(path, |file| {
            database::resolution(&self.db, file).exports.clone()
        })
    }

    /// The links in the documentation of a file that mean something of the project, in source order.
    pub fn links(&self, path: &str) -> Arc<Vec<Link>> {
        self.of_file(path, |file| {
            database::resolution(&self.db, file).links.clone()
        })
    }

    /// Definitions of a file that belong to a type (or trait) without standing in it, each with that
    /// type; whoever has several owners goes with the first of them that goes.
    pub fn attached(&self, path: &str) -> Vec<(SymbolId, SymbolId)> {
        let owned = |resolution: &Resolution, symbols: &[Symbol]| {
            let pair = |(def, owner): &(DefId, SymbolId)| {
                Some((symbols.get(def.0 as usize)?.id.clone(), owner.clone()))
            };
            resolution.attached.iter().filter_map(pair).collect()
        };
        self.related(path, owned)
    }

    /// Definitions of a file that must be there as long as all of some others are, though these do
    /// not name them; in any case where there are none.
    pub fn demands(&self, path: &str) -> Vec<(SymbolId, Vec<SymbolId>)> {
        let demanded = |resolution: &Resolution, symbols: &[Symbol]| {
            let pair = |demand: &Demand| {
                Some((
                    symbols.get(demand.of.0 as usize)?.id.clone(),
                    demand.by.clone(),
                ))
            };
            resolution.demands.iter().filter_map(pair).collect()
        };
        self.related(path, demanded)
    }

    /// Members of a file that implement or override others, each with the one it stands in for.
    pub fn overrides(&self, path: &str) -> Vec<(SymbolId, SymbolId)> {
        let overriding = |resolution: &Resolution, symbols: &[Symbol]| {
            let pair = |(def, of): &(DefId, SymbolId)| {
                Some((symbols.get(def.0 as usize)?.id.clone(), of.clone()))
            };
            resolution.overrides.iter().filter_map(pair).collect()
        };
        self.related(path, overriding)
    }

    fn related<T>(&self, path: &str, read: impl Fn(&Resolution, &[Symbol]) -> Vec<T>) -> Vec<T> {
        let Some(file) = self.file(path) else {
            return Vec::new();
        };
        let symbols = database::symbols(&self.db, file);
        read(&database::resolution(&self.db, file), &symbols)
    }

    /// The dependency graph.
    pub fn graph(&self) -> Arc<DependencyGraph> {
        database::graph(&self.db)
    }

    /// The file and range of the place that gives rise to an edge.
    pub fn range_of(&self, place: &Place) -> Option<(String, ByteRange)> {
        let (path, range) = match place {
            Place::Reference { path, index } => (
                path,
                self.references(path).get(*index as usize)?.range.clone(),
            ),
            Place::Import { path, index } => {
                (path, self.imports(path).get(*index as usize)?.item.clone())
            }
            Place::Symbol(id) => return Some((id.path().to_owned(), self.symbol(id)?.focus)),
        };
        Some((path.to_string(), range))
    }

    /// The trace, if there is one.
    pub fn trace(&self) -> Option<Arc<Trace>> {
        database::trace(&self.db)
    }

    /// Which symbols the code of the trace is.
    pub fn trace_symbols(&self) -> Arc<TraceSymbols> {
        database::trace_symbols(&self.db)
    }

    /// Ends a question of this handle from another thread: it unwinds with [`crate::Cancelled`].
    pub fn canceller(&self) -> Canceller {
        Canceller(salsa::Database::cancellation_token(&self.db))
    }

    /// Computes the parts of the graph that belong to single files, on all cores. Every later question
    /// is answered faster; no answer changes.
    pub fn prime(&self) {
        let files = database::files(&self.db);
        for step in [prime_symbols, prime_edges] {
            files
                .par_iter()
                .for_each_with(self.db.clone(), |db, file| step(db, *file));
        }
    }

    /// The files are sorted by path: looked up from here, they need no index.
    fn file(&self, path: &str) -> Option<SourceFile> {
        let files = database::files(&self.db);
        let at = files.binary_search_by(|file| file.path(&self.db).cmp(path));
        files.get(at.ok()?).copied()
    }

    fn of_file<T>(&self, path: &str, answer: impl Fn(SourceFile) -> Arc<Vec<T>>) -> Arc<Vec<T>> {
        self.file(path).map(answer).unwrap_or_default()
    }
}

/// What is read off the facts of a file while they are there.
fn prime_symbols(db: &Database, file: SourceFile) {
    database::summary(db, file);
    database::symbols(db, file);
    file.text(db).words();
}

fn prime_edges(db: &Database, file: SourceFile) {
    database::edges(db, file);
    database::use_index(db, file);
}

/// The files that exist for tests only by their names and folders, and all in a folder of tests.
fn by_place(paths: &[String]) -> BTreeSet<String> {
    let named = paths.iter().filter(|path| lang::is_test_support(path));
    let named: BTreeSet<&String> = named.collect();
    let with_tests = named.iter().filter(|path| lang::is_in_test_folder(path));
    let folders: BTreeSet<&str> = with_tests
        .filter_map(|path| Some(path.rsplit_once('/')?.0))
        .collect();
    let is_inside = |path: &str| {
        let mut ends = path.match_indices('/');
        ends.any(|(end, _)| path.get(..end).is_some_and(|it| folders.contains(it)))
    };
    let found = paths
        .iter()
        .filter(|path| named.contains(path) || is_inside(path));
    found.cloned().collect()
}
