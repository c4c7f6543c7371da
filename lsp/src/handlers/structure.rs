//! Folding and selecting by the structure of the text.

use gen_lsp_types as lsp;
use grammars::tree_sitter::Node;

use crate::snapshot::FileView;
use crate::world::World;

/// What can be folded: definitions, and runs of imports and comments.
pub fn folding(world: &World, params: lsp::FoldingRangeParams) -> Option<Vec<lsp::FoldingRange>> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let symbols = folder.analysis.symbols(&file.path);
    let definitions = symbols.iter().filter(|symbol| symbol.kind.is_definition());
    let mut folds: Vec<lsp::FoldingRange> = definitions
        .filter_map(|symbol| fold(&file, &(symbol.focus.start..symbol.full.end), None))
        .collect();
    let imports = folder.analysis.imports(&file.path);
    let statements = imports.iter().map(|import| import.statement.clone());
    let runs = runs(&file, statements.collect());
    folds.extend(
        runs.iter()
            .filter_map(|run| fold(&file, run, Some(lsp::FoldingRangeKind::Imports))),
    );
    if let Some(tree) = folder.analysis.syntax(&file.path) {
        let comments = self::runs(&file, tree.comments().to_vec());
        let kind = || Some(lsp::FoldingRangeKind::Comment);
        folds.extend(comments.iter().filter_map(|run| fold(&file, run, kind())));
    }
    folds.sort_by_key(|fold| (fold.start_line, fold.end_line));
    folds.dedup_by_key(|fold| fold.start_line);
    Some(folds)
}

fn fold(
    file: &FileView,
    span: &std::ops::Range<usize>,
    kind: Option<lsp::FoldingRangeKind>,
) -> Option<lsp::FoldingRange> {
    let range = file.range(span);
    (range.start.line < range.end.line).then_some(lsp::FoldingRange {
        start_line: range.start.line,
        start_character: None,
        end_line: range.end.line,
        end_character: None,
        kind,
        collapsed_text: None,
    })
}

/// Spans that stand on lines in a row, as one each.
fn runs(file: &FileView, mut spans: Vec<std::ops::Range<usize>>) -> Vec<std::ops::Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for span in spans {
        let line = file.position(span.start).line;
        match runs.last_mut() {
            Some(run) if line <= file.position(run.end).line + 1 => run.end = run.end.max(span.end),
            _ => runs.push(span),
        }
    }
    runs
}

/// What encloses each position, inside out.
pub fn selection(
    world: &World,
    params: lsp::SelectionRangeParams,
) -> Option<Vec<lsp::SelectionRange>> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let tree = folder.analysis.syntax(&file.path)?;
    let of_position = |position: &lsp::Position| {
        let offset = file.offset(*position);
        let mut spans = Vec::new();
        let mut node = tree.root().descendant_for_byte_range(offset, offset);
        while let Some(inner) = node {
            spans.push(inner.byte_range());
            node = parent(tree.root(), inner);
        }
        spans.dedup();
        let outside_in = spans.into_iter().rev();
        outside_in
            .fold(None, |parent, span| {
                Some(Box::new(lsp::SelectionRange {
                    range: file.range(&span),
                    parent,
                }))
            })
            .map_or_else(|| whole(&file), |innermost| *innermost)
    };
    Some(params.positions.iter().map(of_position).collect())
}

fn whole(file: &FileView) -> lsp::SelectionRange {
    lsp::SelectionRange {
        range: file.all(),
        parent: None,
    }
}

fn parent<'t>(root: Node<'t>, node: Node<'t>) -> Option<Node<'t>> {
    (node != root).then(|| node.parent()).flatten()
}
