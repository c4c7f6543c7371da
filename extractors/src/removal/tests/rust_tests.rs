//! Rust: what leaves with tests, and with files of tests.

use analyzer::symbol::SymbolId;
use expect_test::expect;

use super::check;
use crate::removal::{Project, RemovalPlan, test_removal};
use crate::testing::analysis;

const WITH_TESTS: &str = r#"
//- src/lib.rs
pub fn f() -> u8 {
    1
}

pub fn g() -> u8 {
    2
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn helper() -> BTreeMap<u8, u8> {
        BTreeMap::new()
    }

    struct Counter(u8);

    impl Counter {
        fn new() -> Self {
            Self(0)
        }
    }

    impl Iterator for Counter {
        type Item = u8;

        fn next(&mut self) -> Option<u8> {
            Some(self.0)
        }
    }

    #[test]
    fn of_f() {
        assert_eq!(Counter::new().next(), Some(f()));
        assert!(helper().is_empty());
    }

    #[test]
    fn of_g() {
        assert_eq!(g(), 2);
    }
}
"#;

/// What is left when some of the tests leave.
fn check_tests(held_back: &str, expected: expect_test::Expect) {
    let tests = "src/lib.rs::tests.of_f src/lib.rs::tests.of_g";
    check_tests_of(WITH_TESTS, tests, held_back, expected);
}

/// The same for the tests of any files.
fn check_tests_of(files: &str, tests: &str, held_back: &str, expected: expect_test::Expect) {
    let ids = |text: &str| text.split_whitespace().map(SymbolId::parse).collect();
    let analysis = analysis(files);
    let plan = test_removal(&Project::new(&analysis), &ids(tests), &ids(held_back));
    let actions: Vec<&str> = plan.actions.keys().map(SymbolId::as_str).collect();
    check(files, &actions.join(" "), expected);
}

#[test]
fn a_test_takes_the_helpers_and_imports_that_only_it_needs() {
    check_tests(
        "src/lib.rs::tests.of_f",
        expect![[r#"
        //- src/lib.rs
        pub fn f() -> u8 {
            1
        }

        pub fn g() -> u8 {
            2
        }

        #[cfg(test)]
        mod tests {
            use super::*;

            #[test]
            fn of_g() {
                assert_eq!(g(), 2);
            }
        }
        imports: std::collections::BTreeMap (src/lib.rs)
    "#]],
    );
}

#[test]
fn a_module_without_tests_stays_empty_where_they_stood() {
    check_tests(
        "src/lib.rs::tests.of_f src/lib.rs::tests.of_g",
        expect![[r#"
            //- src/lib.rs
            pub fn f() -> u8 {
                1
            }

            pub fn g() -> u8 {
                2
            }

            #[cfg(test)]
            mod tests {}
            imports: std::collections::BTreeMap (src/lib.rs), super::* (src/lib.rs)
        "#]],
    );
}

#[test]
fn a_file_of_tests_that_a_manifest_asks_for_stays_as_an_empty_line() {
    let before = |manifest: &str| {
        analysis(&format!(
            "//- Cargo.toml\n[package]\nname = \"demo\"\n{manifest}\n//- src/lib.rs\npub fn f() {{}}\n//- tests/t.rs\n#[test]\nfn t() {{ demo::f(); }}\n"
        ))
    };
    let check = |manifest: &str, expected: Option<Vec<u8>>| {
        let plan = RemovalPlan {
            actions: super::actions("tests/t.rs"),
            ..RemovalPlan::default()
        };
        let removal = super::remove(&Project::new(&before(manifest)), &plan);
        assert_eq!(removal.files, [("tests/t.rs".to_owned(), expected)].into());
    };
    check("", None);
    check("[[test]]\nname = \"t\"", Some(b"\n".to_vec()));
    check(
        "[[test]]\nname = \"x\"\npath = \"tests/t.rs\"",
        Some(b"\n".to_vec()),
    );
    check("[[test]]\nname = \"other\"", None);
}

#[test]
fn a_file_that_nothing_declares_any_more_goes() {
    check(
        r#"
//- src/lib.rs
pub fn f() {}

#[cfg(test)]
mod tests;
//- src/tests.rs
use super::*;

#[test]
fn of_f() {
    f();
}
"#,
        "src/tests.rs::of_f",
        expect![[r#"
            //- src/lib.rs
            pub fn f() {}
            //- src/tests.rs is gone
            imports: #[cfg(test)]
            mod tests; (src/lib.rs), super::* (src/tests.rs)
        "#]],
    );
}

const NESTED: &str = r#"
//- src/lib.rs
pub mod area;

pub fn f() {}

pub fn g() {}

// What f and g do.
#[cfg(test)]
#[path = "tests/all.rs"]
mod tests;
//- src/area.rs
pub fn area() {}

#[cfg(test)]
mod tests;
//- src/area/tests.rs
use super::*;

#[test]
fn of_area() {
    area();
}
//- src/tests/all.rs
//! All tests.

mod help;

mod of_f;
mod of_g;
//- src/tests/help.rs
pub fn call(it: fn()) {
    it();
}

pub fn call_twice(it: fn()) {
    it();
    it();
}
//- src/tests/of_f.rs
use super::help;

#[test]
fn of_f() {
    help::call(crate::f);
}
//- src/tests/of_g.rs
use super::help;

#[test]
fn of_g() {
    help::call_twice(crate::g);
}
"#;

const NESTED_TESTS: &str =
    "src/area/tests.rs::of_area src/tests/of_f.rs::of_f src/tests/of_g.rs::of_g";

#[test]
fn a_file_of_tests_takes_its_declaration_and_leaves_what_others_need() {
    check_tests_of(
        NESTED,
        NESTED_TESTS,
        "src/area/tests.rs::of_area src/tests/of_f.rs::of_f",
        expect![[r#"
            //- src/area.rs
            pub fn area() {}
            //- src/area/tests.rs is gone
            //- src/tests/all.rs
            //! All tests.

            mod help;

            mod of_g;
            //- src/tests/help.rs
            pub fn call_twice(it: fn()) {
                it();
                it();
            }
            //- src/tests/of_f.rs is gone
            imports: #[cfg(test)]
            mod tests; (src/area.rs), mod of_f; (src/tests/all.rs)
        "#]],
    );
}

#[test]
fn the_last_file_of_tests_takes_those_that_only_declare_and_help() {
    check_tests_of(
        NESTED,
        NESTED_TESTS,
        "src/tests/of_f.rs::of_f src/tests/of_g.rs::of_g",
        expect![[r#"
            //- src/lib.rs
            pub mod area;

            pub fn f() {}

            pub fn g() {}
            //- src/tests/all.rs is gone
            //- src/tests/help.rs is gone
            //- src/tests/of_f.rs is gone
            //- src/tests/of_g.rs is gone
            imports: #[cfg(test)]
            #[path = "tests/all.rs"]
            mod tests; (src/lib.rs)
        "#]],
    );
}
