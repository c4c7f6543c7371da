//! Tests that classes inherit: what leaves is what has to, and the classes that stay keep their tests.

use std::fs;

use expect_test::expect;
use fixtures::copy_dir;

use crate::support::{TARGET, bench, only_entry};
use crate::tasks::{apply, ids, record};

/// Tests for whoever fills in what they are about; no test file.
const CONTRACTS: &str = "class Contract:
    def test_name(self):
        assert self.name()

    def test_aisle(self):
        assert self.aisle()
";

const TESTS: &str = r#"from contracts import Contract
from ladle.shopping import aisle_of


class TestLeek(Contract):
    def name(self):
        return "leek"

    def aisle(self):
        return aisle_of("leek")


class TestNothing(Contract):
    def name(self):
        return "nothing"

    def aisle(self):
        return "nowhere"


class Named:
    def test_name(self):
        assert self.name

    def test_its_aisle(self):
        assert aisle_of(self.name)


class TestMilk(Named):
    name = "milk"


class TestRice(Named):
    name = "rice"

    def test_no_other(self):
        assert aisle_of("milk") != aisle_of("rice")


class OnlyAisle:
    def test_only_aisle(self):
        assert aisle_of(self.name)


class TestOnly(OnlyAisle):
    name = "milk"
"#;

#[test]
fn an_inherited_test_leaves_with_its_class_or_with_all_that_inherit_it() {
    let Some(bench) = bench() else { return };
    bench.write("tests/contracts.py", CONTRACTS);
    bench.write("tests/test_inherited.py", TESTS);
    let out = bench.out.to_str().unwrap();
    bench.ok(&["extract", "--target", TARGET, "--out", out]);
    let task = only_entry(&bench.out);
    let record = record(&task);
    let mut lines = String::new();
    for class in ["collateral", "pass_to_pass", "held_back"] {
        let ids = ids(&record, class).into_iter();
        for id in ids.filter(|id| id.starts_with("tests/test_inherited.py")) {
            lines += &format!("{class} {id}\n");
        }
    }
    expect![[r#"
        collateral tests/test_inherited.py::TestLeek::test_aisle
        collateral tests/test_inherited.py::TestMilk::test_its_aisle
        collateral tests/test_inherited.py::TestOnly::test_only_aisle
        collateral tests/test_inherited.py::TestRice::test_its_aisle
        collateral tests/test_inherited.py::TestRice::test_no_other
        pass_to_pass tests/test_inherited.py::TestLeek::test_name
        pass_to_pass tests/test_inherited.py::TestMilk::test_name
        pass_to_pass tests/test_inherited.py::TestNothing::test_aisle
        pass_to_pass tests/test_inherited.py::TestNothing::test_name
        pass_to_pass tests/test_inherited.py::TestRice::test_name
        held_back tests/test_inherited.py::TestLeek::test_aisle
        held_back tests/test_inherited.py::TestLeek::test_name
        held_back tests/test_inherited.py::TestMilk::test_its_aisle
        held_back tests/test_inherited.py::TestOnly::test_only_aisle
        held_back tests/test_inherited.py::TestRice::test_its_aisle
        held_back tests/test_inherited.py::TestRice::test_no_other
    "#]]
    .assert_eq(&lines);
    bench.ok(&["check", task.to_str().unwrap()]);
    let tree = tempfile::tempdir().unwrap();
    copy_dir(&bench.project, tree.path());
    apply(tree.path(), &task.join("removal.patch"));
    let visible = fs::read_to_string(tree.path().join("tests/test_inherited.py")).unwrap();
    expect![[r#"
        from contracts import Contract


        class TestNothing(Contract):
            def name(self):
                return "nothing"

            def aisle(self):
                return "nowhere"


        class Named:
            def test_name(self):
                assert self.name


        class TestMilk(Named):
            name = "milk"


        class TestRice(Named):
            name = "rice"
    "#]]
    .assert_eq(&visible);
    assert!(tree.path().join("tests/contracts.py").exists());
}
