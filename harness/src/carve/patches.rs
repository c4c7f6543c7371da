//! The three patches of a task, proven to give the full tree back.

use std::collections::BTreeMap;

use extractors::patch::{Change, File, Patch};

use super::CarveError;
use super::search::Found;
use crate::session::Session;

/// The patches of a task.
pub(super) struct Patches {
    /// Full tree to starting tree.
    pub removal: Patch,
    /// Starting tree to full tree, product code only.
    pub gold: Patch,
    /// Starting tree to full tree, test code only.
    pub tests: Patch,
}

impl Patches {
    /// Writes the patches between the full tree and the starting tree that was found. Each file is
    /// given back by one of them, so that they apply in any order.
    ///
    /// # Errors
    /// If gold and tests together do not give back every byte.
    pub fn new(
        session: &Session,
        found: &Found,
        is_of_tests: &dyn Fn(&str) -> bool,
    ) -> Result<Self, CarveError> {
        let mut changes = Vec::new();
        for (path, new) in &found.starting.files {
            let old = session.file(path)?;
            let new = new.as_ref().map(|bytes| File {
                bytes: bytes.clone(),
                mode: old.mode,
            });
            changes.push(Change {
                path: path.clone(),
                old: Some(old),
                new,
            });
        }
        let (tests, product): (Vec<Change>, Vec<Change>) = changes
            .iter()
            .cloned()
            .partition(|change| is_of_tests(&change.path));
        let patches = Self {
            removal: Patch::between(changes.clone()),
            gold: Patch::between(product).reversed(),
            tests: Patch::between(tests).reversed(),
        };
        patches.prove(&changes)?;
        Ok(patches)
    }

    /// Invariant: removal, then gold and tests, gives back every byte.
    fn prove(&self, changes: &[Change]) -> Result<(), CarveError> {
        let full: BTreeMap<&str, &Option<File>> = changes
            .iter()
            .map(|change| (&*change.path, &change.old))
            .collect();
        let start: BTreeMap<&str, &Option<File>> = changes
            .iter()
            .map(|change| (&*change.path, &change.new))
            .collect();
        for (patch, from, to) in [
            (&self.removal, &full, &start),
            (&self.gold, &start, &full),
            (&self.tests, &start, &full),
        ] {
            let made = patch
                .apply(|path| from.get(path).and_then(|file| (*file).clone()))
                .map_err(|error| CarveError::Inconsistent(error.to_string()))?;
            if let Some((path, _)) = made
                .iter()
                .find(|(path, file)| to.get(path.as_str()).is_none_or(|wanted| *wanted != *file))
            {
                return Err(CarveError::Inconsistent(format!(
                    "the patches do not give back {path}"
                )));
            }
        }
        Ok(())
    }
}
