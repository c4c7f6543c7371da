//! The interface of a feature: what a solver is told about the symbols that stand for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use analyzer::Analysis;
use analyzer::occurrence::Import;
use analyzer::symbol::SymbolId;
use serde::{Deserialize, Serialize};

use crate::lang;

/// The interface, in the order of paths and then of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// One entry for each outermost definition that is, or holds, a top symbol.
    pub entries: Vec<InterfaceEntry>,
}

/// One definition: headers and documentation, bodies left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceEntry {
    /// The outermost symbol shown.
    pub symbol: SymbolId,
    /// The file that must define it.
    pub path: String,
    /// The name of the language, as code blocks have it.
    pub language: String,
    /// Valid code of that language, ending in a line feed.
    pub text: String,
    /// Where else the project offers it, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
}

/// A module that imports a symbol for those who take it from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Offer {
    /// The file of the module.
    pub path: String,
    /// The name that it has there.
    pub name: String,
}

/// The interface of some symbols. A class that is top is shown with all its public members; of any
/// other container only the header, around those of its members that are top.
pub fn interface(analysis: &Analysis, top: &BTreeSet<SymbolId>) -> Interface {
    let paths: BTreeSet<&str> = top.iter().map(SymbolId::path).collect();
    let entries = paths
        .into_iter()
        .flat_map(|path| entries(analysis, path, top))
        .collect();
    Interface { entries }
}

fn entries(analysis: &Analysis, path: &str, top: &BTreeSet<SymbolId>) -> Vec<InterfaceEntry> {
    let Some(tree) = analysis.syntax(path) else {
        return Vec::new();
    };
    let language = tree.language();
    let symbols = analysis.symbols(path);
    let shown = lang::rules(language).interface(&tree, &symbols, top);
    let entry = |(symbol, text)| InterfaceEntry {
        symbol,
        path: path.to_owned(),
        language: language.id().to_owned(),
        text,
        offers: Vec::new(),
    };
    shown.into_iter().map(entry).collect()
}

/// Where modules of the project, tests aside, offer symbols that are deleted, by symbol.
fn offers(
    analysis: &Analysis,
    deleted: &BTreeSet<SymbolId>,
) -> BTreeMap<SymbolId, BTreeSet<Offer>> {
    let tests = analysis.test_files();
    let of_tests: Vec<_> = tests.iter().map(|path| analysis.imports(path)).collect();
    let taken = taken(&of_tests);
    let mut found: BTreeMap<SymbolId, BTreeSet<Offer>> = BTreeMap::new();
    for path in analysis.paths() {
        let imports = analysis.imports(&path);
        let means = |import: &Import| import.targets.iter().any(|id| deleted.contains(id));
        if tests.contains(&path) || !imports.iter().any(means) {
            continue;
        }
        for import in imports.iter().filter(|it| is_bound_by_module(it)) {
            let is_offered = is_offered(analysis, &path, import);
            let targets = import.targets.iter().filter(|id| deleted.contains(id));
            for target in targets.filter(|id| is_offered || taken.contains(&(&*path, *id))) {
                found.entry(target.clone()).or_default().insert(Offer {
                    path: path.clone(),
                    name: import.bound.clone(),
                });
            }
        }
    }
    found
}

/// Whether an import gives a name to its module.
fn is_bound_by_module(import: &Import) -> bool {
    import.scope.is_module() && !matches!(import.bound.as_str(), "*" | "_")
}

/// Whether a module says that what it imports is for others.
fn is_offered(analysis: &Analysis, path: &str, import: &Import) -> bool {
    let exports = analysis.exports(path);
    let tree = analysis.syntax(path);
    exports.iter().any(|export| export.name == import.bound)
        || tree.is_some_and(|tree| lang::rules(tree.language()).keeps_import(&tree, path, import))
}

/// What tests take from modules: the files of these, and the definitions.
fn taken<'a>(imports: &'a [Arc<Vec<Import>>]) -> BTreeSet<(&'a str, &'a SymbolId)> {
    let imports = imports.iter().flat_map(|imports| imports.iter());
    let from = |import: &'a Import| Some((import.module.as_deref()?, &import.targets));
    let pairs = imports.filter_map(from);
    pairs
        .flat_map(|(module, targets)| targets.iter().map(move |target| (module, target)))
        .collect()
}

impl Interface {
    /// Adds where else the project offers what is deleted: there the names go, too, and are missed.
    pub fn with_offers(mut self, analysis: &Analysis, deleted: &BTreeSet<SymbolId>) -> Self {
        let mut offers = offers(analysis, deleted);
        for entry in &mut self.entries {
            let of_entry = offers.remove(&entry.symbol).unwrap_or_default();
            entry.offers = of_entry.into_iter().collect();
        }
        self
    }

    /// The interface as Markdown: a heading for each file, a code block for each entry.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        for file in self.entries.chunk_by(|a, b| a.path == b.path) {
            let path = file.first().map(|entry| &*entry.path).unwrap_or_default();
            if !out.is_empty() {
                out.push('\n');
            }
            let _ = writeln!(out, "### `{path}`");
            for entry in file {
                let fence = fence(&entry.text);
                let _ = write!(out, "\n{fence}{}\n{}{fence}\n", entry.language, entry.text);
                for Offer { path, name } in &entry.offers {
                    let _ = writeln!(out, "\n`{path}` must offer it as `{name}`, too.");
                }
            }
        }
        out
    }

    /// The code of one file: all its entries, apart by blank lines.
    pub fn to_code(&self, path: &str) -> String {
        let start = self.entries.partition_point(|entry| *entry.path < *path);
        let entries = self.entries.iter().skip(start);
        entries
            .take_while(|entry| entry.path == path)
            .map(|entry| &*entry.text)
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}

/// A fence longer than any run of backticks in the text.
fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(3.max(runs + 1))
}

#[cfg(test)]
mod tests;
