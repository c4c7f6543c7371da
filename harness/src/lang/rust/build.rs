//! Builds test programs, and says which there are and what cannot be compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use analyzer::trace::FailureDetail;
use serde_json::Value;

use super::cargo::{self, Arguments};
use super::messages;
use super::workspace::{Kind, Package, Target, Workspace};
use crate::environment::Environment;
use crate::process::{Command, Ended, Finished, Launcher, Limits};
use crate::runner::RunError;

/// The longest message that is kept, in characters.
const LONGEST: usize = 2000;

/// Names a crate of a workspace: what cargo calls its package, what it is for, its name.
pub(super) type TargetKey = (String, Kind, String);

pub(super) fn key(package: &Package, target: &Target) -> TargetKey {
    (package.id.clone(), target.kind, target.name.clone())
}

/// What a build made.
#[derive(Clone, Debug, Default)]
pub(super) struct Built {
    /// Test programs.
    pub(super) tests: BTreeMap<TargetKey, PathBuf>,
    /// Programs by package id and name.
    pub(super) programs: BTreeMap<(String, String), PathBuf>,
    /// What build scripts said, by package id.
    pub(super) scripts: BTreeMap<String, Script>,
    /// The first error of each crate that cannot be compiled, in order.
    pub(super) errors: Vec<(TargetKey, FailureDetail)>,
    /// What cargo itself says, where it did not come to compiling.
    pub(super) complaint: Option<String>,
    /// Whether the build was stopped.
    pub(super) stopped: Option<Ended>,
}

/// What a build script said.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) out_dir: String,
    pub(super) variables: BTreeMap<String, String>,
    /// Folders of the build with libraries.
    pub(super) libraries: Vec<PathBuf>,
}

impl Built {
    /// Why a crate cannot be had: its own error, or that of what it is made from.
    pub(super) fn reason(&self, key: &TargetKey) -> FailureDetail {
        let own = self.errors.iter().find(|(of, _)| of == key);
        let first = own.or_else(|| self.errors.first());
        let detail = first.map(|(_, detail)| detail.clone());
        detail.unwrap_or_else(|| FailureDetail {
            exception: "build failed".to_owned(),
            message: cut(self
                .complaint
                .as_deref()
                .unwrap_or("cargo did not build it")),
            frames: Vec::new(),
        })
    }
}

/// Which crates to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All that cargo tests, and the examples.
    All,
    /// Those in whose tests somebody is interested.
    Some(BTreeSet<TargetKey>),
}

/// Builds in one workspace.
pub(super) struct Builder<'a> {
    pub(super) tree: &'a Path,
    pub(super) scratch: &'a Path,
    pub(super) environment: &'a Environment,
    pub(super) launcher: &'a Launcher,
    pub(super) arguments: &'a Arguments,
    /// Stands in for the compiler where crates of the workspace are compiled.
    pub(super) wrapper: Option<&'a Path>,
}

impl Builder<'_> {
    /// Builds; `spent` is told of each command, `limits` says what may be used.
    pub(super) fn build(
        &self,
        workspace: &Workspace,
        wanted: &Wanted,
        limits: &dyn Fn() -> Limits,
        spent: &mut dyn FnMut(&Finished),
    ) -> Result<Built, RunError> {
        let mut built = Built::default();
        for words in commands(workspace, wanted) {
            let file = self.scratch.join("build.json");
            let command = self
                .command(workspace)
                .args(words)
                .args(&self.arguments.cargo)
                .args(["--offline", "--locked", "--message-format=json"])
                .copy_stdout(&file);
            let finished = self.launcher.run(&command, &limits())?;
            spent(&finished);
            self.add(workspace, &file, &finished, &mut built);
        }
        Ok(built)
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let command = cargo::command(self.environment, workspace);
        match self.wrapper {
            Some(wrapper) => instrumented(command, wrapper),
            None => command,
        }
    }

    fn add(&self, workspace: &Workspace, file: &Path, finished: &Finished, built: &mut Built) {
        for message in messages::read(file) {
            match message["reason"].as_str() {
                Some("compiler-artifact") => add_program(&message, built),
                Some("build-script-executed") => add_script(&message, built),
                Some("compiler-message") => self.add_error(workspace, &message, built),
                _ => {}
            }
        }
        if !finished.success() && built.complaint.is_none() {
            built.complaint = Some(finished.stderr.last_lines(40));
        }
        if !matches!(finished.ended, Ended::Exit(_)) {
            built.stopped.get_or_insert(finished.ended);
        }
    }

    fn add_error(&self, workspace: &Workspace, message: &Value, built: &mut Built) {
        let said = &message["message"];
        let Some(key) = target_key(message).filter(|_| messages::level(said) == "error") else {
            return;
        };
        if built.errors.iter().any(|(of, _)| *of == key) {
            return;
        }
        let places = messages::places(said, self.tree, workspace);
        let frame = |place: messages::Place| (place.path, place.line, String::new());
        let code = messages::code(said);
        let detail = FailureDetail {
            exception: if code.is_empty() {
                "build failed".to_owned()
            } else {
                format!("build failed: {code}")
            },
            message: cut(&messages::rendered(said)),
            frames: places.into_iter().map(frame).collect(),
        };
        built.errors.push((key, detail));
    }
}

