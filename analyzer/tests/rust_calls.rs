//! Rust: what a run of some code gets to must be reached in the dependency graph, for every kind of call.
mod common;

use std::collections::{BTreeSet, VecDeque};

use analyzer::DependencyGraph;
use analyzer::symbol::SymbolId;
use common::host;

/// Each case is a file; all that is listed (chains in `src/lib.rs`) must be reached from `start`.
#[track_caller]
fn check(text: &str, reached: &[&str]) {
    let host = host(&format!(
        "//- Cargo.toml\n[package]\nname = \"demo\"\n//- src/lib.rs\n{text}"
    ));
    let analysis = host.analysis();
    assert!(analysis.problems("src/lib.rs").is_empty());
    let graph = analysis.graph();
    let found = reach(&graph, SymbolId::parse("src/lib.rs::start"));
    let missed: Vec<&&str> = reached
        .iter()
        .filter(|chain| {
            let id = SymbolId::parse(&format!("src/lib.rs::{chain}"));
            assert!(graph.node(&id).is_some(), "there is no {id}");
            !found.contains(&id)
        })
        .collect();
    assert!(missed.is_empty(), "not reached: {missed:?}");
}

fn reach(graph: &DependencyGraph, from: SymbolId) -> BTreeSet<SymbolId> {
    let mut seen = BTreeSet::from([from.clone()]);
    let mut queue = VecDeque::from([from]);
    while let Some(symbol) = queue.pop_front() {
        let edges = graph.edges_from(&symbol);
        for edge in edges.into_iter().filter(|edge| edge.is_use()) {
            if seen.insert(edge.to.clone()) {
                queue.push_back(edge.to.clone());
            }
        }
    }
    seen
}

#[test]
fn closures_are_called_where_they_are_handed_over() {
    check(
        r#"
fn twice(f: impl Fn(u8) -> u8) -> u8 { f(1) + f(2) }
fn helper(x: u8) -> u8 { x }
fn late(x: u8) -> u8 { x }
fn maker() -> impl Fn(u8) -> u8 { |x| late(x) }
fn boxed() -> Box<dyn Fn()> { Box::new(inner) }
fn inner() {}
fn start() {
    let f = |x| helper(x);
    twice(f);
    maker()(3);
    boxed()();
}
"#,
        &["twice", "helper", "maker", "late", "boxed", "inner"],
    );
}

#[test]
fn functions_are_called_through_pointers_tables_and_fields() {
    check(
        r#"
type Step = fn(u8) -> u8;
fn one(x: u8) -> u8 { x }
fn two(x: u8) -> u8 { x }
fn three(x: u8) -> u8 { x }
const TABLE: [Step; 1] = [one];
static NAMED: &[(&str, Step)] = &[("two", two)];
struct Holder { step: Step }
impl Holder { fn run(&self) -> u8 { (self.step)(1) } }
struct Square;
impl Square { fn side(&self) -> u8 { 1 } fn new(_: u8) -> Self { Square } }
fn start() {
    TABLE[0](1);
    for (_, step) in NAMED { step(1); }
    Holder { step: three }.run();
    [1u8].into_iter().map(Square::new).map(|it| Square::side(&it)).max();
}
"#,
        &[
            "one",
            "two",
            "three",
            "Holder#impl.run",
            "Square#impl.side",
            "Square#impl.new",
        ],
    );
}

#[test]
fn a_call_through_a_trait_may_get_to_every_implementation() {
    check(
        r#"
trait Area {
    const SIDES: u8 = sides();
    fn area(&self) -> u8;
    fn twice(&self) -> u8 { self.area() * 2 }
    fn make() -> Self where Self: Sized;
}
const fn sides() -> u8 { 4 }
struct Square;
struct Round;
impl Area for Square { fn area(&self) -> u8 { 1 } fn make() -> Self { Square } }
impl Area for Round { fn area(&self) -> u8 { of_round() } fn make() -> Self { Round } }
fn of_round() -> u8 { 3 }
fn of_all(all: &[Box<dyn Area>]) { for one in all { one.twice(); } }
fn generic<T: Area>() -> u8 { T::make().area() + T::SIDES }
fn start() {
    of_all(&[Box::new(Square)]);
    generic::<Round>();
}
"#,
        &[
            "of_all",
            "Area.twice",
            "Square#Area.area",
            "Round#Area.area",
            "of_round",
            "generic",
            "Round#Area.make",
            "sides",
        ],
    );
}

