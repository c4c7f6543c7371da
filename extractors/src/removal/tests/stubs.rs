//! Functions that keep their header.

use expect_test::expect;

use super::{bytes, check, check_analysis};

#[test]
fn a_stub_keeps_decorators_header_and_documentation() {
    check(
        r#"
        //- m.py
        import functools
        import math


        @functools.cache
        def area(
            w,  # width
            h: int = 2,
        ) -> float:  # in metres
            """The area.

            Of a box.
            """

            # multiply
            def inner():
                return math.floor(w)

            return inner() * h
            # done


        def stay():
            return 1
        "#,
        "[stub] m.py::area",
        expect![[r#"
            //- m.py
            import functools


            @functools.cache
            def area(
                w,  # width
                h: int = 2,
            ) -> float:  # in metres
                """The area.

                Of a box.
                """
                raise NotImplementedError


            def stay():
                return 1
            imports: math (m.py)
        "#]],
    );
}

#[test]
fn a_stub_without_documentation_has_nothing_but_the_header() {
    check(
        r#"
        //- m.py
        class A:
            async def f(self):
                # why
                "The text."  # style
                return 1

            def g(self):
                """Only a text."""

            def h(self): return 1

            def i(self): "text"; return 1
        "#,
        "[bare] m.py::A.f [bare] m.py::A.g [bare] m.py::A.h [bare] m.py::A.i",
        expect![[r#"
            //- m.py
            class A:
                async def f(self):
                    raise NotImplementedError

                def g(self):
                    raise NotImplementedError

                def h(self): raise NotImplementedError

                def i(self): raise NotImplementedError
        "#]],
    );
}

#[test]
fn bodies_on_one_line_and_bodies_of_documentation_only_become_stubs() {
    check(
        r#"
        //- m.py
        class A:
            def f(self): return 1
            def g(self): "text"; return 1
            def h(self): "text"
            def i(self):
                """Only a text."""  # noqa
            def j(self):
                "text"; return 1
        "#,
        "[stub] m.py::A.f [stub] m.py::A.g [stub] m.py::A.h [stub] m.py::A.i [stub] m.py::A.j",
        expect![[r#"
            //- m.py
            class A:
                def f(self): raise NotImplementedError
                def g(self): "text"; raise NotImplementedError
                def h(self): "text"; raise NotImplementedError
                def i(self):
                    """Only a text."""  # noqa
                    raise NotImplementedError
                def j(self):
                    "text"
                    raise NotImplementedError
        "#]],
    );
}

#[test]
fn a_stub_uses_the_line_ends_and_tabs_of_its_file() {
    check_analysis(
        &bytes(&[
            ("m.py", "def f(x):␍\n\tif x:␍\n\t\treturn 1␍\n\treturn 2␍\n"),
            ("n.py", "def f():\n\treturn 1"),
        ]),
        "[stub] m.py::f [stub] n.py::f",
        expect![[r#"
            //- m.py
            def f(x):␍
            	raise NotImplementedError␍
            //- n.py
            def f():
            	raise NotImplementedError⏎
        "#]],
    );
}

#[test]
fn what_has_no_body_cannot_become_a_stub() {
    check(
        r#"
        //- m.py
        f = lambda: 1
        class A:
            pass
        "#,
        "[stub] m.py::f [stub] m.py::A",
        expect![[r#"
            problems: m.py::A was not removed: only a function can become a stub; delete it, m.py::f was not removed: only a function can become a stub; delete it
        "#]],
    );
}

#[test]
fn a_deleted_definition_inside_a_stub_is_gone_with_the_body() {
    check(
        r#"
        //- m.py
        def outer():
            def inner():
                return 1
            return inner
        "#,
        "[stub] m.py::outer m.py::outer.inner",
        expect![[r#"
            //- m.py
            def outer():
                raise NotImplementedError
        "#]],
    );
}

#[test]
fn what_is_a_stub_already_stays_as_it_is() {
    check(
        r#"
        //- m.py
        class A:
            def f(self):
                """To be overridden."""
                raise NotImplementedError("f")

            def g(self):
                ...

            def h(self):
                raise NotImplementedErrors

            def i(self):
                raise NotImplementedError()
                return 1
        "#,
        "[stub] m.py::A.f [stub] m.py::A.g [stub] m.py::A.h [stub] m.py::A.i",
        expect![[r#"
            //- m.py
            class A:
                def f(self):
                    """To be overridden."""
                    raise NotImplementedError("f")

                def g(self):
                    ...

                def h(self):
                    raise NotImplementedError

                def i(self):
                    raise NotImplementedError
            problems: m.py::A.f was not removed: its body says already that it is not implemented, m.py::A.g was not removed: its body says already that it is not implemented
        "#]],
    );
}
