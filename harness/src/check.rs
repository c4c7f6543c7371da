//! Checking a task: everything it claims, from its files and the project alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use analyzer::{AnalysisHost, Change};
use extractors::instance::TestClasses;
use extractors::patch::{File, Patch};
use serde::Serialize;

use crate::carve::Event;
use crate::carve::evidence::TreeState;
use crate::carve::unstable;
use crate::runner::Selection;
use crate::session::{Session, SessionError};
use crate::task_dir::{self, TaskDir};

/// One thing that a task claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// What, in words for a person.
    pub what: String,
    /// What speaks against it.
    pub against: Vec<String>,
}

impl Claim {
    /// Whether nothing speaks against it.
    pub fn holds(&self) -> bool {
        self.against.is_empty()
    }

    fn new(what: &str, against: Vec<String>) -> Self {
        Self {
            what: what.to_owned(),
            against,
        }
    }
}

type Edits = BTreeMap<String, Option<Vec<u8>>>;

/// What is run of one state, and what must be good in it.
struct State<'a> {
    state: TreeState,
    edits: &'a Edits,
    selection: Selection,
    tests: Vec<String>,
}

/// Checks a task against the project: first its patches, then the states of the tree, each run
/// `repeat` times. States are only run if the patches are right.
///
/// # Errors
/// The project cannot be read, or its tests cannot be run.
pub fn check(
    session: &mut Session,
    task: &TaskDir,
    repeat: u32,
    report: &dyn Fn(Event<'_>),
) -> Result<Vec<Claim>, SessionError> {
    session.take(report)?;
    let same = same_tree(session.tree_hash(), task);
    if !same.holds() {
        return Ok(vec![same]);
    }
    let (trees, wrong) = trees(session, task)?;
    let patches = Claim::new(
        "the patches lead from the full to the starting tree and back",
        wrong,
    );
    let lead_back = patches.holds();
    let mut claims = vec![
        same,
        complete(task),
        instruction_told(session, task)?,
        patches,
    ];
    if !lead_back {
        return Ok(claims);
    }
    let mut run = |state: &State<'_>| seen(session, state, repeat, report);
    let expected = Expected::new(&task.task.tests);
    claims.push(empty_fails(&expected, &trees, &mut run)?);
    let suite = selection(&task.task.suite);
    claims.extend(starting_passes(&expected, &trees, &suite, &mut run)?);
    claims.extend(restored_passes(&expected, &suite, &mut run)?);
    Ok(claims)
}

/// Runs a state.
type Run<'a> = dyn FnMut(&State<'_>) -> Result<Seen, SessionError> + 'a;

/// What the task says about tests.
struct Expected<'a> {
    /// Fails without the feature, passes with it.
    graded: Vec<String>,
    pass_to_pass: &'a [String],
    held_back: BTreeSet<&'a str>,
    /// All ids that have a class.
    known: BTreeSet<&'a str>,
}

impl<'a> Expected<'a> {
    fn new(classes: &'a TestClasses) -> Self {
        let graded = classes.fail_to_pass.iter().chain(&classes.collateral);
        Self {
            graded: graded.cloned().collect(),
            pass_to_pass: &classes.pass_to_pass,
            held_back: classes.held_back.iter().map(String::as_str).collect(),
            known: all_ids(classes).collect(),
        }
    }

    /// The name that the record has for a test, if it has one: its id, or what stands for all ids of
    /// its function that differ between runs.
    fn name<'i>(&self, id: &'i str) -> Cow<'i, str> {
        match self.known.contains(id) {
            true => id.into(),
            false => unstable::masked(id).into(),
        }
    }
}

fn empty_fails(
    expected: &Expected<'_>,
    trees: &Trees,
    run: &mut Run<'_>,
) -> Result<Claim, SessionError> {
    let empty = run(&State {
        state: TreeState::Empty,
        edits: &trees.put_back,
        selection: Selection::Ids(expected.graded.clone()),
        tests: expected.graded.clone(),
    })?;
    let graded = expected.graded.iter();
    let passing = graded.filter(|id| !empty.not_good.contains(*id)).cloned();
    Ok(Claim::new(
        "without the feature every fail-to-pass test fails: an empty solution scores 0",
        passing.collect(),
    ))
}

fn starting_passes(
    expected: &Expected<'_>,
    trees: &Trees,
    suite: &Selection,
    run: &mut Run<'_>,
) -> Result<[Claim; 2], SessionError> {
    let held_back = &expected.held_back;
    let is_held_back = |id: &String| held_back.contains(expected.name(id).as_ref());
    let visible = expected.pass_to_pass.iter();
    let visible = visible
        .filter(|id| !held_back.contains(id.as_str()))
        .cloned();
    let starting = run(&State {
        state: TreeState::Starting,
        edits: &trees.starting,
        selection: suite.clone(),
        tests: visible.collect(),
    })?;
    let found = starting.ran.into_iter().filter(is_held_back);
    Ok([
        Claim::new(
            "in the starting tree every visible pass-to-pass test passes",
            starting.not_good.into_iter().collect(),
        ),
        Claim::new(
            "the starting tree has none of the held-back tests",
            found.collect(),
        ),
    ])
}

