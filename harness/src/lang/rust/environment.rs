//! Prepares Rust projects: a toolchain that will do, a lock file, and everything that is needed to
//! build without a network, in folders of the project's own.

mod examine;
mod inputs;
mod preparation;
mod toolchain;

use std::path::PathBuf;

use super::workspace;
use crate::cache::ProjectCache;
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::{Environment, EnvironmentError, Job, Record, Toolchain};
use crate::process::Launcher;
use crate::project::{Listing, Project, ProjectError};
use preparation::Preparation;
use toolchain::Cargo;

/// The row's implementation.
pub struct Rust;

impl Toolchain for Rust {
    fn suits(&self, files: &Listing) -> bool {
        files.files.keys().any(|path| workspace::is_manifest(path))
    }

    fn stored(
        &self,
        project: &Project,
        config: &Config,
        cache: &ProjectCache,
    ) -> Result<Option<Environment>, ProjectError> {
        let inputs = inputs::hash(project, config)?;
        let stored = Record::<Cargo>::load(&record(cache));
        let stored = stored.filter(|stored| stored.inputs == inputs && stored.tool.is_unchanged());
        Ok(stored.map(|stored| stored.environment))
    }

    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError> {
        if let Some(stored) = self.stored(job.project, job.config, job.cache)? {
            return Ok(stored);
        }
        let inputs = inputs::hash(job.project, job.config)?;
        job.sandbox.renew(job.project)?;
        let cargo = toolchain::find(job.sandbox.tree(), job.config, job.launcher)?;
        Record::make(&record(job.cache), inputs, cargo, |cargo| {
            Preparation::make(job, cargo)
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

/// Where the record of the environment is.
fn record(cache: &ProjectCache) -> PathBuf {
    cache.folder().join("rust/environment.json")
}
