//! Rust: which symbols a file has, and what names mean.

mod common;

use common::{host, imports, references, symbols};
use expect_test::{Expect, expect};

fn check_symbols(text: &str, expected: Expect) {
    let host = host(&format!("//- src/lib.rs\n{text}"));
    assert!(host.analysis().problems("src/lib.rs").is_empty());
    expected.assert_eq(&symbols(&host.analysis(), "src/lib.rs"));
}

#[test]
fn every_kind_of_item_is_a_symbol() {
    check_symbols(
        r#"
// A comment.
/// A box.
#[derive(Debug)]
pub struct Box<T> {
    /// How wide.
    pub width: T,
}
struct Unit;
enum Shape { Round, Square { side: u8 } }
impl<T> Box<T> {
    const SIDES: u8 = 4;
    fn area(&self) -> T { todo!() }
}
impl<T> std::fmt::Display for Box<T> {
    fn fmt(&self) {}
}
trait Area { type Unit; fn area(&self); }
mod inner {
    pub fn f() { fn nested() {} }
}
static COUNT: u8 = 0;
type Alias = Box<u8>;
macro_rules! twice { ($x:expr) => { $x + $x }; }
"#,
        expect![[r#"
            src/lib.rs::Box Class line 3 Box | /// A box.⏎#[derive(Debug)]⏎pub struct Box<T> {⏎    /// How wide.⏎    pub width: T,⏎} | {⏎    /// How wide.⏎    pub width: T,⏎} | /// A box.
            src/lib.rs::Box.width Field line 6 width | /// How wide.⏎    pub width: T |  | /// How wide.
            src/lib.rs::Unit Class line 9 Unit | struct Unit; | 
            src/lib.rs::Shape Class line 10 Shape | enum Shape { Round, Square { side: u8 } } | { Round, Square { side: u8 } }
            src/lib.rs::Shape.Round Field line 10 Round | Round | 
            src/lib.rs::Shape.Square Field line 10 Square | Square { side: u8 } | 
            src/lib.rs::Shape.Square.side Field line 10 side | side: u8 | 
            src/lib.rs::Box#impl Implementation line 11 Box<T> | impl<T> Box<T> {⏎    const SIDES: u8 = 4;⏎    fn area(&self) -> T { todo!() }⏎} | {⏎    const SIDES: u8 = 4;⏎    fn area(&self) -> T { todo!() }⏎}
            src/lib.rs::Box#impl.SIDES Field line 12 SIDES | const SIDES: u8 = 4; | 
            src/lib.rs::Box#impl.area Method line 13 area | fn area(&self) -> T { todo!() } | { todo!() }
            src/lib.rs::Box#Display Implementation line 15 Box<T> | impl<T> std::fmt::Display for Box<T> {⏎    fn fmt(&self) {}⏎} | {⏎    fn fmt(&self) {}⏎}
            src/lib.rs::Box#Display.fmt Method line 16 fmt | fn fmt(&self) {} | {}
            src/lib.rs::Area Class line 18 Area | trait Area { type Unit; fn area(&self); } | { type Unit; fn area(&self); }
            src/lib.rs::Area.Unit Class line 18 Unit | type Unit; | 
            src/lib.rs::Area.area Method line 18 area | fn area(&self); | 
            src/lib.rs::inner Namespace line 19 inner | mod inner {⏎    pub fn f() { fn nested() {} }⏎} | {⏎    pub fn f() { fn nested() {} }⏎}
            src/lib.rs::inner.f Function line 20 f | pub fn f() { fn nested() {} } | { fn nested() {} }
            src/lib.rs::inner.f.nested Function line 20 nested | fn nested() {} | {}
            src/lib.rs::COUNT Variable line 22 COUNT | static COUNT: u8 = 0; | 
            src/lib.rs::Alias Class line 23 Alias | type Alias = Box<u8>; | 
            src/lib.rs::twice Macro line 24 twice | macro_rules! twice { ($x:expr) => { $x + $x }; } | { ($x:expr) => { $x + $x }; }
        "#]],
    );
}

#[test]
fn repeated_names_are_told_apart() {
    check_symbols(
        r#"
#[cfg(unix)]
fn f() {}
#[cfg(windows)]
fn f() {}
struct A;
impl A {}
impl A {}
impl From<u8> for A {}
impl From<u16> for A {}
const _: () = ();
const _: () = ();
"#,
        expect![[r#"
            src/lib.rs::f Function line 2 f | #[cfg(unix)]⏎fn f() {} | {}
            src/lib.rs::f#2 Function line 4 f | #[cfg(windows)]⏎fn f() {} | {}
            src/lib.rs::A Class line 6 A | struct A; | 
            src/lib.rs::A#impl Implementation line 7 A | impl A {} | {}
            src/lib.rs::A#impl2 Implementation line 8 A | impl A {} | {}
            src/lib.rs::A#From Implementation line 9 A | impl From<u8> for A {} | {}
            src/lib.rs::A#From2 Implementation line 10 A | impl From<u16> for A {} | {}
            src/lib.rs::_ Variable line 11 _ | const _: () = (); | 
            src/lib.rs::_#2 Variable line 12 _ | const _: () = (); | 
        "#]],
    );
}

#[test]
fn tests_and_what_is_compiled_for_them_alone_are_known() {
    let host = host(
        r#"
//- src/lib.rs
fn f() {}
#[cfg(test)]
mod tests {
    fn helper() {}
    #[test]
    fn it_works() {}
}
#[cfg(all(test, unix))]
fn g() {}
#[cfg(not(test))]
fn h() {}
#[tokio::test]
async fn k() {}
"#,
    );
    let analysis = host.analysis();
    let symbols = analysis.symbols("src/lib.rs");
    let tests = symbols.iter().filter(|symbol| symbol.is_test);
    let tests: Vec<&str> = tests.map(|symbol| symbol.id.chain()).collect();
    assert_eq!(tests, ["tests", "tests.helper", "tests.it_works", "g", "k"]);
}

/// All references and imports of `src/lib.rs`.
fn check(fixture: &str, expected: Expect) {
    let host = host(fixture);
    let analysis = host.analysis();
    let shown = references(&analysis, "src/lib.rs", |_| true) + &imports(&analysis, "src/lib.rs");
    expected.assert_eq(&shown);
}

#[test]
fn paths_lead_through_modules_files_and_crates() {
    check(
        r#"
//- Cargo.toml
[package]
name = "boxes"
[dependencies]
shapes-lib = { path = "shapes" }
//- shapes/Cargo.toml
[package]
name = "shapes-lib"
//- shapes/src/lib.rs
pub struct Round;
//- src/lib.rs
mod area;
pub mod deep { pub mod er { pub fn f() {} } pub use self::er::f as g; }
#[path = "odd/place.rs"]
mod named;
use deep::{er, er::f, g};
pub use crate::area::{self as surface, Area};
use shapes_lib::*;
use std::fmt;
fn a() {
    f(); g(); er::f(); self::deep::er::f();
    surface::measure();
    named::here();
    let _: Round = Round;
    let _ = fmt::Error;
}
//- src/area.rs
pub trait Area {}
pub fn measure() { super::a() }
//- src/odd/place.rs
pub fn here() {}
"#,
        expect![[r#"
            5:g in (module) Implicit Never through 1 → 
            6:self as surface in (module) Implicit Never through 0 → 
            10:f in a Call WhenCalled through 4 → src/lib.rs::deep.er.f
            10:g in a Call WhenCalled through 5 → src/lib.rs::deep.er.f
            10:g in a Implicit WhenCalled through 1 → 
            10:er in a Read WhenCalled through 3 → src/lib.rs::deep.er
            10:f in a Call WhenCalled → src/lib.rs::deep.er.f
            10:self in a Read WhenCalled → src/lib.rs
            10:deep in a Read WhenCalled → src/lib.rs::deep
            10:er in a Read WhenCalled → src/lib.rs::deep.er
            10:f in a Call WhenCalled → src/lib.rs::deep.er.f
            11:surface in a Read WhenCalled through 6 → src/area.rs
            11:surface in a Implicit WhenCalled through 0 → 
            11:measure in a Call WhenCalled → src/area.rs::measure
            12:named in a Read WhenCalled through 2 → src/odd/place.rs
            12:here in a Call WhenCalled → src/odd/place.rs::here
            13:Round in a Annotation WhenCalled through 8 → shapes/src/lib.rs::Round
            13:Round in a Read WhenCalled through 8 → shapes/src/lib.rs::Round
            14:fmt in a Read WhenCalled through 9 → 
            1:mod area; as area in src/lib.rs Never from ? → src/area.rs
            2:self::er::f as g as g in src/lib.rs::deep Never from src/lib.rs → src/lib.rs::deep.er.f
            3:#[path = "odd/place.rs"] as named in src/lib.rs Never from ? → src/odd/place.rs
            5:er as er in src/lib.rs Never from src/lib.rs → src/lib.rs::deep.er
            5:er::f as f in src/lib.rs Never from src/lib.rs → src/lib.rs::deep.er.f
            5:g as g in src/lib.rs Never from src/lib.rs → src/lib.rs::deep.er.f
            6:self as surface as surface in src/lib.rs Never from src/lib.rs → src/area.rs
            6:Area as Area in src/lib.rs Never from src/area.rs → src/area.rs::Area
            7:shapes_lib::* as * in src/lib.rs Never from shapes/src/lib.rs → shapes/src/lib.rs::Round
            8:std::fmt as fmt in src/lib.rs Never from ? → 
        "#]],
    );
}

#[test]
fn methods_are_found_by_type_or_by_name() {
    check(
        r#"
//- src/lib.rs
struct Square { side: u8, inner: Inner }
struct Inner(u8);
impl Inner { fn size(&self) -> u8 { self.0 } }
trait Area { fn area(&self) -> u8; fn twice(&self) -> u8 { self.area() * 2 } }
impl Area for Square { fn area(&self) -> u8 { self.side * self.inner.size() } }
impl Square {
    fn new(side: u8) -> Self { Self { side, inner: Inner(side) } }
    fn size(&self) -> u8 { 1 }
}
impl Drop for Square { fn drop(&mut self) {} }
fn f<T: Area>(x: &T, squares: Vec<Square>, unknown: impl Unknown) {
    x.twice();
    let square = Square::new(3);
    square.area();
    for one in &squares { one.size(); }
    squares.iter().map(|it| it.size());
    squares.len();
    unknown.get().size();
    Square::area(&square);
    <Square as Area>::twice(&square);
    assert_eq!(square.size(), 1);
}
"#,
        expect![[r#"
            1:Square in Square Implicit WhenCalled → ?src/lib.rs::Square#Drop.drop
            1:Inner in Square.inner Annotation Never → src/lib.rs::Inner
            3:Inner in Inner#impl Annotation Never → src/lib.rs::Inner
            4:area in Area.twice Call WhenCalled → src/lib.rs::Area.area
            5:Area in Square#Area Base Never → src/lib.rs::Area
            5:Square in Square#Area Annotation Never → src/lib.rs::Square
            5:side in Square#Area.area Read WhenCalled → src/lib.rs::Square.side
            5:inner in Square#Area.area Read WhenCalled → src/lib.rs::Square.inner
            5:size in Square#Area.area Call WhenCalled → src/lib.rs::Inner#impl.size
            6:Square in Square#impl Annotation Never → src/lib.rs::Square
            7:inner in Square#impl.new Write WhenCalled → src/lib.rs::Square.inner
            7:Inner in Square#impl.new Call WhenCalled → src/lib.rs::Inner
            10:Square in Square#Drop Annotation Never → src/lib.rs::Square
            11:Area in f Annotation Never → src/lib.rs::Area
            11:Square in f Annotation Never → src/lib.rs::Square
            12:twice in f Call WhenCalled → src/lib.rs::Area.twice
            13:Square in f Read WhenCalled → src/lib.rs::Square
            13:new in f Call WhenCalled → src/lib.rs::Square#impl.new
            14:area in f Call WhenCalled → src/lib.rs::Area.area src/lib.rs::Square#Area.area
            15:size in f Call WhenCalled → src/lib.rs::Square#impl.size
            16:size in f Call WhenCalled → src/lib.rs::Square#impl.size
            18:size in f Call WhenCalled → ?src/lib.rs::Inner#impl.size ?src/lib.rs::Square#impl.size
            19:Square in f Read WhenCalled → src/lib.rs::Square
            19:area in f Call WhenCalled → src/lib.rs::Area.area src/lib.rs::Square#Area.area
            20:Square in f Annotation WhenCalled → src/lib.rs::Square
            20:Area in f Annotation WhenCalled → src/lib.rs::Area
            20:twice in f Call WhenCalled → src/lib.rs::Area.twice
            21:size in f Call WhenCalled → src/lib.rs::Square#impl.size
        "#]],
    );
}

#[test]
fn names_in_macros_patterns_and_attributes_count() {
    check(
        r#"
//- src/lib.rs
const LIMIT: u8 = 1;
enum Shape { Round, Square { side: u8 } }
macro_rules! twice { ($x:expr) => { helper($x) + $crate::helper($x) }; }
fn helper(x: u8) -> u8 { x }
fn f(shape: Shape) -> u8 {
    println!("{LIMIT} {}", helper(2));
    dsl! { helper => Shape };
    match shape {
        Shape::Round => twice!(LIMIT),
        Shape::Square { side } if side == LIMIT => side,
        Shape::Square { .. } => 0,
    }
}
#[derive(Debug)]
struct A;
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { assert!(f(Shape::Round) == 1); }
}
"#,
        expect![[r#"
            3:helper in twice Read WhenCalled → src/lib.rs::helper
            3:crate in twice Read WhenCalled → src/lib.rs
            3:helper in twice Read WhenCalled → src/lib.rs::helper
            5:Shape in f Annotation Never → src/lib.rs::Shape
            6:LIMIT in f Read WhenCalled → src/lib.rs::LIMIT
            6:helper in f Call WhenCalled → src/lib.rs::helper
            7:helper in f Read WhenCalled → src/lib.rs::helper
            7:Shape in f Read WhenCalled → src/lib.rs::Shape
            9:Shape in f Read WhenCalled → src/lib.rs::Shape
            9:Round in f Read WhenCalled → src/lib.rs::Shape.Round
            9:twice in f Call WhenCalled → src/lib.rs::twice
            9:LIMIT in f Read WhenCalled → src/lib.rs::LIMIT
            10:Shape in f Read WhenCalled → src/lib.rs::Shape
            10:Square in f Read WhenCalled → src/lib.rs::Shape.Square
            10:side in f Read WhenCalled → src/lib.rs::Shape.Square.side
            10:LIMIT in f Read WhenCalled → src/lib.rs::LIMIT
            11:Shape in f Read WhenCalled → src/lib.rs::Shape
            11:Square in f Read WhenCalled → src/lib.rs::Shape.Square
            20:f in tests.works Call WhenCalled through 0 → src/lib.rs::f
            20:Shape in tests.works Read WhenCalled through 0 → src/lib.rs::Shape
            20:Round in tests.works Read WhenCalled → src/lib.rs::Shape.Round
            18:super::* as * in src/lib.rs::tests Never from src/lib.rs → src/lib.rs::A src/lib.rs::LIMIT src/lib.rs::Shape src/lib.rs::f src/lib.rs::helper src/lib.rs::tests src/lib.rs::twice
        "#]],
    );
}

#[test]
fn a_macro_of_the_standard_library_is_no_function_of_its_name() {
    check(
        r#"
//- src/lib.rs
mod a { pub fn write() {} }
fn f(out: &mut String) { let _ = write!(out, "{}", format!("x")); }
macro_rules! tell { ($out:ident) => { core::write!($out, "{}", format!("x")) }; }
mod b { pub fn format() {} }
"#,
        expect![[""]],
    );
}

#[test]
fn a_file_that_only_tests_take_in_is_there_for_tests() {
    let host = host(
        r#"
//- src/lib.rs
pub mod shape;
#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "x"))]
pub(crate) mod more;
//- src/shape.rs
pub fn area() {}
//- src/tests.rs
mod helpers;
use crate::shape;
#[test]
fn t() { shape::area(); }
//- src/tests/helpers.rs
pub fn help() {}
//- src/more.rs
//- tests/it.rs
"#,
    );
    let files: Vec<String> = host.analysis().test_files().into_iter().collect();
    assert_eq!(
        files,
        [
            "src/more.rs",
            "src/tests.rs",
            "src/tests/helpers.rs",
            "tests/it.rs"
        ]
    );
}
