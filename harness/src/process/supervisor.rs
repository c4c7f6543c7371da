//! The supervisor: runs one program and leaves no process of it behind.
//!
//! It talks with `lacuna` over a socket, its standard input. Towards `lacuna` go lines of text (see
//! `Report`); the other direction carries nothing: its end means "kill everything", and comes too
//! when `lacuna` is killed, because only `lacuna` holds the other end.

use super::family::Family;
use super::{Command, Ended};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeWriter, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The hidden first argument that turns a binary into a supervisor.
const ARGUMENT: &str = "__supervise";
/// The largest file that a program may write, in bytes: a test runner that captures endless output
/// into a file must not fill the disk.
const LARGEST_FILE: u64 = 2 << 30;
/// How long the supervisor tries to kill what does not die (uninterruptible sleep).
const KILL_TIME: Duration = Duration::from_secs(10);

/// What a binary that may supervise does first in `main`: `Some` means that it was started as a
/// supervisor, has done its work and must end with that code.
pub fn enter() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == ARGUMENT).then(|| supervise_process(arguments.collect()))
}

/// What the supervisor tells, one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Report {
    /// `started PID`: the root of the family, as soon as it is known.
    Started(i32),
    /// `failed REASON`: the program could not be started.
    Failed(String),
    /// `exit CODE CPU` or `signal NUMBER CPU`: processor time in microseconds.
    Done(Done),
}

/// How the program ended, and its processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) ended: Ended,
    pub(super) cpu: Duration,
}

impl Report {
    fn line(&self) -> String {
        match self {
            Self::Started(pid) => format!("started {pid}\n"),
            Self::Failed(reason) => format!("failed {}\n", reason.replace('\n', " ")),
            Self::Done(Done { ended, cpu }) => match ended {
                Ended::Exit(code) => format!("exit {code} {}\n", cpu.as_micros()),
                Ended::Signal(number) => format!("signal {number} {}\n", cpu.as_micros()),
                // Limits are the business of the other side, which killed the program.
                _ => format!("signal 9 {}\n", cpu.as_micros()),
            },
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        let done = |ended: fn(i32) -> Ended| {
            let (number, micros) = rest.split_once(' ')?;
            let cpu = Duration::from_micros(micros.parse().ok()?);
            Some(Self::Done(Done {
                ended: ended(number.parse().ok()?),
                cpu,
            }))
        };
        match word {
            "started" => Some(Self::Started(rest.parse().ok()?)),
            "failed" => Some(Self::Failed(rest.to_owned())),
            "exit" => done(Ended::Exit),
            "signal" => done(Ended::Signal),
            _ => None,
        }
    }
}

/// `lacuna`'s side of a run.
pub(super) struct Running {
    control: UnixStream,
    received: Vec<u8>,
    family: Option<Family>,
    verdict: Option<Result<Done, String>>,
    process: Option<Child>,
}

/// Runs `command` under a new process of `binary`.
pub(super) fn spawn_process(
    binary: &Path,
    command: &Command,
    stdout: PipeWriter,
    stderr: PipeWriter,
) -> io::Result<Running> {
    let (control, theirs) = UnixStream::pair()?;
    let start = [binary.as_os_str(), OsStr::new(ARGUMENT)];
    let process = command
        .prepare(start.into_iter().chain(command.words()))
        .stdin(OwnedFd::from(theirs))
        .stdout(stdout)
        .stderr(stderr)
        .spawn()?;
    Ok(Running::new(control, Some(process)))
}

/// Runs `command` under a thread of this process. Orphans that left the process group may survive it.
pub(super) fn spawn_thread(
    command: &Command,
    stdout: PipeWriter,
    stderr: PipeWriter,
) -> io::Result<Running> {
    let (control, theirs) = UnixStream::pair()?;
    let mut program = command.prepare(command.words());
    program.stdout(stdout).stderr(stderr);
    thread::Builder::new().spawn(move || supervise(theirs, program, None))?;
    Ok(Running::new(control, None))
}

impl Running {
    fn new(control: UnixStream, process: Option<Child>) -> Self {
        Self {
            control,
            received: Vec::new(),
            family: None,
            verdict: None,
            process,
        }
    }

