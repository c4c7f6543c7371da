//! The making of an environment, step by step.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::toolchain::Cargo;
use crate::cache::CacheError;
use crate::config::Config;
use crate::environment::{Collection, Environment, EnvironmentError, Job, Steps};
use crate::lang::rust::build::{self, Wanted};
use crate::lang::rust::cargo::{Arguments, HOME, TARGET};
use crate::lang::rust::workspace::Workspace;
use crate::lang::rust::{runner, tracer};
use crate::process::Command;
use crate::runner::{RunError, RunRequest, Selection};
use crate::sandbox::TreeEdits;

/// Variables of the caller that would change what cargo or a test does.
const DISTURBING: &[&str] = &[
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_MAKEFLAGS",
    "CARGO_TERM_COLOR",
    "LLVM_PROFILE_FILE",
    "MAKEFLAGS",
    "OUT_DIR",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_NOCAPTURE",
    "RUST_TEST_SHUFFLE",
    "RUST_TEST_THREADS",
];

/// An environment in the making.
pub(super) struct Preparation<'j, 'a> {
    job: &'j mut Job<'a>,
    steps: Steps<'a>,
    environment: Environment,
    complaints: Vec<String>,
}

impl<'j, 'a> Preparation<'j, 'a> {
    pub(super) fn make(
        job: &'j mut Job<'a>,
        cargo: &Cargo,
    ) -> Result<Environment, EnvironmentError> {
        let folder = job.cache.folder().join("rust");
        let home = folder.join("home");
        fs::create_dir_all(&home).map_err(|error| CacheError::at(&home, error))?;
        let environment = Environment {
            distribution: None,
            language: "rust".to_owned(),
            runtime: cargo.path.clone(),
            version: cargo.version.clone(),
            variables: variables(cargo, &folder, job.config),
            packages: BTreeMap::new(),
            steps: Vec::new(),
            collection: Collection::default(),
            fingerprint: String::new(),
        };
        let steps = Steps::new(
            job.launcher,
            job.cache.folder(),
            job.config.limits.for_installation(),
            job.progress,
        );
        let mut preparation = Self {
            job,
            steps,
            environment,
            complaints: Vec::new(),
        };
        preparation.fetch(&home)?;
        preparation.build()?;
        preparation.finish()
    }

    /// Gets everything that is needed from the network, once.
    fn fetch(&mut self, home: &Path) -> Result<(), EnvironmentError> {
        if let Some(commands) = self.job.config.environment.install.clone() {
            return self.run_asked(&commands);
        }
        // It says where registries are, which must be the same later.
        Link::make(home, "config.toml", self.job.sandbox.tree());
        // For private registries; nothing that runs later needs them.
        let credentials = Link::make(home, "credentials.toml", Path::new(""));
        for workspace in Workspace::find(self.job.sandbox.tree()) {
            self.lock(&workspace)?;
            let name = name(&workspace);
            let fetch = self.online(&workspace).args(["fetch", "--locked"]);
            let purpose = format!("fetch the dependencies of {name}");
            if !self.steps.attempt(&purpose, &fetch)? {
                // A lock file that is not up to date is completed in the work tree only.
                let fetch = self.online(&workspace).arg("fetch");
                let advice = "Check the network, and that all dependencies can be had; `environment.install` in lacuna.toml can name other commands.";
                self.steps.require(
                    &format!("complete the Cargo.lock of {name}, and {purpose}"),
                    &fetch,
                    advice,
                )?;
                self.complaints.push(format!(
                    "the Cargo.lock of {name} does not fit its Cargo.toml; it was completed for the runs"
                ));
            }
        }
        credentials.into_iter().for_each(Link::remove);
        Ok(())
    }

    /// A lock file of its own: the person's, though version control ignores it, else a new one with
    /// versions that the toolchain can build.
    fn lock(&mut self, workspace: &Workspace) -> Result<(), EnvironmentError> {
        let file = workspace.folder.join("Cargo.lock");
        if file.is_file() {
            return Ok(());
        }
        let own = self
            .job
            .project
            .root()
            .join(&workspace.prefix)
            .join("Cargo.lock");
        if fs::copy(&own, &file).is_ok() {
            return Ok(());
        }
        let command = self
            .online(workspace)
            .arg("generate-lockfile")
            .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback");
        let purpose = format!("choose versions for {}", name(workspace));
        let advice = "Check the network, and that all dependencies can be had.";
        self.steps.require(&purpose, &command, advice)
    }

    fn run_asked(&mut self, commands: &[String]) -> Result<(), EnvironmentError> {
        let tree = self.job.sandbox.tree().to_owned();
        for line in commands {
            let command = Command::new("sh", &tree)
                .envs(self.environment.variables.clone())
                .args(["-c", line]);
            let advice = "Correct `environment.install` in lacuna.toml.";
            self.steps
                .require("a command of lacuna.toml", &command, advice)?;
        }
        Ok(())
    }

    fn online(&self, workspace: &Workspace) -> Command {
        self.environment.command(&workspace.folder)
    }

