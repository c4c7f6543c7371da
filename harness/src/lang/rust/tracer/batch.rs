//! The tests of one program, each in a process of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::build::Built;
use super::super::records;
use super::super::runner::{Program, Run, Suite, Test};
use super::super::surroundings;
use super::super::workspace::Package;
use super::profile;
use crate::process::{Command, Finished, Launcher, Limits};
use crate::runner::RunError;

/// The most tests of one batch: the records of a batch are on disk at the same time.
const MOST: usize = 64;
/// Stands for no test at all; no test has such a name.
const NOTHING: &str = "no test: only what runs before";
/// Runs each test of the list `$3` alone; its records and exit code go by its number. The run time
/// of the counters makes a file for each process that it is in.
const SCRIPT: &str = r#"
binary=$1 records=$2 list=$3
shift 3
while IFS= read -r line; do
    number=${line%% *}
    export LLVM_PROFILE_FILE="$records/$number-%p.profraw"
    case $line in
        *" ") "$binary" "$@" ;;
        *) "$binary" "$@" --exact "${line#* }" ;;
    esac >/dev/null 2>&1 </dev/null
    echo "$number $?" >>"$records/codes"
done <"$list"
"#;

/// What one test left.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// The exit code, if the process came to its end.
    pub(super) code: Option<i32>,
    /// How many processes wrote counters.
    pub(super) processes: u32,
    /// The counters of each function that ran, by the hash of its name; of several processes the
    /// last.
    pub(super) ran: BTreeMap<u64, Vec<u64>>,
    /// Why a record could not be read.
    pub(super) trouble: Option<String>,
}

/// What is needed to run tests of a program.
pub(super) struct Batch<'a> {
    run: &'a Run<'a>,
    command: Command,
    binary: &'a Path,
    has_harness: bool,
}

/// Some tests, one after the other.
struct Job {
    command: Command,
    folder: PathBuf,
    count: usize,
}

impl<'a> Batch<'a> {
    pub(super) fn new(
        run: &'a Run<'a>,
        suite: &Suite,
        package: &Package,
        built: &Built,
        binary: &'a Path,
        program: &Program,
    ) -> Self {
        let shell = Path::new("sh");
        Self {
            run,
            command: surroundings::command(
                run.environment,
                &suite.workspace,
                package,
                built,
                shell,
            ),
            binary,
            has_harness: program.has_harness,
        }
    }

    /// What runs without any test.
    pub(super) fn start(&self) -> Result<Record, RunError> {
        if !self.has_harness {
            return Ok(Record::default());
        }
        let records = self.all(&[NOTHING])?;
        Ok(records.into_iter().next().unwrap_or_default())
    }

    /// One record for each test.
    pub(super) fn run(&self, tests: &[&Test]) -> Result<Vec<Record>, RunError> {
        let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
        self.all(&names)
    }

    fn all(&self, names: &[&str]) -> Result<Vec<Record>, RunError> {
        let size = names.len().div_ceil(cores()).clamp(1, MOST);
        let jobs: Result<Vec<Job>, RunError> = names
            .chunks(size)
            .enumerate()
            .map(|(number, names)| self.job(number, names))
            .collect();
        let (launcher, limits) = (self.run.launcher, self.run.limits());
        let done = side_by_side(&jobs?, |job| job.run(launcher, &limits));
        let mut all = Vec::new();
        for result in done {
            let (finished, records) = result?;
            self.run.add_use(&finished);
            all.extend(records);
        }
        Ok(all)
    }

    fn job(&self, number: usize, names: &[&str]) -> Result<Job, RunError> {
        let folder = self.run.file(&format!("traces-{number}"));
        fs::create_dir_all(&folder).map_err(records(&folder))?;
        let list = folder.join("list");
        let lines = names.iter().enumerate();
        let lines: String = lines
            .map(|(number, name)| format!("{number} {name}\n"))
            .collect();
        fs::write(&list, lines).map_err(records(&list))?;
        let command = self.command.clone().args(["-c", SCRIPT, "sh"]);
        Ok(Job {
            command: command
                .arg(self.binary)
                .arg(&folder)
                .arg(&list)
                .args(&self.run.arguments.tests),
            folder,
            count: names.len(),
        })
    }
}

impl Job {
    fn run(
        &self,
        launcher: &Launcher,
        limits: &Limits,
    ) -> Result<(Finished, Vec<Record>), RunError> {
        let finished = launcher.run(&self.command, limits)?;
        let mut all = vec![Record::default(); self.count];
        let codes = fs::read_to_string(self.folder.join("codes")).unwrap_or_default();
        for (number, code) in codes.lines().filter_map(numbers) {
            if let Some(record) = all.get_mut(number) {
                record.code = Some(code);
            }
        }
        for entry in fs::read_dir(&self.folder).map_err(records(&self.folder))? {
            let path = entry.map_err(records(&self.folder))?.path();
            let number = path.file_name().and_then(|name| {
                let name = name.to_str()?.strip_suffix(".profraw")?;
                name.split_once('-')?.0.parse::<usize>().ok()
            });
            if let Some(record) = number.and_then(|number| all.get_mut(number)) {
                record.add(&fs::read(&path).map_err(records(&path))?);
            }
        }
        fs::remove_dir_all(&self.folder).map_err(records(&self.folder))?;
        Ok((finished, all))
    }
}

impl Record {
    fn add(&mut self, bytes: &[u8]) {
        match profile::read(bytes) {
            Ok(ran) => {
                self.processes += 1;
                self.ran.extend(ran);
            }
            Err(reason) => self.trouble = Some(reason),
        }
    }
}

fn numbers(line: &str) -> Option<(usize, i32)> {
    let (number, code) = line.split_once(' ')?;
    Some((number.parse().ok()?, code.parse().ok()?))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does a job for each item, on all cores; the results are in the order of the items.
fn side_by_side<T: Sync, R: Send>(items: &[T], job: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            let result = job(item);
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..cores().min(items.len()) {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
