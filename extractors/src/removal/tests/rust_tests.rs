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
fn a_file_of_tests_stays_empty_where_code_that_is_no_test_declares_it() {
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
            //- src/tests.rs

            imports: super::* (src/tests.rs)
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
fn a_file_of_tests_leaves_what_others_need() {
    check_tests_of(
        NESTED,
        NESTED_TESTS,
        "src/area/tests.rs::of_area src/tests/of_f.rs::of_f",
        expect![[r#"
            //- src/area/tests.rs

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
            imports: super::* (src/area/tests.rs), mod of_f; (src/tests/all.rs)
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
            //- src/tests/all.rs

            //- src/tests/help.rs is gone
            //- src/tests/of_f.rs is gone
            //- src/tests/of_g.rs is gone
        "#]],
    );
}

#[test]
fn test_code_among_code_that_leaves_keeps_its_place() {
    let files = r#"
//- src/lib.rs
#[cfg(test)]
use std::string::ToString;
use std::vec;
#[cfg(test)]
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn f() -> Vec<u8> {
    vec::Vec::new()
}

// What f is asked for.
#[cfg(test)]
const ASKED: &str = "1";

#[test]
fn of_f() {
    assert_eq!(f().len().to_string(), ASKED);
    let _: BTreeMap<u8, u8> = BTreeMap::new();
}

pub fn g(to: &mut String) {
    let _ = to.write_char('g');
}
"#;
    let check = |is_marked: bool, expected: expect_test::Expect| {
        let actions = "src/lib.rs::f src/lib.rs::g src/lib.rs::ASKED src/lib.rs::of_f";
        let plan = RemovalPlan {
            actions: super::actions(actions),
            // What the compiler calls unused: the trait, whose methods name it nowhere.
            imports: [("src/lib.rs".to_owned(), [0].into())].into(),
            marked: is_marked
                .then(|| "src/lib.rs".to_owned())
                .into_iter()
                .collect(),
            ..RemovalPlan::default()
        };
        let removal = super::remove(&Project::new(&analysis(files)), &plan);
        let text = removal.files.into_values().flatten().flatten().collect();
        expected.assert_eq(&String::from_utf8(text).unwrap());
    };
    check(
        false,
        expect![[r#"
        #[allow(unused_imports)]
        #[cfg(test)]
        use std::string::ToString;
        #[allow(unused_imports)]
        #[cfg(test)]
        use std::collections::BTreeMap;
    "#]],
    );
    check(
        true,
        expect![[r#"
        #[allow(unused_imports)]
        #[cfg(test)]
        use std::string::ToString;
        #[allow(unused_imports)]
        #[cfg(test)]
        use std::collections::BTreeMap;

        // Tests are put back here.
    "#]],
    );
}

#[test]
fn a_crate_that_all_files_see_stays_though_its_macros_are_unused() {
    let files = r#"
//- src/lib.rs
#[macro_use]
extern crate alloc;

mod text;

pub fn f() -> alloc::string::String {
    format!("f")
}
//- src/text.rs
use alloc::string::String;
"#;
    let plan = RemovalPlan {
        actions: super::actions("src/lib.rs::f"),
        imports: [("src/lib.rs".to_owned(), [0].into())].into(),
        ..RemovalPlan::default()
    };
    let removal = super::remove(&Project::new(&analysis(files)), &plan);
    let text = removal.files.into_values().flatten().flatten().collect();
    expect![[r#"
        #[allow(unused_imports)]
        #[macro_use]
        extern crate alloc;

        mod text;
    "#]]
    .assert_eq(&String::from_utf8(text).unwrap());
}
