//! The interface of a feature: what a solver is told about the symbols that stand for it.

use std::collections::BTreeSet;
use std::fmt::Write;

use analyzer::Analysis;
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
    };
    shown.into_iter().map(entry).collect()
}

impl Interface {
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
