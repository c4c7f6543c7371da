//! What `doctor` tells about a Go project.

use super::GoCommand;
use super::toolchain::{self, Wish};
use crate::config::Config;
use crate::doctor::Check;
use crate::lang::go::modules::Module;
use crate::process::Launcher;
use crate::project::{Listing, Project};

pub(super) fn examine(
    project: &Project,
    files: &Listing,
    config: &Config,
    launcher: &Launcher,
) -> Vec<Check> {
    let found = toolchain::find(config, launcher);
    let mut checks = vec![command(&Wish::of(project.root(), config), &found)];
    checks.push(modules(project));
    checks.extend(replacements(project));
    checks.push(tests(files));
    checks
}

fn command(wish: &Wish, found: &[GoCommand]) -> Check {
    if found.is_empty() {
        let advice = "Install Go to carve features of Go code, so that `go` is on PATH, or name it by `environment.interpreter` in lacuna.toml.";
        return Check::problem("go", "no go command", advice);
    }
    match wish.choose(found) {
        Ok(go) if go.has_c => Check::good(
            "go",
            format!("{} (wanted: {})", go.describe(), wish.describe()),
        ),
        Ok(go) => Check::warning(
            "go",
            format!("{}, without a C compiler", go.describe()),
            "Packages that use cgo are built without it; install gcc or clang if there are any.",
        ),
        Err(_) => Check::problem(
            "go",
            format!(
                "the project wants {}; found: {}",
                wish.describe(),
                toolchain::list(found)
            ),
            "Install a suitable version, or name one by `environment.interpreter` in lacuna.toml.",
        ),
    }
}

fn modules(project: &Project) -> Check {
    let line = |module: &Module| {
        let name = module
            .manifest
            .module()
            .unwrap_or("a module without a name");
        let vendored = if module.is_vendored() {
            ", vendored"
        } else {
            ""
        };
        let workspace = if module.workspace.is_some() {
            ", in a workspace"
        } else {
            ""
        };
        format!(
            "{name} in {}{vendored}{workspace}",
            module.name(project.root())
        )
    };
    let lines: Vec<String> = Module::find(project.root()).iter().map(line).collect();
    Check::good("modules", lines.join("\n"))
}

fn replacements(project: &Project) -> Option<Check> {
    let modules = Module::find(project.root());
    let outside = modules.iter().flat_map(|module| {
        let local = module.manifest.local_replacements();
        local.filter(|(_, target)| {
            let folder = module.folder.join(target).canonicalize();
            !folder.is_ok_and(|folder| folder.starts_with(project.root()))
        })
    });
    let lines: Vec<String> = outside
        .map(|(name, target)| format!("{name} => {target}"))
        .collect();
    (!lines.is_empty()).then(|| {
        Check::warning(
            "replacements",
            format!(
                "replaced by folders outside the project: {}",
                lines.join(", ")
            ),
            "Work on the folder that holds both; else what needs them does not build.",
        )
    })
}

fn tests(files: &Listing) -> Check {
    match files
        .files
        .keys()
        .filter(|path| path.ends_with("_test.go"))
        .count()
    {
        0 => Check::warning(
            "tests",
            "no files called *_test.go",
            "Without tests there is nothing to carve from.",
        ),
        count => Check::good("tests", format!("{count} files with tests")),
    }
}
