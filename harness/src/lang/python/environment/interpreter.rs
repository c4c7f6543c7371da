//! Finds the Python interpreters of the machine and chooses one.

use super::specifier::{Specifiers, Version};
use crate::process::{Command, Launcher, Limits};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Minor versions that are looked for by name, newest first.
const MINORS: std::ops::RangeInclusive<u32> = 6..=20;
/// The oldest version that we and the tools that we rely on support.
const OLDEST: Version = (3, 8, 0);
/// What an interpreter is asked.
const QUESTION: &str = "\
import json, platform, sys
try:
    import ensurepip, venv
    complete = True
except ImportError:
    complete = False
print(json.dumps({'path': sys.executable, 'version': sys.version_info[:3], 'complete': complete,
                  'implementation': platform.python_implementation(),
                  'final': sys.version_info.releaselevel == 'final'}))";
/// What an answer may cost.
const LIMITS: Limits = Limits {
    wall: Duration::from_secs(20),
    memory: 1 << 30,
    output: 1 << 20,
};

/// An interpreter that answered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) struct Interpreter {
    pub(super) version: Version,
    /// CPython, PyPy…
    pub(super) implementation: String,
    /// Whether it is a final release.
    #[serde(rename = "final")]
    pub(super) is_final: bool,
    /// Whether it can make environments with pip by itself.
    pub(super) complete: bool,
    pub(super) path: PathBuf,
}

impl Interpreter {
    pub(super) fn describe(&self) -> String {
        let (major, minor, micro) = self.version;
        format!(
            "{} {major}.{minor}.{micro} at {}",
            self.implementation,
            self.path.display()
        )
    }
}

/// All interpreters found by name on PATH and where version managers keep them, newest first.
pub(super) fn find(launcher: &Launcher) -> Vec<Interpreter> {
    let mut seen = BTreeSet::new();
    let mut is_new = |path: &Path| path.canonicalize().is_ok_and(|real| seen.insert(real));
    let candidates = on_path()
        .into_iter()
        .chain(managed())
        .filter(|path| is_new(path));
    let answers: BTreeSet<_> = candidates.filter_map(|path| ask(&path, launcher)).collect();
    answers.into_iter().rev().collect()
}

fn on_path() -> Vec<PathBuf> {
    let versioned = MINORS.rev().map(|minor| format!("python3.{minor}"));
    let names: Vec<String> = versioned
        .chain(["python3".into(), "python".into()])
        .collect();
    let path = env::var_os("PATH").unwrap_or_default();
    // Shims are slow wrappers of what `managed` finds directly.
    let folders = env::split_paths(&path).filter(|folder| !folder.ends_with("shims"));
    let programs = folders.flat_map(|folder| {
        names
            .iter()
            .map(move |name| folder.join(name))
            .collect::<Vec<_>>()
    });
    programs.filter(|path| path.is_file()).collect()
}

/// Where pyenv, asdf, mise and uv keep their versions: a folder each, with `bin/python` in it.
fn managed() -> Vec<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let pyenv = env::var_os("PYENV_ROOT").map(|root| Path::new(&root).join("versions"));
    let usual = [
        ".pyenv/versions",
        ".asdf/installs/python",
        ".local/share/mise/installs/python",
        ".local/share/uv/python",
    ];
    let usual = usual
        .iter()
        .filter_map(|folder| Some(home.as_ref()?.join(folder)));
    let versions = pyenv
        .into_iter()
        .chain(usual)
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten();
    let mut programs: Vec<PathBuf> = versions
        .flatten()
        .map(|entry| entry.path().join("bin/python"))
        .collect();
    programs.retain(|path| path.is_file());
    programs.sort();
    programs
}

/// Asks a program whether it is an interpreter; a wrapper without a version behind it is none.
pub(super) fn ask(path: &Path, launcher: &Launcher) -> Option<Interpreter> {
    let command = Command::new(path, "/").args(["-I", "-c", QUESTION]);
    let answer = launcher
        .run(&command, &LIMITS)
        .ok()
        .filter(|done| done.success())?;
    serde_json::from_str(&answer.stdout.text()).ok()
}

/// What a project and a person ask for.
#[derive(Clone, Debug, Default)]
pub(super) struct Wish {
    /// `environment.interpreter`: a version, a name or a path.
    pub(super) asked: Option<String>,
    /// `requires-python`.
    pub(super) allowed: Specifiers,
    /// Minor versions of Python 3 that the project says it supports.
    pub(super) listed: BTreeSet<u32>,
    /// Whether another tool brings pip, so that an incomplete interpreter will do.
    pub(super) incomplete_will_do: bool,
}

