//! The Go modules of a tree: each has a `go.mod`, and some are used together by a `go.work`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use crate::environment::Environment;
use crate::process::Command;

/// A module of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Module {
    /// The folder with its `go.mod`, absolute.
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    /// The `go.work` that uses it, absolute.
    pub(super) workspace: Option<PathBuf>,
}

impl Module {
    /// The modules of a tree, by folder. The go command ignores what is in folders whose names begin
    /// with a dot or an underscore, and `vendor` and `testdata` hold other people's modules.
    pub(super) fn find(tree: &Path) -> Vec<Self> {
        let mut folders = Vec::new();
        walk(tree, &mut folders);
        let mut modules = Vec::new();
        for folder in &folders {
            if let Some(manifest) = read(&folder.join("go.mod")) {
                modules.push(Self {
                    folder: folder.clone(),
                    manifest,
                    workspace: workspace_of(folder, &folders),
                });
            }
        }
        modules
    }

    /// The go command in this module.
    pub(super) fn command(&self, environment: &Environment) -> Command {
        self.place(environment.command(&self.folder))
    }

    /// Tells a command which workspace it is in: none that happens to be in a folder above the tree.
    pub(super) fn place(&self, command: Command) -> Command {
        match &self.workspace {
            Some(file) => command.env("GOWORK", file),
            None => command.env("GOWORK", "off"),
        }
    }

    /// Whether what it depends on is in the tree.
    pub(super) fn is_vendored(&self) -> bool {
        let folder = match &self.workspace {
            Some(file) => file.parent().unwrap_or(&self.folder),
            None => &self.folder,
        };
        folder.join("vendor/modules.txt").is_file()
    }

    /// The module's own folder as people say it, relative to the tree.
    pub(super) fn name(&self, tree: &Path) -> String {
        match relative(tree, &self.folder) {
            Some(folder) if !folder.is_empty() => folder,
            _ => ".".to_owned(),
        }
    }
}

/// A path relative to the tree, with `/`.
pub(super) fn relative(tree: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(tree).ok()?.to_str()?.to_owned())
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let is_module = folder.join("go.mod").is_file();
    if is_module || folder.join("go.work").is_file() {
        found.push(folder.to_owned());
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| !is_ignored(&entry.file_name()))
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders.iter().for_each(|folder| walk(folder, found));
}

/// Whether the go command does not look into folders of this name.
pub(super) fn is_ignored(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(['.', '_']) || matches!(&*name, "vendor" | "testdata" | "node_modules")
}

fn read(path: &Path) -> Option<Manifest> {
    Some(Manifest::parse(&fs::read_to_string(path).ok()?))
}

/// The workspace file in the nearest of `folders` above that uses the module.
fn workspace_of(module: &Path, folders: &[PathBuf]) -> Option<PathBuf> {
    let above = folders
        .iter()
        .rev()
        .filter(|folder| module.starts_with(folder));
    let mut files = above.map(|folder| folder.join("go.work"));
    files.find(|file| {
        let folder = file.parent().unwrap_or(module);
        read(file).is_some_and(|work| work.uses().any(|used| is_same(&folder.join(used), module)))
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    canonical(one).is_some_and(|one| Some(one) == canonical(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn nested_modules_are_found_with_their_workspaces() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("go.work", "go 1.24\nuse (\n\t.\n\t./tools\n)\n"),
            ("go.mod", "module m\n"),
            ("tools/go.mod", "module m/tools\n"),
            ("other/go.mod", "module other\n"),
            ("vendor/x/go.mod", "module x\n"),
            ("testdata/y/go.mod", "module y\n"),
            ("_examples/z/go.mod", "module z\n"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found: Vec<String> = Module::find(folder.path())
            .iter()
            .map(|module| {
                let name = module.manifest.module().unwrap_or_default();
                let workspace = module.workspace.is_some();
                format!("{} {name} {workspace}", module.name(folder.path()))
            })
            .collect();
        expect![". m true; other other false; tools m/tools true"].assert_eq(&found.join("; "));
    }
}
