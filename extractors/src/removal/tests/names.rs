//! Imports, public names and private variables that follow what goes.

use expect_test::expect;

use super::check;

// M1
#[test]
fn aliases_and_comments_of_the_names_that_stay_are_kept() {
    check(
        r#"
        //- core.py
        def a(): return 1
        def b(): return 2
        def c(): return 3
        //- one.py
        from core import (a as alpha,  # keep me
                          b)
        print(alpha)
        //- two.py
        from core import (
            a as alpha,  # keep me
            b as beta,  # but not me
            # above c
            c,
        )
        print(alpha, c)
        //- three.py
        from core import a as alpha, b, c as gamma  # all
        print(alpha, gamma)
        //- four.py
        from core import b, \
            c
        print(c)
        //- five.py
        from core import a, c, \
            b
        print(a, c)
        //- six.py
        from core import (b, a, c)
        from core import (a, b, c, b as d)
        print(a, c)
        "#,
        "core.py::b",
        expect![[r#"
            //- core.py
            def a(): return 1
            def c(): return 3
            //- five.py
            from core import a, c
            print(a, c)
            //- four.py
            from core import c
            print(c)
            //- one.py
            from core import (a as alpha,  # keep me
                              )
            print(alpha)
            //- six.py
            from core import (a, c)
            from core import (a, c)
            print(a, c)
            //- three.py
            from core import a as alpha, c as gamma  # all
            print(alpha, gamma)
            //- two.py
            from core import (
                a as alpha,  # keep me
                # above c
                c,
            )
            print(alpha, c)
            imports: b (five.py), b (four.py), b (one.py), b (six.py), b (six.py), b as d (six.py), b (three.py), b as beta (two.py)
        "#]],
    );
}

// M2
#[test]
fn an_import_that_is_the_only_statement_of_a_block_leaves_a_valid_block() {
    check(
        r#"
        //- core.py
        def a(): return 1
        def b(): return 2
        //- user.py
        try:
            from core import b
        except ImportError:
            b = None

        def f():
            from core import b

        try:
            from core import b as bb
        except ImportError:
            pass
        print(1)
        "#,
        "core.py::b",
        expect![[r#"
            //- core.py
            def a(): return 1
            //- user.py
            def f():
                pass

            print(1)
            imports: b (user.py), b (user.py), b as bb (user.py)
            orphaned: user.py::b
        "#]],
    );
}

// M13
#[test]
fn public_names_and_their_re_exports_go_with_the_symbol() {
    check(
        r#"
        //- pkg/__init__.py
        """The package."""
        from .core import Box, run
        from .core import stay
        from . import extra

        __all__ = ["Box", "run", "stay", "extra"]
        //- pkg/core.py
        __all__ = [
            "Box",  # a class
            "run",
            # the rest
            "stay",
        ]


        class Box:
            def area(self):
                return 1


        def run():
            return Box()


        def stay():
            return 1
        //- pkg/extra.py
        from .core import run as _run
        __all__ = ("one", "two")
        __all__ += ["three"]

        def one(): return 1
        def two(): return 2
        def three(): return 3
        "#,
        "pkg/core.py::run pkg/core.py::Box pkg/core.py::Box.area pkg/extra.py::two pkg/extra.py::three",
        expect![[r#"
            //- pkg/__init__.py
            """The package."""
            from .core import stay
            from . import extra

            __all__ = ["stay", "extra"]
            //- pkg/core.py
            __all__ = [
                # the rest
                "stay",
            ]


            def stay():
                return 1
            //- pkg/extra.py
            __all__ = ("one",)

            def one(): return 1
            imports: Box (pkg/__init__.py), run (pkg/__init__.py), run as _run (pkg/extra.py)
            exports: Box (pkg/__init__.py), run (pkg/__init__.py), Box (pkg/core.py), run (pkg/core.py), two (pkg/extra.py), three (pkg/extra.py)
        "#]],
    );
}

#[test]
fn a_list_of_public_names_may_become_empty() {
    check(
        r#"
        //- m.py
        __all__ = [
            "f",  # the only one
        ]
        def f():
            return 1
        //- n.py
        __all__ = ("f",)
        __all__.append("g")
        def f():
            return 1
        def g():
            return 1
        "#,
        "m.py::f n.py::f n.py::g",
        expect![[r#"
            //- m.py
            __all__ = []
            //- n.py
            __all__ = ()
            exports: f (m.py), f (n.py), g (n.py)
        "#]],
    );
}

// M14
#[test]
fn imports_for_type_checkers_go_too() {
    check(
        r#"
        //- core.py
        def mk(): return 1
        def other(): return 2
        //- user.py
        from __future__ import annotations
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from core import mk

        def f(): return 1
        //- both.py
        import typing
        if typing.TYPE_CHECKING:
            from core import mk, other

        def f(x: "other"): return 1
        "#,
        "core.py::mk",
        expect![[r#"
            //- both.py
            import typing
            if typing.TYPE_CHECKING:
                from core import other

            def f(x: "other"): return 1
            //- core.py
            def other(): return 2
            //- user.py
            from __future__ import annotations

            def f(): return 1
            imports: mk (both.py), TYPE_CHECKING (user.py), mk (user.py)
        "#]],
    );
}

// M15
#[test]
fn imports_and_private_variables_that_only_removed_code_used_go() {
    check(
        r#"
        //- m.py
        import math
        import os, re
        import os.path
        from json import loads
        from json import dumps as dumps
        import logging  # noqa: F401
        from typing import Dict, List

        # Found areas.
        _CACHE: Dict[str, float] = {}
        _DEPTH = re.compile("x")
        PUBLIC = 3
        _KEPT = 1
        _a = _b = 2


        def f(text):
            _CACHE[text] = math.floor(loads(text)) + PUBLIC + _KEPT
            return dumps(_DEPTH)


        def stay(items: List[int]):
            return os.getcwd(), _KEPT
        "#,
        "m.py::f",
        expect![[r#"
            //- m.py
            import os
            import os.path
            from json import dumps as dumps
            import logging  # noqa: F401
            from typing import List

            # Found areas.
            PUBLIC = 3
            _KEPT = 1
            _a = _b = 2


            def stay(items: List[int]):
                return os.getcwd(), _KEPT
            imports: math (m.py), re (m.py), loads (m.py), Dict (m.py)
            orphaned: m.py::_CACHE, m.py::_DEPTH
        "#]],
    );
}

#[test]
fn imports_that_others_take_from_the_file_stay() {
    check(
        r#"
        //- compat.py
        import json
        import math
        import zlib
        import bz2

        def f():
            return json, math, zlib, bz2
        //- user.py
        from compat import json
        import compat
        print(compat.math, json)
        //- pkg/__init__.py
        import zlib

        def g():
            return zlib
        "#,
        "compat.py::f pkg/__init__.py::g",
        expect![[r#"
            //- compat.py
            import json
            import math
            //- pkg/__init__.py
            imports: zlib (compat.py), bz2 (compat.py), zlib (pkg/__init__.py)
        "#]],
    );
}

#[test]
fn a_name_of_another_module_and_a_star_with_a_list_take_nothing() {
    check(
        r#"
        //- pkg/__init__.py
        from pkg.tools import echo
        __all__ = ["echo"]
        //- pkg/impl.py
        import math
        from pkg.tools import echo
        __all__ = ["f", "kept"]

        def f():
            return math, echo

        def kept():
            return 1
        //- pkg/tools.py
        def echo():
            return 1
        //- user.py
        import pkg.impl
        from pkg.impl import *
        print(pkg.echo, "echo", kept)
        "#,
        "pkg/impl.py::f",
        expect![[r#"
            //- pkg/impl.py
            __all__ = ["kept"]

            def kept():
                return 1
            imports: math (pkg/impl.py), echo (pkg/impl.py)
            exports: f (pkg/impl.py)
        "#]],
    );
}

#[test]
fn imports_that_stubs_no_longer_use_go() {
    check(
        r#"
        //- m.py
        import math
        from typing import Optional

        def f(x: Optional[int]) -> int:
            """Doc."""
            return math.floor(x)
        "#,
        "[stub] m.py::f",
        expect![[r#"
            //- m.py
            from typing import Optional

            def f(x: Optional[int]) -> int:
                """Doc."""
                raise NotImplementedError
            imports: math (m.py)
        "#]],
    );
}

// R5
#[test]
fn star_imports_stay_while_the_module_has_names() {
    check(
        r#"
        //- core.py
        def f(): return 1
        def g(): return 2
        //- single.py
        def h(): return 1
        //- m.py
        from core import *
        from single import *
        print(g())
        "#,
        "core.py::f single.py::h",
        expect![[r#"
            //- core.py
            def g(): return 2
            //- m.py
            from core import *
            print(g())
            //- single.py
            imports: * (m.py)
        "#]],
    );
}

// S7
#[test]
fn relative_imports_are_repaired_through_their_dots() {
    check(
        r#"
        //- pkg/__init__.py
        from .a import b
        from .sub import c as d
        //- pkg/a.py
        x: int = 5
        def b(): return x
        //- pkg/sub/__init__.py
        from .. import a as aa
        from ..a import b, x as y
        def c(): return aa.x, y
        "#,
        "pkg/a.py::b",
        expect![[r#"
            //- pkg/__init__.py
            from .sub import c as d
            //- pkg/a.py
            x: int = 5
            //- pkg/sub/__init__.py
            from .. import a as aa
            from ..a import x as y
            def c(): return aa.x, y
            imports: b (pkg/__init__.py), b (pkg/sub/__init__.py)
        "#]],
    );
}

#[test]
fn a_package_offers_what_it_imports_from_its_own_modules_only() {
    check(
        r#"
        //- pkg/util.py
        def flag(): return 1
        //- pkg/sub/__init__.py
        from ..util import flag
        from .core import size
        def f(): return flag(), size()
        def g(): return 1
        //- pkg/sub/core.py
        def size(): return 1
        "#,
        "pkg/sub/__init__.py::f",
        expect![[r#"
            //- pkg/sub/__init__.py
            from .core import size
            def g(): return 1
            imports: flag (pkg/sub/__init__.py)
        "#]],
    );
}

#[test]
fn an_import_that_staying_code_still_uses_is_left_alone() {
    check(
        r#"
        //- core.py
        def f(): return 1
        //- tests/test_core.py
        from core import f

        def test_f():
            assert f() == 1
        "#,
        "core.py::f",
        expect![[r#"
            //- core.py
            fault: tests/test_core.py: f is not defined any more, but tests/test_core.py::test_f refers to it
            fault: tests/test_core.py: f is still imported or public, but not defined any more
        "#]],
    );
}

#[test]
fn lists_of_public_names_keep_their_layout() {
    check(
        r#"
        //- m.py
        import other
        __all__ = ["a", "gone",  # first
                   "b",
                   "gone2", "c",
                   # the end
                   "gone3"]
        __all__ += other.__all__ + ["gone"]
        def a(): return 1
        def b(): return 1
        def c(): return 1
        def gone(): return 1
        def gone2(): return 1
        def gone3(): return 1
        //- n.py
        __all__ = "a", "gone"
        __all__.extend(["gone"])
        def a(): return 1
        def gone(): return 1
        //- other.py
        __all__ = ()
        "#,
        "m.py::gone m.py::gone2 m.py::gone3 n.py::gone",
        expect![[r#"
            //- m.py
            import other
            __all__ = ["a",  # first
                       "b",
                       "c",
                       # the end
                       ]
            __all__ += other.__all__ + []
            def a(): return 1
            def b(): return 1
            def c(): return 1
            //- n.py
            __all__ = "a",
            def a(): return 1
            exports: gone (m.py), gone2 (m.py), gone3 (m.py), gone (m.py), gone (n.py), gone (n.py)
        "#]],
    );
}

#[test]
fn an_import_of_a_name_with_another_meaning_that_stays_is_kept() {
    check(
        r#"
        //- core.py
        import sys
        if sys.version_info > (3,):
            def f(): return 1
        else:
            def f(): return 2
        //- user.py
        from core import f
        print(f())
        "#,
        "core.py::f",
        expect![[r#"
            //- core.py
            import sys
            if sys.version_info > (3,):
                pass
            else:
                def f(): return 2
        "#]],
    );
}

#[test]
fn what_one_removed_name_was_for_may_be_for_another_one_too() {
    check(
        r#"
        //- m.py
        import re
        from helpers import build, use

        _ROOT = build()
        _TREE = use(_ROOT, re.compile("x"))

        def f():
            return _TREE
        //- helpers.py
        def build(): return 1
        def use(a, b): return a, b
        "#,
        "m.py::f",
        expect![[r#"
            //- m.py
            imports: re (m.py), build (m.py), use (m.py)
            orphaned: m.py::_ROOT, m.py::_TREE
        "#]],
    );
}

#[test]
fn variables_of_a_plan_leave_with_their_statement_and_comments() {
    check(
        r#"
        //- m.py
        # Positions.
        PREV, NEXT = range(2)
        KEY = VALUE = 3
        SIZE = 4  # the size

        class Box:
            # how often
            _limit = 3
            size = SIZE

            def parse(self):
                return PREV, NEXT, KEY, VALUE, self._limit

            def stay(self):
                return 1
        "#,
        "m.py::PREV m.py::NEXT m.py::KEY m.py::VALUE m.py::Box._limit m.py::Box.parse",
        expect![[r#"
            //- m.py
            # Positions.
            SIZE = 4  # the size

            class Box:
                # how often
                size = SIZE

                def stay(self):
                    return 1
        "#]],
    );
}

#[test]
fn a_star_in_a_test_file_goes_with_the_last_test_that_used_it() {
    check(
        r#"
        //- shop/tools.py
        def cut(): pass
        def paste(): pass
        //- tests/test_cut.py
        from shop.tools import *
        import os
        def test_cut(): cut()
        def test_os(): os.getcwd()
        //- tests/test_paste.py
        from shop.tools import *
        def test_cut(): cut()
        def test_fixture(paste): paste
        "#,
        "tests/test_cut.py::test_cut tests/test_paste.py::test_cut",
        expect![[r#"
            //- tests/test_cut.py
            import os
            def test_os(): os.getcwd()
            //- tests/test_paste.py
            from shop.tools import *
            def test_fixture(paste): paste
            imports: * (tests/test_cut.py)
        "#]],
    );
}

#[test]
fn a_name_that_a_star_passes_on_stays_if_somebody_uses_it_there() {
    check(
        r#"
        //- impl.py
        import json
        import math
        import zlib
        from other import helper, tool, unused

        def f():
            return json, math, zlib, helper, tool, unused
        //- other.py
        def helper(): return 1
        def tool(): return 1
        def unused(): return 1
        //- facade.py
        from impl import *
        print(json, tool)
        //- outer.py
        from facade import *
        from impl import *
        //- user.py
        from outer import helper
        import outer
        print(helper, outer.math)
        "#,
        "impl.py::f",
        expect![[r#"
            //- impl.py
            import json
            import math
            from other import helper, tool
            imports: zlib (impl.py), unused (impl.py)
        "#]],
    );
}
