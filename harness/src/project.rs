//! The project under work: where it is and which files belong to it. It is only ever read.

use ignore::{DirEntry, WalkBuilder};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder in which tasks are written unless another is named.
pub const OUTPUT_FOLDER: &str = "lacuna.out";
/// A folder with these files is a task: it would give answers away if it were taken for the project's.
const TASK_FILES: &[&str] = &["task.json", "gold.patch"];

/// Folders and files that tools of several kinds leave in a checkout, by name.
const LEFT_BY_TOOLS: &[&str] = &[
    ".git",
    OUTPUT_FOLDER,
    ".hg",
    ".svn",
    ".jj",
    "__pycache__",
    ".tox",
    ".nox",
    ".eggs",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    "node_modules",
    ".DS_Store",
];
/// A folder that contains one of these is a cache or an environment, whatever its name.
const CACHE_MARKERS: &[&str] = &["CACHEDIR.TAG", "pyvenv.cfg"];
/// A root that contains one of these is a packed release: its files were chosen when it was packed,
/// and its ignore files say nothing about them.
const RELEASE_MARKERS: &[&str] = &["PKG-INFO", ".cargo_vcs_info.json"];

/// Why a project cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Nothing is there.
    #[error("there is no folder {}; give the path of a project's root folder", .0.display())]
    Missing(PathBuf),
    /// It is a file.
    #[error("{} is not a folder; give the root folder of the project", .0.display())]
    NotAFolder(PathBuf),
    /// It holds no file that belongs to a project.
    #[error("{} holds no files, or ignores all of them; is it the root folder of the project?", .0.display())]
    Empty(PathBuf),
    /// The system refuses.
    #[error("cannot read {}: {source}; check its permissions", path.display())]
    Unreadable {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ProjectError {
    fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            source,
        }
    }
}

/// A project on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
}

/// What a path of a project is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file with its permission bits.
    File {
        /// Unix permission bits.
        mode: u32,
    },
    /// A symbolic link and its text.
    Link {
        /// As stored, not followed.
        target: PathBuf,
    },
}

/// The files of a project at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Project-relative paths with `/`, in byte order.
    pub files: BTreeMap<String, FileKind>,
    /// What cannot be handled, for a person: names that are not UTF-8, pipes, devices, and links to a
    /// folder that they lie in, in which tools that follow links never come to an end.
    pub left_out: Vec<String>,
}

