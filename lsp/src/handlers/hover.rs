//! Hover: what a symbol is, its part in the active feature, and how a test comes to it.

use std::fmt::Write;

use analyzer::symbol::Symbol;
use gen_lsp_types as lsp;
use harness::words::count;

use super::hierarchy::stale_word;
use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

/// As many tests as are named.
const MOST_TESTS: usize = 5;
/// As many lines as a signature is shown with.
const MOST_LINES: usize = 12;

/// What is known of what a position means.
pub fn hover(world: &World, params: lsp::HoverParams) -> Option<lsp::Hover> {
    let place = params.text_document_position_params;
    let (folder, file) = world.file(&place.text_document.uri)?;
    let (span, meant) = folder.name_at(&file, file.offset(place.position))?;
    let id = meant.first()?;
    let symbol = folder.analysis.symbol(id)?;
    let home = folder.file(id.path())?;
    let mut text = signature(folder, &home, &symbol);
    let _ = writeln!(text, "\n`{id}`");
    if meant.len() > 1 {
        let _ = writeln!(text, "\nor another of {}", count(meant.len(), "definition"));
    }
    part(folder, &home, &symbol, &mut text);
    Some(lsp::Hover {
        contents: lsp::Contents::MarkupContent(lsp::MarkupContent {
            kind: lsp::MarkupKind::Markdown,
            value: text,
        }),
        range: Some(file.range(&span)),
    })
}

/// The header of a definition, or the whole of what has no body.
fn signature(folder: &Snapshot, home: &FileView, symbol: &Symbol) -> String {
    let body = symbol.body.as_ref();
    let end = body.map_or(symbol.full.end, |body| {
        end_of_header(folder, home, body.start)
    });
    let is_leading = |doc: &std::ops::Range<usize>| doc.start == symbol.full.start;
    let start = symbol
        .doc
        .as_ref()
        .filter(|doc| is_leading(doc))
        .map_or(symbol.full.start, |doc| doc.end);
    let header = home.text(&(start..end.max(start)));
    let lines: Vec<&str> = header.trim().lines().take(MOST_LINES).collect();
    let language = folder
        .analysis
        .syntax(&home.path)
        .map_or("", |tree| tree.language().id());
    format!("```{language}\n{}\n```\n", lines.join("\n"))
}

/// Where the header before a body ends: comments between them belong to neither.
fn end_of_header(folder: &Snapshot, home: &FileView, body: usize) -> usize {
    let Some(tree) = folder.analysis.syntax(&home.path) else {
        return body;
    };
    let before = tree.comments().iter().rev();
    let before = before.skip_while(|comment| comment.end > body);
    let is_blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    let mut end = body;
    for comment in before {
        if !is_blank(home.bytes(&(comment.end..end))) {
            break;
        }
        end = comment.start;
    }
    end
}

fn part(folder: &Snapshot, home: &FileView, symbol: &Symbol, text: &mut String) {
    let id = &symbol.id;
    if let Some(member) = folder.member(id) {
        let _ = writeln!(
            text,
            "\n**{}** in the active feature: run by {} and {}",
            member.role.word(),
            count(member.target_tests, "target test"),
            count(member.other_tests, "other test")
        );
    }
    let known = folder.knowledge(id, home.bytes(&symbol.full));
    if let Some((knowledge, freshness)) = known {
        let tests = knowledge.executing(id);
        if !tests.is_empty() {
            let stale = stale_word(freshness);
            let _ = writeln!(text, "\nRun by {}{stale}", count(tests.len(), "test"));
            for test in tests.iter().take(MOST_TESTS) {
                if let Some(test) = knowledge.trace.tests.get(*test as usize) {
                    let _ = writeln!(text, "* `{}`", test.id);
                }
            }
            if let Some(more) = tests.len().checked_sub(MOST_TESTS).filter(|it| *it > 0) {
                let _ = writeln!(text, "* and {more} more");
            }
        }
    }
    let active = folder.known.active.as_ref();
    let chain = active.map_or(&[][..], |active| active.chain(id));
    if let Some(first) = chain.first() {
        let _ = writeln!(text, "\nChain from a test:\n\n* `{}`", first.from);
        for link in chain {
            let _ = writeln!(text, "* → `{}` ({} {})", link.to, link.provenance, link.how);
        }
    }
}
