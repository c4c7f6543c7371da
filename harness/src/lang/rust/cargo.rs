//! The cargo command as all parts start it, and the folders that it works in.

use std::path::{Path, PathBuf};

use super::workspace::Workspace;
use crate::environment::Environment;
use crate::process::Command;

/// The folder for cargo's registries, as a variable of the environment.
pub(super) const HOME: &str = "CARGO_HOME";
/// The folder for what is built, as a variable of the environment.
pub(super) const TARGET: &str = "CARGO_TARGET_DIR";

/// A cargo command in a workspace: without a network, and with the lock file as it is.
pub(super) fn command(environment: &Environment, workspace: &Workspace) -> Command {
    environment
        .command(&workspace.folder)
        .env("CARGO_NET_OFFLINE", "true")
}

/// The folder of the toolchain, which holds `bin` and `lib`.
pub(super) fn toolchain(environment: &Environment) -> PathBuf {
    let mut folders = environment.runtime.ancestors().skip(2);
    folders.next().unwrap_or(Path::new("/")).to_owned()
}

/// The folder for what is built.
pub(super) fn target(environment: &Environment) -> PathBuf {
    let folder = environment.variables.get(TARGET).cloned().flatten();
    PathBuf::from(folder.unwrap_or_default())
}

/// The person's arguments for the test runner: those for cargo, and after `--` those for the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) cargo: Vec<String>,
    pub(super) tests: Vec<String>,
}

impl Arguments {
    pub(super) fn split(arguments: &[String]) -> Self {
        let mut parts = arguments.splitn(2, |argument| argument == "--");
        let mut part = || parts.next().unwrap_or_default().to_vec();
        Self {
            cargo: part(),
            tests: part(),
        }
    }
}
