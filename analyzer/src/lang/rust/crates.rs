//! Crates: which files are roots of module trees, and by which names other crates know them.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::facts::Name;

/// The crates of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Crates {
    /// The paths of the files that module trees start from, libraries first, each in order.
    pub roots: Vec<String>,
    /// Libraries by the names that other crates use for them.
    pub externs: BTreeMap<Name, String>,
}

/// Folders beside a manifest in which each file is a crate.
const TARGET_FOLDERS: [&str; 4] = ["src/bin", "tests", "examples", "benches"];

/// The crates that manifests and the usual places of files make up; `paths` are sorted.
pub(super) fn crates<'a>(
    manifests: impl Iterator<Item = (&'a str, &'a str)>,
    paths: &BTreeSet<&str>,
) -> Crates {
    let tables = manifests.map(|(path, text)| (folder(path), text.parse::<Table>().ok()));
    let mut tables: BTreeMap<&str, Option<Table>> = tables.collect();
    for path in paths {
        if let Some(folder) = path.strip_suffix("src/lib.rs") {
            tables.entry(folder.trim_end_matches('/')).or_insert(None);
        }
    }
    let mut libraries = BTreeMap::new();
    let mut others = BTreeSet::new();
    for (folder, table) in &tables {
        let package = Package {
            folder,
            table: table.as_ref(),
            paths,
        };
        libraries.extend(package.library());
        others.extend(package.others());
    }
    let mut externs: BTreeMap<Name, String> = libraries.clone();
    for table in tables.values().flatten() {
        for (alias, package) in renamed(&Value::Table(table.clone())) {
            if let Some(library) = libraries.get(&package) {
                externs.entry(alias).or_insert_with(|| library.clone());
            }
        }
    }
    let mut roots: Vec<String> = libraries.values().cloned().collect();
    roots.sort();
    roots.dedup();
    others.retain(|path| !roots.contains(path));
    roots.extend(others);
    Crates { roots, externs }
}

/// Whether a manifest lists a file among its tests.
pub(super) fn asks_for(manifest: &str, relative: &str) -> bool {
    let table = manifest.parse::<Table>().unwrap_or_default();
    let tests = table.get("test").and_then(Value::as_array);
    tests.into_iter().flatten().any(|test| {
        let text = |key: &str| test.get(key).and_then(Value::as_str);
        match (text("path"), text("name")) {
            (Some(path), _) => join("", path) == relative,
            (None, Some(name)) => [format!("tests/{name}.rs"), format!("tests/{name}/main.rs")]
                .iter()
                .any(|path| path == relative),
            (None, None) => false,
        }
    })
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

struct Package<'a> {
    folder: &'a str,
    table: Option<&'a Table>,
    paths: &'a BTreeSet<&'a str>,
}

impl Package<'_> {
    fn table(&self, name: &str) -> Option<&Table> {
        self.table?.get(name)?.as_table()
    }

    /// A path below the folder, if there is such a file.
    fn file(&self, relative: &str) -> Option<String> {
        let path = join(self.folder, relative);
        self.paths.contains(&*path).then_some(path)
    }

    fn library(&self) -> Option<(Name, String)> {
        let said = self.table("lib");
        let text = |key: &str| said?.get(key)?.as_str();
        let file = self.file(text("path").unwrap_or("src/lib.rs"))?;
        let package = self
            .table("package")
            .and_then(|package| package.get("name")?.as_str());
        let by_folder = self.folder.rsplit('/').next().unwrap_or_default();
        let name = text("name").or(package).unwrap_or(by_folder);
        Some((crate_name(name), file))
    }

    fn others(&self) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = BTreeSet::new();
        found.extend(self.file("src/main.rs"));
        let build = self
            .table("package")
            .and_then(|it| it.get("build")?.as_str());
        found.extend(self.file(build.unwrap_or("build.rs")));
        for kind in ["bin", "test", "example", "bench"] {
            let targets = self.table.and_then(|table| table.get(kind)?.as_array());
            let targets = targets.into_iter().flatten();
            let paths = targets.filter_map(|target| target.get("path")?.as_str());
            found.extend(paths.filter_map(|path| self.file(path)));
        }
        for folder in TARGET_FOLDERS {
            let folder = format!("{}/", join(self.folder, folder));
            let inside = self
                .paths
                .range(&*folder..)
                .take_while(|path| path.starts_with(&folder));
            for path in inside {
                let rest = path.strip_prefix(&folder).unwrap_or_default();
                let is_root = match rest.split_once('/') {
                    None => true,
                    Some((_, file)) => file == "main.rs",
                };
                if is_root {
                    found.insert((*path).to_owned());
                }
            }
        }
        found
    }
}

/// Joins paths, with `..` taken away.
pub(super) fn join(folder: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(relative.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn crate_name(package: &str) -> Name {
    Name::new(package.replace('-', "_"))
}

/// Every `alias = { package = "name" }` of a manifest.
fn renamed(value: &Value) -> Vec<(Name, Name)> {
    let Some(table) = value.as_table() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in table {
        match value.get("package").and_then(Value::as_str) {
            Some(package) => found.push((crate_name(key), crate_name(package))),
            None => found.extend(renamed(value)),
        }
    }
    found
}
