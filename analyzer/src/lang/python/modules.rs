//! Modules: which file an import statement names.

use crate::database::{Db, SourceFile, Text};
use crate::files::{SourceRoot, file_at, folder_exists, roots_of};
use crate::lang::Importable;
use crate::symbol::SymbolId;

/// What a dotted module name stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Module {
    /// A file.
    File(SourceFile),
    /// A folder without an `__init__` file.
    Namespace(String),
}

/// The top-level modules a file makes importable: those of its outermost package's folder, and those
/// of the project's root and of `src`, where packages without `__init__` files start.
pub(super) fn source_roots(path: &str, exists: &dyn Fn(&str) -> bool) -> Vec<Importable> {
    let folder = parent(path);
    let mut root = folder;
    while !root.is_empty() && is_package(root, exists) {
        root = parent(root);
    }
    let mut roots = Vec::new();
    let mut add = |folder: &str, is_private: bool| {
        if let Some(top) = top_below(path, folder) {
            roots.push((
                top,
                SourceRoot {
                    folder: folder.to_owned(),
                    is_private,
                },
            ));
        }
    };
    let is_base = |folder: &str| folder.is_empty() || folder == "src";
    for base in ["", "src"] {
        add(base, false);
    }
    if !is_base(root) {
        add(root, root == folder);
    }
    roots
}

fn is_package(folder: &str, exists: &dyn Fn(&str) -> bool) -> bool {
    exists(&format!("{folder}/__init__.py")) || exists(&format!("{folder}/__init__.pyi"))
}

/// The module or package directly in `folder` that a path belongs to.
fn top_below(path: &str, folder: &str) -> Option<String> {
    let below = match folder {
        "" => path,
        _ => path.strip_prefix(folder)?.strip_prefix('/')?,
    };
    let top = below.split('/').next()?;
    let top = top
        .strip_suffix(".pyi")
        .or_else(|| top.strip_suffix(".py"))
        .unwrap_or(top);
    (top != "__init__" && !top.is_empty()).then(|| top.to_owned())
}

/// The folder of a path; empty at the top.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The module that an import in `importer` names.
pub(super) fn find(db: &dyn Db, importer: SourceFile, level: u32, module: &str) -> Option<Module> {
    let path = importer.path(db);
    if level == 0 {
        return find_absolute(db, path, module);
    }
    let mut folder = parent(path);
    for _ in 1..level {
        if folder.is_empty() {
            return None;
        }
        folder = parent(folder);
    }
    below(db, folder, module, prefers_stubs(path))
}

fn find_absolute(db: &dyn Db, importer: &str, module: &str) -> Option<Module> {
    let top = module.split('.').next()?;
    let roots = roots_of(db, Text::new(db, top.to_owned()));
    let mut roots: Vec<&SourceRoot> = roots
        .iter()
        .filter(|root| !root.is_private || is_inside(importer, &root.folder))
        .collect();
    // The nearest root first: a project may hold several trees with modules of the same name.
    roots.sort_by_key(|root| std::cmp::Reverse(common_folders(importer, &root.folder)));
    let found: Vec<Module> = roots
        .into_iter()
        .filter_map(|root| below(db, &root.folder, module, prefers_stubs(importer)))
        .collect();
    let file = found
        .iter()
        .find(|module| matches!(module, Module::File(_)));
    file.or(found.first()).cloned()
}

fn prefers_stubs(importer: &str) -> bool {
    importer.ends_with(".pyi")
}

fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

fn common_folders(path: &str, folder: &str) -> usize {
    if folder.is_empty() {
        return 0;
    }
    path.split('/')
        .zip(folder.split('/'))
        .take_while(|(left, right)| left == right)
        .count()
}

/// The module of this dotted name in a folder; the folder's own module if the name is empty.
fn below(db: &dyn Db, folder: &str, module: &str, stubs: bool) -> Option<Module> {
    let mut path = folder.to_owned();
    for part in module.split('.').filter(|part| !part.is_empty()) {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(part);
    }
    at(db, &path, stubs, !module.is_empty())
}

fn at(db: &dyn Db, path: &str, stubs: bool, may_be_file: bool) -> Option<Module> {
    let extensions = if stubs { ["pyi", "py"] } else { ["py", "pyi"] };
    let file = |path: String| file_at(db, Text::new(db, path)).map(Module::File);
    let package = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let packages = extensions
        .iter()
        .map(|extension| format!("{package}__init__.{extension}"));
    let files = extensions
        .iter()
        .filter(|_| may_be_file)
        .map(|extension| format!("{path}.{extension}"));
    packages.chain(files).find_map(file).or_else(|| {
        let exists = path.is_empty() || folder_exists(db, Text::new(db, path.to_owned()));
        exists.then(|| Module::Namespace(path.to_owned()))
    })
}

/// The module called `name` in the package that a file is the `__init__` of.
pub(super) fn submodule(db: &dyn Db, package: &Module, name: &str) -> Option<Module> {
    match package {
        Module::File(file) => {
            let path = file.path(db);
            let is_package = path.ends_with("/__init__.py")
                || path.ends_with("/__init__.pyi")
                || matches!(path, "__init__.py" | "__init__.pyi");
            if !is_package {
                return None;
            }
            below(db, parent(path), name, prefers_stubs(path))
        }
        Module::Namespace(folder) => below(db, folder, name, false),
    }
}

/// The packages around a module, outermost first: importing it runs them all before it.
pub(super) fn packages_around(db: &dyn Db, path: &str) -> Vec<SymbolId> {
    let mut packages = Vec::new();
    let mut folder = parent(path);
    while !folder.is_empty() {
        let Some(Module::File(file)) = at(db, folder, false, false) else {
            break;
        };
        packages.push(SymbolId::module(file.path(db)));
        folder = parent(folder);
    }
    packages.retain(|package| package.as_str() != path);
    packages.reverse();
    packages
}
