//! Our own requests: the active feature as data. `docs/lsp-extensions.md` documents them.

use analyzer::symbol::SymbolId;
use gen_lsp_types::Uri;
use harness::overview::Row;
use serde_json::{Value, json};

use crate::active::ActiveFeature;
use crate::snapshot::Snapshot;
use crate::world::{Refusal, World};

/// The version of these requests, which every answer carries.
pub const VERSION: u32 = 1;

type Answer = Result<Value, Refusal>;

fn active(world: &World) -> Result<(&Snapshot, &ActiveFeature), Refusal> {
    let none = || Refusal::Failed("there is no active feature; set a target first".to_owned());
    let folder = world.active().ok_or_else(none)?;
    let feature = folder.known.active.as_deref().ok_or_else(none)?;
    Ok((folder, feature))
}

/// `lacuna/features`: what every test file offers.
pub fn features(world: &World) -> Answer {
    let offers = world
        .folders
        .iter()
        .flat_map(|folder| folder.known.offers.values());
    let rows: Vec<&Row> = offers.collect();
    Ok(json!({"version": VERSION, "features": rows}))
}

/// `lacuna/roles`: the symbols of a file that have a role in the active feature.
pub fn roles(world: &World, params: &Value) -> Answer {
    let uri = params["textDocument"]["uri"].as_str();
    let uri = uri.ok_or_else(|| Refusal::Parameters("textDocument.uri is missing".to_owned()))?;
    let Some((folder, file)) = world.file(&Uri(uri.to_owned())) else {
        return Ok(json!({"version": VERSION, "ranges": []}));
    };
    let symbols = folder.analysis.symbols(&file.path);
    let ranges: Vec<Value> = symbols
        .iter()
        .filter_map(|symbol| {
            let member = folder.member(&symbol.id)?;
            Some(json!({
                "range": file.range(&symbol.full),
                "role": member.role,
                "symbol": symbol.id,
            }))
        })
        .collect();
    Ok(json!({"version": VERSION, "ranges": ranges}))
}

/// `lacuna/featureGraph`: the active feature as a graph.
pub fn graph(world: &World) -> Answer {
    let (_, feature) = active(world)?;
    Ok(
        json!({"version": VERSION, "graph": feature.graph, "size": feature.size, "tests": feature.tests}),
    )
}

/// `lacuna/interface`: what a solver would be told.
pub fn interface(world: &World) -> Answer {
    let (_, feature) = active(world)?;
    Ok(json!({
        "version": VERSION,
        "markdown": feature.interface.to_markdown(),
        "entries": feature.interface.entries,
    }))
}

/// `lacuna/patch`: from the full tree to the starting tree.
pub fn patch(world: &World) -> Answer {
    let (_, feature) = active(world)?;
    let patch = String::from_utf8_lossy(&feature.patch.to_bytes()).into_owned();
    Ok(json!({"version": VERSION, "removal": patch}))
}

/// `lacuna/preview`: the files of the starting tree that differ; a text is null where a file is gone.
pub fn preview(world: &World) -> Answer {
    let (folder, feature) = active(world)?;
    let files: Vec<Value> = feature
        .starting
        .iter()
        .map(|(path, new)| {
            let text = new
                .as_ref()
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            json!({"uri": folder.uri(path), "path": path, "text": text})
        })
        .collect();
    Ok(json!({"version": VERSION, "target": feature.target, "files": files}))
}

/// `lacuna/showChain`: how a target test comes to need a symbol.
pub fn chain(world: &World, params: &Value) -> Answer {
    let (_, feature) = active(world)?;
    let symbol = symbol_in(params)?;
    let chain = feature.chain(&symbol);
    Ok(json!({"version": VERSION, "symbol": symbol, "chain": chain}))
}

/// The chain of a symbol in words, for a client that shows messages only.
pub fn chain_in_words(feature: &ActiveFeature, params: &Value) -> Option<String> {
    let symbol = symbol_in(params).ok()?;
    let chain = feature.chain(&symbol);
    let Some(first) = chain.first() else {
        return Some(format!("no target test comes to {symbol}"));
    };
    let steps = chain.iter();
    let steps = steps.map(|link| format!("\n→ {} ({} {})", link.to, link.provenance, link.how));
    Some(format!("{}{}", first.from, steps.collect::<String>()))
}

fn symbol_in(params: &Value) -> Result<SymbolId, Refusal> {
    let symbol = params.as_str().or_else(|| params["symbol"].as_str());
    let missing = || Refusal::Parameters("symbol is missing".to_owned());
    Ok(SymbolId::parse(symbol.ok_or_else(missing)?))
}
