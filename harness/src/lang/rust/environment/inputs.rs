//! What an environment is made from, as one hash.

use crate::config::Config;
use crate::project::{FileKind, Project, ProjectError};

/// Changes whenever environments are made in another way.
const RECIPE: u32 = 1;
/// The files that decide over toolchain and dependencies.
const NAMES: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
    ".cargo/config",
    ".cargo/config.toml",
];

pub(super) fn hash(project: &Project, config: &Config) -> Result<String, ProjectError> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(&RECIPE.to_le_bytes());
    add(&serde_json::to_vec(&(&config.environment, &config.tests)).unwrap_or_default());
    for (path, kind) in &project.files()?.files {
        let is_named = |name: &&str| {
            path.strip_suffix(*name)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        if matches!(kind, FileKind::File { .. }) && NAMES.iter().any(is_named) {
            add(path.as_bytes());
            add(&project.read(path)?);
        }
    }
    Ok(hasher.finalize().to_hex().to_string())
}
