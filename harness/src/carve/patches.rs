//! The three patches of a task, proven to give the full tree back.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::feature::Scope;
use extractors::patch::{Change, File, FilePatch, Patch, PatchError};
use extractors::removal::{self, Project, Removal, RemovalPlan};

use super::CarveError;
use super::draft::Draft;
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

/// A cut: how the feature leaves, and which tests leave with it.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub draft: &'a Draft,
    pub starting: &'a Removal,
    pub held_back: &'a BTreeSet<Piece>,
}

/// The files of the product in which held-back tests have no place: nothing that stays stands beside them.
pub(super) fn placeless(
    session: &Session,
    study: &Study,
    project: &Project<'_>,
    scope: &Scope,
    parts: Parts<'_>,
) -> Result<BTreeSet<String>, CarveError> {
    let trees = Trees::new(session, study, project, scope, parts)?;
    let misfits = |file: &FilePatch| {
        let alone = Patch {
            files: vec![file.clone()],
        };
        applied(&alone, &trees.starting).is_err()
    };
    let tests = trees.tests();
    let shared = tests.files.iter();
    let shared = shared.filter(|file| trees.shared.contains(&file.path));
    Ok(shared
        .filter(|file| misfits(file))
        .map(|file| file.path.clone())
        .collect())
}

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
        parts: Parts<'_>,
    ) -> Result<Self, CarveError> {
        let trees = Trees::new(session, study, project, scope, parts)?;
        let patches = Self {
            removal: Patch::between(changes(&trees.full, &trees.starting)),
            gold: Patch::between(changes(&trees.starting, &trees.solved)),
            tests: trees.tests(),
            shared: trees.shared.iter().cloned().collect(),
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
        let made = applied(&self.tests, &trees.starting);
        made.map(|_| ())
            .map_err(|error| CarveError::Inconsistent(error.to_string()))
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
        parts: Parts<'_>,
    ) -> Result<Self, CarveError> {
        let Parts {
            draft,
            starting,
            held_back,
        } = parts;
        let put_back: BTreeSet<Piece> = held_back
            .iter()
            .filter(|piece| draft.can_put_back(scope, piece))
            .cloned()
            .collect();
        // What leaves with the feature is given back with it, though only tests may use it.
        let nothing = RemovalPlan {
            kept: draft.plan.actions.keys().cloned().collect(),
            marked: draft.plan.marked.clone(),
            is_never_built: true,
            ..RemovalPlan::default()
        };
        let tests = study.pieces.definitions(&put_back);
        let without_tests = removal::remove(
            project,
            &plan::with_tests(project, &nothing, &tests, &put_back),
        );
        let mut trees = Self::default();
        let starting = &starting.files;
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
            let solved = if draft.is_of_tests(scope, path) {
                of(starting)
            } else {
                of(&without_tests.files)
            };
            if !draft.is_of_tests(scope, path) && without_tests.files.contains_key(path) {
                trees.shared.insert(path.clone());
            }
            trees.solved.insert(path.clone(), solved);
            trees.starting.insert(path.clone(), of(starting));
            trees.full.insert(path.clone(), Some(full.clone()));
        }
        Ok(trees)
    }
    /// The patch that puts the tests back, into the starting tree and into the solved one.
    fn tests(&self) -> Patch {
        let is_shared = |change: &Change| self.shared.contains(&change.path);
        let tests = changes(&self.solved, &self.full);
        let (shared, own): (Vec<Change>, Vec<Change>) = tests.into_iter().partition(is_shared);
        let mut tests = Patch::between(own);
        let shared = shared.into_iter();
        tests
            .files
            .extend(shared.flat_map(|change| put_back(change, &self.starting)));
        tests.files.sort_by(|one, other| one.path.cmp(&other.path));
        tests
    }
}
