//! Outcomes, ids and what failures say.

use std::time::Duration;

use expect_test::{Expect, expect};
use harness::process::{Ended, Limits};
use harness::runner::Selection;

use super::support::{Place, Prepared, ids, paths, results};

const MANIFEST: &str = "\
//- Cargo.toml
[package]
name = \"toy\"
version = \"0.1.0\"
edition = \"2021\"
";

fn place(files: &str) -> Place {
    Place::new(&format!("{MANIFEST}{files}"))
}

fn check(files: &str, expected: &Expect) {
    let Some(prepared) = place(files).prepare() else {
        return;
    };
    expected.assert_eq(&results(&prepared.run(&Selection::All, false).trace));
}

#[test]
fn each_test_has_its_outcome_and_its_place() {
    check(
        r#"
//- src/lib.rs
pub fn area(x: u32) -> u32 { x * x }

macro_rules! make {
    ($name:ident) => { #[test] fn $name() {} };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good() { assert_eq!(area(3), 9) }

    #[test]
    fn bad() { assert_eq!(area(3), 8, "no") }

    #[test]
    #[ignore = "slow"]
    fn later() {}

    #[test]
    #[should_panic(expected = "x")]
    fn panics() { panic!("x") }

    #[test]
    #[should_panic(expected = "x")]
    fn panics_otherwise() { panic!("y") }

    #[test]
    fn refuses() -> Result<(), String> { Err("never".into()) }

    make!(made);
}
//- src/main.rs
fn main() {}

#[test]
fn in_a_program() {}
//- tests/whole/main.rs
mod part;

#[test]
fn outside() { assert_eq!(toy::area(2), 4) }
//- tests/whole/part.rs
#[test]
fn deeper() { toy::area(2).checked_sub(5).unwrap(); }
"#,
        &expect![[r#"
            Failed toy::lib::tests::bad (src/lib.rs, tests.bad)
                panic: assertion `left == right` failed: no
                  left: 9
                 right: 8
                at src/lib.rs:15 tests.bad
            Passed toy::lib::tests::good (src/lib.rs, tests.good)
            Skipped toy::lib::tests::later (src/lib.rs, tests.later)
                slow
            Passed toy::lib::tests::made (src/lib.rs, tests.made)
            Passed toy::lib::tests::panics (src/lib.rs, tests.panics)
            Failed toy::lib::tests::panics_otherwise (src/lib.rs, tests.panics_otherwise)
                panic: panic did not contain expected string
                      panic message: "y"
                 expected substring: "x"
                y
                at src/lib.rs:27 tests.panics_otherwise
            Failed toy::lib::tests::refuses (src/lib.rs, tests.refuses)
                Error: "never"
            Passed toy::bin/toy::in_a_program (src/main.rs, in_a_program)
            Passed toy::tests/whole::outside (tests/whole/main.rs, outside)
            Failed toy::tests/whole::part::deeper (tests/whole/part.rs, deeper)
                panic: called `Option::unwrap()` on a `None` value
                at tests/whole/part.rs:2 deeper
        "#]],
    );
}

#[test]
fn a_harness_of_its_own_is_one_test() {
    check(
        r#"
[[test]]
name = "good"
harness = false

[[test]]
name = "bad"
harness = false
//- src/lib.rs
//- tests/good.rs
fn main() { assert_eq!(std::env::args().count(), 1) }
//- tests/bad.rs
fn main() { eprintln!("no"); std::process::exit(3) }
"#,
        &expect![[r#"
            Failed toy::tests/bad (tests/bad.rs, )
                exit code 3
                no
            Passed toy::tests/good (tests/good.rs, )
        "#]],
    );
}

#[test]
fn tests_in_documentation_have_ids_without_lines() {
    check(
        r#"
//- src/lib.rs
//! ```
//! assert_eq!(toy::area(2), 4);
//! ```

/// ```
/// assert_eq!(toy::area(2), 4);
/// ```
///
/// ```
/// assert_eq!(toy::area(2), 5);
/// ```
///
/// ```ignore
/// what
/// ```
///
/// ```compile_fail
/// toy::area("");
/// ```
pub fn area(x: u32) -> u32 { x * x }
"#,
        &expect![[r#"
            Passed toy::doc::src/lib.rs (src/lib.rs, )
            Passed toy::doc::src/lib.rs - area (src/lib.rs, )
            Failed toy::doc::src/lib.rs - area#2 (src/lib.rs, )
                panic: assertion `left == right` failed
                  left: 4
                 right: 5
            Skipped toy::doc::src/lib.rs - area#3 (src/lib.rs, )
                ignored
            Passed toy::doc::src/lib.rs - area#4 (src/lib.rs, )
        "#]],
    );
}

#[test]
fn what_ends_the_process_is_an_error_and_the_others_are_run() {
    check(
        r#"
//- src/lib.rs
#[test]
fn a_good() {}
#[test]
fn b_aborts() { std::process::abort() }
#[test]
fn c_good() {}
#[test]
fn d_leaves() { std::process::exit(0) }
#[test]
fn e_overflows() { fn down(x: u64) -> u64 { std::hint::black_box(down(x + 1)) + 1 } down(0); }
#[test]
fn f_bad() { panic!("as usual") }
"#,
        &expect![[r#"
            Passed toy::lib::a_good (src/lib.rs, a_good)
            Error toy::lib::b_aborts (src/lib.rs, b_aborts)
                the test process ended while this test was running (killed by signal 6)
            Passed toy::lib::c_good (src/lib.rs, c_good)
            Error toy::lib::d_leaves (src/lib.rs, d_leaves)
                the test process ended while this test was running (exit code 0)
            Error toy::lib::e_overflows (src/lib.rs, e_overflows)
                the test process ended while this test was running (killed by signal 6)
                thread 'e_overflows' has overflowed its stack
                fatal runtime error: stack overflow, aborting
            Failed toy::lib::f_bad (src/lib.rs, f_bad)
                panic: as usual
                at src/lib.rs:12 f_bad
        "#]],
    );
}

#[test]
fn what_hangs_is_an_error_and_the_others_are_run() {
    let place = place(
        r#"
//- src/lib.rs
#[test]
fn a_good() {}
#[test]
fn b_hangs() { loop { std::thread::park() } }
#[test]
fn c_good() {}
"#,
    );
    let Some(prepared) = place.prepare() else {
        return;
    };
    let expected = expect![[r#"
        Passed toy::lib::a_good (src/lib.rs, a_good)
        Error toy::lib::b_hangs (src/lib.rs, b_hangs)
            the test process ended while this test was running (killed after the time limit)
        Passed toy::lib::c_good (src/lib.rs, c_good)
    "#]];
    let short = Limits {
        wall: Duration::from_secs(20),
        ..Prepared::limits()
    };
    let by_limit = prepared.run_within(&Selection::All, false, short);
    let patience = Some(Duration::from_secs(2));
    let by_silence = prepared.run_patiently(&Selection::All, false, Prepared::limits(), patience);
    for run in [by_limit, by_silence] {
        assert_eq!(run.ended, Ended::TimedOut);
        assert!(run.complete, "every test has its result");
        expected.assert_eq(&results(&run.trace));
    }
}

#[test]
fn what_does_not_compile_is_an_error_of_its_files() {
    let mut prepared = match place(
        r#"
//- src/lib.rs
pub mod shapes;
pub fn two() -> u32 { 2 }
//- src/shapes.rs
pub fn area(x: u32) -> u32 { x * x }
#[cfg(test)]
mod tests {
    #[test]
    fn inside() { assert_eq!(super::area(2), 4) }
}
//- tests/areas.rs
#[test]
fn outside() { assert_eq!(toy::shapes::area(2), 4) }
//- tests/others.rs
#[test]
fn other() { assert_eq!(toy::two(), 2) }
"#,
    )
    .prepare()
    {
        Some(prepared) => prepared,
        None => return,
    };
    let all = prepared.run(&Selection::All, false);
    expect![[r#"
        Passed toy::lib::shapes::tests::inside (src/shapes.rs, tests.inside)
        Passed toy::tests/areas::outside (tests/areas.rs, outside)
        Passed toy::tests/others::other (tests/others.rs, other)
    "#]]
    .assert_eq(&results(&all.trace));
    prepared.edit("src/shapes.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn inside() { assert_eq!(super::area(2), 4) }\n}\n");
    let without = prepared.run(&Selection::All, false);
    expect![[r#"
        Passed toy::tests/others::other (tests/others.rs, other)
        Uncollected src/lib.rs
            build failed: E0425: error[E0425]: cannot find function `area` in module `super`
            at src/shapes.rs:4 
        Uncollected src/shapes.rs
            build failed: E0425: error[E0425]: cannot find function `area` in module `super`
            at src/shapes.rs:4 
        Uncollected tests/areas.rs
            build failed: E0425: error[E0425]: cannot find function `area` in module `toy::shapes`
            at tests/areas.rs:2 
    "#]]
    .assert_eq(&results(&without.trace));
    prepared.edit("src/lib.rs", "pub fn two() -> u32 { \"2\" }\n");
    let broken = prepared.run(&Selection::All, false);
    expect![[r#"
        Uncollected src/lib.rs
            build failed: E0308: error[E0308]: mismatched types
            at src/lib.rs:1 
        Uncollected src/shapes.rs
            build failed: E0308: error[E0308]: mismatched types
            at src/lib.rs:1 
        Uncollected tests/areas.rs
            build failed: E0308: error[E0308]: mismatched types
            at src/lib.rs:1 
        Uncollected tests/others.rs
            build failed: E0308: error[E0308]: mismatched types
            at src/lib.rs:1 
    "#]]
    .assert_eq(&results(&broken.trace));
    prepared.edit("", "");
    let again = prepared.run(&Selection::All, false);
    assert_eq!(
        results(&again.trace),
        results(&all.trace),
        "nothing stale is left"
    );
}

#[test]
fn tests_are_selected_by_id_and_by_path() {
    let place = place(
        r#"
//- src/lib.rs
#[cfg(test)]
mod tests {
    #[test]
    fn one() {}
    #[test]
    fn one_more() {}
}
/// ```
/// ```
pub fn documented() {}
//- tests/a.rs
#[test]
fn one() {}
//- tests/b.rs
#[test]
fn one() {}
"#,
    );
    let Some(prepared) = place.prepare() else {
        return;
    };
    let ran = |selection: &Selection| results(&prepared.run(selection, false).trace);
    expect![[r#"
        Passed toy::lib::tests::one (src/lib.rs, tests.one)
        Passed toy::tests/b::one (tests/b.rs, one)
    "#]]
    .assert_eq(&ran(&ids(&["toy::lib::tests::one", "toy::tests/b::one"])));
    expect![[r#"
        Passed toy::doc::src/lib.rs - documented (src/lib.rs, )
    "#]]
    .assert_eq(&ran(&ids(&["toy::doc::src/lib.rs - documented"])));
    expect![[r#"
        Passed toy::tests/a::one (tests/a.rs, one)
    "#]]
    .assert_eq(&ran(&paths(&["tests/a.rs"])));
    expect![[r#"
        Passed toy::lib::tests::one (src/lib.rs, tests.one)
        Passed toy::lib::tests::one_more (src/lib.rs, tests.one_more)
        Passed toy::doc::src/lib.rs - documented (src/lib.rs, )
    "#]]
    .assert_eq(&ran(&paths(&["src"])));
}

#[test]
fn a_workspace_has_the_tests_of_its_members_only() {
    let place = Place::new(
        r#"
//- Cargo.toml
[workspace]
members = ["one", "two"]
exclude = ["three"]
resolver = "2"
//- one/Cargo.toml
[package]
name = "one"
version = "0.1.0"
edition = "2021"
//- one/src/lib.rs
pub fn one() -> u32 { 1 }
#[test]
fn counts() { assert_eq!(one(), 1); assert!(std::path::Path::new("here.txt").exists()) }
//- one/here.txt
//- two/Cargo.toml
[package]
name = "two"
version = "0.1.0"
edition = "2024"
[dependencies]
one = { path = "../one" }
//- two/src/lib.rs
/// ```
/// assert_eq!(two::two(), 2);
/// ```
pub fn two() -> u32 { one::one() + 1 }
#[test]
fn counts() { assert_eq!(two(), 3) }
//- three/Cargo.toml
[package]
name = "three"
version = "0.1.0"
//- three/src/lib.rs
#[test]
fn counts() {}
"#,
    );
    let Some(prepared) = place.prepare() else {
        return;
    };
    expect![[r#"
        Passed one::lib::counts (one/src/lib.rs, counts)
        Failed two::lib::counts (two/src/lib.rs, counts)
            panic: assertion `left == right` failed
              left: 2
             right: 3
            at two/src/lib.rs:6 counts
        Passed two::doc::two/src/lib.rs - two (two/src/lib.rs, )
    "#]]
    .assert_eq(&results(&prepared.run(&Selection::All, false).trace));
}
