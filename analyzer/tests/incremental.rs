//! How little is computed again after each kind of change.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use analyzer::{AnalysisHost, Change};
use common::{change, write};
use expect_test::{Expect, expect};

const PROJECT: &str = r#"
//- pkg/__init__.py
from .shapes import Box
//- pkg/shapes.py
from .units import metre
class Box:
    def area(self):
        return metre(2)
//- pkg/units.py
def metre(count):
    return count
//- other.py
def alone(): pass
"#;

/// A host whose executions of tracked functions are counted, and the counts.
struct Counted {
    host: AnalysisHost,
    log: Arc<Mutex<Vec<String>>>,
}

impl Counted {
    fn new() -> Self {
        Self::of(PROJECT)
    }

    fn of(project: &str) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = log.clone();
        let mut host = AnalysisHost::observed(move |key| sink.lock().unwrap().push(key.to_owned()));
        host.apply(change(project));
        Self { host, log }
    }

    /// What is executed to answer everything, by function.
    fn answer_everything(&self) -> String {
        self.log.lock().unwrap().clear();
        let analysis = self.host.analysis();
        for path in analysis.paths() {
            analysis.symbols(&path);
            analysis.problems(&path);
        }
        analysis.graph();
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for key in self.log.lock().unwrap().iter() {
            *counts
                .entry(key.split('(').next().unwrap().to_owned())
                .or_default() += 1;
        }
        let shown: Vec<String> = counts
            .into_iter()
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        shown.join("\n")
    }
}

fn check(change: Change, expected: Expect) {
    let mut counted = Counted::new();
    counted.answer_everything();
    counted.host.apply(change);
    expected.assert_eq(&counted.answer_everything());
}

