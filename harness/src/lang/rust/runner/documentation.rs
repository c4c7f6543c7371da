//! Tests in documentation, which rustdoc builds and runs.

use std::collections::BTreeMap;
use std::fs;

use analyzer::trace::{CollectionError, Outcome, TestResult};

use super::super::cargo;
use super::super::messages::project_path;
use super::super::workspace::{Kind, Package, Target};
use super::events::{End, Report};
use super::program::Test;
use super::{Run, Suite, plan, results};
use crate::process::{Ended, Finished};
use crate::runner::{RunError, Selection};

/// The middle part of the ids.
const LABEL: &str = "doc";
/// Starts rustdoc so that it takes the flags for events, and nothing else in the build does.
const RUSTDOC: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec \"$LACUNA_RUSTDOC\" \"$@\"\n";

/// A test in documentation: `src/lib.rs - Type::method (line 12)`.
struct Documented {
    /// As rustdoc calls it.
    name: String,
    /// The file as rustdoc calls it.
    file: String,
    item: String,
    line: u32,
}

impl Documented {
    fn parse(name: &str) -> Option<Self> {
        let (file, rest) = name.split_once(" - ")?;
        let start = rest.rfind("(line ")?;
        let (item, rest) = rest.split_at(start);
        let line = rest.strip_prefix("(line ")?.split(')').next()?;
        Some(Self {
            name: name.to_owned(),
            file: file.to_owned(),
            item: item.trim().to_owned(),
            line: line.parse().ok()?,
        })
    }
}

