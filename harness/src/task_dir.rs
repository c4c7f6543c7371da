//! Task directories: everything a solver and a grader need, written at once or not at all.

mod shelf;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use analyzer::Analysis;
use analyzer::feature::{FeatureOptions, Role};
use analyzer::symbol::SymbolId;
use extractors::instance::{
    self, ExcludedTest, Place, ProjectRecord, Size, SymbolRecord, TASK_VERSION, Task, TaskError,
    TestClasses,
};
use extractors::instruction::instruction;
use extractors::interface::interface;
use extractors::patch::{LineCounts, Patch, PatchError};
use extractors::removal::Action;
use serde::{Deserialize, Serialize};

use crate::cache::is_disk_full;
use crate::carve::evidence::Evidence;
use crate::carve::{CarveRequest, Carved, TestClass};
use crate::overview;
use crate::session::Session;

pub use shelf::make_ready;

/// The record for machines.
pub const TASK: &str = "task.json";
/// What a solver is told.
pub const INSTRUCTION: &str = "instruction.md";
/// Full tree to starting tree.
pub const REMOVAL_PATCH: &str = "removal.patch";
/// Starting tree to full tree, without the held-back tests.
pub const GOLD_PATCH: &str = "gold.patch";
/// Puts the held-back tests back.
pub const TESTS_PATCH: &str = "tests.patch";
/// What was run, when and where: the only file that differs between equal runs.
pub const EVIDENCE: &str = "evidence.json";

/// The name under which a record has the fingerprint of its environment.
const FINGERPRINT: &str = "fingerprint";
/// The version of `evidence.json`.
const EVIDENCE_VERSION: u32 = 1;

/// Why a task directory cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TaskDirError {
    /// A file of a task that is to be read.
    #[error("cannot read {}: {source}; is it in a task directory?", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The place where a task is to be written.
    #[error("cannot write to {}: {source}; {}", path.display(), advice(source))]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The record.
    #[error("{}: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: TaskError,
    },
    /// A patch.
    #[error("{}: {source}", path.display())]
    Patch {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: PatchError,
    },
}

impl TaskDirError {
    /// Whether there is no room.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, Self::Unwritable { source, .. } if is_disk_full(source))
    }
}

/// What to do when a task cannot be written.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if is_disk_full(error) => {
            "the disk is full: free some space, or name a folder on another disk with --out"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "it is no folder: name one with --out"
        }
        _ => "name a folder that you may write to with --out",
    }
}

/// A task directory that was written.
#[derive(Debug)]
pub struct Written {
    /// Where.
    pub directory: PathBuf,
    /// Its record.
    pub task: Task,
}

/// What `evidence.json` holds.
#[derive(Debug, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// The version of this record.
    pub version: u32,
    /// Where the project was.
    pub project: PathBuf,
    /// The operating system and the processor.
    pub host: String,
    /// When the task was written, in seconds since 1970.
    pub written: u64,
    /// Runs of the whole considered suite, cached ones not counted.
    pub suite_runs: usize,
    /// Every run, in order.
    #[serde(flatten)]
    pub evidence: Evidence,
}

/// A task directory that was read.
#[derive(Debug)]
pub struct TaskDir {
    /// The record.
    pub task: Task,
    /// Full tree to starting tree.
    pub removal: Patch,
    /// Starting tree to full tree, without the held-back tests.
    pub gold: Patch,
    /// Puts the held-back tests back.
    pub tests: Patch,
    /// What a solver is told.
    pub instruction: String,
    /// Where the project was, if the evidence is there.
    pub project: Option<PathBuf>,
}