fn restored_passes(
    expected: &Expected<'_>,
    suite: &Selection,
    run: &mut Run<'_>,
) -> Result<[Claim; 2], SessionError> {
    let all = expected.graded.iter().chain(expected.pass_to_pass);
    let restored = run(&State {
        state: TreeState::Restored,
        edits: &Edits::new(),
        selection: suite.clone(),
        tests: all.cloned().collect(),
    })?;
    let classless = restored
        .ran
        .iter()
        .filter(|id| !expected.known.contains(expected.name(id).as_ref()));
    Ok([
        Claim::new(
            "with gold and tests put back everything passes: the gold scores 1",
            restored.not_good.iter().cloned().collect(),
        ),
        Claim::new(
            "every test of the suite has a class",
            classless.cloned().collect(),
        ),
    ])
}

fn selection(suite: &[String]) -> Selection {
    if suite.is_empty() {
        Selection::All
    } else {
        Selection::Paths(suite.to_vec())
    }
}

/// Whether the project's files are those that the task was made from.
pub fn same_tree(found: &str, task: &TaskDir) -> Claim {
    let wanted = &task.task.project.tree;
    let differs = format!(
        "its files have the hash {found}, those of the task {wanted}; check out what the task was made from"
    );
    let against = if found == wanted {
        Vec::new()
    } else {
        vec![differs]
    };
    Claim::new("the project is the one the task was made from", against)
}

/// Whether the record agrees with itself.
fn complete(task: &TaskDir) -> Claim {
    let classes = &task.task.tests;
    let mut against = Vec::new();
    if classes.fail_to_pass.is_empty() {
        against.push("no target test turns from failing to passing".to_owned());
    }
    if task.task.id != task_dir::instance_id(&task.task, &task.removal) {
        against.push("the id does not belong to the record and the removal patch".to_owned());
    }
    let mut known = BTreeSet::new();
    let twice = all_ids(classes).filter(|id| !known.insert(*id));
    against.extend(twice.map(|id| format!("{id} has two classes")));
    let lost = classes
        .held_back
        .iter()
        .filter(|id| !known.contains(id.as_str()));
    against.extend(lost.map(|id| format!("{id} is held back and has no class")));
    Claim::new("the record is complete", against)
}

fn all_ids(classes: &TestClasses) -> impl Iterator<Item = &str> {
    let excluded = classes.excluded.iter().map(|test| &test.id);
    let graded = classes
        .fail_to_pass
        .iter()
        .chain(&classes.collateral)
        .chain(&classes.pass_to_pass);
    graded.chain(excluded).map(String::as_str)
}

/// Whether the instruction is the one that the record and the project give.
fn instruction_told(session: &Session, task: &TaskDir) -> Result<Claim, SessionError> {
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: session.sources()?,
        trace: None,
    });
    let wanted = task_dir::instruction_of(&host.analysis(), &task.task);
    let differs =
        "instruction.md says something else than the record and the project give".to_owned();
    let against = if task.instruction == wanted {
        Vec::new()
    } else {
        vec![differs]
    };
    Ok(Claim::new("the instruction tells what is missing", against))
}

/// The trees of a task, as edits of the full tree.
struct Trees {
    starting: Edits,
    /// The starting tree with the held-back tests.
    put_back: Edits,
}

/// Applies the patches, and tells what is wrong with them.
fn trees(session: &Session, task: &TaskDir) -> Result<(Trees, Vec<String>), SessionError> {
    let mut full: BTreeMap<String, Option<File>> = BTreeMap::new();
    for file in &task.removal.files {
        full.insert(file.path.clone(), session.file(&file.path).ok());
    }
    let mut wrong = Vec::new();
    let mut apply = |patch: &Patch, name: &str, tree: &BTreeMap<String, Option<File>>| {
        let mut result = tree.clone();
        match patch.apply(|path| tree.get(path).cloned().flatten()) {
            Ok(changed) => result.extend(changed),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
        result
    };
    let starting = apply(&task.removal, "removal.patch", &full);
    let put_back = apply(&task.tests, "tests.patch", &starting);
    let solved = apply(&task.gold, "gold.patch", &starting);
    let restored = apply(&task.tests, "tests.patch", &solved);
    let differs = full
        .iter()
        .filter(|(path, file)| restored.get(*path) != Some(*file))
        .map(|(path, _)| format!("{path} does not come back"));
    wrong.extend(differs);
    Ok((
        Trees {
            starting: edits(starting),
            put_back: edits(put_back),
        },
        wrong,
    ))
}

fn edits(tree: BTreeMap<String, Option<File>>) -> Edits {
    tree.into_iter()
        .map(|(path, file)| (path, file.map(|file| file.bytes)))
        .collect()
}

/// What the runs of a state show.
#[derive(Default)]
struct Seen {
    /// The expected tests that were not good in every run; an absent one is not.
    not_good: BTreeSet<String>,
    /// All tests that there were in any run.
    ran: BTreeSet<String>,
}

fn seen(
    session: &mut Session,
    state: &State<'_>,
    repeat: u32,
    report: &dyn Fn(Event<'_>),
) -> Result<Seen, SessionError> {
    let mut seen = Seen::default();
    for _ in 0..repeat {
        report(Event::Running {
            state: state.state,
            tests: state.tests.len(),
        });
        let run = session.run(state.edits, &state.selection, false)?;
        let tests = &run.trace.tests;
        let good: BTreeSet<&str> = tests
            .iter()
            .filter(|test| test.outcome.is_good())
            .map(|test| &*test.id)
            .collect();
        let expected = state.tests.iter();
        let not_good = expected.filter(|id| !good.contains(id.as_str())).cloned();
        seen.not_good.extend(not_good);
        seen.ran.extend(tests.iter().map(|test| test.id.clone()));
    }
    Ok(seen)
}
