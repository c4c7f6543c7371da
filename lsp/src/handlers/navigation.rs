//! Definition, references and highlights.

use analyzer::occurrence::ReferenceKind;
use analyzer::symbol::SymbolId;
use gen_lsp_types as lsp;

use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

/// The file and the symbols that a position means.
pub fn at<'w>(
    world: &'w World,
    place: &lsp::TextDocumentPositionParams,
) -> Option<(&'w Snapshot, FileView, Vec<SymbolId>)> {
    let (folder, file) = world.file(&place.text_document.uri)?;
    let meant = folder.meant(&file, file.offset(place.position));
    Some((folder, file, meant))
}

/// Where what a position means is defined.
pub fn definition(world: &World, params: lsp::DefinitionParams) -> Option<lsp::DefinitionResponse> {
    let (folder, _, meant) = at(world, &params.text_document_position_params)?;
    let places: Vec<lsp::Location> = meant.iter().filter_map(|id| folder.place(id)).collect();
    (!places.is_empty()).then(|| lsp::Definition::LocationList(places).into())
}

/// Every use of what a position means.
pub fn references(world: &World, params: lsp::ReferenceParams) -> Option<Vec<lsp::Location>> {
    let (folder, _, meant) = at(world, &params.text_document_position_params)?;
    let mut places = Vec::new();
    for id in &meant {
        if params.context.include_declaration {
            places.extend(folder.place(id));
        }
        for (file, uses) in folder.uses(id) {
            places.extend(uses.iter().map(|it| folder.location(&file, &it.range)));
        }
        places.extend(imports(folder, id));
    }
    places.sort_by(|one, other| key(one).cmp(&key(other)));
    places.dedup();
    Some(places)
}

fn key(place: &lsp::Location) -> (&str, u32, u32) {
    let start = place.range.start;
    (&place.uri.0, start.line, start.character)
}

/// The import statements that name a symbol.
fn imports(folder: &Snapshot, id: &SymbolId) -> Vec<lsp::Location> {
    let mut places = Vec::new();
    for path in folder.mentioning(id) {
        let imports = folder.analysis.imports(path);
        let named = imports.iter().filter(|import| import.bound != "*");
        let mut of_symbol = named.filter(|it| it.targets.contains(id)).peekable();
        if of_symbol.peek().is_none() {
            continue;
        }
        if let Some(file) = folder.file(path) {
            places.extend(of_symbol.map(|import| folder.location(&file, &import.item)));
        }
    }
    places
}

/// The uses in the same file of what a position means.
pub fn highlights(
    world: &World,
    params: lsp::DocumentHighlightParams,
) -> Option<Vec<lsp::DocumentHighlight>> {
    let (folder, file, meant) = at(world, &params.text_document_position_params)?;
    let symbols = folder.analysis.symbols(&file.path);
    let defined = symbols.iter().filter(|symbol| meant.contains(&symbol.id));
    let defined = defined.map(|symbol| (symbol.focus.clone(), lsp::DocumentHighlightKind::Write));
    let references = folder.analysis.references(&file.path);
    let used = references.iter().filter(|it| {
        let named = it.kind != ReferenceKind::Implicit;
        named
            && it
                .targets
                .iter()
                .any(|target| meant.contains(&target.symbol))
    });
    let used = used.map(|it| (it.range.clone(), lsp::DocumentHighlightKind::Read));
    let mut places: Vec<_> = defined.chain(used).collect();
    places.sort_by_key(|(span, _)| (span.start, span.end));
    places.dedup_by_key(|(span, _)| span.clone());
    let highlight = |(span, kind)| lsp::DocumentHighlight {
        range: file.range(&span),
        kind: Some(kind),
    };
    Some(places.into_iter().map(highlight).collect())
}
