//! Prepares Go projects: a go command that will do, and everything that the modules need in caches of
//! the project's own, so that all later runs work without a network.

mod examine;
mod inputs;
mod preparation;
mod toolchain;

use std::path::PathBuf;

use crate::cache::ProjectCache;
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::{Environment, EnvironmentError, Job, Record, Toolchain};
use crate::process::Launcher;
use crate::project::{Listing, Project, ProjectError};
use preparation::Preparation;
use toolchain::{GoCommand, Wish};

/// The row's implementation.
pub struct Go;

impl Toolchain for Go {
    fn suits(&self, files: &Listing) -> bool {
        files.files.keys().any(|path| is_manifest(path))
    }

    fn stored(
        &self,
        project: &Project,
        config: &Config,
        cache: &ProjectCache,
    ) -> Result<Option<Environment>, ProjectError> {
        let inputs = inputs::hash(project, config)?;
        let stored = Record::<GoCommand>::load(&record(cache));
        let stored = stored.filter(|stored| stored.inputs == inputs && stored.tool.is_unchanged());
        Ok(stored.map(|stored| stored.environment))
    }

    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError> {
        if let Some(stored) = self.stored(job.project, job.config, job.cache)? {
            return Ok(stored);
        }
        let inputs = inputs::hash(job.project, job.config)?;
        let found = toolchain::find(job.config, job.launcher);
        let go = Wish::of(job.project.root(), job.config).choose(&found)?;
        Record::make(&record(job.cache), inputs, go, |go| {
            Preparation::make(job, go)
        })
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

/// Whether a path is the manifest of a module of the project.
fn is_manifest(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    let is_ignored = |name: &&str| super::modules::is_ignored(name.as_ref());
    folders.pop() == Some("go.mod") && !folders.iter().any(is_ignored)
}

/// Where the record of the environment is.
fn record(cache: &ProjectCache) -> PathBuf {
    cache.folder().join("go/environment.json")
}
