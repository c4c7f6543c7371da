//! Runs foreign programs so that nothing can hang, flood memory or outlive the run.
//!
//! A program runs under a *supervisor*: the `lacuna` binary started again (see [`supervisor`]). It
//! adopts every descendant of the program, and kills them all when the program ends, when a limit
//! is passed, on interruption, and when `lacuna` itself dies: then the socket between the two closes.
//! Without a supervisor binary (library tests) a thread does the same work as well as it can.

mod capture;
mod family;
pub mod supervisor;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use capture::Output;

/// How often limits and interruption are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How often memory is summed up; a sum reads a few files per process.
const MEMORY_TICK: Duration = Duration::from_millis(100);
/// How long a supervisor may take to kill everything before it is given up.
const KILL_GRACE: Duration = Duration::from_secs(15);

/// A program to run: what, where, with which changes to the inherited environment variables.
/// Its standard input is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<OsString>,
    directory: PathBuf,
    variables: BTreeMap<OsString, Option<OsString>>,
    copy: Option<PathBuf>,
    patience: Option<Duration>,
}

impl Command {
    /// A command without arguments that runs in `directory`.
    pub fn new(program: impl Into<PathBuf>, directory: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: directory.into(),
            variables: BTreeMap::new(),
            copy: None,
            patience: None,
        }
    }

    /// Adds one argument.
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), Some(value.into()));
        self
    }

    /// Keeps an inherited environment variable from the program.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), None);
        self
    }

    /// Applies several changes to the environment: `None` removes.
    pub fn envs<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        changes: impl IntoIterator<Item = (N, Option<V>)>,
    ) -> Self {
        let changes = changes.into_iter();
        self.variables
            .extend(changes.map(|(name, value)| (name.into(), value.map(Into::into))));
        self
    }

    /// Writes standard output to this file too, all of it up to the output limit.
    pub fn copy_stdout(mut self, file: impl Into<PathBuf>) -> Self {
        self.copy = Some(file.into());
        self
    }

    /// Ends the program as if its time were over once it has printed nothing for so long.
    pub fn heard_within(mut self, patience: Option<Duration>) -> Self {
        self.patience = patience;
        self
    }

    /// The folder the program runs in.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The standard library's command for `words`, with this command's folder and variables.
    fn prepare<'a>(&self, words: impl IntoIterator<Item = &'a OsStr>) -> std::process::Command {
        let mut words = words.into_iter();
        let mut command = std::process::Command::new(words.next().unwrap_or_default());
        command.args(words).current_dir(&self.directory);
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Program and arguments.
    fn words(&self) -> impl Iterator<Item = &OsStr> {
        let arguments = self.arguments.iter().map(OsString::as_os_str);
        std::iter::once(self.program.as_os_str()).chain(arguments)
    }
}

/// The command as one would type it into a shell, without its variables.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.words().enumerate() {
            let gap = if index == 0 { "" } else { " " };
            write!(f, "{gap}{}", quote(&word.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// A word quoted for a POSIX shell where it needs to be.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What a run may use at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elapsed time.
    pub wall: Duration,
    /// Resident memory in bytes, summed over all processes of the run (shared pages count for each).
    pub memory: u64,
    /// Bytes written to standard output and standard error together.
    pub output: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program ended by itself with this exit code.
    Exit(i32),
    /// This signal ended the program.
    Signal(i32),
    /// It ran longer than [`Limits::wall`], or was silent for too long, and was killed.
    TimedOut,
    /// It wrote more than [`Limits::output`] and was killed.
    OutputLimit,
    /// It used more than [`Limits::memory`] and was killed.
    MemoryLimit,
    /// The person interrupted `lacuna`, and the program was killed.
    Interrupted,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "killed by signal {signal}"),
            Self::TimedOut => f.write_str("killed after the time limit"),
            Self::OutputLimit => f.write_str("killed after the output limit"),
            Self::MemoryLimit => f.write_str("killed after the memory limit"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// What a run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// Standard output, the middle left out if long.
    pub stdout: Output,
    /// Standard error, the middle left out if long.
    pub stderr: Output,
    /// Elapsed time.
    pub wall: Duration,
    /// Processor time of the program and all descendants that were waited for.
    pub cpu: Duration,
}

impl Finished {
    /// Whether the program ended with exit code 0.
    pub fn success(&self) -> bool {
        self.ended == Ended::Exit(0)
    }
}

/// Why a program could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The program could not be started.
    #[error("cannot start `{command}` in {}: {reason}; is it installed and executable?", directory.display())]
    NotStarted {
        /// The command.
        command: String,
        /// Where it was to run.
        directory: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Pipes, sockets or threads could not be had.
    #[error(
        "cannot set up a process to run `{command}`: {source}; close other programs or raise the process and file limits"
    )]
    NoResources {
        /// The command.
        command: String,
        /// What the system says.
        source: io::Error,
    },
}

