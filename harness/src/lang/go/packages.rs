//! The packages of a tree, as `go list` tells them, with the tests that their files declare.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::declarations::{self, Kind};
use super::modules::{Module, relative};
use super::records;
use crate::environment::Environment;
use crate::process::{Command, Ended, Launcher, Limits};
use crate::runner::RunError;

/// What `go list` tells about a package.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct Listed {
    pub(super) import_path: String,
    dir: PathBuf,
    pub(super) name: String,
    /// For which package's test this is compiled anew.
    for_test: String,
    module: Option<ListedModule>,
    go_files: Vec<String>,
    cgo_files: Vec<String>,
    test_go_files: Vec<String>,
    #[serde(rename = "XTestGoFiles")]
    external_test_files: Vec<String>,
    deps: Vec<String>,
    pub(super) error: Option<ListedError>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct ListedModule {
    path: String,
    version: String,
    dir: PathBuf,
}

/// Why a package cannot be loaded or built.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub(super) struct ListedError {
    pub(super) err: String,
    pub(super) pos: String,
}

/// A package of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) import_path: String,
    /// Project-relative; empty for the root.
    pub(super) folder: String,
    /// Which of [`Suite::modules`] it belongs to.
    pub(super) module: usize,
    /// Names of the files with product code.
    pub(super) files: Vec<String>,
    /// Project-relative.
    pub(super) test_files: Vec<String>,
    /// In the order in which they run.
    pub(super) tests: Vec<Test>,
}

/// A function that `go test` runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) name: String,
    /// Project-relative.
    pub(super) path: String,
    pub(super) line: u32,
}

/// Everything that a tree consists of.
#[derive(Clone, Debug, Default)]
pub(super) struct Suite {
    pub(super) modules: Vec<Module>,
    /// By module, then as the go command lists them.
    pub(super) packages: Vec<Package>,
    /// Modules that cannot be listed: the project-relative path of the manifest, and why.
    pub(super) broken: Vec<(String, String)>,
    /// Path and folder of the modules, as the go command sees them.
    pub(super) origins: Vec<(String, PathBuf)>,
}

impl Suite {
    /// The package with an import path.
    pub(super) fn package(&self, import_path: &str) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| package.import_path == import_path)
    }

    /// Whether any package has C code in its Go files.
    pub(super) fn uses_c(&self, tree: &Path) -> bool {
        let mut folders = self
            .packages
            .iter()
            .map(|package| tree.join(&package.folder));
        folders.any(|folder| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut files = entries.map(|entry| entry.path());
            files.any(|file| {
                file.extension().is_some_and(|extension| extension == "go")
                    && fs::read_to_string(file).is_ok_and(|text| text.contains("import \"C\""))
            })
        })
    }
}

/// What listing works with.
pub(super) struct Lister<'a> {
    pub(super) tree: &'a Path,
    pub(super) scratch: &'a Path,
    pub(super) environment: &'a Environment,
    pub(super) launcher: &'a Launcher,
    pub(super) limits: Limits,
    /// Flags that choose the files of a package.
    pub(super) flags: &'a [String],
}

impl Lister<'_> {
    /// The modules and packages of the tree.
    pub(super) fn suite(&self) -> Result<Suite, RunError> {
        let mut suite = Suite {
            modules: Module::find(self.tree),
            ..Suite::default()
        };
        for index in 0..suite.modules.len() {
            let Some(module) = suite.modules.get(index).cloned() else {
                break;
            };
            let listed = self.list(&module, &["-e"])?;
            if let Some(reason) = listed.failure {
                let manifest = relative(self.tree, &module.folder.join("go.mod"));
                suite.broken.push((manifest.unwrap_or_default(), reason));
            }
            let own = listed
                .packages
                .iter()
                .find_map(|package| package.module.as_ref());
            let own = own.filter(|own| !own.path.is_empty());
            suite
                .origins
                .extend(own.map(|own| (own.path.clone(), own.dir.clone())));
            let packages = listed.packages.iter();
            suite
                .packages
                .extend(packages.filter_map(|listed| self.package(listed, index)));
        }
        Ok(suite)
    }

    /// For each package with tests, the packages of the project that its test binary is made of.
    pub(super) fn parts(
        &self,
        module: &Module,
        own: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, Vec<String>>, RunError> {
        let listed = self.list(module, &["-e", "-test"])?;
        let mains = listed.packages.into_iter().filter_map(|package| {
            let tested = package.import_path.strip_suffix(".test")?.to_owned();
            let plain = package.deps.iter().map(|path| plain(path));
            let parts: BTreeSet<&str> = plain.filter(|path| own.contains(path)).collect();
            Some((tested, parts.into_iter().map(str::to_owned).collect()))
        });
        Ok(mains.collect())
    }

    /// What the whole module depends on: module paths and versions.
    pub(super) fn dependencies(
        &self,
        module: &Module,
    ) -> Result<BTreeMap<String, String>, RunError> {
        let listed = self.list(module, &["-e", "-deps", "-test"])?;
        let modules = listed
            .packages
            .into_iter()
            .filter_map(|package| package.module);
        Ok(modules
            .filter(|module| !module.version.is_empty())
            .map(|module| (module.path, module.version))
            .collect())
    }

    fn package(&self, listed: &Listed, module: usize) -> Option<Package> {
        let folder = relative(self.tree, &listed.dir)?;
        let place = |name: &String| {
            if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            }
        };
        let own = listed.test_go_files.iter().map(place);
        let external = listed.external_test_files.iter().map(place);
        let test_files: Vec<String> = own.chain(external).collect();
        let tests = test_files
            .iter()
            .flat_map(|path| self.tests(path))
            .collect();
        Some(Package {
            import_path: listed.import_path.clone(),
            folder,
            module,
            files: [listed.go_files.as_slice(), &listed.cgo_files].concat(),
            test_files,
            tests,
        })
    }

    fn tests(&self, path: &str) -> Vec<Test> {
        let declared = declarations::of_file(&self.tree.join(path)).into_iter();
        declared
            .filter(|found| found.kind == Kind::Test)
            .map(|found| Test {
                name: found.name,
                path: path.to_owned(),
                line: found.first,
            })
            .collect()
    }

    /// Asks for the packages of a module.
    pub(super) fn list(&self, module: &Module, options: &[&str]) -> Result<List, RunError> {
        let answer = self.scratch.join("list.json");
        let command = module.command(self.environment).arg("list").args(options);
        let command = command.arg(FIELDS).args(self.flags).arg("./...");
        let command: Command = command.copy_stdout(&answer);
        let finished = self.launcher.run(&command, &self.limits)?;
        let bytes = fs::read(&answer).map_err(records(&answer))?;
        let stream = serde_json::Deserializer::from_slice(&bytes).into_iter();
        let packages: Vec<Listed> = stream.map_while(Result::ok).collect();
        let failure = (finished.ended != Ended::Exit(0)).then(|| finished.stderr.last_lines(20));
        Ok(List { packages, failure })
    }
}

/// The fields that [`Listed`] reads.
const FIELDS: &str =
    "-json=ImportPath,Dir,Name,ForTest,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Deps,Error";

/// An answer of `go list`.
pub(super) struct List {
    pub(super) packages: Vec<Listed>,
    /// What it said where it failed.
    pub(super) failure: Option<String>,
}

/// An import path without the test for which it is compiled: `a [b.test]` is `a`.
pub(super) fn plain(path: &str) -> &str {
    path.split(' ').next().unwrap_or(path)
}
