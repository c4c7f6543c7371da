//! Which action each symbol of a feature gets, and what it makes of the files.

use std::sync::Arc;

use analyzer::feature::{Member, Role};
use analyzer::{AnalysisHost, Change};
use expect_test::{Expect, expect};
use fixtures::Fixture;

use super::*;

/// Removes symbols, each given with its role, and compares the files that change. Tests leave.
#[track_caller]
fn check(fixture: &str, roles: &[(Role, &str)], expected: Expect) {
    let files = Fixture::parse(fixture).files.into_iter();
    let files = files.map(|file| (file.path, Some(Arc::from(file.text.into_bytes()))));
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: files.collect(),
        trace: None,
    });
    let analysis = host.analysis();
    let project = Project::new(&analysis);
    let member = |role| Member {
        role,
        target_tests: 1,
        other_tests: 0,
    };
    let ids = |text: &'static str| text.split_whitespace().map(SymbolId::parse);
    let members = roles.iter().flat_map(|(role, text)| {
        let text: Vec<_> = text.split_whitespace().map(SymbolId::parse).collect();
        text.into_iter().map(|id| (id, member(*role)))
    });
    let feature = Feature {
        members: members.collect(),
        tests: Vec::new(),
    };
    let none = BTreeSet::new();
    let held_back = ids("test_m.py").collect();
    let plan = actions(
        &project,
        &analysis,
        &feature,
        RemovalMode::Auto,
        &none,
        &held_back,
        &none,
    );
    let removal = removal::remove(&project, &plan);
    let text = |(path, bytes): (&String, &Option<Vec<u8>>)| match bytes {
        Some(bytes) => format!("//- {path}\n{}", String::from_utf8_lossy(bytes)),
        None => format!("//- {path} is gone\n"),
    };
    expected.assert_eq(&removal.files.iter().map(text).collect::<String>());
    assert_eq!(removal.problems, []);
}

#[test]
fn a_class_that_stays_for_its_name_keeps_its_public_signatures() {
    check(
        r#"
        //- shapes.py
        import math
        from dataclasses import dataclass

        _UNIT = "m"
        _DIGITS = 3


        class Box:
            """A box.

            Of any size.
            """

            #: How many sides it has.
            sides: int = 6
            _cache = {}

            def __init__(self, width, unit=_UNIT):
                self.width, self.unit = width, unit

            @property
            def area(self) -> float:
                """The area."""
                return self._grow(math.pow(self.width, 2))

            @area.setter
            def area(self, area: float) -> None:
                self.width = self._grow(math.sqrt(area))

            def _grow(self, number):
                return round(number, _DIGITS)


        def is_box(thing):
            return isinstance(thing, Box)
        //- test_m.py
        from shapes import Box
        def test_box():
            assert Box(1).area == 1
        "#,
        &[
            (
                Role::Top,
                "shapes.py::Box shapes.py::Box.__init__ shapes.py::Box.area",
            ),
            (Role::Specific, "shapes.py::Box._grow"),
            (
                Role::Orphaned,
                "shapes.py::Box.area#setter shapes.py::Box.sides shapes.py::Box._cache shapes.py::_UNIT shapes.py::_DIGITS",
            ),
        ],
        expect![[r#"
            //- shapes.py
            from dataclasses import dataclass

            _UNIT = "m"


            class Box:
                """A box.

                Of any size.
                """

                #: How many sides it has.
                sides: int = 6

                def __init__(self, width, unit=_UNIT):
                    raise NotImplementedError

                @property
                def area(self) -> float:
                    """The area."""
                    raise NotImplementedError

                @area.setter
                def area(self, area: float) -> None:
                    raise NotImplementedError


            def is_box(thing):
                return isinstance(thing, Box)
        "#]],
    );
}

#[test]
fn a_class_that_keeps_a_member_loses_the_others() {
    check(
        r#"
        //- shapes.py
        class Box:
            def area(self):
                return 1

            def name(self):
                return "box"
        //- use.py
        from shapes import Box
        print(Box().name())
        "#,
        &[(Role::Top, "shapes.py::Box.area")],
        expect![[r#"
            //- shapes.py
            class Box:
                def name(self):
                    return "box"
        "#]],
    );
}

#[test]
fn an_enum_that_stays_keeps_its_variants_if_it_would_lose_all() {
    check(
        r#"
        //- src/lib.rs
        pub enum Error {
            Empty,
            Long { by: usize },
        }

        pub enum Kind {
            Plain,
            Odd,
        }

        pub fn parse(text: &str) -> Result<Kind, Error> {
            match text.len() {
                0 => Err(Error::Empty),
                1 => Ok(Kind::Odd),
                by => Err(Error::Long { by }),
            }
        }

        pub fn run(text: &str) -> Result<Kind, Error> {
            parse(text).or(Ok(Kind::Plain))
        }
        "#,
        &[
            (Role::Top, "src/lib.rs::parse"),
            (
                Role::Specific,
                "src/lib.rs::Error.Empty src/lib.rs::Error.Long src/lib.rs::Kind.Odd",
            ),
        ],
        expect![[r#"
            //- src/lib.rs
            pub enum Error {
                Empty,
                Long { by: usize },
            }

            pub enum Kind {
                Plain,
            }

            pub fn parse(text: &str) -> Result<Kind, Error> {
                let _ = &text;
                unimplemented!()
            }

            pub fn run(text: &str) -> Result<Kind, Error> {
                parse(text).or(Ok(Kind::Plain))
            }
        "#]],
    );
}

#[test]
fn the_overloads_of_a_stubbed_function_stay_with_all_that_they_need() {
    check(
        r#"
        //- shapes.py
        from typing import overload, Union

        Size = Union[int, float]


        class Length:
            """A length."""

            def __init__(self, size):
                self.size = size


        @overload
        def area(width: int) -> int: ...
        @overload
        def area(width: Length) -> float:
            """Of a length."""
        def area(width):
            if isinstance(width, Length):
                width = width.size
            return width * width
        //- use.py
        from shapes import area
        AREAS = {"square": area}
        //- test_m.py
        from shapes import Length, area
        def test_area():
            assert area(Length(2)) == 4
        "#,
        &[
            (
                Role::Top,
                "shapes.py::area shapes.py::Length shapes.py::Length.__init__",
            ),
            (
                Role::Orphaned,
                "shapes.py::area#overload shapes.py::area#overload2 shapes.py::Size",
            ),
        ],
        expect![[r#"
            //- shapes.py
            from typing import overload


            class Length:
                """A length."""

                def __init__(self, size):
                    raise NotImplementedError


            @overload
            def area(width: int) -> int: ...
            @overload
            def area(width: Length) -> float:
                """Of a length."""
            def area(width):
                raise NotImplementedError
        "#]],
    );
}
