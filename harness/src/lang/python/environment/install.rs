//! Makes environments and installs into them, with uv where it is at hand, else with venv and pip.

use super::interpreter::Interpreter;
use crate::process::Command;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

/// Variables of the caller that would change what Python or pytest do.
const DISTURBING: &[&str] = &[
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PYTHONSAFEPATH",
    "PYTHONOPTIMIZE",
    "PYTHONWARNINGS",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "COVERAGE_PROCESS_START",
    "CONDA_PREFIX",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_USER",
    "PIP_REQUIRE_VIRTUALENV",
    "__PYVENV_LAUNCHER__",
];

/// Variables by name; `None` removes.
pub(super) type Variables = BTreeMap<String, Option<String>>;

/// The environment under construction.
#[derive(Clone, Debug)]
pub(super) struct Installer {
    uv: Option<PathBuf>,
    folder: PathBuf,
    tree: PathBuf,
    pub(super) variables: Variables,
}

impl Installer {
    /// Installs into the environment at `folder`; commands run in the work tree.
    pub(super) fn new(folder: PathBuf, tree: &Path, asked: &BTreeMap<String, String>) -> Self {
        let variables = variables(&folder, asked);
        Self {
            uv: uv(),
            folder,
            tree: tree.to_owned(),
            variables,
        }
    }

    /// The environment's interpreter.
    pub(super) fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// A command in the work tree with the environment activated.
    pub(super) fn command(&self, program: impl Into<PathBuf>) -> Command {
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| (name, value.as_ref()));
        Command::new(program, &self.tree).envs(variables)
    }

    /// Makes the environment, with pip in it: tests and our scripts may want it.
    pub(super) fn create(&self, interpreter: &Interpreter) -> Command {
        match &self.uv {
            Some(uv) => {
                let command = self.command(uv).args(["venv", "--seed", "--python"]);
                command.arg(&interpreter.path).arg(&self.folder)
            }
            None => self
                .command(&interpreter.path)
                .args(["-m", "venv"])
                .arg(&self.folder),
        }
    }

    /// Installs what the arguments name.
    pub(super) fn install<A: AsRef<str>>(&self, arguments: &[A]) -> Command {
        let command = match &self.uv {
            Some(uv) => self
                .command(uv)
                .args(["pip", "install", "--python"])
                .arg(self.python()),
            None => {
                let options = [
                    "-m",
                    "pip",
                    "install",
                    "--no-input",
                    "--disable-pip-version-check",
                    "--prefer-binary",
                ];
                self.command(self.python()).args(options)
            }
        };
        command.args(arguments.iter().map(AsRef::as_ref))
    }

    /// Installs the project in the work tree, without its requirements.
    pub(super) fn install_project(&self, options: &[&str]) -> Command {
        // Without this, pip runs setup.py in a way that leaves no record of where the project is.
        let modern: &[&str] = if self.uv.is_some() {
            &[]
        } else {
            &["--use-pep517"]
        };
        self.install(&[modern, &["--no-deps"], options].concat())
    }
}

/// Where uv is, if it is on PATH.
pub(super) fn uv() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join("uv"))
        .find(|file| file.is_file())
}

/// What differs in the environment from the caller's variables.
fn variables(folder: &Path, asked: &BTreeMap<String, String>) -> Variables {
    let mut variables: Variables = DISTURBING
        .iter()
        .map(|name| (name.to_string(), None))
        .collect();
    let mut set = |name: &str, value: String| variables.insert(name.to_owned(), Some(value));
    let path = env::var("PATH").unwrap_or_default();
    set("PATH", format!("{}:{path}", folder.join("bin").display()));
    set("VIRTUAL_ENV", folder.display().to_string());
    // Sets of texts have an order of their own in each process otherwise, and with it tests that are
    // made from such a set.
    set("PYTHONHASHSEED", "0".to_owned());
    asked.iter().for_each(|(name, value)| {
        set(name, value.clone());
    });
    variables
}
