//! What the two sides can do: read from the client, told of the server.

use std::path::PathBuf;

use gen_lsp_types::InitializeParams;
use serde_json::{Value, json};

use crate::handlers::semantic_tokens;
use crate::preview::Preview;
use crate::text::Encoding;
use crate::uri;

/// The commands that the server carries out.
pub const COMMANDS: [&str; 6] = [
    "lacuna.trace",
    "lacuna.setTarget",
    "lacuna.preview",
    "lacuna.showChain",
    "lacuna.extract",
    "lacuna.check",
];

/// Which edits of the workspace a client can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edits {
    /// Those of texts.
    Texts,
    /// Those that tell which state of a text they are for.
    Documents,
    /// Those that make files, too.
    Files,
}

impl Edits {
    /// What a client's capabilities allow. Files are made among edits of documents only, so that a client
    /// that makes them knows these, whether it says so or, like Neovim 0.7, does not.
    fn new(said: &Value) -> Self {
        let edits = &said["workspace"]["workspaceEdit"];
        let operations = edits["resourceOperations"].as_array();
        match operations.is_some_and(|it| it.contains(&json!("create"))) {
            true => Self::Files,
            false if edits["documentChanges"] == true => Self::Documents,
            false => Self::Texts,
        }
    }
}

/// What a client can do.
#[derive(Clone, Debug)]
pub struct Client {
    /// What columns count.
    pub encoding: Encoding,
    /// Whether it shows the progress of long work.
    pub shows_progress: bool,
    /// Whether it tells of changed files if it is asked to.
    pub watches_files: bool,
    /// Whether it asks for diagnostics.
    pub pulls_diagnostics: bool,
    /// Which edits it can make.
    pub edits: Edits,
    /// How it can show the starting tree.
    pub preview: Preview,
    /// The requests that let it ask again for what it shows.
    pub refreshes: Vec<&'static str>,
}

impl Client {
    /// Reads what a client says of itself.
    pub fn new(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let general = capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        // A client says much that is of no interest here: the rest is read by its place.
        let said = serde_json::to_value(capabilities).unwrap_or_default();
        let can = |place: &str| said.pointer(place).and_then(Value::as_bool) == Some(true);
        let refreshes = [
            (
                "/workspace/codeLens/refreshSupport",
                "workspace/codeLens/refresh",
            ),
            (
                "/workspace/inlayHint/refreshSupport",
                "workspace/inlayHint/refresh",
            ),
            (
                "/workspace/semanticTokens/refreshSupport",
                "workspace/semanticTokens/refresh",
            ),
            (
                "/workspace/diagnostics/refreshSupport",
                "workspace/diagnostic/refresh",
            ),
        ];
        let refreshes = refreshes.into_iter().filter(|(place, _)| can(place));
        Self {
            encoding: Encoding::negotiate(offered),
            shows_progress: can("/window/workDoneProgress"),
            watches_files: can("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            edits: Edits::new(&said),
            preview: Preview::new(&said),
            pulls_diagnostics: said
                .pointer("/textDocument/diagnostic")
                .is_some_and(Value::is_object),
            refreshes: refreshes.map(|(_, method)| method).collect(),
        }
    }

    /// The folders that a client starts with.
    pub fn roots(&self, params: &InitializeParams) -> Vec<PathBuf> {
        let said = serde_json::to_value(params).unwrap_or_default();
        let folders = said["workspaceFolders"].as_array();
        let folders = folders.into_iter().flatten().map(|folder| &folder["uri"]);
        let of_uri = |uri: &Value| uri::to_path(&uri.as_str()?.to_owned().into());
        let mut roots: Vec<PathBuf> = folders.filter_map(of_uri).collect();
        if roots.is_empty() {
            roots.extend(of_uri(&said["rootUri"]));
        }
        if roots.is_empty() {
            roots.extend(said["rootPath"].as_str().map(PathBuf::from));
        }
        roots
    }
}

/// What the server can do.
pub fn capabilities(client: &Client) -> Value {
    json!({
        "positionEncoding": client.encoding.kind(),
        "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "callHierarchyProvider": true,
        "typeHierarchyProvider": true,
        "hoverProvider": true,
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "semanticTokensProvider": {
            "legend": semantic_tokens::legend(),
            "full": true,
            "range": true,
        },
        "inlayHintProvider": true,
        "codeLensProvider": {"resolveProvider": true},
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite"]},
        "diagnosticProvider": {
            "identifier": "lacuna",
            "interFileDependencies": true,
            "workspaceDiagnostics": true,
        },
        "executeCommandProvider": {"commands": COMMANDS, "workDoneProgress": true},
        "workspace": {
            "workspaceFolders": {"supported": true, "changeNotifications": true},
        },
    })
}
