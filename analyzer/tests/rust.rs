//! Rust: which symbols a file has, and what names mean.

mod common;

use common::{host, symbols};
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
