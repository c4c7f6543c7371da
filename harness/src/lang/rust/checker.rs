//! Checks Rust with `cargo check`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::cargo;
use super::messages;
use super::workspace::{Kind, Workspace};
use crate::checker::{CheckRequest, Checker, Diagnostic, Unused};
use crate::process::Launcher;
use crate::runner::RunError;

/// The compiler without code generation.
pub struct CargoCheck;

impl Checker for CargoCheck {
    fn check(
        &self,
        request: &CheckRequest<'_>,
        launcher: &Launcher,
    ) -> Result<Vec<Diagnostic>, RunError> {
        let mut found = BTreeSet::new();
        let tree = request
            .tree
            .canonicalize()
            .map_err(super::records(request.tree))?;
        let arguments = cargo::Arguments::split(request.arguments);
        for mut workspace in Workspace::find(&tree) {
            let described = workspace.describe(
                request.environment,
                request.scratch,
                launcher,
                &request.limits,
            )?;
            if let Err(reason) = described {
                found.insert(of_manifest(&workspace, reason));
                continue;
            }
            let file = request.scratch.join("check.json");
            let command = cargo::command(request.environment, &workspace)
                .args(["check", "--workspace", "--keep-going"])
                .args(targets(&workspace))
                .args(["--offline", "--locked", "--message-format=json"])
                .args(&arguments.cargo)
                .copy_stdout(&file);
            let finished = launcher.run(&command, &request.limits)?;
            let messages = messages::read(&file);
            for message in messages
                .iter()
                .filter(|message| message["reason"] == "compiler-message")
            {
                found.extend(diagnostics(&message["message"], &tree, &workspace));
            }
            if !finished.success() && !found.iter().any(|one| one.is_error) {
                found.insert(of_manifest(&workspace, finished.stderr.last_lines(40)));
            }
        }
        Ok(found.into_iter().collect())
    }
}

/// Everything but benchmarks, which often need another compiler.
fn targets(workspace: &Workspace) -> Vec<&'static str> {
    let has = |kind| workspace.targets().any(|(_, target)| target.kind == kind);
    let mut flags = vec!["--tests", "--examples", "--bins"];
    if has(Kind::Lib) {
        flags.push("--lib");
    }
    flags
}

fn of_manifest(workspace: &Workspace, message: String) -> Diagnostic {
    Diagnostic {
        path: format!("{}Cargo.toml", workspace.prefix),
        line: 1,
        column: 1,
        is_error: true,
        unused: None,
        message,
    }
}

/// One for each place of a complaint.
fn diagnostics(message: &Value, tree: &std::path::Path, workspace: &Workspace) -> Vec<Diagnostic> {
    let places = messages::places(message, tree, workspace);
    let diagnostic = |place: messages::Place| Diagnostic {
        path: place.path,
        line: place.line,
        column: place.column,
        is_error: messages::level(message).starts_with("error"),
        unused: unused(messages::code(message)),
        message: messages::with_traits(message),
    };
    places.into_iter().map(diagnostic).collect()
}

fn unused(code: &str) -> Option<Unused> {
    match code {
        "unused_imports" => Some(Unused::Import),
        "dead_code" | "unused_macros" => Some(Unused::Definition),
        _ => None,
    }
}
