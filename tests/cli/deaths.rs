//! Features without which tests never end, or end their process.

use expect_test::expect;

use crate::support::{bench, only_entry};
use crate::tasks::{ids, record};

/// What a walker inherits ends the process.
const WALK: &str = r#"import os


class Walker:
    def step(self, left):
        os._exit(3)


class Onward(Walker):
    def step(self, left):
        taken = left.pop()
        assert taken is not None
        return taken


class Back(Walker):
    def step(self, left):
        return left.pop(0)


WALKERS = {"onward": Onward(), "back": Back()}


def walk(left, how):
    path = []
    while left:
        path.append(WALKERS[how].step(left))
    return path
"#;

const TEST_ONWARD: &str = r#"from ladle.walk import walk


def test_onward():
    assert walk([1, 2], "onward") == [2, 1]


def test_onward_from_nowhere():
    assert walk([], "onward") == []
"#;

const TEST_BACK: &str = r#"import pytest

from ladle.walk import walk


@pytest.mark.parametrize("length", range(8))
def test_back(length):
    path = list(range(length))
    assert walk(list(path), "back") == path
"#;

#[test]
fn what_ends_the_process_if_it_is_deleted_becomes_a_stub() {
    let Some(bench) = bench() else { return };
    bench.write("src/ladle/walk.py", WALK);
    bench.write("tests/test_onward.py", TEST_ONWARD);
    bench.write("tests/test_walk.py", TEST_BACK);
    let out = bench.out.to_str().unwrap();
    let onward = "tests/test_onward.py";
    bench.ok(&[
        "extract",
        "--target",
        onward,
        "--min-lines",
        "1",
        "--out",
        out,
    ]);
    let record = record(&only_entry(&bench.out));
    let symbols = record["symbols"].as_array().unwrap();
    let of_walk = symbols.iter().filter(|symbol| {
        let id = symbol["id"].as_str().unwrap();
        id.starts_with("src/ladle/walk.py")
    });
    let actions = of_walk.map(|symbol| format!("{} {}", symbol["id"], symbol["action"]));
    let actions: Vec<String> = actions.collect();
    expect![[r#""src/ladle/walk.py::Onward.step" {"stub":{"keep_doc":true}}"#]]
        .assert_eq(&actions.join("\n"));
    let failing: Vec<String> = ids(&record, "fail_to_pass").into_iter().collect();
    assert_eq!(failing, ["tests/test_onward.py::test_onward"]);
}
