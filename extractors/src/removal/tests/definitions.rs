//! Definitions that go, and what goes or stays around them.

use expect_test::expect;

use super::{bytes, check, check_analysis};

// M4
#[test]
fn line_ends_byte_order_mark_form_feeds_and_a_missing_last_line_end_survive() {
    check_analysis(
        &bytes(&[(
            "m.py",
            "⌁x = 1␍\n␍\ndef b():␍\n    return 2␍\n␍\n␌␍\ndef c():␍\n    return 3",
        )]),
        "m.py::b",
        expect![[r#"
            //- m.py
            ⌁x = 1␍
            ␍
            ␌␍
            def c():␍
                return 3⏎
        "#]],
    );
}

#[test]
fn a_file_in_another_encoding_keeps_its_bytes() {
    let text = b"# -*- coding: latin-1 -*-\nA = '\xe9'\n\ndef f():\n    return '\xe8'\n".to_vec();
    let before = crate::testing::analysis_of([("m.py".to_owned(), text)]);
    check_analysis(
        &before,
        "m.py::f",
        expect![[r#"
        //- m.py
        # -*- coding: latin-1 -*-
        A = 'é'
    "#]],
    );
}

#[test]
fn files_that_do_not_parse_are_never_edited() {
    check(
        r#"
        //- m.py
        def f():
            return 1

        def broken(:
        //- n.py
        def g():
            return 1
        "#,
        "m.py::f n.py::g n.py::nothing",
        expect![[r#"
            //- n.py
            problems: m.py::f was not removed: its file has syntax errors or unreadable bytes, n.py::nothing was not removed: there is no such symbol
        "#]],
    );
}

// M7
#[test]
fn overload_stubs_go_with_their_implementation() {
    check(
        r#"
        //- m.py
        from typing import overload

        @overload
        def conv(x: int) -> int: ...
        @overload
        def conv(x: str) -> str: ...
        def conv(x):
            return x

        def stay():
            return 1
        "#,
        "m.py::conv",
        expect![[r#"
            //- m.py
            def stay():
                return 1
            imports: overload (m.py)
        "#]],
    );
}

// M8
#[test]
fn the_setter_and_deleter_go_with_the_getter() {
    check(
        r#"
        //- m.py
        class P:
            def __init__(self):
                self._x = 1

            @property
            def x(self):
                return self._x

            @x.setter
            def x(self, value):
                self._x = value

            @x.deleter
            def x(self):
                del self._x
        "#,
        "m.py::P.x",
        expect![[r#"
            //- m.py
            class P:
                def __init__(self):
                    self._x = 1
        "#]],
    );
}

// M9
#[test]
fn both_definitions_of_a_condition_go_and_the_condition_with_them() {
    check(
        r#"
        //- m.py
        import sys

        if sys.version_info >= (3, 8):
            def f():
                return 1
        else:
            def f():
                return 2

        def stay():
            return 3
        "#,
        "m.py::f m.py::f#2",
        expect![[r#"
            //- m.py
            def stay():
                return 3
            imports: sys (m.py)
        "#]],
    );
}

#[test]
fn the_branch_that_loses_its_only_definition_gets_a_pass() {
    check(
        r#"
        //- m.py
        import sys

        if sys.version_info >= (3, 8):
            # the usual case
            def f():
                return 1
        else:
            def f():
                return 2
        "#,
        "m.py::f",
        expect![[r#"
            //- m.py
            import sys

            if sys.version_info >= (3, 8):
                pass
            else:
                def f():
                    return 2
        "#]],
    );
}

// M12
#[test]
fn comments_go_with_what_they_belong_to_and_no_blank_run_grows() {
    check(
        r#"
        //- shop.py
        #!/usr/bin/env python
        # Licence: do what you like.
        import os


        #: The unit of every length.
        UNIT = "m"


        # ---------------
        # Areas, computed.
        # ---------------
        def area(w, h):
            return w * h
            # the end of area


        # A section of its own.

        # About volume.
        def volume(a):
            return a ** 3


        print(UNIT, os.name)
        "#,
        "shop.py::area shop.py::volume",
        expect![[r#"
            //- shop.py
            #!/usr/bin/env python
            # Licence: do what you like.
            import os


            #: The unit of every length.
            UNIT = "m"


            # A section of its own.


            print(UNIT, os.name)
        "#]],
    );
}

// M12
#[test]
fn an_emptied_class_keeps_its_comments_and_a_body_in_the_right_place() {
    check(
        r#"
        //- m.py
        class Empty:
            # leading

            # about f
            def f(self):
                return 1

            # trailing


        class Documented:
            """Has a text."""

            def f(self):
                return 1

            x = 1
        "#,
        "m.py::Empty.f m.py::Documented.f m.py::Documented.x",
        expect![[r#"
            //- m.py
            class Empty:
                # leading

                pass

                # trailing


            class Documented:
                """Has a text."""
        "#]],
    );
}

// M17
#[test]
fn headers_with_a_comment_behind_them_keep_a_valid_body() {
    check(
        r#"
        //- m.py
        class B(object):  # note
            def f(self):
                return 1

        def g(x):
            if x:
                return 1
            return 2

        while g(0):  # again
            y = 1  # why
            z = 2
        "#,
        "m.py::B.f m.py::y m.py::z",
        expect![[r#"
            //- m.py
            class B(object):  # note
                pass

            def g(x):
                if x:
                    return 1
                return 2

            while g(0):  # again
                pass
        "#]],
    );
}

#[test]
fn statements_that_share_a_line_are_cut_apart() {
    check(
        r#"
        //- m.py
        class A: x = 1
        class B: x = 1; y = 2
        class C: x = 1; y = 2  # two
        a = 1; b = 2; c = 3
        d = 4; e = 5;  # both
        if a: f = 6; g = 7
        print(b)
        "#,
        "m.py::A.x m.py::B.x m.py::C.y m.py::c m.py::d m.py::e m.py::f",
        expect![[r#"
            //- m.py
            class A: pass
            class B: y = 2
            class C: x = 1  # two
            a = 1; b = 2
            if a: g = 7
            print(b)
        "#]],
    );
}

#[test]
fn decorators_nested_definitions_and_whole_classes_go() {
    check(
        r#"
        //- m.py
        import functools


        class Box:
            size: int = 3

            @staticmethod
            @functools.cache
            def area(w):
                def inner():
                    return w
                return inner()

            def stay(self):
                return self.size


        @functools.total_ordering
        class Gone:
            def __lt__(self, other):
                return True


        END = 1
        "#,
        "m.py::Box.area m.py::Gone m.py::Gone.__lt__",
        expect![[r#"
            //- m.py
            class Box:
                size: int = 3

                def stay(self):
                    return self.size


            END = 1
            imports: functools (m.py)
        "#]],
    );
}

#[test]
fn the_first_and_the_last_definition_leave_no_blank_lines_behind() {
    check(
        r#"
        //- m.py
        class A:

            def first(self):
                return 1

            def middle(self):
                return 2

            def last(self):
                return 3


        def stay():
            return 4


        def end():
            return 5
        //- only.py
        def f():
            return 1
        "#,
        "m.py::A.first m.py::A.last m.py::end only.py::f",
        expect![[r#"
            //- m.py
            class A:

                def middle(self):
                    return 2


            def stay():
                return 4
            //- only.py
        "#]],
    );
}

#[test]
fn a_name_that_is_bound_inside_another_statement_is_refused() {
    check(
        r#"
        //- m.py
        a, b = 1, 2
        c = d = 3
        "#,
        "m.py::a m.py::c m.py::d",
        expect![[r#"
            //- m.py
            a, b = 1, 2
            problems: m.py::a was not removed: its statement also defines a name that stays
        "#]],
    );
}

#[test]
fn a_deleted_module_is_a_file_that_goes() {
    check(
        r#"
        //- pkg/__init__.py
        from . import core
        from .util import helper
        //- pkg/core.py
        def f():
            return 1
        //- pkg/util.py
        def helper():
            return 1
        "#,
        "pkg/core.py",
        expect![[r#"
            //- pkg/__init__.py
            from .util import helper
            //- pkg/core.py is gone
            imports: core (pkg/__init__.py)
        "#]],
    );
}

#[test]
fn branches_of_one_statement_become_empty_one_by_one_or_together() {
    check(
        r#"
        //- m.py
        def probe(): return 1

        if probe():
            def a(): return 1
        elif probe() > 2:
            x = 1
        else:
            def a(): return 2

        try:
            import fast
        except ImportError:
            def b(): return 1
        else:
            def b(): return 2
        finally:
            def c(): return 3

        class K:
            if True:
                def d(self): return 1
            with open("f") as f:
                y = 2
            z = 3
        print(fast)
        "#,
        "m.py::a m.py::a#2 m.py::b m.py::b#2 m.py::c m.py::K.d m.py::K.y",
        expect![[r#"
            //- m.py
            def probe(): return 1

            if probe():
                pass
            elif probe() > 2:
                x = 1
            else:
                pass

            try:
                import fast
            except ImportError:
                pass
            else:
                pass
            finally:
                pass

            class K:
                with open("f") as f:
                    pass
                z = 3
            print(fast)
        "#]],
    );
}

#[test]
fn a_comment_above_a_group_of_lines_stays_with_the_group() {
    check(
        r#"
        //- m.py
        import os

        # limits
        LOW = 1
        HIGH = 2

        # names
        FIRST = "a"
        LAST = "z"  # the last

        def stay(): return os, LOW
        "#,
        "m.py::HIGH m.py::FIRST m.py::LAST",
        expect![[r#"
            //- m.py
            import os

            # limits
            LOW = 1

            def stay(): return os, LOW
        "#]],
    );
}

#[test]
fn text_that_looks_like_a_comment_or_a_blank_line_is_left_alone() {
    check(
        r##"
        //- m.py
        TEXT = """
        # no comment"""
        def f(): return 1
        MORE = """

        """
        @decorated  # why
        # in between
        def g(
            x=(1,
        2),
        ):
        # at the margin
            return x
        # about h
        def h(): return 1
        "##,
        "m.py::f m.py::g",
        expect![[r#"
            //- m.py
            TEXT = """
            # no comment"""
            MORE = """

            """
            # about h
            def h(): return 1
        "#]],
    );
}

#[test]
fn the_text_that_documents_a_constant_leaves_with_it() {
    check(
        r#"
        //- conf.py
        HOST = "localhost"
        PORT = 80
        """The port."""

        TIMEOUT = 3
        """The time,

        in seconds.
        """
        class A:
            size = 1
            "How large."
            other = 2
        "#,
        "conf.py::PORT conf.py::TIMEOUT conf.py::A.size",
        expect![[r#"
            //- conf.py
            HOST = "localhost"

            class A:
                other = 2
        "#]],
    );
}
