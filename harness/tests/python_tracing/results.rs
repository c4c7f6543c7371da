//! What the runner reports: exact ids, outcomes, reasons, selections.

use std::collections::BTreeSet;

use analyzer::trace::Outcome;
use expect_test::expect;
use harness::lang::python::tracer::Recorder;

use crate::support::{Project, Run, environment, newest, outcome, pythons};

const OUTCOMES: &str = "
    //- helper.py
    def fail(): raise ValueError('no')
    //- test_m.py
    import pytest, unittest
    import helper
    def test_pass(): pass
    def test_fail(): helper.fail()
    def test_assert(): assert 1 == 2
    @pytest.mark.skip(reason='later')
    def test_skip(): pass
    def test_skip_inside(): pytest.skip('now')
    @pytest.mark.xfail(reason='known')
    def test_xfail(): assert 0
    @pytest.mark.xfail(reason='known')
    def test_xpass(): pass
    @pytest.mark.xfail(strict=True, reason='known')
    def test_strict(): pass
    @pytest.mark.xfail(run=False)
    def test_notrun(): pass
    @pytest.fixture
    def broken(): raise KeyError('setup')
    def test_setup(broken): pass
    @pytest.fixture
    def late():
        yield
        raise KeyError('teardown')
    def test_teardown(late): pass
    @pytest.mark.parametrize('a', ['1 - N', '2 - N', 'x::y', 'ü'])
    def test_id(a): assert a != '2 - N'
    class TestBox:
        class TestInner:
            def test_area(self): pass
    class Case(unittest.TestCase):
        def test_method(self): pass
        @unittest.expectedFailure
        def test_expected(self): self.fail()
        def test_subtests(self):
            for n in range(2):
                with self.subTest(n=n):
                    self.assertEqual(n, 0)
";

