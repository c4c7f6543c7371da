//! The making of an environment, step by step.

use super::facts::Facts;
use super::install::Installer;
use super::interpreter::Interpreter;
use super::scripts::{self, Script};
use super::sources::{self, Content, Source, Tier, name_of, normal};
use super::{candidates, choose, locks, requirements_file, version};
use crate::cache::{CacheError, write_atomically};
use crate::config::Config;
use crate::environment::{Collection, Environment, EnvironmentError, Job, Steps};
use crate::project::Listing;
use crate::sandbox::TreeEdits;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where requirements come from, with their lines.
pub(super) type Known = Vec<(Source, Vec<String>)>;

/// The answer of `scripts/describe_environment.py`.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Described {
    pub(super) packages: BTreeMap<String, String>,
    project: Option<Distribution>,
}

/// The project as it is installed.
#[derive(Clone, Debug, Deserialize)]
struct Distribution {
    /// Requirement lines by extra; those without one under the empty name.
    requirements: BTreeMap<String, Vec<String>>,
}

/// How the code of the project gets onto the import path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Installed so that imports lead to the work tree.
    Editable,
    /// Installed as a copy, which the work tree on PYTHONPATH hides.
    Copied,
    /// Only on PYTHONPATH.
    Path,
}

/// A way of installing the project.
struct Attempt {
    purpose: &'static str,
    options: &'static [&'static str],
    /// Whether build tools must be installed before.
    needs_tools: bool,
    layout: Layout,
}

/// From best to worst. Code under test must come from the work tree, so editable comes first.
const ATTEMPTS: &[Attempt] = &[
    Attempt {
        purpose: "install the project",
        options: &["-e", "."],
        needs_tools: false,
        layout: Layout::Editable,
    },
    Attempt {
        purpose: "install the project with the environment's own build tools",
        options: &["--no-build-isolation", "-e", "."],
        needs_tools: true,
        layout: Layout::Editable,
    },
    Attempt {
        purpose: "install a copy of the project",
        options: &["."],
        needs_tools: false,
        layout: Layout::Copied,
    },
    Attempt {
        purpose: "install a copy of the project with the environment's own build tools",
        options: &["--no-build-isolation", "."],
        needs_tools: false,
        layout: Layout::Copied,
    },
];

/// An environment in the making.
pub(super) struct Preparation<'j, 'a> {
    pub(super) job: &'j mut Job<'a>,
    pub(super) steps: Steps<'a>,
    pub(super) installer: Installer,
    pub(super) tools: PathBuf,
    facts: Facts,
    pub(super) files: Listing,
    layout: Layout,
    /// Arguments that pin what the project's lock file pins.
    constraints: Vec<String>,
}

impl<'j, 'a> Preparation<'j, 'a> {
    /// Makes the environment from nothing.
    pub(super) fn make(job: &'j mut Job<'a>) -> Result<Environment, EnvironmentError> {
        let tools = job.cache.folder().join("tools");
        let interpreters = candidates(job.config, job.launcher);
        let files = job.project.files()?;
        let root = job.project.root();
        let facts = match interpreters.first() {
            Some(any) => Facts::read(root, &any.path, &tools, job.launcher)?,
            None => Facts::default(),
        };
        let chosen = choose(&facts, job.config, &interpreters)?;
        job.sandbox.renew(job.project)?;
        let folder = job.cache.folder().join("environment");
        let installer = Installer::new(
            folder,
            job.sandbox.tree(),
            &job.config.environment.variables,
        );
        let limits = job.config.limits.for_installation();
        let steps = Steps::new(job.launcher, job.cache.folder(), limits, job.progress);
        let mut preparation = Self {
            job,
            steps,
            installer,
            tools,
            facts,
            files,
            layout: Layout::Path,
            constraints: Vec::new(),
        };
        preparation.create(&chosen)?;
        let collection = preparation.fill()?;
        preparation.finish(&chosen, collection)
    }

    fn create(&mut self, interpreter: &Interpreter) -> Result<(), EnvironmentError> {
        let folder = self.job.cache.folder().join("environment");
        crate::sandbox::remove(&folder).map_err(|error| CacheError::at(&folder, error))?;
        let advice = "Is the package with Python's `venv` module installed? Another interpreter can be named by `environment.interpreter` in lacuna.toml.";
        self.steps.require(
            "make an isolated environment",
            &self.installer.create(interpreter),
            advice,
        )
    }