impl Wish {
    pub(super) fn describe(&self) -> String {
        match &self.asked {
            Some(asked) => format!("{asked} (from lacuna.toml)"),
            None => format!("{} (and lacuna 3.8 or later)", self.allowed),
        }
    }

    /// The newest suitable one; but rather one that the project lists than a newer one, and rather
    /// CPython than another.
    pub(super) fn choose<'a>(&self, found: &'a [Interpreter]) -> Option<&'a Interpreter> {
        let suitable = found.iter().filter(|interpreter| self.suits(interpreter));
        suitable.max_by_key(|interpreter| {
            (
                interpreter.implementation == "CPython",
                interpreter.is_final,
                interpreter.version.0 == 3 && self.listed.contains(&interpreter.version.1),
                interpreter.version,
            )
        })
    }

    fn suits(&self, interpreter: &Interpreter) -> bool {
        let complete = interpreter.complete || self.incomplete_will_do;
        let usable = complete && interpreter.version >= OLDEST;
        let asked = self.asked.as_deref();
        usable
            && match asked.map(|asked| (asked, Specifiers::parse(&as_prefix(asked)))) {
                None => self.allowed.allow(interpreter.version),
                Some((asked, version)) if is_version(asked) => version.allow(interpreter.version),
                // Named by path: the only one that was asked.
                Some(_) => true,
            }
    }
}

/// Whether `environment.interpreter` is a version rather than a program.
pub(super) fn is_version(asked: &str) -> bool {
    asked.starts_with(|c: char| c.is_ascii_digit())
}

/// `3.11` means every 3.11.
fn as_prefix(asked: &str) -> String {
    format!("=={asked}.*")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreters() -> Vec<Interpreter> {
        let one = |version, implementation: &str, is_final, complete| Interpreter {
            version,
            implementation: implementation.into(),
            is_final,
            complete,
            path: PathBuf::from(format!("/usr/bin/{implementation}{version:?}")),
        };
        vec![
            one((3, 14, 0), "CPython", false, true),
            one((3, 13, 0), "CPython", true, true),
            one((3, 12, 1), "CPython", true, false),
            one((3, 11, 7), "CPython", true, true),
            one((3, 10, 9), "PyPy", true, true),
            one((3, 8, 18), "CPython", true, true),
            one((3, 7, 16), "CPython", true, true),
        ]
    }

    fn chosen(wish: &Wish) -> Option<Version> {
        wish.choose(&interpreters())
            .map(|interpreter| interpreter.version)
    }

    fn allowed(text: &str) -> Wish {
        Wish {
            allowed: Specifiers::parse(text),
            ..Wish::default()
        }
    }

    #[test]
    fn the_newest_final_release_that_the_project_allows_is_taken() {
        assert_eq!(chosen(&allowed("")), Some((3, 13, 0)));
        assert_eq!(chosen(&allowed(">=3.8,<3.11")), Some((3, 8, 18)));
        assert_eq!(chosen(&allowed(">=3.15")), None);
        assert_eq!(chosen(&allowed("<3.8")), None, "too old for us");
    }

    #[test]
    fn a_version_that_the_project_lists_is_better_than_a_newer_one() {
        let wish = Wish {
            listed: BTreeSet::from([7, 8, 11, 12]),
            ..allowed(">=3.6")
        };
        assert_eq!(chosen(&wish), Some((3, 11, 7)));
        assert_eq!(
            chosen(&Wish {
                incomplete_will_do: true,
                ..wish
            }),
            Some((3, 12, 1))
        );
    }

    #[test]
    fn what_the_person_asks_for_decides() {
        let asked = |text: &str| {
            chosen(&Wish {
                asked: Some(text.into()),
                ..allowed(">=3.11")
            })
        };
        assert_eq!(asked("3.8"), Some((3, 8, 18)));
        assert_eq!(asked("3"), Some((3, 13, 0)));
        assert_eq!(asked("3.1"), None);
    }

    #[test]
    fn a_program_that_is_no_interpreter_is_not_taken_for_one() {
        assert_eq!(ask(Path::new("/bin/ls"), &Launcher::default()), None);
    }
}
