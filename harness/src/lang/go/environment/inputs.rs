//! What an environment depends on: as long as it stays the same, the environment is not made again.

use crate::config::Config;
use crate::project::{FileKind, Project, ProjectError};

/// Changes whenever environments are made in another way than before.
const RECIPE: u32 = 1;
/// Files that say what is needed, wherever they lie.
const NAMES: &[&str] = &["go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt"];

/// A hash over everything that an environment is made from. A new import of a module that `go.mod`
/// already has needs no new environment: all that it names was fetched.
pub(super) fn hash(project: &Project, config: &Config) -> Result<String, ProjectError> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(&RECIPE.to_le_bytes());
    add(&serde_json::to_vec(&(&config.environment, &config.tests)).unwrap_or_default());
    for (path, kind) in &project.files()?.files {
        let name = path.rsplit('/').next().unwrap_or(path);
        if matches!(kind, FileKind::File { .. }) && NAMES.contains(&name) {
            add(path.as_bytes());
            add(&project.read(path)?);
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}
