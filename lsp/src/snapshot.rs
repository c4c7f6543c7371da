//! Snapshots: one state of a folder, for requests to read.

use std::cell::RefCell;
use std::ops::Range as Span;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analyzer::Analysis;
use analyzer::feature::Member;
use analyzer::occurrence::Reference;
use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use gen_lsp_types::{Location, Position, Range, Uri};
use grammars::SourceText;
use rustc_hash::FxHashMap;

use crate::folder::{Folder, Known, inside};
use crate::knowledge::{Freshness, Knowledge};
use crate::text::{Encoding, Lines};
use crate::uri;

/// One state of a folder.
pub struct Snapshot {
    /// The folder, as the client writes it.
    pub root: PathBuf,
    /// The folder without links.
    real: PathBuf,
    /// Its files.
    pub analysis: Analysis,
    /// What is known of its tests.
    pub known: Known,
    /// The text of the project's configuration, if the editor has it open.
    pub configuration: Option<String>,
    /// What columns count.
    pub encoding: Encoding,
    /// The files that were asked for, by path: answers come back to the same ones many times.
    views: RefCell<FxHashMap<String, FileView>>,
}

/// A file of a snapshot with its lines. Cheap to clone.
#[derive(Clone)]
pub struct FileView {
    /// Its path relative to the folder.
    pub path: Arc<str>,
    source: SourceText,
    lines: Lines,
}

impl FileView {
    /// The range of a span.
    pub fn range(&self, span: &Span<usize>) -> Range {
        self.lines.range(self.source.bytes(), span)
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(self.source.bytes(), offset)
    }

    /// The offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        self.lines.offset(self.source.bytes(), position)
    }

    /// The span of a range.
    pub fn span(&self, range: Range) -> Span<usize> {
        self.offset(range.start)..self.offset(range.end)
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// The range of the whole file.
    pub fn all(&self) -> Range {
        self.lines.all(self.source.bytes())
    }

    /// The bytes of a span.
    pub fn bytes(&self, span: &Span<usize>) -> &[u8] {
        self.source.bytes().get(span.clone()).unwrap_or_default()
    }

    /// The decoded text of a span.
    pub fn text(&self, span: &Span<usize>) -> String {
        self.source.decode(span.clone())
    }
}

impl Snapshot {
    /// One state of a folder.
    pub fn new(folder: &Folder, analysis: Analysis, known: Known, encoding: Encoding) -> Self {
        Self {
            root: folder.written.clone(),
            real: folder.root.clone(),
            analysis,
            known,
            configuration: None,
            encoding,
            views: RefCell::default(),
        }
    }

    /// A file; `None` if the folder has no such source file.
    pub fn file(&self, path: &str) -> Option<FileView> {
        if let Some(view) = self.views.borrow().get(path) {
            return Some(view.clone());
        }
        let source = self.analysis.source(path)?;
        let view = FileView {
            path: Arc::from(path),
            lines: Lines::new(source.bytes(), self.encoding),
            source,
        };
        let mut views = self.views.borrow_mut();
        views.insert(path.to_owned(), view.clone());
        Some(view)
    }