    /// Installs everything, and says what pytest then collects.
    fn fill(&mut self) -> Result<Collection, EnvironmentError> {
        match self.job.config.environment.install.clone() {
            Some(commands) => {
                self.run_asked(&commands)?;
                self.keep_generated()?;
                let (collected, _) = self.dry_run()?;
                Ok(collected.collection())
            }
            None => {
                self.place_constraints()?;
                self.install_project()?;
                self.keep_generated()?;
                let sources = self.install_requirements()?;
                let collection = self.complete(&sources)?;
                self.put_project_back()?;
                Ok(collection)
            }
        }
    }

    fn run_asked(&mut self, commands: &[String]) -> Result<(), EnvironmentError> {
        // Whether or not these install the project, its folder is on the path.
        self.put_on_path();
        for line in commands {
            let command = self.installer.command("sh").args(["-c", line]);
            self.steps.require(
                "a command of lacuna.toml",
                &command,
                "Correct `environment.install` in lacuna.toml.",
            )?;
        }
        Ok(())
    }

    /// Tries the ways of installing the project from best to worst.
    fn install_project(&mut self) -> Result<(), EnvironmentError> {
        let versions = version::variables(&self.facts, self.job.project.root());
        let versions: Vec<_> = versions
            .into_iter()
            .map(|(name, value)| (name, Some(value)))
            .collect();
        let attempts = if self.facts.has_build { ATTEMPTS } else { &[] };
        for attempt in attempts {
            if attempt.needs_tools {
                self.install_build_tools()?;
            }
            let command = self
                .installer
                .install_project(attempt.options)
                .envs(versions.clone());
            if self.steps.attempt(attempt.purpose, &command)? {
                self.layout = attempt.layout;
                break;
            }
        }
        if self.layout != Layout::Editable {
            self.put_on_path();
        }
        Ok(())
    }

    /// The newest build tools may have dropped what an old project relies on.
    fn install_build_tools(&mut self) -> Result<(), EnvironmentError> {
        let mut tools = vec!["setuptools<81".to_owned(), "wheel".to_owned()];
        let named = self.facts.build_requirements();
        tools.extend(
            named
                .into_iter()
                .filter(|line| !line.starts_with("setuptools ") && !is_name(line, "setuptools")),
        );
        self.install_lines("install the build tools", &tools)
    }

    /// Lets the work tree's own folders come first on the import path.
    fn put_on_path(&mut self) {
        let tree = self.job.sandbox.tree();
        let folders = ["src", "lib", ""].map(|folder| tree.join(folder));
        let folders = folders.iter().filter(|folder| holds_modules(folder));
        let path: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
        self.installer
            .variables
            .insert("PYTHONPATH".into(), Some(path.join(":")));
    }

    /// Takes what the installation made in the work tree into the base.
    fn keep_generated(&mut self) -> Result<(), EnvironmentError> {
        Ok(self.job.sandbox.keep_generated()?)
    }

    /// Installs the project's requirements, those of its tests, and pytest.
    fn install_requirements(&mut self) -> Result<Known, EnvironmentError> {
        let described = self.describe()?;
        let own = match &described.project {
            Some(project) => project.requirements.get("").cloned().unwrap_or_default(),
            None => self.unpacked_requirements(),
        };
        self.install_lines("install what the project needs", &own)?;
        let sources = self.sources(&described);
        let tier = sources.iter().map(|(source, _)| source.tier).min();
        let tier = tier.filter(|tier| *tier != Tier::Other);
        for (source, lines) in sources
            .iter()
            .filter(|(source, _)| Some(source.tier) == tier)
        {
            let purpose = format!("install what the tests need ({})", source.origin);
            self.install_lines(&purpose, &source.worthwhile(lines))?;
        }
        if !self.describe()?.packages.contains_key("pytest") {
            self.install_lines("install pytest", &["pytest".to_owned()])?;
        }
        if !self.describe()?.packages.contains_key("pytest") {
            return Err(self.steps.failure(
                "Is the package index reachable? pip reads its settings from its usual places.",
            ));
        }
        Ok(sources)
    }

    /// The requirements of a project that could not be installed.
    fn unpacked_requirements(&self) -> Vec<String> {
        let mut lines = self.facts.requirements();
        lines.extend(requirements_file::read(
            self.job.project.root(),
            "requirements.txt",
        ));
        lines
    }

