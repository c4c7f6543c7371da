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

use crate::cache::{CacheError, ProjectCache, write_atomically};
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::{Environment, EnvironmentError, Job, Toolchain};
use crate::process::Launcher;
use crate::project::{Listing, Project, ProjectError};
use facts::Facts;
use interpreter::{Interpreter, Wish};
use preparation::Preparation;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};

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
        let stored = Record::load(&Record::path(cache)).filter(|stored| stored.inputs == inputs);
        let environment = stored.map(|stored| stored.environment);
        Ok(environment.filter(|environment| environment.runtime.is_file()))
    }

    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError> {
        if let Some(stored) = self.stored(job.project, job.config, job.cache)? {
            return Ok(stored);
        }
        let inputs = inputs::hash(job.project, job.config)?;
        // What is made now takes the place of what was recorded: it must not outlive a failure.
        Record::discard(&Record::path(job.cache))?;
        let environment = Preparation::make(job)?;
        let record = Record {
            inputs,
            environment,
        };
        record.store(&Record::path(job.cache))?;
        Ok(record.environment)
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
    fn path(cache: &ProjectCache) -> PathBuf {
        cache.folder().join("environment.json")
    }

    /// What is stored, if this build would store it in the same way: a record with more or fewer
    /// fields is of another build, which may have made the environment in another way.
    fn load(path: &Path) -> Option<Self> {
        let stored: serde_json::Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let record: Self = serde_json::from_value(stored.clone()).ok()?;
        (serde_json::to_value(&record).ok()? == stored).then_some(record)
    }

    fn discard(path: &Path) -> Result<(), CacheError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(CacheError::at(path, error))
            }
            _ => Ok(()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Collection;
    use serde_json::{Value, json};

    fn record() -> Record {
        Record {
            inputs: "x".into(),
            environment: Environment {
                distribution: None,
                language: "python".into(),
                runtime: "/bin/python".into(),
                version: "3.12.1".into(),
                variables: [("PATH".to_owned(), None)].into(),
                packages: [("pytest".to_owned(), "9.0".to_owned())].into(),
                steps: Vec::new(),
                collection: Collection::default(),
                fingerprint: "y".into(),
            },
        }
    }

    #[test]
    fn the_environment_of_a_build_that_stored_other_fields_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("environment.json");
        record().store(&path).unwrap();
        assert!(Record::load(&path).is_some());
        let whole: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let loads = |value: &Value| {
            fs::write(&path, value.to_string()).unwrap();
            Record::load(&path).is_some()
        };
        let fields: Vec<String> = whole["environment"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        for field in fields {
            let mut older = whole.clone();
            older["environment"].as_object_mut().unwrap().remove(&field);
            assert!(!loads(&older), "without {field}");
        }
        let mut newer = whole.clone();
        newer["environment"]["more"] = json!(1);
        assert!(!loads(&newer));
    }
}
