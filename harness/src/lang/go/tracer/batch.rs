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
/// Runs each function named in `$3` with a folder for its records, and notes its exit code. Only one file
/// is kept of those that describe the counters, for all are alike. A shell does that without another
/// process, and processes are what a trace costs; in a folder for all, each would read what those before
/// it left. The output is left in pipes as `go test` does it: to some tests a device such as `/dev/null`
/// is a terminal.
const SCRIPT: &str = r#"
binary=$1 records=$2 names=$3 described=
shift 3
for name in $names; do
    pattern="^$name\$"
    test "$name" = start-up && pattern='^$'
    "$binary" -test.paniconexit0 -test.gocoverdir="$records/$name" "$@" "-test.run=$pattern"
    echo "$name $?" >>"$records/codes"
    for meta in "$records/$name"/covmeta.*; do
        test -e "$meta" || continue
        test -z "$described" || : >"$meta"
        described=$meta
    done
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
        let mut left = Records::default();
        for name in &self.tests {
            let own = self.records.join(name);
            let entries = fs::read_dir(&own).map_err(records(&own))?;
            for file in entries.flatten().map(|entry| entry.path()) {
                let bytes = fs::read(&file).map_err(records(&file))?;
                if name_of(&file).starts_with("covcounters") {
                    let counters = counters::read(&bytes);
                    left.counters.extend(counters.map(|it| (name.clone(), it)));
                } else if left.meta.is_empty() {
                    left.meta = meta::read(&bytes).unwrap_or_default();
                }
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
    /// What the counters mean.
    pub(super) meta: Meta,
    /// The counters of each function whose process came to its end.
    pub(super) counters: BTreeMap<String, Counters>,
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
