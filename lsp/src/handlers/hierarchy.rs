//! Hierarchies of calls and of types. Calls that the text shows and calls that were seen in a run are one
//! answer; the detail says where each comes from.

use std::collections::BTreeMap;

use analyzer::occurrence::{Confidence, ReferenceKind};
use analyzer::symbol::{SymbolId, SymbolKind};
use gen_lsp_types as lsp;
use harness::words::count;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::symbols::{kind, shown_name};
use crate::knowledge::{Freshness, Seen};
use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

/// The other end of calls, as far as the text shows them and as far as they were seen.
#[derive(Default)]
struct Calls {
    /// The surest of the places that say so.
    confidence: Option<Confidence>,
    /// The places in the calling file.
    spans: Vec<std::ops::Range<usize>>,
    /// The most tests that made one of the calls.
    tests: Option<u32>,
}

impl Calls {
    /// Where the calls come from; `stale` says whether what was seen of the caller still holds.
    fn detail(&self, stale: &str) -> String {
        let text = match self.confidence {
            Some(Confidence::Resolved) => Some("static".to_owned()),
            Some(Confidence::Named) => Some("static, by name".to_owned()),
            None => None,
        };
        let tests = |tests: u32| count(usize::try_from(tests).unwrap_or_default(), "test");
        let seen = self.tests.map(|it| match it {
            0 => format!("observed outside any test{stale}"),
            _ => format!("observed in {}{stale}", tests(it)),
        });
        let parts: Vec<String> = text.into_iter().chain(seen).collect();
        parts.join(", ")
    }
}

/// An item of a hierarchy: those of calls and of types look alike on the wire.
fn item<T: DeserializeOwned>(folder: &Snapshot, id: &SymbolId, detail: &str) -> Option<T> {
    let symbol = folder.analysis.symbol(id)?;
    let file = folder.file(id.path())?;
    let item = json!({
        "name": shown_name(id),
        "kind": kind(&symbol),
        "detail": detail,
        "uri": folder.uri(id.path()),
        "range": file.range(&symbol.full),
        "selectionRange": file.range(&symbol.focus),
        "data": id,
    });
    serde_json::from_value(item).ok()
}

fn call_item(folder: &Snapshot, id: &SymbolId, detail: &str) -> Option<lsp::CallHierarchyItem> {
    item(folder, id, &format!("{} ({detail})", id.path()))
}

fn type_item(folder: &Snapshot, id: &SymbolId) -> Option<lsp::TypeHierarchyItem> {
    item(folder, id, id.path())
}

/// The definition at a position: what is meant there, else what it stands in.
fn definitions(folder: &Snapshot, file: &FileView, position: lsp::Position) -> Vec<SymbolId> {
    let offset = file.offset(position);
    let meant = folder.meant(file, offset);
    if !meant.is_empty() {
        return meant;
    }
    let around = folder.enclosing(&file.path, offset);
    around.map(|symbol| symbol.id).into_iter().collect()
}

/// The functions at a position.
pub fn prepare_calls(
    world: &World,
    params: lsp::CallHierarchyPrepareParams,
) -> Option<Vec<lsp::CallHierarchyItem>> {
    let place = params.text_document_position_params;
    let (folder, file) = world.file(&place.text_document.uri)?;
    let found = definitions(folder, &file, place.position);
    let items = found.iter().filter_map(|id| {
        let role = folder
            .member(id)
            .map_or("no role", |member| member.role.word());
        call_item(folder, id, role)
    });
    Some(items.collect())
}

/// The folder and the symbol that an item of ours stands for.
fn of_item<'w>(
    world: &'w World,
    uri: &lsp::Uri,
    data: Option<&Value>,
) -> Option<(&'w Snapshot, SymbolId)> {
    let (folder, _) = world.file(uri)?;
    Some((folder, SymbolId::parse(data?.as_str()?)))
}

