//! What keeps a symbol from being deleted, and what leaves with held-back tests.

use crate::removal::Project;
use std::collections::BTreeSet;

use analyzer::symbol::SymbolId;
use expect_test::{Expect, expect};

use crate::removal::{blockers, test_removal};
use crate::testing::analysis;

fn ids(text: &str) -> BTreeSet<SymbolId> {
    text.split_whitespace().map(SymbolId::parse).collect()
}

#[track_caller]
fn check(fixture: &str, candidates: &str, gone: &str, expected: Expect) {
    let analysis = analysis(fixture);
    let blocked = blockers(
        &Project::new(&analysis),
        &ids(candidates),
        &ids(""),
        &ids(gone),
    );
    let mut out = String::new();
    for (id, places) in blocked {
        out += &format!("{id}\n");
        for place in places {
            let source = analysis.source(&place.path).unwrap();
            let line = source
                .shadow()
                .get(..place.range.start)
                .unwrap()
                .matches('\n')
                .count()
                + 1;
            let text = source.slice(place.range.clone()).to_owned();
            out += &format!(
                "  {}:{line} {text} {:?} from {}\n",
                place.path, place.kind, place.from
            );
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn code_that_stays_blocks_and_imports_removed_code_and_held_back_tests_do_not() {
    check(
        r#"
        //- core.py
        __all__ = ["f", "g", "h", "k"]
        def f(): return g()
        def g(): return h()
        def h(): return 1
        def k(): return 1
        //- user.py
        from core import f, g, k

        def stay():
            return g()
        //- tests/test_core.py
        from core import f
        def test_f():
            assert f()
        "#,
        "core.py::f core.py::g core.py::h core.py::k",
        "tests/test_core.py::test_f",
        expect![[r#"
            core.py::g
              user.py:4 g Call from user.py::stay
        "#]],
    );
}

#[test]
fn bases_decorators_annotations_and_defaults_of_what_stays_block() {
    check(
        r#"
        //- m.py
        from __future__ import annotations
        import functools

        class Base: pass
        class Typed: pass
        class Named: pass
        LIMIT = 3

        @functools.singledispatch
        def show(x): return 1

        @show.register
        def _show_int(x: int): return 2

        class Stay(Base):
            def f(self, a: Typed, b: "Named" = None, c=LIMIT): return 1
        "#,
        "m.py::Base m.py::Typed m.py::Named m.py::LIMIT m.py::show",
        "",
        expect![[r#"
            m.py::Base
              m.py:15 Base Base from m.py::Stay
            m.py::LIMIT
              m.py:16 LIMIT Default from m.py::Stay.f
            m.py::Named
              m.py:16 Named Annotation from m.py::Stay.f
            m.py::Typed
              m.py:16 Typed Annotation from m.py::Stay.f
            m.py::show
              m.py:12 show Decorator from m.py::_show_int
        "#]],
    );
}

#[test]
fn a_name_on_an_unknown_object_blocks_only_when_every_definition_of_it_goes() {
    check(
        r#"
        //- m.py
        class A:
            def unique(self): return 1
            def shared(self): return 1
        class B:
            def shared(self): return 1
        def stay(x):
            return x.unique() + x.shared()
        "#,
        "m.py::A.unique m.py::A.shared",
        "",
        expect![[r#"
            m.py::A.unique
              m.py:7 unique Call from m.py::stay
        "#]],
    );
}

#[test]
fn what_only_a_stubbed_body_needs_can_be_deleted() {
    check(
        r#"
        //- m.py
        def helper(): return 1
        def default(): return 2
        def f(x=default()): return helper()
        def stay(): return f()
        "#,
        "m.py::helper m.py::default m.py::f",
        "",
        expect![[r#"
            m.py::default
              m.py:3 default Default from m.py::f
            m.py::f
              m.py:4 f Call from m.py::stay
        "#]],
    );
}

// R7
#[test]
fn a_function_in_the_parameters_of_a_kept_test_keeps_its_name() {
    check(
        r#"
        //- core.py
        def f(): return 1
        class K:
            def go(self): return 1
        //- tests/test_core.py
        import pytest
        from core import K, f

        @pytest.mark.parametrize("fn", [f, K().go])
        def test_fn(fn):
            assert fn()

        def test_other():
            assert True
        "#,
        "core.py::f core.py::K.go",
        "tests/test_core.py::test_other",
        expect![[r#"
            core.py::K.go
              tests/test_core.py:4 go Read from tests/test_core.py::test_fn
            core.py::f
              tests/test_core.py:4 f Read from tests/test_core.py::test_fn
        "#]],
    );
}

// C4
#[test]
fn names_that_start_alike_are_different_symbols() {
    check(
        r#"
        //- m.py
        def parse_version(text): return parse(text)
        def parse(text): return par(text)
        def par(text): return text
        def stay(): return parse("1")
        "#,
        "m.py::parse_version m.py::parse m.py::par",
        "",
        expect![[r#"
            m.py::parse
              m.py:4 parse Call from m.py::stay
        "#]],
    );
}

#[track_caller]
fn check_tests(fixture: &str, tests: &str, held_back: &str, expected: Expect) {
    let plan = test_removal(
        &Project::new(&analysis(fixture)),
        &ids(tests),
        &ids(held_back),
    );
    let lines: Vec<String> = plan.actions.keys().map(ToString::to_string).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn helpers_classes_and_files_go_with_their_last_test() {
    check_tests(
        r#"
        //- tests/test_a.py
        import pytest
        VALUES = [1, 2]

        def helper(): return deeper()
        def deeper(): return 1
        def common(): return 1

        @pytest.fixture
        def fix(): return 1

        def test_one():
            assert helper() in VALUES and common()

        def test_two():
            assert common()

        class TestBox:
            def setup_method(self): self.x = 1
            def test_in(self): assert self.x
        //- tests/test_b.py
        def test_b(): assert True
        //- tests/test_c.py
        def shared(): return 1
        def test_c(): assert shared()
        //- tests/test_d.py
        from test_c import shared
        def test_d(): assert shared()
        "#,
        "tests/test_a.py::test_one tests/test_a.py::test_two tests/test_a.py::TestBox.test_in
         tests/test_b.py::test_b tests/test_c.py::test_c tests/test_d.py::test_d",
        "tests/test_a.py::test_one tests/test_a.py::TestBox.test_in tests/test_b.py::test_b tests/test_c.py::test_c",
        expect![[r#"
            tests/test_a.py::TestBox
            tests/test_a.py::VALUES
            tests/test_a.py::deeper
            tests/test_a.py::helper
            tests/test_a.py::test_one
            tests/test_b.py
            tests/test_c.py::test_c"#]],
    );
}

#[test]
fn a_fixture_stays_though_a_leaving_test_names_a_method_like_it() {
    check_tests(
        r#"
        //- tests/test_a.py
        import pytest

        @pytest.fixture
        def method(): return 1

        def test_one(method):
            assert method
        //- tests/test_b.py
        def helper(): return 1

        def test_two(box):
            assert box.method() and helper()
        "#,
        "tests/test_a.py::test_one tests/test_b.py::test_two",
        "tests/test_b.py::test_two",
        expect!["tests/test_b.py"],
    );
}

#[test]
fn what_foreign_code_makes_has_no_methods_of_the_project() {
    check(
        r#"
//- go.mod
module m
//- a.go
package m

import "net/http/httptest"

type Mux struct{}

func (m *Mux) ServeHTTP() {}

type gone struct{}

func (g *gone) Close() {}

func stay(m *Mux) {
	server := httptest.NewServer(m)
	server.Close()
	answer, _ := httptest.Get(server.URL)
	answer.Body.Close()
	m.ServeHTTP()
}
"#,
        "a.go::gone a.go::gone.Close a.go::Mux.ServeHTTP",
        "",
        expect![[r#"
            a.go::Mux.ServeHTTP
              a.go:18 ServeHTTP Call from a.go::stay
        "#]],
    );
}