/// Writes the task directory into the folder `out`.
///
/// # Errors
/// The folder cannot be written. Then nothing is left in it.
pub fn write(
    session: &Session,
    request: &CarveRequest,
    carved: &Carved,
    out: &Path,
) -> Result<Written, TaskDirError> {
    let task = record(session, request, carved);
    let told = instruction_of(&carved.analysis, &task);
    let evidence = EvidenceRecord {
        version: EVIDENCE_VERSION,
        project: session.project().root().to_owned(),
        host: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        written: std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |time| time.as_secs()),
        suite_runs: carved.evidence.suite_runs(),
        evidence: carved.evidence.clone(),
    };
    let json = |error: TaskError| TaskDirError::Record {
        path: PathBuf::from(TASK),
        source: error,
    };
    let files = [
        (TASK, task.to_json().map_err(json)?.into_bytes()),
        (INSTRUCTION, told.into_bytes()),
        (REMOVAL_PATCH, carved.removal_patch.to_bytes()),
        (GOLD_PATCH, carved.gold_patch.to_bytes()),
        (TESTS_PATCH, carved.tests_patch.to_bytes()),
        (
            EVIDENCE,
            serde_json::to_vec_pretty(&evidence).map_err(|error| json(error.into()))?,
        ),
    ];
    let directory = out.join(&task.id);
    shelf::put(out, &task.id, &files)?;
    Ok(Written { directory, task })
}

/// Reads a task directory.
///
/// # Errors
/// A file is missing or malformed.
pub fn read(directory: &Path) -> Result<TaskDir, TaskDirError> {
    let bytes = |name: &str| {
        let path = directory.join(name);
        fs::read(&path).map_err(|source| TaskDirError::Unreadable { path, source })
    };
    let patch = |name: &str| {
        Patch::parse(&bytes(name)?).map_err(|source| TaskDirError::Patch {
            path: directory.join(name),
            source,
        })
    };
    let text = String::from_utf8_lossy(&bytes(TASK)?).into_owned();
    let task = Task::from_json(&text).map_err(|source| TaskDirError::Record {
        path: directory.join(TASK),
        source,
    })?;
    let evidence = bytes(EVIDENCE)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<EvidenceRecord>(&bytes).ok());
    Ok(TaskDir {
        task,
        removal: patch(REMOVAL_PATCH)?,
        gold: patch(GOLD_PATCH)?,
        tests: patch(TESTS_PATCH)?,
        instruction: String::from_utf8_lossy(&bytes(INSTRUCTION)?).into_owned(),
        project: evidence.map(|evidence| evidence.project),
    })
}

fn is_removed(carved: &Carved, id: &SymbolId) -> bool {
    carved
        .removal
        .removed
        .iter()
        .any(|removed| id.is_within(removed))
}

fn record(session: &Session, request: &CarveRequest, carved: &Carved) -> Task {
    let environment = session.environment();
    let name = environment
        .distribution
        .clone()
        .unwrap_or_else(|| session.project().name());
    let mut task = Task {
        version: TASK_VERSION,
        id: String::new(),
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        command: command(request),
        language: environment.language.clone(),
        project: ProjectRecord {
            version: environment.version_of(&name),
            commit: session.project().commit(),
            tree: session.tree_hash().to_owned(),
            name,
        },
        target: request.target.clone(),
        suite: request.suite.clone(),
        options: options(request),
        tests: classes(carved),
        symbols: symbols(&carved.analysis, carved),
        size: size(carved),
        warnings: carved.size.warnings(),
        environment: instance::Environment {
            command: session.test_command(),
            facts: BTreeMap::from([
                ("runtime".to_owned(), environment.version.clone()),
                (FINGERPRINT.to_owned(), environment.fingerprint.clone()),
            ]),
            packages: environment.packages.clone(),
        },
    };
    task.id = instance_id(&task, &carved.removal_patch);
    task
}

/// The id that a record must have: a name for its project and target, and a hash over everything
/// that the task depends on.
pub fn instance_id(task: &Task, removal: &Patch) -> String {
    let fingerprint = task
        .environment
        .facts
        .get(FINGERPRINT)
        .map_or("", String::as_str);
    let parts = [
        task.project.tree.as_bytes(),
        fingerprint.as_bytes(),
        &removal.to_bytes(),
    ];
    instance::instance_id(&task.project.name, &task.target.join(" "), parts)
}

/// What a solver is told, from the record and the full tree.
pub fn instruction_of(analysis: &Analysis, task: &Task) -> String {
    let top = task
        .symbols
        .iter()
        .filter(|symbol| symbol.role == Role::Top && symbol.action.is_some());
    let top: BTreeSet<SymbolId> = top.map(|symbol| symbol.id.clone()).collect();
    let deleted = task
        .symbols
        .iter()
        .filter(|symbol| symbol.action == Some(Action::Delete));
    let deleted = deleted.map(|symbol| symbol.id.clone()).collect();
    instruction(
        task,
        &interface(analysis, &top).with_offers(analysis, &deleted),
    )
}

