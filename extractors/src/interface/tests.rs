//! What the interface shows of symbols, and that it is what the code says.

mod go;
mod rust;

use std::collections::BTreeSet;

use analyzer::symbol::SymbolId;
use expect_test::{Expect, expect};

use super::interface;
use crate::testing::analysis;

#[track_caller]
fn check(fixture: &str, top: &str, expected: Expect) {
    let top: BTreeSet<SymbolId> = top.split_whitespace().map(SymbolId::parse).collect();
    let interface = interface(&analysis(fixture), &top);
    let entries = interface.entries.iter();
    let shown: Vec<String> = entries
        .map(|entry| format!("# {}\n{}", entry.symbol, entry.text))
        .collect();
    expected.assert_eq(&shown.join("\n"));
}

// S1
#[test]
fn every_kind_of_parameter_is_shown() {
    check(
        r#"
        //- m.py
        import abc

        # Not part of it.
        @abc.abstractmethod
        async def area(
            w, /, h=2, *args: int,  # sizes
            unit: str = "m", scale, **more
        ) -> float:
            """The area.

              Of a box.
            """
            return w * h

        def bare(w, /, h=2, *, unit: str = "m", scale) -> float: return 1
        "#,
        "m.py::area m.py::bare",
        expect![[r##"
            # m.py::area
            @abc.abstractmethod
            async def area(
                w, /, h=2, *args: int,  # sizes
                unit: str = "m", scale, **more
            ) -> float:
                """The area.

                  Of a box.
                """
                raise NotImplementedError

            # m.py::bare
            def bare(w, /, h=2, *, unit: str = "m", scale) -> float:
                raise NotImplementedError
        "##]],
    );
}

// S2
#[test]
fn a_class_is_shown_with_bases_keywords_fields_and_public_members() {
    check(
        r#"
        //- m.py
        class Box(Base[int], metaclass=Meta, flag=True):
            """A box."""

            size: int = 3
            names = ["a", "b"]
            tag: str
            _hidden = 1
            TABLE = {
                1: 1, 2: 2, 3: 3,
                4: 1, 5: 2, 6: 3,
                7: 1,
                8: 1,
                9: 1,
                10: 1,
                11: 1,
                12: 1,
                13: 1,
                14: 1,
                15: 1,
            }

            class Inner:
                x = 1

            def __init__(self, w):
                self.w = w

            def area(self): return self._area()

            def _area(self): return 1
        "#,
        "m.py::Box",
        expect![[r##"
            # m.py::Box
            class Box(Base[int], metaclass=Meta, flag=True):
                """A box."""

                size: int = 3
                names = ["a", "b"]
                tag: str
                TABLE = ...

                class Inner:
                    x = 1

                def __init__(self, w):
                    raise NotImplementedError

                def area(self):
                    raise NotImplementedError
        "##]],
    );
}

// S3
#[test]
fn getter_setter_and_deleter_are_shown_together() {
    check(
        r#"
        //- m.py
        class P:
            """Not shown: the class itself is no top symbol."""
            y = 1

            @property
            def x(self):
                """The x."""
                return self._x

            @x.setter
            def x(self, value):
                self._x = value

            def other(self): return 1

        class Q(P):
            def z(self): return 1

            def a(self): return 2
        "#,
        "m.py::P.x m.py::P.x#setter m.py::Q.z m.py::Q.a",
        expect![[r##"
            # m.py::P
            class P:
                @property
                def x(self):
                    """The x."""
                    raise NotImplementedError

                @x.setter
                def x(self, value):
                    raise NotImplementedError

            # m.py::Q
            class Q(P):
                def z(self):
                    raise NotImplementedError

                def a(self):
                    raise NotImplementedError
        "##]],
    );
}

// S5
#[test]
fn overload_stubs_are_part_of_the_signature() {
    check(
        r#"
        //- m.py
        from typing import overload

        @overload
        def conv(x: int) -> int: ...
        @overload
        def conv(x: str) -> str:
            """For text."""
        def conv(x):
            return x

        class A:
            @overload
            def f(self, x: int) -> int: ...
            def f(self, x): return x
        "#,
        "m.py::conv m.py::A",
        expect![[r##"
            # m.py::conv
            @overload
            def conv(x: int) -> int:
                raise NotImplementedError
            @overload
            def conv(x: str) -> str:
                """For text."""
                raise NotImplementedError
            def conv(x):
                raise NotImplementedError

            # m.py::A
            class A:
                @overload
                def f(self, x: int) -> int:
                    raise NotImplementedError

                def f(self, x):
                    raise NotImplementedError
        "##]],
    );
}

// S6
#[test]
fn type_parameters_and_type_aliases_are_shown() {
    check(
        r#"
        //- m.py
        def first[T: int](xs: list[T]) -> T:
            return xs[0]

        class Stack[T]:
            def push(self, x: T) -> None: ...

        type Pair[T] = tuple[T, T]
        LIMIT: int = 5
        "#,
        "m.py::first m.py::Stack m.py::Pair m.py::LIMIT",
        expect![[r#"
            # m.py::first
            def first[T: int](xs: list[T]) -> T:
                raise NotImplementedError

            # m.py::Stack
            class Stack[T]:
                def push(self, x: T) -> None:
                    raise NotImplementedError

            # m.py::Pair
            type Pair[T] = tuple[T, T]

            # m.py::LIMIT
            LIMIT: int = 5
        "#]],
    );
}

#[test]
fn definitions_move_to_the_margin_and_strings_stay_as_they_are() {
    check(
        r#"
        //- m.py
        if True:
            def outer(
                a="""
          text
            """,
                b=1,
            ):
                """Doc
            at any depth.
                """
                def inner(x):
                    return x
                return inner

            class A:
              def f(self,
                    x): return 1
        "#,
        "m.py::outer m.py::outer.inner m.py::A.f",
        expect![[r##"
            # m.py::outer
            def outer(
                a="""
              text
                """,
                b=1,
            ):
                """Doc
                at any depth.
                    """
                def inner(x):
                    raise NotImplementedError

                raise NotImplementedError

            # m.py::A
            class A:
                def f(self,
                      x):
                    raise NotImplementedError
        "##]],
    );
}

#[test]
fn files_and_classes_are_shown_once_in_markdown() {
    let fixture = r#"
        //- b.py
        def g(): "Uses ``` in the text."
        //- a.py
        class A:
            def f(self): return 1
            def g(self): return 1
        def h(): return 1
    "#;
    let top = ["b.py::g", "a.py::A.f", "a.py::A.g", "a.py::h"].map(SymbolId::parse);
    let interface = interface(&analysis(fixture), &top.into());
    expect![[r####"
        ### `a.py`

        ```python
        class A:
            def f(self):
                raise NotImplementedError

            def g(self):
                raise NotImplementedError
        ```

        ```python
        def h():
            raise NotImplementedError
        ```

        ### `b.py`

        ````python
        def g():
            "Uses ``` in the text."
            raise NotImplementedError
        ````
    "####]]
    .assert_eq(&interface.to_markdown());
}

#[test]
fn a_module_that_is_top_shows_everything_public() {
    check(
        r#"
        //- m.py
        """The module."""
        import os
        X = 1
        _Y = 2
        def f(): return 1
        def _g(): return 2
        "#,
        "m.py",
        expect![[r#"
            # m.py::X
            X = 1

            # m.py::f
            def f():
                raise NotImplementedError
        "#]],
    );
}

#[track_caller]
fn check_offers(fixture: &str, top: &str, deleted: &str, expected: Expect) {
    let ids = |text: &str| text.split_whitespace().map(SymbolId::parse).collect();
    let analysis = analysis(fixture);
    let interface = interface(&analysis, &ids(top)).with_offers(&analysis, &ids(deleted));
    expected.assert_eq(&interface.to_markdown());
}

#[test]
fn modules_that_offer_what_is_deleted_are_named() {
    check_offers(
        r#"
        //- pkg/__init__.py
        from .a import price as cost, total, Cart
        from .b import *
        __all__ = ["cost", "total"]
        //- pkg/a.py
        def price(): pass
        def total(): pass
        class Cart: pass
        //- pkg/b.py
        from .a import price
        def use(): return price()
        //- pkg/c.py
        from .a import price as amount
        def use(): return amount()
        //- tests/test_a.py
        from pkg.a import price
        from pkg.c import amount as rest
        "#,
        "pkg/a.py::price pkg/a.py::Cart",
        "pkg/a.py::price pkg/a.py::total",
        expect![[r#"
            ### `pkg/a.py`

            ```python
            def price():
                raise NotImplementedError
            ```

            `pkg/__init__.py` must offer it as `cost`, too.

            `pkg/c.py` must offer it as `amount`, too.

            ```python
            class Cart:
                pass
            ```
        "#]],
    );
}

#[test]
fn an_import_without_a_visible_use_is_no_offer_unless_it_says_so() {
    check_offers(
        r#"
        //- Cargo.toml
        [package]
        name = "demo"
        edition = "2021"
        //- src/lib.rs
        mod a;
        mod b;
        pub use a::Cost;
        //- src/a.rs
        pub trait Cost { fn cost(&self) -> u8; }
        impl Cost for u8 { fn cost(&self) -> u8 { *self } }
        //- src/b.rs
        use crate::a::Cost;
        pub fn sum(of: &[u8]) -> u8 { of.iter().map(|it| it.cost()).sum() }
        "#,
        "src/a.rs::Cost",
        "src/a.rs::Cost",
        expect![[r#"
            ### `src/a.rs`

            ```rust
            pub trait Cost { fn cost(&self) -> u8; }
            ```

            `src/lib.rs` must offer it as `Cost`, too.
        "#]],
    );
}
