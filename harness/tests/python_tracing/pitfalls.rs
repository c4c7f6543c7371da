//! Small projects on which tracers go wrong.

use analyzer::trace::{CodeKind, ContextKind, EdgeKind, Outcome, Phase};
use harness::lang::python::tracer::Recorder;

use crate::support::{Project, Run, check, check_project, environment, extremes, newest, set};

/// Edges of the call phase of a test.
fn call_edges(run: &Run, test: &str) -> std::collections::BTreeSet<String> {
    run.edges_in(&ContextKind::Test {
        test: test.to_owned(),
        phase: Phase::Call,
    })
}

#[test]
fn methods_of_the_same_name_are_told_apart() {
    let files = "
        //- m.py
        class A:
            def __init__(self): pass
            def run(self): pass
        class B:
            def __init__(self): pass
            def run(self): pass
        //- test_m.py
        import m
        def test_a(): m.A().run()
    ";
    check(files, |run| {
        let lines = run.executed("test_m.py::test_a");
        let lines: Vec<_> = lines
            .iter()
            .filter(|place| place.starts_with("m.py:") && !place.ends_with(":A"))
            .collect();
        assert_eq!(lines, ["m.py:2", "m.py:3"]);
    });
}

#[test]
fn only_the_definition_that_ran_is_recorded() {
    let files = "
        //- m.py
        import sys
        if sys.version_info >= (3, 0):
            def f(): pass
        else:
            def f(): pass
        //- test_m.py
        import m
        def test_f(): m.f()
    ";
    check(files, |run| {
        assert_eq!(
            run.executed("test_m.py::test_f"),
            set(&["m.py:3", "test_m.py:2"])
        );
    });
}

#[test]
fn reading_a_property_runs_its_getter_only() {
    let files = "
        //- m.py
        class P:
            def __init__(self): self._x = 1

            @property
            def x(self): return self._x

            @x.setter
            def x(self, value): self._x = value
        //- test_m.py
        import m
        p = m.P()
        def test_x(): assert p.x == 1
    ";
    check(files, |run| {
        assert_eq!(
            run.executed("test_m.py::test_x"),
            set(&["m.py:4", "test_m.py:3"])
        );
    });
}

#[test]
fn calls_in_generator_expressions_lambdas_and_through_builtins_are_seen() {
    let files = "
        //- m.py
        def f(x): return x
        def g(x): return x
        def h(x): return x
        //- test_m.py
        from m import f, g, h
        def test_all():
            list(f(i) for i in [1])
            (lambda x: g(x))(1)
            list(map(h, [1]))
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_all"), set(&["f", "g", "h"]));
        let edges = call_edges(run, "test_m.py::test_all");
        for edge in [
            "<genexpr> calls f",
            "<lambda> calls g",
            "test_all calls h",
            "test_all resumes <genexpr>",
        ] {
            assert!(edges.contains(edge), "{edge} in {edges:#?}");
        }
    });
}

#[test]
fn what_a_fixture_runs_belongs_to_the_tests_that_use_it() {
    let files = "
        //- m.py
        class Client:
            def __init__(self): self._boot()
            def _boot(self): self.n = 1
        //- test_m.py
        import pytest
        import m
        @pytest.fixture
        def client(): return m.Client()
        @pytest.fixture(scope='module')
        def shared(): return m.Client()
        def test_n(client): assert client.n
        def test_first(shared): assert shared.n
        def test_second(shared): assert shared.n
        def test_none(): pass
    ";
    check(files, |run| {
        for test in ["test_n", "test_first", "test_second"] {
            assert_eq!(
                run.names(&format!("test_m.py::{test}")),
                set(&["__init__", "_boot"])
            );
        }
        assert_eq!(run.names("test_m.py::test_none"), set(&[]));
        let fixture = ContextKind::Fixture {
            name: "test_m.py::shared[module]".to_owned(),
        };
        assert!(run.edges_in(&fixture).contains("shared calls __init__"));
    });
}

