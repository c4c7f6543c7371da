//! A repository with code in three languages, through every command.

use std::process::Command;

use expect_test::expect;
use fixtures::{tree_dir, unavailable};

use crate::support::{Bench, only_entry};
use crate::tasks::{ids, is_whole, record};

/// A target of each language, and a symbol of its feature.
const TARGETS: [(&str, &str); 3] = [
    ("tests/test_distance.py", "readable"),
    ("tools/route/loop_test.go", "IsLoop"),
    ("native/src/height.rs", "rise"),
];

/// The repository with its environments; none where a language is missing.
pub fn bench() -> Option<Bench> {
    for (program, argument) in [("go", "version"), ("cargo", "--version")] {
        if Command::new(program).arg(argument).output().is_err() {
            return unavailable(program);
        }
    }
    let bench = Bench::take("cli-mixed", &tree_dir("mixed"));
    match bench.run(&["prepare", "--quiet"]).code {
        Some(0) => Some(bench),
        _ => unavailable("Python 3 with pip and venv, and pytest from the package index"),
    }
}

#[test]
fn a_repository_with_several_languages_goes_through_every_command() {
    let Some(bench) = bench() else { return };
    let checks = bench.json(&["doctor", "--quiet"]);
    let checks = checks["checks"].as_array().unwrap().iter();
    let told =
        checks.map(|check| ["name", "status", "found"].map(|key| check[key].as_str().unwrap()));
    let told: Vec<[&str; 3]> = told.collect();
    assert!(
        told.iter().all(|[_, status, _]| *status == "good"),
        "{told:?}"
    );
    let of = |wanted: &str| {
        let found = told.iter().filter(|[name, _, _]| *name == wanted);
        found.map(|[_, _, found]| *found).collect::<Vec<_>>()
    };
    assert_eq!(of("language"), ["python", "go", "rust"]);
    assert_eq!(of("environment").len(), 3);
    expect![[r#"
        passed   tests/test_compass.py::test_the_nearest_point_is_taken
        passed   tests/test_compass.py::test_the_other_side
        passed   tests/test_distance.py::test_short_distances_are_in_metres
        passed   tests/test_distance.py::test_long_ones_in_kilometres
        passed   example.com/signpost/tools/route::TestIsLoop
        passed   example.com/signpost/tools/route::TestReversed
        passed   example.com/signpost/tools/route::TestParse
        passed   example.com/signpost/tools/route::TestParseNothing
        passed   signpost-native::lib::angle::tests::a_full_turn_is_nothing
        passed   signpost-native::lib::angle::tests::the_short_way_round_counts
        passed   signpost-native::lib::height::tests::going_down_is_free
        passed   signpost-native::lib::height::tests::standing_still_is_no_climb
        12 tests: 12 passed
    "#]]
    .assert_eq(&bench.ok(&["tests", "--quiet"]));
    let trace = bench.json(&["trace", "--quiet"]);
    let told = ["tests", "good", "unmatched", "losses"].map(|key| trace[key].to_string());
    assert_eq!(told, ["12", "12", "[]", "[]"]);
    expect![[r#"
        target                     tests  top  symbols  files  lines  collateral  kept  offer
        native/src/angle.rs            2    2        2      1     11           0     2  feature
        native/src/height.rs           2    1        2      1      9           0     2  feature
        tests/test_compass.py          2    2        3      1     12           0     2  feature
        tests/test_distance.py         2    1        1      1      7           0     2  feature
        tools/route/loop_test.go       2    2        2      1     14           0     2  feature
        tools/route/route_test.go      2    1        1      1     11           0     2  feature
    "#]]
    .assert_eq(&bench.ok(&["features", "--quiet"]));
    let mut told = String::new();
    for (target, symbol) in TARGETS {
        let of_target = ["--target", target, "--quiet"];
        told += &bench.ok(&[&["show"], &of_target[..]].concat());
        told += &bench.ok(&[&["why"], &of_target[..], &[symbol]].concat());
    }
    expect![[r#"
        Feature of tests/test_distance.py
          removes 1 symbol: 7 lines in 1 file
          tests: 2 target, 0 collateral, 2 kept, 0 excluded
        top: removed, in the interface (1)
          src/signpost/distance.py::readable  line 4, 5 lines, run by 2 target and 0 other tests
        src/signpost/distance.py::readable is top in this feature: run by 2 target and 0 other tests
        tests/test_distance.py::test_short_distances_are_in_metres
          -> src/signpost/distance.py::readable  (observed call, in 1 test, src/signpost/distance.py:4)
        Feature of tools/route/loop_test.go
          removes 2 symbols: 14 lines in 1 file
          tests: 2 target, 0 collateral, 2 kept, 0 excluded
        top: removed, in the interface (2)
          tools/route/loop.go::IsLoop  line 3, 4 lines, run by 1 target and 0 other tests
          tools/route/loop.go::Reversed  line 8, 8 lines, run by 1 target and 0 other tests
        tools/route/loop.go::IsLoop is top in this feature: run by 1 target and 0 other tests
        tools/route/loop_test.go::TestIsLoop
          -> tools/route/loop.go::IsLoop  (inferred call, resolved, tools/route/loop_test.go:6)
        Feature of native/src/height.rs
          removes 2 symbols: 9 lines in 1 file
          tests: 2 target, 0 collateral, 2 kept, 0 excluded
        top: removed, in the interface (1)
          native/src/height.rs::climb  line 3, 4 lines, run by 2 target and 0 other tests
        specific: removed (1)
          native/src/height.rs::rise  line 8, 3 lines, run by 1 target and 0 other tests
        native/src/height.rs::rise is specific in this feature: run by 1 target and 0 other tests
        native/src/height.rs::tests.going_down_is_free
          -> native/src/height.rs::climb  (inferred call, resolved, native/src/height.rs:18)
          -> native/src/height.rs::rise  (inferred call, resolved, native/src/height.rs:5)
    "#]].assert_eq(&told);
}

#[test]
fn each_language_of_a_repository_gives_a_task_that_holds() {
    let Some(bench) = bench() else { return };
    let mut told = String::new();
    for (target, symbol) in TARGETS {
        let out = bench.out.join(symbol);
        let out_text = out.to_str().unwrap();
        bench.ok(&["extract", "--target", target, "--out", out_text, "--quiet"]);
        let task = only_entry(&out);
        assert!(is_whole(&task));
        let checked = bench.ok(&["check", task.to_str().unwrap(), "--quiet"]);
        assert!(checked.ends_with(" holds\n"), "{checked}");
        let record = record(&task);
        for class in ["fail_to_pass", "pass_to_pass"] {
            told += &format!("{class} {:#?}\n", ids(&record, class));
        }
    }
    expect![[r#"
        fail_to_pass {
            "tests/test_distance.py::test_long_ones_in_kilometres",
            "tests/test_distance.py::test_short_distances_are_in_metres",
        }
        pass_to_pass {
            "tests/test_compass.py::test_the_nearest_point_is_taken",
            "tests/test_compass.py::test_the_other_side",
        }
        fail_to_pass {
            "example.com/signpost/tools/route::TestIsLoop",
            "example.com/signpost/tools/route::TestReversed",
        }
        pass_to_pass {
            "example.com/signpost/tools/route::TestParse",
            "example.com/signpost/tools/route::TestParseNothing",
        }
        fail_to_pass {
            "signpost-native::lib::height::tests::going_down_is_free",
            "signpost-native::lib::height::tests::standing_still_is_no_climb",
        }
        pass_to_pass {
            "signpost-native::lib::angle::tests::a_full_turn_is_nothing",
            "signpost-native::lib::angle::tests::the_short_way_round_counts",
        }
    "#]]
    .assert_eq(&told);
}
