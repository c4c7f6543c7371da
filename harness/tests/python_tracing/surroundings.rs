//! Things around a test that a tracer must not disturb, and that must not disturb it.

use std::collections::BTreeSet;

use analyzer::trace::Outcome;
use harness::lang::python::tracer::Recorder;

use crate::support::{Project, call_edges, check, check_project, environment, newest, set};

#[test]
fn a_test_that_resets_the_profile_hook_ends_its_own_trace_at_most() {
    let files = "
        //- m.py
        def f(): pass
        def g(): pass
        //- test_m.py
        import sys
        import m
        def test_1():
            m.f()
            sys.setprofile(None)
        def test_2(): m.g()
        def test_3():
            old = sys.getprofile()
            sys.setprofile(lambda *a: None)
            sys.setprofile(old)
            m.g()
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_1"), set(&["f"]));
        assert_eq!(run.names("test_m.py::test_2"), set(&["g"]));
        assert_eq!(run.names("test_m.py::test_3"), set(&["g"]));
        let told = run
            .0
            .trace
            .losses
            .iter()
            .any(|loss| loss.contains("test_m.py::test_1"));
        let monitored = run.0.trace.losses.is_empty();
        assert!(told || monitored, "{:#?}", run.0.trace.losses);
    });
}

#[test]
fn a_warning_at_import_points_where_it_did() {
    let files = "
        //- old.py
        import warnings
        warnings.warn('old', DeprecationWarning, stacklevel=2)
        //- test_m.py
        import warnings
        def test_warning():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter('always')
                import old
            assert [w.filename for w in caught] == [__file__]
    ";
    check(files, |run| assert_eq!(run.0.trace.tests.len(), 1));
}

#[test]
fn standard_input_and_output_are_captured_as_without_a_tracer() {
    let files = "
        //- test_m.py
        import pytest
        def test_input():
            with pytest.raises(OSError):
                input()
        def test_output(capsys):
            print('x')
            assert capsys.readouterr().out == 'x\\n'
    ";
    check(files, |run| assert_eq!(run.0.trace.tests.len(), 2));
}

#[test]
fn a_project_that_asks_for_parallel_workers_runs_in_one_process() {
    let files = "
        //- pytest.ini
        [pytest]
        addopts = -n 2 --dist loadfile
        //- m.py
        def f(): pass
        //- test_m.py
        import m
        def test_1(): m.f()
        def test_2(): m.f()
    ";
    let Some(python) =
        newest().and_then(|newest| environment(newest.minor, &["pytest", "pytest-xdist"]))
    else {
        return;
    };
    let run = Project::new(files).trace(&python, Recorder::Native);
    assert_eq!(
        run.outcomes(),
        "passed test_m.py::test_1\npassed test_m.py::test_2\n"
    );
    assert_eq!(run.names("test_m.py::test_2"), set(&["f"]));
    assert_eq!(run.0.trace.processes, 1);
}

#[test]
fn installed_packages_and_sibling_folders_are_foreign() {
    let files = "
        //- tree/env/pyvenv.cfg
        //- tree/env/inner.py
        def in_environment(): pass
        //- tree/lib/site-packages/packaged.py
        def in_packages(): pass
        //- tree_extra/extra.py
        def beside(): pass
        //- tree/m.py
        def f(): pass
        //- tree/test_m.py
        import os, sys
        HERE = os.path.dirname(os.path.abspath(__file__))
        sys.path[:0] = [HERE + '/env', HERE + '/lib/site-packages', HERE + '_extra']
        import extra, inner, m, packaged
        def test_f():
            inner.in_environment()
            packaged.in_packages()
            extra.beside()
            m.f()
    ";
    let mut project = Project::new(files);
    project.subfolder = Some("tree".to_owned());
    check_project(&project, |run| {
        let paths: BTreeSet<_> = run
            .0
            .trace
            .codes
            .iter()
            .map(|code| code.path.clone())
            .collect();
        assert_eq!(paths, set(&["m.py", "test_m.py"]));
    });
}

