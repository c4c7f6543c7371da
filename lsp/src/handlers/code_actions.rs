//! Code actions: a choice about a symbol, written into the project's configuration as an edit.

use std::fs;
use std::io::ErrorKind;

use analyzer::feature::Role;
use analyzer::symbol::SymbolId;
use gen_lsp_types as lsp;
use serde_json::{Value, json};
use toml_edit::{Array, DocumentMut, Item, Table};

use crate::capabilities::Edits;
use crate::notifications::CONFIGURATION;
use crate::snapshot::Snapshot;
use crate::text::Lines;
use crate::world::World;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// A list of symbols in the configuration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Include,
    Exclude,
    Stub,
}

impl List {
    const ALL: [Self; 3] = [Self::Include, Self::Exclude, Self::Stub];

    fn key(self) -> &'static str {
        match self {
            Self::Include => "include",
            Self::Exclude => "exclude",
            Self::Stub => "stub",
        }
    }

    /// What a person is offered.
    fn title(self, name: &str) -> String {
        match self {
            Self::Include => format!("Lacuna: make `{name}` part of the feature (top)"),
            Self::Exclude => format!("Lacuna: keep `{name}` (protect)"),
            Self::Stub => format!("Lacuna: stub `{name}` instead of deleting it"),
        }
    }
}

/// What can be chosen about the definition at a place, or about the file if there is none.
pub fn actions(
    world: &World,
    params: lsp::CodeActionParams,
) -> Option<Vec<lsp::CodeActionResponse>> {
    let (folder, file) = world.file(&params.text_document.uri)?;
    let offset = file.offset(params.range.start);
    let meant = folder.meant(&file, offset).into_iter();
    let definitions = meant.filter(|id| is_definition(folder, id));
    let around = || folder.enclosing(&file.path, offset).map(|symbol| symbol.id);
    let id = definitions.last().or_else(around);
    // Outside every definition the choice is about the file.
    let id = id.unwrap_or_else(|| SymbolId::module(&file.path));
    let text = configuration(folder)?;
    let is_open_to_choice = |list: &List| offered(folder, *list, &id);
    let choices = List::ALL.into_iter().filter(is_open_to_choice);
    let chosen = choices.filter_map(|list| {
        let new = with_choice(&text, list, &id)?;
        Some(action(world, folder, list.title(id.name()), &text, &new))
    });
    let mut actions: Vec<Value> = chosen.collect();
    if let Some(new) = without_choice(&text, &id) {
        let title = format!("Lacuna: let the measure decide about `{}`", id.name());
        actions.push(action(world, folder, title, &text, &new));
    }
    // The generated types have no edit without every optional part: the wire form is shorter.
    let read = actions
        .into_iter()
        .filter_map(|it| serde_json::from_value(it).ok());
    Some(read.collect())
}

fn is_definition(folder: &Snapshot, id: &SymbolId) -> bool {
    let symbol = folder.analysis.symbol(id);
    symbol.is_some_and(|symbol| symbol.kind.is_definition())
}

/// Whether a choice would change anything.
fn offered(folder: &Snapshot, list: List, id: &SymbolId) -> bool {
    let role = folder.member(id).map(|member| member.role);
    if id.is_module() {
        return list == List::Exclude;
    }
    match list {
        List::Include => role != Some(Role::Top),
        List::Exclude => role.is_none_or(Role::is_removed),
        List::Stub => role.is_some_and(Role::is_removed),
    }
}

/// The text of the configuration, empty where there is none; `None` if it cannot be read.
fn configuration(folder: &Snapshot) -> Option<String> {
    if let Some(text) = &folder.configuration {
        return Some(text.clone());
    }
    match fs::read_to_string(folder.root.join(CONFIGURATION)) {
        Err(error) if error.kind() == ErrorKind::NotFound => Some(String::new()),
        read => read.ok(),
    }
}

