//! The table of languages: one row each.

use std::fmt;
use std::ops::Range;

use crate::tree::SyntaxTree;
use crate::{python, rust};

/// A language that the program can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Go.
    Go,
    /// Python 3 (Python 2 files parse, too).
    Python,
    /// Rust.
    Rust,
}

/// Finds where a file breaks the rules of its language.
pub(crate) type ExactErrors = fn(&SyntaxTree) -> Vec<Range<usize>>;

/// What has to be known about a language before its first file is read.
pub(crate) struct Row {
    /// The name in configuration and reports.
    id: &'static str,
    /// File name endings, without the dot.
    extensions: &'static [&'static str],
    /// The tree-sitter grammar.
    grammar: fn() -> tree_sitter::Language,
    /// Reads the label of the encoding that a file declares for itself.
    declared_encoding: fn(&[u8]) -> Option<String>,
    /// Where a file breaks the rules, by a parser that knows better than the grammar.
    exact_errors: Option<ExactErrors>,
}

const GO: Row = Row {
    id: "go",
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    declared_encoding: |_| None,
    exact_errors: None,
};

const PYTHON: Row = Row {
    id: "python",
    extensions: &["py", "pyi"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    declared_encoding: python::declared_encoding,
    exact_errors: None,
};

const RUST: Row = Row {
    id: "rust",
    extensions: &["rs"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    declared_encoding: |_| None,
    exact_errors: Some(rust::error_ranges),
};

impl Language {
    /// Every language, in the order of the table.
    pub const ALL: &'static [Language] = &[Language::Go, Language::Python, Language::Rust];

    fn row(self) -> &'static Row {
        match self {
            Self::Go => &GO,
            Self::Python => &PYTHON,
            Self::Rust => &RUST,
        }
    }

    /// The name used in configuration and reports, such as `python`.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// File name endings without the dot, such as `py`.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// The tree-sitter grammar.
    pub fn grammar(self) -> tree_sitter::Language {
        (self.row().grammar)()
    }

    /// The label of the encoding that a file declares for itself, if the language knows such a thing.
    pub(crate) fn declared_encoding(self, bytes: &[u8]) -> Option<String> {
        (self.row().declared_encoding)(bytes)
    }

    pub(crate) fn exact_errors(self) -> Option<ExactErrors> {
        self.row().exact_errors
    }

    /// The language of a file, by the ending of its name.
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, extension) = name.rsplit_once('.')?;
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.extensions().contains(&extension))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_the_ending_of_the_file_name() {
        assert_eq!(Language::from_path("a/b.py"), Some(Language::Python));
        assert_eq!(Language::from_path("a/b.pyi"), Some(Language::Python));
        assert_eq!(Language::from_path("a.py/b"), None);
        assert_eq!(Language::from_path("py"), None);
    }

    #[test]
    fn every_row_is_complete_and_its_grammar_loads() {
        for &language in Language::ALL {
            assert!(!language.id().is_empty() && !language.extensions().is_empty());
            let mut parser = tree_sitter::Parser::new();
            assert!(
                parser.set_language(&language.grammar()).is_ok(),
                "{language}"
            );
        }
    }
}