#[test]
fn the_trait_in_a_path_says_which_of_several_methods_is_meant() {
    check(
        r#"
trait Area { fn size(&self) -> u8; }
struct Square;
impl Square { fn size(&self) -> u8 { 1 } }
impl Area for Square { fn size(&self) -> u8 { of_area() } }
impl std::fmt::Debug for Square { fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { shown() } }
impl Square { fn fmt(&self) {} }
fn of_area() -> u8 { 1 }
fn shown() -> std::fmt::Result { Ok(()) }
fn through(f: fn(&Square) -> u8) -> u8 { f(&Square) }
fn start() {
    through(<Square as Area>::size);
    let _ = <Square as std::fmt::Debug>::fmt;
}
"#,
        &[
            "through",
            "Square#Area.size",
            "of_area",
            "Square#Debug.fmt",
            "shown",
        ],
    );
}

#[test]
fn blanket_implementations_and_supertraits_are_seen() {
    check(
        r#"
trait Base { fn base(&self) -> u8 { deep() } }
fn deep() -> u8 { 1 }
trait More: Base { fn more(&self) -> u8 { self.base() } }
trait Extension { fn extended(&self) -> u8; }
impl<T: More> Extension for T { fn extended(&self) -> u8 { self.more() } }
struct Unit;
impl Base for Unit {}
impl More for Unit {}
impl Extension for [u8] { fn extended(&self) -> u8 { of_slice() } }
fn of_slice() -> u8 { 1 }
fn start() {
    Unit.extended();
    vec![1u8].extended();
}
"#,
        &[
            "T#Extension.extended",
            "More.more",
            "Base.base",
            "deep",
            "of_slice",
        ],
    );
}

