//! Prepares Python projects: an isolated environment, the project installed from the work tree, and
//! whatever its tests need.

mod completion;
mod examine;
mod facts;
mod inputs;
mod install;
mod interpreter;
mod locks;
mod missing;
mod preparation;
mod requirements_file;
mod scripts;
mod sources;
mod specifier;
mod version;

use crate::cache::ProjectCache;
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::{Environment, EnvironmentError, Job, Record, Toolchain};
use crate::process::Launcher;
use crate::project::{Listing, Project, ProjectError};
use facts::Facts;
use interpreter::{Interpreter, Wish};
use preparation::Preparation;
use std::path::{Path, PathBuf};

/// The row's implementation.
pub struct Python;

impl Toolchain for Python {
    fn suits(&self, files: &Listing) -> bool {
        files.files.keys().any(|path| path.ends_with(".py"))
    }

    fn stored(
        &self,
        project: &Project,
        config: &Config,
        cache: &ProjectCache,
    ) -> Result<Option<Environment>, ProjectError> {
        let inputs = inputs::hash(project, config)?;
        let stored = Record::<()>::load(&record(cache)).filter(|stored| stored.inputs == inputs);
        let environment = stored.map(|stored| stored.environment);
        Ok(environment.filter(|environment| environment.runtime.is_file()))
    }

    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError> {
        if let Some(stored) = self.stored(job.project, job.config, job.cache)? {
            return Ok(stored);
        }
        let inputs = inputs::hash(job.project, job.config)?;
        Record::make(&record(job.cache), inputs, (), |()| Preparation::make(job))
    }

    fn examine(
        &self,
        project: &Project,
        files: &Listing,
        config: &Config,
        launcher: &Launcher,
    ) -> Vec<Check> {
        examine::examine(project, files, config, launcher)
    }
}

/// Where the record of the environment is.
fn record(cache: &ProjectCache) -> PathBuf {
    cache.folder().join("environment.json")
}

/// The interpreters to choose from: the one that is named, or all.
fn candidates(config: &Config, launcher: &Launcher) -> Vec<Interpreter> {
    match &config.environment.interpreter {
        Some(asked) if !interpreter::is_version(asked) => {
            interpreter::ask(Path::new(asked), launcher)
                .into_iter()
                .collect()
        }
        _ => interpreter::find(launcher),
    }
}

fn wish(facts: &Facts, config: &Config) -> Wish {
    Wish {
        asked: config.environment.interpreter.clone(),
        allowed: facts.requires_python(),
        listed: facts.listed_minors(),
        incomplete_will_do: install::uv().is_some(),
    }
}

fn choose(
    facts: &Facts,
    config: &Config,
    found: &[Interpreter],
) -> Result<Interpreter, EnvironmentError> {
    let wish = wish(facts, config);
    wish.choose(found)
        .cloned()
        .ok_or_else(|| EnvironmentError::NoRuntime {
            what: "Python interpreter".into(),
            wanted: wish.describe(),
            found: list(found),
        })
}

fn list(found: &[Interpreter]) -> String {
    let all: Vec<String> = found.iter().map(Interpreter::describe).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}
