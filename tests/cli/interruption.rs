//! An end at any moment: no process is left, no half a task, and the project is as it was.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Bench, Ran, TARGET, bench, files, only_entry};
use crate::tasks::is_whole;

/// Waits where the feature is missing: in the starting tree only.
const WAITS_IN_THE_GAP: &str = "import time, ladle.shopping\n\
    def test_waits():\n\
    \x20   while not hasattr(ladle.shopping, 'shopping_list'): time.sleep(1)\n";
const WAITS: &str = "import time\ndef test_waits(): time.sleep(1000)\n";

/// Every process inherits this variable from the program that a test starts.
const MARK: &str = "LACUNA_TEST_OF_INTERRUPTION";

/// The processes that a test's program has started, or that work in its cache: command lines and
/// folders. Those that cleared their environment, left their group and moved away are none of these.
pub fn left_over(bench: &Bench) -> Vec<String> {
    let cache = bench.cache();
    let pids = fs::read_dir("/proc")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let described = pids.filter_map(|process| {
        let words = fs::read(process.join("cmdline")).ok()?;
        let variables = fs::read(process.join("environ")).ok()?;
        let place = fs::read_link(process.join("cwd")).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        let is_ours = String::from_utf8_lossy(&variables).contains(MARK)
            || place.starts_with(&cache)
            || words.contains(cache.to_str().unwrap());
        is_ours.then(|| format!("{} {words}", place.display()))
    });
    described.collect()
}

/// Waits until the program has started something, or until nothing is left.
fn wait_for_processes(bench: &Bench, present: bool) {
    let enough = |left: &[String]| match present {
        true => left.iter().any(|process| process.contains("pytest")),
        false => left.is_empty(),
    };
    for _ in 0..600 {
        if enough(&left_over(bench)) {
            return;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("after a minute: {:#?}", left_over(bench));
}

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    let out = bench.out.to_str().unwrap();
    let mut command = bench.command(&[arguments, &["--out", out]].concat());
    command
        .env(MARK, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// Nothing that the program started is left, and everything else is as it should be.
fn assert_clean(bench: &Bench, before: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>) {
    wait_for_processes(bench, false);
    assert!(files(&bench.project) == *before);
    let tasks = fs::read_dir(&bench.out)
        .unwrap()
        .map(|entry| entry.unwrap());
    for task in tasks.filter(|task| !task.file_name().to_string_lossy().starts_with('.')) {
        assert!(is_whole(&task.path()), "{task:?}");
    }
}

#[test]
fn ctrl_c_ends_the_run_with_everything_that_it_started() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let Some(bench) = bench() else { return };
    bench.write("tests/test_waits.py", WAITS);
    let before = files(&bench.project);
    let run = start(
        &bench,
        &[
            "extract",
            "--target",
            TARGET,
            "--suite",
            "tests/test_waits.py",
            "--suite",
            TARGET,
        ],
    );
    wait_for_processes(&bench, true);
    signal(&run, "-INT");
    let ran = Ran::from(run.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert_eq!(
        ran.err,
        "lacuna: stopped; what was finished before is kept\n"
    );
    assert_eq!(ran.out, "");
    assert_clean(&bench, &before);
    assert!(files(&bench.out).is_empty());
}

/// Moments of a run, in thousandths of the time that a whole one takes: ten by chance, the same each
/// time.
fn moments() -> [u32; 10] {
    let mut state: u32 = 20_250_817;
    [(); 10].map(|()| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % 1000
    })
}

#[test]
fn killed_at_any_moment_it_leaves_no_process_and_no_half_task() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let Some(bench) = bench() else { return };
    let before = files(&bench.project);
    let arguments = ["extract", "--fresh", "--target", TARGET];
    let started = Instant::now();
    let whole = start(&bench, &arguments).wait_with_output().unwrap();
    assert!(whole.status.success());
    let length = started.elapsed();
    for moment in moments() {
        let mut run = start(&bench, &arguments);
        sleep(length * moment / 1000);
        run.kill().unwrap();
        run.wait().unwrap();
        assert_clean(&bench, &before);
    }
    assert!(is_whole(&bench.extract()), "and nothing else is there");
}

#[test]
fn killed_while_tests_run_in_the_starting_tree_it_leaves_no_process() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let Some(bench) = bench() else { return };
    bench.write("tests/test_waits.py", WAITS_IN_THE_GAP);
    let before = files(&bench.project);
    let suite = ["--suite", "tests/test_waits.py", "--suite", TARGET];
    bench.ok(&[&["trace"], &suite[..]].concat());
    let mut run = start(
        &bench,
        &[&["extract", "--target", TARGET], &suite[..]].concat(),
    );
    wait_for_processes(&bench, true);
    run.kill().unwrap();
    run.wait().unwrap();
    assert_clean(&bench, &before);
    fs::remove_file(bench.project.join("tests/test_waits.py")).unwrap();
    assert!(is_whole(&bench.extract()));
}

#[test]
fn a_second_run_waits_for_the_first_and_says_so_but_what_is_stored_can_be_read() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let Some(bench) = bench() else { return };
    bench.ok(&["trace"]);
    let known = bench.ok(&["show", "--target", TARGET]);
    let lock = only_lock(&bench);
    let held = fs::File::options().write(true).open(&lock).unwrap();
    held.lock().unwrap();
    fs::write(&lock, "4711").unwrap();
    assert_eq!(bench.ok(&["show", "--target", TARGET]), known);

    let [mut waiting, mut stopped] =
        [(); 2].map(|()| start(&bench, &["extract", "--target", TARGET]));
    for run in [&mut waiting, &mut stopped] {
        let mut told = String::new();
        let mut errors = BufReader::new(run.stderr.take().unwrap());
        errors.read_line(&mut told).unwrap();
        assert_eq!(
            told,
            "lacuna: waiting: another lacuna (process 4711) works on this project; Ctrl-C ends the waiting\n"
        );
    }
    signal(&stopped, "-INT");
    let stopped = Ran::from(stopped.wait_with_output().unwrap());
    assert_eq!(stopped.code, Some(130));
    drop(held);
    assert!(waiting.wait().unwrap().success());
    assert!(is_whole(&only_entry(&bench.out)));
}

/// The lock of the sample project.
fn only_lock(bench: &Bench) -> PathBuf {
    let mut locks = fs::read_dir(bench.cache())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("recipes-")
        });
    let folder = locks.next().unwrap();
    assert_eq!(locks.next(), None);
    folder.join("lock")
}
