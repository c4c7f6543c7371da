//! The salsa database: its inputs, and the tracked functions from them to everything else.

use std::sync::Arc;

use grammars::{Language, Problem, SourceText, SyntaxTree};

use crate::edges::FileEdges;
use crate::edited::Edited;
use crate::facts::{FileFacts, Summary};
use crate::graph::DependencyGraph;
use crate::lang;
use crate::resolution::Resolution;
use crate::symbol::Symbol;
use crate::trace::Trace;
use crate::trace_symbols::TraceSymbols;
use crate::use_index::UseIndex;

/// What tracked functions see of the database.
#[salsa::db]
pub(crate) trait Db: salsa::Database {
    /// The trees of the files that are edited.
    fn edited(&self) -> &Edited;
}

/// One file of the project.
#[salsa::input(debug)]
pub(crate) struct SourceFile {
    /// Relative to the root of the project, with `/`.
    #[returns(deref)]
    pub path: String,
    /// Its language.
    #[returns(copy)]
    pub language: Language,
    /// Its text.
    #[returns(ref)]
    pub text: SourceText,
}

/// A file that says what the project's packages are: their names, editions, module paths.
#[salsa::input(debug)]
pub(crate) struct Manifest {
    /// Relative to the root of the project, with `/`.
    #[returns(deref)]
    pub path: String,
    /// Its text; what is no UTF-8 is replaced.
    #[returns(deref)]
    pub text: String,
}

/// The project: exactly one per database.
#[salsa::input(singleton)]
pub(crate) struct Project {
    /// All files, sorted by path.
    #[returns(deref)]
    pub files: Vec<SourceFile>,
    /// All manifests, sorted by path.
    #[returns(deref)]
    pub manifests: Vec<Manifest>,
    /// The trace of a test run, if there is one.
    #[returns(ref)]
    pub trace: Option<Arc<Trace>>,
}

/// A text as the key of a tracked function.
#[salsa::interned]
pub(crate) struct Text<'db> {
    /// The text.
    #[returns(deref)]
    pub text: String,
}

/// The database. A clone is a handle on the same storage for another thread.
#[salsa::db]
#[derive(Clone)]
pub(crate) struct Database {
    storage: salsa::Storage<Self>,
    edited: Edited,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn edited(&self) -> &Edited {
        &self.edited
    }
}

/// Is told the name of every tracked function that is executed.
pub(crate) type Observer = Box<dyn Fn(&str) + Send + Sync>;

impl Database {
    /// A database of an empty project.
    pub fn new(observer: Option<Observer>) -> Self {
        let listener = observer.map(|observer| -> Box<dyn Fn(salsa::Event) + Send + Sync> {
            Box::new(move |event| {
                if let salsa::EventKind::WillExecute { database_key } = event.kind {
                    observer(&format!("{database_key:?}"));
                }
            })
        });
        let db = Self {
            storage: salsa::Storage::new(listener),
            edited: Edited::default(),
        };
        Project::new(&db, Vec::new(), Vec::new(), None);
        db
    }
}

/// All files of the project, sorted by path.
pub(crate) fn files(db: &dyn Db) -> &[SourceFile] {
    Project::get(db).files(db)
}

/// All manifests of the project, sorted by path.
pub(crate) fn manifests(db: &dyn Db) -> &[Manifest] {
    Project::get(db).manifests(db)
}

/// The syntax tree. Facts do not go through it, so that no more trees are kept than are looked at.
#[salsa::tracked(returns(clone), no_eq, lru = 64)]
pub(crate) fn syntax(db: &dyn Db, file: SourceFile) -> SyntaxTree {
    db.edited().tree(file, file.language(db), file.text(db))
}

/// Everything one pass over the file finds.
#[salsa::tracked(returns(clone), no_eq, lru = 256)]
pub(crate) fn facts(db: &dyn Db, file: SourceFile) -> Arc<FileFacts> {
    let language = file.language(db);
    let tree = db.edited().tree(file, language, file.text(db));
    Arc::new((lang::rules(language).facts)(file.path(db), &tree))
}

/// What other files may depend on. Most edits leave it equal.
#[salsa::tracked(returns(clone))]
pub(crate) fn summary(db: &dyn Db, file: SourceFile) -> Arc<Summary> {
    facts(db, file).summary.clone()
}

/// The symbols in source order. While a file is edited they are asked for after every key, and then they
/// are read off its tree by themselves, which is many times faster and gives the same.
#[salsa::tracked(returns(clone))]
pub(crate) fn symbols(db: &dyn Db, file: SourceFile) -> Arc<Vec<Symbol>> {
    let language = file.language(db);
    match lang::rules(language).symbols {
        Some(symbols) if db.edited().has(file) => {
            let tree = db.edited().tree(file, language, file.text(db));
            Arc::new(symbols(file.path(db), &tree))
        }
        _ => facts(db, file).symbols.clone(),
    }
}

/// Where the symbols stand in [`symbols`], in the order of their ids.
#[salsa::tracked(returns(clone))]
pub(crate) fn symbols_by_id(db: &dyn Db, file: SourceFile) -> Arc<Vec<usize>> {
    let symbols = symbols(db, file);
    let mut sorted: Vec<usize> = (0..symbols.len()).collect();
    sorted.sort_by_key(|at| symbols.get(*at).map(|symbol| &symbol.id));
    Arc::new(sorted)
}

/// The problems in source order.
#[salsa::tracked(returns(clone))]
pub(crate) fn problems(db: &dyn Db, file: SourceFile) -> Arc<Vec<Problem>> {
    facts(db, file).problems.clone()
}

/// References, imports and exports with the symbols they mean.
#[salsa::tracked(returns(clone))]
pub(crate) fn resolution(db: &dyn Db, file: SourceFile) -> Arc<Resolution> {
    Arc::new((lang::rules(file.language(db)).resolve)(db, file))
}

/// The references of [`resolution`] by what they mean.
#[salsa::tracked(returns(clone))]
pub(crate) fn use_index(db: &dyn Db, file: SourceFile) -> Arc<UseIndex> {
    Arc::new(UseIndex::of(&resolution(db, file)))
}

/// The part of the dependency graph that one file gives rise to; it holds no positions.
#[salsa::tracked(returns(clone))]
pub(crate) fn edges(db: &dyn Db, file: SourceFile) -> Arc<FileEdges> {
    Arc::new(FileEdges::of(&summary(db, file), &resolution(db, file)))
}

/// The whole dependency graph.
#[salsa::tracked(returns(clone), no_eq)]
pub(crate) fn graph(db: &dyn Db) -> Arc<DependencyGraph> {
    Arc::new(crate::graph::build(db))
}

/// Which symbols the code of the trace is.
#[salsa::tracked(returns(clone))]
pub(crate) fn trace_symbols(db: &dyn Db) -> Arc<TraceSymbols> {
    Arc::new(crate::trace_symbols::matched(db))
}

/// The trace.
pub(crate) fn trace(db: &dyn Db) -> Option<Arc<Trace>> {
    Project::get(db).trace(db).clone()
}
