//! Symbols of a file and of the workspace.

use std::collections::BTreeMap;
use std::sync::Arc;

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

/// A symbol that a query means. There may be very many, so that none is copied.
struct Found {
    rank: u8,
    /// Index of the folder.
    folder: usize,
    symbols: Arc<Vec<Symbol>>,
    /// Index of the symbol.
    at: usize,
}

impl Found {
    fn symbol(&self) -> Option<&Symbol> {
        self.symbols.get(self.at)
    }

    fn order(&self) -> (u8, Option<&SymbolId>, usize) {
        let id = self.symbol().map(|symbol| &symbol.id);
        (self.rank, id, self.folder)
    }
}

/// The symbols of the workspace that a query means, best first.
pub fn of_workspace(
    world: &World,
    params: lsp::WorkspaceSymbolParams,
) -> Option<lsp::WorkspaceSymbolResponse> {
    let query = params.query;
    let mut found: Vec<Found> = Vec::new();
    for (index, folder) in world.folders.iter().enumerate() {
        let speaks_for = |path: &str| {
            let home = || world.home(&folder.root.join(path));
            world.folders.len() == 1 || home().is_some_and(|home| std::ptr::eq(home, folder))
        };
        for (path, _) in folder.analysis.sources() {
            if speaks_for(path) {
                found.extend(found_in(index, &folder.analysis.symbols(path), &query));
            }
        }
    }
    if found.len() > MOST_FOUND {
        found.select_nth_unstable_by(MOST_FOUND, |one, other| one.order().cmp(&other.order()));
        found.truncate(MOST_FOUND);
    }
    found.sort_by(|one, other| one.order().cmp(&other.order()));
    let located = found
        .iter()
        .filter_map(|found| located(world.folders.get(found.folder)?, found.symbol()?));
    Some(lsp::WorkspaceSymbolResponse::WorkspaceSymbolList(
        located.collect(),
    ))
}

/// The symbols of one file that a query means.
fn found_in<'s>(
    folder: usize,
    symbols: &'s Arc<Vec<Symbol>>,
    query: &'s str,
) -> impl Iterator<Item = Found> + 's {
    let named = symbols.iter().enumerate();
    let named = named.filter(|(_, symbol)| symbol.kind != SymbolKind::Module);
    named.filter_map(move |(at, symbol)| {
        Some(Found {
            rank: rank(&symbol.id, query)?,
            folder,
            symbols: Arc::clone(symbols),
            at,
        })
    })
}

fn located(folder: &Snapshot, symbol: &Symbol) -> Option<lsp::WorkspaceSymbol> {
    let container = symbol.container.as_ref().filter(|it| !it.is_module());
    let shown = container.map_or(symbol.id.path(), |id| id.chain());
    let file = folder.file(symbol.id.path())?;
    Some(lsp::WorkspaceSymbol {
        location: folder.location(&file, &symbol.focus).into(),
        data: None,
        base_symbol_information: lsp::BaseSymbolInformation {
            name: shown_name(&symbol.id),
            kind: kind(symbol),
            tags: None,
            container_name: Some(shown.to_owned()),
        },
    })
}

/// How well a symbol fits a query: the name itself, with its case or another, its beginning, a part of it
/// or the end of the id, its letters in order. Asked for every symbol at every key, so nothing is copied.
fn rank(symbol: &SymbolId, query: &str) -> Option<u8> {
    let name = symbol.name().as_bytes();
    let query = query.as_bytes();
    if name == query {
        return Some(0);
    }
    let is_it = |part: &[u8]| part.eq_ignore_ascii_case(query);
    if is_it(name) {
        return Some(1);
    }
    if name.get(..query.len()).is_some_and(is_it) {
        return Some(2);
    }
    let id = symbol.as_str().as_bytes();
    let end = id.len().checked_sub(query.len());
    if name.windows(query.len().max(1)).any(is_it)
        || end.and_then(|at| id.get(at..)).is_some_and(is_it)
    {
        return Some(3);
    }
    let mut left = name.iter();
    let mut wanted = query.iter();
    let follows = |wanted: &u8| left.any(|letter| letter.eq_ignore_ascii_case(wanted));
    wanted.all(follows).then_some(4)
}
