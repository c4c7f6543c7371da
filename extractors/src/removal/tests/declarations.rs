//! Files of declarations beside a module: what leaves the module leaves them as well.

use expect_test::expect;

use super::check;

#[test]
fn declarations_leave_with_what_they_declare() {
    check(
        r#"
        //- pkg/__init__.py
        from .shapes import *
        //- pkg/__init__.pyi
        from .shapes import Box as Box, area as area, side as side
        //- pkg/shapes.py
        import sys
        __all__ = ["Box", "area", "side"]
        LIMIT = 3
        def area(x):
            return x * LIMIT
        def side(x):
            return x
        def kept(x):
            return x
        class Box:
            width = 1
            def get(self):
                return 1
            def put(self):
                return 1
        if sys.version_info > (3,):
            def two(): return 1
        else:
            def two(): return 2
        //- pkg/shapes.pyi
        import sys
        from typing import Any, overload, TypeVar

        __all__ = ["Box", "area", "side"]

        _T = TypeVar("_T")
        LIMIT: int

        # Areas.
        @overload
        def area(x: int) -> int: ...
        @overload
        def area(x: str) -> str: ...
        def side(x: _T) -> _T: ...
        def kept(x: int) -> Any: ...

        class Box:
            width: int
            def get(self) -> int: ...
            def put(self) -> int: ...

        if sys.version_info > (3,):
            def two() -> int: ...
        "#,
        "pkg/shapes.py::area pkg/shapes.py::side pkg/shapes.py::LIMIT pkg/shapes.py::Box.get pkg/shapes.py::two pkg/shapes.py::two#2 [stub] pkg/shapes.py::kept",
        expect![[r#"
            //- pkg/__init__.pyi
            from .shapes import Box as Box
            //- pkg/shapes.py
            __all__ = ["Box"]
            def kept(x):
                raise NotImplementedError
            class Box:
                width = 1
                def put(self):
                    return 1
            //- pkg/shapes.pyi
            from typing import Any

            __all__ = ["Box"]

            def kept(x: int) -> Any: ...

            class Box:
                width: int
                def put(self) -> int: ...
            imports: area as area (pkg/__init__.pyi), side as side (pkg/__init__.pyi), sys (pkg/shapes.py), sys (pkg/shapes.pyi), overload (pkg/shapes.pyi), TypeVar (pkg/shapes.pyi)
            exports: area (pkg/shapes.py), side (pkg/shapes.py), area (pkg/shapes.pyi), side (pkg/shapes.pyi)
            orphaned: pkg/shapes.pyi::_T
        "#]],
    );
}

#[test]
fn variables_for_types_leave_declarations_with_their_last_use() {
    check(
        r#"
        //- m.py
        def wrap(f): return f
        def stays(x): return x
        //- m.pyi
        from typing import Callable, ParamSpec, TypeVar

        P = ParamSpec("P")
        T = TypeVar("T")
        LIMIT = int("3")

        def wrap(f: Callable[P, T], n=LIMIT) -> Callable[P, T]: ...
        def stays(x: T) -> T: ...
        "#,
        "m.py::wrap",
        expect![[r#"
            //- m.py
            def stays(x): return x
            //- m.pyi
            from typing import TypeVar

            T = TypeVar("T")
            LIMIT = int("3")

            def stays(x: T) -> T: ...
            imports: Callable (m.pyi), ParamSpec (m.pyi)
            orphaned: m.pyi::P
        "#]],
    );
}

#[test]
fn a_file_of_declarations_that_has_none_left_goes() {
    check(
        r#"
        //- m.py
        def f(): return 1
        //- m.pyi
        def f() -> int: ...
        //- user.py
        import m
        "#,
        "m.py::f",
        expect![[r#"
            //- m.py
            //- m.pyi is gone
            //- user.py
            imports: m (user.py)
        "#]],
    );
}

#[test]
fn a_declaration_stays_while_one_of_its_definitions_does_or_nothing_defines_it() {
    check(
        r#"
        //- m.py
        import sys
        if sys.platform == "a":
            def f(): return 1
        else:
            def f(): return 2
        class Old:
            def run(self): return 1
        //- m.pyi
        def f() -> int: ...
        def made() -> int: ...
        class Old:
            def run(self) -> int: ...
            def extra(self) -> int: ...
        "#,
        "m.py::f m.py::Old",
        expect![[r#"
            //- m.py
            import sys
            if sys.platform == "a":
                pass
            else:
                def f(): return 2
            //- m.pyi
            def f() -> int: ...
            def made() -> int: ...
        "#]],
    );
}
