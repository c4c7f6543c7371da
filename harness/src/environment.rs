//! The environment of a project: what its code needs to run, made once in the cache.
//!
//! How one is made is the business of a language (see [`crate::lang`]); what it is, is the same for all.

mod record;
mod steps;

use crate::cache::{CacheError, ProjectCache};
use crate::config::Config;
use crate::doctor::Check;
use crate::lang::{self, Language};
use crate::process::{Command, LaunchError, Launcher};
use crate::project::{Listing, Project, ProjectError};
use crate::sandbox::{Sandbox, SandboxError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use record::Record;
pub use steps::{Step, StepOutcome, Steps};

/// An environment in which the project's tests can run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// What the project calls itself, if it says so.
    pub distribution: Option<String>,
    /// The name of the language, as in its row.
    pub language: String,
    /// The interpreter or build tool to start.
    pub runtime: PathBuf,
    /// Its version, such as `3.12.1`.
    pub version: String,
    /// Changes to the environment variables of whatever runs here; `None` removes.
    pub variables: BTreeMap<String, Option<String>>,
    /// What is installed, by name.
    pub packages: BTreeMap<String, String>,
    /// How it was made, in order.
    pub steps: Vec<Step>,
    /// What a dry run of the test runner found at the end.
    pub collection: Collection,
    /// Equal for equal runtime, packages and variables.
    pub fingerprint: String,
}

/// What the runner finds without running a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    /// How many tests.
    pub tests: usize,
    /// Files that cannot be collected, and why, by path.
    pub errors: BTreeMap<String, String>,
    /// What else is wrong, in words for a person.
    pub complaints: Vec<String>,
}

/// Code that was to come from the work tree and did not.
#[derive(Debug, thiserror::Error)]
#[error("`{module}` was imported from {}, not from the work tree {}; the installed copy hides the project's files: remove it from the requirements, or set `environment.install` in lacuna.toml", found.display(), tree.display())]
pub struct OriginError {
    /// The first module concerned.
    pub module: String,
    /// Where it was found.
    pub found: PathBuf,
    /// Where it should be.
    pub tree: PathBuf,
}

impl Environment {
    /// A command that starts the runtime in `directory` with the variables of the environment.
    pub fn command(&self, directory: &Path) -> Command {
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| (name, value.as_ref()));
        Command::new(&self.runtime, directory).envs(variables)
    }

    /// The installed version of a distribution, however its name is spelt.
    pub fn version_of(&self, name: &str) -> Option<String> {
        let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
        let found = self
            .packages
            .iter()
            .find(|(installed, _)| plain(installed) == plain(name));
        found.map(|(_, version)| version.clone())
    }

    /// Checks that the code under test comes from the work tree: `modules` are names and files as the
    /// runner saw them.
    pub fn verify_origin(modules: &[(String, PathBuf)], tree: &Path) -> Result<(), OriginError> {
        match modules.iter().find(|(_, file)| !file.starts_with(tree)) {
            None => Ok(()),
            Some((module, found)) => Err(OriginError {
                module: module.clone(),
                found: found.clone(),
                tree: tree.to_owned(),
            }),
        }
    }
}

/// Why there is no environment.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// No language of ours.
    #[error("{} holds no project in a language that lacuna can run: {missing}; is it the root folder?", root.display())]
    UnknownLanguage {
        /// The project.
        root: PathBuf,
        /// What is missing.
        missing: String,
    },
    /// No interpreter or toolchain suits.
    #[error(
        "no suitable {what} was found: the project wants {wanted}, and there is {found}; install one, or set `environment.interpreter` in lacuna.toml"
    )]
    NoRuntime {
        /// What is missing.
        what: String,
        /// What the project asks for.
        wanted: String,
        /// What there is.
        found: String,
    },
    /// A step failed that nothing can go on without.
    #[error("{} failed ({}): {}\n{}\n{advice}", step.purpose, step.ended, step.command, step.log)]
    Step {
        /// The step.
        step: Box<Step>,
        /// What to try.
        advice: String,
    },
    /// The person interrupted.
    #[error("interrupted while preparing the environment; run the command again to go on")]
    Interrupted,
    /// A program could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The project cannot be read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The work tree cannot be made.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

/// What preparing works with.
pub struct Job<'a> {
    /// The project.
    pub project: &'a Project,
    /// Its configuration.
    pub config: &'a Config,
    /// Its part of the cache, locked by the caller.
    pub cache: &'a ProjectCache,
    /// Its work tree, equal to the base.
    pub sandbox: &'a mut Sandbox,
    /// Starts programs.
    pub launcher: &'a Launcher,
    /// Is told what goes on.
    pub progress: &'a dyn Fn(&str),
}

/// What a language knows about environments.
pub trait Toolchain: Sync {
    /// Whether a project with these files is written in the language.
    fn suits(&self, files: &Listing) -> bool;

    /// The environment of an earlier run, if nothing it depends on has changed.
    fn stored(
        &self,
        project: &Project,
        config: &Config,
        cache: &ProjectCache,
    ) -> Result<Option<Environment>, ProjectError>;

    /// Makes the environment, or takes the one of an earlier run if nothing it depends on has changed.
    /// Afterwards the work tree is equal to the base.
    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError>;

    /// What `doctor` tells about the project, without making anything.
    fn examine(
        &self,
        project: &Project,
        files: &Listing,
        config: &Config,
        launcher: &Launcher,
    ) -> Vec<Check>;
}

/// The languages in which a project can be run: at least one.
pub fn languages(
    project: &Project,
    files: &Listing,
) -> Result<Vec<&'static Language>, EnvironmentError> {
    let languages = lang::all_of(files);
    if languages.is_empty() {
        return Err(EnvironmentError::UnknownLanguage {
            root: project.root().to_owned(),
            missing: lang::missing(files),
        });
    }
    Ok(languages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn code_from_elsewhere_is_found_out() {
        let tree = Path::new("/cache/tree/shop");
        let module = |name: &str, file: &str| (name.to_owned(), PathBuf::from(file));
        let good = module("shop", "/cache/tree/shop/src/shop/__init__.py");
        assert!(Environment::verify_origin(std::slice::from_ref(&good), tree).is_ok());
        // A sibling whose name begins alike is not inside.
        let bad = module("shop.cart", "/cache/tree/shop2/cart.py");
        let error = Environment::verify_origin(&[good, bad], tree).unwrap_err();
        expect!["`shop.cart` was imported from /cache/tree/shop2/cart.py, not from the work tree /cache/tree/shop; the installed copy hides the project's files: remove it from the requirements, or set `environment.install` in lacuna.toml"].assert_eq(&error.to_string());
    }
}
