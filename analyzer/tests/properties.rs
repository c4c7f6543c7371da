//! Laws that hold for every file, however broken.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use analyzer::occurrence::Reference;
use analyzer::{Analysis, AnalysisHost, Change, Language};
use proptest::prelude::*;

fn analysis(path: &str, bytes: &[u8]) -> Analysis {
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: vec![(path.to_owned(), Some(Arc::from(bytes)))],
        trace: None,
    });
    host.analysis()
}

/// Asks everything of a file in each language, and checks that ids are unique and that ranges lie in
/// the file and in each other.
fn check(bytes: &[u8]) {
    for language in Language::ALL {
        let ending = language.extensions()[0];
        check_file(&format!("m.{ending}"), bytes);
    }
}

fn check_file(path: &str, bytes: &[u8]) {
    let analysis = analysis(path, bytes);
    let symbols = analysis.symbols(path);
    let ids: BTreeSet<_> = symbols.iter().map(|symbol| &symbol.id).collect();
    assert_eq!(ids.len(), symbols.len(), "ids are unique");
    for symbol in symbols.iter() {
        let container = symbol
            .container
            .as_ref()
            .map(|id| analysis.symbol(id).unwrap());
        let around = container.map_or(0..bytes.len(), |container| container.full);
        for inner in [
            Some(&symbol.full),
            symbol.body.as_ref(),
            symbol.doc.as_ref(),
            Some(&symbol.focus),
        ] {
            let Some(inner) = inner else { continue };
            assert!(
                around.start <= inner.start && inner.start <= inner.end,
                "{symbol:?}"
            );
            assert!(inner.end <= around.end, "{symbol:?} in {around:?}");
        }
        assert!(symbol.full.start <= symbol.focus.start && symbol.focus.end <= symbol.full.end);
    }
    assert!(
        symbols.is_sorted_by_key(|symbol| symbol.full.start),
        "source order"
    );
    let references = analysis.references(path);
    assert!(references.is_sorted_by_key(|reference| (reference.range.start, reference.range.end)));
    for reference in references.iter() {
        assert!(reference.range.end <= bytes.len());
        assert!(ids.contains(&reference.from));
        assert!(reference.targets.is_sorted());
    }
    check_uses(&analysis);
    for problem in analysis.problems(path).iter() {
        assert!(problem.range.end <= bytes.len());
    }
    analysis.imports(path);
    analysis.exports(path);
    analysis.graph();
}

/// The uses of every symbol are the references that may mean it, neither more nor fewer.
fn check_uses(analysis: &Analysis) {
    let paths = analysis.paths();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let references: Vec<_> = paths.iter().map(|path| analysis.references(path)).collect();
    for symbol in paths
        .iter()
        .flat_map(|path| analysis.symbols(path).to_vec())
    {
        let is_use = |it: &&Reference| it.targets.iter().any(|to| to.symbol == symbol.id);
        let expected: Vec<Vec<Reference>> = references
            .iter()
            .map(|of_file| of_file.iter().filter(is_use).cloned().collect())
            .collect();
        let found = analysis.references_to(&symbol.id, &paths);
        assert_eq!(found, expected, "{}", symbol.id);
    }
}

/// Pieces of code that, put together at random, are nearly a program.
const PIECES: &[&str] = &[
    "def f(x: \"A\" = 1, *a, **k):",
    "class A(B, metaclass=M):",
    "\n",
    "\n    ",
    "\n        ",
    "@x.setter",
    "@overload",
    "x",
    " = ",
    "self.x",
    "return x",
    "yield",
    "import a.b as c",
    "from . import *",
    "from .a import (b, c)",
    "(",
    ")",
    "[",
    "]",
    "lambda y: y",
    "f\"{x!r:>{y}}\"",
    "'",
    "\"\"\"",
    "# c",
    "\\\n",
    "\r\n",
    "\u{c}",
    "é",
    "__all__ = ['x']",
    "x += 1",
    "match x:",
    "case A(b=c):",
    "type T[U] = U",
    "global x",
    "nonlocal x",
    "async ",
    "await ",
    "for x in y:",
    "with x as y:",
    "try:",
    "except E as e:",
    "else:",
    "if TYPE_CHECKING:",
    "del x",
    "a, *b = c",
    "getattr(x, 'y')",
    "super().x",
    ".",
    ",",
    "1",
    ";",
    "{**x}",
    "x if y else z",
    "(y := x)",
    "[x for x in y if x]",
    "not x",
    "x == y",
    "package p\n",
    "func f[T any](x ...T) (y int, err error) {",
    "func (r *R[T]) M() {",
    "}",
    "type T struct { *B; F, g int `t` }",
    "type I interface { M(); J }",
    "var (\n",
    "const x, _ = iota, 1\n",
    "import . \"a/b\"\n",
    "x := y.(T)",
    "switch v := x.(type) { case *T:",
    "T{a: {b}, c}",
    "for k, v := range x {",
    "<-x",
    "map[K]V",
    "/* c */",
    "// c\n",
];

