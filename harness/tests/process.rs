//! Running foreign programs: each limit ends them, and nothing of them is left afterwards.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use harness::process::{Command, Ended, Finished, Interrupt, LaunchError, Launcher, Limits};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SUPERVISOR: &str = env!("CARGO_BIN_EXE_lacuna-supervisor");

fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(60),
        memory: 1 << 30,
        output: 1 << 20,
    }
}

fn supervised() -> Launcher {
    Launcher::default().supervised_by(SUPERVISOR)
}

fn shell(script: &str, directory: &Path) -> Command {
    Command::new("sh", directory).args(["-c", script])
}

/// Runs a shell script both ways: under a supervisor process and under a thread.
fn both(script: &str, limits: Limits) -> Vec<Finished> {
    let directory = tempfile::tempdir().unwrap();
    let command = shell(script, directory.path());
    let launchers = [supervised(), Launcher::default()];
    launchers
        .iter()
        .map(|launcher| launcher.run(&command, &limits).unwrap())
        .collect()
}

/// Waits until the file holds a process id, and returns it.
fn pid_in(path: &Path) -> u32 {
    wait_until(|| fs::read_to_string(path).ok()?.trim().parse().ok())
}

fn wait_until<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "it never happened"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the process is there and no zombie.
fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.starts_with(" Z"))
}

fn dies(pid: u32) {
    wait_until(|| (!lives(pid)).then_some(()));
}

#[test]
fn exit_code_and_both_streams_are_reported() {
    for done in both("echo out; echo err >&2; exit 3", limits()) {
        assert_eq!(done.ended, Ended::Exit(3));
        assert_eq!(
            (done.stdout.text(), done.stderr.text()),
            ("out\n".into(), "err\n".into())
        );
    }
}

#[test]
fn a_signal_is_no_exit_code() {
    for done in both("kill -SEGV $$", limits()) {
        assert_eq!(done.ended, Ended::Signal(11));
    }
}

#[test]
fn standard_input_is_empty() {
    for done in both("cat; echo end", limits()) {
        assert_eq!(done.stdout.text(), "end\n");
    }
}

#[test]
fn variables_are_set_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let command = shell("echo ${A-none} ${HOME-none}", directory.path())
        .env("A", "x")
        .env_remove("HOME");
    for launcher in [supervised(), Launcher::default()] {
        let done = launcher.run(&command, &limits()).unwrap();
        assert_eq!(done.stdout.text(), "x none\n");
    }
}

#[test]
fn a_program_that_never_ends_is_killed_with_its_children() {
    let short = Limits {
        wall: Duration::from_millis(300),
        ..limits()
    };
    for done in both("sleep 1000 & sleep 1000", short) {
        assert_eq!(done.ended, Ended::TimedOut);
    }
}

#[test]
fn a_program_that_is_silent_for_too_long_is_killed() {
    let patience = Some(Duration::from_secs(4));
    let run = |script: &str| {
        let command = shell(script, Path::new("/")).heard_within(patience);
        supervised().run(&command, &limits()).unwrap().ended
    };
    assert_eq!(run("echo begun; sleep 1000"), Ended::TimedOut);
    assert_eq!(
        run("for i in 1 2 3 4 5; do echo $i; sleep 1; done"),
        Ended::Exit(0)
    );
}

#[test]
fn endless_output_ends_at_the_limit_and_only_a_part_is_kept() {
    let small = Limits {
        output: 10 << 20,
        ..limits()
    };
    for done in both("yes", small) {
        assert_eq!(done.ended, Ended::OutputLimit);
        assert!(done.stdout.total() > 10 << 20 && done.stdout.text().len() < 1 << 20);
    }
}

#[test]
fn a_program_that_fills_the_memory_is_killed() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let little = Limits {
        memory: 64 << 20,
        ..limits()
    };
    // tail keeps an endless line in memory.
    for done in both(
        "tail -c 500M /dev/zero > /dev/null; head -c 400M /dev/zero | tail > /dev/null",
        little,
    ) {
        assert_eq!(done.ended, Ended::MemoryLimit);
    }
}