#[test]
fn the_first_answer_computes_each_file_once() {
    expect![[r#"
        edges 4
        facts 4
        file_at 7
        file_index 1
        graph 1
        problems 4
        resolution 4
        summary 4
        symbols 4"#]]
    .assert_eq(&Counted::new().answer_everything());
}

#[test]
fn equal_text_is_no_change() {
    check(write("other.py", "def alone(): pass\n"), expect![[r#""#]]);
}

#[test]
fn a_comment_concerns_only_its_file_and_not_the_graph() {
    check(
        write(
            "pkg/shapes.py",
            "from .units import metre\nclass Box:\n    # one\n    def area(self):\n        return metre(2)\n",
        ),
        expect![[r#"
            edges 1
            facts 1
            problems 1
            resolution 1
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_blank_line_on_top_concerns_only_its_file_and_not_the_graph() {
    check(
        write(
            "pkg/shapes.py",
            "\nfrom .units import metre\nclass Box:\n    def area(self):\n        return metre(2)\n",
        ),
        expect![[r#"
            edges 1
            facts 1
            problems 1
            resolution 1
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_changed_body_concerns_only_its_file() {
    check(
        write(
            "pkg/units.py",
            "def metre(count):\n    print(count)\n    return count\n",
        ),
        expect![[r#"
            facts 1
            name_index 1
            named 2
            problems 1
            resolution 1
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_changed_body_with_a_new_use_concerns_only_its_file_and_the_graph() {
    check(
        write(
            "pkg/units.py",
            "def metre(count):\n    metre(1)\n    return count\n",
        ),
        expect![[r#"
            edges 1
            facts 1
            graph 1
            problems 1
            resolution 1
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_new_definition_concerns_those_who_import_from_its_file() {
    check(
        write(
            "pkg/units.py",
            "def metre(count):\n    return count\ndef foot(): pass\n",
        ),
        expect![[r#"
            edges 1
            facts 1
            graph 1
            problems 1
            resolution 2
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_new_file_concerns_nobody_who_does_not_ask_for_it() {
    check(
        write("new.py", "def fresh(): pass\n"),
        expect![[r#"
            edges 1
            facts 1
            file_at 7
            file_index 1
            graph 1
            problems 1
            resolution 1
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_renamed_file_concerns_those_who_import_it() {
    let mut renamed = write("pkg/lengths.py", "def metre(count):\n    return count\n");
    renamed.files.push(("pkg/units.py".to_owned(), None));
    check(
        renamed,
        expect![[r#"
            edges 2
            facts 1
            file_at 8
            file_index 1
            folder_exists 1
            graph 1
            problems 1
            resolution 2
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn answers_are_the_same_whatever_happened_before() {
    let mut counted = Counted::new();
    counted.answer_everything();
    counted
        .host
        .apply(write("pkg/units.py", "class Box: pass\n"));
    counted.answer_everything();
    counted.host.apply(write("pkg/extra.py", ""));
    counted.answer_everything();
    let mut back = change(PROJECT);
    back.files.push(("pkg/extra.py".to_owned(), None));
    counted.host.apply(back);
    let fresh = Counted::new();
    let (left, right) = (counted.host.analysis(), fresh.host.analysis());
    right.prime();
    for path in right.paths() {
        assert_eq!(left.symbols(&path), right.symbols(&path));
        assert_eq!(left.references(&path), right.references(&path));
        assert_eq!(left.imports(&path), right.imports(&path));
    }
    assert_eq!(
        format!("{:?}", left.graph().petgraph()),
        format!("{:?}", right.graph().petgraph())
    );
}

const CRATE: &str = r#"
//- Cargo.toml
[package]
name = "boxes"
//- src/lib.rs
mod units;
pub use units::metre;
pub fn area() -> u8 { metre(2) }
//- src/units.rs
pub fn metre(count: u8) -> u8 { count }
//- src/other.rs
fn alone() {}
"#;

#[test]
fn a_changed_body_of_a_compiled_language_concerns_only_its_file_too() {
    let mut counted = Counted::of(CRATE);
    counted.answer_everything();
    counted.host.apply(write(
        "src/units.rs",
        "pub fn metre(count: u8) -> u8 { let twice = count * 2; twice }\n",
    ));
    expect![[r#"
        facts 1
        items 1
        problems 1
        resolution 1
        summary 1
        symbols 1"#]]
    .assert_eq(&counted.answer_everything());
    counted
        .host
        .apply(write("Cargo.toml", "[package]\nname = \"crates\"\n"));
    expect![[r#"
        map 1
        members 1
        resolution 3"#]]
    .assert_eq(&counted.answer_everything());
}

const GO: &str = r#"
//- go.mod
module m
//- a.go
package m
import "m/shapes"
func Use(b shapes.Box) int { return b.Area() + other }
//- b.go
package m
var other = 1
//- shapes/box.go
package shapes
type Shape interface{ Area() int }
type Box struct{ size int }
func (b Box) Area() int { return b.size }
"#;

fn check_go(change: Change, expected: Expect) {
    let mut counted = Counted::of(GO);
    counted.answer_everything();
    counted.host.apply(change);
    expected.assert_eq(&counted.answer_everything());
}

#[test]
fn a_changed_body_of_go_concerns_only_its_file() {
    check_go(
        write(
            "shapes/box.go",
            "package shapes\ntype Shape interface{ Area() int }\ntype Box struct{ size int }\n// Area.\nfunc (b Box) Area() int {\n\ttwice := 2\n\treturn b.size * twice\n}\n",
        ),
        expect![[r#"
            edges 1
            facts 1
            problems 1
            resolution 1
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_new_method_of_go_concerns_its_package_and_those_who_import_it() {
    check_go(
        write(
            "shapes/box.go",
            "package shapes\ntype Shape interface{ Area() int }\ntype Box struct{ size int }\nfunc (b Box) Area() int { return b.size }\nfunc (b Box) More() {}\n",
        ),
        expect![[r#"
            edges 1
            facts 1
            fits 1
            graph 1
            package 1
            packages_in 1
            problems 1
            resolution 2
            summary 1
            symbols 1"#]],
    );
}

#[test]
fn a_changed_module_path_of_go_concerns_only_what_imports_mean() {
    check_go(
        write("go.mod", "module other\n"),
        expect![[r#"
        edges 1
        folder_of 1
        graph 1
        modules 1
        resolution 1"#]],
    );
}
