//! What the commands print, for a person and as JSON.

use expect_test::expect;

use crate::support::{TARGET, bench};

#[test]
fn features_shows_a_row_for_every_test_file() {
    let Some(bench) = bench() else { return };
    let shown = bench.ok(&["features"]);
    // What a class takes part in is seen from Python 3.12 on, so other rows differ between versions.
    let of_sample = |line: &&str| line.starts_with("target") || line.starts_with(TARGET);
    let rows: Vec<&str> = shown.lines().filter(of_sample).collect();
    expect![[r#"
        target                  tests  top  symbols  files  lines  collateral  kept  offer
        tests/test_shopping.py     29   14       26      3    180           0   123  feature"#]]
    .assert_eq(&rows.join("\n"));
    let json = bench.json(&["features"]);
    let columns: Vec<&str> = shown.lines().next().unwrap().split_whitespace().collect();
    let rows = json["features"].as_array().unwrap().iter().map(|row| {
        let cells = columns
            .iter()
            .map(|column| row[column].to_string().replace('"', ""));
        cells.collect::<Vec<_>>()
    });
    let cells = shown
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert!(rows.eq(cells), "{json}");
}

#[test]
fn show_groups_the_symbols_by_their_roles() {
    let Some(bench) = bench() else { return };
    let shown = bench.ok(&["show", "--target", TARGET]);
    // What stays, and how many tests run a class, differs between versions of Python.
    let leaving = shown.lines().take_while(|line| !line.starts_with("shared"));
    let without_counts = leaving.map(|line| line.split(", run by").next().unwrap());
    expect![[r#"
        Feature of tests/test_shopping.py
          removes 26 symbols: 180 lines in 3 files
          tests: 29 target, 0 collateral, 123 kept, 1 excluded
        top: removed, in the interface (15)
          src/ladle/shopping.py::AISLES  line 17, 6 lines
          src/ladle/shopping.py::Entry  line 37, 36 lines
          src/ladle/shopping.py::Entry.__str__  line 65, 3 lines
          src/ladle/shopping.py::Entry.aisle  line 45, 3 lines
          src/ladle/shopping.py::ShoppingList  line 75, 68 lines, stays because of its name
          src/ladle/shopping.py::ShoppingList.__getitem__  line 117, 5 lines
          src/ladle/shopping.py::ShoppingList.__init__  line 81, 4 lines
          src/ladle/shopping.py::ShoppingList.__iter__  line 103, 4 lines
          src/ladle/shopping.py::ShoppingList.__len__  line 108, 2 lines
          src/ladle/shopping.py::ShoppingList.pantry  line 86, 4 lines
          src/ladle/shopping.py::ShoppingList.pantry#setter  line 91, 3 lines
          src/ladle/shopping.py::ShoppingList.to_csv  line 132, 11 lines, keeps its header
          src/ladle/shopping.py::ShoppingList.to_text  line 123, 8 lines, keeps its header
          src/ladle/shopping.py::aisle_of  line 28, 7 lines
          src/ladle/shopping.py::shopping_list  line 145, 11 lines, keeps its header
        specific: removed (6)
          src/ladle/shopping.py::Entry._noun  line 69, 4 lines
          src/ladle/shopping.py::Entry.add  line 49, 8 lines
          src/ladle/shopping.py::Entry.amounts  line 58, 6 lines
          src/ladle/shopping.py::ShoppingList.add  line 95, 7 lines
          src/ladle/text.py::tick_list  line 48, 12 lines
          src/ladle/units.py::shop_unit  line 92, 9 lines
        orphaned: removed, nothing else refers to it (6)
          src/ladle/shopping.py::OTHER  line 23, 1 line
          src/ladle/shopping.py::_DELIMITERS  line 25, 1 line
          src/ladle/shopping.py::_unknown_delimiter  line 158, 4 lines
          src/ladle/text.py::_TICK_BOX  line 45, 1 line
          src/ladle/text.py::closest  line 62, 4 lines
          src/ladle/units.py::_SOLD_BY  line 89, 1 line"#]]
    .assert_eq(&without_counts.collect::<Vec<_>>().join("\n"));
    let json = bench.json(&["show", "--target", TARGET]);
    let symbols = json["symbols"].as_array().unwrap();
    for symbol in symbols {
        let word = |key: &str| symbol[key].as_str().unwrap();
        let section = shown
            .split(&format!("\n{}: ", word("role")))
            .nth(1)
            .unwrap();
        let mut lines = section
            .lines()
            .skip(1)
            .take_while(|line| line.starts_with("  "));
        let start = format!("  {}  line {}, ", word("symbol"), symbol["line"]);
        assert!(lines.any(|line| line.starts_with(&start)), "{symbol}");
    }
    let listed = shown.lines().filter(|line| line.contains("::"));
    assert_eq!(listed.count(), symbols.len());
}

#[test]
fn why_shows_the_chain_from_a_test_to_a_symbol() {
    let Some(bench) = bench() else { return };
    let arguments = ["why", ".", "--target", TARGET, "tick_list"];
    expect![[r#"
        src/ladle/text.py::tick_list is specific in this feature: run by 3 target and 0 other tests
        tests/test_shopping.py::test_an_empty_list_is_empty_in_every_form
          -> src/ladle/shopping.py::ShoppingList.to_text  (observed call, in 1 test, src/ladle/shopping.py:123)
          -> src/ladle/text.py::tick_list  (observed call, in 3 tests, src/ladle/text.py:48)
    "#]]
    .assert_eq(&bench.ok(&arguments));
    let json = bench.json(&arguments);
    assert_eq!(json["symbol"], "src/ladle/text.py::tick_list");
    assert_eq!(json["role"], "specific");
    let steps = json["chain"]["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["to"], json["symbol"]);
    let arguments = ["why", "--target", "tests/test_cli.py", "cli.py::command"];
    expect![[r#"
        src/ladle/cli.py::command has no part in this feature: run by 0 target and 0 other tests
        it also runs outside the tests: at start-up, in imports or while tests are collected
        tests/test_cli.py::test_list_shows_all_recipes
          -> tests/conftest.py::run.run_command  (observed call, in 1 test, tests/conftest.py:33)
          -> src/ladle/cli.py::main  (observed call, in 13 tests, src/ladle/cli.py:27)
          -> src/ladle/cli.py::command  (static read, named, src/ladle/cli.py:31)
    "#]]
    .assert_eq(&bench.ok(&arguments));
}

#[test]
fn tests_and_trace_tell_what_ran() {
    let Some(bench) = bench() else { return };
    let tests = bench.json(&["tests"]);
    let listed = tests["tests"].as_array().unwrap();
    let human = bench.ok(&["tests"]);
    let mut outcomes = std::collections::BTreeMap::new();
    for test in listed {
        assert!(human.contains(test["id"].as_str().unwrap()));
        *outcomes
            .entry(test["outcome"].as_str().unwrap())
            .or_insert(0) += 1;
    }
    expect![[r#"{"passed": 151, "skipped": 1, "xfailed": 1}"#]].assert_eq(&format!("{outcomes:?}"));
    let trace = bench.json(&["trace"]);
    assert_eq!(trace["tests"], listed.len());
    for empty in ["unmatched", "losses"] {
        assert_eq!(trace[empty], serde_json::json!([]), "{empty}");
    }
    assert_eq!(bench.json(&["trace"])["cached"], true);
}

#[test]
fn doctor_and_prepare_find_nothing_wrong() {
    let Some(bench) = bench() else { return };
    let report = bench.json(&["doctor"]);
    let checks = report["checks"].as_array().unwrap();
    assert!(!checks.is_empty());
    for check in checks {
        assert_eq!(check["status"], "good", "{check}");
    }
    assert_eq!(
        bench.json(&["prepare"])["environments"][0]["collection"]["tests"],
        153
    );
}

#[test]
fn the_help_of_every_command_shows_an_example() {
    let Some(bench) = bench() else { return };
    let commands = [
        "demo", "doctor", "prepare", "tests", "trace", "features", "show", "why", "extract",
        "check",
    ];
    for command in commands {
        let help = bench.ok(&[command, "--help"]);
        assert!(
            help.contains(&format!("Example:\n  lacuna {command}")),
            "{help}"
        );
    }
}

#[test]
fn a_count_means_the_same_in_every_answer() {
    let Some(bench) = bench() else { return };
    let features = bench.json(&["features"]);
    let rows = features["features"].as_array().unwrap();
    let row = rows.iter().find(|row| row["target"] == TARGET).unwrap();
    let shown = bench.json(&["show", "--target", TARGET]);
    let out = bench.out.to_str().unwrap();
    let extracted = bench.json(&["extract", "--target", TARGET, "--out", out]);
    let (size, made) = (&shown["size"], &extracted["task"]["size"]);
    for count in ["top", "symbols", "files", "lines"] {
        assert_eq!(row[count], size[count], "{count}");
        assert_eq!(extracted["planned"][count], size[count], "{count}");
    }
    assert_eq!(made["lines"]["removed"], size["lines"]);
    assert_eq!(made["symbols"], size["symbols"]);
    assert_eq!(made["files"], size["files"]);
}
