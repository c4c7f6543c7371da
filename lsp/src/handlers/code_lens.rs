//! Code lenses: above tests the feature they would give, above symbols their part in the active one.

use analyzer::symbol::{Symbol, SymbolId};
use gen_lsp_types as lsp;
use harness::carve::draft::Size;
use harness::overview::Offer;
use harness::words::count;
use serde_json::{Value, json};

use super::hierarchy::stale_word;
use crate::active::ActiveFeature;
use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

/// The lenses of a file.
pub fn lenses(world: &World, params: lsp::CodeLensParams) -> Option<Vec<lsp::CodeLens>> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let symbols = folder.analysis.symbols(&file.path);
    let argument = |target: &str| argument(world, folder, target);
    let mut lenses = of_file(folder, &file, &argument);
    for symbol in symbols.iter().filter(|symbol| symbol.kind.is_definition()) {
        lenses.extend(of_test(folder, &file, symbol, &argument));
        lenses.extend(of_member(folder, &file, symbol));
    }
    Some(lenses)
}

fn lens(range: lsp::Range, title: String, command: &str, arguments: Vec<Value>) -> lsp::CodeLens {
    lsp::CodeLens {
        range,
        command: Some(lsp::Command {
            title,
            tooltip: None,
            command: command.to_owned(),
            arguments: Some(arguments),
        }),
        data: None,
    }
}

/// A target as a command takes it: where there are several folders, with the path of its own.
fn argument(world: &World, folder: &Snapshot, target: &str) -> Value {
    match world.folders.len() {
        0 | 1 => json!(target),
        _ => json!(format!("{}/{target}", folder.root.display())),
    }
}

/// Above a test file: what the file as a whole offers.
fn of_file(
    folder: &Snapshot,
    file: &FileView,
    argument: &dyn Fn(&str) -> Value,
) -> Vec<lsp::CodeLens> {
    let Some(offer) = folder.known.offers.get(&*file.path) else {
        return Vec::new();
    };
    let range = file.range(&(0..0));
    let target = || vec![argument(&file.path)];
    let title = what_it_offers(offer.offer, &offer.size, offer.collateral);
    vec![
        lens(range, title, "lacuna.setTarget", target()),
        lens(range, "extract".to_owned(), "lacuna.extract", target()),
    ]
}

/// Above a test function: what it offers, which is found out when the lens is seen.
fn of_test(
    folder: &Snapshot,
    file: &FileView,
    symbol: &Symbol,
    argument: &dyn Fn(&str) -> Value,
) -> Vec<lsp::CodeLens> {
    let Some(target) = target_of(folder, file, symbol) else {
        return Vec::new();
    };
    let range = file.range(&symbol.focus);
    vec![
        lsp::CodeLens {
            range,
            command: None,
            data: Some(json!({
                "target": target,
                "folder": folder.root,
                "argument": argument(&target),
            })),
        },
        lens(
            range,
            "extract".to_owned(),
            "lacuna.extract",
            vec![argument(&target)],
        ),
        lens(
            range,
            "trace".to_owned(),
            "lacuna.trace",
            // A part of the suite is a file.
            vec![argument(&file.path)],
        ),
    ]
}

/// The id of a test function without the parameters of its cases.
fn target_of(folder: &Snapshot, file: &FileView, symbol: &Symbol) -> Option<String> {
    let (knowledge, _) = folder.knowledge(&symbol.id, file.bytes(&symbol.full))?;
    let first = knowledge.tests_of(&symbol.id).first()?;
    let id = &knowledge.trace.tests.get(*first as usize)?.id;
    Some(id.split('[').next().unwrap_or_default().to_owned())
}

/// The command of a lens whose target was weighed. Where there is no feature, it tells why.
pub fn weighed(feature: Option<&ActiveFeature>, argument: &Value) -> Value {
    let title = feature.map_or(NOTHING.to_owned(), |feature| {
        what_it_offers(feature.offer, &feature.size, feature.tests.collateral)
    });
    json!({"title": title, "command": "lacuna.setTarget", "arguments": [argument]})
}

/// What a target comes to that owns nothing.
const NOTHING: &str = "no feature of its own";

/// What a target comes to: what would go, and whom it would cost.
fn what_it_offers(offer: Offer, size: &Size, collateral: usize) -> String {
    let title = match offer {
        Offer::Nothing => return NOTHING.to_owned(),
        Offer::Small => "too small a feature",
        Offer::Feature => "feature",
    };
    format!(
        "{title}: {}, {}, {} would fail",
        count(size.lines, "line"),
        count(size.files, "file"),
        count(collateral, "other test")
    )
}

/// Above a symbol: its part in the active feature.
fn of_member(folder: &Snapshot, file: &FileView, symbol: &Symbol) -> Option<lsp::CodeLens> {
    let member = folder.member(&symbol.id)?;
    let known = folder.knowledge(&symbol.id, file.bytes(&symbol.full));
    let stale = known.map_or("", |(_, freshness)| stale_word(freshness));
    let title = format!(
        "{} · {} · {}{stale}",
        member.role.word(),
        count(member.target_tests, "target test"),
        count(member.other_tests, "other test")
    );
    let argument = vec![json!(SymbolId::as_str(&symbol.id))];
    Some(lens(
        file.range(&symbol.focus),
        title,
        "lacuna.showChain",
        argument,
    ))
}
