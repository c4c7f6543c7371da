//! What the compiler says about a tree.

use expect_test::expect;

use super::support::Place;

#[test]
fn errors_and_what_is_unused_have_places() {
    let place = Place::new(
        r#"
//- Cargo.toml
[package]
name = "toy"
version = "0.1.0"
edition = "2021"
//- src/lib.rs
use std::collections::{BTreeMap, HashMap};
use std::fmt;

pub fn table() -> HashMap<u32, u32> { HashMap::new() }
fn idle() {}
struct Idle { field: u32 }

pub mod bits {
    pub trait Bits { const EMPTY: u32; }
    impl Bits for u8 { const EMPTY: u32 = 0; }
}
//- tests/broken.rs
#[test]
fn broken() { toy::missing(); let x: u32 = ""; let _ = u8::EMPTY; }
"#,
    );
    let Some(prepared) = place.prepare() else {
        return;
    };
    let lines: Vec<String> = prepared
        .check()
        .iter()
        .map(|one| {
            let level = if one.is_error { "error" } else { "warning" };
            let unused = one.unused.map(|unused| format!(" {unused:?}"));
            format!(
                "{}:{}:{} {level}{} {}\n",
                one.path,
                one.line,
                one.column,
                unused.unwrap_or_default(),
                one.message
            )
        })
        .collect();
    expect![[r#"
        src/lib.rs:1:24 warning Import unused import: `BTreeMap`
        src/lib.rs:2:5 warning Import unused import: `std::fmt`
        src/lib.rs:5:4 warning Definition function `idle` is never used
        src/lib.rs:6:8 warning Definition struct `Idle` is never constructed
        tests/broken.rs:2:20 error cannot find function `missing` in crate `toy`
        tests/broken.rs:2:44 error mismatched types
        tests/broken.rs:2:60 error no associated item named `EMPTY` found for type `u8` in the current scope; trait `Bits` which provides `EMPTY` is implemented but not in scope; perhaps you want to import it
    "#]]
    .assert_eq(&lines.concat());
}