/// A build with the compiler wrapped. What is instrumented and runs during the build leaves no record.
pub(super) fn instrumented(command: Command, wrapper: &Path) -> Command {
    command
        .env("RUSTC_WORKSPACE_WRAPPER", wrapper)
        .env("LLVM_PROFILE_FILE", "/dev/null")
}

/// The cargo commands that build what is wanted. Always for the whole workspace: which features a
/// dependency has depends on all packages that are built, and with them the outcome of tests.
pub(super) fn commands(workspace: &Workspace, wanted: &Wanted) -> Vec<Vec<String>> {
    let text = |words: &[&str]| -> Vec<String> {
        let words = words.iter();
        words.map(|word| (*word).to_owned()).collect()
    };
    let build = |words: &[&str]| {
        let mut all = text(&["build", "--profile=test", "--workspace", "--keep-going"]);
        all.extend(text(words));
        all
    };
    let Wanted::Some(keys) = wanted else {
        return vec![build(&["--tests", "--examples"])];
    };
    let names: BTreeSet<(Kind, &str)> = keys
        .iter()
        .map(|(_, kind, name)| (*kind, name.as_str()))
        .collect();
    let own: Vec<&(Kind, &str)> = names
        .iter()
        .filter(|(kind, _)| *kind != Kind::Test)
        .collect();
    if own.len() > 1 || !own.is_empty() && workspace.packages.len() > 1 {
        // Only this goes on after an error.
        return vec![build(&["--tests"])];
    }
    let mut commands = Vec::new();
    if let Some((kind, name)) = own.first() {
        let flag = match kind {
            Kind::Lib => "--lib".to_owned(),
            Kind::Bin => format!("--bin={name}"),
            Kind::Example => format!("--example={name}"),
            Kind::Test => format!("--test={name}"),
            Kind::Bench => format!("--bench={name}"),
        };
        commands.push(text(&["test", "--workspace", "--no-run", &flag]));
    }
    let tests = names.iter().filter(|(kind, _)| *kind == Kind::Test);
    let flags: Vec<String> = tests.map(|(_, name)| format!("--test={name}")).collect();
    if !flags.is_empty() {
        commands.push(build(&flags.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    commands
}

fn target_key(message: &Value) -> Option<TargetKey> {
    let target = &message["target"];
    let kind = match target["kind"].get(0)?.as_str()? {
        "bin" => Kind::Bin,
        "test" => Kind::Test,
        "example" => Kind::Example,
        "bench" => Kind::Bench,
        _ => Kind::Lib,
    };
    let package = message["package_id"].as_str()?.to_owned();
    Some((package, kind, target["name"].as_str()?.to_owned()))
}

fn add_program(message: &Value, built: &mut Built) {
    let key = target_key(message);
    let program = message["executable"].as_str().map(PathBuf::from);
    let Some((key, program)) = key.zip(program) else {
        return;
    };
    if message["profile"]["test"].as_bool() == Some(true) {
        built.tests.insert(key, program);
    } else if key.1 == Kind::Bin {
        built.programs.insert((key.0, key.2), program);
    }
}

fn add_script(message: &Value, built: &mut Built) {
    let Some(package) = message["package_id"].as_str() else {
        return;
    };
    let pairs = message["env"].as_array().into_iter().flatten();
    let pair = |pair: &Value| {
        Some((
            pair.get(0)?.as_str()?.to_owned(),
            pair.get(1)?.as_str()?.to_owned(),
        ))
    };
    let paths = message["linked_paths"].as_array().into_iter().flatten();
    let paths = paths.filter_map(Value::as_str);
    let script = Script {
        out_dir: message["out_dir"].as_str().unwrap_or_default().to_owned(),
        variables: pairs.filter_map(pair).collect(),
        libraries: paths
            .map(|path| PathBuf::from(path.split_once('=').map_or(path, |(_, path)| path)))
            .collect(),
    };
    built.scripts.insert(package.to_owned(), script);
}

pub(super) fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
