//! Where a project says what its tests need.

use super::facts::{Facts, Installed, poetry, texts};
use super::requirements_file;
use crate::config::EnvironmentConfig;
use crate::project::Listing;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// What kind of use a source is named for; the earlier, the sooner it is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) enum Tier {
    /// For tests, or asked for by the person.
    Tests,
    /// For development: often documentation and checkers too, so only if there is nothing for tests.
    Development,
    /// For something else: only to look up which version of a missing distribution is meant.
    Other,
}

/// Requirements with their origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Source {
    pub(super) tier: Tier,
    /// For a person, such as "dependency group `test`".
    pub(super) origin: String,
    pub(super) content: Content,
}

/// What a source holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) enum Content {
    /// Requirement lines.
    Lines(Vec<String>),
    /// An extra of the project, known in full only after its installation.
    Extra(String),
}

/// Starts of the names of what people develop with and tests do not import.
const TOOLS: &[&str] = &[
    "autopep8",
    "bandit",
    "black",
    "build",
    "bump",
    "check-manifest",
    "codespell",
    "commitizen",
    "cruft",
    "docformatter",
    "docstrfmt",
    "doc8",
    "flake8",
    "flit",
    "furo",
    "git-",
    "griffe",
    "hatch",
    "ipdb",
    "ipython",
    "isort",
    "jupyter",
    "maturin",
    "mkdocs",
    "mypy",
    "myst",
    "nox",
    "numpydoc",
    "pdm",
    "pip-",
    "poetry",
    "pre-commit",
    "prek",
    "pydocstyle",
    "pylint",
    "pyright",
    "pyroma",
    "pyupgrade",
    "radon",
    "readme-renderer",
    "rstcheck",
    "ruff",
    "safety",
    "scriv",
    "semver",
    "sphinx",
    "towncrier",
    "tox",
    "twine",
    "ty",
    "types-",
    "validate-pyproject",
    "vulture",
    "xenon",
    "yapf",
    "zest",
];

/// Whether a requirement line is for something that tests do not import.
fn is_tool(line: &str) -> bool {
    let name = name_of(line);
    TOOLS.iter().any(|tool| match tool.ends_with('-') {
        true => name.starts_with(tool),
        false => name
            .strip_prefix(tool)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
    })
}

impl Source {
    /// Those of the lines that are worth installing before anything is known to be missing.
    pub(super) fn worthwhile(&self, lines: &[String]) -> Vec<String> {
        let for_tests = |line: &&String| self.tier == Tier::Tests || !is_tool(line);
        lines.iter().filter(for_tests).cloned().collect()
    }
}

/// All sources in the order of their tiers, each in the order of the places that were looked at;
/// `extras` are the names of the project's extras as far as they are known.
pub(super) fn find(
    root: &Path,
    facts: &Facts,
    files: &Listing,
    config: &EnvironmentConfig,
    extras: &[String],
) -> Vec<Source> {
    let mut found = Found {
        root,
        facts,
        sources: Vec::new(),
    };
    found.asked(config);
    found.groups(config);
    found.extras(config, extras);
    found.tables();
    found.files(files);
    found.environments();
    found
        .sources
        .retain(|source| source.content != Content::Lines(Vec::new()));
    found.sources.sort_by_key(|source| source.tier);
    let mut seen = BTreeSet::new();
    found
        .sources
        .retain(|source| seen.insert(format!("{:?}", source.content)));
    found.sources
}

struct Found<'a> {
    root: &'a Path,
    facts: &'a Facts,
    sources: Vec<Source>,
}

