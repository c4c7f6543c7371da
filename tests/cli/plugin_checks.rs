//! Checks that plugins make of source files: they are no tests of the feature, and a solver may break them.

use expect_test::expect;

use crate::support::{TARGET, bench, only_entry};
use crate::tasks::{ids, record};

/// A plugin that has a check of every file of the package and one of the project as a whole.
const PLUGIN: &str = r#"
import pytest


class Check(pytest.Item):
    def runtest(self):
        if self.path.is_file():
            assert "\n\n\n\n" not in self.path.read_text()

    def reportinfo(self):
        return self.path, None, self.name


class CheckedFile(pytest.File):
    def collect(self):
        yield Check.from_parent(self, name="format")


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".py" and "src" in file_path.parts:
        return CheckedFile.from_parent(parent, path=file_path)


def pytest_collection_modifyitems(session, items):
    items.append(Check.from_parent(session, name="project"))
"#;

#[test]
fn a_check_of_a_file_that_the_solver_edits_is_not_graded() {
    let Some(bench) = bench() else { return };
    bench.write("conftest.py", PLUGIN);
    bench.write("lacuna.toml", "[tests]\narguments = ['tests', 'src']\n");
    let rows = bench.json(&["features", "--quiet"]);
    let rows = rows["features"].as_array().unwrap().iter();
    let targets: Vec<&str> = rows.map(|row| row["target"].as_str().unwrap()).collect();
    assert!(
        targets.iter().all(|target| target.ends_with(".py")),
        "{targets:?}"
    );

    let out = bench.out.to_str().unwrap();
    bench.ok(&["extract", "--target", TARGET, "--out", out]);
    let record = record(&only_entry(&bench.out));
    let is_check = |id: &&String| id.ends_with("::format") || id.ends_with("::project");
    let kept = ids(&record, "pass_to_pass");
    let kept = kept
        .iter()
        .filter(is_check)
        .map(|id| format!("kept {id}\n"));
    let excluded = record["tests"]["excluded"].as_array().unwrap().iter();
    let excluded = excluded.filter(|test| test["reason"] != "skipped");
    let excluded = excluded.map(|test| format!("excluded {}: {}\n", test["id"], test["reason"]));
    expect![[r#"
        kept ::project
        kept src/ladle/__init__.py::format
        kept src/ladle/cli.py::format
        kept src/ladle/errors.py::format
        kept src/ladle/lexer.py::format
        kept src/ladle/quantity.py::format
        kept src/ladle/query.py::format
        kept src/ladle/reader.py::format
        kept src/ladle/recipe.py::format
        kept src/ladle/render.py::format
        kept src/ladle/store.py::format
        excluded "src/ladle/shopping.py::format": "it is about a file that the solver has to edit"
        excluded "src/ladle/text.py::format": "it is about a file that the solver has to edit"
        excluded "src/ladle/units.py::format": "it is about a file that the solver has to edit"
    "#]]
    .assert_eq(&kept.chain(excluded).collect::<String>());
}
