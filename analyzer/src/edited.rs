//! The syntax trees of the files that are edited: from the last one of a file the next is made without
//! parsing all of its text again. They are no part of the database, because no answer depends on them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grammars::{Language, SourceText, SyntaxTree};

use crate::database::SourceFile;

/// As many files are remembered: a tree takes many times the memory of its text.
const MOST: usize = 32;

/// Files that were changed, the last one first, each with its last tree as soon as there is one.
#[derive(Clone, Default)]
pub(crate) struct Edited(Arc<Mutex<Files>>);

type Files = VecDeque<(SourceFile, Option<SyntaxTree>)>;

impl Edited {
    /// A file gets another text.
    pub fn note(&self, file: SourceFile) {
        let mut files = self.files();
        let at = files.iter().position(|(other, _)| *other == file);
        let entry = at.and_then(|at| files.remove(at));
        files.push_front(entry.unwrap_or((file, None)));
        files.truncate(MOST);
    }

    /// Whether a file is one of them.
    pub fn has(&self, file: SourceFile) -> bool {
        self.files().iter().any(|(other, _)| *other == file)
    }

    /// The tree of a file with this text.
    pub fn tree(&self, file: SourceFile, language: Language, text: &SourceText) -> SyntaxTree {
        let last = self.last(file);
        let tree = match &last {
            Some(tree) if tree.text().is_same(text) => return tree.clone(),
            Some(tree) => tree.followed_by(text),
            None => grammars::parse(language, text),
        };
        let mut files = self.files();
        if let Some((_, last)) = files.iter_mut().find(|(other, _)| *other == file) {
            *last = Some(tree.clone());
        }
        tree
    }

    fn last(&self, file: SourceFile) -> Option<SyntaxTree> {
        let files = self.files();
        let (_, last) = files.iter().find(|(other, _)| *other == file)?;
        last.clone()
    }

    /// A thread that ended with a panic has left nothing half done here.
    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
