//! The making of an environment, step by step.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use super::toolchain::GoCommand;
use crate::cache::CacheError;
use crate::config::Config;
use crate::environment::{Collection, Environment, EnvironmentError, Job, Steps};
use crate::lang::go::modules::Module;
use crate::lang::go::packages::{Lister, Suite};
use crate::lang::go::runner::{self, arguments::Arguments};
use crate::process::Command;
use crate::runner::RunError;
use crate::sandbox::TreeEdits;

/// Variables of the caller that would change what the go command does.
const DISTURBING: &[&str] = &[
    "GO111MODULE",
    "GOARCH",
    "GOOS",
    "GOROOT",
    "GOTMPDIR",
    "GOCOVERDIR",
    "GOEXPERIMENT",
    "GODEBUG",
    "GOTRACEBACK",
    "GOMAXPROCS",
];

/// An environment in the making.
pub(super) struct Preparation<'j, 'a> {
    job: &'j mut Job<'a>,
    steps: Steps<'a>,
    modules: Vec<Module>,
    /// With the variables of all later runs: without a network.
    environment: Environment,
    complaints: Vec<String>,
}

impl<'j, 'a> Preparation<'j, 'a> {
    pub(super) fn make(
        job: &'j mut Job<'a>,
        go: &GoCommand,
    ) -> Result<Environment, EnvironmentError> {
        job.sandbox.renew(job.project)?;
        let modules = Module::find(job.sandbox.tree());
        let folder = job.cache.folder().join("go");
        std::fs::create_dir_all(&folder).map_err(|error| CacheError::at(&folder, error))?;
        let shared = job.cache.folder().parent().unwrap_or(&folder);
        let first = modules.first().and_then(|module| module.manifest.module());
        let environment = Environment {
            distribution: first.map(str::to_owned),
            language: "go".to_owned(),
            runtime: go.path.clone(),
            version: go.version.to_string(),
            variables: variables(go, &folder, shared, job.config),
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
            modules,
            environment,
            complaints: Vec::new(),
        };
        preparation.complain_about_replacements();
        preparation.fetch()?;
        preparation.finish(go)
    }

    /// A folder outside the project is not in the work tree.
    fn complain_about_replacements(&mut self) {
        let tree = self.job.sandbox.tree();
        for module in &self.modules {
            for (replaced, target) in module.manifest.local_replacements() {
                let inside = module.folder.join(target).canonicalize();
                if !inside.is_ok_and(|folder| folder.starts_with(tree)) {
                    self.complaints.push(format!(
                        "{}/go.mod replaces {replaced} by {target}, which is not in the project; work on the folder that holds both",
                        module.name(tree)
                    ));
                }
            }
        }
    }

    /// Gets everything that is needed from the network, once.
    fn fetch(&mut self) -> Result<(), EnvironmentError> {
        if let Some(commands) = self.job.config.environment.install.clone() {
            return self.run_asked(&commands);
        }
        for module in self.modules.clone() {
            let name = module.name(self.job.sandbox.tree());
            if module.is_vendored() {
                continue;
            }
            let download = self.online(&module).args(["mod", "download"]);
            self.steps
                .attempt(&format!("fetch the dependencies of {name}"), &download)?;
            let list = [
                "list",
                "-deps",
                "-test",
                "-f",
                "{{with .Error}}{{.}}{{end}}",
                "./...",
            ];
            let check = self.online(&module).args(list);
            if !self
                .steps
                .attempt(&format!("look for what {name} lacks"), &check)?
            {
                // A go.mod or go.sum that is not up to date is completed in the work tree only.
                let complete = self
                    .online(&module)
                    .args(["list", "-mod=mod", "-e"])
                    .args(&list[1..]);
                self.steps.attempt(
                    &format!("complete the go.mod and go.sum of {name}"),
                    &complete,
                )?;
            }
        }
        Ok(self.job.sandbox.keep_generated()?)
    }

    fn run_asked(&mut self, commands: &[String]) -> Result<(), EnvironmentError> {
        let tree = self.job.sandbox.tree().to_owned();
        for line in commands {
            let command = Command::new("sh", &tree).envs(self.environment.variables.clone());
            let command = with_network(command).args(["-c", line]);
            let advice = "Correct `environment.install` in lacuna.toml.";
            self.steps
                .require("a command of lacuna.toml", &command, advice)?;
        }
        Ok(self.job.sandbox.keep_generated()?)
    }

    /// The go command in a module, with the person's own network settings.
    fn online(&self, module: &Module) -> Command {
        with_network(module.command(&self.environment))
    }

