//! Processes that end badly or in unusual ways.

use std::time::Duration;

use harness::lang::python::tracer::Recorder;
use harness::process::Ended;

use crate::support::{Project, check, extremes, newest, set};

fn project(death: &str) -> Project {
    Project::new(&format!(
        "
        //- m.py
        def f(): pass
        def g(): pass
        //- test_m.py
        import ctypes, os, signal, time
        import m
        def test_before(): m.f()
        def test_death():
            m.g()
            {death}
        def test_after(): pass
        "
    ))
}

#[test]
fn nothing_recorded_is_lost_when_the_process_dies() {
    let deaths = [
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "ctypes.string_at(0)",
        "os.abort()",
    ];
    for death in deaths {
        let project = project(death);
        for (python, recorder) in extremes() {
            let run = project.trace(python, recorder);
            let expected = "passed test_m.py::test_before\nerror test_m.py::test_death\nerror test_m.py::test_after\n";
            assert_eq!(run.outcomes(), expected, "{death}\n{}", run.0.output);
            assert_eq!(run.names("test_m.py::test_before"), set(&["f"]));
            assert_eq!(run.names("test_m.py::test_death"), set(&["g"]), "{death}");
            let detail = run.test("test_m.py::test_after").detail.clone().unwrap();
            let expected = "the test process died while running test_m.py::test_death";
            assert!(detail.message.starts_with(expected), "{}", detail.message);
        }
    }
}

#[test]
fn a_run_that_takes_too_long_is_ended_and_reported() {
    let Some(python) = newest() else { return };
    let mut project = project("time.sleep(600)");
    project.limits.wall = Duration::from_secs(10);
    let run = project.trace(python, Recorder::Native);
    assert_eq!(run.0.ended, Ended::TimedOut);
    let detail = run.test("test_m.py::test_death").detail.clone().unwrap();
    assert_eq!(
        detail.message,
        "the test process died while running test_m.py::test_death (killed after the time limit)"
    );
}

#[test]
fn a_test_that_takes_too_long_ends_its_process_and_the_rest_is_named() {
    // The last one lets no other thread of Python run.
    for death in ["time.sleep(600)", "ctypes.PyDLL(None).sleep(600)"] {
        let mut project = project(death);
        project.patience = Some(Duration::from_secs(3));
        for (python, _) in extremes() {
            let run = project.run(python).0;
            assert_eq!(run.died_in, ["test_m.py::test_death"]);
            assert_eq!(run.not_begun, ["test_m.py::test_after"]);
        }
    }
}

#[test]
fn a_forked_child_that_strays_out_of_its_test_reports_nothing() {
    let files = "
        //- test_m.py
        import os
        def test_fork():
            child = os.fork()
            if child:
                os.waitpid(child, 0)
        def test_after(): pass
    ";
    check(files, |run| {
        assert_eq!(
            run.outcomes(),
            "passed test_m.py::test_fork\npassed test_m.py::test_after\n"
        );
    });
}

#[test]
fn forks_of_forks_know_what_their_ancestors_have_seen() {
    let files = "
        //- m.py
        def f(): pass
        def g(): pass
        //- test_m.py
        import os
        import m
        def fork(work):
            child = os.fork()
            if child == 0:
                work()
                os._exit(0)
            os.waitpid(child, 0)
        def inner():
            m.f()
            fork(m.g)
        def test_1(): m.f(); m.g()
        def test_2(): fork(inner)
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_2"), set(&["f", "g"]));
        assert_eq!(run.0.trace.processes, 3);
    });
}

#[test]
fn a_test_may_close_all_files_and_change_the_folder() {
    let files = "
        //- m.py
        def f(): pass
        //- test_m.py
        import os
        import m
        def test_daemonize(tmp_path):
            child = os.fork()
            if child == 0:
                os.closerange(3, 256)
                other = [os.open(str(tmp_path / str(n)), os.O_CREAT | os.O_RDWR) for n in range(9)]
                os.chdir('/')
                os.environ.clear()
                m.f()
                os._exit(0)
            os.waitpid(child, 0)
            assert all(p.stat().st_size == 0 for p in tmp_path.iterdir())
        def test_report_closed(tmp_path):
            folder = '/proc/self/fd'
            links = {n: os.readlink(os.path.join(folder, n)) for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n))}
            [report] = [int(n) for n, link in links.items() if link.endswith('results.jsonl')]
            os.close(report)
            other = os.open(str(tmp_path / 'other'), os.O_CREAT | os.O_RDWR)
            assert other == report
        def test_mocked(monkeypatch):
            for name in ('open', 'write', 'close', 'getpid', 'stat', 'lstat', 'readlink', 'getcwd'):
                monkeypatch.delattr(os, name)
            m.f()
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_daemonize"), set(&["f"]));
        assert_eq!(run.names("test_m.py::test_mocked"), set(&["f"]));
        run.assert_no_losses();
    });
}

#[test]
fn daemon_threads_at_exit_do_no_harm() {
    let files = "
        //- m.py
        def busy():
            while True:
                tick()
        def tick(): pass
        //- test_m.py
        import subprocess, sys
        CODE = 'import threading, m; threading.Thread(target=m.busy, daemon=True).start()'
        def test_child(): subprocess.check_call([sys.executable, '-c', CODE])
    ";
    check(files, |run| run.assert_no_losses());
}
