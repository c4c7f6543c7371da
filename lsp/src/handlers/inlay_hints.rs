//! Inlay hints: behind each definition, how many tests execute it.

use gen_lsp_types as lsp;
use harness::words::count;

use crate::knowledge::Freshness;
use crate::world::World;

/// The hints of a range.
pub fn hints(world: &World, params: lsp::InlayHintParams) -> Option<Vec<lsp::InlayHint>> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let asked = file.span(params.range);
    let symbols = folder.analysis.symbols(&file.path);
    let functions = symbols.iter().filter(|symbol| symbol.kind.is_callable());
    let asked_for =
        functions.filter(|it| asked.start <= it.focus.end && it.focus.start <= asked.end);
    let hints = asked_for.filter_map(|symbol| {
        let (knowledge, freshness) = folder.knowledge(&symbol.id, file.bytes(&symbol.full))?;
        let tests = knowledge.executing(&symbol.id).len();
        let is_test = !knowledge.tests_of(&symbol.id).is_empty();
        let stale = if freshness == Freshness::Stale {
            ", stale"
        } else {
            ""
        };
        (tests > 0 && !is_test).then(|| lsp::InlayHint {
            position: file.position(symbol.focus.end),
            label: lsp::Label::String(format!("{}{stale}", count(tests, "test"))),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: Some(false),
            data: None,
        })
    });
    Some(hints.collect())
}
