//! Diagnostics: what a curator should look at, pushed or pulled.

use std::collections::BTreeSet;

use analyzer::symbol::Symbol;
use gen_lsp_types as lsp;
use harness::words::count;

use crate::active::FindingKind;
use crate::knowledge::Freshness;
use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

/// The diagnostics of a file, in the order of the file.
pub fn of_file(world: &World, uri: &lsp::Uri) -> Vec<lsp::Diagnostic> {
    let Some((folder, file)) = world.file(uri) else {
        return Vec::new();
    };
    let mut found = problems(folder, &file);
    for symbol in folder.analysis.symbols(&file.path).iter() {
        found.extend(of_symbol(folder, &file, symbol));
    }
    found.sort_by_key(|it| (it.range.start.line, it.range.start.character));
    found
}

/// What was wrong while the file was read.
fn problems(folder: &Snapshot, file: &FileView) -> Vec<lsp::Diagnostic> {
    let problems = folder.analysis.problems(&file.path);
    let diagnostic = |problem: &analyzer::Problem| {
        let range = file.range(&problem.range);
        diagnostic(
            range,
            lsp::DiagnosticSeverity::Information,
            "unread",
            problem.message.clone(),
        )
    };
    problems.iter().map(diagnostic).collect()
}

fn of_symbol(folder: &Snapshot, file: &FileView, symbol: &Symbol) -> Vec<lsp::Diagnostic> {
    let range = file.range(&symbol.focus);
    let findings = folder.known.active.as_ref().map(|active| &active.findings);
    let of_symbol = findings
        .into_iter()
        .flatten()
        .filter(|it| it.symbol == symbol.id);
    let mut found: Vec<lsp::Diagnostic> = of_symbol
        .map(|finding| {
            let (severity, code, message) = words(&finding.kind);
            diagnostic(range, severity, code, message)
        })
        .collect();
    if symbol.kind.is_callable() && is_stale(folder, file, symbol) {
        let message = "changed since the tests were run: what is shown of it may no longer hold";
        let severity = lsp::DiagnosticSeverity::Hint;
        found.push(diagnostic(range, severity, "stale", message.to_owned()));
    }
    found
}

fn is_stale(folder: &Snapshot, file: &FileView, symbol: &Symbol) -> bool {
    let known = folder.knowledge(&symbol.id, file.bytes(&symbol.full));
    known.is_some_and(|(knowledge, freshness)| {
        freshness == Freshness::Stale && !knowledge.executing(&symbol.id).is_empty()
    })
}

fn words(kind: &FindingKind) -> (lsp::DiagnosticSeverity, &'static str, String) {
    use lsp::DiagnosticSeverity::{Information, Warning};
    match kind {
        FindingKind::Undocumented => (
            Information,
            "undocumented",
            "top symbol without documentation: a solver is told its signature only".to_owned(),
        ),
        FindingKind::Untold => (
            Warning,
            "untold",
            "held-back tests name it, it leaves, and the interface does not tell it".to_owned(),
        ),
        FindingKind::Kept => (
            Information,
            "kept",
            "belongs to the feature and stays: code that stays needs its name".to_owned(),
        ),
        FindingKind::Contradicted(tests) => (
            Warning,
            "contradicted",
            format!(
                "leaves by choice, though {} run it and will fail",
                count(*tests, "other test")
            ),
        ),
    }
}

fn diagnostic(
    range: lsp::Range,
    severity: lsp::DiagnosticSeverity,
    code: &str,
    message: String,
) -> lsp::Diagnostic {
    lsp::Diagnostic {
        range,
        severity: Some(severity),
        code: Some(lsp::Code::String(code.to_owned())),
        code_description: None,
        source: Some("lacuna".to_owned()),
        message: lsp::Message::String(message),
        tags: None,
        related_information: None,
        data: None,
    }
}

/// The diagnostics of a file, for a client that asks.
pub fn pulled(
    world: &World,
    params: lsp::DocumentDiagnosticParams,
) -> lsp::DocumentDiagnosticReport {
    let items = of_file(world, &params.text_document.uri);
    let report = lsp::RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport {
            result_id: None,
            items,
        },
    };
    report.into()
}

/// The diagnostics of all files that have a symbol with a finding, and none of those that had one before.
pub fn of_workspace(
    world: &World,
    params: lsp::WorkspaceDiagnosticParams,
) -> lsp::WorkspaceDiagnosticReport {
    let mut items = Vec::new();
    let mut told = BTreeSet::new();
    for folder in &world.folders {
        let findings = folder
            .known
            .active
            .iter()
            .flat_map(|active| &active.findings);
        let mut paths: Vec<&str> = findings.map(|finding| finding.symbol.path()).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let uri = folder.uri(path);
            // The client gives it back, which tells what it still shows.
            let id = Some(TOLD.to_owned());
            items.push(report(uri.clone(), id, of_file(world, &uri)));
            told.insert(uri.0);
        }
    }
    let before = params.previous_result_ids.into_iter().map(|it| it.uri);
    let over = before.filter(|uri| !told.contains(&uri.0));
    items.extend(over.map(|uri| report(uri, None, Vec::new())));
    lsp::WorkspaceDiagnosticReport { items }
}

/// The id of every result that says something.
const TOLD: &str = "told";

fn report(
    uri: lsp::Uri,
    result_id: Option<String>,
    items: Vec<lsp::Diagnostic>,
) -> lsp::WorkspaceDocumentDiagnosticReport {
    let report = lsp::WorkspaceFullDocumentDiagnosticReport {
        full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport { result_id, items },
        uri,
        version: None,
    };
    report.into()
}