impl Found<'_> {
    fn add(&mut self, tier: Tier, origin: String, lines: Vec<String>) {
        let mut extras = Vec::new();
        let mut content = Vec::new();
        for line in lines {
            match own_extras(&line, self.facts.name().as_deref()) {
                Some(named) => extras.extend(named),
                None => content.extend(self.line(&line)),
            }
        }
        self.sources.push(Source {
            tier,
            origin: origin.clone(),
            content: Content::Lines(content),
        });
        extras
            .into_iter()
            .for_each(|extra| self.add_extra(tier, extra));
    }

    fn add_extra(&mut self, tier: Tier, name: String) {
        let origin = format!("extra `{name}`");
        self.sources.push(Source {
            tier,
            origin,
            content: Content::Extra(name),
        });
    }

    /// A line as pip takes it; a file that it names is read.
    fn line(&self, line: &str) -> Vec<String> {
        let file = ["-r", "--requirement"]
            .iter()
            .find_map(|option| line.strip_prefix(option));
        match file.map(|file| file.trim_start_matches(['=', ' '])) {
            Some(file) => requirements_file::read(self.root, file),
            None => requirements_file::clean(line).into_iter().collect(),
        }
    }

    fn asked(&mut self, config: &EnvironmentConfig) {
        self.add(
            Tier::Tests,
            "lacuna.toml".into(),
            config.requirements.clone(),
        );
    }

    fn groups(&mut self, config: &EnvironmentConfig) {
        let names: Vec<String> = self
            .facts
            .table(&["dependency-groups"])
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let tier = wanted(config.groups.as_deref(), &name);
            let lines = self.group(&name);
            self.add(tier, format!("dependency group `{name}`"), lines);
        }
    }

    /// The lines of a dependency group and of those it includes (PEP 735).
    fn group(&self, name: &str) -> Vec<String> {
        let mut lines = Vec::new();
        self.collect_group(name, &mut BTreeSet::new(), &mut lines);
        lines
    }

    fn collect_group(&self, name: &str, seen: &mut BTreeSet<String>, lines: &mut Vec<String>) {
        if !seen.insert(normal(name)) {
            return;
        }
        let mut table = self.facts.table(&["dependency-groups"]);
        let items = table.find(|(other, _)| normal(other) == normal(name));
        let items = items.and_then(|(_, value)| value.as_array());
        for item in items.into_iter().flatten() {
            match item.get("include-group").and_then(Value::as_str) {
                Some(included) => self.collect_group(included, seen, lines),
                None => lines.extend(texts(Some(item))),
            }
        }
    }

    fn extras(&mut self, config: &EnvironmentConfig, names: &[String]) {
        for name in names {
            self.add_extra(wanted(config.extras.as_deref(), name), name.clone());
        }
    }

    /// What project managers keep in tables of their own.
    fn tables(&mut self) {
        let poetry_groups = self.facts.table(&["tool", "poetry", "group"]);
        let mut found: Vec<(String, Vec<String>)> = poetry_groups
            .map(|(name, group)| (name.clone(), poetry(group.get("dependencies"))))
            .collect();
        found.push((
            "dev".into(),
            poetry(self.facts.get(&["tool", "poetry", "dev-dependencies"])),
        ));
        found.push((
            "dev".into(),
            self.facts.texts(&["tool", "uv", "dev-dependencies"]),
        ));
        let pdm = self.facts.table(&["tool", "pdm", "dev-dependencies"]);
        found.extend(pdm.map(|(name, lines)| (name.clone(), texts(Some(lines)))));
        let hatch = self.facts.table(&["tool", "hatch", "envs"]);
        found.extend(hatch.map(|(name, table)| (name.clone(), hatch_lines(table))));
        for (name, lines) in found {
            // Hatch runs the tests in its environment `default` unless told otherwise.
            let named = if name == "default" {
                "dev"
            } else {
                name.as_str()
            };
            if let Some(tier) = tier_of(named) {
                self.add(
                    tier,
                    format!("pyproject.toml, environment or group `{name}`"),
                    lines,
                );
            }
        }
    }

    fn files(&mut self, files: &Listing) {
        for path in files.files.keys() {
            if let Some(tier) = requirements_file::tier(path) {
                // The pinned file beside its input says more.
                let pinned = path.strip_suffix(".in").map(|stem| format!("{stem}.txt"));
                if pinned.is_none_or(|pinned| !files.files.contains_key(&pinned)) {
                    self.add(tier, path.clone(), requirements_file::read(self.root, path));
                }
            }
        }
    }

    fn environments(&mut self) {
        self.add(
            Tier::Tests,
            "tests_require".into(),
            self.facts.described.test_requirements.clone(),
        );
        let described = &self.facts.described;
        let tox = described
            .tox
            .iter()
            .cloned()
            .chain(tox_tables(self.root, self.facts));
        let nox = described.nox.iter().cloned();
        let all: Vec<_> = tox
            .map(|one| ("tox", one))
            .chain(nox.map(|one| ("nox", one)))
            .collect();
        for (tool, one) in all {
            let lines = one
                .requirements
                .iter()
                .filter_map(|line| tox_line(line))
                .collect();
            self.add(Tier::Tests, format!("{tool}, {}", one.name), lines);
            one.extras
                .into_iter()
                .for_each(|extra| self.add_extra(Tier::Tests, extra));
            for group in one.groups {
                let lines = self.group(&group);
                self.add(Tier::Tests, format!("dependency group `{group}`"), lines);
            }
        }
    }
}

