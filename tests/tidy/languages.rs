//! Every language has all that a language takes: syntax, symbols, removal, interface, a way to run its
//! tests, a sample tree and a line in the README.

use std::fs;
use std::sync::Arc;

use analyzer::{Analysis, AnalysisHost, Change, Language, SourceText};
use extractors::interface::interface;
use extractors::removal::{Action, Project, RemovalPlan, remove};

use crate::tree::root;
use crate::verdict;

/// How many functions are taken out: enough to tell that they can be.
const TRIED: usize = 20;

#[test]
fn every_language_has_all_it_takes() {
    let missing = Language::ALL.iter().flat_map(|language| {
        let parts = missing(*language).into_iter();
        parts.map(move |part| format!("{language}: {part}; see docs/adding-a-language.md"))
    });
    verdict(missing.collect());
}

fn missing(language: Language) -> Vec<&'static str> {
    let sample = sample(language);
    let readme = fs::read_to_string(root().join("README.md")).unwrap_or_default();
    let is_named = |line: &str| line.to_lowercase().starts_with(&format!("| {language}"));
    let parts = [
        (
            "a row in harness/src/lang",
            harness::lang::named(language.id()).is_some(),
        ),
        (
            "a row in the table of README.md",
            readme.lines().any(is_named),
        ),
        ("a tree in fixtures/trees", !sample.paths().is_empty()),
        (
            "functions that can be deleted",
            some_leave(&sample, Action::Delete),
        ),
        (
            "functions that can be stubbed",
            some_leave(&sample, Action::Stub { keep_doc: true }),
        ),
        ("an interface that parses", has_interface(language, &sample)),
    ];
    let missing = parts.into_iter().filter(|(_, is_there)| !is_there);
    missing.map(|(part, _)| part).collect()
}

/// The files of a language in the sample trees.
fn sample(language: Language) -> Analysis {
    let files = ignore::Walk::new(root().join("fixtures/trees")).flatten();
    let files = files.filter_map(|entry| {
        let path = entry.path().strip_prefix(root()).ok()?;
        let path = path.to_str()?.to_owned();
        (Language::from_path(&path) == Some(language))
            .then(|| Some((path, Some(Arc::from(fs::read(entry.path()).ok()?)))))?
    });
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: files.collect(),
        trace: None,
    });
    host.analysis()
}

/// Whether most of the first functions of a sample can leave in a way, one at a time, and what is left parses.
fn some_leave(sample: &Analysis, action: Action) -> bool {
    let project = Project::new(sample);
    let symbols = sample
        .paths()
        .into_iter()
        .flat_map(|path| sample.symbols(&path).to_vec());
    let functions = symbols.filter(|symbol| symbol.kind.is_callable());
    let functions: Vec<_> = functions.take(TRIED).collect();
    let leave = functions.iter().filter(|function| {
        let plan = RemovalPlan {
            actions: [(function.id.clone(), action)].into(),
            ..RemovalPlan::default()
        };
        let removal = remove(&project, &plan);
        removal.problems.is_empty() && removal.removed_lines > 0
    });
    leave.count() * 2 > functions.len()
}

/// Whether the interface of all functions and types of a sample is code of the language.
fn has_interface(language: Language, sample: &Analysis) -> bool {
    let symbols = sample
        .paths()
        .into_iter()
        .flat_map(|path| sample.symbols(&path).to_vec());
    let top = symbols
        .filter(|symbol| symbol.kind.is_callable())
        .map(|symbol| symbol.id);
    let interface = interface(sample, &top.collect());
    let codes: Vec<String> = sample
        .paths()
        .iter()
        .map(|path| interface.to_code(path))
        .collect();
    let parses = |code: &String| {
        let text = SourceText::new(Some(language), &Arc::from(code.as_bytes()));
        grammars::parse(language, &text).error_ranges().is_empty()
    };
    codes.iter().any(|code| !code.is_empty()) && codes.iter().all(parses)
}
