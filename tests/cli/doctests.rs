//! Doctests: examples that need the feature leave the documentation of what stays, and come back
//! where a grader can put them back.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use fixtures::{copy_dir, unavailable};

use crate::support::{Bench, TARGET, bench, files, only_entry};
use crate::tasks::{apply, ids, record};

/// A module that the feature's removal does not touch.
const GUIDE: &str = r#""""A guide to the package.

Examples
--------
>>> from ladle.shopping import aisle_of
>>> aisle_of("leek")
'vegetables'
"""


def welcome():
    """What to say first.

    >>> welcome()
    'Welcome!'
    """
    return "Welcome!"


def nothing():
    """
    >>> from ladle.shopping import ShoppingList
    >>> len(ShoppingList())
    0
    """
"#;

/// A text that is no code.
const PAGE: &str = r#"# Shopping

For a start:

>>> from ladle.shopping import aisle_of
>>> aisle_of("milk")
'dairy'

## Examples

```pycon
>>> aisle_of("rice")
'pantry'

```

## More

Nothing.
"#;

/// A function that stays in a file which the feature leaves.
const GREETING: &str = r#"

def greeting():
    """A greeting.

    >>> aisle_of("milk")
    'dairy'
    """
    return "Hello"
"#;

const GREETING_TEST: &str = r#"from ladle.shopping import greeting


def test_greeting():
    assert greeting() == "Hello"
"#;

fn write_doctests(bench: &Bench) {
    let shopping = "src/ladle/shopping.py";
    let shop = fs::read_to_string(bench.project.join(shopping)).unwrap();
    bench.write(shopping, shop + GREETING);
    bench.write("src/ladle/guide.py", GUIDE);
    bench.write("docs/shopping.md", PAGE);
    bench.write("tests/test_guide.py", GREETING_TEST);
    bench.write(
        "lacuna.toml",
        "[tests]\narguments = ['--doctest-modules', '--doctest-glob=*.md', 'tests', 'src', 'docs']\n",
    );
}

/// The class of every doctest, one a line; each test has exactly one.
fn classes_of_doctests(task: &Path) -> String {
    let record = record(task);
    let mut lines = String::new();
    for class in ["fail_to_pass", "collateral", "pass_to_pass", "held_back"] {
        let ids = ids(&record, class).into_iter();
        for id in ids.filter(|id| !id.starts_with("tests/")) {
            lines += &format!("{class} {id}\n");
        }
    }
    let excluded = record["tests"]["excluded"].as_array().unwrap();
    for test in excluded.iter().filter(|test| test["reason"] != "skipped") {
        lines += &format!("excluded {}: {}\n", test["id"], test["reason"]);
    }
    lines
}

fn check(tree: &Path, path: &str, expected: Expect) {
    expected.assert_eq(&fs::read_to_string(tree.join(path)).unwrap());
}

#[test]
fn examples_that_need_the_feature_are_not_in_the_starting_tree() {
    let Some(bench) = bench() else { return };
    write_doctests(&bench);
    let out = bench.out.to_str().unwrap();
    bench.ok(&["extract", "--target", TARGET, "--out", out]);
    let task = only_entry(&bench.out);
    expect![[r#"
        collateral docs/shopping.md::shopping.md
        collateral src/ladle/guide.py::ladle.guide
        collateral src/ladle/guide.py::ladle.guide.nothing
        pass_to_pass src/ladle/guide.py::ladle.guide.welcome
        held_back docs/shopping.md::shopping.md
        held_back src/ladle/guide.py::ladle.guide
        held_back src/ladle/guide.py::ladle.guide.nothing
        excluded "src/ladle/shopping.py::ladle.shopping.greeting": "its text stands in a file that the solver has to edit"
    "#]].assert_eq(&classes_of_doctests(&task));
    bench.ok(&["check", task.to_str().unwrap()]);

    let tree = tempfile::tempdir().unwrap();
    let git = Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(&tree)
        .status();
    if git.is_err() {
        return unavailable("git").unwrap_or_default();
    }
    copy_dir(&bench.project, tree.path());
    apply(tree.path(), &task.join("removal.patch"));
    check(
        tree.path(),
        "src/ladle/guide.py",
        expect![[r#"
        """A guide to the package.
        """


        def welcome():
            """What to say first.

            >>> welcome()
            'Welcome!'
            """
            return "Welcome!"


        def nothing():
            pass
    "#]],
    );
    check(
        tree.path(),
        "docs/shopping.md",
        expect![[r#"
        # Shopping

        For a start:

        ## More

        Nothing.
    "#]],
    );
    let shop = fs::read_to_string(tree.path().join("src/ladle/shopping.py")).unwrap();
    assert!(!shop.contains(">>>"), "{shop}");

    apply(tree.path(), &task.join("gold.patch"));
    let page = fs::read_to_string(tree.path().join("docs/shopping.md")).unwrap();
    assert!(
        !page.contains(">>>"),
        "the gold patch has none of the held-back examples"
    );
    apply(tree.path(), &task.join("tests.patch"));
    let restored = files(tree.path())
        .into_iter()
        .filter(|(path, _)| !path.starts_with(".git"));
    assert!(restored.collect::<std::collections::BTreeMap<_, _>>() == files(&bench.project));
}

#[test]
fn a_target_of_examples_in_code_that_leaves_is_refused() {
    let Some(bench) = bench() else { return };
    write_doctests(&bench);
    let shopping = "src/ladle/shopping.py";
    let shop = fs::read_to_string(bench.project.join(shopping)).unwrap();
    let documented = shop.replace(
        "\"\"\"Where in the shop an ingredient is found.\"\"\"",
        "\"\"\"Where in the shop an ingredient is found.\n\n    >>> aisle_of('salt')\n    'pantry'\n    \"\"\"",
    );
    bench.write(shopping, documented);
    let target = "src/ladle/shopping.py::ladle.shopping.aisle_of";
    let ran = bench.run(&[
        "extract",
        "--quiet",
        "--include",
        "src/ladle/shopping.py::aisle_of",
        "--target",
        target,
    ]);
    expect![[r#"
        Some(1)
        lacuna: error: what fails without the feature (1 target test) stands as examples in files that a solver has to edit, so it cannot be graded; choose another target
    "#]].assert_eq(&format!("{:?}\n{}{}", ran.code, ran.out, ran.err));
}