/// The command that makes the task again, to be given in the project's folder.
fn command(request: &CarveRequest) -> Vec<String> {
    let mut words = vec!["lacuna".to_owned(), "extract".to_owned()];
    let mut option =
        |name: &str, value: &str| words.extend([format!("--{name}"), value.to_owned()]);
    request
        .target
        .iter()
        .for_each(|target| option("target", target));
    request.suite.iter().for_each(|path| option("suite", path));
    let FeatureOptions {
        max_collateral,
        min_share,
        min_named_share,
        include,
        exclude,
        stub,
    } = &request.options;
    option("max-collateral", &max_collateral.to_string());
    option("min-share", &min_share.to_string());
    option("min-named-share", &min_named_share.to_string());
    include.iter().for_each(|id| option("include", id.as_str()));
    exclude.iter().for_each(|id| option("exclude", id.as_str()));
    stub.iter().for_each(|id| option("stub", id.as_str()));
    option("min-lines", &request.min_lines.to_string());
    option("removal", request.removal.word());
    option("repeat", &request.repeat.to_string());
    words
}

fn options(request: &CarveRequest) -> BTreeMap<String, serde_json::Value> {
    let FeatureOptions {
        max_collateral,
        min_share,
        min_named_share,
        include,
        exclude,
        stub,
    } = &request.options;
    let ids = |symbols: &BTreeSet<SymbolId>| -> serde_json::Value {
        let ids = symbols.iter().map(SymbolId::as_str);
        ids.collect::<Vec<_>>().into()
    };
    BTreeMap::from([
        ("max_collateral".to_owned(), (*max_collateral).into()),
        ("min_share".to_owned(), (*min_share).into()),
        ("min_named_share".to_owned(), (*min_named_share).into()),
        ("include".to_owned(), ids(include)),
        ("exclude".to_owned(), ids(exclude)),
        ("stub".to_owned(), ids(stub)),
        ("min_lines".to_owned(), request.min_lines.into()),
        ("removal".to_owned(), request.removal.word().into()),
        ("repeat".to_owned(), request.repeat.into()),
    ])
}

fn classes(carved: &Carved) -> TestClasses {
    let mut classes = TestClasses {
        held_back: carved.held_back.clone(),
        put_back_into: carved.put_back_into.clone(),
        ..TestClasses::default()
    };
    for (id, class) in &carved.verdict.classes {
        let id = id.clone();
        match class {
            TestClass::FailToPassTarget => classes.fail_to_pass.push(id),
            TestClass::FailToPassCollateral => classes.collateral.push(id),
            TestClass::PassToPass => classes.pass_to_pass.push(id),
            TestClass::Excluded(reason) => classes.excluded.push(ExcludedTest {
                id,
                reason: reason.clone(),
            }),
        }
    }
    classes
}

fn symbols(analysis: &Analysis, carved: &Carved) -> Vec<SymbolRecord> {
    let record = |(id, member): (&SymbolId, &analyzer::feature::Member)| {
        let symbol = analysis.symbol(id)?;
        let (line, lines) = overview::place(analysis, id);
        let last = line + u32::try_from(lines).ok()?.saturating_sub(1);
        Some(SymbolRecord {
            id: id.clone(),
            kind: symbol.kind,
            role: member.role,
            action: carved
                .plan
                .actions
                .get(id)
                .copied()
                .filter(|_| is_removed(carved, id)),
            place: Place {
                path: id.path().to_owned(),
                bytes: symbol.full,
                lines: (line, last),
            },
        })
    };
    carved.feature.members.iter().filter_map(record).collect()
}

/// Product code only: what a solver has to write, not what is held back.
fn size(carved: &Carved) -> Size {
    Size {
        lines: LineCounts {
            removed: carved.size.lines,
            added: carved.gold_patch.line_counts().removed,
        },
        files: carved.size.files,
        symbols: carved.size.symbols,
    }
}