#[test]
fn what_a_child_process_runs_belongs_to_the_test_that_started_it() {
    let files = "
        //- m.py
        def f(): return g()
        def g(): return 1
        //- cli.py
        import m
        def main(): m.f()
        main()
        //- test_m.py
        import subprocess, sys
        def test_script(): subprocess.check_call([sys.executable, 'cli.py'])
        def test_other(): pass
    ";
    check(files, |run| {
        // `main` runs below the script's module body, like everything that an import runs.
        let script = ContextKind::Import {
            path: "cli.py".to_owned(),
        };
        let expected = [
            "- calls indirectly <module>",
            "<module> calls main",
            "main calls f",
            "f calls g",
        ];
        assert_eq!(run.edges_in(&script), set(&expected));
        assert_eq!(run.0.trace.processes, 2);
        run.assert_no_losses();
    });
}

#[test]
fn a_child_is_told_the_test_it_works_for() {
    let files = "
        //- m.py
        def f(): return 1
        //- test_m.py
        import subprocess, sys, threading
        import m
        CODE = 'import threading, m; t = threading.Thread(target=m.f); t.start(); t.join(); m.f()'
        def test_one(): subprocess.check_call([sys.executable, '-c', CODE])
        def test_other(): pass
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_one"), set(&["f"]));
        assert_eq!(run.names("test_m.py::test_other"), set(&[]));
    });
}

