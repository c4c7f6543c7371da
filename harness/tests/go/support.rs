//! What is Go's own in preparing and running projects.

use std::path::Path;
use std::sync::Arc;

use analyzer::trace::{CollectionError, Trace};
use analyzer::{AnalysisHost, Change};
use harness::lang::go::{checker::GoCheck, environment::Go, runner::GoTest};

use crate::shared::Tools;
pub use crate::shared::{Place, Prepared, codes, contexts, ids, results};

pub const TOOLS: Tools = Tools {
    name: "Go",
    toolchain: &Go,
    runner: &GoTest,
    checker: &GoCheck,
    // With the standard library built once for all.
    cache: Some(concat!(env!("CARGO_TARGET_TMPDIR"), "/go")),
};

/// An exact version of somebody else's module.
pub fn module(version: &str) -> Option<Place> {
    let asked = std::process::Command::new("go")
        .args(["mod", "download", "-json", version])
        .env("GOFLAGS", "-modcacherw")
        .current_dir("/")
        .output();
    let Some(answer) = asked.ok().filter(|answer| answer.status.success()) else {
        return fixtures::unavailable(&format!("Go and {version} from the module proxy"));
    };
    let answer: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    Some(Place::of_folder(Path::new(answer["Dir"].as_str().unwrap())))
}

pub fn uncollected(error: &CollectionError) -> String {
    let message = error.detail.message.replace('\n', "\n    ");
    let exception = &error.detail.exception;
    format!("Uncollected {}: {exception}\n    {message}\n", error.path)
}

/// Code of a trace that is no symbol of the analysis.
pub fn unmatched(prepared: &Prepared, trace: &Trace) -> Vec<String> {
    let sandbox = &prepared.sandbox;
    let paths = sandbox.paths().filter(|path| analyzer::is_input(path));
    let files = paths.map(|path| (path.to_owned(), Some(sandbox.read(path).unwrap().into())));
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: files.collect(),
        trace: Some(Some(Arc::new(trace.clone()))),
    });
    let matches = host.analysis().trace_symbols();
    let unmatched = matches.unmatched.iter();
    let codes = unmatched.map(|index| &trace.codes[*index as usize]);
    codes
        .map(|code| format!("{}:{} {}", code.path, code.line, code.name))
        .collect()
}