impl Run<'_> {
    /// Runs the selected tests in the documentation of a workspace's libraries.
    pub(super) fn run_documentation(
        &self,
        suite: &Suite,
    ) -> Result<(Vec<TestResult>, Vec<CollectionError>), RunError> {
        let libraries = documented(suite);
        let selected: Vec<&(&Package, &Target)> = libraries
            .iter()
            .filter(|(package, target)| self.is_asked_for(package, target))
            .collect();
        if selected.is_empty() || self.is_over() {
            return Ok((Vec::new(), Vec::new()));
        }
        let (report, finished) = self.rustdoc(suite)?;
        let mut tests = self.documentation_tests(suite, &report);
        tests.retain(|test| plan::is_selected(self.selection, &test.id, &test.path));
        let is_built = report.is_complete || !report.started.is_empty();
        let errors = if is_built || finished.success() {
            Vec::new()
        } else {
            self.unbuilt(suite, &selected, &finished)
        };
        Ok((tests, errors))
    }

    fn is_asked_for(&self, package: &Package, target: &Target) -> bool {
        match self.selection {
            Selection::All => true,
            Selection::Ids(ids) => {
                let prefix = format!("{}::{LABEL}::", package.name);
                ids.iter().any(|id| id.starts_with(&prefix))
            }
            Selection::Paths(paths) => {
                let folder = target.source.parent().unwrap_or(&target.source);
                let mut paths = paths.iter().map(|path| self.tree.join(path));
                paths.any(|path| path.starts_with(folder) || folder.starts_with(&path))
            }
        }
    }

    fn rustdoc(&self, suite: &Suite) -> Result<(Report, Finished), RunError> {
        let script = self.file("rustdoc.sh");
        super::super::tracer::write_script(&script, RUSTDOC)?;
        let file = self.file("documentation.json");
        let program = cargo::toolchain(self.environment).join("bin/rustdoc");
        let command = cargo::command(self.environment, &suite.workspace)
            .env("RUSTDOC", &script)
            .env("LACUNA_RUSTDOC", program)
            .args(["test", "--doc", "--workspace", "--no-fail-fast"])
            .args(["--offline", "--locked"])
            .args(&self.arguments.cargo)
            .args(["--", "--format=json", "-Zunstable-options"])
            .args(&self.arguments.tests)
            .args(self.filters())
            .copy_stdout(&file);
        let finished = self.launcher.run(&command, &self.limits_of_one())?;
        self.add(&finished);
        if !matches!(finished.ended, Ended::Exit(_) | Ended::Signal(_)) {
            self.cut_short();
        }
        Ok((Report::read(&file), finished))
    }

    /// Parts of the names of the selected tests. Rustdoc takes no names with spaces, so some more
    /// tests are run.
    fn filters(&self) -> Vec<String> {
        let Selection::Ids(ids) = self.selection else {
            return Vec::new();
        };
        let marker = format!("::{LABEL}::");
        let names = ids.iter().filter_map(|id| Some(id.split_once(&marker)?.1));
        let word = |name: &str| {
            let (file, item) = name.split_once(" - ").unwrap_or((name, ""));
            let item = item.split('#').next().unwrap_or_default();
            let word = item.split_whitespace().max_by_key(|word| word.len());
            word.unwrap_or(file).to_owned()
        };
        let mut filters: Vec<String> = names.map(word).collect();
        filters.sort();
        filters.dedup();
        filters
    }

    fn documentation_tests(&self, suite: &Suite, report: &Report) -> Vec<TestResult> {
        let mut found: Vec<Documented> = report
            .started
            .iter()
            .filter_map(|name| Documented::parse(name))
            .collect();
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut tests = Vec::new();
        for one in &found {
            let Some((package, path)) = self.home(suite, &one.file) else {
                continue;
            };
            let count = counts.entry(format!("{path} {}", one.item)).or_default();
            *count += 1;
            let test = Test {
                name: one.name.clone(),
                id: id(package, &path, &one.item, *count),
                path,
                function: String::new(),
            };
            tests.push(match report.ended.get(&one.name) {
                Some(end) => self.documentation_result(suite, &test, end),
                None => results::error(&test, "rustdoc ended while this test was running"),
            });
        }
        tests
    }

    fn documentation_result(&self, suite: &Suite, test: &Test, end: &End) -> TestResult {
        let (outcome, detail) = match end.event.as_str() {
            "ok" => (Outcome::Passed, None),
            "ignored" => (Outcome::Skipped, Some(results::message("ignored"))),
            _ => {
                let mut detail = results::detail(&self.places, &suite.workspace, &end.output);
                // In the documented file itself rustdoc does not tell the true lines.
                detail.frames.retain(|(path, _, _)| *path != test.path);
                (Outcome::Failed, Some(detail))
            }
        };
        TestResult {
            outcome,
            seconds: end.seconds,
            detail,
            ..results::passed(test)
        }
    }

    /// The package that a documented file belongs to, and its path in the project.
    fn home<'s>(&self, suite: &'s Suite, file: &str) -> Option<(&'s Package, String)> {
        let path = project_path(file, self.tree, &suite.workspace)?;
        let at = self.tree.join(&path);
        let packages = suite.workspace.packages.iter();
        let around = packages.filter(|package| at.starts_with(package.folder()));
        let package = around.max_by_key(|package| package.folder().as_os_str().len())?;
        Some((package, path))
    }

    /// One error for each file with documentation that looks as if it held tests.
    fn unbuilt(
        &self,
        suite: &Suite,
        libraries: &[&(&Package, &Target)],
        finished: &Finished,
    ) -> Vec<CollectionError> {
        let mut errors = Vec::new();
        for (package, target) in libraries {
            let folder = target.source.parent().unwrap_or(&target.source);
            let mut detail = suite
                .built
                .reason(&super::super::build::key(package, target));
            if suite.built.errors.is_empty() {
                detail.message = super::cut(&finished.stderr.last_lines(40));
            }
            let files = results::sources(folder).into_iter().filter(|path| {
                fs::read(path).is_ok_and(|text| String::from_utf8_lossy(&text).contains("```"))
            });
            errors.extend(files.filter_map(|path| {
                let path = path.display().to_string();
                Some(CollectionError {
                    path: project_path(&path, self.tree, &suite.workspace)?,
                    detail: detail.clone(),
                })
            }));
        }
        errors
    }
}

fn documented(suite: &Suite) -> Vec<(&Package, &Target)> {
    let targets = suite.workspace.targets();
    targets
        .filter(|(_, target)| target.kind == Kind::Lib && target.has_doc_tests)
        .collect()
}

/// The id of a test: without its line, which moves when something above it changes.
fn id(package: &Package, path: &str, item: &str, count: usize) -> String {
    let item = if item.is_empty() {
        String::new()
    } else {
        format!(" - {item}")
    };
    let ordinal = if count == 1 {
        String::new()
    } else {
        format!("#{count}")
    };
    format!("{}::{LABEL}::{path}{item}{ordinal}", package.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_documentation_test_has_file_item_and_line() {
        let parsed = |name| {
            let found = Documented::parse(name).unwrap();
            (found.file, found.item, found.line)
        };
        assert_eq!(
            parsed("src/lib.rs - Stack<T>::pop (line 12) - compile fail"),
            ("src/lib.rs".into(), "Stack<T>::pop".into(), 12)
        );
        assert_eq!(
            parsed("src/lib.rs - (line 1)"),
            ("src/lib.rs".into(), String::new(), 1)
        );
    }
}