#[test]
fn what_a_thread_runs_belongs_to_the_test_that_started_it() {
    let files = "
        //- m.py
        def work(): helper()
        def helper(): pass
        //- test_m.py
        import threading
        import m
        def test_thread():
            thread = threading.Thread(target=m.work)
            thread.start()
            thread.join()
        def test_other(): pass
    ";
    check(files, |run| {
        let edges = call_edges(run, "test_m.py::test_thread");
        assert!(
            edges.contains("- calls indirectly work") && edges.contains("work calls helper"),
            "{edges:#?}"
        );
        assert_eq!(run.names("test_m.py::test_other"), set(&[]));
    });
}

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
        let paths: std::collections::BTreeSet<_> = run
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
fn classes_without_code_of_their_own_are_seen_where_the_interpreter_tells() {
    let files = "
        //- m.py
        import collections, dataclasses, enum
        @dataclasses.dataclass
        class Point:
            x: int
        class Color(enum.Enum):
            RED = 1
        Pair = collections.namedtuple('Pair', 'a b')
        //- test_m.py
        import m
        def test_p(): assert m.Point(1) == m.Point(1)
        def test_c(): assert m.Color(1) is m.Color.RED
        def test_n(): m.Pair(1, 2)
        def test_foreign(): dict(a=1)
    ";
    check(files, |run| {
        let classes = |test: &str| {
            let edges = run.edges_of(&format!("test_m.py::{test}"));
            let classes = edges
                .into_iter()
                .filter(|edge| edge.kind == EdgeKind::Instantiate);
            classes.map(|edge| run.describe(edge)).collect::<Vec<_>>()
        };
        let monitored = run
            .0
            .trace
            .edges
            .iter()
            .any(|edge| edge.kind == EdgeKind::Instantiate);
        if monitored {
            assert_eq!(classes("test_p"), ["test_p instantiates Point"]);
            assert_eq!(classes("test_c"), ["test_c instantiates Color"]);
            assert_eq!(classes("test_n"), ["test_n instantiates Pair"]);
        }
        assert_eq!(classes("test_foreign"), [""; 0]);
    });
    let newest = newest().is_some_and(|python| python.minor >= 12);
    let seen = extremes().any(|(python, recorder)| {
        let run = Project::new(files).trace(python, recorder);
        run.0
            .trace
            .codes
            .iter()
            .any(|code| code.kind == CodeKind::Class)
    });
    assert_eq!(seen, newest);
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
fn throwing_into_a_generator_runs_it() {
    let files = "
        //- m.py
        def gen():
            try:
                yield 1
            except KeyError:
                caught()
                yield 2
        def caught(): pass
        //- test_m.py
        import m
        G = m.gen()
        next(G)
        def test_throw(): G.throw(KeyError())
    ";
    check(files, |run| {
        let edges = call_edges(run, "test_m.py::test_throw");
        assert!(
            edges.contains("test_throw resumes gen") && edges.contains("gen calls caught"),
            "{edges:#?}"
        );
    });
}

#[test]
fn the_creator_and_the_consumer_of_a_generator_are_told_apart() {
    let files = "
        //- m.py
        def gen(): yield 1
        def make(): return gen()
        def consume(g): return list(g)
        //- test_m.py
        import m
        def test_gen(): m.consume(m.make())
    ";
    check(files, |run| {
        let edges = call_edges(run, "test_m.py::test_gen");
        assert!(edges.contains("consume resumes gen"), "{edges:#?}");
        let monitored = run
            .0
            .trace
            .edges
            .iter()
            .any(|edge| edge.kind == EdgeKind::Create);
        assert_eq!(edges.contains("make creates gen"), monitored, "{edges:#?}");
    });
}

#[test]
fn the_recursion_limit_is_reached_as_without_a_tracer() {
    let files = "
        //- m.py
        def endless(n): return endless(n + 1)
        def handle():
            try:
                endless(0)
            except RecursionError:
                return late()
        def late(): return 1
        //- test_m.py
        import m
        def test_overflow(): assert m.handle() == 1
        def test_after(): m.late()
    ";
    for (python, recorder) in extremes() {
        let run = Project::new(files).trace(python, recorder);
        assert_eq!(
            run.outcomes(),
            "passed test_m.py::test_overflow\npassed test_m.py::test_after\n"
        );
        assert_eq!(run.names("test_m.py::test_after"), set(&["late"]));
        // The interpreter drops a profile function in Python that fails, as it must at the limit.
        let whole = recorder == Recorder::Native || python.minor >= 12;
        let seen = run.names("test_m.py::test_overflow");
        assert_eq!(seen.contains("late"), whole, "{python:?} {recorder:?}");
        assert_eq!(
            run.0.trace.losses.is_empty(),
            whole,
            "{:?}",
            run.0.trace.losses
        );
    }
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
        let paths: std::collections::BTreeSet<_> = run
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
fn imports_are_kept_apart_from_the_test_that_causes_them() {
    let files = "
        //- m.py
        def lazily():
            import late
            return late.f()
        def helper(): pass
        //- late.py
        import m
        m.helper()
        class K:
            m.helper()
        def f(): pass
        //- test_m.py
        import m
        def test_lazy(): m.lazily()
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_lazy"), set(&["lazily", "f"]));
        let import = ContextKind::Import {
            path: "late.py".to_owned(),
        };
        let expected = [
            "lazily calls indirectly <module>",
            "<module> calls helper",
            "<module> calls K",
            "K calls helper",
        ];
        assert_eq!(run.edges_in(&import), set(&expected));
    });
}

#[test]
fn a_thread_that_runs_during_an_import_does_not_count_to_it() {
    let files = "
        //- m.py
        def work(): pass
        //- slow.py
        import threading
        import m
        thread = threading.Thread(target=m.work)
        thread.start()
        thread.join()
        def after(): pass
        after()
        //- test_m.py
        import m
        def test_import():
            import slow
    ";
    check(files, |run| {
        assert_eq!(run.names("test_m.py::test_import"), set(&["work"]));
        let import = ContextKind::Import {
            path: "slow.py".to_owned(),
        };
        assert!(run.edges_in(&import).contains("<module> calls after"));
    });
}

#[test]
fn collection_has_contexts_of_its_own() {
    let files = "
        //- m.py
        def cases(): return [1]
        //- conftest.py
        import m
        def pytest_generate_tests(metafunc):
            metafunc.parametrize('x', m.cases())
        //- test_m.py
        def test_x(x): pass
    ";
    check(files, |run| {
        let collect = ContextKind::Collect {
            path: "test_m.py".to_owned(),
        };
        assert!(
            run.edges_in(&collect)
                .contains("pytest_generate_tests calls cases")
        );
        assert_eq!(run.names("test_m.py::test_x[1]"), set(&[]));
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
