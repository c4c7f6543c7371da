//! Patches: the difference between two trees in git's format, exact to the byte.
//!
//! Own code instead of a library: the available ones are quadratic in the number of removed lines
//! (seconds for a removal of 10,000 lines), lose a bare carriage return or a missing final newline.

mod lines;
mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Lines of unchanged text shown around a change.
const CONTEXT: usize = 3;

/// What kind of file a tree holds at a path; the numbers are git's.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A plain file (100644).
    #[default]
    Regular,
    /// A file that may be executed (100755).
    Executable,
    /// A symbolic link (120000); its bytes are the place it points to.
    Symlink,
}

/// One file of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The content.
    pub bytes: Vec<u8>,
    /// The kind.
    pub mode: Mode,
}

impl File {
    /// A plain file with this content.
    pub fn regular(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            mode: Mode::Regular,
        }
    }
}

/// A path in two trees; `None` where a tree has no such file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Project-relative path with `/`.
    pub path: String,
    /// The file in the old tree.
    pub old: Option<File>,
    /// The file in the new tree.
    pub new: Option<File>,
}

/// The difference between two trees: one entry a path, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// The files that differ.
    pub files: Vec<FilePatch>,
}

/// The difference of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// Project-relative path with `/`.
    pub path: String,
    /// What happens to the file as a whole.
    pub operation: Operation,
    /// The changed places, in file order.
    pub hunks: Vec<Hunk>,
}

/// What a patch does to a file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Only the new tree has the file.
    Add(Mode),
    /// Only the old tree has the file.
    Delete(Mode),
    /// Both have it, with one mode.
    Modify,
    /// Both have it, with different modes.
    ChangeMode {
        /// The mode in the old tree.
        old: Mode,
        /// The mode in the new tree.
        new: Mode,
    },
}

/// A changed place with its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Index, from 0, of the first line in the old file (of the line before which text is put, if
    /// nothing of the old file is shown).
    pub old_start: usize,
    /// The same in the new file.
    pub new_start: usize,
    /// The lines, removed before added ones.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which tree has it.
    pub side: Side,
    /// Its bytes; the last one of a file may lack the line feed.
    pub bytes: Vec<u8>,
}

/// Which tree has a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Both.
    Context,
    /// The old one only.
    Removed,
    /// The new one only.
    Added,
}

/// Why a patch cannot be read or applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The text is not a patch that this module writes or reads.
    #[error("line {line} of the patch: {problem}; only text patches in git's format are read")]
    Malformed {
        /// Line of the patch, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The tree is not the one the patch was made from.
    #[error("the patch does not fit {path}: {problem}; apply it to the tree that it was made from")]
    Mismatch {
        /// The file.
        path: String,
        /// What differs.
        problem: String,
    },
}

impl Patch {
    /// The patch that turns every `old` into its `new`; equal files are left out.
    pub fn between(changes: impl IntoIterator<Item = Change>) -> Self {
        Self::with_context(changes, CONTEXT)
    }

    /// The same with so many lines of unchanged text around a change: the fewer, the more may be
    /// changed around it before the patch no longer applies. Without any, git refuses a patch.
    pub fn with_context(changes: impl IntoIterator<Item = Change>, context: usize) -> Self {
        let by_path: BTreeMap<_, _> = changes
            .into_iter()
            .map(|change| (change.path.clone(), change))
            .collect();
        Self {
            files: by_path
                .into_values()
                .filter_map(|change| FilePatch::of(change, context))
                .collect(),
        }
    }

    /// Reads a patch from git's format.
    pub fn parse(bytes: &[u8]) -> Result<Self, PatchError> {
        text::parse(bytes)
    }