/// Who calls a symbol.
pub fn incoming(
    world: &World,
    params: lsp::CallHierarchyIncomingCallsParams,
) -> Option<Vec<lsp::CallHierarchyIncomingCall>> {
    let (folder, id) = of_item(world, &params.item.uri, params.item.data.as_ref())?;
    let mut callers: BTreeMap<SymbolId, Calls> = BTreeMap::new();
    for (_, uses) in folder.uses(&id) {
        for reference in uses.iter().filter(|it| is_call(it.kind)) {
            let surest = reference
                .targets
                .iter()
                .filter(|target| target.symbol == id);
            let surest = surest.map(|target| target.confidence).max();
            let caller = caller_around(folder, &reference.from);
            let calls = callers.entry(caller).or_default();
            calls.confidence = calls.confidence.max(surest);
            calls.spans.push(reference.range.clone());
        }
    }
    for seen in seen(folder, &id, true) {
        let calls = callers.entry(seen.symbol.clone()).or_default();
        calls.tests = calls.tests.max(Some(seen.tests));
    }
    let calls = callers.into_iter().filter_map(|(caller, calls)| {
        let file = folder.file(caller.path())?;
        Some(lsp::CallHierarchyIncomingCall {
            from: call_item(folder, &caller, &calls.detail(staleness(folder, &caller)))?,
            from_ranges: ranges(&file, calls.spans),
        })
    });
    Some(calls.collect())
}

/// What a symbol calls.
pub fn outgoing(
    world: &World,
    params: lsp::CallHierarchyOutgoingCallsParams,
) -> Option<Vec<lsp::CallHierarchyOutgoingCall>> {
    let (folder, id) = of_item(world, &params.item.uri, params.item.data.as_ref())?;
    let file = folder.file(id.path())?;
    let mut callees: BTreeMap<SymbolId, Calls> = BTreeMap::new();
    let references = folder.analysis.references(id.path());
    let calls = references.iter().filter(|it| is_call(it.kind));
    for reference in calls.filter(|it| is_made_by(folder, &it.from, &id)) {
        for target in reference.targets.iter() {
            let calls = callees.entry(target.symbol.clone()).or_default();
            calls.confidence = calls.confidence.max(Some(target.confidence));
            calls.spans.push(reference.range.clone());
        }
    }
    for seen in seen(folder, &id, false) {
        let calls = callees.entry(seen.symbol.clone()).or_default();
        calls.tests = calls.tests.max(Some(seen.tests));
    }
    // What was found by name only and never seen is a guess: where there is better, it is left out.
    let has_better = callees.values().any(|calls| !is_guess(calls));
    callees.retain(|_, calls| !(has_better && is_guess(calls)));
    let stale = staleness(folder, &id);
    let calls = callees.into_iter().filter_map(|(callee, calls)| {
        Some(lsp::CallHierarchyOutgoingCall {
            to: call_item(folder, &callee, &calls.detail(stale))?,
            from_ranges: ranges(&file, calls.spans),
        })
    });
    Some(calls.collect())
}

fn is_guess(calls: &Calls) -> bool {
    calls.confidence == Some(Confidence::Named) && calls.tests.is_none()
}

/// Whether a use makes a definition run.
fn is_call(kind: ReferenceKind) -> bool {
    matches!(
        kind,
        ReferenceKind::Call | ReferenceKind::Implicit | ReferenceKind::Decorator
    )
}

/// The function that makes a call which stands in a symbol, else the module.
fn caller_around(folder: &Snapshot, from: &SymbolId) -> SymbolId {
    let mut next = folder.analysis.symbol(from);
    while let Some(symbol) = next {
        if is_caller(symbol.kind) {
            return symbol.id;
        }
        next = symbol
            .container
            .and_then(|container| folder.analysis.symbol(&container));
    }
    SymbolId::module(from.path())
}

/// Whether a symbol makes a call which stands in another: as [`caller_around`] says, and a class makes all
/// that stand in it.
fn is_made_by(folder: &Snapshot, from: &SymbolId, id: &SymbolId) -> bool {
    let symbol = folder.analysis.symbol(id);
    let is_caller = symbol.is_some_and(|symbol| is_caller(symbol.kind));
    from.is_within(id) && (!is_caller || caller_around(folder, from) == *id)
}

