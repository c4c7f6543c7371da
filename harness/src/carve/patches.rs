//! The three patches of a task, proven to give the full tree back.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::Scope;
use extractors::patch::{Change, File, FilePatch, Patch, PatchError};
use extractors::removal::{self, Project, RemovalPlan};

use super::CarveError;
use super::found::Found;
use super::pieces::Piece;
use super::plan;
use crate::session::Session;
use crate::study::Study;

/// Lines of unchanged text around a held-back test that stands in a file of the product: few, for a
/// solver edits that file, and so many that no other place looks like it.
const SHARED_CONTEXT: std::ops::RangeInclusive<usize> = 1..=12;

/// The three patches of a task.
pub(super) struct Patches {
    /// Full tree to starting tree.
    pub removal: Patch,
    /// Starting tree to full tree without the held-back tests.
    pub gold: Patch,
    /// Puts the held-back tests back, into the starting tree and into what a solver makes of it.
    pub tests: Patch,
    /// The files of the product that tests are put back into, sorted.
    pub shared: Vec<String>,
}

/// The files that change, in four states of the tree.
#[derive(Default)]
struct Trees {
    full: Tree,
    starting: Tree,
    /// The full tree without the held-back tests.
    solved: Tree,
    /// The files of the product that held-back tests stand in.
    shared: BTreeSet<String>,
}

type Tree = BTreeMap<String, Option<File>>;

impl Patches {
    /// Writes the patches between the full tree and the starting tree that was found.
    ///
    /// # Errors
    /// If removal, gold and tests together do not give back every byte, or the tests do not fit the
    /// starting tree.
    pub fn new(
        session: &Session,
        study: &Study,
        project: &Project<'_>,
        scope: &Scope,
        found: &Found,
    ) -> Result<Self, CarveError> {
        let trees = Trees::new(session, study, project, scope, found)?;
        let is_shared = |change: &Change| trees.shared.contains(&change.path);
        let tests = changes(&trees.solved, &trees.full);
        let (shared, own): (Vec<Change>, Vec<Change>) = tests.into_iter().partition(is_shared);
        let mut tests = Patch::between(own);
        tests.files.extend(
            shared
                .into_iter()
                .flat_map(|change| put_back(change, &trees.starting)),
        );
        tests.files.sort_by(|one, other| one.path.cmp(&other.path));
        let patches = Self {
            removal: Patch::between(changes(&trees.full, &trees.starting)),
            gold: Patch::between(changes(&trees.starting, &trees.solved)),
            shared: trees.shared.iter().cloned().collect(),
            tests,
        };
        patches.prove(&trees)?;
        Ok(patches)
    }

    /// Invariant: removal, gold and tests, applied in this order, give back every byte; the tests can be
    /// put back without the gold, too.
    fn prove(&self, trees: &Trees) -> Result<(), CarveError> {
        let leads = |patch: &Patch, from: &Tree, to: &Tree| {
            let made = applied(patch, from);
            let made = made.map_err(|error| CarveError::Inconsistent(error.to_string()))?;
            let wrong = made
                .iter()
                .find(|(path, file)| to.get(*path) != Some(*file));
            match wrong {
                None => Ok(()),
                Some((path, _)) => Err(CarveError::Inconsistent(format!(
                    "the patches do not give back {path}"
                ))),
            }
        };
        leads(&self.removal, &trees.full, &trees.starting)?;
        leads(&self.gold, &trees.starting, &trees.solved)?;
        leads(&self.tests, &trees.solved, &trees.full)?;
        match applied(&self.tests, &trees.starting) {
            Err(PatchError::Mismatch { path, .. }) => Err(CarveError::NotPutBack { path }),
            made => made
                .map(|_| ())
                .map_err(|error| CarveError::Inconsistent(error.to_string())),
        }
    }
}

/// The patch that puts tests back into a file that a solver edits: it must also fit the starting tree.
fn put_back(change: Change, starting: &Tree) -> Vec<FilePatch> {
    let file = |file: &Option<File>| file.clone().unwrap_or_default().bytes;
    let old = file(&change.old);
    let unsolved = starting.get(&change.path).map(file).unwrap_or_default();
    let patch = |context| Patch::with_context([change.clone()], context).files;
    let mut patches = SHARED_CONTEXT.map(patch);
    let tells = |files: &Vec<FilePatch>| {
        let mut files = files.iter();
        files.all(|file| file.tells_places_apart(&old) && file.tells_places_apart(&unsolved))
    };
    let found = patches.find(tells);
    found.unwrap_or_else(|| patch(*SHARED_CONTEXT.start()))
}

fn applied(patch: &Patch, tree: &Tree) -> Result<Tree, PatchError> {
    let mut result = tree.clone();
    result.extend(patch.apply(|path| tree.get(path).cloned().flatten())?);
    Ok(result)
}

/// The changes from one tree to another, which has the same files.
fn changes(from: &Tree, to: &Tree) -> Vec<Change> {
    let change = |(path, old): (&String, &Option<File>)| Change {
        path: path.clone(),
        old: old.clone(),
        new: to.get(path).cloned().flatten(),
    };
    from.iter().map(change).collect()
}

impl Trees {
    fn new(
        session: &Session,
        study: &Study,
        project: &Project<'_>,
        scope: &Scope,
        found: &Found,
    ) -> Result<Self, CarveError> {
        let put_back: BTreeSet<Piece> = found
            .held_back
            .iter()
            .filter(|piece| found.can_put_back(scope, piece))
            .cloned()
            .collect();
        let nothing = RemovalPlan::default();
        let tests = study.pieces.definitions(&put_back);
        let without_tests = removal::remove(
            project,
            &plan::with_tests(project, &nothing, &tests, &put_back),
        );
        let mut trees = Self::default();
        let starting = &found.starting.files;
        for path in starting.keys().chain(without_tests.files.keys()) {
            let full = session.file(path)?;
            let file = |bytes: &Option<Vec<u8>>| {
                bytes.as_ref().map(|bytes| File {
                    bytes: bytes.clone(),
                    mode: full.mode,
                })
            };
            let of = |files: &BTreeMap<String, Option<Vec<u8>>>| {
                files.get(path).map_or_else(|| Some(full.clone()), file)
            };
            let solved = if found.is_of_tests(scope, path) {
                of(starting)
            } else {
                of(&without_tests.files)
            };
            if !found.is_of_tests(scope, path) && without_tests.files.contains_key(path) {
                trees.shared.insert(path.clone());
            }
            trees.solved.insert(path.clone(), solved);
            trees.starting.insert(path.clone(), of(starting));
            trees.full.insert(path.clone(), Some(full.clone()));
        }
        Ok(trees)
    }
}