/// Set once, from a signal handler or another thread, to end all runs at the next tick.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks every run that watches this token to end.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Starts programs. One per invocation of `lacuna`, handed down to whatever runs things.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    supervisor: Option<PathBuf>,
    interrupt: Interrupt,
}

impl Launcher {
    /// A launcher that watches `interrupt` and supervises with a thread.
    pub fn new(interrupt: Interrupt) -> Self {
        Self {
            supervisor: None,
            interrupt,
        }
    }

    /// Supervises with this binary, whose `main` begins with [`supervisor::enter`].
    pub fn supervised_by(mut self, binary: impl Into<PathBuf>) -> Self {
        self.supervisor = Some(binary.into());
        self
    }

    /// The same with another interruption to watch.
    pub fn watching(&self, interrupt: Interrupt) -> Self {
        Self {
            supervisor: self.supervisor.clone(),
            interrupt,
        }
    }

    /// The interruption that the launcher watches.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Runs `command` to its end or to a limit. Afterwards none of its processes is left.
    pub fn run(&self, command: &Command, limits: &Limits) -> Result<Finished, LaunchError> {
        if !command.directory.is_dir() {
            return Err(not_started(command, "there is no such folder".to_owned()));
        }
        let started = Instant::now();
        let (output, stdout, stderr) =
            capture::open(command.copy.as_deref()).map_err(|e| no_resources(command, e))?;
        let running = match &self.supervisor {
            Some(binary) => supervisor::spawn_process(binary, command, stdout, stderr),
            None => supervisor::spawn_thread(command, stdout, stderr),
        };
        let mut running = running.map_err(|e| no_resources(command, e))?;
        let stopped = self.watch(&mut running, command.patience, limits, &output, started);
        let verdict = running.finish();
        let (stdout, stderr) = output.close();
        let done = verdict.map_err(|reason| not_started(command, reason))?;
        Ok(Finished {
            ended: stopped.unwrap_or(done.ended),
            stdout,
            stderr,
            wall: started.elapsed(),
            cpu: done.cpu,
        })
    }

    /// Waits for the end; on a limit asks the supervisor to kill, and says which limit it was.
    fn watch(
        &self,
        running: &mut supervisor::Running,
        patience: Option<Duration>,
        limits: &Limits,
        output: &capture::Drain,
        started: Instant,
    ) -> Option<Ended> {
        let mut memory_checked = Instant::now();
        let mut heard = (0, started);
        let mut passed = None;
        while passed.is_none() {
            if running.wait(TICK) {
                // The last bytes may pass the limit after the last look.
                return (output.total() > limits.output).then_some(Ended::OutputLimit);
            }
            passed = self.passed(limits, output, started);
            if output.total() > heard.0 {
                heard = (output.total(), Instant::now());
            }
            if passed.is_none() && patience.is_some_and(|patience| heard.1.elapsed() > patience) {
                passed = Some(Ended::TimedOut);
            }
            if passed.is_none() && memory_checked.elapsed() >= MEMORY_TICK {
                memory_checked = Instant::now();
                passed = (running.memory() > limits.memory).then_some(Ended::MemoryLimit);
            }
        }
        running.kill(KILL_GRACE);
        passed
    }

    fn passed(&self, limits: &Limits, output: &capture::Drain, started: Instant) -> Option<Ended> {
        if self.interrupt.is_set() {
            Some(Ended::Interrupted)
        } else if output.total() > limits.output {
            Some(Ended::OutputLimit)
        } else {
            (started.elapsed() > limits.wall).then_some(Ended::TimedOut)
        }
    }
}

fn no_resources(command: &Command, source: io::Error) -> LaunchError {
    LaunchError::NoResources {
        command: command.to_string(),
        source,
    }
}

fn not_started(command: &Command, reason: String) -> LaunchError {
    LaunchError::NotStarted {
        command: command.to_string(),
        directory: command.directory.clone(),
        reason,
    }
}
