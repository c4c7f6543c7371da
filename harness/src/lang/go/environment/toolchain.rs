//! Finds go commands and chooses one that the project's manifests allow.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::environment::EnvironmentError;
use crate::lang::go::manifest::{Manifest, Version};
use crate::lang::go::modules::Module;
use crate::process::{Command, Launcher, Limits};

/// The oldest Go with the coverage records that the tracer reads.
const OLDEST: Version = Version::new(1, 20, 0);
/// Where installers put it, for a PATH that does not say so.
const USUAL: &[&str] = &[
    "/usr/local/go/bin/go",
    "/usr/lib/go/bin/go",
    "/opt/homebrew/bin/go",
];
/// What a question may cost.
const LIMITS: Limits = Limits {
    wall: Duration::from_secs(60),
    memory: 1 << 30,
    output: 1 << 20,
};

/// A go command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GoCommand {
    pub(super) path: PathBuf,
    pub(super) version: Version,
    /// What it calls its version, such as `go1.26.8`.
    pub(super) named: String,
    /// Its root folder.
    pub(super) root: PathBuf,
    /// What its root folder says about its release.
    release: String,
    /// The C compiler that it would use.
    compiler: String,
    /// Whether there is that compiler.
    pub(super) has_c: bool,
}

impl GoCommand {
    /// Whether it is still there, of the same release, and finds a C compiler as before.
    pub(super) fn is_unchanged(&self) -> bool {
        self.path.is_file()
            && self.release == release(&self.root)
            && self.has_c == is_program(&self.compiler)
    }

    pub(super) fn describe(&self) -> String {
        format!("{} ({})", self.named, self.path.display())
    }
}

/// The go commands to choose from: the one that is named, or all that are found.
pub(super) fn find(config: &Config, launcher: &Launcher) -> Vec<GoCommand> {
    let mut paths = match &config.environment.interpreter {
        Some(named) if Version::parse(named).is_none() => vec![PathBuf::from(named)],
        _ => candidates(),
    };
    paths.dedup();
    let mut found: Vec<GoCommand> = Vec::new();
    for path in paths {
        let known = found.iter().any(|go| go.path == path);
        let asked = if known { None } else { ask(&path, launcher) };
        found.extend(asked.filter(|go| found.iter().all(|other| other.root != go.root)));
    }
    found
}

fn candidates() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join("go"));
    let root = env::var_os("GOROOT").map(|root| Path::new(&root).join("bin/go"));
    let usual = USUAL.iter().map(PathBuf::from);
    let all = on_path.chain(root).chain(usual).chain(downloaded());
    all.filter(|file| file.is_file()).collect()
}

/// What `golang.org/dl` puts into the home folder, newest name first.
fn downloaded() -> Vec<PathBuf> {
    let home = env::var_os("HOME").unwrap_or_default();
    let entries = Path::new(&home)
        .join("sdk")
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path().join("bin/go")).collect();
    found.sort();
    found.reverse();
    found
}

fn ask(path: &Path, launcher: &Launcher) -> Option<GoCommand> {
    let command = Command::new(path, "/")
        .args(["env", "GOVERSION", "GOROOT", "CC", "GOHOSTOS"])
        .env("GOTOOLCHAIN", "local")
        .env_remove("GOFLAGS")
        .env_remove("GOROOT");
    let answer = launcher
        .run(&command, &LIMITS)
        .ok()
        .filter(|answer| answer.success())?;
    let text = answer.stdout.text();
    let mut lines = text.lines();
    let (named, root, compiler) = (lines.next()?, lines.next()?, lines.next()?);
    // A file called `go` that is something else does not name an operating system here.
    lines.next().filter(|system| !system.is_empty())?;
    let compiler = compiler
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned();
    Some(GoCommand {
        path: Path::new(root).join("bin/go"),
        version: Version::parse(named)?,
        named: named.to_owned(),
        root: PathBuf::from(root),
        release: release(Path::new(root)),
        has_c: is_program(&compiler),
        compiler,
    })
}

fn release(root: &Path) -> String {
    fs::read_to_string(root.join("VERSION")).unwrap_or_default()
}

fn is_program(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    !name.is_empty() && env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// What a project asks of a go command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// By the configuration.
    asked: Option<String>,
    /// By the manifests, and which of them says so.
    oldest: Version,
    by: String,
}

impl Wish {
    pub(super) fn of(tree: &Path, config: &Config) -> Self {
        let modules = Module::find(tree);
        let mut wish = Self {
            asked: config.environment.interpreter.clone(),
            oldest: OLDEST,
            by: "lacuna".to_owned(),
        };
        for module in &modules {
            wish.require(&module.manifest, &format!("{}/go.mod", module.name(tree)));
            if let Some(work) = &module.workspace {
                let text = fs::read_to_string(work).unwrap_or_default();
                wish.require(&Manifest::parse(&text), "go.work");
            }
        }
        wish
    }

    fn require(&mut self, manifest: &Manifest, by: &str) {
        if let Some(version) = manifest.go().filter(|version| *version > self.oldest) {
            self.oldest = version;
            by.trim_start_matches("./").clone_into(&mut self.by);
        }
    }

    pub(super) fn describe(&self) -> String {
        let oldest = format!("Go {} or later ({})", self.oldest, self.by);
        match &self.asked {
            Some(asked) => format!("{asked} (lacuna.toml) and {oldest}"),
            None => oldest,
        }
    }

    /// The first that will do.
    pub(super) fn choose(&self, found: &[GoCommand]) -> Result<GoCommand, EnvironmentError> {
        let is_asked = |go: &GoCommand| match &self.asked {
            Some(asked) if Version::parse(asked).is_some() => go.version.is(asked),
            _ => true,
        };
        let suits = |go: &&GoCommand| go.version >= self.oldest && is_asked(go);
        found
            .iter()
            .find(suits)
            .cloned()
            .ok_or_else(|| EnvironmentError::NoRuntime {
                what: "Go toolchain".to_owned(),
                wanted: self.describe(),
                found: list(found),
            })
    }
}

pub(super) fn list(found: &[GoCommand]) -> String {
    let all: Vec<String> = found.iter().map(GoCommand::describe).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn go(version: &str) -> GoCommand {
        GoCommand {
            path: PathBuf::from("/go/bin/go"),
            version: Version::parse(version).unwrap(),
            named: format!("go{version}"),
            root: PathBuf::from("/go"),
            release: String::new(),
            compiler: String::new(),
            has_c: true,
        }
    }

    #[test]
    fn the_error_says_which_version_is_wanted_and_by_whom() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("go.mod"), "module m\ngo 1.25\n").unwrap();
        let mut config = Config::default();
        let wish = Wish::of(folder.path(), &config);
        assert!(wish.choose(&[go("1.24.1"), go("1.26.0")]).is_ok());
        let error = wish.choose(&[go("1.24.1")]).unwrap_err();
        expect!["no suitable Go toolchain was found: the project wants Go 1.25.0 or later (go.mod), and there is go1.24.1 (/go/bin/go); install one, or set `environment.interpreter` in lacuna.toml"].assert_eq(&error.to_string());
        config.environment.interpreter = Some("1.25".to_owned());
        let error = Wish::of(folder.path(), &config)
            .choose(&[go("1.26.0")])
            .unwrap_err();
        assert!(error.to_string().contains("1.25 (lacuna.toml)"));
    }
}