    /// Waits at most `time` for the end, and says whether it has come.
    pub(super) fn wait(&mut self, time: Duration) -> bool {
        let mut buffer = [0; 512];
        let read = match self.control.set_read_timeout(Some(time)) {
            Ok(()) => self.control.read(&mut buffer),
            Err(error) => Err(error),
        };
        match read {
            Ok(0) => self.lost(),
            Ok(count) => self.receive(&buffer[..count]),
            Err(error) if is_timeout(&error) => {}
            Err(_) => self.lost(),
        }
        self.verdict.is_some()
    }

    /// Resident memory of the run in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.family.map_or(0, Family::memory)
    }

    /// Asks for the end of everything, and waits for it. A supervisor that does not obey is killed.
    pub(super) fn kill(&mut self, grace: Duration) {
        let _ = self.control.shutdown(Shutdown::Write);
        let until = Instant::now() + grace;
        while !self.wait(Duration::from_millis(100)) {
            if Instant::now() > until {
                self.lost();
            }
        }
    }

    /// How the program ended, or why it was not started.
    pub(super) fn finish(mut self) -> Result<Done, String> {
        if let Some(process) = &mut self.process {
            let _ = process.wait();
        }
        self.verdict
            .unwrap_or_else(|| Err("no answer from its supervisor".to_owned()))
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.received.extend_from_slice(bytes);
        while let Some(end) = self.received.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.received.drain(..=end).collect();
            match Report::parse(String::from_utf8_lossy(&line).trim_end()) {
                Some(Report::Started(pid)) => {
                    self.family = Some(family(pid, self.process.is_some()))
                }
                Some(Report::Failed(reason)) => self.verdict = Some(Err(reason)),
                Some(Report::Done(done)) => self.verdict = Some(Ok(done)),
                None => self.lost(),
            }
        }
    }

    /// The supervisor went away without a verdict (the program killed it): kill what is left.
    fn lost(&mut self) {
        if self.verdict.is_some() {
            return;
        }
        if let Some(process) = &mut self.process {
            let _ = process.kill();
        }
        self.verdict = Some(match self.family {
            Some(family) => {
                kill_all(Family {
                    spare_root: false,
                    ..family
                });
                Ok(Done {
                    ended: Ended::Signal(9),
                    cpu: Duration::ZERO,
                })
            }
            None => Err("its supervisor did not start".to_owned()),
        });
    }
}

fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

fn family(root: i32, spare_root: bool) -> Family {
    Family {
        root: Pid::from_raw(root),
        spare_root,
    }
}