    /// Builds all tests, plain and for tracing, so that later runs build only what an edit changes.
    /// What build scripts write into the tree becomes part of the base.
    fn build(&mut self) -> Result<(), EnvironmentError> {
        let arguments = Arguments::split(&self.job.config.tests.arguments);
        let wrapper = tracer::wrapper(&self.environment).map_err(unlisted)?;
        for workspace in Workspace::find(self.job.sandbox.tree()) {
            let name = name(&workspace);
            for words in build::commands(&workspace, &Wanted::All) {
                let command = crate::lang::rust::cargo::command(&self.environment, &workspace)
                    .args(words)
                    .args(&arguments.cargo)
                    .args(["--offline", "--locked"]);
                self.steps
                    .attempt(&format!("build the tests of {name}"), &command)?;
                self.job.sandbox.keep_generated()?;
                let command = build::instrumented(command, &wrapper);
                self.steps
                    .attempt(&format!("build the tests of {name} for tracing"), &command)?;
            }
        }
        Ok(self
            .job
            .sandbox
            .materialise(&TreeEdits::default())
            .map(drop)?)
    }

    fn finish(mut self) -> Result<Environment, EnvironmentError> {
        let tree = self.job.sandbox.tree().to_owned();
        let scratch = self.job.sandbox.scratch()?;
        (self.job.progress)("list the tests");
        let request = RunRequest {
            tree: &tree,
            scratch: &scratch,
            environment: &self.environment,
            arguments: &self.job.config.tests.arguments,
            selection: &Selection::All,
            traced: false,
            limits: self.job.config.limits.for_installation(),
            patience: None,
        };
        let mut collection = runner::collect(&request, self.job.launcher).map_err(unlisted)?;
        collection.complaints.append(&mut self.complaints);
        self.environment.collection = collection;
        let workspaces = Workspace::find(&tree);
        for workspace in &workspaces {
            self.environment.packages.extend(locked(workspace));
        }
        self.environment.distribution = workspaces.first().and_then(package_name);
        self.job.sandbox.materialise(&TreeEdits::default())?;
        self.environment.steps = self.steps.finish();
        self.environment.fingerprint = fingerprint(&self.environment, self.job.config);
        Ok(self.environment)
    }
}

/// A file of the person's cargo folder that ours shows for a while.
struct Link(PathBuf);

impl Link {
    /// Nothing where the file is found anyway from below `tree`: cargo joins the lists of both.
    fn make(home: &Path, name: &str, tree: &Path) -> Option<Self> {
        let own = env::var_os("CARGO_HOME").map(PathBuf::from);
        let own = own.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")))?;
        let is_found = own.parent().is_some_and(|folder| tree.starts_with(folder))
            && own.file_name().is_some_and(|name| name == ".cargo");
        let (from, to) = (own.join(name), home.join(name));
        if is_found || !from.is_file() || fs::exists(&to).unwrap_or(true) {
            return None;
        }
        symlink(from, &to).ok().map(|()| Self(to))
    }

    fn remove(self) {
        // One that stays is harmless: it is what cargo reads without us.
        let _ = fs::remove_file(self.0);
    }
}

fn name(workspace: &Workspace) -> String {
    match workspace.prefix.trim_end_matches('/') {
        "" => package_name(workspace).unwrap_or_else(|| "the workspace".to_owned()),
        folder => folder.to_owned(),
    }
}

fn package_name(workspace: &Workspace) -> Option<String> {
    let text = fs::read_to_string(workspace.folder.join("Cargo.toml")).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let name = table.get("package")?.get("name")?.as_str()?;
    Some(name.to_owned())
}

/// The versions in a lock file; of several the highest last.
fn locked(workspace: &Workspace) -> BTreeMap<String, String> {
    let text = fs::read_to_string(workspace.folder.join("Cargo.lock")).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let packages = table.get("package").and_then(toml::Value::as_array);
    let mut versions: BTreeMap<String, String> = BTreeMap::new();
    for package in packages.into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(toml::Value::as_str);
        let Some((name, version)) = text("name").zip(text("version")) else {
            continue;
        };
        let all = versions.entry(name.to_owned()).or_default();
        if !all.is_empty() {
            all.push_str(", ");
        }
        all.push_str(version);
    }
    versions
}

fn unlisted(error: RunError) -> EnvironmentError {
    match error {
        RunError::Launch(error) => error.into(),
        RunError::Records { path, source } => CacheError::at(&path, source).into(),
        other => CacheError::at(Path::new(""), std::io::Error::other(other)).into(),
    }
}

/// What differs from the caller's variables.
fn variables(cargo: &Cargo, folder: &Path, config: &Config) -> BTreeMap<String, Option<String>> {
    let mut variables: BTreeMap<String, Option<String>> = DISTURBING
        .iter()
        .map(|name| ((*name).to_owned(), None))
        .collect();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), Some(value));
    let path = env::var("PATH").unwrap_or_default();
    let tools = cargo.path.parent().unwrap_or(folder);
    set("PATH", format!("{}:{path}", tools.display()));
    set("RUSTUP_AUTO_INSTALL", "0".to_owned());
    set(HOME, folder.join("home").display().to_string());
    set(TARGET, folder.join("target").display().to_string());
    for (name, value) in &config.environment.variables {
        set(name, value.clone());
    }
    variables
}

fn fingerprint(environment: &Environment, config: &Config) -> String {
    let content = (
        &environment.version,
        &environment.packages,
        &config.environment.variables,
    );
    let content = serde_json::to_vec(&content).unwrap_or_default();
    blake3::hash(&content).to_hex().to_string()
}
