//! `doctor`: what was found about a project, what is wrong with it, and what to try.

use crate::config::{self, Config};
use crate::environment::{Environment, StepOutcome};
use crate::lang;
use crate::process::Launcher;
use crate::project::{Listing, Project, ProjectError};
use crate::words::count;
use serde::Serialize;
use std::path::Path;

/// The name of the check of `lacuna.toml`.
const CONFIGURATION: &str = "configuration";

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// As it should be.
    Good,
    /// Works, and may surprise.
    Warning,
    /// Nothing will work until this is mended.
    Problem,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What, such as "interpreters".
    pub name: String,
    /// How it came out.
    pub status: Status,
    /// What was found, in words for a person.
    pub found: String,
    /// What to try, where something is wrong.
    pub advice: Option<String>,
}

impl Check {
    /// Something that is as it should be.
    pub fn good(name: &str, found: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            status: Status::Good,
            found: found.into(),
            advice: None,
        }
    }

    /// Something that may surprise.
    pub fn warning(name: &str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        let advice = Some(advice.into());
        Self {
            name: name.into(),
            status: Status::Warning,
            found: found.into(),
            advice,
        }
    }

    /// Something that must be mended.
    pub fn problem(name: &str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            status: Status::Problem,
            ..Self::warning(name, found, advice)
        }
    }
}

/// Everything that was looked at, in the order of the work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The checks.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether the project's configuration is the problem.
    pub fn is_misconfigured(&self) -> bool {
        let of_configuration = |check: &&Check| check.name == CONFIGURATION;
        let mut checks = self.checks.iter().filter(of_configuration);
        checks.any(|check| check.status == Status::Problem)
    }

    /// The worst status of all checks.
    pub fn status(&self) -> Status {
        self.checks
            .iter()
            .map(|check| check.status)
            .max()
            .unwrap_or(Status::Good)
    }
}

/// Looks at a project without making anything.
///
/// # Errors
/// There is no folder with files to look at.
pub fn examine(path: &Path, launcher: &Launcher) -> Result<Report, ProjectError> {
    let project = Project::open(path)?;
    let files = project.files()?;
    let mut checks = vec![files_check(&project, &files)];
    let config = configuration(&project, &mut checks);
    let languages = lang::all_of(&files);
    if languages.is_empty() {
        checks.push(unknown_language(&files));
    }
    let of_language = languages.iter().map(|language| {
        let toolchain = language.toolchain;
        let mut checks = vec![Check::good("language", language.name)];
        let config = config.clone().for_language(language.name);
        checks.extend(toolchain.examine(&project, &files, &config, launcher));
        checks
    });
    checks.extend(of_several(of_language.collect()));
    Ok(Report { checks })
}

/// The checks of several languages: where one of them works, what is wrong with another is no more
/// than a warning.
pub fn of_several(mut languages: Vec<Vec<Check>>) -> Vec<Check> {
    let is_problem = |check: &Check| check.status == Status::Problem;
    if languages
        .iter()
        .any(|checks| !checks.iter().any(is_problem))
    {
        let problems = languages
            .iter_mut()
            .flatten()
            .filter(|check| is_problem(check));
        problems.for_each(|check| check.status = Status::Warning);
    }
    languages.into_iter().flatten().collect()
}

fn files_check(project: &Project, files: &Listing) -> Check {
    let found = format!(
        "{} in {}",
        count(files.files.len(), "file"),
        project.root().display()
    );
    if files.left_out.is_empty() {
        return Check::good("project", found);
    }
    let left_out = format!("{found}; left out: {}", files.left_out.join(", "));
    Check::warning(
        "project",
        left_out,
        "Names that are not UTF-8, pipes, devices and links to a folder around them are not copied.",
    )
}

fn configuration(project: &Project, checks: &mut Vec<Check>) -> Config {
    let (check, config) = match Config::load(project.root()) {
        Ok(config) if config == Config::default() => {
            (Check::good(CONFIGURATION, "defaults"), config)
        }
        Ok(config) => (Check::good(CONFIGURATION, config::FILE_NAME), config),
        Err(error) => {
            let advice = format!(
                "Correct {}; the checks below use the defaults.",
                config::FILE_NAME
            );
            (
                Check::problem(CONFIGURATION, error.to_string(), advice),
                Config::default(),
            )
        }
    };
    checks.push(check);
    config
}

