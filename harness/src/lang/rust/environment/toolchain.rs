//! Finds the toolchain with which a project is built.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::environment::EnvironmentError;
use crate::process::{Command, Launcher, Limits};

/// Questions are answered at once, or something is wrong.
const LIMITS: Limits = Limits {
    wall: Duration::from_secs(60),
    memory: 1 << 30,
    output: 1 << 20,
};

/// A cargo command: not a proxy, which may be another one in another folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cargo {
    pub(super) path: PathBuf,
    /// As `cargo --version` has it, such as `1.95.0`.
    pub(super) version: String,
    /// Size and time of the file: an update in place is another toolchain.
    stamp: (u64, u64),
}

impl Cargo {
    pub(super) fn is_unchanged(&self) -> bool {
        stamp(&self.path) == Some(self.stamp)
    }

    pub(super) fn describe(&self) -> String {
        format!("cargo {} ({})", self.version, self.path.display())
    }
}

fn stamp(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), changed.as_secs()))
}

/// The toolchain that cargo takes in a folder, where `rust-toolchain.toml` may name one; the
/// configuration may name another by its name or by the path of its cargo.
pub(super) fn find(
    folder: &Path,
    config: &Config,
    launcher: &Launcher,
) -> Result<Cargo, EnvironmentError> {
    let asked = config.environment.interpreter.as_deref();
    let missing = |found: String| EnvironmentError::NoRuntime {
        what: "Rust toolchain".to_owned(),
        wanted: wanted(folder, asked),
        found,
    };
    if let Some(path) = asked.map(Path::new).filter(|path| path.is_absolute()) {
        return of(path, folder, launcher).map_err(missing);
    }
    let variables = variables(asked);
    let ask = |program: &Path| {
        let command = Command::new(program, folder)
            .envs(variables.clone())
            // Where it was started would hide what it says.
            .env_remove("RUST_BACKTRACE");
        let finished = launcher.run(&command.args(["--print", "sysroot"]), &LIMITS);
        match finished {
            Ok(finished) if finished.success() => {
                let sysroot = finished.stdout.text();
                Ok(Path::new(sysroot.trim()).join("bin/cargo"))
            }
            Ok(finished) => Err(finished.stderr.last_lines(3)),
            Err(_) => Err("none".to_owned()),
        }
    };
    let mut reason = "none".to_owned();
    for program in programs() {
        match ask(&program) {
            Ok(cargo) if cargo.is_file() => return of(&cargo, folder, launcher).map_err(missing),
            // A compiler of the system without rustup: its cargo stands beside it.
            Ok(_) => match of(&program.with_file_name("cargo"), folder, launcher) {
                Ok(found) => return Ok(found),
                Err(other) => reason = other,
            },
            Err(other) if other != "none" => reason = other,
            Err(_) => {}
        }
    }
    Err(missing(reason))
}

/// Where `rustc` may be, best first.
fn programs() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cargo")));
    folders.extend(home.map(|home| home.join("bin")));
    let programs = folders.into_iter().map(|folder| folder.join("rustc"));
    programs.filter(|program| program.is_file()).collect()
}

fn of(cargo: &Path, folder: &Path, launcher: &Launcher) -> Result<Cargo, String> {
    let command = Command::new(cargo, folder).envs(variables(None));
    let finished = launcher
        .run(&command.arg("--version"), &LIMITS)
        .map_err(|error| error.to_string())?;
    let text = finished.stdout.text();
    let version = text.split_whitespace().nth(1);
    match (finished.success(), version, stamp(cargo)) {
        (true, Some(version), Some(stamp)) => Ok(Cargo {
            path: cargo.to_owned(),
            version: version.to_owned(),
            stamp,
        }),
        _ => Err(format!(
            "{} does not say its version: {}",
            cargo.display(),
            finished.stderr.last_lines(3)
        )),
    }
}

/// Nothing is installed unasked, and a toolchain of the caller's own build is not the project's.
fn variables(asked: Option<&str>) -> BTreeMap<String, Option<String>> {
    BTreeMap::from([
        ("RUSTUP_AUTO_INSTALL".to_owned(), Some("0".to_owned())),
        ("RUSTUP_TOOLCHAIN".to_owned(), asked.map(str::to_owned)),
    ])
}

/// What the project asks for, for a person.
pub(super) fn wanted(folder: &Path, asked: Option<&str>) -> String {
    if let Some(asked) = asked {
        return asked.to_owned();
    }
    for name in ["rust-toolchain.toml", "rust-toolchain"] {
        if let Ok(text) = fs::read_to_string(folder.join(name)) {
            let channel = text.parse::<toml::Table>().ok().and_then(|table| {
                let channel = table.get("toolchain")?.get("channel")?;
                channel.as_str().map(str::to_owned)
            });
            return channel.unwrap_or_else(|| text.trim().to_owned());
        }
    }
    "any".to_owned()
}
