//! Cuts: what one file loses, and the edits for it.

use std::cell::OnceCell;

use grammars::{SourceText, SyntaxTree};

use super::project::ProjectFile;
use crate::lang::{self, Cuts, Cutting, Edit};

/// What one file loses: indices into its symbols, imports, exports and links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Loss {
    pub delete: Vec<usize>,
    /// Those of them that leave a mark.
    pub marks: Vec<usize>,
    /// With `true` the documentation stays.
    pub stub: Vec<(usize, bool)>,
    pub examples: Vec<usize>,
    pub silence: Vec<usize>,
    pub imports: Vec<usize>,
    pub silence_imports: Vec<usize>,
    pub exports: Vec<usize>,
    pub links: Vec<usize>,
}

/// The edits by which a file loses something.
pub(super) struct Cut {
    tree: SyntaxTree,
    pub cutting: Cutting,
    parses: OnceCell<bool>,
}

impl Cut {
    pub fn new(tree: SyntaxTree, file: &ProjectFile, loss: &Loss) -> Self {
        let symbol = |index: &usize| file.symbols.get(*index);
        let import = |index: &usize| file.imports.get(*index);
        let cutting = lang::rules(tree.language()).cut(&Cuts {
            tree: &tree,
            symbols: &file.symbols,
            delete: loss.delete.iter().filter_map(symbol).collect(),
            marks: loss.marks.iter().filter_map(symbol).collect(),
            stub: loss
                .stub
                .iter()
                .filter_map(|(index, keep_doc)| Some((symbol(index)?, *keep_doc)))
                .collect(),
            examples: loss.examples.iter().filter_map(symbol).collect(),
            silence: loss.silence.iter().filter_map(symbol).collect(),
            imports: loss.imports.iter().filter_map(import).collect(),
            silence_imports: loss.silence_imports.iter().filter_map(import).collect(),
            exports: loss
                .exports
                .iter()
                .filter_map(|index| file.exports.get(*index))
                .collect(),
            links: loss
                .links
                .iter()
                .filter_map(|index| file.links.get(*index))
                .collect(),
        });
        Self {
            tree,
            cutting,
            parses: OnceCell::new(),
        }
    }

    /// The file before.
    pub fn old_bytes(&self) -> &[u8] {
        self.tree.text().bytes()
    }

    /// The file afterwards; `None` if it would not parse any more.
    pub fn new_bytes(&self) -> Option<Vec<u8>> {
        let edits = &self.cutting.edits;
        let bytes = apply(self.old_bytes(), edits);
        let parses = self.parses.get_or_init(|| {
            let text = SourceText::new(Some(self.tree.language()), &bytes.as_slice().into());
            let edits = edits.iter();
            let edits = edits.map(|edit| (edit.range.clone(), edit.text.as_str()));
            self.tree.edited(edits, &text).error_ranges().is_empty()
        });
        parses.then_some(bytes)
    }
}

/// Applies sorted edits that do not overlap.
pub(crate) fn apply(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits {
        result.extend_from_slice(bytes.get(at..edit.range.start).unwrap_or_default());
        result.extend_from_slice(edit.text.as_bytes());
        at = edit.range.end;
    }
    result.extend_from_slice(bytes.get(at..).unwrap_or_default());
    result
}
