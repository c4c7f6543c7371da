//! Which calls are seen, and which part of the run they count to.

use analyzer::trace::{CodeKind, ContextKind, EdgeKind};
use harness::lang::python::tracer::Recorder;

use crate::support::{Project, call_edges, check, extremes, newest, set};

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