#[test]
fn a_file_in_another_encoding_is_traced() {
    let project = Project::new(
        "
        //- test_m.py
        import m
        def test_f(): assert m.grüße() == 'ä'
        ",
    );
    let latin = b"# -*- coding: latin-1 -*-\ndef gr\xfc\xdfe(): return '\xe4'\n";
    std::fs::write(project.root().join("m.py"), latin).unwrap();
    check_project(&project, |run| {
        assert_eq!(run.names("test_m.py::test_f"), set(&["grüße"]))
    });
}

#[test]
fn a_session_inside_a_test_does_not_mix_with_the_real_one() {
    let files = "
        //- conftest.py
        pytest_plugins = 'pytester'
        //- m.py
        def f(): pass
        //- test_m.py
        import subprocess, sys
        import pytest
        import m
        def test_inner(testdir):
            testdir.makepyfile('def test_x(): assert 0\\ndef test_y(): pass')
            testdir.inline_run().assertoutcome(passed=1, failed=1)
            m.f()
        def test_subprocess(tmp_path):
            (tmp_path / 'test_z.py').write_text('def test_z(): assert 0')
            command = [sys.executable, '-m', 'pytest', str(tmp_path)]
            assert subprocess.call(command, cwd=str(tmp_path)) == 1
            m.f()
        def test_main(tmp_path):
            (tmp_path / 'test_w.py').write_text('def test_w(): pass')
            assert pytest.main([str(tmp_path)]) == 0
            m.f()
        def test_other(): m.f()
    ";
    check(files, |run| {
        let tests = ["test_inner", "test_subprocess", "test_main", "test_other"];
        assert_eq!(
            run.outcomes(),
            tests
                .map(|test| format!("passed test_m.py::{test}\n"))
                .concat()
        );
        for test in tests {
            assert_eq!(
                run.names(&format!("test_m.py::{test}")),
                set(&["f"]),
                "{test}"
            );
        }
    });
}

#[test]
fn warnings_as_errors_do_not_meet_the_tracer() {
    let mut project = Project::new(
        "
        //- m.py
        def f(): pass
        //- test_m.py
        import subprocess, sys
        import m
        def test_f(): m.f()
        def test_child(): subprocess.check_call([sys.executable, '-W', 'error', '-c', 'import m; m.f()'])
        ",
    );
    project.arguments = ["-W", "error"].map(str::to_owned).to_vec();
    let project = project.variable("PYTHONWARNINGS", "error");
    // pytest 8.3 itself warns on the oldest Python at start-up if all warnings are errors.
    check_project(&project, |run| {
        assert_eq!(run.names("test_m.py::test_f"), set(&["f"]));
        run.assert_no_losses();
    });
}

#[test]
fn coverage_measures_beside_the_tracer() {
    let files = "
        //- m.py
        def f(): return 1
        //- test_m.py
        import coverage
        import m
        def test_covered(tmp_path):
            measured = coverage.Coverage(data_file=str(tmp_path / 'data'))
            measured.start()
            m.f()
            measured.stop()
            assert measured.get_data().lines(m.__file__) == [1]
        def test_after(): m.f()
    ";
    for minor in [11, 13] {
        let Some(python) = environment(minor, &["pytest", "coverage"]) else {
            continue;
        };
        let run = Project::new(files).trace(&python, Recorder::Native);
        assert_eq!(
            run.outcomes(),
            "passed test_m.py::test_covered\npassed test_m.py::test_after\n"
        );
        assert_eq!(run.names("test_m.py::test_covered"), set(&["f"]));
        assert_eq!(run.names("test_m.py::test_after"), set(&["f"]));
        run.assert_no_losses();
    }
}

