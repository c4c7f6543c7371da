//! From a place in a source file to the symbol that stands there.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use analyzer::symbol::{Symbol, SymbolKind};
use analyzer::trace::{Code, CodeKind};
use analyzer::{AnalysisHost, Change};

/// A line of the project as a failure tells it: path, line, function.
pub(super) type Frame = (String, u32, String);

/// The symbols of a tree, read as they are needed.
pub(super) struct Places {
    tree: PathBuf,
    files: RefCell<BTreeMap<String, Arc<File>>>,
}

/// A file with what stands in it.
#[derive(Default)]
struct File {
    text: Vec<u8>,
    symbols: Arc<Vec<Symbol>>,
}

impl Places {
    pub(super) fn new(tree: &Path) -> Self {
        Self {
            tree: tree.to_owned(),
            files: RefCell::default(),
        }
    }

    pub(super) fn tree(&self) -> &Path {
        &self.tree
    }

    fn file(&self, path: &str) -> Arc<File> {
        if let Some(file) = self.files.borrow().get(path) {
            return Arc::clone(file);
        }
        let text = fs::read(self.tree.join(path)).unwrap_or_default();
        let mut host = AnalysisHost::new();
        host.apply(Change {
            files: vec![(path.to_owned(), Some(Arc::from(text.as_slice())))],
            trace: None,
        });
        let file = Arc::new(File {
            symbols: host.analysis().symbols(path),
            text,
        });
        self.files
            .borrow_mut()
            .insert(path.to_owned(), Arc::clone(&file));
        file
    }

    /// The outermost function around a place, as the chain of its names; empty if there is none.
    pub(super) fn function(&self, path: &str, line: u32, column: u32) -> String {
        let file = self.file(path);
        let symbol = file.around(line, column, |kind| kind.is_callable());
        symbol.map_or_else(String::new, |symbol| symbol.id.chain().to_owned())
    }

    /// The function of a test that stands at a place. What a macro makes is in no text, and stands in the
    /// module around the macro's use.
    pub(super) fn test(&self, path: &str, line: u32, column: u32, name: &str) -> String {
        let written = self.function(path, line, column);
        if !written.is_empty() {
            return written;
        }
        let file = self.file(path);
        let module = file.innermost(line, column, |kind| kind == SymbolKind::Namespace);
        let name = name.rsplit("::").next().unwrap_or(name);
        match module {
            Some(module) => format!("{}.{name}", module.id.chain()),
            None => name.to_owned(),
        }
    }

    /// The code that a trace calls what runs at a place: the outermost function around it, with all
    /// that is nested in it. What a macro made outside of any function goes by its place alone.
    pub(super) fn code(&self, path: &str, line: u32, column: u32) -> Code {
        let file = self.file(path);
        let function = file.around(line, column, |kind| kind.is_callable());
        let (line, name) = match function {
            Some(symbol) => (symbol.line, symbol.id.name().to_owned()),
            None => (line, "<macro>".to_owned()),
        };
        Code {
            path: path.to_owned(),
            line,
            name,
            kind: CodeKind::Function,
        }
    }

    /// Whether a file holds tests.
    pub(super) fn has_tests(&self, path: &str) -> bool {
        self.file(path).symbols.iter().any(|symbol| symbol.is_test)
    }

    /// The frame for a place that a message tells.
    pub(super) fn frame(&self, path: &str, line: u32, column: u32) -> Frame {
        let function = self.function(path, line, column);
        (path.to_owned(), line, function)
    }
}

impl File {
    /// The outermost symbol of a kind around a place.
    fn around(&self, line: u32, column: u32, fits: impl Fn(SymbolKind) -> bool) -> Option<&Symbol> {
        let offset = self.offset(line, column)?;
        self.symbols
            .iter()
            .find(|symbol| fits(symbol.kind) && symbol.full.contains(&offset))
    }

    /// The innermost one.
    fn innermost(
        &self,
        line: u32,
        column: u32,
        fits: impl Fn(SymbolKind) -> bool,
    ) -> Option<&Symbol> {
        let offset = self.offset(line, column)?;
        let around = self
            .symbols
            .iter()
            .filter(|symbol| fits(symbol.kind) && symbol.full.contains(&offset));
        around.min_by_key(|symbol| symbol.full.len())
    }

    fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let before = (line as usize).checked_sub(1)?;
        let lines = self.text.split_inclusive(|byte| *byte == b'\n');
        let start: usize = lines.take(before).map(<[u8]>::len).sum();
        Some(start + (column as usize).saturating_sub(1))
    }
}

/// The first `path:line:column` after `panicked at ` in a text.
pub(super) fn panic_place(text: &str) -> Option<(&str, u32, u32)> {
    let (_, rest) = text.split_once(" panicked at ")?;
    let line = rest.lines().next()?.strip_suffix(':')?;
    let mut parts = line.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?, line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_panic_is_read_from_its_first_line() {
        let text = "\nthread 'tests::bad' (26816) panicked at src/lib.rs:20:16:\nassertion\n";
        assert_eq!(panic_place(text), Some(("src/lib.rs", 20, 16)));
        assert_eq!(panic_place("Error: no"), None);
    }
}