    /// The patch in git's format; `git apply` takes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        text::write(self)
    }

    /// The patch that undoes this one.
    pub fn reversed(&self) -> Self {
        Self {
            files: self.files.iter().map(FilePatch::reversed).collect(),
        }
    }

    /// Applies the patch to the tree that `file` reads; gives the files that change (`None` for a
    /// deleted one). Lines that stand elsewhere than the patch says are found at the nearest place, as git
    /// does it.
    pub fn apply(
        &self,
        file: impl Fn(&str) -> Option<File>,
    ) -> Result<BTreeMap<String, Option<File>>, PatchError> {
        self.files
            .iter()
            .map(|patch| Ok((patch.path.clone(), patch.apply(file(&patch.path))?)))
            .collect()
    }

    /// How many lines the patch removes and adds.
    pub fn line_counts(&self) -> LineCounts {
        let count = |side| {
            let lines = self
                .files
                .iter()
                .flat_map(|file| &file.hunks)
                .flat_map(|hunk| &hunk.lines);
            lines.filter(|line| line.side == side).count()
        };
        LineCounts {
            removed: count(Side::Removed),
            added: count(Side::Added),
        }
    }
}

/// How many lines a patch changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    /// Lines that only the old tree has.
    pub removed: usize,
    /// Lines that only the new tree has.
    pub added: usize,
}

impl FilePatch {
    fn of(change: Change, context: usize) -> Option<Self> {
        let Change { path, old, new } = change;
        if old == new {
            return None;
        }
        let content = |file: &Option<File>| file.clone().unwrap_or_default().bytes;
        let mode = |file: &Option<File>| file.as_ref().map(|file| file.mode);
        let operation = Operation::between(mode(&old), mode(&new))?;
        Some(Self {
            operation,
            hunks: hunks(&content(&old), &content(&new), context),
            path,
        })
    }

    fn reversed(&self) -> Self {
        Self {
            path: self.path.clone(),
            operation: self.operation.reversed(),
            hunks: self.hunks.iter().map(Hunk::reversed).collect(),
        }
    }

    fn apply(&self, file: Option<File>) -> Result<Option<File>, PatchError> {
        let new_mode = self.operation.apply(file.as_ref().map(|file| file.mode));
        let new_mode = new_mode.map_err(|problem| self.mismatch(problem))?;
        let bytes = self.apply_hunks(&file.unwrap_or_default().bytes)?;
        match new_mode {
            Some(mode) => Ok(Some(File { bytes, mode })),
            None if bytes.is_empty() => Ok(None),
            None => Err(self.mismatch("the file has more lines than the patch deletes")),
        }
    }

    fn apply_hunks(&self, old: &[u8]) -> Result<Vec<u8>, PatchError> {
        let old = split_lines(old);
        let mut result = Vec::new();
        let mut at = 0;
        let mut drift = 0;
        for hunk in &self.hunks {
            let expected = hunk.old_start.saturating_add_signed(drift);
            let start = hunk.place(&old, at, expected);
            let line = hunk.old_start + 1;
            let start = start
                .ok_or_else(|| self.mismatch(&format!("what is around line {line} differs")))?;
            drift = start.cast_signed() - hunk.old_start.cast_signed();
            result.extend(old.get(at..start).unwrap_or_default().concat());
            at = start + hunk.len(Side::Added);
            let new = hunk.lines.iter().filter(|line| line.side != Side::Removed);
            new.for_each(|line| result.extend_from_slice(&line.bytes));
        }
        result.extend(old.get(at..).unwrap_or_default().concat());
        Ok(result)
    }

    /// Whether each changed place is the only one of the old file that looks like it.
    pub fn tells_places_apart(&self, old: &[u8]) -> bool {
        let old = split_lines(old);
        let is_only = |hunk: &Hunk| (0..=old.len()).filter(|&at| hunk.fits(&old, at)).count() == 1;
        self.hunks.iter().all(is_only)
    }

    fn mismatch(&self, problem: &str) -> PatchError {
        PatchError::Mismatch {
            path: self.path.clone(),
            problem: problem.to_owned(),
        }
    }
}

impl Operation {
    fn between(old: Option<Mode>, new: Option<Mode>) -> Option<Self> {
        Some(match (old, new) {
            (None, new) => Self::Add(new?),
            (Some(old), None) => Self::Delete(old),
            (Some(old), Some(new)) if old == new => Self::Modify,
            (Some(old), Some(new)) => Self::ChangeMode { old, new },
        })
    }

