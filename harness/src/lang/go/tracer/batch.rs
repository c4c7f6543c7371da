//! Test functions of one package, each run in a process of its own, one after the other.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::counters::{self, Counters};
use super::meta::{self, Meta};
use super::{Traced, cores};
use crate::lang::go::packages::Suite;
use crate::lang::go::records;
use crate::lang::go::runner::{self, Run};
use crate::process::{Command, Finished};
use crate::runner::RunError;

/// The record of a process that runs no test. No Go function has such a name.
pub(super) const START: &str = "start-up";
/// The most functions: their names make one argument, whose length systems bound.
const MOST: usize = 1000;
/// Runs each function named in `$3` and notes its exit code and how many files of counters there are then:
/// a shell does that without another process, and processes are what a trace costs. The file that
/// describes the counters is the same for all and is left for the next to find. The output is left in
/// pipes as `go test` does it: to some tests a device such as `/dev/null` is a terminal.
const SCRIPT: &str = r#"
binary=$1 records=$2 names=$3
shift 3
note() {
    test -e "$1" || shift
    echo "$name $code $#" >>"$records/codes"
}
for name in $names; do
    pattern="^$name\$"
    test "$name" = start-up && pattern='^$'
    "$binary" -test.paniconexit0 -test.gocoverdir="$records/live" "$@" "-test.run=$pattern"
    code=$?
    note "$records"/live/covcounters.*
done
"#;

/// A batch and where its records are.
pub(super) struct Batch {
    /// Index into the traced packages.
    pub(super) package: usize,
    pub(super) tests: Vec<String>,
    binary: PathBuf,
    records: PathBuf,
    /// Where the tests run.
    folder: PathBuf,
    module: usize,
}

impl Batch {
    pub(super) fn new(
        run: &Run<'_>,
        name: &str,
        package: usize,
        traced: &Traced<'_>,
        tests: Vec<String>,
    ) -> Self {
        Self {
            package,
            tests,
            binary: traced.binary.clone(),
            records: run.scratch.join(format!("{package}-{name}")),
            folder: run.request.tree.join(&traced.package.folder),
            module: traced.package.module,
        }
    }

    /// Runs all of its functions, or as many as the limits allow.
    pub(super) fn run(&self, run: &Run<'_>, suite: &Suite) -> Result<Finished, RunError> {
        let live = self.records.join("live");
        fs::create_dir_all(&live).map_err(records(&live))?;
        let limits = run.limits();
        let variables = run.request.environment.variables.clone();
        let mut command = Command::new("sh", &self.folder).envs(variables);
        if let Some(module) = suite.modules.get(self.module) {
            command = module.place(command);
        }
        command = command
            .args(["-c", SCRIPT, "sh"])
            .arg(&self.binary)
            .arg(&self.records);
        command = command.arg(self.tests.join(" "));
        if !run.arguments.has("timeout") {
            let patience = runner::patience(limits.wall).as_millis();
            command = command.arg(format!("-test.timeout={patience}ms"));
        }
        command = command.args(&run.arguments.binary);
        Ok(run.launcher.run(&command, &limits)?)
    }

    /// What the processes left.
    pub(super) fn records(&self) -> Result<Records, RunError> {
        let live = self.records.join("live");
        let entries = fs::read_dir(&live).map_err(records(&live))?;
        let (described, mut counted): (Vec<PathBuf>, Vec<PathBuf>) = entries
            .flatten()
            .map(|entry| entry.path())
            .partition(|file| name_of(file).starts_with("covmeta"));
        counted.sort_by_key(|file| written(&name_of(file)));
        let meta = described.first().map(read).transpose()?;
        let mut before = 0;
        let mut counters = BTreeMap::new();
        for (name, _, count) in self.notes() {
            // More than one file would be another process's, too.
            let own = counted.get(before).filter(|_| count == before + 1);
            let own = own.map(read).transpose()?;
            counters.extend(own.and_then(|bytes| Some((name, counters::read(&bytes)?))));
            before = count;
        }
        Ok(Records {
            meta: meta
                .and_then(|bytes| meta::read(&bytes))
                .unwrap_or_default(),
            counters,
        })
    }

    /// The exit codes of the processes that ended.
    pub(super) fn exit_codes(&self) -> BTreeMap<String, i32> {
        let notes = self.notes().into_iter();
        notes.map(|(name, code, _)| (name, code)).collect()
    }

    /// Each process that ended: its function, its exit code, and how many processes had left counters.
    fn notes(&self) -> Vec<(String, i32, usize)> {
        let text = fs::read_to_string(self.records.join("codes")).unwrap_or_default();
        let note = |line: &str| {
            let mut words = line.split(' ');
            let name = words.next()?.to_owned();
            Some((
                name,
                words.next()?.parse().ok()?,
                words.next()?.parse().ok()?,
            ))
        };
        text.lines().filter_map(note).collect()
    }
}

/// What the processes of a batch left.
pub(super) struct Records {
    /// What the counters mean.
    pub(super) meta: Meta,
    /// The counters of each function whose process came to its end.
    pub(super) counters: BTreeMap<String, Counters>,
}

fn read(file: &PathBuf) -> Result<Vec<u8>, RunError> {
    fs::read(file).map_err(records(file))
}

/// When a file of counters was written: the end of its name, in nanoseconds.
fn written(name: &str) -> u64 {
    let end = name.rsplit('.').next().unwrap_or_default();
    end.parse().unwrap_or(0)
}

fn name_of(file: &Path) -> String {
    file.file_name()
        .unwrap_or(OsStr::new(""))
        .to_string_lossy()
        .into_owned()
}

/// The batches of a package, about one for each core; the first one records the start-up too.
pub(super) fn split(run: &Run<'_>, package: usize, traced: &Traced<'_>) -> Vec<Batch> {
    let size = traced.tests.len().div_ceil(cores()).clamp(1, MOST);
    let chunks = traced.tests.chunks(size).enumerate();
    let batches = chunks.map(|(number, chunk)| {
        let start = (number == 0).then(|| START.to_owned());
        let tests = chunk.iter().map(|(name, _)| (*name).to_owned());
        Batch::new(
            run,
            &number.to_string(),
            package,
            traced,
            start.into_iter().chain(tests).collect(),
        )
    });
    batches.collect()
}
