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

// S1, S2, S6
#[test]
fn headers_of_items_are_shown_in_full() {
    check(
        r#"
//- src/lib.rs
pub fn area<'a, T: Into<f64> + 'a, const N: usize>(
    &(w, h): &(T, T), // sizes
    mut more: [u8; N],
    map: impl Fn(&'a str) -> Option<&'a str>,
    _: *const u8,
) -> Result<impl Iterator<Item = T> + 'a, Box<dyn std::error::Error>>
where
    T: Copy,
{
    todo!()
}

pub unsafe extern "C" fn raw(x: i32, ...) -> ! {
    loop {}
}

pub(crate) trait Shape<T = u8>: Clone + Send + 'static
where
    T: Copy,
{
    const SIDES: usize = 4;
    type Item<'a>: Clone
    where
        Self: 'a;

    fn by_value(self: Box<Self>) -> Self::Item<'static>;
}

pub enum Kind<T> {
    /// One.
    One = 1,
    Tuple(T, u8),
    Record { x: T, y: u8 },
}

pub struct Tuple<T: ?Sized>(pub u8, u16, Box<T>);

pub struct Unit;

pub union Bits {
    pub int: u32,
    float: f32,
}

pub type Table<K, V = u8> = std::collections::BTreeMap<K, V>;

pub static mut COUNT: u8 = 0;
"#,
        "src/lib.rs::area src/lib.rs::raw src/lib.rs::Shape src/lib.rs::Kind src/lib.rs::Tuple src/lib.rs::Unit src/lib.rs::Bits src/lib.rs::Table src/lib.rs::COUNT",
        expect![[r##"
            # src/lib.rs::area
            pub fn area<'a, T: Into<f64> + 'a, const N: usize>(
                &(w, h): &(T, T), // sizes
                mut more: [u8; N],
                map: impl Fn(&'a str) -> Option<&'a str>,
                _: *const u8,
            ) -> Result<impl Iterator<Item = T> + 'a, Box<dyn std::error::Error>>
            where
                T: Copy;

            # src/lib.rs::raw
            pub unsafe extern "C" fn raw(x: i32, ...) -> !;

            # src/lib.rs::Shape
            pub(crate) trait Shape<T = u8>: Clone + Send + 'static
            where
                T: Copy,
            {
                const SIDES: usize;
                type Item<'a>: Clone
                where
                    Self: 'a;

                fn by_value(self: Box<Self>) -> Self::Item<'static>;
            }

            # src/lib.rs::Kind
            pub enum Kind<T> {
                /// One.
                One = 1,
                Tuple(T, u8),
                Record { x: T, y: u8 },
            }

            # src/lib.rs::Tuple
            pub struct Tuple<T: ?Sized>(pub u8, u16, Box<T>);

            # src/lib.rs::Unit
            pub struct Unit;

            # src/lib.rs::Bits
            pub union Bits {
                pub int: u32,
            }

            # src/lib.rs::Table
            pub type Table<K, V = u8> = std::collections::BTreeMap<K, V>;

            # src/lib.rs::COUNT
            pub static mut COUNT: u8;
        "##]],
    );
}
