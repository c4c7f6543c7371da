//! What an environment depends on: as long as it stays the same, the environment is not made again.

use super::locks::LOCKS;
use super::requirements_file;
use crate::config::Config;
use crate::project::{FileKind, Project, ProjectError};
use std::collections::BTreeSet;

/// Changes whenever environments are made in another way than before.
const RECIPE: u32 = 6;
/// Files that say how the project is built and what it needs, wherever they lie.
const NAMES: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "PKG-INFO",
    "MANIFEST.in",
    "tox.ini",
    "tox.toml",
    "noxfile.py",
    "meson.build",
    "meson.options",
    "CMakeLists.txt",
    "Cargo.toml",
    "Cargo.lock",
    "requirements.txt",
];
/// Sources that a build compiles.
const COMPILED: &[&str] = &[
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "pyx", "pxd", "pxi", "rs", "f", "f90", "in",
];

/// A hash over everything that an environment is made from.
pub(super) fn hash(project: &Project, config: &Config) -> Result<String, ProjectError> {
    let listing = project.files()?;
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(&RECIPE.to_le_bytes());
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(&serde_json::to_vec(&(&config.environment, &config.tests)).unwrap_or_default());
    for (path, kind) in &listing.files {
        if matches!(kind, FileKind::File { .. }) && concerns(path) {
            add(path.as_bytes());
            add(&project.read(path)?);
        }
    }
    // A new package may need to be installed, although no old file has changed.
    let packages: BTreeSet<&str> = listing
        .files
        .keys()
        .filter_map(|path| package(path))
        .collect();
    packages.iter().for_each(|package| add(package.as_bytes()));
    Ok(hasher.finalize().to_hex().to_string())
}

fn concerns(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    NAMES.contains(&name)
        || LOCKS.iter().any(|(lock, _)| *lock == path)
        || COMPILED.contains(&extension)
        || requirements_file::tier(path).is_some()
}

/// The folder of a package's `__init__.py`.
fn package(path: &str) -> Option<&str> {
    path.strip_suffix("/__init__.py")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_what_the_environment_is_made_from_changes_the_hash() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let hash = || hash(&Project::open(folder.path()).unwrap(), &Config::default()).unwrap();
        write("pyproject.toml", "[project]\n");
        write("shop/__init__.py", "");
        let before = hash();
        write("shop/__init__.py", "x = 1");
        write("shop/cart.py", "");
        assert_eq!(hash(), before);
        for (path, text) in [
            ("pyproject.toml", "[project]\nname = 'x'"),
            ("requirements/test.txt", "a"),
            ("shop/x.pyx", ""),
            ("shop/sub/__init__.py", ""),
        ] {
            let before = hash();
            write(path, text);
            assert_ne!(hash(), before, "{path}");
        }
    }
}