    /// The sources with their lines.
    fn sources(&self, described: &Described) -> Known {
        let none = BTreeMap::new();
        let extras = described
            .project
            .as_ref()
            .map_or(&none, |project| &project.requirements);
        let names: Vec<String> = extras
            .keys()
            .filter(|name| !name.is_empty())
            .cloned()
            .collect();
        let of_extra = |wanted: &str| {
            let mut all = extras
                .iter()
                .filter(|(extra, _)| normal(extra) == normal(wanted));
            all.next()
                .map(|(_, lines)| lines.clone())
                .unwrap_or_default()
        };
        let (root, config) = (self.job.project.root(), &self.job.config.environment);
        let found = sources::find(root, &self.facts, &self.files, config, &names);
        let with_lines = found.into_iter().map(|source| {
            let lines = match &source.content {
                Content::Lines(lines) => lines.clone(),
                Content::Extra(name) => of_extra(name),
            };
            (source, lines)
        });
        with_lines.filter(|(_, lines)| !lines.is_empty()).collect()
    }

    /// Installs the lines together: with the locked versions if there are any, else without, and one
    /// by one if that fails too, because each may fail for itself.
    pub(super) fn install_lines(
        &mut self,
        purpose: &str,
        lines: &[String],
    ) -> Result<(), EnvironmentError> {
        let locked = [lines, &self.constraints].concat();
        if lines.is_empty()
            || !self.constraints.is_empty()
                && self
                    .steps
                    .attempt(purpose, &self.installer.install(&locked))?
            || self
                .steps
                .attempt(purpose, &self.installer.install(lines))?
            || lines.len() == 1
        {
            return Ok(());
        }
        for line in lines {
            self.steps
                .attempt(purpose, &self.installer.install(&[line]))?;
        }
        Ok(())
    }

    /// Writes the locked versions down for the installer, if there are any.
    fn place_constraints(&mut self) -> Result<(), EnvironmentError> {
        let lines = locks::constraints(self.job.project.root());
        if !lines.is_empty() {
            let path = self.tools.join("constraints.txt");
            write_atomically(&path, lines.join("\n").as_bytes())?;
            self.constraints = vec!["-c".into(), path.display().to_string()];
        }
        Ok(())
    }

    /// A requirement may have replaced the project by a released copy (pytest needs pluggy, say).
    fn put_project_back(&mut self) -> Result<(), EnvironmentError> {
        if self.layout == Layout::Editable && self.describe()?.project.is_none() {
            self.install_project()?;
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> Result<Described, EnvironmentError> {
        let script = scripts::place(&self.tools, Script::DescribeEnvironment)?;
        let command = self.installer.command(self.installer.python());
        let command = command.arg("-I").arg(script).arg(self.job.sandbox.tree());
        let answer = self
            .job
            .launcher
            .run(&command, &self.job.config.limits.for_installation())?;
        Ok(serde_json::from_str(&answer.stdout.text()).unwrap_or_default())
    }

    fn finish(
        self,
        interpreter: &Interpreter,
        collection: Collection,
    ) -> Result<Environment, EnvironmentError> {
        let packages = self.describe()?.packages;
        self.job.sandbox.materialise(&TreeEdits::default())?;
        let (major, minor, micro) = interpreter.version;
        let mut environment = Environment {
            distribution: self.facts.name(),
            language: "python".into(),
            runtime: self.installer.python(),
            version: format!("{major}.{minor}.{micro}"),
            variables: self.installer.variables,
            packages,
            steps: self.steps.finish(),
            collection,
            fingerprint: String::new(),
        };
        environment.fingerprint = fingerprint(&environment, self.job.config);
        Ok(environment)
    }
}

/// Where PATH leads is left out: it differs between shells and is not the environment's business.
fn fingerprint(environment: &Environment, config: &Config) -> String {
    let variables = (
        &config.environment.variables,
        environment.variables.get("PYTHONPATH"),
    );
    let content = (&environment.version, &environment.packages, variables);
    let content = serde_json::to_vec(&content).unwrap_or_default();
    blake3::hash(&content).to_hex().to_string()
}

/// Whether a requirement line is for this distribution.
pub(super) fn is_name(line: &str, distribution: &str) -> bool {
    name_of(line) == normal(distribution)
}

/// Whether a folder has modules or packages directly in it.
fn holds_modules(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    entries.any(|path| {
        path.extension().is_some_and(|extension| extension == "py")
            || path.join("__init__.py").is_file()
    })
}