/// Gives a file one text after the other, asks for its symbols each time, and compares with hosts that
/// know nothing of the texts before.
fn check_edits(texts: &[String]) {
    for language in Language::ALL {
        let path = format!("m.{}", language.extensions()[0]);
        let mut host = AnalysisHost::new();
        for text in texts {
            let bytes = Arc::from(text.as_bytes());
            let files = vec![(path.clone(), Some(bytes))];
            host.apply(Change { files, trace: None });
            let (edited, fresh) = (host.analysis(), analysis(&path, text.as_bytes()));
            assert_eq!(edited.symbols(&path), fresh.symbols(&path), "{text}");
            assert_eq!(edited.references(&path), fresh.references(&path), "{text}");
            assert_eq!(edited.problems(&path), fresh.problems(&path), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_analysed(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    #[test]
    fn anything_like_a_program_can_be_analysed(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        check(pieces.concat().as_bytes());
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_lead_to_the_answers_of_a_fresh_host(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..40),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), proptest::sample::select(PIECES)), 1..4),
    ) {
        let mut pieces = pieces;
        let mut texts = vec![pieces.concat()];
        for (at, piece) in edits {
            let at = at.index(pieces.len());
            pieces[at] = piece;
            texts.push(pieces.concat());
        }
        check_edits(&texts);
    }
}

#[test]
fn deep_nesting_and_long_chains_can_be_analysed() {
    check(format!("package p\nvar x = {}1", "1 + ".repeat(20_000)).as_bytes());
    check(
        format!(
            "package p\nvar x = {}1{}",
            "f(".repeat(5_000),
            ")".repeat(5_000)
        )
        .as_bytes(),
    );
    check(format!("package p\nvar x = a{}", ".b()".repeat(5_000)).as_bytes());
    check(format!("package p\nvar x {}int", "[]".repeat(5_000)).as_bytes());
    check(
        format!(
            "package p\nfunc f() {}{}",
            "{".repeat(5_000),
            "}".repeat(5_000)
        )
        .as_bytes(),
    );
    check("(".repeat(20_000).as_bytes());
    check(format!("x = {}1", "1 + ".repeat(20_000)).as_bytes());
    check(format!("x = {}1{}", "f(".repeat(5_000), ")".repeat(5_000)).as_bytes());
    check(format!("x = a{}", ".b()".repeat(5_000)).as_bytes());
    let nested: String = (0..200)
        .map(|depth| format!("{}def f():\n", " ".repeat(depth)))
        .collect();
    check(nested.as_bytes());
}

#[test]
fn uses_are_found_in_each_language_however_many_share_a_name() {
    for name in ["recipes", "tally", "timetable"] {
        check_uses(&tree(name));
    }
    let boxes: String = (0..20)
        .map(|number| format!("class Box{number}:\n    def size(self): return len(self)\n    def __len__(self): return 1\n\n"))
        .collect();
    let uses = "def all(x):\n    x.size()\n    return Box3().size() + len(x) + getattr(x, 'si' + str(x))()\n";
    let python = format!("{boxes}{uses}");
    check_uses(&analysis("m.py", python.as_bytes()));
    let boxes: String = (0..20)
        .map(|number| {
            format!(
                "pub struct Box{number};\nimpl Box{number} {{ pub fn size(&self) -> u8 {{ 1 }} }}\n"
            )
        })
        .collect();
    let uses = "pub fn all() -> u8 { other().size() + Box3.size() }\n";
    check_uses(&analysis("m.rs", format!("{boxes}{uses}").as_bytes()));
    let boxes: String = (0..20)
        .map(|number| {
            format!(
                "type Box{number} struct{{}}\n\nfunc (b Box{number}) Size() int {{ return 1 }}\n\n"
            )
        })
        .collect();
    let uses = "func all(x Unknown) int { return x.Size() + Box3{}.Size() }\n";
    check_uses(&analysis(
        "m.go",
        format!("package m\n\n{boxes}{uses}").as_bytes(),
    ));
}

/// A project under `fixtures/trees`.
fn tree(name: &str) -> Analysis {
    let root = fixtures::tree_dir(name);
    let mut change = Change::default();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inside = path.strip_prefix(&root).unwrap().to_str().unwrap();
            let bytes = Arc::from(fs::read(&path).unwrap());
            change.files.push((inside.to_owned(), Some(bytes)));
        }
    }
    let mut host = AnalysisHost::new();
    host.apply(change);
    host.analysis()
}
