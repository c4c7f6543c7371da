//! Checks a tree with the compiler and with `go vet`.

use std::fs;

use serde_json::Value;

use super::modules::Module;
use super::packages::{Listed, Lister};
use super::places::{self, Places};
use super::records;
use super::runner::Arguments;
use crate::checker::{CheckRequest, Checker, Diagnostic, Unused};
use crate::process::Launcher;
use crate::runner::RunError;

/// The go command as a checker.
pub struct GoCheck;

impl Checker for GoCheck {
    fn check(
        &self,
        request: &CheckRequest<'_>,
        launcher: &Launcher,
    ) -> Result<Vec<Diagnostic>, RunError> {
        let folder = tempfile::Builder::new()
            .prefix("check-")
            .tempdir_in(request.scratch);
        let folder = folder.map_err(records(request.scratch))?;
        let arguments = Arguments::split(request.arguments);
        let lister = Lister {
            tree: request.tree,
            scratch: folder.path(),
            environment: request.environment,
            launcher,
            limits: request.limits,
            flags: &arguments.build,
        };
        let mut found = Vec::new();
        for module in Module::find(request.tree) {
            let errors = compile(&lister, &module)?;
            // A tree that does not compile cannot be vetted.
            if errors.is_empty() {
                found.extend(vet(&lister, &module)?);
            }
            found.extend(errors);
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// Compiles all packages and their tests without linking. `-gcflags=-e` lets the compiler tell all
/// errors instead of the first ten.
fn compile(lister: &Lister<'_>, module: &Module) -> Result<Vec<Diagnostic>, RunError> {
    let listed = lister.list(module, &["-e", "-export", "-test", "-gcflags=-e"])?;
    let mut found: Vec<Diagnostic> = Vec::new();
    for package in &listed.packages {
        let Some(error) = &package.error else {
            continue;
        };
        found.extend(of_error(
            lister,
            module,
            package,
            &format!("{}: {}\n{}", error.pos, error.err, error.err),
        ));
    }
    if let Some(reason) = listed.failure.filter(|_| listed.packages.is_empty()) {
        found.extend(broken(lister, module, reason));
    }
    Ok(found)
}

fn of_error(lister: &Lister<'_>, module: &Module, package: &Listed, text: &str) -> Vec<Diagnostic> {
    let found = of_text(lister, module, text);
    match found.is_empty() {
        true => broken(
            lister,
            module,
            format!("{}: {}", package.import_path, text.trim()),
        ),
        false => found,
    }
}

/// What has no place in the text is an error of the manifest.
fn broken(lister: &Lister<'_>, module: &Module, message: String) -> Vec<Diagnostic> {
    let path = super::modules::relative(lister.tree, &module.folder.join("go.mod"));
    let diagnostic = path.map(|path| Diagnostic {
        path,
        line: 1,
        column: 1,
        is_error: true,
        unused: None,
        message,
    });
    diagnostic.into_iter().collect()
}

/// The compiler's lines; one that is indented goes on with what the line before says.
fn of_text(lister: &Lister<'_>, module: &Module, text: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for line in text.lines() {
        if let Some(more) = line.strip_prefix('\t') {
            if let Some(last) = found.last_mut() {
                last.message = format!("{}\n{more}", last.message);
            }
        } else {
            found.extend(diagnostic(lister, module, line, true));
        }
    }
    found
}

fn diagnostic(
    lister: &Lister<'_>,
    module: &Module,
    line: &str,
    is_error: bool,
) -> Option<Diagnostic> {
    let place = places::place(line)?;
    let places = Places {
        tree: lister.tree,
        folders: vec![&module.folder, lister.tree],
    };
    Some(Diagnostic {
        path: places.path(place.file)?,
        line: place.line,
        column: place.column.max(1),
        is_error,
        unused: unused(place.rest),
        message: place.rest.to_owned(),
    })
}

/// Words of the compiler's type checker (`go/types`), the same in all versions of our range.
fn unused(message: &str) -> Option<Unused> {
    if message.contains(" imported and not used")
        || message.contains(" imported as ") && message.ends_with("and not used")
    {
        Some(Unused::Import)
    } else if message.starts_with("declared and not used")
        || message.ends_with("declared and not used")
    {
        Some(Unused::Definition)
    } else {
        None
    }
}

/// `go vet -json` tells findings by package and analyser, after a comment line for each package.
fn vet(lister: &Lister<'_>, module: &Module) -> Result<Vec<Diagnostic>, RunError> {
    let answer = lister.scratch.join("vet.json");
    let command = module
        .command(lister.environment)
        .args(["vet", "-json", "./..."])
        .copy_stdout(&answer);
    let finished = lister.launcher.run(&command, &lister.limits)?;
    // Where it goes depends on the version.
    let printed = fs::read_to_string(&answer).map_err(records(&answer))?;
    let mut found = Vec::new();
    for text in [printed, finished.stderr.text()] {
        let json: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let json = json.join("\n");
        let stream = serde_json::Deserializer::from_str(&json).into_iter::<Value>();
        for value in stream.map_while(Result::ok) {
            let analysers = value
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(_, found)| found.as_object());
            let findings = analysers
                .flatten()
                .filter_map(|(_, found)| found.as_array())
                .flatten();
            found.extend(findings.filter_map(|finding| {
                let text = |key| finding.get(key).and_then(Value::as_str);
                diagnostic(
                    lister,
                    module,
                    &format!("{}: {}", text("posn")?, text("message")?),
                    false,
                )
            }));
        }
    }
    Ok(found)
}