#[test]
fn a_test_may_use_other_tools_of_the_monitoring_interface() {
    let files = "
        //- m.py
        def f(): return 1
        //- test_m.py
        import sys
        import pytest
        import m
        @pytest.mark.skipif(sys.version_info < (3, 12), reason='no monitoring')
        def test_monitoring():
            monitoring, seen = sys.monitoring, []
            for tool in (0, 1, 2, 3, 5):
                monitoring.use_tool_id(tool, 'test')
                monitoring.register_callback(tool, monitoring.events.PY_START, lambda c, o: seen.append(c))
                monitoring.set_events(tool, monitoring.events.PY_START)
            m.f()
            for tool in (0, 1, 2, 3, 5):
                monitoring.set_events(tool, 0)
                monitoring.free_tool_id(tool)
            assert seen.count(m.f.__code__) == 5
        def test_profiler():
            import cProfile
            profile = cProfile.Profile()
            profile.runcall(m.f)
            assert any(entry.code is m.f.__code__ for entry in profile.getstats())
        def test_after(): m.f()
    ";
    let newest = newest()
        .into_iter()
        .flat_map(|python| [(python, Recorder::Native), (python, Recorder::Pure)]);
    for (python, recorder) in newest.filter(|(python, _)| python.minor >= 12) {
        let run = Project::new(files).trace(python, recorder);
        assert!(
            run.0
                .trace
                .tests
                .iter()
                .all(|test| test.outcome == Outcome::Passed),
            "{:#?}",
            run.0.trace.tests
        );
        for test in ["test_monitoring", "test_profiler", "test_after"] {
            assert_eq!(
                run.names(&format!("test_m.py::{test}")),
                set(&["f"]),
                "{test}"
            );
        }
        run.assert_no_losses();
    }
}

#[test]
fn code_reached_by_links_and_relative_paths_is_the_projects() {
    let project = Project::new(
        "
        //- real/linked.py
        def through_link(): pass
        //- script.py
        import threading
        def relative(): pass
        thread = threading.Thread(target=relative)
        thread.start()
        thread.join()
        //- test_m.py
        import os, subprocess, sys
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'link'))
        import linked
        def test_link(): linked.through_link()
        def test_script(): subprocess.check_call([sys.executable, 'script.py'])
        ",
    );
    std::os::unix::fs::symlink("real", project.root().join("link")).unwrap();
    check_project(&project, |run| {
        assert_eq!(
            run.executed("test_m.py::test_link"),
            set(&["real/linked.py:1", "test_m.py:4"])
        );
        assert_eq!(
            run.executed("test_m.py::test_script"),
            set(&["script.py:2", "test_m.py:5"])
        );
    });
}

#[test]
fn templates_that_look_like_python_files_are_foreign() {
    let files = "
        //- m.py
        def f(): pass
        //- page.html
        nothing
        //- test_m.py
        import m
        def render(name):
            names = {'f': m.f}
            exec(compile('def root():\\n    f()\\nroot()', name, 'exec'), names)
        def test_made_up(): render('page.py')
        def test_template(): render('page.html')
    ";
    check(files, |run| {
        let paths: BTreeSet<_> = run
            .0
            .trace
            .codes
            .iter()
            .map(|code| code.path.clone())
            .collect();
        assert_eq!(paths, set(&["m.py", "test_m.py"]));
        assert!(call_edges(run, "test_m.py::test_made_up").contains("render calls indirectly f"));
    });
}

#[test]
fn a_full_disk_costs_the_rest_of_the_trace_and_nothing_else() {
    let functions: String = (0..300).map(|n| format!("def f{n}(): pass\n")).collect();
    let project = Project::new(
        "
        //- test_m.py
        import resource
        import pytest
        import m
        resource.setrlimit(resource.RLIMIT_FSIZE, (300 * 1024, 300 * 1024))
        @pytest.mark.parametrize('n', range(150))
        def test_f(n):
            for name in range(300):
                getattr(m, 'f%d' % name)()
        ",
    );
    std::fs::write(project.root().join("m.py"), functions).unwrap();
    check_project(&project, |run| {
        assert_eq!(run.0.trace.tests.len(), 150);
        assert_eq!(run.names("test_m.py::test_f[0]").len(), 300);
        assert_eq!(
            run.0.trace.losses,
            ["a trace file could not grow: is the disk full?"]
        );
    });
}

#[test]
fn a_shadowed_sitecustomize_still_runs() {
    let project = Project::new(
        "
        //- site/sitecustomize.py
        import sys
        sys.customized = True
        //- test_m.py
        import sys
        def test_customized():
            assert sys.customized
            assert sys.modules['sitecustomize'].__file__.startswith(sys.path_of_site)
        //- conftest.py
        import os, sys
        sys.path_of_site = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'site')
        ",
    );
    let site = project.root().join("site").to_str().unwrap().to_owned();
    check_project(&project.variable("PYTHONPATH", &site), |run| {
        assert_eq!(run.0.trace.tests.len(), 1)
    });
}
