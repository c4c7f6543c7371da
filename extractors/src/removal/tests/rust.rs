//! Rust: what is cut, and what is left.

use std::collections::BTreeSet;

use analyzer::symbol::SymbolId;
use expect_test::expect;

use super::{bytes, check, check_analysis};
use crate::removal::{Project, RemovalPlan, blockers};
use crate::testing::analysis;

#[test]
fn an_item_goes_with_its_attributes_documentation_and_comments() {
    check(
        r#"
//- src/lib.rs
//! A crate.

use std::collections::{BTreeMap, HashMap};

/// Stays.
pub fn stays() -> HashMap<u8, u8> {
    HashMap::new()
}

// About it.
/// Goes.
#[inline]
pub fn goes() -> BTreeMap<u8, u8> {
    BTreeMap::new()
}

const LIMIT: u8 = 1;
"#,
        "src/lib.rs::goes",
        expect![[r#"
            //- src/lib.rs
            //! A crate.

            use std::collections::HashMap;

            /// Stays.
            pub fn stays() -> HashMap<u8, u8> {
                HashMap::new()
            }

            const LIMIT: u8 = 1;
            imports: BTreeMap (src/lib.rs)
        "#]],
    );
}

#[test]
fn a_type_takes_its_blocks_and_what_asks_for_it() {
    check(
        r#"
//- src/lib.rs
mod area;

use std::fmt;

pub struct Square(u8);

impl Square {
    pub fn side(&self) -> u8 {
        self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

pub struct Round(u8);

impl From<Square> for Round {
    fn from(square: Square) -> Self {
        Round(square.0)
    }
}
//- src/area.rs
use crate::{Round, Square};

pub trait Area {
    fn area(&self) -> u8;
}

impl Area for Square {
    fn area(&self) -> u8 {
        self.side()
    }
}

impl Area for Round {
    fn area(&self) -> u8 {
        3
    }
}
"#,
        "src/lib.rs::Square",
        expect![[r#"
            //- src/area.rs
            use crate::Round;

            pub trait Area {
                fn area(&self) -> u8;
            }

            impl Area for Round {
                fn area(&self) -> u8 {
                    3
                }
            }
            //- src/lib.rs
            mod area;

            pub struct Round(u8);
            imports: Square (src/area.rs), std::fmt (src/lib.rs)
        "#]],
    );
}

#[test]
fn a_method_of_a_trait_takes_its_implementations() {
    check(
        r#"
//- src/lib.rs
pub trait Area {
    fn area(&self) -> u8;

    fn twice(&self) -> u8;
}

pub struct Square;

impl Area for Square {
    fn area(&self) -> u8 {
        1
    }

    fn twice(&self) -> u8 {
        2
    }
}
"#,
        "src/lib.rs::Area.twice",
        expect![[r#"
            //- src/lib.rs
            pub trait Area {
                fn area(&self) -> u8;
            }

            pub struct Square;

            impl Area for Square {
                fn area(&self) -> u8 {
                    1
                }
            }
        "#]],
    );
}

#[test]
fn a_stub_binds_its_parameters_and_keeps_its_header() {
    check(
        r#"
//- src/lib.rs
/// Adds.
pub fn add(a: u8, (b, mut c): (u8, u8)) -> u8 {
    c += a;
    b + c
}

impl Square {
    /// Bare.
    #[must_use]
    pub(crate) async fn side<T>(&mut self) -> Option<T>
    where
        T: Copy,
    {
        None
    }
}

pub fn opaque() -> impl Iterator<Item = u8> {
    std::iter::empty()
}

struct Square;

pub trait Area {
    /// Twice.
    fn twice(&self) -> u8 {
        2
    }
}

impl Area for Square {
    /// Own.
    fn twice(&self) -> u8 {
        3
    }
}
"#,
        "[stub] src/lib.rs::add [bare] src/lib.rs::Square#impl.side [stub] src/lib.rs::opaque
         [bare] src/lib.rs::Area.twice [bare] src/lib.rs::Square#Area.twice",
        expect![[r#"
            //- src/lib.rs
            /// Adds.
            pub fn add(a: u8, (b, mut c): (u8, u8)) -> u8 {
                let _ = (&a, &b, &mut c);
                unimplemented!()
            }

            impl Square {
                /// To be implemented.
                #[must_use]
                pub(crate) async fn side<T>(&mut self) -> Option<T>
                where
                    T: Copy,
                {
                    unimplemented!()
                }
            }

            pub fn opaque() -> impl Iterator<Item = u8> {
                std::iter::empty()
            }

            struct Square;

            pub trait Area {
                /// To be implemented.
                fn twice(&self) -> u8 {
                    unimplemented!()
                }
            }

            impl Area for Square {
                fn twice(&self) -> u8 {
                    unimplemented!()
                }
            }
            problems: src/lib.rs::opaque was not removed: its result is a type that only its body names
        "#]],
    );
}

#[test]
fn files_take_their_mod_items_and_emptied_blocks_and_modules_go() {
    check(
        r#"
//- src/lib.rs
mod gone;
mod stays;

pub use gone::{Gone, helper};
pub use stays::f;

impl f {
    fn only() {}
}

mod inner {
    use super::f;

    pub fn g() {
        f()
    }
}
//- src/gone.rs
pub struct Gone;
pub fn helper() {}
//- src/stays.rs
pub fn f() {}
"#,
        "src/gone.rs src/lib.rs::f#impl.only src/lib.rs::inner.g",
        expect![[r#"
            //- src/gone.rs is gone
            //- src/lib.rs
            mod stays;

            pub use stays::f;
            imports: mod gone; (src/lib.rs), Gone (src/lib.rs), helper (src/lib.rs), super::f (src/lib.rs)
        "#]],
    );
}

#[test]
fn imports_lose_names_as_the_formatter_would_lay_them_out() {
    check(
        r#"
//- src/lib.rs
mod a;

use crate::a::{
    self, deep::{one, two},
    three,
};
use crate::a::{first_long_name, fourth_long_name, second_long_name, third_long_name, three as drei};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

fn f() -> BTreeMap<u8, fmt::Error> {
    first_long_name();
    second_long_name();
    one();
    a::three();
}

fn g() -> HashMap<u8, u8> {
    third_long_name();
    fourth_long_name();
    two();
    three();
    drei();
}
//- src/a.rs
pub mod deep {
    pub fn one() {}
    pub fn two() {}
}
pub fn three() {}
pub fn first_long_name() {}
pub fn second_long_name() {}
pub fn third_long_name() {}
pub fn fourth_long_name() {}
"#,
        "src/lib.rs::g",
        expect![[r#"
            //- src/lib.rs
            mod a;

            use crate::a::{self, deep::one};
            use crate::a::{first_long_name, second_long_name};
            use std::{collections::BTreeMap, fmt};

            fn f() -> BTreeMap<u8, fmt::Error> {
                first_long_name();
                second_long_name();
                one();
                a::three();
            }
            imports: two (src/lib.rs), three (src/lib.rs), fourth_long_name (src/lib.rs), third_long_name (src/lib.rs), three as drei (src/lib.rs), HashMap (src/lib.rs)
        "#]],
    );
}

#[test]
fn what_a_trait_asks_for_blocks_and_a_use_by_name_needs_every_meaning() {
    let analysis = analysis(
        r#"
//- src/lib.rs
pub struct A;
pub struct B;
impl A { pub fn size(&self) {} pub fn alone(&self) {} }
impl B { pub fn size(&self) {} }
impl Drop for A { fn drop(&mut self) {} }
pub fn f(x: impl Unknown) { x.get().size(); }
"#,
    );
    let candidates = [
        "src/lib.rs::A#impl.size",
        "src/lib.rs::A#impl.alone",
        "src/lib.rs::A#Drop.drop",
        "src/lib.rs::A#Drop",
    ];
    let candidates = candidates.map(SymbolId::parse).into_iter().collect();
    let blocked = blockers(
        &Project::new(&analysis),
        &candidates,
        &BTreeSet::new(),
        &BTreeSet::new(),
    );
    let blocked: Vec<&str> = blocked.keys().map(SymbolId::as_str).collect();
    assert_eq!(
        blocked,
        [
            "src/lib.rs::A#Drop",
            "src/lib.rs::A#Drop.drop",
            "src/lib.rs::A#impl.size"
        ]
    );
}

#[test]
fn what_a_constant_or_an_opaque_type_needs_stays_with_all_that_its_body_needs() {
    let analysis = analysis(
        r#"
//- src/lib.rs
pub const LIMIT: usize = twice(2);
const fn twice(x: usize) -> usize { helper(x) }
const fn helper(x: usize) -> usize { x * 2 }
pub fn all() -> impl Iterator<Item = u8> { source().into_iter() }
fn source() -> Vec<u8> { Vec::new() }
pub fn stays() { all(); }
"#,
    );
    let names = ["twice", "helper", "all", "source"];
    let ids = names.map(|name| SymbolId::parse(&format!("src/lib.rs::{name}")));
    let blocked = blockers(
        &Project::new(&analysis),
        &ids.clone().into(),
        &BTreeSet::new(),
        &BTreeSet::new(),
    );
    assert_eq!(blocked.into_keys().collect::<BTreeSet<_>>(), ids.into());
}

#[test]
fn line_ends_of_an_item_stay_what_they_are() {
    check_analysis(
        &bytes(&[(
            "src/lib.rs",
            "⌁use std::fmt;␍\n␍\n/// Goes.␍\nfn f() -> fmt::Error {␍\n    fmt::Error␍\n}␍\n␍\nfn g(x: u8) -> u8 {␍\n    x␍\n}␍\n",
        )]),
        "src/lib.rs::f [stub] src/lib.rs::g",
        expect![[r#"
            //- src/lib.rs
            ⌁fn g(x: u8) -> u8 {␍
                let _ = &x;␍
                unimplemented!()␍
            }␍
            imports: std::fmt (src/lib.rs)
        "#]],
    );
}

#[test]
fn examples_leave_documentation_in_blocks() {
    check(
        r#"
//- src/lib.rs
/*!
Two of them.

# Example

```
assert_eq!(demo::two(), 2);
```

# Notes

See [`two`].
*/

/**
 * Two.
 *
 * For example:
 *
 * ```
 * assert_eq!(demo::two(), 2);
 * ```
 */
pub fn two() -> u8 {
    2
}
"#,
        "[examples] src/lib.rs [examples] src/lib.rs::two",
        expect![[r#"
            //- src/lib.rs
            /*!
            Two of them.

            # Notes

            See [`two`].
            */

            /**
             * Two.
             */
            pub fn two() -> u8 {
                2
            }
        "#]],
    );
}

#[test]
fn examples_leave_the_documentation_of_what_stays() {
    check(
        r#"
//- src/lib.rs
//! About all.
//!
//! ```
//! demo::stays();
//! ```
//!
//! # More
//!
//! ```text
//! no code
//! ```

/// Stays.
///
/// # Examples
///
/// Basic usage:
///
/// ```rust,no_run
/// demo::stays();
/// ```
///
/// # Panics
///
/// Never.
pub fn stays() {}

/// Shown:
/// ```should_panic
/// # fn main() {
/// demo::shown();
/// # }
/// ```
pub fn shown() {}

/// Has none.
pub fn plain() {}
"#,
        "[examples] src/lib.rs [examples] src/lib.rs::stays [examples] src/lib.rs::shown [examples] src/lib.rs::plain",
        expect![[r#"
            //- src/lib.rs
            //! About all.
            //!
            //! # More
            //!
            //! ```text
            //! no code
            //! ```

            /// Stays.
            ///
            /// # Panics
            ///
            /// Never.
            pub fn stays() {}

            /// Shown:
            pub fn shown() {}

            /// Has none.
            pub fn plain() {}
            problems: src/lib.rs::plain was not removed: its documentation has no examples that can be cut out
        "#]],
    );
}

#[test]
fn what_nothing_uses_until_the_feature_is_back_is_marked() {
    let before = analysis(
        r#"
//- src/lib.rs
pub fn gone() {
    helper(Kind::B);
}
/// Helps.
#[inline]
fn helper(_: Kind) {}
enum Kind {
    /// The first.
    A,
    B,
}
enum Short { C, D }
pub fn gone_too() {}
struct Bare;
enum Named {
    E,
    F { x: u8 },
}
"#,
    );
    let ids = [
        "helper", "Kind.A", "Kind.B", "Short.C", "Short.D", "Bare", "Named.E", "gone",
    ];
    let ids = ids.map(|name| SymbolId::parse(&format!("src/lib.rs::{name}")));
    let plan = RemovalPlan {
        actions: super::actions("src/lib.rs::gone\nsrc/lib.rs::gone_too"),
        silenced: ids.into(),
        ..RemovalPlan::default()
    };
    let removal = super::remove(&Project::new(&before), &plan);
    super::check_laws(&before, &plan, &removal);
    expect![[r#"
        //- src/lib.rs
        /// Helps.
        #[allow(dead_code)]
        #[inline]
        fn helper(_: Kind) {}
        enum Kind {
            /// The first.
            #[allow(dead_code)]
            A,
            #[allow(dead_code)]
            B,
        }
        #[allow(dead_code)]
        enum Short { C, D }
        #[allow(dead_code)]
        struct Bare;
        #[allow(dead_code)]
        enum Named {
            E,
            F { x: u8 },
        }
    "#]]
    .assert_eq(&super::rendered(&removal));
}

#[test]
fn an_import_for_code_that_this_build_leaves_out_stays_and_is_marked() {
    let before = analysis(
        r#"
//- src/tests.rs
use std::boxed::Box;
use std::{rc::Rc, sync::Arc};

#[test]
fn goes() {
    Box::new(1);
    Rc::new(2);
    Arc::new(3);
}

#[cfg(feature = "more")]
#[test]
fn is_left_out() {
    Box::new(1);
    Rc::new(2);
}

#[cfg(feature = "more")]
mod more {
    use std::boxed::Box;
    fn is_seen() {
        Box::new(1);
    }
}
"#,
    );
    let plan = RemovalPlan {
        actions: super::actions("src/tests.rs::goes"),
        imports: [("src/tests.rs".to_owned(), [0, 1, 2, 3].into())].into(),
        ..RemovalPlan::default()
    };
    let removal = super::remove(&Project::new(&before), &plan);
    super::check_laws(&before, &plan, &removal);
    expect![[r#"
        //- src/tests.rs
        #[allow(unused_imports)]
        use std::boxed::Box;
        #[allow(unused_imports)]
        use std::rc::Rc;

        #[cfg(feature = "more")]
        #[test]
        fn is_left_out() {
            Box::new(1);
            Rc::new(2);
        }

        #[cfg(feature = "more")]
        mod more {
            fn is_seen() {
                Box::new(1);
            }
        }
        imports: sync::Arc (src/tests.rs), std::boxed::Box (src/tests.rs)
    "#]]
    .assert_eq(&super::rendered(&removal));
}