/// The configuration with a symbol in one list and in no other; `None` if it cannot be read.
fn with_choice(text: &str, list: List, id: &SymbolId) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    take_out(&mut document, id);
    let feature = document
        .entry("feature")
        .or_insert(Item::Table(Table::new()));
    let list = feature.as_table_like_mut()?.entry(list.key());
    let list = list.or_insert(Item::Value(Array::new().into()));
    list.as_array_mut()?.push(id.as_str());
    Some(written_like(text, &document))
}

/// The configuration with a symbol in no list; `None` if it is in none, or cannot be read.
fn without_choice(text: &str, id: &SymbolId) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    take_out(&mut document, id).then(|| written_like(text, &document))
}

/// A changed document with the byte order mark and the line ends of its text, which parsing drops.
fn written_like(text: &str, document: &DocumentMut) -> String {
    let mark = if text.starts_with(MARK) {
        "\u{feff}"
    } else {
        ""
    };
    let new = document.to_string();
    let new = new.trim_start_matches(MARK);
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = new.replace("\r\n", "\n").replace('\n', end);
    format!("{mark}{new}")
}

fn take_out(document: &mut DocumentMut, id: &SymbolId) -> bool {
    let Some(feature) = document
        .get_mut("feature")
        .and_then(Item::as_table_like_mut)
    else {
        return false;
    };
    let mut found = false;
    for list in List::ALL {
        let Some(array) = feature.get_mut(list.key()).and_then(Item::as_array_mut) else {
            continue;
        };
        let before = array.len();
        array.retain(|entry| entry.as_str() != Some(id.as_str()));
        found |= array.len() < before;
        if array.is_empty() {
            feature.remove(list.key());
        }
    }
    found
}

/// A code action in the form that the client can take.
fn action(world: &World, folder: &Snapshot, title: String, old: &str, new: &str) -> Value {
    let uri = folder.uri(CONFIGURATION);
    let there = folder.configuration.is_some() || folder.root.join(CONFIGURATION).exists();
    let all = Lines::new(old.as_bytes(), folder.encoding).all(old.as_bytes());
    let edits = json!([{"range": all, "newText": new}]);
    let create = json!({"kind": "create", "uri": uri, "options": {"ignoreIfExists": true}});
    let document = json!({"textDocument": {"uri": uri, "version": null}, "edits": edits});
    let edit = match world.edits {
        Edits::Texts => json!({"changes": {uri.0: edits}}),
        Edits::Files if !there => json!({"documentChanges": [create, document]}),
        Edits::Files | Edits::Documents => json!({"documentChanges": [document]}),
    };
    json!({"title": title, "kind": "quickfix", "edit": edit})
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_choice_is_in_one_list_and_the_rest_of_the_text_stays() {
        let id = SymbolId::parse("a.py::f");
        let text = "# why\n[tests]\narguments = ['-q'] # short\n\n[feature]\ninclude = [\"a.py::f\", \"b.py::g\"]\n";
        let text = with_choice(text, List::Exclude, &id).unwrap();
        expect![[r##"
            # why
            [tests]
            arguments = ['-q'] # short

            [feature]
            include = [ "b.py::g"]
            exclude = ["a.py::f"]
        "##]]
        .assert_eq(&text);
        assert_eq!(
            with_choice("", List::Stub, &id).unwrap(),
            "[feature]\nstub = [\"a.py::f\"]\n"
        );
        assert_eq!(without_choice("", &id), None);
        assert_eq!(
            with_choice("feature = { min_lines = 3 }\n", List::Stub, &id).unwrap(),
            "feature = { min_lines = 3 , stub = [\"a.py::f\"] }\n"
        );
        assert_eq!(
            with_choice("\u{feff}# why\r\n[feature]\r\n", List::Stub, &id).unwrap(),
            "\u{feff}# why\r\n[feature]\r\nstub = [\"a.py::f\"]\r\n"
        );
        assert_eq!(with_choice("broken [", List::Stub, &id), None);
    }
}
