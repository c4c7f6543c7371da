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

use crate::cache::{CacheError, write_atomically};
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::{Environment, EnvironmentError, Job, Toolchain};
use crate::process::Launcher;
use crate::project::{Listing, Project};
use facts::Facts;
use interpreter::{Interpreter, Wish};
use preparation::Preparation;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The row's implementation.
pub struct Python;

impl Toolchain for Python {
    fn suits(&self, files: &Listing) -> bool {
        files.files.keys().any(|path| path.ends_with(".py"))
    }

    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError> {
        let inputs = inputs::hash(job.project, job.config)?;
        let record = job.cache.folder().join("environment.json");
        match Record::load(&record).filter(|stored| stored.inputs == inputs) {
            Some(stored) if stored.environment.runtime.is_file() => Ok(stored.environment),
            _ => {
                let environment = Preparation::make(job)?;
                Record {
                    inputs,
                    environment: environment.clone(),
                }
                .store(&record)?;
                Ok(environment)
            }
        }
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

/// An environment and what it was made from.
#[derive(Serialize, Deserialize)]
struct Record {
    inputs: String,
    environment: Environment,
}

impl Record {
    fn load(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn store(&self, path: &Path) -> Result<(), CacheError> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_atomically(path, &text)
    }
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
