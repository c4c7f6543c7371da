//! Documentation that loses the examples which are run as tests.

use expect_test::expect;

use super::check;

#[test]
fn documentation_keeps_its_prose_and_blocks_stay_valid() {
    check(
        r#"
        //- m.py
        """A module.

        >>> only()
        1
        """
        import math


        def f(x):
            """Twice.

            Examples
            --------
            >>> f(2)
            4

            Notes
            -----
            >>> f(
            ...     3)
            6

            It is fast.
            """
            return math.floor(2 * x)


        class E(Exception):
            """
            >>> E()
            E()
            """


        def g():
            '''>>> g()'''
            # nothing


        def h():
            r""">>> h()
            1"""
            return 1


        class Gone:
            """>>> Gone()"""

            def m(self):
                """>>> 1"""


        def stub():
            """Doc."""

            def inner():
                """>>> 1"""
        "#,
        "[examples] m.py [examples] m.py::f [examples] m.py::E [examples] m.py::g [examples] m.py::h
         m.py::Gone [examples] m.py::Gone.m [stub] m.py::stub [examples] m.py::stub.inner",
        expect![[r#"
            //- m.py
            """A module.
            """
            import math


            def f(x):
                """Twice.

                Notes
                -----

                It is fast.
                """
                return math.floor(2 * x)


            class E(Exception):
                pass


            def g():
                pass
                # nothing


            def h():
                return 1


            def stub():
                """Doc."""
                raise NotImplementedError
        "#]],
    );
}

#[test]
fn examples_that_are_not_there_are_a_problem() {
    check(
        r#"
        //- m.py
        def f():
            """Twice."""


        def g():
            "a" ">>> b"
        "#,
        "[examples] m.py::f [examples] m.py::g",
        expect![[r#"
            problems: m.py::f was not removed: its documentation has no examples that can be cut out, m.py::g was not removed: its documentation has no examples that can be cut out
        "#]],
    );
}
