//! What can go wrong: each trouble has its exit code and says what, why and what to do next.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;

use expect_test::{Expect, expect};

use crate::interruption::left_over;
use crate::support::{Bench, TARGET, bench, files};
use crate::tasks::is_whole;

fn refuse(arguments: &[&str], expected: Expect) {
    let Some(bench) = bench() else { return };
    expected.assert_eq(&bench.refused(arguments));
}

#[test]
fn a_path_that_does_not_exist_is_refused() {
    refuse(
        &["tests", "no/such/folder"],
        expect![[r#"
        Some(2): lacuna: error: there is no folder no/such/folder; give the path of a project's root folder
    "#]],
    );
    refuse(
        &["check", "no/such/task"],
        expect![[r#"
            Some(2): lacuna: error: cannot read no/such/task/task.json: No such file or directory (os error 2); is it in a task directory?
        "#]],
    );
}

#[test]
fn a_target_that_means_nothing_is_refused_with_its_neighbours() {
    refuse(
        &["show", "--target", "tests/test_shoping.py"],
        expect![[r#"
            Some(2): lacuna: error: no test matches "tests/test_shoping.py"; did you mean tests/test_shopping.py or tests/test_store.py or tests/test_cli.py?
        "#]],
    );
    refuse(
        &["extract", "--target", "nowhere"],
        expect![[r#"
        Some(2): lacuna: error: no test matches "nowhere"; `lacuna tests` lists what there is
    "#]],
    );
}

#[test]
fn a_part_of_the_suite_that_does_not_exist_is_refused() {
    refuse(
        &["tests", "--suite", "tests/test_unit.py"],
        expect![[r#"
        Some(2): lacuna: error: the project has no file or folder tests/test_unit.py, which is to be a part of the suite; `lacuna tests` lists what there is
    "#]],
    );
}

#[test]
fn a_symbol_that_means_nothing_is_refused_with_its_neighbours() {
    refuse(
        &["why", "--target", TARGET, "src/ladle/text.py::tick_lst"],
        expect![[r#"
            Some(2): lacuna: error: no symbol is called "src/ladle/text.py::tick_lst"; did you mean src/ladle/text.py::tick_list or src/ladle/text.py::closest or src/ladle/text.py::columns?
        "#]],
    );
    refuse(
        &["show", "--target", TARGET, "--include", "tick_lst"],
        expect![[r#"
            Some(2): lacuna: error: no symbol is called "tick_lst"; did you mean tick_list?
        "#]],
    );
    refuse(
        &[
            "show",
            "--target",
            TARGET,
            "--include",
            "tick_list",
            "--exclude",
            "text.py",
        ],
        expect![[r#"
            Some(2): lacuna: error: src/ladle/text.py::tick_list is included and excluded at once, by `--include` and `--exclude` or by lacuna.toml; take one of them back
        "#]],
    );
    refuse(
        &["show", "--target", TARGET, "--exclude", "add"],
        expect![[r#"
            Some(2): lacuna: error: "add" may mean 3 symbols, among them src/ladle/shopping.py::Entry.add, src/ladle/shopping.py::ShoppingList.add, src/ladle/store.py::RecipeBox.add; give a whole id
        "#]],
    );
}

#[test]
fn a_target_without_a_feature_names_what_is_nearest() {
    let arguments = [
        "extract",
        "--target",
        "tests/test_units.py",
        "--max-collateral",
        "0",
    ];
    refuse(
        &arguments,
        expect![[r#"
            Some(1): lacuna: error: the target owns no symbol that can be removed; with --max-collateral 0.2 13 lines would go and 27 other tests fail; or take a symbol with --include: src/ladle/errors.py::UnitError (2 lines, executed by 3 other tests), src/ladle/units.py::convert (5 lines, executed by 27 other tests), src/ladle/units.py::Unit.__str__ (2 lines, executed by 40 other tests)
        "#]],
    );
}

#[test]
fn tests_that_need_the_files_of_the_target_are_a_reason_to_refuse() {
    let Some(bench) = bench() else { return };
    let tests = "from pathlib import Path\n\
        import pytest\n\
        @pytest.mark.parametrize('number', range(400))\n\
        def test_files(number):\n\
        \x20   assert (Path(__file__).parent / 'test_shopping.py').exists()\n";
    bench.write("tests/test_trouble.py", tests);
    let told = bench.refused(&["extract", "--target", "tests/test_shopping.py"]);
    expect![[r#"
        Some(1): lacuna: error: 400 tests would stay and not pass where the tests of the feature are gone (tests/test_trouble.py::test_files[0]): they depend on these or on their files; choose another target, or one that holds them, too
    "#]].assert_eq(&told);
}

#[test]
fn a_folder_without_files_tests_or_configuration_that_can_be_read_is_refused() {
    let Some(bench) = bench() else { return };
    bench.write("lacuna.toml", "[tests]\npath = ['tests']\n");
    expect![[r#"
        Some(2): lacuna: error: PROJECT/lacuna.toml is not valid: TOML parse error at line 2, column 1
          |
        2 | path = ['tests']
          | ^^^^
        unknown field `path`, expected `paths` or `arguments`
        docs/configuration.md describes every key
    "#]].assert_eq(&bench.refused(&["tests"]).replace(bench.project.to_str().unwrap(), "PROJECT"));
    fs::remove_file(bench.project.join("lacuna.toml")).unwrap();
    fs::remove_dir_all(bench.project.join("tests")).unwrap();
    let told = ["tests", "trace", "features"].map(|command| bench.refused(&[command]));
    expect![[r#"
        Some(4): lacuna: error: no test was found; other files and folders with tests can be named by `paths` under `[tests]` in lacuna.toml, and `lacuna doctor` tells what may be missing
    "#]].assert_eq(&told[0]);
    assert!(told.iter().all(|other| *other == told[0]), "{told:?}");
    expect![[r#"
        Some(2): lacuna: error: OUT holds no files, or ignores all of them; is it the root folder of the project?
    "#]].assert_eq(
        &bench
            .refused(&["tests", bench.out.to_str().unwrap()])
            .replace(bench.out.to_str().unwrap(), "OUT"),
    );
}

/// Runs tests beside the sample's own, with a configuration, and looks at what is told about them.
fn check(tests: &str, configuration: &str, expected: Expect) {
    let Some(bench) = bench() else { return };
    bench.write("tests/test_trouble.py", tests);
    bench.write("lacuna.toml", configuration);
    let before = files(&bench.project);
    expected.assert_eq(&suite(&bench));
    assert!(files(&bench.project) == before);
}

/// What is told of the tests, and what is said beside it.
fn suite(bench: &Bench) -> String {
    let ran = bench.run(&["tests", "--suite", "tests/test_trouble.py"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out + &ran.err
}

#[test]
fn a_test_that_never_ends_is_ended_by_the_limit_and_the_next_run_is_a_new_one() {
    let Some(bench) = bench() else { return };
    let tests = "import time\n\
        def test_good(): pass\n\
        def test_waits(): time.sleep(1000)\n\
        def test_after(): pass\n";
    bench.write("tests/test_trouble.py", tests);
    bench.write("lacuna.toml", "[limits]\ntime = 8\n");
    expect![[r#"
        passed   tests/test_trouble.py::test_good
        error    tests/test_trouble.py::test_waits
                 the test process died while running tests/test_trouble.py::test_waits (killed after the time limit)
        error    tests/test_trouble.py::test_after
                 the test process died while running tests/test_trouble.py::test_waits (killed after the time limit)
        3 tests: 1 passed, 2 error
        lacuna: warning: the run of the tests did not come to its end (killed after the time limit; 1 test had not begun). What did not run counts as failing, and the next command runs all of it again: raise what it needs under [limits] in lacuna.toml, or leave slow tests out with tests.arguments
    "#]]
    .assert_eq(&suite(&bench));
    let again = bench.run(&["trace", "--suite", "tests/test_trouble.py"]);
    assert!(
        again.err.contains("did not come to its end"),
        "{}",
        again.err
    );
}

#[test]
fn a_test_that_prints_without_end_is_ended_by_the_limit() {
    check(
        "def test_prints(capsys):\n\
        \x20   with capsys.disabled():\n\
        \x20       while True: print('x' * 100000)\n",
        "[limits]\noutput = '1 MiB'\n",
        expect![[r#"
            error    tests/test_trouble.py::test_prints
                     the test process died while running tests/test_trouble.py::test_prints (killed after the output limit)
            1 test: 1 error
            lacuna: warning: the run of the tests did not come to its end (killed after the output limit; 0 tests had not begun). What did not run counts as failing, and the next command runs all of it again: raise what it needs under [limits] in lacuna.toml, or leave slow tests out with tests.arguments
        "#]],
    );
}

#[test]
fn a_test_that_ends_its_process_is_an_error() {
    check(
        "import os\n\
        def test_good(): pass\n\
        def test_ends(): os._exit(3)\n\
        def test_after(): pass\n",
        "",
        expect![[r#"
            passed   tests/test_trouble.py::test_good
            error    tests/test_trouble.py::test_ends
                     the test process died while running tests/test_trouble.py::test_ends (exit code 3)
            error    tests/test_trouble.py::test_after
                     the test process died while running tests/test_trouble.py::test_ends (exit code 3)
            3 tests: 1 passed, 2 error
            lacuna: warning: the run of the tests did not come to its end (exit code 3; 1 test had not begun). What did not run counts as failing, and the next command runs all of it again: raise what it needs under [limits] in lacuna.toml, or leave slow tests out with tests.arguments
        "#]],
    );
}

#[test]
fn a_test_that_deletes_its_tree_deletes_a_copy() {
    let Some(bench) = bench() else { return };
    let tests = "import pathlib, shutil\n\
        def test_deletes(): shutil.rmtree(str(pathlib.Path(__file__).parents[1] / 'src'))\n";
    bench.write("tests/test_trouble.py", tests);
    let before = files(&bench.project);
    expect![[r#"
        passed   tests/test_trouble.py::test_deletes
        1 test: 1 passed
    "#]]
    .assert_eq(&suite(&bench));
    assert!(files(&bench.project) == before);
    // The next run has all files again.
    assert_eq!(
        bench.json(&["trace", "--fresh", "--suite", "tests/test_units.py"])["good"],
        11
    );
}

#[test]
fn a_target_that_fails_or_cannot_be_collected_is_no_baseline() {
    let Some(bench) = bench() else { return };
    bench.write("tests/test_trouble.py", "def test_fails(): assert 1 == 2\n");
    bench.write("tests/test_broken.py", "def broken(:\n");
    let arguments = |target| {
        [
            "extract",
            "--target",
            target,
            "--suite",
            "tests/test_trouble.py",
            "--suite",
            "tests/test_broken.py",
        ]
    };
    expect![[r#"
        Some(4): lacuna: error: no test of the target passes in the full tree (1 target test, such as tests/test_trouble.py::test_fails: assert 1 == 2); `lacuna doctor` tells what may be missing
    "#]].assert_eq(&bench.refused(&arguments("tests/test_trouble.py")));
    expect![[r#"
        Some(4): lacuna: error: tests/test_broken.py cannot be collected in the full tree (invalid syntax (test_broken.py, line 1)); `lacuna doctor` tells what may be missing
    "#]].assert_eq(&bench.refused(&arguments("tests/test_broken.py")));
    let only_broken = ["tests", "--suite", "tests/test_broken.py"];
    expect![[r#"
        Some(4): lacuna: error: no test was found; tests/test_broken.py: invalid syntax (test_broken.py, line 1); other files and folders with tests can be named by `paths` under `[tests]` in lacuna.toml, and `lacuna doctor` tells what may be missing
    "#]].assert_eq(&bench.refused(&only_broken));
    let only_failing = ["features", "--suite", "tests/test_trouble.py"];
    expect![[r#"
        Some(4): lacuna: error: no test passes in the full tree (tests/test_trouble.py::test_fails: assert 1 == 2); `lacuna tests` lists them, and `lacuna doctor` tells what may be missing
    "#]].assert_eq(&bench.refused(&only_failing));
}

#[test]
fn files_that_do_not_parse_or_are_no_utf_8_do_no_harm() {
    let Some(bench) = bench() else { return };
    bench.write(
        "src/ladle/broken.py",
        "def broken(:\n    from ladle.text import tick_list\n",
    );
    bench.write(
        "src/ladle/latin.py",
        b"# -*- coding: latin-1 -*-\nNAME = 'caf\xe9'\n",
    );
    bench.write("src/ladle/bytes.py", b"\xff\xfe\x00 = 1\n");
    let before = files(&bench.project);
    let task = bench.extract();
    let ran = bench.run(&["check", task.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(files(&bench.project) == before);
}

#[test]
fn a_failure_is_a_document_too_where_one_is_asked_for() {
    let Some(bench) = bench() else { return };
    let check = |arguments: &[&str], code: i32, expected: Expect| {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(ran.err.contains("error: "), "{}", ran.err);
        let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(document["error"]["code"], code);
        expected.assert_eq(&ran.out);
    };
    check(
        &["doctor", "no/such/folder", "--format", "json"],
        2,
        expect![[r#"
            {
              "version": 1,
              "error": {
                "kind": "usage",
                "code": 2,
                "message": "there is no folder no/such/folder; give the path of a project's root folder",
                "help": "`lacuna help COMMAND` shows the arguments; docs/configuration.md describes every key of lacuna.toml"
              }
            }
        "#]],
    );
    check(
        &["show", "--format=json", "--target", "nowhere"],
        2,
        expect![[r#"
            {
              "version": 1,
              "error": {
                "kind": "usage",
                "code": 2,
                "message": "no test matches \"nowhere\"; `lacuna tests` lists what there is",
                "help": "`lacuna help COMMAND` shows the arguments; docs/configuration.md describes every key of lacuna.toml"
              }
            }
        "#]],
    );
    check(
        &["show", "--format=json"],
        2,
        expect![[r#"
            {
              "version": 1,
              "error": {
                "kind": "usage",
                "code": 2,
                "message": "the following required arguments were not provided:\n  --target <TARGET>\n\nUsage: lacuna show --target <TARGET> --format <FORMAT> [PATH]\n\nFor more information, try '--help'.",
                "help": "`lacuna help COMMAND` shows the arguments; docs/configuration.md describes every key of lacuna.toml"
              }
            }
        "#]],
    );
    fs::remove_dir_all(bench.project.join("tests")).unwrap();
    check(
        &["tests", "--format", "json"],
        4,
        expect![[r#"
        {
          "version": 1,
          "error": {
            "kind": "baseline",
            "code": 4,
            "message": "no test was found; other files and folders with tests can be named by `paths` under `[tests]` in lacuna.toml, and `lacuna doctor` tells what may be missing",
            "help": "`lacuna tests` lists the tests with their results"
          }
        }
    "#]],
    );
}

#[test]
fn doctor_ends_with_2_where_the_path_or_the_configuration_is_wrong() {
    let Some(bench) = bench() else { return };
    for wrong in ["no/such/folder", "README.md"] {
        assert!(
            bench.refused(&["doctor", wrong]).starts_with("Some(2): "),
            "{wrong}"
        );
    }
    bench.write("lacuna.toml", "x = 1\n");
    assert_eq!(bench.run(&["doctor"]).code, Some(2));
}

#[test]
fn a_place_for_tasks_that_cannot_be_written_is_refused_before_anything_is_run() {
    refuse(
        &["extract", "--target", TARGET, "--out", "README.md/tasks"],
        expect![[r#"
            Some(2): lacuna: error: cannot write to README.md: not a directory; it is no folder: name one with --out
        "#]],
    );
}

#[test]
fn a_target_that_owns_too_little_names_what_would_give_more() {
    let Some(bench) = bench() else { return };
    let target = "tests/test_units.py";
    let refused = bench.refused(&["extract", "--target", target, "--min-lines", "20"]);
    let told = "Some(1): lacuna: error: the target owns too little: 13 lines would go, and --min-lines asks for 20; take it as it is with --min-lines 13; ";
    assert!(refused.starts_with(told), "{refused}");
    assert!(
        refused.contains(
            "--include: src/ladle/errors.py::UnitError (2 lines, executed by 3 other tests)"
        ),
        "{refused}"
    );
}

#[test]
fn a_test_that_kills_its_process_is_an_error() {
    check(
        "import os, signal\n\
        def test_good(): pass\n\
        def test_kills(): os.kill(os.getpid(), signal.SIGKILL)\n",
        "",
        expect![[r#"
            passed   tests/test_trouble.py::test_good
            error    tests/test_trouble.py::test_kills
                     the test process died while running tests/test_trouble.py::test_kills (killed by signal 9)
            2 tests: 1 passed, 1 error
            lacuna: warning: the run of the tests did not come to its end (killed by signal 9; 0 tests had not begun). What did not run counts as failing, and the next command runs all of it again: raise what it needs under [limits] in lacuna.toml, or leave slow tests out with tests.arguments
        "#]],
    );
}

#[test]
fn processes_that_a_test_scatters_are_gone_afterwards() {
    check(
        "import os, time\n\
        def test_scatters():\n\
        \x20   for _ in range(20):\n\
        \x20       if os.fork() == 0:\n\
        \x20           os.setsid()\n\
        \x20           if os.fork() == 0: time.sleep(1000)\n\
        \x20           os._exit(0)\n",
        "",
        expect![[r#"
            passed   tests/test_trouble.py::test_scatters
            1 test: 1 passed
        "#]],
    );
    if let Some(bench) = bench().filter(|_| cfg!(target_os = "linux")) {
        assert_eq!(left_over(&bench), Vec::<String>::new());
    }
}

#[test]
fn whatever_tests_leave_in_their_tree_is_gone_in_the_next_run() {
    let Some(bench) = bench() else { return };
    bench.write(
        "tests/test_trouble.py",
        "import os, pathlib\n\
        ROOT = pathlib.Path(__file__).parents[1]\n\
        def test_leaves():\n\
        \x20   os.mkfifo(str(ROOT / 'pipe'))\n\
        \x20   os.symlink('.', str(ROOT / 'loop'))\n\
        \x20   open(os.fsencode(str(ROOT)) + b'/line\\nend \\xff', 'w').close()\n\
        \x20   os.chmod(str(ROOT / 'src' / 'ladle' / 'text.py'), 0)\n\
        \x20   os.chmod(str(ROOT / 'src'), 0)\n",
    );
    let before = files(&bench.project);
    for _ in 0..2 {
        assert_eq!(
            bench.json(&["trace", "--fresh", "--suite", "tests/test_trouble.py"])["good"],
            1
        );
    }
    assert!(files(&bench.project) == before);
}

#[test]
fn names_that_are_no_text_and_files_that_are_none_do_no_harm() {
    let Some(bench) = bench() else { return };
    bench.write("src/ladle/a name.py", "");
    bench.write("src/ladle/line\nend.py", "");
    symlink("nowhere", bench.project.join("dangling")).unwrap();
    symlink("dangling", bench.project.join("loop")).unwrap();
    let made = Command::new("mkfifo")
        .arg(bench.project.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    // Not every file system takes such names.
    let _ = fs::write(bench.project.join(OsStr::from_bytes(b"src/\xff.py")), "");
    assert!(bench.run(&["doctor"]).out.contains("left out: pipe"));
    let task = bench.extract();
    assert!(is_whole(&task));
}

#[test]
fn an_environment_that_could_not_be_made_anew_is_not_taken_for_the_old_one() {
    let Some(bench) = bench() else { return };
    bench.write("lacuna.toml", "[environment]\ninstall = ['exit 1']\n");
    assert!(bench.refused(&["prepare"]).starts_with("Some(3)"));
    fs::remove_file(bench.project.join("lacuna.toml")).unwrap();
    bench.ok(&["tests", "--suite", "tests/test_units.py", "--fresh"]);
}

#[test]
fn code_without_what_makes_it_a_project_is_told_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("legacy");
    fs::create_dir(&project).unwrap();
    for name in ["globs.go", "globs_test.go"] {
        fs::write(project.join(name), "package globs\n").unwrap();
    }
    let bench = Bench::take("cli-legacy", &project);
    let root = bench.project.to_str().unwrap();
    let doctor = || bench.run(&["doctor"]).out.replace(root, "PROJECT");
    expect![[r#"
        Some(3): lacuna: error: PROJECT holds no project in a language that lacuna can run: 2 files in go, but no go.mod, which `go mod init` makes; is it the root folder?
        ok       project: 2 files in PROJECT
        ok       configuration: defaults
        problem  language: 2 files in go, but no go.mod, which `go mod init` makes
                 Is this the root folder of the project?
    "#]]
        .assert_eq(&(bench.refused(&["features", "."]).replace(root, "PROJECT") + &doctor()));
    for name in ["globs.go", "globs_test.go"] {
        fs::remove_file(bench.project.join(name)).unwrap();
    }
    bench.write("notes.txt", "Nothing to run.\n");
    expect![[r#"
        Some(3): lacuna: error: PROJECT holds no project in a language that lacuna can run: none of python (*.py), go (go.mod, which `go mod init` makes), rust (Cargo.toml); is it the root folder?
    "#]].assert_eq(&bench.refused(&["features", "."]).replace(root, "PROJECT"));
}