/// Kills a family again and again, because its members may be forking.
fn kill_all(family: Family) {
    let until = Instant::now() + KILL_TIME;
    while family.kill() > 0 && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The whole life of a supervisor process.
fn supervise_process(words: Vec<OsString>) -> ExitCode {
    let Ok(control) = io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    // Its own session: a Ctrl-C at the terminal reaches `lacuna` alone.
    let _ = nix::unistd::setsid();
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let _ = setrlimit(Resource::RLIMIT_FSIZE, LARGEST_FILE, LARGEST_FILE);
    kernel::become_reaper();
    let mut words = words.into_iter();
    let mut program = std::process::Command::new(words.next().unwrap_or_default());
    program.args(words);
    kernel::die_with_parent(&mut program);
    supervise(
        UnixStream::from(control),
        program,
        Some(nix::unistd::getpid()),
    );
    ExitCode::SUCCESS
}

/// Runs `program` to its end and reports. `reaper` is this process if it adopts orphans.
fn supervise(mut control: UnixStream, mut program: std::process::Command, reaper: Option<Pid>) {
    // A program may kill its supervisor as soon as it runs: what is needed to clean up is told before.
    if let Some(root) = reaper {
        let _ = tell(&mut control, &Report::Started(root.as_raw()));
    }
    let child = program.stdin(Stdio::null()).process_group(0).spawn();
    // The writing ends of the pipes live in the command.
    drop(program);
    let report = match child {
        Err(error) => Report::Failed(error.to_string()),
        Ok(child) => Report::Done(attend(&control, &child, reaper)),
    };
    let _ = tell(&mut control, &report);
}

fn tell(control: &mut UnixStream, report: &Report) -> io::Result<()> {
    control.write_all(report.line().as_bytes())
}

fn attend(control: &UnixStream, child: &Child, reaper: Option<Pid>) -> Done {
    let program = Pid::from_raw(child.id().cast_signed());
    let root = reaper.unwrap_or(program);
    let family = family(root.as_raw(), reaper.is_some());
    let watched = control.try_clone().and_then(|mut control| {
        if reaper.is_none() {
            tell(&mut control, &Report::Started(root.as_raw()))?;
        }
        thread::Builder::new().spawn(move || kill_at_end_of(control, family))
    });
    if watched.is_err() {
        kill_all(family);
    }
    let ended = wait_for(program, reaper.is_some());
    kill_all(family);
    reap(reaper.is_some());
    Done {
        ended,
        cpu: cpu_of_children(),
    }
}

/// Blocks until nobody can speak to us any more, then kills the family.
fn kill_at_end_of(mut control: UnixStream, family: Family) {
    let mut byte = [0];
    while !matches!(control.read(&mut byte), Ok(0)) {}
    kill_all(family);
}

/// Waits for the program; a reaper buries the orphans it adopted as they die.
fn wait_for(program: Pid, reaper: bool) -> Ended {
    let whom = (!reaper).then_some(program);
    loop {
        match waitpid(whom, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == program => return Ended::Exit(code),
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == program => {
                return Ended::Signal(signal as i32);
            }
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => return Ended::Signal(9),
        }
    }
}

/// Buries what is dead, so that its processor time counts.
fn reap(reaper: bool) {
    let dead = |status| !matches!(status, Ok(WaitStatus::StillAlive) | Err(_));
    while reaper && dead(waitpid(None, Some(WaitPidFlag::WNOHANG))) {}
}

/// In a thread this counts all children of the process: an upper bound.
fn cpu_of_children() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return Duration::ZERO;
    };
    let micros = |time: nix::sys::time::TimeVal| time.num_microseconds();
    let total = micros(usage.user_time()) + micros(usage.system_time());
    Duration::from_micros(u64::try_from(total).unwrap_or(0))
}

/// What only Linux offers; elsewhere orphans that left the process group escape.
#[cfg(target_os = "linux")]
mod kernel {
    use nix::sys::prctl::{set_child_subreaper, set_name, set_pdeathsig};
    use nix::sys::signal::Signal;
    use std::os::unix::process::CommandExt;

    /// Orphans become children of this process instead of leaving its sight. The name keeps the
    /// supervisor alive when somebody kills `lacuna` by name.
    pub(super) fn become_reaper() {
        let _ = set_child_subreaper(true);
        let _ = set_name(c"supervisor");
    }

    /// Even if the supervisor is killed, its direct child dies.
    #[expect(
        unsafe_code,
        reason = "only the new process itself can ask for its parent's death signal"
    )]
    pub(super) fn die_with_parent(program: &mut std::process::Command) {
        // SAFETY: between fork and exec only async-signal-safe calls are allowed; prctl is one, and
        // the closure neither allocates nor locks.
        unsafe {
            program.pre_exec(|| Ok(set_pdeathsig(Signal::SIGKILL)?));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    pub(super) fn become_reaper() {}
    pub(super) fn die_with_parent(_: &mut std::process::Command) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_survives_the_socket() {
        let done = |ended| {
            Report::Done(Done {
                ended,
                cpu: Duration::from_micros(1234),
            })
        };
        let reports = [
            Report::Started(42),
            Report::Failed("No such file or directory (os error 2)".to_owned()),
            done(Ended::Exit(3)),
            done(Ended::Signal(11)),
        ];
        for report in reports {
            assert_eq!(Report::parse(report.line().trim_end()), Some(report));
        }
        assert_eq!(Report::parse("exit x y"), None);
    }
}
