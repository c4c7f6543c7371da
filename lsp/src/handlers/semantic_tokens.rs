//! Semantic tokens: names of definitions and their uses, marked with their role in the active feature.

use analyzer::feature::Role;
use analyzer::symbol::{SymbolId, SymbolKind};
use gen_lsp_types as lsp;
use serde_json::{Value, json};

use crate::snapshot::{FileView, Snapshot};
use crate::world::World;

const TYPES: [&str; 6] = [
    "namespace",
    "class",
    "function",
    "method",
    "variable",
    "property",
];
/// The standard ones first, then the roles, as modifiers of our own.
const MODIFIERS: [&str; 6] = [
    "definition",
    "top",
    "specific",
    "orphaned",
    "shared",
    "protected",
];

/// The names of types and modifiers, in the order of their numbers.
pub fn legend() -> Value {
    json!({"tokenTypes": TYPES, "tokenModifiers": MODIFIERS})
}

fn token_type(kind: SymbolKind) -> u32 {
    match kind {
        SymbolKind::Module | SymbolKind::Namespace => 0,
        SymbolKind::Class | SymbolKind::Implementation => 1,
        SymbolKind::Function | SymbolKind::Macro => 2,
        SymbolKind::Method => 3,
        SymbolKind::Variable => 4,
        SymbolKind::Field => 5,
    }
}

fn role_modifier(role: Role) -> u32 {
    match role {
        Role::Top => 1 << 1,
        Role::Specific => 1 << 2,
        Role::Orphaned => 1 << 3,
        Role::Shared => 1 << 4,
        Role::Protected => 1 << 5,
    }
}

/// The tokens of a file.
pub fn full(world: &World, params: lsp::SemanticTokensParams) -> Option<lsp::SemanticTokens> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    Some(tokens(folder, &file, None))
}

/// The tokens of a part of a file.
pub fn of_range(
    world: &World,
    params: lsp::SemanticTokensRangeParams,
) -> Option<lsp::SemanticTokens> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let span = file.span(params.range);
    Some(tokens(folder, &file, Some(span)))
}

fn tokens(
    folder: &Snapshot,
    file: &FileView,
    within: Option<std::ops::Range<usize>>,
) -> lsp::SemanticTokens {
    let symbols = folder.analysis.symbols(&file.path);
    let named = symbols
        .iter()
        .filter(|symbol| symbol.kind != SymbolKind::Module);
    let mut marks: Vec<(std::ops::Range<usize>, u32, u32)> = named
        .map(|symbol| {
            (
                symbol.focus.clone(),
                token_type(symbol.kind),
                1 | role_of(folder, &symbol.id),
            )
        })
        .collect();
    let references = folder.analysis.references(&file.path);
    // A use with several meanings has no one role.
    let sure = references
        .iter()
        .filter_map(|reference| match &*reference.targets {
            [target] => Some((reference, &target.symbol)),
            _ => None,
        });
    marks.extend(sure.filter_map(|(reference, id)| {
        let symbol = folder.analysis.symbol(id)?;
        let name = file.bytes(&reference.range);
        let is_name = name == id.name().as_bytes();
        is_name.then(|| {
            (
                reference.range.clone(),
                token_type(symbol.kind),
                role_of(folder, id),
            )
        })
    }));
    marks.retain(|(span, _, _)| {
        let inside =
            |within: &std::ops::Range<usize>| span.start < within.end && within.start < span.end;
        !span.is_empty() && within.as_ref().is_none_or(inside)
    });
    marks.sort_by_key(|(span, _, _)| (span.start, span.end));
    marks.dedup_by_key(|(span, _, _)| span.start);
    encode(file, &marks)
}

fn role_of(folder: &Snapshot, id: &SymbolId) -> u32 {
    folder
        .member(id)
        .map_or(0, |member| role_modifier(member.role))
}

/// Tokens as differences; one that spans lines or lies in another has no place among them.
fn encode(file: &FileView, marks: &[(std::ops::Range<usize>, u32, u32)]) -> lsp::SemanticTokens {
    let mut data = Vec::new();
    let (mut line, mut start, mut end) = (0, 0, 0);
    for (span, token_type, modifiers) in marks {
        let range = file.range(span);
        if range.start.line != range.end.line || span.start < end {
            continue;
        }
        end = span.end;
        let delta_line = range.start.line - line;
        let from = if delta_line == 0 { start } else { 0 };
        data.push(lsp::SemanticToken {
            delta_line,
            delta_start: range.start.character - from,
            length: range.end.character - range.start.character,
            token_type: *token_type,
            token_modifiers_bitset: *modifiers,
        });
        (line, start) = (range.start.line, range.start.character);
    }
    lsp::SemanticTokens {
        result_id: None,
        data,
    }
}