#[test]
fn what_runs_without_being_named_is_reached_through_its_type() {
    check(
        r#"
use std::fmt;
use std::ops::{Add, AddAssign, Deref, DerefMut, Index, Neg};
struct Point(i32);
impl Add for Point { type Output = Point; fn add(self, other: Point) -> Point { sum(self.0, other.0) } }
fn sum(a: i32, b: i32) -> Point { Point(a + b) }
impl AddAssign for Point { fn add_assign(&mut self, other: Point) { self.0 += other.0; } }
impl Neg for Point { type Output = Point; fn neg(self) -> Point { Point(-self.0) } }
impl PartialEq for Point { fn eq(&self, other: &Point) -> bool { same(self, other) } }
fn same(_: &Point, _: &Point) -> bool { true }
impl PartialOrd for Point {
    fn partial_cmp(&self, other: &Point) -> Option<std::cmp::Ordering> { self.0.partial_cmp(&other.0) }
}
impl fmt::Display for Point { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { show(f) } }
fn show(_: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
impl From<i32> for Point { fn from(x: i32) -> Self { Point(x) } }
impl Default for Point { fn default() -> Self { Point(7) } }
impl Drop for Guard { fn drop(&mut self) { bye() } }
fn bye() {}
struct Guard(Point);
impl Deref for Guard { type Target = Point; fn deref(&self) -> &Point { &self.0 } }
impl DerefMut for Guard { fn deref_mut(&mut self) -> &mut Point { &mut self.0 } }
impl Point { fn through(&self) -> i32 { self.0 } }
struct Row(Vec<Point>);
impl Index<usize> for Row { type Output = Point; fn index(&self, at: usize) -> &Point { &self.0[at] } }
fn start() {
    let mut a = Point(1) + Point(2);
    a += -Point(3);
    let _ = a == Point(4) || a < Point(5);
    println!("{a}");
    let b: Point = 3.into();
    let c = Guard(b);
    c.through();
    let row = Row(vec![Default::default()]);
    let _ = &row[0];
}
"#,
        &[
            "Point#Add.add",
            "sum",
            "Point#AddAssign.add_assign",
            "Point#Neg.neg",
            "Point#PartialEq.eq",
            "same",
            "Point#PartialOrd.partial_cmp",
            "Point#Display.fmt",
            "show",
            "Point#From.from",
            "Point#Default.default",
            "Guard#Drop.drop",
            "bye",
            "Guard#Deref.deref",
            "Point#impl.through",
            "Row#Index.index",
        ],
    );
}

#[test]
fn iterators_errors_and_futures_run_what_they_are_made_of() {
    check(
        r#"
struct Count(u8);
impl Iterator for Count { type Item = u8; fn next(&mut self) -> Option<u8> { step(self) } }
fn step(_: &mut Count) -> Option<u8> { None }
struct Bag;
impl IntoIterator for Bag { type Item = u8; type IntoIter = Count; fn into_iter(self) -> Count { Count(1) } }
impl FromIterator<u8> for Bag { fn from_iter<I: IntoIterator<Item = u8>>(_: I) -> Self { Bag } }
impl Extend<u8> for Bag { fn extend<I: IntoIterator<Item = u8>>(&mut self, _: I) {} }
struct Low;
struct High;
impl From<Low> for High { fn from(_: Low) -> Self { raised() } }
fn raised() -> High { High }
fn low() -> Result<u8, Low> { Err(Low) }
fn high() -> Result<u8, High> { Ok(low()?) }
impl std::str::FromStr for Bag { type Err = Low; fn from_str(_: &str) -> Result<Self, Low> { parsed() } }
fn parsed() -> Result<Bag, Low> { Ok(Bag) }
struct Later;
impl std::future::Future for Later {
    type Output = ();
    fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<()> { polled() }
}
fn polled() -> std::task::Poll<()> { std::task::Poll::Ready(()) }
async fn wait() { Later.await }
fn start() {
    for _ in Bag {}
    let bag: Bag = Count(3).collect();
    let _ = high();
    let _ = "x".parse::<Bag>();
    let _ = wait();
}
"#,
        &[
            "Count#Iterator.next",
            "step",
            "Bag#IntoIterator.into_iter",
            "Bag#FromIterator.from_iter",
            "High#From.from",
            "raised",
            "parsed",
            "polled",
        ],
    );
}

#[test]
fn macros_and_constants_run_what_their_text_names() {
    check(
        r#"
macro_rules! both { ($a:expr, $f:ident) => {{ $f($a); hidden($a) }}; }
fn hidden(_: u8) {}
fn given(_: u8) {}
const START: u8 = first();
const fn first() -> u8 { 1 }
static LAZY: std::sync::LazyLock<u8> = std::sync::LazyLock::new(|| second());
fn second() -> u8 { 1 }
fn shown() -> u8 { 1 }
fn argument() -> u8 { 1 }
fn start() {
    both!(argument(), given);
    let _ = START + *LAZY;
    assert_eq!(shown(), 1, "{}", format!("{}", shown()));
    let _ = matches!(Some(1), Some(x) if guard(x));
}
fn guard(_: u8) -> bool { true }
"#,
        &[
            "both", "hidden", "given", "argument", "first", "second", "shown", "guard",
        ],
    );
}

#[test]
fn a_where_clause_uses_the_types_it_names_and_bounds_parameters_from_around() {
    check(
        r#"
struct Pair<T>(T);
struct Unit;
trait Area { fn area(&self) -> u8; }
impl<T> Area for Pair<T> { fn area(&self) -> u8 { 1 } }
impl<T> Pair<T> {
    fn measure(&self) -> u8 where T: Area { self.0.area() }
}
fn about() where Pair<u8>: Area, Unit: Sized {}
fn start() {
    about();
    Pair(Pair(1)).measure();
}
"#,
        &[
            "about",
            "Pair",
            "Unit",
            "Area",
            "Pair#impl.measure",
            "Pair#Area.area",
        ],
    );
}
