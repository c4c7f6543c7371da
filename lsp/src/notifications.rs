//! Notifications: what the client tells of texts, files, folders and settings.

use std::path::Path;

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, FileChangeType, Uri,
};
use lsp_server::Notification;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::curator::Question;
use crate::server::Server;
use crate::settings::Settings;
use crate::{text, uri};

/// The file that configures a project.
pub const CONFIGURATION: &str = "lacuna.toml";

/// Takes in a notification. One that is unknown or makes no sense is passed over: there is no answer to it.
pub fn take(server: &mut Server, told: Notification) {
    let params = told.params;
    match told.method.as_str() {
        "textDocument/didOpen" => with(params, |params| opened(server, params)),
        "textDocument/didChange" => with(params, |params| changed(server, params)),
        "textDocument/didClose" => with(params, |params| closed(server, params)),
        "textDocument/didSave" => saved(server, &params),
        "workspace/didChangeWatchedFiles" => with(params, |params| on_disk(server, params)),
        "workspace/didChangeWorkspaceFolders" => with(params, |params| moved(server, params)),
        "workspace/didChangeConfiguration" => {
            if let Some(settings) = params.get("settings").and_then(Settings::told) {
                server.configure(settings);
            }
        }
        _ => {}
    }
}

fn with<P: DeserializeOwned>(params: Value, take: impl FnOnce(P)) {
    if let Ok(params) = serde_json::from_value(params) {
        take(params);
    }
}

fn opened(server: &mut Server, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    let Some(path) = uri::to_path(&document.uri) else {
        return;
    };
    for (folder, path) in server.holding(&path) {
        folder.open(&path, document.version, document.text.clone());
    }
    server.note_change();
}

fn changed(server: &mut Server, params: DidChangeTextDocumentParams) {
    let encoding = server.client.encoding;
    let document = params.text_document;
    let Some(path) = uri::to_path(&document.text_document_identifier.uri) else {
        return;
    };
    for (folder, path) in server.holding(&path) {
        folder.change(&path, document.version, |old| {
            text::apply(old, params.content_changes.clone(), encoding);
        });
    }
    server.note_change();
}

fn closed(server: &mut Server, params: DidCloseTextDocumentParams) {
    let Some(path) = uri::to_path(&params.text_document.uri) else {
        return;
    };
    for (folder, path) in server.holding(&path) {
        folder.close(&path);
    }
    server.note_change();
}

fn saved(server: &mut Server, params: &Value) {
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let path = uri::to_path(&Uri(uri.to_owned()));
    if path.is_some_and(|path| path.ends_with(CONFIGURATION)) {
        server.ask_curators(|| Question::Again);
    }
}

/// Files have changed on disk: all of a notification are taken in at once.
fn on_disk(server: &mut Server, params: DidChangeWatchedFilesParams) {
    let mut configured = false;
    let mut inputs = Vec::new();
    for change in params.changes {
        let Some(path) = uri::to_path(&change.uri) else {
            continue;
        };
        configured |= path.ends_with(CONFIGURATION);
        let is_gone = change.kind == FileChangeType::Deleted;
        let is_input = path.to_str().is_some_and(analyzer::is_input);
        if is_input && !is_folder(&path) {
            inputs.push(path);
        } else if is_gone {
            server.folders.iter_mut().for_each(|it| it.forget(&path));
        } else if is_folder(&path) {
            server.read_below(&path);
        }
    }
    for folder in &mut server.folders {
        let paths = inputs.iter().filter_map(|path| folder.relative(path));
        let paths: Vec<String> = paths.collect();
        if !paths.is_empty() {
            folder.look_at(paths);
        }
    }
    if configured {
        server.ask_curators(|| Question::Again);
    }
    server.note_change();
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_dir())
}

fn moved(server: &mut Server, params: DidChangeWorkspaceFoldersParams) {
    let path = |uri: &Uri| uri::to_path(uri);
    for folder in params.event.removed {
        if let Some(path) = path(&folder.uri) {
            server.remove_folder(&path);
        }
    }
    for folder in params.event.added {
        if let Some(path) = path(&folder.uri) {
            server.add_folder(path);
        }
    }
}

/// What asks the client to tell of changed files.
pub fn watchers() -> Value {
    let configuration = format!("**/{CONFIGURATION}");
    let globs = analyzer::input_patterns().into_iter();
    let globs = globs.chain([configuration]);
    let watchers: Vec<Value> = globs.map(|glob| json!({"globPattern": glob})).collect();
    json!({"registrations": [{
        "id": "lacuna-files",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": {"watchers": watchers},
    }]})
}
