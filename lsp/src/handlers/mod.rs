//! The requests: one module for each group, each a function from what it reads to its result.

mod code_actions;
pub mod code_lens;
pub mod diagnostics;
pub mod feature;
mod hierarchy;
mod hover;
mod inlay_hints;
mod navigation;
pub mod semantic_tokens;
mod structure;
mod symbols;

use gen_lsp_types as lsp;
use gen_lsp_types::Request;
use lsp_server::{ErrorCode, ResponseError};
use serde_json::Value;

use crate::world::{Refusal, World};

/// Answers a request by its method.
///
/// # Errors
/// There is no such method, its parameters are wrong, or there is nothing to answer about.
pub fn answer(world: &World, method: &str, params: Value) -> Result<Value, ResponseError> {
    let result = match method {
        "textDocument/documentSymbol" => {
            run::<lsp::DocumentSymbolRequest>(world, params, symbols::of_document)
        }
        "workspace/symbol" => {
            run::<lsp::WorkspaceSymbolRequest>(world, params, symbols::of_workspace)
        }
        "textDocument/definition" => {
            run::<lsp::DefinitionRequest>(world, params, navigation::definition)
        }
        "textDocument/references" => {
            run::<lsp::ReferencesRequest>(world, params, navigation::references)
        }
        "textDocument/documentHighlight" => {
            run::<lsp::DocumentHighlightRequest>(world, params, navigation::highlights)
        }
        "textDocument/prepareCallHierarchy" => {
            run::<lsp::CallHierarchyPrepareRequest>(world, params, hierarchy::prepare_calls)
        }
        "callHierarchy/incomingCalls" => {
            run::<lsp::CallHierarchyIncomingCallsRequest>(world, params, hierarchy::incoming)
        }
        "callHierarchy/outgoingCalls" => {
            run::<lsp::CallHierarchyOutgoingCallsRequest>(world, params, hierarchy::outgoing)
        }
        "textDocument/prepareTypeHierarchy" => {
            run::<lsp::TypeHierarchyPrepareRequest>(world, params, hierarchy::prepare_types)
        }
        "typeHierarchy/supertypes" => {
            run::<lsp::TypeHierarchySupertypesRequest>(world, params, hierarchy::supertypes)
        }
        "typeHierarchy/subtypes" => {
            run::<lsp::TypeHierarchySubtypesRequest>(world, params, hierarchy::subtypes)
        }
        "textDocument/hover" => run::<lsp::HoverRequest>(world, params, hover::hover),
        "textDocument/foldingRange" => {
            run::<lsp::FoldingRangeRequest>(world, params, structure::folding)
        }
        "textDocument/selectionRange" => {
            run::<lsp::SelectionRangeRequest>(world, params, structure::selection)
        }
        "textDocument/semanticTokens/full" => {
            run::<lsp::SemanticTokensRequest>(world, params, semantic_tokens::full)
        }
        "textDocument/semanticTokens/range" => {
            run::<lsp::SemanticTokensRangeRequest>(world, params, semantic_tokens::of_range)
        }
        "textDocument/inlayHint" => run::<lsp::InlayHintRequest>(world, params, inlay_hints::hints),
        "textDocument/codeLens" => run::<lsp::CodeLensRequest>(world, params, code_lens::lenses),
        "textDocument/codeAction" => {
            run::<lsp::CodeActionRequest>(world, params, code_actions::actions)
        }
        "textDocument/diagnostic" => {
            run::<lsp::DocumentDiagnosticRequest>(world, params, diagnostics::pulled)
        }
        "workspace/diagnostic" => {
            run::<lsp::WorkspaceDiagnosticRequest>(world, params, diagnostics::of_workspace)
        }
        "lacuna/features" => feature::features(world),
        "lacuna/roles" => feature::roles(world, &params),
        "lacuna/featureGraph" => feature::graph(world),
        "lacuna/interface" => feature::interface(world),
        "lacuna/patch" => feature::patch(world),
        "lacuna/preview" => feature::preview(world),
        "lacuna/showChain" => feature::chain(world, &params),
        _ => {
            return Err(ResponseError {
                code: ErrorCode::MethodNotFound as i32,
                message: format!("there is no request {method:?}"),
                data: None,
            });
        }
    };
    result.map_err(|refusal| refusal.response())
}

fn run<R: Request>(
    world: &World,
    params: Value,
    handler: fn(&World, R::Params) -> R::Result,
) -> Result<Value, Refusal> {
    let params = serde_json::from_value(params);
    let params = params.map_err(|error| Refusal::Parameters(error.to_string()))?;
    let result = serde_json::to_value(handler(world, params));
    result.map_err(|error| Refusal::Failed(error.to_string()))
}
