//! What each test ran.

use expect_test::{Expect, expect};
use harness::runner::Selection;

use super::support::{Place, codes, contexts};

fn check(files: &str, expected: &Expect) {
    let manifest =
        "//- Cargo.toml\n[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let Some(prepared) = Place::new(&format!("{manifest}{files}")).prepare() else {
        return;
    };
    expected.assert_eq(&contexts(&prepared.run(&Selection::All, true).trace));
}

#[test]
fn generics_closures_and_nested_functions_are_the_function_around_them() {
    check(
        r#"
//- src/lib.rs
pub struct Stack<T>(Vec<T>);

impl<T: Clone> Stack<T> {
    pub fn new() -> Self { Self(Vec::new()) }

    /// Adds.
    #[inline]
    pub fn push(&mut self, value: T) { self.0.push(value) }

    pub fn map<U>(&self, change: impl Fn(&T) -> U) -> Stack<U> {
        fn nested<U>(all: Vec<U>) -> Stack<U> { Stack(all) }
        nested(self.0.iter().map(|one| change(one)).collect())
    }
}

pub trait Area { fn area(&self) -> u32; fn twice(&self) -> u32 { self.area() * 2 } }

impl Area for u32 {
    fn area(&self) -> u32 { self * self }
}

impl Area for Stack<u32> {
    fn area(&self) -> u32 { self.0.iter().map(Area::area).sum() }
}

pub fn unused() {}

macro_rules! make { ($name:ident) => { pub fn $name() -> u32 { 7 } }; }
make!(seven);

#[cfg(test)]
mod tests {
    use super::*;

    fn stack() -> Stack<u32> { let mut all = Stack::new(); all.push(2); all }

    #[test]
    fn maps() { let mut all: Stack<String> = Stack::new(); all.push("a".into()); all.map(|one| one.len()); }

    #[test]
    fn sums() { assert_eq!(stack().twice(), 8) }

    #[test]
    fn makes() { assert_eq!(seven(), 7) }

    #[test]
    #[should_panic]
    fn panics() { stack().map(|_| -> u32 { panic!() }); }

    #[test]
    #[ignore]
    fn later() { unused() }
}
"#,
        &expect![[r#"
            Session: 
            toy::lib::tests::makes: src/lib.rs:28 <macro>, src/lib.rs:43 makes
            toy::lib::tests::maps: src/lib.rs:10 map, src/lib.rs:37 maps, src/lib.rs:4 new, src/lib.rs:6 push
            toy::lib::tests::panics: src/lib.rs:10 map, src/lib.rs:35 stack, src/lib.rs:4 new, src/lib.rs:46 panics, src/lib.rs:6 push
            toy::lib::tests::sums: src/lib.rs:16 twice, src/lib.rs:19 area, src/lib.rs:23 area, src/lib.rs:35 stack, src/lib.rs:4 new, src/lib.rs:40 sums, src/lib.rs:6 push
        "#]],
    );
}

#[test]
fn programs_that_a_test_starts_are_seen() {
    check(
        r#"
//- src/lib.rs
pub fn shared() -> u32 { 4 }
pub fn other() {}
//- src/main.rs
fn main() { print() }
fn print() { println!("{}", toy::shared()) }
//- tests/program.rs
use std::process::Command;

#[test]
fn starts() {
    let output = Command::new(env!("CARGO_BIN_EXE_toy")).output().unwrap();
    assert_eq!(output.stdout, b"4\n");
}

#[test]
fn does_not() { toy::other() }
"#,
        &expect![[r#"
            Session: 
            toy::tests/program::does_not: src/lib.rs:2 other, tests/program.rs:9 does_not
            toy::tests/program::starts: src/lib.rs:1 shared, src/main.rs:1 main, src/main.rs:2 print, tests/program.rs:3 starts
        "#]],
    );
}

#[test]
fn a_test_that_depends_on_another_keeps_its_outcome_and_is_told() {
    check(
        r#"
//- lacuna.toml
[tests]
arguments = ["--", "--test-threads=1"]
//- src/lib.rs
use std::sync::atomic::{AtomicBool, Ordering};
static READY: AtomicBool = AtomicBool::new(false);
pub fn prepare() { READY.store(true, Ordering::SeqCst) }
pub fn is_ready() -> bool { READY.load(Ordering::SeqCst) }
#[test]
fn a_first() { prepare() }
#[test]
fn b_second() { assert!(is_ready()) }
"#,
        &expect![[r#"
            Session: 
            toy::lib::a_first: src/lib.rs:3 prepare, src/lib.rs:5 a_first
            toy::lib::b_second: src/lib.rs:4 is_ready, src/lib.rs:7 b_second
            lost: toy::lib::b_second fails when it runs alone (exit code 101) and not in the suite: it depends on tests before it
        "#]],
    );
}

#[test]
fn what_ran_is_what_the_functions_themselves_say() {
    // Each function notes its name in a file that the test names: computed without any counter. Tests
    // run side by side, so each note is one write.
    let manifest =
        "//- Cargo.toml\n[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let mut library = String::from(
        "pub fn note(name: &str) { use std::io::Write; let mut file = std::fs::OpenOptions::new().create(true).append(true).open(std::env::var(\"NOTES\").unwrap_or_else(|_| \"/dev/null\".into())).unwrap(); let line = format!(\"{} {name}\\n\", std::thread::current().name().unwrap_or_default()); file.write_all(line.as_bytes()).unwrap(); }\n",
    );
    for index in 0..24 {
        let next = match index % 3 {
            0 => format!("f{}(x / 2)", index * 2 % 24),
            1 => format!(
                "[1u32, 2].iter().map(|y| f{}(y * x / 4)).sum()",
                (index + 5) % 24
            ),
            _ => "x".to_owned(),
        };
        library += &format!(
            "pub fn f{index}(x: u32) -> u32 {{ note(\"f{index}\"); if x == 0 {{ return 0 }} {next} }}\n"
        );
    }
    for index in 0..24 {
        library += &format!("#[test] fn t{index}() {{ f{index}({index}); }}\n");
    }
    let place = Place::new(&format!("{manifest}//- src/lib.rs\n{library}"));
    let notes = place.root().with_file_name("notes");
    let variables = format!(
        "[environment.variables]\nNOTES = {:?}\n",
        notes.display().to_string()
    );
    place.write("lacuna.toml", &variables);
    let Some(prepared) = place.prepare() else {
        return;
    };
    prepared.run(&Selection::All, false);
    let noted = std::fs::read_to_string(&notes).unwrap();
    let trace = prepared.run(&Selection::All, true).trace;
    assert_eq!(trace.tests.len(), 24);
    for test in &trace.tests {
        let name = &test.function;
        let own = |line: &str| {
            let (thread, function) = line.split_once(' ')?;
            (thread == name).then(|| function.to_owned())
        };
        let mut wanted: Vec<String> = noted.lines().filter_map(own).collect();
        wanted.extend(["note".to_owned(), name.clone()]);
        wanted.sort();
        wanted.dedup();
        let context = &trace.contexts[test.contexts[0] as usize];
        let mut found: Vec<String> = codes(&trace, &context.edges)
            .iter()
            .map(|code| code.rsplit(' ').next().unwrap().to_owned())
            .collect();
        found.sort();
        assert_eq!(found, wanted, "{name}");
    }
}
