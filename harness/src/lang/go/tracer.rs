//! The tracer for Go: which functions each test ran.
//!
//! One test binary per package is built with coverage counters in all packages of the project, and
//! each test function is run alone in a process of it. Counters start with what runs at start-up
//! (package variables, `init`, `TestMain`), so a run without any test tells how much of them that is.
//!
//! What is not seen: `_test.go` files, which Go does not count (a test's own function is known
//! without), and what programs without counters do that a test starts. All subtests of a function share
//! its record.

mod batch;
mod counters;
mod mapping;
mod meta;
mod reader;
mod report;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use analyzer::trace::{
    Code, CodeKind, Context, ContextKind, Edge, EdgeKind, Outcome, Phase, Trace,
};

use super::packages::{Package, Suite};
use super::runner::Run;
use crate::environment::Environment;
use crate::process::Finished;
use crate::runner::RunError;
use batch::{Batch, Counted};
use counters::Counters;
use mapping::Mapping;
use meta::{Function, Meta};

/// A package whose tests are to be recorded.
struct Traced<'s> {
    package: &'s Package,
    /// Its test binary.
    binary: PathBuf,
    /// Whether the binary reports on its coverage.
    reports: bool,
    /// The functions to run, each with its outcome in the whole suite.
    tests: Vec<(&'s str, Outcome)>,
    /// The packages of the project that the binary is made of.
    parts: Vec<String>,
}

/// Adds codes, edges and contexts to a trace that has the results of the whole suite.
pub(super) fn record(run: &mut Run<'_>, suite: &Suite, trace: &mut Trace) -> Result<(), RunError> {
    let planned = plan(run, suite, trace)?;
    let traced = build(run, suite, planned, &mut trace.losses)?;
    let indexed = || traced.iter().enumerate();
    let mut batches: Vec<Batch> = indexed()
        .flat_map(|(index, one)| batch::split(run, index, one))
        .collect();
    let finished = side_by_side(&batches, |batch| batch.run(run, suite));
    for result in finished {
        run.spent.add_use(&result?);
    }
    for (index, one) in indexed() {
        // What failed may have been in the way of what ran beside it.
        let codes = exit_codes(index, &batches);
        let failed = one.tests.iter().filter(|(name, outcome)| {
            !outcome.is_bad() && codes.get(*name).is_some_and(|code| *code != 0)
        });
        let names: Vec<String> = failed.map(|(name, _)| (*name).to_owned()).collect();
        if !names.is_empty() {
            let again = Batch::new(run, "again", index, one, names);
            run.spent.add_use(&again.run(run, suite)?);
            batches.push(again);
        }
    }
    let mut recorder = Recorder {
        mapping: Mapping::new(run.request.tree, suite),
        session: BTreeSet::new(),
        contexts: BTreeMap::new(),
        numbers: HashMap::new(),
        trace,
    };
    for (index, one) in indexed() {
        let own: Vec<&Batch> = batches
            .iter()
            .filter(|batch| batch.package == index)
            .collect();
        recorder.add_package(one, &own)?;
        recorder.compare(one, &exit_codes(index, &batches));
    }
    recorder.finish();
    Ok(())
}

/// The exit codes of a package's processes; of a repeated one the last.
fn exit_codes(package: usize, batches: &[Batch]) -> BTreeMap<String, i32> {
    let own = batches.iter().filter(|batch| batch.package == package);
    own.flat_map(Batch::exit_codes).collect()
}

