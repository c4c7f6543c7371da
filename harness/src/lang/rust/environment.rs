//! Prepares Rust projects: a toolchain that will do, a lock file, and everything that is needed to
//! build without a network, in folders of the project's own.

mod examine;
mod inputs;
mod preparation;
mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::workspace;
use crate::cache::{CacheError, ProjectCache, write_atomically};
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::{Environment, EnvironmentError, Job, Toolchain};
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
        let stored = Record::load(&Record::path(cache));
        let stored = stored.filter(|stored| stored.inputs == inputs && stored.cargo.is_unchanged());
        Ok(stored.map(|stored| stored.environment))
    }

    fn prepare(&self, job: &mut Job<'_>) -> Result<Environment, EnvironmentError> {
        if let Some(stored) = self.stored(job.project, job.config, job.cache)? {
            return Ok(stored);
        }
        let inputs = inputs::hash(job.project, job.config)?;
        job.sandbox.renew(job.project)?;
        let cargo = toolchain::find(job.sandbox.tree(), job.config, job.launcher)?;
        let record = Record {
            inputs,
            environment: Preparation::make(job, &cargo)?,
            cargo,
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
    cargo: Cargo,
    environment: Environment,
}

impl Record {
    fn path(cache: &ProjectCache) -> PathBuf {
        cache.folder().join("rust/environment.json")
    }

    fn load(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn store(&self, path: &Path) -> Result<(), CacheError> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_atomically(path, &text)
    }
}