fn unknown_language(files: &Listing) -> Check {
    Check::problem(
        "language",
        lang::missing(files),
        "Is this the root folder of the project?",
    )
}

/// The checks of an environment that was prepared.
pub fn environment(environment: &Environment) -> Vec<Check> {
    let mut checks = vec![summary(environment)];
    checks.extend(failed_steps(environment));
    checks.push(collection(environment));
    checks
}

/// The check of an environment that could not be prepared.
pub fn no_environment(error: &dyn std::error::Error) -> Check {
    Check {
        name: "environment".to_owned(),
        status: Status::Problem,
        found: error.to_string(),
        advice: None,
    }
}

fn summary(environment: &Environment) -> Check {
    let seconds = environment
        .steps
        .iter()
        .map(|step| step.milliseconds)
        .sum::<u64>()
        / 1000;
    let (runtime, version) = (environment.runtime.display(), &environment.version);
    let packages = count(environment.packages.len(), "package");
    Check::good(
        "environment",
        format!("{runtime} ({version}), {packages}, made in {seconds} s"),
    )
}

fn failed_steps(environment: &Environment) -> impl Iterator<Item = Check> + '_ {
    let failed = environment
        .steps
        .iter()
        .filter(|step| step.outcome == StepOutcome::Failed);
    failed.map(|step| {
        let found = format!(
            "{}: {}: {}\n{}",
            step.purpose, step.command, step.ended, step.log
        );
        Check::warning(
            "step",
            found,
            "Work went on without it; tests that need it will fail.",
        )
    })
}

fn collection(environment: &Environment) -> Check {
    let collection = &environment.collection;
    let errors = collection
        .errors
        .iter()
        .map(|(path, why)| format!("{path}: {why}"));
    let wrong: Vec<String> = errors
        .chain(collection.complaints.iter().cloned())
        .collect();
    // The environment outlives changes of the tests.
    let found = format!(
        "{} when the environment was made",
        count(collection.tests, "test")
    );
    let advice = lang::named(&environment.language).map_or("", |language| language.advice);
    let advice = format!("{advice} `lacuna prepare --fresh` looks again.")
        .trim()
        .to_owned();
    match (collection.tests, wrong.is_empty()) {
        (0, _) => Check::problem("tests", format!("no tests\n{}", wrong.join("\n")), advice),
        (_, true) => Check::good("tests", found),
        (_, false) => Check::warning("tests", format!("{found}\n{}", wrong.join("\n")), advice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Collection;
    use std::collections::BTreeMap;

    #[test]
    fn a_wrong_path_is_an_error() {
        let report = examine(Path::new("/no/such/folder"), &Launcher::default());
        assert!(matches!(report, Err(ProjectError::Missing(_))));
    }

    #[test]
    fn a_wrong_configuration_does_not_end_the_examination() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("lacuna.toml"), "x = 1").unwrap();
        let report = examine(folder.path(), &Launcher::default()).unwrap();
        let seen = report
            .checks
            .iter()
            .map(|check| (check.name.as_str(), check.status));
        let expected = [
            ("project", Status::Good),
            ("configuration", Status::Problem),
            ("language", Status::Problem),
        ];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_to_try_is_said_in_the_words_of_the_language() {
        let missing = |language: &str| Environment {
            distribution: None,
            language: language.to_owned(),
            runtime: "/bin/tool".into(),
            version: String::new(),
            variables: BTreeMap::new(),
            packages: BTreeMap::new(),
            steps: Vec::new(),
            collection: Collection::default(),
            fingerprint: String::new(),
        };
        for language in lang::names().split(", ") {
            let checks = environment(&missing(language));
            let advice = checks.iter().find_map(|check| check.advice.as_deref());
            let advice = advice.unwrap_or_default();
            assert!(advice.starts_with(lang::named(language).unwrap().advice));
            let installs = advice.contains("requirements");
            assert_eq!(installs, language == "python", "{advice:?}");
        }
    }
}