/// The tier of a named group or extra: what the person lists, and nothing else, if they do.
fn wanted(asked: Option<&[String]>, name: &str) -> Tier {
    let is_asked = |asked: &[String]| asked.iter().any(|asked| normal(asked) == normal(name));
    match asked {
        Some(asked) if is_asked(asked) => Tier::Tests,
        Some(_) => Tier::Other,
        None => tier_of(name).unwrap_or(Tier::Other),
    }
}

/// The tier that a name stands for.
pub(super) fn tier_of(name: &str) -> Option<Tier> {
    let normal = normal(name);
    let words: Vec<&str> = normal.split('-').collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let narrow = [
        "docs",
        "doc",
        "lint",
        "mypy",
        "typing",
        "types",
        "style",
        "release",
        "build",
        "min",
        "minimal",
        "minimum",
        "lowest",
        "oldest",
        "old",
        "bench",
        "benchmark",
        "benchmarks",
        "nightly",
        "extras",
        "typecheck",
        "pypy",
        "gpu",
        "cuda",
    ];
    if has(&narrow) {
        None
    } else if has(&["test", "tests", "testing"]) {
        Some(Tier::Tests)
    } else {
        has(&["dev", "develop", "development", "devel", "all"]).then_some(Tier::Development)
    }
}

/// A name of a distribution, extra or group in its normal form (PEP 503).
pub(super) fn normal(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The normal name of the distribution that a requirement line is for.
pub(super) fn name_of(line: &str) -> String {
    let end = line
        .find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
        .unwrap_or(line.len());
    normal(&line[..end])
}

/// The extras, if a line asks for the project itself: `.`, `-e .[test]`, `name[test]`.
fn own_extras(line: &str, name: Option<&str>) -> Option<Vec<String>> {
    let line = line.trim();
    let line = ["-e", "--editable"]
        .iter()
        .find_map(|option| line.strip_prefix(option))
        .unwrap_or(line);
    let line = line
        .trim_start_matches(['=', ' '])
        .trim_start_matches("file:")
        .trim_matches(['"', '\'']);
    let line = line.replace("{toxinidir}", ".");
    let (target, extras) = line.split_once('[').unwrap_or((&line, ""));
    let target = target.trim();
    let is_own =
        matches!(target, "." | "./") || name.is_some_and(|name| normal(name) == normal(target));
    let extras = extras
        .split(']')
        .next()
        .unwrap_or_default()
        .split(',')
        .map(str::trim);
    is_own.then(|| {
        extras
            .filter(|extra| !extra.is_empty())
            .map(str::to_owned)
            .collect()
    })
}

/// A line of tox without its factors; `None` if it is for some environments only, or names what
/// only tox knows.
fn tox_line(line: &str) -> Option<String> {
    let line = line.replace("{toxinidir}/", "").replace("{tox_root}/", "");
    let conditional = line.split_once(": ").is_some_and(|(factors, _)| {
        !factors.is_empty()
            && factors
                .chars()
                .all(|c| c.is_alphanumeric() || "-_,.!{} ".contains(c))
    });
    (!conditional && !line.contains('{')).then_some(line)
}

fn hatch_lines(table: &Value) -> Vec<String> {
    let mut lines = texts(table.get("dependencies"));
    lines.extend(texts(table.get("extra-dependencies")));
    lines.extend(
        texts(table.get("features"))
            .iter()
            .map(|extra| format!(".[{extra}]")),
    );
    lines
}

/// The default environment of tox in its TOML forms.
fn tox_tables(root: &Path, facts: &Facts) -> Vec<Installed> {
    let text = fs::read_to_string(root.join("tox.toml")).unwrap_or_default();
    let own = text.parse::<Table>().unwrap_or_default();
    let own = own.get("env_run_base").cloned();
    let shared = facts.get(&["tool", "tox", "env_run_base"]).cloned();
    let installed = |table: Value| Installed {
        name: "env_run_base".into(),
        requirements: texts(table.get("deps")),
        extras: texts(table.get("extras")),
        groups: texts(table.get("dependency_groups")),
    };
    own.into_iter().chain(shared).map(installed).collect()
}

#[cfg(test)]
mod tests;