#[test]
fn processor_time_of_children_counts() {
    let done = &both(
        "(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done)",
        limits(),
    )[0];
    assert!(done.cpu > Duration::from_millis(5), "{:?}", done.cpu);
}

#[test]
fn an_interruption_ends_the_run() {
    let directory = tempfile::tempdir().unwrap();
    for supervised in [true, false] {
        let interrupt = Interrupt::default();
        let launcher = Launcher::new(interrupt.clone());
        let launcher = if supervised {
            launcher.supervised_by(SUPERVISOR)
        } else {
            launcher
        };
        let command = shell("sleep 1000", directory.path());
        let run = std::thread::spawn(move || launcher.run(&command, &limits()).unwrap());
        interrupt.set();
        assert_eq!(run.join().unwrap().ended, Ended::Interrupted);
    }
}

#[test]
fn a_daemon_in_a_session_of_its_own_does_not_survive_the_program() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script =
        "(setsid sh -c 'echo $$ > daemon; exec sleep 1000' &) ; while [ ! -s daemon ]; do :; done";
    let done = supervised()
        .run(&shell(script, directory.path()), &limits())
        .unwrap();
    assert!(done.success());
    assert!(!lives(pid_in(&directory.path().join("daemon"))));
}

#[test]
fn a_dead_orphan_is_buried_while_the_program_runs() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let script = "(sh -c 'echo $$ > orphan' &); while [ ! -s orphan ]; do :; done
        i=0; while kill -0 $(cat orphan) 2>/dev/null; do i=$((i+1)); [ $i -gt 1000 ] && exit 9; sleep 0.01; done";
    let directory = tempfile::tempdir().unwrap();
    let done = supervised()
        .run(&shell(script, directory.path()), &limits())
        .unwrap();
    assert!(done.success());
}

#[test]
fn a_program_that_kills_its_supervisor_does_not_survive_it() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = "(sh -c 'echo $$ > orphan; exec sleep 1000' &); while [ ! -s orphan ]; do :; done
        kill -9 $PPID; sleep 1000";
    let done = supervised()
        .run(&shell(script, directory.path()), &limits())
        .unwrap();
    assert_eq!(done.ended, Ended::Signal(9));
    assert!(!lives(pid_in(&directory.path().join("orphan"))));
}

#[test]
fn a_missing_program_or_folder_is_an_error_that_says_so() {
    let directory = tempfile::tempdir().unwrap();
    for launcher in [supervised(), Launcher::default()] {
        for (program, folder) in [("no-such-program-x", "."), ("sh", "no-such-folder")] {
            let command = Command::new(program, directory.path().join(folder));
            let error = launcher.run(&command, &limits()).unwrap_err();
            assert!(matches!(&error, LaunchError::NotStarted { .. }), "{error}");
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("cannot start `{program}` in "))
            );
        }
    }
}

#[test]
fn a_command_prints_as_one_types_it() {
    let command = Command::new("python3", "/").args(["-c", "print('a b')", ""]);
    assert_eq!(command.to_string(), r"python3 -c 'print('\''a b'\'')' ''");
}

/// This test binary plays `lacuna`: in a child of itself it starts a run, and is killed in the middle.
#[test]
fn a_killed_lacuna_leaves_no_process_behind() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut lacuna = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "plays_lacuna_for_the_test_that_kills_it",
            "--nocapture",
        ])
        .env("LACUNA_TEST_RUN_IN", directory.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let pids = ["program", "grandchild"].map(|name| pid_in(&directory.path().join(name)));
    lacuna.kill().unwrap();
    lacuna.wait().unwrap();
    pids.into_iter().for_each(dies);
}

#[test]
fn plays_lacuna_for_the_test_that_kills_it() {
    let Some(directory) = std::env::var_os("LACUNA_TEST_RUN_IN") else {
        return;
    };
    let script =
        "echo $$ > program; (setsid sh -c 'echo $$ > grandchild; exec sleep 1000' &); sleep 1000";
    supervised()
        .run(&shell(script, Path::new(&directory)), &limits())
        .unwrap();
}
