//! The rows of the page on pitfalls, in Rust. Each test names the row.

use expect_test::expect;

use super::{check, check_blocked};

// M1
#[test]
fn a_use_keeps_the_aliases_and_comments_of_the_names_that_stay() {
    check(
        r#"
//- src/lib.rs
mod core;

use crate::core::{
    a as alpha, // keep a
    b, // goes with b
    // about c
    c as gamma,

    // about d and h
    d, // goes with d
    h::{ // stays
        i, j, // stays, too
        k,
    },
};
use crate::core::{e as eps, f}; // both
pub use crate::core::{b as beta, g /* keep g */};

pub fn stays() {
    alpha();
    gamma();
    eps();
    i();
    k();
}
//- src/core.rs
pub fn a() {}
pub fn b() {}
pub fn c() {}
pub fn d() {}
pub fn e() {}
pub fn f() {}
pub fn g() {}
pub mod h {
    pub fn i() {}
    pub fn j() {}
    pub fn k() {}
}
"#,
        "src/core.rs::h.j src/core.rs::b src/core.rs::d src/core.rs::f",
        expect![[r#"
            //- src/core.rs
            pub fn a() {}
            pub fn c() {}
            pub fn e() {}
            pub fn g() {}
            pub mod h {
                pub fn i() {}
                pub fn k() {}
            }
            //- src/lib.rs
            mod core;

            use crate::core::{
                a as alpha, // keep a
                // about c
                c as gamma,

                // about d and h
                h::{ // stays
                    i, // stays, too
                    k,
                },
            };
            use crate::core::e as eps; // both
            pub use crate::core::{g /* keep g */};

            pub fn stays() {
                alpha();
                gamma();
                eps();
                i();
                k();
            }
            imports: b (src/lib.rs), d (src/lib.rs), j (src/lib.rs), f (src/lib.rs), b as beta (src/lib.rs)
        "#]],
    );
}

// M2
#[test]
fn a_use_that_is_the_only_statement_of_a_block_leaves_a_valid_block() {
    check(
        r#"
//- src/lib.rs
mod core;

pub fn f() {
    use crate::core::b;
}

pub fn g(x: bool) {
    if x {
        // why
        use core::b;
    }
}

mod inner { use crate::core::b; }
//- src/core.rs
pub fn a() {}
pub fn b() {}
"#,
        "src/core.rs::b",
        expect![[r#"
            //- src/core.rs
            pub fn a() {}
            //- src/lib.rs
            mod core;

            pub fn f() {}

            pub fn g(x: bool) {
                if x {}
            }
            imports: crate::core::b (src/lib.rs), core::b (src/lib.rs), crate::core::b (src/lib.rs)
        "#]],
    );
}

// M9, T2
#[test]
fn both_definitions_of_a_configuration_go() {
    check(
        r#"
//- src/lib.rs
pub use self::imp::f;

mod imp {
    #[cfg(unix)]
    pub fn f() {}

    #[cfg(not(unix))]
    pub fn f() {}

    pub fn g() {}
}
"#,
        "src/lib.rs::imp.f src/lib.rs::imp.f#2",
        expect![[r#"
            //- src/lib.rs
            mod imp {
                pub fn g() {}
            }
            imports: self::imp::f (src/lib.rs)
        "#]],
    );
    check_blocked(
        r#"
//- src/lib.rs
#[cfg(unix)]
fn f() {}
#[cfg(not(unix))]
fn f() {}
pub fn stays() { f() }
"#,
        &["src/lib.rs::f", "src/lib.rs::f#2"],
        expect![[r#"
            src/lib.rs::f
            src/lib.rs::f#2"#]],
    );
}

// M12
#[test]
fn comments_around_items_and_members_go_with_what_they_belong_to() {
    check(
        r#"
//- src/lib.rs
//! A crate.

/// The limit.
pub const LIMIT: u8 = 1; // stays

// Goes with area,
// and so does this.
/// Area.
pub fn area() {} // behind area

/* Goes with volume. */
pub fn volume() {}

// Stays with angle.
pub fn angle() {}

pub struct Square;

impl Square {
    // leads

    // about side
    pub fn side(&self) {} // behind side

    // trails
}

pub enum Kind {
    // about one
    One, // behind one
    // about two
    Two, // behind two
}
"#,
        "src/lib.rs::area src/lib.rs::volume src/lib.rs::Square#impl.side src/lib.rs::Kind.One",
        expect![[r#"
            //- src/lib.rs
            //! A crate.

            /// The limit.
            pub const LIMIT: u8 = 1; // stays

            // Stays with angle.
            pub fn angle() {}

            pub struct Square;

            pub enum Kind {
                // about two
                Two, // behind two
            }
        "#]],
    );
}

// M13
#[test]
fn re_exports_go_with_the_symbol() {
    check(
        r#"
//- src/lib.rs
mod core;

pub use core::run;
pub use core::{Shape, run as start, stop};

pub mod prelude {
    pub use crate::run;
    pub use crate::{Shape, start};
}
//- src/core.rs
pub struct Shape;
pub fn run() {}
pub fn stop() {}
"#,
        "src/core.rs::run",
        expect![[r#"
            //- src/core.rs
            pub struct Shape;
            pub fn stop() {}
            //- src/lib.rs
            mod core;

            pub use core::{Shape, stop};

            pub mod prelude {
                pub use crate::Shape;
            }
            imports: core::run (src/lib.rs), run as start (src/lib.rs), crate::run (src/lib.rs), start (src/lib.rs)
        "#]],
    );
}

// M14
#[test]
fn uses_that_a_configuration_makes_go_too() {
    check(
        r#"
//- src/lib.rs
mod core;

#[cfg(feature = "more")]
use core::f;
#[cfg(test)]
use core::{f as first, g};

#[cfg(test)]
fn stays() {
    g();
}
//- src/core.rs
pub fn f() {}
pub fn g() {}
"#,
        "src/core.rs::f",
        expect![[r#"
            //- src/core.rs
            pub fn g() {}
            //- src/lib.rs
            mod core;

            #[cfg(test)]
            use core::g;

            #[cfg(test)]
            fn stays() {
                g();
            }
            imports: core::f (src/lib.rs), f as first (src/lib.rs)
        "#]],
    );
}

// M15, M16
#[test]
fn uses_constants_and_fields_leave_by_name() {
    check(
        r#"
//- src/lib.rs
use std::fmt;

// How many.
const LIMIT: u8 = 1;
const OTHER: u8 = 2;

static NAMES: [&str; 1] = ["a"];

pub struct Square {
    pub side: u8,
    // Only for f.
    cache: u8,
}

pub fn f(square: &Square) -> fmt::Result {
    let _ = (LIMIT, NAMES, square.cache);
    Ok(())
}

pub fn stays() -> u8 {
    OTHER
}
"#,
        "src/lib.rs::f src/lib.rs::LIMIT src/lib.rs::NAMES src/lib.rs::Square.cache",
        expect![[r#"
            //- src/lib.rs
            // How many.
            const OTHER: u8 = 2;

            pub struct Square {
                pub side: u8,
            }

            pub fn stays() -> u8 {
                OTHER
            }
            imports: std::fmt (src/lib.rs)
        "#]],
    );
}

// M17
#[test]
fn blocks_with_a_comment_behind_their_header_lose_their_only_member() {
    check(
        r#"
//- src/lib.rs
pub struct Square { // note
    side: u8,
}

impl Square { // note
    fn one(&self) {}
}

impl Clone for Square { // note
    fn clone(&self) -> Self { Square { side: 1 } }
}

pub trait Area { // note
    fn area(&self);
}

pub enum Kind { // note
    One,
}

mod inner { // note
    pub fn f() {}
}

extern "C" { // note
    fn abs(x: i32) -> i32;
}

pub fn stays() {}
"#,
        "src/lib.rs::Square.side src/lib.rs::Square#impl.one src/lib.rs::Square#Clone.clone src/lib.rs::Area.area src/lib.rs::Kind.One src/lib.rs::inner.f src/lib.rs::abs",
        expect![[r#"
            //- src/lib.rs
            pub struct Square { // note
            }

            impl Clone for Square { // note
            }

            pub trait Area { // note
            }

            pub enum Kind { // note
            }

            pub fn stays() {}
        "#]],
    );
}

// M18
#[test]
fn headings_of_sections_go_with_the_last_item_below_them() {
    check(
        r#"
//- src/lib.rs
//! A crate.

// ---- Areas ----

/// Area.
pub fn area() {}

// ---- Volumes ----

pub fn volume() {}

pub fn cube() {}

// ===========
// Angles
// ===========

pub fn angle() {}

// region Times
pub fn time() {}
// endregion

pub struct Square;

impl Square {
    // ---- Sides ----

    pub fn side(&self) {}

    // ---- Rest ----

    pub fn rest(&self) {}
}
"#,
        "src/lib.rs::area src/lib.rs::volume src/lib.rs::angle src/lib.rs::time src/lib.rs::Square#impl.side",
        expect![[r#"
            //- src/lib.rs
            //! A crate.

            // ---- Volumes ----

            pub fn cube() {}

            // ===========
            // Angles
            // ===========

            pub struct Square;

            impl Square {
                // ---- Rest ----

                pub fn rest(&self) {}
            }
        "#]],
    );
}

// M20, R5
#[test]
fn a_use_that_a_star_passes_on_stays_if_somebody_uses_it_there() {
    check(
        r#"
//- src/lib.rs
mod base;
mod core;
pub use core::*;
mod user {
    use crate::*;
    fn stays() {
        kept();
    }
}
//- src/core.rs
pub use crate::base::{gone, kept};
use crate::base::private;
pub fn f() {
    private();
}
//- src/base.rs
pub fn gone() {}
pub fn kept() {}
pub fn private() {}
"#,
        "src/core.rs::f src/base.rs::gone",
        expect![[r#"
            //- src/base.rs
            pub fn kept() {}
            pub fn private() {}
            //- src/core.rs
            pub use crate::base::kept;
            imports: gone (src/core.rs), crate::base::private (src/core.rs)
        "#]],
    );
    check(
        r#"
//- src/lib.rs
mod core;
pub use core::*;
use crate::core::inner::*;
//- src/core.rs
pub mod inner {
    pub fn f() {}
}
pub fn stays() {}
"#,
        "src/core.rs::inner.f",
        expect![[r#"
            //- src/core.rs
            pub fn stays() {}
            //- src/lib.rs
            mod core;
            pub use core::*;
            imports: crate::core::inner::* (src/lib.rs)
        "#]],
    );
    check(
        r#"
//- src/lib.rs
mod base;
use base::{first, second, third};
pub fn f() {
    first();
    second();
    third();
}
mod inner {
    pub use super::*;
    fn stays() {
        first();
    }
    mod deep {
        use super::*;
        fn stays() {
            second();
        }
    }
}
//- src/base.rs
pub fn first() {}
pub fn second() {}
pub fn third() {}
"#,
        "src/lib.rs::f",
        expect![[r#"
            //- src/lib.rs
            mod base;
            use base::{first, second};
            mod inner {
                pub use super::*;
                fn stays() {
                    first();
                }
                mod deep {
                    use super::*;
                    fn stays() {
                        second();
                    }
                }
            }
            imports: third (src/lib.rs)
        "#]],
    );
}

// R7
#[test]
fn a_function_in_a_table_of_a_kept_test_keeps_its_name() {
    check_blocked(
        r#"
//- src/lib.rs
pub fn f() -> u8 { 1 }
pub struct K;
impl K { pub fn go() -> u8 { 1 } }
pub fn other() {}
//- tests/it.rs
use demo::{K, f};
const CASES: [fn() -> u8; 1] = [f];
#[test]
fn all() {
    for case in CASES { case(); }
    for case in [K::go] { case(); }
}
//- Cargo.toml
[package]
name = "demo"
"#,
        &[
            "src/lib.rs::f",
            "src/lib.rs::K#impl.go",
            "src/lib.rs::other",
        ],
        expect![[r#"
            src/lib.rs::K#impl.go
            src/lib.rs::f"#]],
    );
}

// C4
#[test]
fn items_that_start_alike_are_different_symbols() {
    check(
        r#"
//- src/lib.rs
use self::parse::par;

pub mod parse {
    pub fn par() {}
    pub fn parse() {}
}

pub mod parse_version {
    pub fn parse() {}
}

pub struct Par;
pub struct Parse;
impl Par { pub fn par(&self) {} }
impl Parse { pub fn par(&self) {} }

pub fn stays() {
    par();
}
"#,
        "src/lib.rs::parse.parse src/lib.rs::Par",
        expect![[r#"
            //- src/lib.rs
            use self::parse::par;

            pub mod parse {
                pub fn par() {}
            }

            pub mod parse_version {
                pub fn parse() {}
            }

            pub struct Parse;
            impl Parse { pub fn par(&self) {} }

            pub fn stays() {
                par();
            }
        "#]],
    );
}

#[test]
fn links_to_what_leaves_become_plain_words() {
    check(
        r#"
//- src/lib.rs
//! A [`Square`] has sides, and so has a [round](Round) thing; see [`area`].
//! In [`mod@area`] there is [`area()`].
//!
//! [`area`]: area::area
#![deny(rustdoc::broken_intra_doc_links)]

pub mod area;

pub use area::area;

/// Beside [`Square::side`] there is [the `area`][area::area], which
/// [takes a
/// `Square`](Square).
///
/// # Errors
///
/// None.
///
/// [area::area]: crate::area::area
/// [`Round`]: Round
pub struct Round;

/// Goes.
pub struct Square(u8);

impl Square {
    /// Goes, see [`Self::side`].
    pub fn side(&self) -> u8 {
        self.0
    }
}

impl Round {
    /// Its [`Self::side`] is what a [`Square`] has: `[Square]`.
    pub fn side(&self) -> u8 {
        0
    }

    /// The [`Square`] of it.
    pub fn square(&self) -> u8 {
        0
    }
}
//- src/area.rs
use crate::Square;

/// Goes, see [`Square`].
pub fn area(of: Square) -> u8 {
    of.side()
}

/** As wide as a [`Square`]
and as [`super::Round`]. */
pub fn stays() {}
"#,
        "src/lib.rs::Square src/area.rs::area [bare] src/lib.rs::Round#impl.square",
        expect![[r#"
            //- src/area.rs
            /** As wide as a `Square`
            and as [`super::Round`]. */
            pub fn stays() {}
            //- src/lib.rs
            //! A `Square` has sides, and so has a [round](Round) thing; see `area`.
            //! In [`mod@area`] there is `area()`.
            #![deny(rustdoc::broken_intra_doc_links)]

            pub mod area;

            /// Beside `Square::side` there is the `area`, which
            /// takes a
            /// `Square`.
            ///
            /// # Errors
            ///
            /// None.
            ///
            /// [`Round`]: Round
            pub struct Round;

            impl Round {
                /// Its [`Self::side`] is what a `Square` has: `[Square]`.
                pub fn side(&self) -> u8 {
                    0
                }

                /// To be implemented.
                pub fn square(&self) -> u8 {
                    unimplemented!()
                }
            }
            imports: crate::Square (src/area.rs), area::area (src/lib.rs)
        "#]],
    );
}
