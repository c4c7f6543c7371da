//! Tasks: what is in them, that they repeat, and that `check` believes only what holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{Expect, expect};
use fixtures::{copy_dir, unavailable};
use serde_json::{Value, json};

use crate::support::{Bench, TARGET, bench, files, only_entry};

/// The files of a task directory.
const FILES: [&str; 6] = [
    "evidence.json",
    "gold.patch",
    "instruction.md",
    "removal.patch",
    "task.json",
    "tests.patch",
];

/// Whether a folder holds a whole task.
pub fn is_whole(task: &Path) -> bool {
    let names: Vec<PathBuf> = files(task).into_keys().collect();
    names == FILES.map(PathBuf::from)
}

pub fn read(task: &Path, name: &str) -> String {
    fs::read_to_string(task.join(name)).unwrap()
}

pub fn record(task: &Path) -> Value {
    serde_json::from_str(&read(task, "task.json")).unwrap()
}

pub fn ids(record: &Value, class: &str) -> BTreeSet<String> {
    serde_json::from_value(record["tests"][class].clone()).unwrap()
}

#[test]
fn the_demonstration_writes_a_task_that_check_accepts() {
    let Some(bench) = bench() else { return };
    // Beside the project of the other tests: the same folder again, so the same environment.
    let folder = bench.project.parent().unwrap().to_str().unwrap().to_owned();
    let tasks = Path::new(&folder).join("tasks");
    if tasks.exists() {
        fs::remove_dir_all(&tasks).unwrap();
    }
    let answer = bench.json(&["demo", "--out", &folder]);
    let answer = &answer["samples"][0];
    let task = PathBuf::from(answer["directory"].as_str().unwrap());
    assert!(is_whole(&task), "{:?}", files(&task).keys());
    let record = record(&task);
    assert_eq!(answer["task"], record);

    let suite = bench.json(&["tests"]);
    let good = |test: &&Value| ["passed", "xfailed"].contains(&test["outcome"].as_str().unwrap());
    let id = |test: &Value| test["id"].as_str().unwrap().to_owned();
    let good: BTreeSet<String> = suite["tests"]
        .as_array()
        .unwrap()
        .iter()
        .filter(good)
        .map(id)
        .collect();
    let (target, others) = good.iter().cloned().partition(|id| id.starts_with(TARGET));
    assert_eq!(ids(&record, "fail_to_pass"), target);
    assert_eq!(ids(&record, "held_back"), target);
    assert_eq!(ids(&record, "pass_to_pass"), others);
    assert_eq!(ids(&record, "collateral"), BTreeSet::new());
    check(
        &bench,
        &task,
        Some(0),
        expect![[r#"
            ok     the project is the one the task was made from
            ok     the record is complete
            ok     the instruction tells what is missing
            ok     the patches lead from the full to the starting tree and back
            ok     without the feature every fail-to-pass test fails: an empty solution scores 0
            ok     in the starting tree every visible pass-to-pass test passes
            ok     the starting tree has none of the held-back tests
            ok     with gold and tests put back everything passes: the gold scores 1
            ok     every test of the suite has a class
            TASK holds
        "#]],
    );
}

/// Checks a task; the answer without the name of the task.
fn check(bench: &Bench, task: &Path, code: Option<i32>, expected: Expect) {
    let ran = bench.run(&["check", task.to_str().unwrap()]);
    let id = task.file_name().unwrap().to_str().unwrap();
    expected.assert_eq(&ran.out.replace(id, "TASK"));
    assert_eq!((ran.code, &*ran.err), (code, ""));
}

#[test]
fn a_test_that_is_skipped_or_absent_or_passes_too_soon_speaks_against_a_task() {
    let Some(bench) = bench() else { return };
    let task = bench.task();
    let mut record = record(&task);
    let skipped = record["tests"]["excluded"][0]["id"].clone();
    let passing = record["tests"]["pass_to_pass"][0].clone();
    let absent = json!("tests/test_units.py::test_absent");
    let mut add = |class: &str, id| record["tests"][class].as_array_mut().unwrap().push(id);
    add("pass_to_pass", skipped);
    add("pass_to_pass", absent);
    add("fail_to_pass", passing);
    fs::write(task.join("task.json"), record.to_string()).unwrap();
    check(
        &bench,
        &task,
        Some(1),
        expect![[r#"
            ok     the project is the one the task was made from
            FAILED the record is complete
                   tests/test_cli.py::test_a_wrong_command_line_exits_with_2 has two classes
                   tests/test_render.py::test_text_is_printable_in_a_narrow_code_page has two classes
            FAILED the instruction tells what is missing
                   instruction.md says something else than the record and the project give
            ok     the patches lead from the full to the starting tree and back
            FAILED without the feature every fail-to-pass test fails: an empty solution scores 0
                   tests/test_cli.py::test_a_wrong_command_line_exits_with_2
            FAILED in the starting tree every visible pass-to-pass test passes
                   tests/test_render.py::test_text_is_printable_in_a_narrow_code_page
                   tests/test_units.py::test_absent
            ok     the starting tree has none of the held-back tests
            FAILED with gold and tests put back everything passes: the gold scores 1
                   tests/test_render.py::test_text_is_printable_in_a_narrow_code_page
                   tests/test_units.py::test_absent
            ok     every test of the suite has a class
            TASK does not hold
        "#]],
    );
}

#[test]
fn target_tests_that_pass_without_the_feature_are_pass_to_pass() {
    let Some(bench) = bench() else { return };
    let target = "tests/test_units.py";
    let out = bench.out.to_str().unwrap();
    bench.ok(&[
        "extract",
        "--min-lines",
        "1",
        "--target",
        target,
        "--out",
        out,
    ]);
    let record = record(&only_entry(&bench.out));
    let classes = ["fail_to_pass", "collateral", "pass_to_pass"].map(|class| {
        let (of_target, others): (Vec<_>, Vec<_>) = ids(&record, class)
            .into_iter()
            .partition(|id| id.starts_with(target));
        format!(
            "{class}: {} of the target, {} others\n",
            of_target.len(),
            others.len()
        )
    });
    expect![[r#"
        fail_to_pass: 5 of the target, 0 others
        collateral: 0 of the target, 27 others
        pass_to_pass: 6 of the target, 114 others
    "#]]
    .assert_eq(&classes.concat());
}

#[test]
fn a_task_of_another_tree_or_with_a_changed_patch_does_not_hold() {
    let Some(bench) = bench() else { return };
    let task = bench.task();
    let gold = read(&task, "gold.patch");
    let changed = gold.replacen("def tick_list", "def tock_list", 1);
    assert_ne!(gold, changed);
    fs::write(task.join("gold.patch"), changed).unwrap();
    check(
        &bench,
        &task,
        Some(1),
        expect![[r#"
            ok     the project is the one the task was made from
            ok     the record is complete
            ok     the instruction tells what is missing
            FAILED the patches lead from the full to the starting tree and back
                   src/ladle/text.py does not come back
            TASK does not hold
        "#]],
    );
    bench.write("README.md", "changed\n");
    let ran = bench.run(&["check", task.to_str().unwrap()]);
    assert!(
        ran.out.starts_with("FAILED the project is the one"),
        "{}",
        ran.out
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn tests_whose_ids_differ_between_runs_are_excluded_and_leave_no_trace_of_a_run() {
    let Some(bench) = bench() else { return };
    let more = "\n\nimport time\nimport pytest\n\n\n\
        @pytest.mark.parametrize('n', [1, 2, 3], ids=['fixed', f'at {time.time_ns()}', repr(object())])\n\
        def test_of_a_moment(n):\n\
        \x20   assert n\n";
    for file in [TARGET, "tests/test_units.py"] {
        let text = fs::read_to_string(bench.project.join(file)).unwrap();
        bench.write(file, text + more);
    }
    let first = bench.extract();
    let before = files(&first);
    fs::remove_dir_all(&first).unwrap();
    bench.ok(&["trace", "--fresh"]);
    let second = bench.extract();
    let mut after = files(&second);
    let evidence = Path::new("evidence.json");
    after.insert(evidence.to_owned(), before[evidence].clone());
    assert!(before == after, "{first:?} and {second:?} differ");
    let record = record(&second);
    let excluded = record["tests"]["excluded"].as_array().unwrap();
    let excluded = excluded
        .iter()
        .filter(|test| test["reason"] != "skipped")
        .map(|test| format!("{}: {}\n", test["id"], test["reason"]));
    expect![[r#"
        "tests/test_shopping.py::test_of_a_moment[...]": "its id differs between runs"
        "tests/test_units.py::test_of_a_moment[...]": "its id differs between runs"
    "#]]
    .assert_eq(&excluded.collect::<String>());
    assert!(ids(&record, "pass_to_pass").contains("tests/test_units.py::test_of_a_moment[fixed]"));
    assert_eq!(
        bench.run(&["check", second.to_str().unwrap()]).code,
        Some(0)
    );
}

#[test]
fn equal_calls_give_equal_bytes_and_the_users_tree_is_never_written() {
    let Some(bench) = bench() else { return };
    let one = files(&bench.task());
    fs::remove_dir_all(only_entry(&bench.out)).unwrap();
    let before = files(&bench.project);
    let other = files(&bench.extract());
    assert!(files(&bench.project) == before);
    for name in FILES {
        let name = Path::new(name);
        assert!(
            one[name] == other[name] || name == Path::new("evidence.json"),
            "{}",
            name.display()
        );
    }
}

/// Applies a patch with plain git; an empty one is none for git.
pub fn apply(tree: &Path, patch: &Path) {
    if fs::read(patch).unwrap().is_empty() {
        return;
    }
    let applied = Command::new("git")
        .arg("apply")
        .arg(patch)
        .current_dir(tree)
        .output()
        .unwrap();
    assert!(
        applied.status.success(),
        "{}",
        String::from_utf8_lossy(&applied.stderr)
    );
}

#[test]
fn plain_git_applies_the_patches_and_gives_back_every_byte() {
    let Some(bench) = bench() else { return };
    let tree = tempfile::tempdir().unwrap();
    let made = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(&tree)
        .status();
    if made.is_err() {
        return unavailable("git").unwrap_or_default();
    }
    let task = bench.task();
    copy_dir(&bench.project, tree.path());
    apply(tree.path(), &task.join("removal.patch"));
    let [product, tests] =
        ["src/ladle/text.py", TARGET].map(|path| fs::read_to_string(tree.path().join(path)));
    assert!(!product.unwrap().contains("def tick_list"));
    assert!(!tests.is_ok_and(|text| text.contains("def test_aisles")));
    apply(tree.path(), &task.join("tests.patch"));
    apply(tree.path(), &task.join("gold.patch"));
    let restored = files(tree.path())
        .into_iter()
        .filter(|(path, _)| !path.starts_with(".git"));
    assert!(restored.collect::<std::collections::BTreeMap<_, _>>() == files(&bench.project));
}
