//! Code lenses: above tests the feature they would give, above symbols their part in the active one.

use analyzer::symbol::{Symbol, SymbolId};
use gen_lsp_types as lsp;
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
    let mut lenses = of_file(folder, &file);
    for symbol in symbols.iter().filter(|symbol| symbol.kind.is_definition()) {
        lenses.extend(of_test(folder, &file, symbol));
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

/// Above a test file: what the file as a whole offers.
fn of_file(folder: &Snapshot, file: &FileView) -> Vec<lsp::CodeLens> {
    let Some(offer) = folder.known.offers.get(&*file.path) else {
        return Vec::new();
    };
    let range = file.range(&(0..0));
    let target = || vec![json!(file.path)];
    let title = match offer.size.top {
        0 => "no feature of its own".to_owned(),
        _ => format!(
            "feature: {}, {}, {} others would fail",
            count(offer.size.lines, "line"),
            count(offer.size.files, "file"),
            offer.collateral
        ),
    };
    vec![
        lens(range, title, "lacuna.setTarget", target()),
        lens(range, "extract".to_owned(), "lacuna.extract", target()),
    ]
}

/// Above a test function: what it offers, which is found out when the lens is seen.
fn of_test(folder: &Snapshot, file: &FileView, symbol: &Symbol) -> Vec<lsp::CodeLens> {
    let Some(target) = target_of(folder, file, symbol) else {
        return Vec::new();
    };
    let range = file.range(&symbol.focus);
    vec![
        lsp::CodeLens {
            range,
            command: None,
            data: Some(json!({"target": target, "folder": folder.root})),
        },
        lens(
            range,
            "extract".to_owned(),
            "lacuna.extract",
            vec![json!(target)],
        ),
        lens(
            range,
            "trace".to_owned(),
            "lacuna.trace",
            vec![json!(target)],
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

/// The command of a lens whose target was weighed.
pub fn weighed(feature: Option<&ActiveFeature>) -> Value {
    match feature {
        Some(feature) if feature.size.top > 0 => json!({
            "title": format!(
                "feature: {}, {}",
                count(feature.size.lines, "line"),
                count(feature.size.files, "file")
            ),
            "command": "lacuna.setTarget",
            "arguments": feature.target,
        }),
        Some(feature) => nothing_of_its_own(&feature.target),
        None => nothing_of_its_own(&[]),
    }
}

/// A lens that still says what it is about: a client may insist on a command.
fn nothing_of_its_own(target: &[String]) -> Value {
    json!({"title": "no feature of its own", "command": "lacuna.setTarget", "arguments": target})
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