    fn reversed(self) -> Self {
        match self {
            Self::Add(mode) => Self::Delete(mode),
            Self::Delete(mode) => Self::Add(mode),
            Self::Modify => Self::Modify,
            Self::ChangeMode { old, new } => Self::ChangeMode { old: new, new: old },
        }
    }

    /// The mode of the new file, given that of the old one.
    fn apply(self, mode: Option<Mode>) -> Result<Option<Mode>, &'static str> {
        match (self, mode) {
            (Self::Add(new), None) => Ok(Some(new)),
            (Self::Add(_), Some(_)) => Err("the file exists already"),
            (_, None) => Err("there is no such file"),
            (Self::Modify, mode) => Ok(mode),
            (Self::Delete(old), mode) if mode == Some(old) => Ok(None),
            (Self::ChangeMode { old, new }, mode) if mode == Some(old) => Ok(Some(new)),
            _ => Err("its mode differs"),
        }
    }
}

impl Hunk {
    /// The place nearest to `expected`, and not before `first`, where the old lines stand.
    fn place(&self, old: &[&[u8]], first: usize, expected: usize) -> Option<usize> {
        let farthest = old.len().max(expected);
        (0..=farthest)
            .flat_map(|distance| [expected.checked_sub(distance), Some(expected + distance)])
            .flatten()
            .find(|&start| first <= start && self.fits(old, start))
    }

    /// Whether the old lines stand at a place. Without lines before the change that is the start of the
    /// file, without lines behind it the end.
    fn fits(&self, old: &[&[u8]], start: usize) -> bool {
        let is_context = |line: Option<&Line>| line.is_some_and(|line| line.side == Side::Context);
        let end = start + self.len(Side::Added);
        let shown = self.lines.iter().filter(|line| line.side != Side::Added);
        end <= old.len()
            && (start == 0 || self.old_start > 0)
            && (end == old.len() || is_context(self.lines.last()))
            && shown
                .zip(old.get(start..end).unwrap_or_default())
                .all(|(line, old)| line.bytes == **old)
    }

    /// How many lines of one tree the hunk shows.
    fn len(&self, other: Side) -> usize {
        self.lines.iter().filter(|line| line.side != other).count()
    }

    fn reversed(&self) -> Self {
        let mut lines = self.lines.clone();
        for line in &mut lines {
            line.side = match line.side {
                Side::Context => Side::Context,
                Side::Removed => Side::Added,
                Side::Added => Side::Removed,
            };
        }
        for run in lines.chunk_by_mut(|a, b| (a.side == Side::Context) == (b.side == Side::Context))
        {
            run.sort_by_key(|line| line.side);
        }
        Self {
            old_start: self.new_start,
            new_start: self.old_start,
            lines,
        }
    }
}

/// Lines as git counts them: each ends after a line feed, and nothing else ends one.
fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn hunks(old: &[u8], new: &[u8], context: usize) -> Vec<Hunk> {
    let (old, new) = (split_lines(old), split_lines(new));
    let changes = lines::changes(&old, &new);
    changes
        .chunk_by(|a, b| b.old.start - a.old.end <= 2 * context)
        .filter_map(|group| hunk(&old, &new, group, context))
        .collect()
}

fn hunk(old: &[&[u8]], new: &[&[u8]], group: &[lines::Replaced], context: usize) -> Option<Hunk> {
    let (first, last) = (group.first()?, group.last()?);
    let before = first.old.start.min(context);
    let old_start = first.old.start - before;
    let old_end = old.len().min(last.old.end + context);
    let mut lines = Vec::new();
    let mut add = |side, text: Option<&[&[u8]]>| {
        let text = text.unwrap_or_default().iter();
        lines.extend(text.map(|line| Line {
            side,
            bytes: line.to_vec(),
        }));
    };
    let mut at = old_start;
    for change in group {
        add(Side::Context, old.get(at..change.old.start));
        add(Side::Removed, old.get(change.old.clone()));
        add(Side::Added, new.get(change.new.clone()));
        at = change.old.end;
    }
    add(Side::Context, old.get(at..old_end));
    Some(Hunk {
        old_start,
        new_start: first.new.start - before,
        lines,
    })
}

#[cfg(test)]
mod tests;