#[test]
fn outcomes_reasons_and_functions_are_exact() {
    let project = Project::new(OUTCOMES);
    let runs = pythons().iter().map(|python| report(&project.run(python)));
    let reports: BTreeSet<String> = runs.collect();
    expect![[r#"
        passed | test_m.py::test_pass | test_pass
        failed | test_m.py::test_fail | test_fail | ValueError | no | test_m.py:4:test_fail helper.py:1:fail
        failed | test_m.py::test_assert | test_assert | AssertionError | assert 1 == 2 | test_m.py:5:test_assert
        skipped | test_m.py::test_skip | test_skip | Skipped | later
        skipped | test_m.py::test_skip_inside | test_skip_inside | Skipped | now | test_m.py:8:test_skip_inside
        xfailed | test_m.py::test_xfail | test_xfail | AssertionError | assert 0 | test_m.py:10:test_xfail
        xpassed | test_m.py::test_xpass | test_xpass |  | known
        failed | test_m.py::test_strict | test_strict |  | [XPASS(strict)] known
        xfailed | test_m.py::test_notrun | test_notrun | XFailed | [NOTRUN]
        error | test_m.py::test_setup | test_setup | KeyError | 'setup' | test_m.py:18:broken
        error | test_m.py::test_teardown | test_teardown | KeyError | 'teardown' | test_m.py:23:late
        passed | test_m.py::test_id[1 - N] | test_id
        failed | test_m.py::test_id[2 - N] | test_id | AssertionError | assert '2 - N' != '2 - N' | test_m.py:26:test_id
        passed | test_m.py::test_id[x::y] | test_id
        passed | test_m.py::test_id[\xfc] | test_id
        passed | test_m.py::TestBox::TestInner::test_area | TestBox.TestInner.test_area
        xfailed | test_m.py::Case::test_expected | Case.test_expected | XFailed
        passed | test_m.py::Case::test_method | Case.test_method
        failed | test_m.py::Case::test_subtests | Case.test_subtests | AssertionError | 1 != 0 | test_m.py:37:test_subtests
    "#]].assert_eq(&Vec::from_iter(reports).join("----\n"));
}

/// A line for each test: outcome, id, function, exception, first line of the message, frames.
fn report(run: &Run) -> String {
    let mut text = String::new();
    for test in &run.0.trace.tests {
        let detail = test.detail.clone().unwrap_or_default();
        let frames = detail
            .frames
            .iter()
            .map(|(path, line, name)| format!("{path}:{line}:{name}"));
        let frames = frames.collect::<Vec<_>>().join(" ");
        let message = detail.message.lines().next().unwrap_or_default();
        let fields = [
            outcome(test.outcome),
            &test.id,
            &test.function,
            &detail.exception,
            message,
            &frames,
        ];
        text += fields.join(" | ").trim_end_matches([' ', '|']);
        text.push('\n');
    }
    text
}

#[test]
fn traced_and_untraced_results_are_the_same() {
    let project = Project::new(OUTCOMES);
    for python in pythons() {
        let plain = project.run(python);
        assert!(plain.0.trace.contexts.is_empty() && plain.0.trace.processes == 0);
        assert_eq!(
            plain.outcomes(),
            project.trace(python, Recorder::Native).outcomes()
        );
    }
}

#[test]
fn old_versions_of_pytest_work() {
    for (minor, pytest) in [
        (8, "pytest==6.2.5"),
        (9, "pytest==6.2.5"),
        (11, "pytest==7.4.4"),
        (12, "pytest==8.0.2"),
    ] {
        let (Some(old), Some(new)) = (
            environment(minor, &[pytest]),
            environment(minor, &["pytest"]),
        ) else {
            continue;
        };
        let project = Project::new(OUTCOMES);
        // Newer versions know sub-tests of unittest.
        let known = |outcomes: String| {
            outcomes.replace(
                "passed test_m.py::Case::test_subtests",
                "failed test_m.py::Case::test_subtests",
            )
        };
        assert_eq!(
            known(project.trace(&old, Recorder::Native).outcomes()),
            known(project.run(&new).outcomes())
        );
    }
}

const SELECTABLE: &str = "
    //- pytest.ini
    [pytest]
    testpaths = tests
    //- tests/test_b.py
    def test_2(): pass
    def test_1(): pass
    //- tests/sub/test_a.py
    import pytest
    @pytest.mark.parametrize('x', ['1', '1 2'])
    def test_x(x): pass
    //- tests/test_broken.py
    import nothing_like_this
";

#[test]
fn exactly_the_tests_with_the_given_ids_run_in_the_runners_order() {
    let Some(python) = newest() else { return };
    let ids = [
        "tests/test_b.py::test_1",
        "tests/test_b.py::test_2",
        "tests/sub/test_a.py::test_x[1]",
        "tests/none.py::x",
    ];
    let run = Project::new(SELECTABLE).ids(&ids).run(python);
    expect![[r#"
        passed tests/sub/test_a.py::test_x[1]
        passed tests/test_b.py::test_2
        passed tests/test_b.py::test_1
    "#]]
    .assert_eq(&run.outcomes());
    assert!(
        run.0.trace.collection_errors.is_empty(),
        "other files are not even imported"
    );
}

#[test]
fn the_tests_of_the_given_paths_run() {
    let Some(python) = newest() else { return };
    let run = Project::new(SELECTABLE).paths(&["tests/sub"]).run(python);
    expect![[r#"
        passed tests/sub/test_a.py::test_x[1]
        passed tests/sub/test_a.py::test_x[1 2]
    "#]]
    .assert_eq(&run.outcomes());
}

#[test]
fn a_file_that_cannot_be_collected_is_reported_and_the_others_run() {
    for python in pythons() {
        let run = Project::new(SELECTABLE).run(python);
        assert_eq!(run.0.trace.tests.len(), 4);
        let [error] = run.0.trace.collection_errors.as_slice() else {
            panic!("{:#?}", run.0.trace.collection_errors);
        };
        assert_eq!(error.path, "tests/test_broken.py");
        assert_eq!(error.detail.exception, "ModuleNotFoundError");
        assert_eq!(error.detail.message, "No module named 'nothing_like_this'");
        assert_eq!(
            error.detail.frames,
            [("tests/test_broken.py".to_owned(), 1, "<module>".to_owned())]
        );
    }
}

#[test]
fn a_session_that_cannot_start_fails_the_tests_asked_for() {
    let Some(python) = newest() else { return };
    let files = "
        //- conftest.py
        import nothing_like_this
        //- test_m.py
        def test_x(): pass
    ";
    let run = Project::new(files).ids(&["test_m.py::test_x"]).run(python);
    assert_eq!(run.outcomes(), "error test_m.py::test_x\n");
    let [error] = run.0.trace.collection_errors.as_slice() else {
        panic!("{:#?}", run.0.trace.collection_errors);
    };
    assert!(
        error.detail.message.contains("nothing_like_this"),
        "{}",
        error.detail.message
    );
}

#[test]
fn options_that_stop_or_filter_by_earlier_results_do_not_lose_tests() {
    let Some(python) = newest() else { return };
    let files = "
        //- pytest.ini
        [pytest]
        addopts = -x --lf -q
        //- test_m.py
        def test_1(): assert 0
        def test_2(): pass
    ";
    let run = Project::new(files).run(python);
    assert_eq!(
        run.outcomes(),
        "failed test_m.py::test_1\npassed test_m.py::test_2\n"
    );
}

#[test]
fn plugins_that_reorder_or_repeat_tests_are_harmless() {
    let Some(newest) = newest() else { return };
    let files = "
        //- pytest.ini
        [pytest]
        addopts = --reruns 2 --random-order --cov=m --cov-fail-under=100
        //- m.py
        //- test_m.py
        import pytest
        seen = []
        def test_1():
            seen.append(1)
            assert 0
        def test_2(): assert seen == [1]
        def test_3(): pass
        @pytest.mark.flaky(reruns=1)
        def test_4():
            seen.append(4)
            assert seen.count(4) == 2
    ";
    let packages = [
        "pytest<9",
        "pytest-randomly",
        "pytest-random-order",
        "pytest-rerunfailures",
        "pytest-cov",
    ];
    let Some(python) = environment(newest.minor, &packages) else {
        return;
    };
    let run = Project::new(files).trace(&python, Recorder::Native);
    expect![[r#"
        failed test_m.py::test_1
        passed test_m.py::test_2
        passed test_m.py::test_3
        passed test_m.py::test_4
    "#]]
    .assert_eq(&run.outcomes());
}

#[test]
fn doctests_are_tests_without_a_function() {
    let Some(python) = newest() else { return };
    let mut project = Project::new(
        "
        //- m.py
        def f():
            '''
            >>> f()
            1
            '''
            return 1
        //- docs/page.txt
        >>> 1 + 1
        3
        ",
    );
    project.arguments = ["--doctest-modules", "--doctest-glob=*.txt"]
        .map(str::to_owned)
        .to_vec();
    let run = project.trace(python, Recorder::Native);
    assert_eq!(
        run.outcomes(),
        "failed docs/page.txt::page.txt\npassed m.py::m.f\n"
    );
    let test = run.test("m.py::m.f");
    assert_eq!((test.path.as_str(), test.function.as_str()), ("m.py", ""));
    assert!(run.names("m.py::m.f").contains("f"));
}

#[test]
fn a_function_is_named_by_the_file_that_collects_it_and_by_its_origin() {
    let Some(python) = newest() else { return };
    let files = "
        //- base.py
        class Base:
            def test_inherited(self): pass
        def test_imported(): pass
        //- test_m.py
        import functools
        from base import Base, test_imported
        def plain(f):
            def wrapper(): return f()
            return wrapper
        def wrapping(f):
            @functools.wraps(f)
            def wrapper(): return f()
            return wrapper
        class Local:
            def test_local(self): pass
        class TestChild(Local, Base):
            def test_own(self): pass
        @plain
        def test_plain(): pass
        @wrapping
        def test_wrapped(): pass
    ";
    let run = Project::new(files).run(python);
    let line = |test: &analyzer::trace::TestResult| {
        let origin = test.origin.as_ref().map(|id| format!(" from {id}"));
        let origin = origin.unwrap_or_default();
        format!("{} -> {}{origin}\n", test.id, test.function)
    };
    let text: String = run.0.trace.tests.iter().map(line).collect();
    expect![[r#"
        test_m.py::test_imported -> 
        test_m.py::TestChild::test_inherited -> TestChild.test_inherited from base.py::Base.test_inherited
        test_m.py::TestChild::test_local -> TestChild.test_local from test_m.py::Local.test_local
        test_m.py::TestChild::test_own -> TestChild.test_own
        test_m.py::test_plain -> test_plain
        test_m.py::test_wrapped -> test_wrapped
    "#]]
    .assert_eq(&text);
}

#[test]
fn where_the_projects_modules_came_from_is_told() {
    let Some(python) = newest() else { return };
    let project = Project::new(
        "
        //- src/shop/__init__.py
        //- pytest.ini
        [pytest]
        pythonpath = src
        //- tests/test_m.py
        import json, shop
        def test_x(): pass
        ",
    );
    let run = project.run(python);
    let root = project.root().canonicalize().unwrap();
    let expected = [("shop", "src/shop/__init__.py")];
    let expected = expected.map(|(name, path)| (name.to_owned(), root.join(path)));
    assert_eq!(run.0.imported_from, expected);
}

#[test]
fn texts_that_are_no_unicode_are_reported() {
    let Some(python) = newest() else { return };
    let files = r"
        //- test_m.py
        import pytest
        def test_half(): raise ValueError('half \udce4 whole \U0001f600')
        @pytest.mark.parametrize('name', ['\udce4'])
        def test_name(name): pass
    ";
    let run = Project::new(files).trace(python, Recorder::Native);
    let detail = run.test("test_m.py::test_half").detail.clone().unwrap();
    assert_eq!(detail.message, "half ? whole 😀");
    let ids = run
        .0
        .trace
        .tests
        .iter()
        .map(|test| (test.outcome, test.contexts.len()));
    assert_eq!(
        ids.collect::<Vec<_>>(),
        [(Outcome::Failed, 1), (Outcome::Passed, 1)]
    );
}

const ELSEWHERE: &str = "
    //- pytest.ini
    [pytest]
    testpaths = tests
    //- tests/test_known.py
    def test_known(): pass
    //- tests/checks.py
    def test_by_another_name(): pass
    //- more/conftest.py
    import pytest
    def pytest_addoption(parser): parser.addoption('--size', default='small')
    @pytest.fixture
    def size(request): return request.config.getoption('--size')
    //- more/test_more.py
    def test_more(size): assert size == 'small'
";

#[test]
fn paths_may_lie_where_pytest_would_not_look_and_have_names_that_it_does_not_know() {
    let check = |paths: &[&str], expected: &[&str]| {
        let project = Project::new(ELSEWHERE).paths(paths);
        for python in pythons() {
            let run = project.run(python);
            let tests = run.0.trace.tests.iter();
            let good = tests.filter(|test| test.outcome == Outcome::Passed);
            let ids: Vec<&str> = good.map(|test| test.id.as_str()).collect();
            assert_eq!(ids, expected, "{paths:?}");
        }
    };
    check(&["tests"], &["tests/test_known.py::test_known"]);
    check(&["more"], &["more/test_more.py::test_more"]);
    check(
        &["more/test_more.py", "tests"],
        &[
            "tests/test_known.py::test_known",
            "more/test_more.py::test_more",
        ],
    );
    check(
        &["tests/checks.py", "tests/test_known.py"],
        &[
            "tests/checks.py::test_by_another_name",
            "tests/test_known.py::test_known",
        ],
    );
    let ids = ["more/test_more.py::test_more"];
    for python in pythons() {
        let run = Project::new(ELSEWHERE).ids(&ids).run(python);
        assert_eq!(run.test(ids[0]).outcome, Outcome::Passed);
    }
}
