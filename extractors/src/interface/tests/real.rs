//! The interface of real packages, read back by the interpreter's own parser.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use analyzer::symbol::SymbolKind;

use crate::interface::interface;
use crate::testing::{analysis_of, real_files};

/// Compares two folders of files: every definition must have the same header and documentation.
const COMPARE: &str = r#"
import ast, pathlib, sys

def definitions(node, chain):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = chain + (child.name,)
            yield name, header(child)
            yield from definitions(child, name)
        else:
            yield from definitions(child, chain)

def header(node):
    parts = [type(node).__name__, ast.get_docstring(node, clean=False)]
    for field in ("args", "returns", "bases", "keywords", "decorator_list", "type_params", "type_comment"):
        value = getattr(node, field, None)
        values = value if isinstance(value, list) else [value]
        parts.append([ast.dump(value) if isinstance(value, ast.AST) else value for value in values])
    return parts

original, emitted = map(pathlib.Path, sys.argv[1:])
count = 0
for path in sorted(emitted.rglob("*.py")):
    name = path.relative_to(emitted)
    read = lambda root: list(definitions(ast.parse((root / name).read_bytes()), ()))
    expected, found = read(original), read(path.parents[len(name.parts) - 1])
    for a, b in zip(expected, found):
        if a != b:
            sys.exit(f"{name}: {a}\nis shown as {b}")
    if len(expected) != len(found):
        sys.exit(f"{name}: {len(expected)} definitions, {len(found)} shown")
    count += len(found)
print(count)
"#;

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

fn check(name: &str, version: &str, folder: &str) {
    let Some(files) = real_files(name, version, folder) else {
        return;
    };
    let Some(python) = python() else { return };
    let original = tempfile::tempdir().unwrap();
    let emitted = tempfile::tempdir().unwrap();
    for (path, bytes) in &files {
        write(original.path(), path, bytes);
    }
    let analysis = analysis_of(files);
    let symbols = analysis
        .paths()
        .into_iter()
        .flat_map(|path| analysis.symbols(&path).to_vec());
    let defined =
        symbols.filter(|symbol| symbol.kind.is_callable() || symbol.kind == SymbolKind::Class);
    let top: BTreeSet<_> = defined.map(|symbol| symbol.id).collect();
    let interface = interface(&analysis, &top);
    for path in analysis.paths() {
        write(emitted.path(), &path, interface.to_code(&path).as_bytes());
    }
    let output = Command::new(python)
        .args(["-c", COMPARE])
        .args([original.path(), emitted.path()])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let compared: usize = String::from_utf8_lossy(&output.stdout)
        .trim()
        .parse()
        .unwrap();
    assert!(
        compared > 100,
        "{compared} definitions of {name} were compared"
    );
}

fn python() -> Option<&'static str> {
    let works = Command::new("python3").arg("--version").output().is_ok();
    works
        .then_some("python3")
        .or_else(|| fixtures::unavailable("a Python 3"))
}

fn write(root: &Path, path: &str, bytes: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
