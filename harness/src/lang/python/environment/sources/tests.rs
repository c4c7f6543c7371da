//! Each way of saying what tests need is found.

use super::*;
use crate::project::Project;
use expect_test::{Expect, expect};

fn check(files: &[(&str, &str)], config: &EnvironmentConfig, expected: Expect) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let pyproject = fs::read_to_string(folder.path().join("pyproject.toml")).unwrap_or_default();
    let facts = Facts {
        pyproject: pyproject.parse().unwrap(),
        ..Facts::default()
    };
    let listing = Project::open(folder.path()).unwrap().files().unwrap();
    let mut text = String::new();
    let extras = facts.table(&["project", "optional-dependencies"]);
    let extras: Vec<String> = extras.map(|(name, _)| name.clone()).collect();
    for source in find(folder.path(), &facts, &listing, config, &extras) {
        text.push_str(&format!(
            "{:?} {}: {:?}\n",
            source.tier, source.origin, source.content
        ));
    }
    expected.assert_eq(&text);
}

fn check_pyproject(text: &str, expected: Expect) {
    check(
        &[("pyproject.toml", text)],
        &EnvironmentConfig::default(),
        expected,
    );
}

#[test]
fn dependency_groups_include_each_other() {
    check_pyproject(
        r#"
            [dependency-groups]
            base = ["pytest"]
            Test_Suite = [{ include-group = "BASE" }, "mock>=1"]
            docs = ["sphinx"]
            dev = [{ include-group = "test-suite" }, { include-group = "dev" }, "ruff"]
        "#,
        expect![[r#"
            Tests dependency group `Test_Suite`: Lines(["pytest", "mock>=1"])
            Development dependency group `dev`: Lines(["pytest", "mock>=1", "ruff"])
            Other dependency group `base`: Lines(["pytest"])
            Other dependency group `docs`: Lines(["sphinx"])
        "#]],
    );
}

#[test]
fn extras_are_taken_by_name() {
    check_pyproject(
        r#"
            [project]
            name = "shop"
            [project.optional-dependencies]
            tests = ["pytest"]
            dev = ["shop[tests]"]
            docs = ["sphinx"]
            test_docs = ["sphinx"]
        "#,
        expect![[r#"
            Tests extra `tests`: Extra("tests")
            Development extra `dev`: Extra("dev")
            Other extra `docs`: Extra("docs")
            Other extra `test_docs`: Extra("test_docs")
        "#]],
    );
}

#[test]
fn tables_of_project_managers_are_read() {
    check_pyproject(
        r#"
            [tool.poetry.group.test.dependencies]
            pytest = "^8"
            [tool.poetry.dev-dependencies]
            black = "*"
            [tool.pdm.dev-dependencies]
            test = ["mock"]
            [tool.uv]
            dev-dependencies = ["freezegun"]
            [tool.hatch.envs.default]
            dependencies = ["coverage"]
            features = ["yaml"]
            [tool.hatch.envs.hatch-test]
            extra-dependencies = ["hypothesis"]
            [tool.tox.env_run_base]
            deps = ["attrs", "-e .[socks]"]
        "#,
        expect![[r#"
            Tests pyproject.toml, environment or group `test`: Lines(["pytest>=8,<9"])
            Tests pyproject.toml, environment or group `test`: Lines(["mock"])
            Tests pyproject.toml, environment or group `hatch-test`: Lines(["hypothesis"])
            Tests tox, env_run_base: Lines(["attrs"])
            Tests extra `socks`: Extra("socks")
            Development pyproject.toml, environment or group `dev`: Lines(["black"])
            Development pyproject.toml, environment or group `dev`: Lines(["freezegun"])
            Development pyproject.toml, environment or group `default`: Lines(["coverage"])
            Development extra `yaml`: Extra("yaml")
        "#]],
    );
}

#[test]
fn requirements_files_are_read_and_pinned_ones_preferred() {
    check(
        &[
            ("requirements/tests.in", "pytest\n"),
            ("requirements/tests.txt", "pytest==8.0\n"),
            ("requirements/dev.in", "-r tests.in\ntox\n"),
            ("requirements/docs.txt", "sphinx\n"),
        ],
        &EnvironmentConfig::default(),
        expect![[r#"
            Tests requirements/tests.txt: Lines(["pytest==8.0"])
            Development requirements/dev.in: Lines(["pytest", "tox"])
        "#]],
    );
}

#[test]
fn what_the_person_asks_for_replaces_the_automatic_choice() {
    let config = EnvironmentConfig {
        requirements: vec!["numpy<2".into(), "-r more.txt".into()],
        groups: Some(vec!["ci".into()]),
        extras: Some(vec!["fast".into()]),
        ..EnvironmentConfig::default()
    };
    let pyproject = "[dependency-groups]\ntest = ['pytest']\nci = ['nose']\n[project.optional-dependencies]\nfast = []\n";
    check(
        &[("pyproject.toml", pyproject), ("more.txt", "scipy\n")],
        &config,
        expect![[r#"
            Tests lacuna.toml: Lines(["numpy<2", "scipy"])
            Tests dependency group `ci`: Lines(["nose"])
            Tests extra `fast`: Extra("fast")
            Other dependency group `test`: Lines(["pytest"])
        "#]],
    );
}

#[test]
fn a_line_of_tox_for_some_environments_only_is_left_out() {
    let lines = [
        "pytest",
        "django42: Django>=4.2,<5",
        "-r{toxinidir}/reqs.txt",
        "{env:EXTRA}",
        "x @ https://e.org/x",
    ];
    let kept: Vec<_> = lines.iter().filter_map(|line| tox_line(line)).collect();
    assert_eq!(kept, ["pytest", "-rreqs.txt", "x @ https://e.org/x"]);
}

#[test]
fn of_a_list_for_development_what_tests_do_not_import_is_left_out() {
    let lines = [
        "pytest",
        "ruff==0.5",
        "sphinx-rtd-theme",
        "types-PyYAML",
        "black[jupyter]",
        "typing-extensions",
        "tyro",
        "hypothesis",
    ];
    let lines = lines.map(str::to_owned);
    let source = |tier| Source {
        tier,
        origin: String::new(),
        content: Content::Lines(Vec::new()),
    };
    assert_eq!(source(Tier::Tests).worthwhile(&lines), lines);
    let kept = source(Tier::Development).worthwhile(&lines);
    assert_eq!(kept, ["pytest", "typing-extensions", "tyro", "hypothesis"]);
}
