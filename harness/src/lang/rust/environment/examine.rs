//! What `doctor` tells about a Rust project.

use super::toolchain;
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::EnvironmentError;
use crate::lang::rust::workspace::Workspace;
use crate::process::Launcher;
use crate::project::{Listing, Project};
use crate::words::count;

pub(super) fn examine(
    project: &Project,
    files: &Listing,
    config: &Config,
    launcher: &Launcher,
) -> Vec<Check> {
    let mut checks = vec![
        command(project, config, launcher),
        packages(project, files),
        tests(project, files),
    ];
    checks.extend(left_out(project, files));
    checks
}

fn command(project: &Project, config: &Config, launcher: &Launcher) -> Check {
    let wanted = toolchain::wanted(project.root(), config.environment.interpreter.as_deref());
    match toolchain::find(project.root(), config, launcher) {
        Ok(cargo) => Check::good("cargo", format!("{} (wanted: {wanted})", cargo.describe())),
        Err(EnvironmentError::NoRuntime { found, .. }) if found == "none" => {
            let advice = "Install Rust to carve features of Rust code, so that `cargo` is on PATH, or name one by `environment.interpreter` in lacuna.toml.";
            Check::problem("cargo", "no cargo command", advice)
        }
        Err(error) => {
            let advice = "Install the toolchain (`rustup toolchain install NAME`), or name another by `environment.interpreter` in lacuna.toml.";
            Check::problem("cargo", error.to_string(), advice)
        }
    }
}

fn packages(project: &Project, files: &Listing) -> Check {
    let lines: Vec<String> = Workspace::find(project.root())
        .iter()
        .map(|workspace| {
            let lock = format!("{}Cargo.lock", workspace.prefix);
            let lock = match files.files.contains_key(&lock) {
                true => "with a lock file",
                false => "without a lock file: versions are chosen when the environment is made",
            };
            format!("{}Cargo.toml, {lock}", workspace.prefix)
        })
        .collect();
    Check::good("packages", lines.join("\n"))
}

/// Packages that a workspace says are not part of it.
fn left_out(project: &Project, files: &Listing) -> Option<Check> {
    let of_workspace = |workspace: Workspace| {
        let text = project.read(&format!("{}Cargo.toml", workspace.prefix));
        let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
        let table: toml::Table = text.parse().unwrap_or_default();
        let excluded = table.get("workspace").and_then(|it| it.get("exclude"));
        let excluded = excluded.and_then(toml::Value::as_array).into_iter();
        let folders = excluded
            .flatten()
            .filter_map(toml::Value::as_str)
            .map(|folder| format!("{}{}", workspace.prefix, folder.trim_end_matches('/')));
        folders.collect::<Vec<_>>()
    };
    let has_manifest = |folder: &String| files.files.contains_key(&format!("{folder}/Cargo.toml"));
    let all = Workspace::find(project.root()).into_iter();
    let found: Vec<String> = all.flat_map(of_workspace).filter(has_manifest).collect();
    let advice = "Its tests are not run here; to carve from it, name its folder as the project.";
    let message = format!("{} left out of the workspace", found.join(", "));
    (!found.is_empty()).then(|| Check::warning("workspace", message, advice))
}

/// Counts files that hold the word of the attribute; which tests there are only a build tells.
fn tests(project: &Project, files: &Listing) -> Check {
    let holds = |path: &&String| {
        let text = project.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        ["#[test]", "::test]", "::test(", "#[rstest", "```"]
            .iter()
            .any(|mark| text.contains(mark))
    };
    let sources = files.files.keys().filter(|path| path.ends_with(".rs"));
    match sources.filter(holds).count() {
        0 => Check::warning(
            "tests",
            "no file holds a test",
            "Without tests there is nothing to carve from.",
        ),
        number => {
            let files = count(number, "file");
            Check::good("tests", format!("{files} with tests or examples"))
        }
    }
}