impl Project {
    /// The project whose root folder is `path`.
    pub fn open(path: &Path) -> Result<Self, ProjectError> {
        let root = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ProjectError::Missing(path.to_owned()),
            _ => ProjectError::unreadable(path, error),
        })?;
        if !root.is_dir() {
            return Err(ProjectError::NotAFolder(root));
        }
        Ok(Self { root })
    }

    /// The canonical root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name of the root folder.
    pub fn name(&self) -> String {
        let name = self.root.file_name().unwrap_or(OsStr::new("root"));
        name.to_string_lossy().into_owned()
    }

    /// The project's files: what version control tracks, and what it does not ignore. A packed
    /// release has all its files. What tools and environments left behind is never among them.
    pub fn files(&self) -> Result<Listing, ProjectError> {
        let mut listing = Listing::default();
        for entry in self.walk() {
            let entry = entry.map_err(|error| self.walk_error(error))?;
            self.add(&mut listing, entry.path())?;
        }
        for path in self.tracked() {
            if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_dir()) {
                self.add(&mut listing, &path)?;
            }
        }
        if listing.files.is_empty() {
            return Err(ProjectError::Empty(self.root.clone()));
        }
        listing.left_out.sort();
        listing.left_out.dedup();
        Ok(listing)
    }

    /// Those of some files, by their paths in the project, that it would list. Looked for in one walk:
    /// thousands change at once where another branch is checked out.
    pub fn listed<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> BTreeSet<PathBuf> {
        let sought: Vec<PathBuf> = paths.into_iter().map(|path| self.root.join(path)).collect();
        let ancestors = sought.iter().flat_map(|path| path.ancestors());
        let on_the_way: HashSet<PathBuf> = ancestors.map(Path::to_owned).collect();
        let mut walk = self.walker();
        let entries = walk
            .filter_entry(move |entry| {
                entry.depth() == 0 || on_the_way.contains(entry.path()) && !left_behind(entry)
            })
            .build();
        let files = entries
            .flatten()
            .filter(|entry| !entry.path().is_dir())
            .filter_map(|entry| Some(entry.path().strip_prefix(&self.root).ok()?.to_owned()));
        files.collect()
    }

    fn walk(&self) -> ignore::Walk {
        let mut walker = self.walker();
        walker
            .filter_entry(|entry| entry.depth() == 0 || !left_behind(entry))
            .build()
    }

    fn walker(&self) -> WalkBuilder {
        let obey = !RELEASE_MARKERS
            .iter()
            .any(|name| self.root.join(name).exists());
        let mut walker = WalkBuilder::new(&self.root);
        walker
            .standard_filters(false)
            .git_ignore(obey)
            .git_exclude(obey)
            .ignore(obey)
            .require_git(false);
        walker
    }

    fn walk_error(&self, error: ignore::Error) -> ProjectError {
        let path = path_of(&error).unwrap_or(&self.root).to_owned();
        // Its own text repeats the path.
        let source = match error.io_error().and_then(io::Error::raw_os_error) {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::other(error.to_string()),
        };
        ProjectError::unreadable(&path, source)
    }

    /// What git tracks, ignored or not; nothing outside git.
    fn tracked(&self) -> Vec<PathBuf> {
        let stdout = self
            .git(&["ls-files", "-z", "--cached"])
            .unwrap_or_default();
        let names = stdout
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty());
        names
            .map(|name| self.root.join(OsStr::from_bytes(name)))
            .collect()
    }

    fn add(&self, listing: &mut Listing, path: &Path) -> Result<(), ProjectError> {
        let unreadable = |error| ProjectError::unreadable(path, error);
        let metadata = fs::symlink_metadata(path).map_err(unreadable)?;
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        match (
            relative.to_str(),
            kind(path, &metadata).map_err(unreadable)?,
        ) {
            _ if metadata.is_dir() => {}
            (Some(name), Some(kind)) => {
                listing.files.insert(name.to_owned(), kind);
            }
            _ => listing
                .left_out
                .push(relative.to_string_lossy().into_owned()),
        }
        Ok(())
    }

    /// The commit that is checked out, if the project is the root of a git checkout without
    /// changes: with changes, no commit is the tree.
    pub fn commit(&self) -> Option<String> {
        self.root.join(".git").exists().then_some(())?;
        let changes = self.git(&["status", "--porcelain"])?;
        changes.is_empty().then_some(())?;
        let commit = self.git(&["rev-parse", "HEAD"])?;
        Some(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    /// What git answers. Nothing that the checkout configures is run, and its index is not refreshed.
    fn git(&self, arguments: &[&str]) -> Option<Vec<u8>> {
        let done = Command::new("git")
            .args(["-c", "core.fsmonitor=false"])
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .current_dir(&self.root)
            .output();
        done.ok()
            .filter(|done| done.status.success())
            .map(|done| done.stdout)
    }

    /// A hash over the paths, kinds and contents of all files: equal trees have equal hashes.
    pub fn tree_hash(&self) -> Result<String, ProjectError> {
        let listing = self.files()?;
        let mut hasher = blake3::Hasher::new();
        for (name, kind) in &listing.files {
            let content = match kind {
                FileKind::File { .. } => self.read(name)?,
                FileKind::Link { target } => target.as_os_str().as_bytes().to_vec(),
            };
            hash_entry(&mut hasher, name, kind, &content);
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// The bytes of one file.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, ProjectError> {
        let path = self.root.join(name);
        fs::read(&path).map_err(|error| ProjectError::unreadable(&path, error))
    }
}

/// Lengths are hashed before what they measure, so that no two trees give the same bytes.
fn hash_entry(hasher: &mut blake3::Hasher, name: &str, kind: &FileKind, content: &[u8]) {
    let tag = match kind {
        FileKind::File { mode } if mode & 0o111 == 0 => 0_u8,
        FileKind::File { .. } => 1,
        FileKind::Link { .. } => 2,
    };
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(&[tag]);
    hasher.update(&(content.len() as u64).to_le_bytes());
    hasher.update(content);
}

/// What a path is, if it is something that can be handled.
fn kind(path: &Path, metadata: &Metadata) -> io::Result<Option<FileKind>> {
    Ok(if metadata.is_symlink() {
        let target = fs::read_link(path)?;
        (!is_loop(path)).then_some(FileKind::Link { target })
    } else {
        let mode = metadata.permissions().mode() & 0o7777;
        metadata.is_file().then_some(FileKind::File { mode })
    })
}

/// Whether a link leads to a folder that it lies in.
fn is_loop(link: &Path) -> bool {
    let folder = link.parent().and_then(|folder| folder.canonicalize().ok());
    let target = link.canonicalize().ok();
    folder
        .zip(target)
        .is_some_and(|(folder, target)| folder.starts_with(target))
}

fn left_behind(entry: &DirEntry) -> bool {
    left_by_tools(
        entry.path(),
        entry.file_type().is_some_and(|kind| kind.is_dir()),
    )
}

/// Whether a file or folder is what a tool left behind rather than part of a project.
pub(crate) fn left_by_tools(path: &Path, is_folder: bool) -> bool {
    LEFT_BY_TOOLS
        .iter()
        .any(|name| path.file_name() == Some(OsStr::new(name)))
        || is_folder && CACHE_MARKERS.iter().any(|name| path.join(name).is_file())
        || is_folder && TASK_FILES.iter().all(|name| path.join(name).is_file())
}

/// Where a walk failed.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    fn tree(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(folder: &Path) -> String {
        let listing = Project::open(folder).unwrap().files().unwrap();
        listing
            .files
            .keys()
            .map(|name| format!("{name}\n"))
            .collect()
    }

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&names(tree(files).path()));
    }

    fn git(folder: &Path, arguments: &[&str]) -> bool {
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let command = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(folder)
            .output();
        command.is_ok_and(|done| done.status.success())
    }

    #[test]
    fn ignored_files_are_left_out_even_without_git() {
        check(
            &[
                (".gitignore", "*.log\n/out/\n"),
                ("a.log", ""),
                ("out/x", ""),
                ("in/out/y", ""),
                ("m.py", ""),
            ],
            expect![[r#"
                .gitignore
                in/out/y
                m.py
            "#]],
        );
    }

    #[test]
    fn a_packed_release_has_all_its_files() {
        check(
            &[
                (".gitignore", "_version.py\n"),
                ("PKG-INFO", ""),
                ("p/_version.py", ""),
            ],
            expect![[r#"
                .gitignore
                PKG-INFO
                p/_version.py
            "#]],
        );
    }

    #[test]
    fn environments_and_caches_are_left_out_whatever_their_name() {
        check(
            &[
                ("a.py", ""),
                ("my env/pyvenv.cfg", ""),
                ("my env/lib/b.py", ""),
                ("target/CACHEDIR.TAG", ""),
                ("target/c", ""),
                ("p/__pycache__/d.pyc", ""),
                ("node_modules/e.js", ""),
                (".github/f.yml", ""),
            ],
            expect![[r#"
                .github/f.yml
                a.py
            "#]],
        );
    }

    #[test]
    fn some_files_are_listed_exactly_if_the_list_has_them() {
        let folder = tree(&[
            (".gitignore", "/out/\n*.log\n"),
            ("a/.gitignore", "no.py\n"),
            ("a/no.py", ""),
            ("a/b/yes.py", ""),
            ("out/c.py", ""),
            (".venv/pyvenv.cfg", ""),
            (".venv/d.py", ""),
        ]);
        let project = Project::open(folder.path()).unwrap();
        let listed = project.files().unwrap().files;
        let paths = [
            "a/no.py",
            "a/b/yes.py",
            "a/b",
            "out/c.py",
            ".venv/d.py",
            "gone.py",
        ];
        let found = project.listed(paths.iter().map(Path::new));
        for path in paths {
            assert_eq!(
                found.contains(Path::new(path)),
                listed.contains_key(path),
                "{path}"
            );
        }
    }

    #[test]
    fn a_file_that_git_tracks_counts_although_it_is_ignored() {
        let folder = tree(&[
            (".gitignore", "*.dat\n"),
            ("kept.dat", ""),
            ("junk.dat", ""),
            ("new.py", ""),
        ]);
        let ready =
            git(folder.path(), &["init", "-q"]) && git(folder.path(), &["add", "-f", "kept.dat"]);
        if ready || fixtures::unavailable::<()>("git").is_some() {
            assert_eq!(names(folder.path()), ".gitignore\nkept.dat\nnew.py\n");
        }
    }

    #[test]
    fn links_are_listed_and_not_followed() {
        let folder = tree(&[("d/a.py", "")]);
        symlink("d", folder.path().join("link")).unwrap();
        symlink("nowhere", folder.path().join("broken")).unwrap();
        assert_eq!(names(folder.path()), "broken\nd/a.py\nlink\n");
    }

    #[test]
    fn links_to_a_folder_that_they_lie_in_are_left_out() {
        let folder = tree(&[("d/e/a.py", "")]);
        symlink(".", folder.path().join("d/self")).unwrap();
        symlink("../..", folder.path().join("d/e/root")).unwrap();
        symlink(folder.path(), folder.path().join("d/absolute")).unwrap();
        symlink("e", folder.path().join("d/sibling")).unwrap();
        let listing = Project::open(folder.path()).unwrap().files().unwrap();
        assert_eq!(listing.left_out, ["d/absolute", "d/e/root", "d/self"]);
        assert_eq!(names(folder.path()), "d/e/a.py\nd/sibling\n");
    }

    #[test]
    fn what_has_no_utf_8_name_is_reported() {
        let folder = tree(&[("a.py", "")]);
        if fs::write(folder.path().join(OsStr::from_bytes(b"\xff.txt")), "").is_ok() {
            let listing = Project::open(folder.path()).unwrap().files().unwrap();
            assert_eq!(listing.left_out, ["\u{fffd}.txt"]);
        }
    }

    #[test]
    fn the_hash_tells_content_name_and_executability() {
        let hash = |folder: &TempDir| Project::open(folder.path()).unwrap().tree_hash().unwrap();
        let base = hash(&tree(&[("a", "x"), ("b", "y")]));
        assert_eq!(base, hash(&tree(&[("b", "y"), ("a", "x")])));
        assert_ne!(base, hash(&tree(&[("a", "x"), ("b", "z")])));
        assert_ne!(base, hash(&tree(&[("a", "x"), ("c", "y")])));
        let executable = tree(&[("a", "x"), ("b", "y")]);
        fs::set_permissions(
            executable.path().join("a"),
            fs::Permissions::from_mode(0o755),
        )
        .unwrap();
        assert_ne!(base, hash(&executable));
    }

    #[test]
    fn a_wrong_path_is_an_error_that_says_what_to_do() {
        let folder = tree(&[("a.py", "")]);
        let error = |path: &str| {
            let error = Project::open(&folder.path().join(path))
                .unwrap_err()
                .to_string();
            error.replace(
                &*folder.path().canonicalize().unwrap().to_string_lossy(),
                "ROOT",
            )
        };
        expect!["there is no folder ROOT/no; give the path of a project's root folder"]
            .assert_eq(&error("no"));
        expect!["ROOT/a.py is not a folder; give the root folder of the project"]
            .assert_eq(&error("a.py"));
        let empty = tree(&[]);
        assert!(matches!(
            Project::open(empty.path()).unwrap().files(),
            Err(ProjectError::Empty(_))
        ));
    }
}
