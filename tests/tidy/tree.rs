//! The files of the repository.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// One text file: its path from the root, with `/`, and its content.
pub struct TextFile {
    pub path: String,
    pub text: String,
}

impl TextFile {
    /// Whether only tests see this file.
    pub fn is_for_tests(&self) -> bool {
        let mut parts = self.path.split('/');
        self.path.starts_with("fixtures/") || parts.any(|part| matches!(part, "tests" | "tests.rs"))
    }

    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every text file that is not ignored by git, sorted by path.
pub fn text_files() -> Vec<TextFile> {
    let mut walk = WalkBuilder::new(root());
    walk.hidden(false)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .filter_entry(|entry| entry.file_name() != ".git");
    let mut files: Vec<TextFile> = walk
        .build()
        .map(|entry| entry.expect("the tree is readable").into_path())
        .filter_map(|path| read(&path))
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// `None` for folders and for files that are not text.
fn read(path: &PathBuf) -> Option<TextFile> {
    let text = std::fs::read_to_string(path).ok()?;
    let path = path.strip_prefix(root()).ok()?.to_str()?.replace('\\', "/");
    Some(TextFile { path, text })
}
