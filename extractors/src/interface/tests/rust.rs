//! Interfaces of Rust.

use expect_test::expect;

use super::check;

#[test]
fn functions_and_types_are_shown_without_bodies_and_private_parts() {
    check(
        r#"
//- src/lib.rs
use std::fmt;

/// A square.
#[derive(Clone)]
pub struct Square<T> {
    /// How wide.
    pub side: T,
    // Only for us.
    cache: Option<T>,
}

impl<T: Copy> Square<T> {
    /// Makes one.
    pub const fn new(side: T) -> Self {
        Self { side, cache: None }
    }

    fn secret(&self) {}
}

impl<T> fmt::Display for Square<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

pub trait Area {
    type Unit;

    /// How much.
    fn area(&self) -> u8;

    fn twice(&self) -> u8 {
        self.area() * 2
    }
}

pub mod inner {
    pub async unsafe fn f<'a>(x: &'a str) -> &'a str
    where
        u8: Copy,
    {
        x
    }

    pub fn other() {}
}

pub const LIMIT: usize = 3;
"#,
        "src/lib.rs::Square src/lib.rs::Area src/lib.rs::inner.f src/lib.rs::LIMIT",
        expect![[r#"
            # src/lib.rs::Square
            /// A square.
            #[derive(Clone)]
            pub struct Square<T> {
                /// How wide.
                pub side: T,
            }

            # src/lib.rs::Square#impl
            impl<T: Copy> Square<T> {
                /// Makes one.
                pub const fn new(side: T) -> Self;
            }

            # src/lib.rs::Square#Display
            impl<T> fmt::Display for Square<T> {
            }

            # src/lib.rs::Area
            pub trait Area {
                type Unit;

                /// How much.
                fn area(&self) -> u8;

                fn twice(&self) -> u8;
            }

            # src/lib.rs::inner
            pub mod inner {
                pub async unsafe fn f<'a>(x: &'a str) -> &'a str
                where
                    u8: Copy;
            }

            # src/lib.rs::LIMIT
            pub const LIMIT: usize;
        "#]],
    );
}
