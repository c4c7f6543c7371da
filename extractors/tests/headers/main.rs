//! The interface of real packages, read back by the interpreter's own parser.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod read_back;

use std::process::Command;

#[test]
fn headers_of_packaging_are_read_back_unchanged() {
    check("packaging", "25.0", "src/packaging");
}

#[test]
fn headers_of_click_are_read_back_unchanged() {
    check("click", "8.1.8", "src/click");
}

#[test]
fn headers_of_jinja2_are_read_back_unchanged() {
    check("jinja2", "3.1.6", "src/jinja2");
}

#[test]
fn headers_of_attrs_are_read_back_unchanged() {
    check("attrs", "25.3.0", "src");
}

#[test]
fn headers_of_mistune_are_read_back_unchanged() {
    check("mistune", "3.1.3", "src/mistune");
}

#[test]
fn headers_of_sqlparse_are_read_back_unchanged() {
    check("sqlparse", "0.5.3", "sqlparse");
}

#[test]
fn headers_of_networkx_are_read_back_unchanged() {
    check("networkx", "3.4.2", "networkx");
}

#[track_caller]
fn check(name: &str, version: &str, folder: &str) {
    let Some(root) = fixtures::sdist(name, version) else {
        return;
    };
    let works = Command::new("python3").arg("--version").output().is_ok();
    if !works {
        return fixtures::unavailable("a Python 3").unwrap_or_default();
    }
    let compared = read_back::read_back("python3", &root.join(folder));
    let compared = compared.unwrap_or_else(|difference| panic!("{difference}"));
    assert!(
        compared > 100,
        "{compared} definitions of {name} were compared"
    );
}