    fn finish(mut self, go: &GoCommand) -> Result<Environment, EnvironmentError> {
        let scratch = self.job.sandbox.scratch()?;
        let arguments = Arguments::split(&self.job.config.tests.arguments);
        let lister = Lister {
            tree: self.job.sandbox.tree(),
            scratch: &scratch,
            environment: &self.environment,
            launcher: self.job.launcher,
            limits: self.job.config.limits.for_installation(),
            flags: &arguments.build,
        };
        let suite = lister.suite().map_err(unlisted)?;
        let mut packages = BTreeMap::new();
        for module in &self.modules {
            packages.extend(lister.dependencies(module).map_err(unlisted)?);
        }
        self.environment.packages = packages;
        if !go.has_c && suite.uses_c(self.job.sandbox.tree()) {
            self.complaints.push("some packages use cgo and there is no C compiler: they are built without it (CGO_ENABLED=0); install one, such as gcc".to_owned());
        }
        self.environment.collection = self.collect(&suite, &arguments)?;
        self.job.sandbox.materialise(&TreeEdits::default())?;
        self.environment.steps = self.steps.finish();
        self.environment.fingerprint = fingerprint(&self.environment, self.job.config);
        Ok(self.environment)
    }

    /// Builds all tests, which fills the build cache, and lets them list themselves.
    fn collect(
        &mut self,
        suite: &Suite,
        arguments: &Arguments,
    ) -> Result<Collection, EnvironmentError> {
        let mut collection = Collection {
            complaints: std::mem::take(&mut self.complaints),
            ..Collection::default()
        };
        collection.errors.extend(suite.broken.iter().cloned());
        let events = self.job.sandbox.scratch()?.join("collect.json");
        for module in &suite.modules {
            let name = module.name(self.job.sandbox.tree());
            let command = module
                .command(&self.environment)
                .args(["test", "-json", "-list", "."]);
            let command = command
                .args(&arguments.build)
                .arg("./...")
                .copy_stdout(&events);
            self.steps
                .observe(&format!("build and list the tests of {name}"), &command)?;
            let found = runner::listed(
                &events,
                self.steps.last_log(),
                suite,
                self.job.sandbox.tree(),
            );
            let (tests, errors) = found.map_err(unlisted)?;
            collection.tests += tests;
            collection.errors.extend(errors);
        }
        Ok(collection)
    }
}

fn with_network(command: Command) -> Command {
    match env::var_os("GOPROXY") {
        Some(proxy) => command.env("GOPROXY", proxy),
        None => command.env_remove("GOPROXY"),
    }
}

fn unlisted(error: RunError) -> EnvironmentError {
    match error {
        RunError::Launch(error) => error.into(),
        RunError::Records { path, source } => CacheError::at(&path, source).into(),
        other => CacheError::at(&PathBuf::new(), std::io::Error::other(other)).into(),
    }
}

/// What differs from the caller's variables. The build cache is shared between projects: the standard
/// library in it takes a minute to build, and its entries are found by what they are made from.
fn variables(
    go: &GoCommand,
    folder: &Path,
    shared: &Path,
    config: &Config,
) -> BTreeMap<String, Option<String>> {
    let mut variables: BTreeMap<String, Option<String>> = DISTURBING
        .iter()
        .map(|name| ((*name).to_owned(), None))
        .collect();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), Some(value));
    let path = env::var("PATH").unwrap_or_default();
    set("PATH", format!("{}:{path}", go.root.join("bin").display()));
    set("GOTOOLCHAIN", "local".to_owned());
    set("GOPROXY", "off".to_owned());
    set("GOPATH", folder.join("path").display().to_string());
    set("GOMODCACHE", folder.join("modules").display().to_string());
    set("GOCACHE", shared.join("go-build").display().to_string());
    // The module cache is to be deletable, and the work tree has no version control.
    let mut flags = "-modcacherw -buildvcs=false".to_owned();
    if !go.has_c {
        set("CGO_ENABLED", "0".to_owned());
    }
    for (name, value) in &config.environment.variables {
        match name.as_str() {
            "GOFLAGS" => flags = format!("{flags} {value}"),
            name => drop(set(name, value.clone())),
        }
    }
    set("GOFLAGS", flags);
    variables
}

fn fingerprint(environment: &Environment, config: &Config) -> String {
    let cgo = environment.variables.get("CGO_ENABLED");
    let content = (
        &environment.version,
        &environment.packages,
        &config.environment.variables,
        cgo,
    );
    let content = serde_json::to_vec(&content).unwrap_or_default();
    blake3::hash(&content).to_hex().to_string()
}
