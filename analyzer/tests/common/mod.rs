//! What the tests of the analyzer share: a project from a fixture, and answers as text.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "not every test uses every helper"
)]

use std::fmt::Write;
use std::sync::Arc;

use analyzer::occurrence::{Confidence, Reference, Target};
use analyzer::symbol::ByteRange;
use analyzer::{Analysis, AnalysisHost, Change};
use fixtures::Fixture;

/// A change that writes one file.
pub fn write(path: &str, text: &str) -> Change {
    Change {
        files: vec![(path.to_owned(), Some(Arc::from(text.as_bytes())))],
        trace: None,
    }
}

/// A host with the files of a fixture text.
pub fn host(fixture: &str) -> AnalysisHost {
    let mut host = AnalysisHost::new();
    host.apply(change(fixture));
    host
}

/// A change that writes the files of a fixture text.
pub fn change(fixture: &str) -> Change {
    let files = Fixture::parse(fixture).files;
    let files = files
        .into_iter()
        .map(|file| (file.path, Some(Arc::from(file.text.as_bytes()))));
    Change {
        files: files.collect(),
        trace: None,
    }
}

/// The text of a range.
pub fn text(analysis: &Analysis, path: &str, range: &ByteRange) -> String {
    analysis
        .source(path)
        .map(|source| source.decode(range.clone()))
        .unwrap_or_default()
}

/// `line:text`
pub fn place(analysis: &Analysis, path: &str, range: &ByteRange) -> String {
    let before = text(analysis, path, &(0..range.start));
    let shown = text(analysis, path, range);
    format!(
        "{}:{}",
        before.matches('\n').count() + 1,
        shown.lines().next().unwrap_or_default()
    )
}

/// Resolved targets as they are, those by name with a question mark.
pub fn targets(targets: &[Target]) -> String {
    let shown: Vec<String> = targets
        .iter()
        .map(|target| match target.confidence {
            Confidence::Resolved => target.symbol.to_string(),
            Confidence::Named => format!("?{}", target.symbol),
        })
        .collect();
    shown.join(" ")
}

/// One line for each symbol of a file but the module: id, kind, line, name, whole text, body, doc.
pub fn symbols(analysis: &Analysis, path: &str) -> String {
    let mut shown = String::new();
    for symbol in analysis.symbols(path).iter().skip(1) {
        let full = text(analysis, path, &symbol.full)
            .replace('\r', "␍")
            .replace('\n', "⏎");
        let body = symbol.body.as_ref().map(|body| {
            text(analysis, path, body)
                .replace('\r', "␍")
                .replace('\n', "⏎")
        });
        let name = text(analysis, path, &symbol.focus);
        let _ = write!(
            shown,
            "{} {:?} line {} {name}",
            symbol.id.as_str(),
            symbol.kind,
            symbol.line
        );
        let _ = write!(shown, " | {full} | {}", body.unwrap_or_default());
        let doc = symbol.doc.as_ref().map(|doc| text(analysis, path, doc));
        let _ = writeln!(
            shown,
            "{}",
            doc.map(|doc| format!(" | {doc}")).unwrap_or_default()
        );
    }
    shown
}

/// One line for each reference of a file for which `wanted` holds.
pub fn references(analysis: &Analysis, path: &str, wanted: impl Fn(&Reference) -> bool) -> String {
    let mut shown = String::new();
    for reference in analysis
        .references(path)
        .iter()
        .filter(|reference| wanted(reference))
    {
        let place = place(analysis, path, &reference.range);
        let from = match reference.from.chain() {
            "" => "(module)",
            chain => chain,
        };
        let _ = write!(
            shown,
            "{place} in {from} {:?} {:?}",
            reference.kind, reference.runs
        );
        let through = reference
            .through
            .map(|import| format!(" through {import}"))
            .unwrap_or_default();
        let _ = writeln!(shown, "{through} → {}", targets(&reference.targets));
    }
    shown
}

/// One line for each import of a file.
pub fn imports(analysis: &Analysis, path: &str) -> String {
    let mut shown = String::new();
    for import in analysis.imports(path).iter() {
        let targets: Vec<&str> = import
            .targets
            .iter()
            .map(|target| target.as_str())
            .collect();
        let _ = writeln!(
            shown,
            "{} as {} in {} {:?} from {} → {}",
            place(analysis, path, &import.item),
            import.bound,
            import.scope,
            import.runs,
            import.module.as_deref().unwrap_or("?"),
            targets.join(" ")
        );
    }
    shown
}

/// One line for each export of a file.
pub fn exports(analysis: &Analysis, path: &str) -> String {
    let mut shown = String::new();
    for export in analysis.exports(path).iter() {
        let targets: Vec<&str> = export
            .targets
            .iter()
            .map(|target| target.as_str())
            .collect();
        let _ = writeln!(
            shown,
            "{} → {}",
            place(analysis, path, &export.range),
            targets.join(" ")
        );
    }
    shown
}
