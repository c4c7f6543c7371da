//! What `doctor` tells about a Rust project.

use super::toolchain;
use crate::config::Config;
use crate::doctor::Check;
use crate::environment::EnvironmentError;
use crate::lang::rust::workspace::Workspace;
use crate::process::Launcher;
use crate::project::{Listing, Project};

pub(super) fn examine(
    project: &Project,
    files: &Listing,
    config: &Config,
    launcher: &Launcher,
) -> Vec<Check> {
    vec![
        command(project, config, launcher),
        packages(project, files),
        tests(project, files),
    ]
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
        count => Check::good("tests", format!("{count} files with tests or examples")),
    }
}