/// The packages with tests that ran.
fn plan<'s>(run: &Run<'_>, suite: &'s Suite, trace: &Trace) -> Result<Vec<Traced<'s>>, RunError> {
    let own: BTreeSet<&str> = suite
        .packages
        .iter()
        .map(|package| package.import_path.as_str())
        .collect();
    let mut parts = BTreeMap::new();
    for module in &suite.modules {
        parts.extend(run.lister().parts(module, &own)?);
    }
    let outcomes: BTreeMap<&str, Outcome> = trace
        .tests
        .iter()
        .map(|test| (test.id.as_str(), test.outcome))
        .collect();
    let mut ran: BTreeSet<(&str, &str)> = BTreeSet::new();
    ran.extend(
        trace
            .tests
            .iter()
            .filter_map(|test| Some((test.id.split_once("::")?.0, test.function.as_str()))),
    );
    let traced = suite
        .packages
        .iter()
        .enumerate()
        .filter_map(|(index, package)| {
            let path = package.import_path.as_str();
            let wanted = package
                .tests
                .iter()
                .filter(|test| ran.contains(&(path, test.name.as_str())));
            let tests: Vec<(&str, Outcome)> = wanted
                .map(|test| {
                    let outcome = outcomes.get(format!("{path}::{}", test.name).as_str());
                    // Only some of its subtests were asked for.
                    (
                        test.name.as_str(),
                        outcome.copied().unwrap_or(Outcome::Passed),
                    )
                })
                .collect();
            (!tests.is_empty()).then(|| Traced {
                package,
                binary: run.scratch.join(format!("{index}.test")),
                reports: true,
                tests,
                parts: parts.get(path).cloned().unwrap_or_default(),
            })
        });
    Ok(traced.collect())
}

/// Builds the test binaries, and leaves out those that cannot be built.
fn build<'s>(
    run: &mut Run<'_>,
    suite: &Suite,
    traced: Vec<Traced<'s>>,
    losses: &mut Vec<String>,
) -> Result<Vec<Traced<'s>>, RunError> {
    let mode = if run.arguments.has("race") {
        "atomic"
    } else {
        "count"
    };
    let overlay = report::silence(run)?;
    let results = side_by_side(&traced, |one| {
        let module = suite.modules.get(one.package.module);
        let command = run.request.environment.command(run.request.tree);
        let command = module.map_or(command, |module| module.command(run.request.environment));
        let command = command
            .args(["test", "-c", "-cover"])
            .args(without_debugging(run.request.environment))
            .args(
                overlay
                    .iter()
                    .flat_map(|file| [OsStr::new("-overlay"), file.as_os_str()]),
            )
            .arg(format!("-covermode={mode}"))
            .arg(format!("-coverpkg={}", one.parts.join(",")))
            .arg("-o")
            .arg(&one.binary)
            .args(&run.arguments.build)
            .arg(&one.package.import_path);
        Ok(run.launcher.run(&command, &run.limits())?)
    });
    let mut built = Vec::new();
    for (one, result) in traced.into_iter().zip(results) {
        let finished: Finished = result?;
        run.spent.add_use(&finished);
        if finished.success() && one.binary.is_file() {
            built.push(Traced {
                reports: overlay.is_none(),
                ..one
            });
        } else {
            losses.push(format!(
                "{} could not be built for tracing ({}): {}",
                one.package.import_path,
                finished.ended,
                finished.stderr.last_lines(5)
            ));
        }
    }
    Ok(built)
}

/// A third of a build is what only a debugger reads. The flag would hide the environment's own ones, and
/// those of a person come behind it.
fn without_debugging(environment: &Environment) -> Option<&'static str> {
    let mut flags = environment.variables.get("GOFLAGS").into_iter().flatten();
    (!flags.any(|flags| flags.contains("-ldflags"))).then_some("-ldflags=-s -w")
}

/// Does a job for each item, on all cores; the results are in the order of the items.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    job: impl Fn(&T) -> Result<R, RunError> + Sync,
) -> Vec<Result<R, RunError>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            let result = job(item);
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, result));
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

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Puts the records into the trace.
struct Recorder<'a> {
    mapping: Mapping<'a>,
    /// What ran at the start-up of any test binary.
    session: BTreeSet<u32>,
    /// What each function ran, by import path and name.
    contexts: BTreeMap<(String, String), BTreeSet<u32>>,
    numbers: HashMap<Code, u32>,
    trace: &'a mut Trace,
}

