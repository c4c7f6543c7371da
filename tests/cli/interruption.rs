//! An end at any moment: no process is left, no half a task, and the project is as it was.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Bench, Ran, TARGET, bench, files};
use crate::tasks::is_whole;

/// Waits where the feature is missing: in the starting tree only.
const WAITS_IN_THE_GAP: &str = "import time, ladle.shopping\n\
    def test_waits():\n\
    \x20   while not hasattr(ladle.shopping, 'shopping_list'): time.sleep(1)\n";
const WAITS: &str = "import time\ndef test_waits(): time.sleep(1000)\n";

/// Command lines and folders of the processes that work in a folder.
fn processes_in(folder: &Path) -> Vec<String> {
    let pids = fs::read_dir("/proc")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let described = pids.filter_map(|process| {
        let words = fs::read(process.join("cmdline")).ok()?;
        let place = fs::read_link(process.join("cwd")).ok()?;
        Some(format!(
            "{} {}",
            place.display(),
            String::from_utf8_lossy(&words)
        ))
    });
    let name = folder.to_str().unwrap();
    described.filter(|text| text.contains(name)).collect()
}

/// Waits until there is a process in the cache, or none.
fn wait_for_processes(bench: &Bench, present: bool) {
    for _ in 0..600 {
        if processes_in(&bench.cache()).is_empty() != present {
            return;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("after a minute: {:#?}", processes_in(&bench.cache()));
}

fn start(bench: &Bench, arguments: &[&str]) -> Child {
    let out = bench.out.to_str().unwrap();
    let mut command = bench.command(&[arguments, &["--out", out]].concat());
    command
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

#[test]
fn killed_at_any_moment_it_leaves_no_process_and_no_half_task() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let Some(bench) = bench() else { return };
    let before = files(&bench.project);
    let arguments = ["extract", "--target", TARGET];
    for milliseconds in [0, 300, 1000, 2000] {
        let mut run = start(&bench, &arguments);
        sleep(Duration::from_millis(milliseconds));
        run.kill().unwrap();
        run.wait().unwrap();
        assert_clean(&bench, &before);
    }
    bench.ok(&["trace"]);
    bench.write("tests/test_waits.py", WAITS_IN_THE_GAP);
    let before = files(&bench.project);
    let mut run = start(
        &bench,
        &[
            &arguments[..],
            &["--suite", "tests/test_waits.py", "--suite", TARGET],
        ]
        .concat(),
    );
    wait_for_processes(&bench, true);
    run.kill().unwrap();
    run.wait().unwrap();
    assert_clean(&bench, &before);
    fs::remove_file(bench.project.join("tests/test_waits.py")).unwrap();
    assert!(is_whole(&bench.extract()));
}