    /// The path of a file relative to the folder; `None` if it lies elsewhere.
    pub fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        inside(path, [&self.root, &self.real])
    }

    /// The URI of a file.
    pub fn uri(&self, path: &str) -> Uri {
        uri::of_path(&self.root.join(path))
    }

    /// The place of a span in a file.
    pub fn location(&self, file: &FileView, span: &Span<usize>) -> Location {
        Location {
            uri: self.uri(&file.path),
            range: file.range(span),
        }
    }

    /// The place of a symbol's name.
    pub fn place(&self, id: &SymbolId) -> Option<Location> {
        let symbol = self.analysis.symbol(id)?;
        Some(self.location(&self.file(id.path())?, &symbol.focus))
    }

    /// The symbols that a place in a file means.
    pub fn meant(&self, file: &FileView, offset: usize) -> Vec<SymbolId> {
        let name = self.name_at(file, offset);
        name.map_or_else(Vec::new, |(_, meant)| meant)
    }

    /// The name at a place in a file and the symbols it means: what is defined there, or what the name
    /// stands for.
    pub fn name_at(&self, file: &FileView, offset: usize) -> Option<(Span<usize>, Vec<SymbolId>)> {
        let symbols = self.analysis.symbols(&file.path);
        let touches = |span: &Span<usize>| span.start <= offset && offset <= span.end;
        let defined = symbols
            .iter()
            .find(|symbol| symbol.kind != SymbolKind::Module && touches(&symbol.focus));
        if let Some(symbol) = defined {
            return Some((symbol.focus.clone(), vec![symbol.id.clone()]));
        }
        if let Some(reference) = self.reference_at(file, offset) {
            let targets = reference.targets.iter();
            let meant = targets.map(|target| target.symbol.clone());
            return Some((reference.range.clone(), meant.collect()));
        }
        let imports = self.analysis.imports(&file.path);
        let import = imports.iter().find(|import| touches(&import.item))?;
        Some((import.item.clone(), import.targets.clone()))
    }

    /// The use of a name at a place; of several the surest.
    fn reference_at(&self, file: &FileView, offset: usize) -> Option<Reference> {
        let references = self.analysis.references(&file.path);
        let mut touching: Vec<&Reference> = references
            .iter()
            .filter(|it| it.range.start <= offset && offset <= it.range.end)
            .filter(|it| !it.targets.is_empty())
            .collect();
        touching.sort_by_key(|it| (it.range.len(), it.targets.len()));
        touching.first().map(|reference| (*reference).clone())
    }

    /// The innermost definition around a place, the module apart.
    pub fn enclosing(&self, path: &str, offset: usize) -> Option<Symbol> {
        let symbols = self.analysis.symbols(path);
        let around = symbols
            .iter()
            .filter(|symbol| symbol.kind.is_definition())
            .filter(|symbol| symbol.full.start <= offset && offset <= symbol.full.end);
        around.min_by_key(|symbol| symbol.full.len()).cloned()
    }

    /// What a recorded run tells of the language that a symbol is written in, if it knows the symbol.
    pub fn knowledge(&self, symbol: &SymbolId, text: &[u8]) -> Option<(&Knowledge, Freshness)> {
        let known = self.known.knowledge.iter();
        let mut found = known.map(|knowledge| (&**knowledge, knowledge.freshness(symbol, text)));
        found.find(|(_, freshness)| *freshness != Freshness::Unknown)
    }

    /// The part of a symbol in the active feature.
    pub fn member(&self, symbol: &SymbolId) -> Option<Member> {
        self.known.active.as_ref()?.member(symbol).copied()
    }

    /// Every use of a symbol: file and place, in the order of paths.
    pub fn uses(&self, id: &SymbolId) -> Vec<(FileView, Vec<Reference>)> {
        let paths = self.mentioning(id);
        let uses = self.analysis.references_to(id, &paths).into_iter();
        let found = paths.iter().zip(uses).filter(|(_, uses)| !uses.is_empty());
        found
            .filter_map(|(path, uses)| Some((self.file(path)?, uses)))
            .collect()
    }

    /// The paths of the files in whose text a use of a symbol may be, sorted.
    pub fn mentioning(&self, id: &SymbolId) -> Vec<&str> {
        self.analysis.paths_with(&sought(id))
    }
}

/// The names of which a file that uses a symbol must have one: its own, or, for what the language calls
/// without naming it, that of the type it belongs to; for a file those of the file and its folder.
fn sought(id: &SymbolId) -> Vec<String> {
    if id.is_module() {
        let parts = id.path().rsplit('/').take(2);
        let names = parts.filter_map(|part| part.split('.').next());
        return names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
    }
    let mut names = vec![id.name().to_owned()];
    let mut links = id.chain().rsplit('.').skip(1);
    let container = links.next().and_then(|link| link.split('#').next());
    names.extend(container.filter(|name| !name.is_empty()).map(str::to_owned));
    names
}
