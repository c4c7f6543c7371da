//! Test functions of one package, each run in a process of its own, one after the other.

use std::collections::BTreeMap;
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
/// Runs each function named in `$3` with a folder for its records, and notes its exit code. `$4` is the flag
/// that has `testing` write them, if it does. Of the files that describe the counters of a program one is kept,
/// for all are alike. A shell does that without another process, and processes are what a trace costs. The
/// output is left in pipes as `go test` does it: to some tests a device such as `/dev/null` is a terminal.
const SCRIPT: &str = r#"
binary=$1 records=$2 names=$3 flag=$4 described=
shift 4
for name in $names; do
    own="$records/$name" pattern="^$name\$"
    test "$name" = start-up && pattern='^$'
    GOCOVERDIR="$own" "$binary" -test.paniconexit0 ${flag:+"$flag=$own"} "$@" "-test.run=$pattern"
    echo "$name $?" >>"$records/codes"
    for meta in "$own"/covmeta.*; do
        test -e "$meta" || continue
        case $described in
        *"${meta##*/}"*) : >"$meta" ;;
        *) described="$described ${meta##*/}" ;;
        esac
    done
done
"#;

/// A batch and where its records are.
pub(super) struct Batch {
    /// Index into the traced packages.
    pub(super) package: usize,
    pub(super) tests: Vec<String>,
    binary: PathBuf,
    /// Whether `testing` writes the records, and not the end of the process.
    reports: bool,
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
            reports: traced.reports,
            records: run.scratch.join(format!("{package}-{name}")),
            folder: run.request.tree.join(&traced.package.folder),
            module: traced.package.module,
        }
    }

    /// Runs all of its functions, or as many as the limits allow.
    pub(super) fn run(&self, run: &Run<'_>, suite: &Suite) -> Result<Finished, RunError> {
        for name in &self.tests {
            let own = self.records.join(name);
            fs::create_dir_all(&own).map_err(records(&own))?;
        }
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
        let flag = if self.reports { "-test.gocoverdir" } else { "" };
        command = command.arg(self.tests.join(" ")).arg(flag);
        if !run.arguments.has("timeout") {
            let patience = runner::patience(limits.wall).as_millis();
            command = command.arg(format!("-test.timeout={patience}ms"));
        }
        command = command.args(&run.arguments.binary);
        Ok(run.launcher.run(&command, &limits)?)
    }

    /// What the processes left.
    pub(super) fn records(&self) -> Result<Records, RunError> {
        let mut left = Records::default();
        for test in &self.tests {
            for file in by_time(&self.records.join(test))? {
                left.add(test, &file)?;
            }
        }
        Ok(left)
    }

    /// The exit codes of the processes that ended.
    pub(super) fn exit_codes(&self) -> BTreeMap<String, i32> {
        let text = fs::read_to_string(self.records.join("codes")).unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        pairs
            .filter_map(|(name, code)| Some((name.to_owned(), code.parse().ok()?)))
            .collect()
    }
}

/// What the processes of a batch left.
#[derive(Default)]
pub(super) struct Records {
    /// What the counters of each program mean: of the test binary, and of others with counters that a test
    /// built and started.
    pub(super) programs: BTreeMap<String, Meta>,
    /// The counters of each process that came to its end, by test in the order of their ends.
    pub(super) processes: Vec<Counted>,
}

/// What a process counted.
pub(super) struct Counted {
    /// What it ran for.
    pub(super) test: String,
    pub(super) program: String,
    pub(super) counters: Counters,
}

impl Records {
    /// Adds a file: `covmeta.PROGRAM`, or `covcounters.PROGRAM.PROCESS.TIME`.
    fn add(&mut self, test: &str, file: &Path) -> Result<(), RunError> {
        let name = name_of(file);
        let mut parts = name.split('.');
        let (kind, program) = (parts.next(), parts.next().unwrap_or_default().to_owned());
        let bytes = fs::read(file).map_err(records(file))?;
        match kind {
            Some("covcounters") => {
                let counters = counters::read(&bytes);
                self.processes.extend(counters.map(|counters| Counted {
                    test: test.to_owned(),
                    program,
                    counters,
                }));
            }
            Some("covmeta") => {
                let meta = meta::read(&bytes);
                self.programs.extend(meta.map(|meta| (program, meta)));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The files of a folder by the last parts of their names, which tell when counters were written.
fn by_time(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let entries = fs::read_dir(folder).map_err(records(folder))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort_by_cached_key(|file| {
        let name = name_of(file);
        let time = name.rsplit('.').next().and_then(|time| time.parse().ok());
        (time.unwrap_or(0_u64), name)
    });
    Ok(files)
}

fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
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