impl Recorder<'_> {
    fn add_package(&mut self, one: &Traced<'_>, batches: &[&Batch]) -> Result<(), RunError> {
        let mut started: BTreeMap<String, Counters> = BTreeMap::new();
        for batch in batches {
            let left = batch.records()?;
            self.trace.processes += u32::try_from(left.processes.len()).unwrap_or(u32::MAX);
            for counted in left.processes {
                let Counted {
                    test,
                    program,
                    counters,
                } = counted;
                let Some(meta) = left.programs.get(&program) else {
                    continue;
                };
                if test == batch::START {
                    let codes = self.codes(meta, &counters, None);
                    self.session.extend(codes);
                    started.insert(program, counters);
                } else {
                    let mut codes = self.codes(meta, &counters, started.get(&program));
                    codes.extend(self.own_code(one.package, &test));
                    let test = (one.package.import_path.clone(), test);
                    self.contexts.entry(test).or_default().extend(codes);
                }
            }
        }
        Ok(())
    }

    /// The numbers of the codes that ran in `whole` more than in `start`.
    fn codes(&mut self, meta: &Meta, whole: &Counters, start: Option<&Counters>) -> BTreeSet<u32> {
        let function = |(package, function): (u32, u32)| {
            let package = meta.get(package as usize)?;
            package.get(function as usize)
        };
        let ran: Vec<&Function> = counters::ran(whole, start).filter_map(function).collect();
        let mut codes = BTreeSet::new();
        for function in ran {
            match self.mapping.code(function) {
                Some(code) => drop(codes.insert(self.number(code))),
                None => self.trace.losses.push(format!(
                    "{} in {} ran and is not found in the source",
                    function.name, function.file
                )),
            }
        }
        codes
    }

    /// The test function itself, which has no counters.
    fn own_code(&mut self, package: &Package, name: &str) -> Option<u32> {
        let test = package.tests.iter().find(|test| test.name == name)?;
        Some(self.number(Code {
            path: test.path.clone(),
            line: test.line,
            name: test.name.clone(),
            kind: CodeKind::Function,
        }))
    }

    fn number(&mut self, code: Code) -> u32 {
        let next = u32::try_from(self.trace.codes.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(code.clone()).or_insert(next);
        if number == next {
            self.trace.codes.push(code);
            self.trace.edges.push(Edge {
                caller: None,
                callee: next,
                kind: EdgeKind::Entered,
            });
        }
        number
    }

    /// Says where a function alone does not do what it does in the suite, and what was not recorded.
    fn compare(&mut self, one: &Traced<'_>, codes: &BTreeMap<String, i32>) {
        let path = &one.package.import_path;
        for (name, outcome) in &one.tests {
            let losses = &mut self.trace.losses;
            match codes.get(*name) {
                Some(0) if outcome.is_bad() => losses.push(format!("{path}::{name} fails in the suite and not when it runs alone")),
                Some(code) if *code != 0 && !outcome.is_bad() => losses.push(format!("{path}::{name} fails when it runs alone with counters (exit code {code}) and not in the suite: it depends on other tests or on how it is built")),
                _ => {}
            }
            if !self
                .contexts
                .contains_key(&(path.clone(), (*name).to_owned()))
            {
                losses.push(format!(
                    "{path}::{name} was not recorded: its process did not come to its end"
                ));
            }
        }
    }

    /// Numbers the contexts. An edge has the number of its code.
    fn finish(self) {
        let context = |kind, codes: BTreeSet<u32>| Context {
            kind,
            edges: codes.into_iter().collect(),
        };
        self.trace
            .contexts
            .push(context(ContextKind::Session, self.session));
        let mut numbers: BTreeMap<(String, String), u32> = BTreeMap::new();
        for ((package, name), codes) in self.contexts {
            let test = format!("{package}::{name}");
            numbers.insert(
                (package, name),
                u32::try_from(self.trace.contexts.len()).unwrap_or(u32::MAX),
            );
            self.trace.contexts.push(context(
                ContextKind::Test {
                    test,
                    phase: Phase::Call,
                },
                codes,
            ));
        }
        for test in &mut self.trace.tests {
            let package = test.id.split("::").next().unwrap_or_default();
            let number = numbers.get(&(package.to_owned(), test.function.clone()));
            test.contexts = number.copied().into_iter().collect();
        }
        self.trace.losses.sort();
        self.trace.losses.dedup();
    }
}
