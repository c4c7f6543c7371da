//! What `doctor` tells about a Python project.

use super::facts::Facts;
use super::sources::{self, Content, Source, Tier};
use super::{candidates, install, interpreter::Interpreter, list, wish};
use crate::config::Config;
use crate::doctor::Check;
use crate::process::Launcher;
use crate::project::{Listing, Project};
use crate::words;

pub(super) fn examine(
    project: &Project,
    files: &Listing,
    config: &Config,
    launcher: &Launcher,
) -> Vec<Check> {
    let found = candidates(config, launcher);
    let mut checks = vec![tools()];
    let Some(facts) = read(project, &found, launcher) else {
        checks.push(no_interpreter(&found));
        return checks;
    };
    checks.push(interpreter(&facts, config, &found));
    checks.push(layout(&facts, files));
    checks.push(requirements(project, files, config, &facts));
    checks.push(tests(files));
    checks
}

fn read(project: &Project, found: &[Interpreter], launcher: &Launcher) -> Option<Facts> {
    let folder = tempfile::tempdir().ok()?;
    Facts::read(
        project.root(),
        &found.first()?.path,
        folder.path(),
        launcher,
    )
    .ok()
}

fn tools() -> Check {
    match install::uv() {
        Some(uv) => Check::good("tools", format!("uv at {}", uv.display())),
        None => Check::good(
            "tools",
            "venv and pip (with uv on PATH, installing is faster)",
        ),
    }
}

fn no_interpreter(found: &[Interpreter]) -> Check {
    let advice = "Install Python 3 so that `python3` is on PATH, or name one by `environment.interpreter` in lacuna.toml.";
    Check::problem("interpreter", list(found), advice)
}

fn interpreter(facts: &Facts, config: &Config, found: &[Interpreter]) -> Check {
    let wish = wish(facts, config);
    match wish.choose(found) {
        Some(chosen) => {
            let others = found.iter().map(Interpreter::describe);
            let others = others.filter(|other| *other != chosen.describe());
            let also: String = others
                .map(|other| format!("\nalso found: {other}"))
                .collect();
            let text = format!("{} (wanted: {}){also}", chosen.describe(), wish.describe());
            Check::good("interpreter", text)
        }
        None => Check::problem(
            "interpreter",
            format!(
                "the project wants {}; found: {}",
                wish.describe(),
                list(found)
            ),
            "Install a suitable version, or name one by `environment.interpreter` in lacuna.toml.",
        ),
    }
}

fn layout(facts: &Facts, files: &Listing) -> Check {
    let packages = files
        .files
        .keys()
        .filter_map(|path| path.strip_suffix("/__init__.py"));
    let depth = |path: &&str| path.matches('/').count() <= usize::from(path.starts_with("src/"));
    let packages: Vec<&str> = packages.filter(depth).collect();
    let packages = if packages.is_empty() {
        "none".to_owned()
    } else {
        packages.join(", ")
    };
    if let Some(error) = &facts.pyproject_error {
        return Check::problem(
            "layout",
            format!("pyproject.toml: {error}"),
            "Correct pyproject.toml.",
        );
    }
    match facts.has_build {
        true => {
            let name = facts
                .name()
                .unwrap_or_else(|| "a name that its build tells".into());
            Check::good(
                "layout",
                format!("installable as {name}; packages: {packages}"),
            )
        }
        false => Check::warning(
            "layout",
            format!("no build metadata; packages: {packages}"),
            "The root folder is put on the import path; a pyproject.toml would make the project installable.",
        ),
    }
}

fn requirements(project: &Project, files: &Listing, config: &Config, facts: &Facts) -> Check {
    if let Some(commands) = &config.environment.install {
        return Check::good(
            "requirements",
            format!("commands of lacuna.toml: {}", commands.join("; ")),
        );
    }
    let extras = facts.table(&["project", "optional-dependencies"]);
    let extras: Vec<String> = extras.map(|(name, _)| name.clone()).collect();
    let found = sources::find(project.root(), facts, files, &config.environment, &extras);
    let for_tests = found.iter().filter(|source| source.tier != Tier::Other);
    let lines: Vec<String> = for_tests.map(line).collect();
    match lines.is_empty() {
        false => Check::good("requirements", lines.join("\n")),
        true => Check::warning(
            "requirements",
            "nothing says what the tests need",
            "pytest and what a dry run lacks will be installed; name more in `environment.requirements` in lacuna.toml.",
        ),
    }
}

fn line(source: &Source) -> String {
    match &source.content {
        Content::Lines(lines) => format!("{}: {}", source.origin, lines.join(", ")),
        Content::Extra(_) => source.origin.clone(),
    }
}

fn tests(files: &Listing) -> Check {
    let is_test = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.ends_with(".py") && name.starts_with("test_") || name.ends_with("_test.py")
    };
    match files.files.keys().filter(is_test).count() {
        0 => Check::warning(
            "tests",
            "no files called test_*.py or *_test.py",
            "If the tests have other names, say so in pytest's own configuration or by `tests.paths` in lacuna.toml.",
        ),
        count => Check::good(
            "tests",
            format!("{} with tests", words::count(count, "file")),
        ),
    }
}