fn is_caller(kind: SymbolKind) -> bool {
    kind.is_callable() || kind == SymbolKind::Module
}

/// Calls that were seen.
fn seen(folder: &Snapshot, id: &SymbolId, incoming: bool) -> Vec<Seen> {
    let of = || {
        let symbol = folder.analysis.symbol(id)?;
        let file = folder.file(id.path())?;
        let (knowledge, _) = folder.knowledge(id, file.bytes(&symbol.full))?;
        let seen = match incoming {
            true => knowledge.callers(id),
            false => knowledge.callees(id),
        };
        Some(seen.to_vec())
    };
    of().unwrap_or_default()
}

fn ranges(file: &FileView, mut spans: Vec<std::ops::Range<usize>>) -> Vec<lsp::Range> {
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans.iter().map(|span| file.range(span)).collect()
}

fn is_type(folder: &Snapshot, id: &SymbolId) -> bool {
    let symbol = folder.analysis.symbol(id);
    symbol.is_some_and(|symbol| symbol.kind == SymbolKind::Class)
}

/// The types at a position.
pub fn prepare_types(
    world: &World,
    params: lsp::TypeHierarchyPrepareParams,
) -> Option<Vec<lsp::TypeHierarchyItem>> {
    let place = params.text_document_position_params;
    let (folder, file) = world.file(&place.text_document.uri)?;
    let found = definitions(folder, &file, place.position);
    let types = found.iter().filter(|id| is_type(folder, id));
    Some(types.filter_map(|id| type_item(folder, id)).collect())
}

/// The bases of a type.
pub fn supertypes(
    world: &World,
    params: lsp::TypeHierarchySupertypesParams,
) -> Option<Vec<lsp::TypeHierarchyItem>> {
    let (folder, id) = of_item(world, &params.item.uri, params.item.data.as_ref())?;
    let references = folder.analysis.references(id.path());
    let bases = references
        .iter()
        .filter(|it| it.from == id && it.kind == ReferenceKind::Base);
    let bases = bases
        .flat_map(|it| it.targets.iter())
        .map(|target| &target.symbol);
    let mut bases: Vec<&SymbolId> = bases.filter(|base| is_type(folder, base)).collect();
    bases.sort();
    bases.dedup();
    Some(
        bases
            .into_iter()
            .filter_map(|base| type_item(folder, base))
            .collect(),
    )
}

/// The types that have a type for a base.
pub fn subtypes(
    world: &World,
    params: lsp::TypeHierarchySubtypesParams,
) -> Option<Vec<lsp::TypeHierarchyItem>> {
    let (folder, id) = of_item(world, &params.item.uri, params.item.data.as_ref())?;
    let uses = folder.uses(&id);
    let bases = uses
        .iter()
        .flat_map(|(_, uses)| uses)
        .filter(|it| it.kind == ReferenceKind::Base);
    let mut types: Vec<SymbolId> = bases.map(|it| it.from.clone()).collect();
    types.sort();
    types.dedup();
    Some(
        types
            .iter()
            .filter_map(|id| type_item(folder, id))
            .collect(),
    )
}

/// Whether what a symbol was seen to do still holds, in words; nothing where it does.
pub fn stale_word(freshness: Freshness) -> &'static str {
    match freshness {
        Freshness::Stale => " (stale: changed since the tests were run)",
        Freshness::Fresh | Freshness::Unknown => "",
    }
}

/// The same of a symbol, with its text as it is now.
fn staleness(folder: &Snapshot, id: &SymbolId) -> &'static str {
    let symbol = folder.analysis.symbol(id);
    let home = folder.file(id.path());
    let known = symbol.zip(home).and_then(|(symbol, home)| {
        let (_, freshness) = folder.knowledge(id, home.bytes(&symbol.full))?;
        Some(freshness)
    });
    known.map_or("", stale_word)
}
