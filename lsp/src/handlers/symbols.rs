//! Symbols of a file and of the workspace.

use std::collections::BTreeMap;

use analyzer::symbol::{Symbol, SymbolId, SymbolKind};
use gen_lsp_types as lsp;

use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

/// As many as anybody reads.
const MOST_FOUND: usize = 256;

/// The protocol's category of a symbol.
pub fn kind(symbol: &Symbol) -> lsp::SymbolKind {
    match symbol.kind {
        SymbolKind::Module => lsp::SymbolKind::Module,
        SymbolKind::Namespace => lsp::SymbolKind::Namespace,
        SymbolKind::Class => lsp::SymbolKind::Class,
        SymbolKind::Implementation => lsp::SymbolKind::Object,
        SymbolKind::Function | SymbolKind::Macro => lsp::SymbolKind::Function,
        SymbolKind::Method => lsp::SymbolKind::Method,
        SymbolKind::Variable => lsp::SymbolKind::Variable,
        SymbolKind::Field => lsp::SymbolKind::Field,
    }
}

/// What a symbol is called where its place is shown beside it: its last link, without a mark.
pub fn shown_name(symbol: &SymbolId) -> String {
    let link = symbol.chain().rsplit('.').next().unwrap_or_default();
    match link.split_once('#') {
        _ if symbol.is_module() => symbol.name().to_owned(),
        Some((name, mark)) if mark.chars().all(|c| c.is_ascii_digit()) => name.to_owned(),
        Some((name, mark)) => format!("{name} ({mark})"),
        None => link.to_owned(),
    }
}

/// The symbols of a file as a tree.
pub fn of_document(
    world: &World,
    params: lsp::DocumentSymbolParams,
) -> Option<lsp::DocumentSymbolResponse> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let symbols = folder.analysis.symbols(&file.path);
    let mut children: BTreeMap<Option<&SymbolId>, Vec<&Symbol>> = BTreeMap::new();
    for symbol in symbols.iter() {
        children
            .entry(symbol.container.as_ref())
            .or_default()
            .push(symbol);
    }
    let module = symbols.first()?;
    let tree = nested(folder, &file, &children, &module.id);
    Some(lsp::DocumentSymbolResponse::DocumentSymbolList(tree))
}

fn nested(
    folder: &Snapshot,
    file: &FileView,
    children: &BTreeMap<Option<&SymbolId>, Vec<&Symbol>>,
    container: &SymbolId,
) -> Vec<lsp::DocumentSymbol> {
    let inside = children.get(&Some(container)).into_iter().flatten();
    let shown = inside.map(|symbol| {
        let inner = nested(folder, file, children, &symbol.id);
        let role = folder.member(&symbol.id).map(|member| member.role.word());
        lsp::DocumentSymbol::new(
            shown_name(&symbol.id),
            role.map(str::to_owned),
            kind(symbol),
            None,
            None,
            file.range(&symbol.full),
            file.range(&symbol.focus),
            Some(inner).filter(|inner| !inner.is_empty()),
        )
    });
    shown.collect()
}

/// The symbols of the workspace that a query means, best first.
pub fn of_workspace(
    world: &World,
    params: lsp::WorkspaceSymbolParams,
) -> Option<lsp::WorkspaceSymbolResponse> {
    let query = params.query;
    let mut found: Vec<(u8, usize, Symbol)> = Vec::new();
    for (at, folder) in world.folders.iter().enumerate() {
        let speaks_for = |path: &String| {
            let home = || world.home(&folder.root.join(path));
            world.folders.len() == 1 || home().is_some_and(|home| std::ptr::eq(home, folder))
        };
        for path in folder
            .analysis
            .paths()
            .iter()
            .filter(|path| speaks_for(path))
        {
            let symbols = folder.analysis.symbols(path);
            let named = symbols
                .iter()
                .filter(|symbol| symbol.kind != SymbolKind::Module);
            let ranked =
                named.filter_map(|symbol| Some((rank(&symbol.id, &query)?, at, symbol.clone())));
            found.extend(ranked);
        }
    }
    found.sort_by(|one, other| (one.0, &one.2.id).cmp(&(other.0, &other.2.id)));
    found.truncate(MOST_FOUND);
    let located = found.into_iter().filter_map(|(_, at, symbol)| {
        let folder = world.folders.get(at)?;
        let container = symbol.container.as_ref().filter(|it| !it.is_module());
        Some(lsp::WorkspaceSymbol {
            location: folder.place(&symbol.id)?.into(),
            data: None,
            base_symbol_information: lsp::BaseSymbolInformation {
                name: shown_name(&symbol.id),
                kind: kind(&symbol),
                tags: None,
                container_name: Some(
                    container
                        .map_or(symbol.id.path(), |id| id.chain())
                        .to_owned(),
                ),
            },
        })
    });
    Some(lsp::WorkspaceSymbolResponse::WorkspaceSymbolList(
        located.collect(),
    ))
}

/// How well a symbol fits a query: the name itself, its beginning, a part of it or the end of the id, its
/// letters in order. Case does not count. Asked for every symbol at every key, so nothing is copied.
fn rank(symbol: &SymbolId, query: &str) -> Option<u8> {
    let name = symbol.name().as_bytes();
    let query = query.as_bytes();
    let is_it = |part: &[u8]| part.eq_ignore_ascii_case(query);
    if is_it(name) {
        return Some(0);
    }
    if name.get(..query.len()).is_some_and(is_it) {
        return Some(1);
    }
    let id = symbol.as_str().as_bytes();
    let end = id.len().checked_sub(query.len());
    if name.windows(query.len().max(1)).any(is_it)
        || end.and_then(|at| id.get(at..)).is_some_and(is_it)
    {
        return Some(2);
    }
    let mut left = name.iter();
    let mut wanted = query.iter();
    let follows = |wanted: &u8| left.any(|letter| letter.eq_ignore_ascii_case(wanted));
    wanted.all(follows).then_some(3)
}
