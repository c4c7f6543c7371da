//! What a project says about itself, read without running any of its code.

use super::scripts::{self, Script};
use super::specifier::Specifiers;
use crate::environment::EnvironmentError;
use crate::process::{Command, Launcher, Limits};
use crate::project::Listing;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;
use toml::{Table, Value};

/// What reading may cost.
const LIMITS: Limits = Limits {
    wall: Duration::from_secs(60),
    memory: 1 << 30,
    output: 64 << 20,
};

/// What the older files say; see `scripts/describe_project.py`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Described {
    pub(super) name: String,
    requires_python: String,
    classifiers: Vec<String>,
    requirements: Vec<String>,
    pub(super) test_requirements: Vec<String>,
    pub(super) tox: Vec<Installed>,
    pub(super) nox: Vec<Installed>,
}

/// What one environment of tox, or session of nox, installs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Installed {
    pub(super) name: String,
    pub(super) requirements: Vec<String>,
    pub(super) extras: Vec<String>,
    pub(super) groups: Vec<String>,
}

/// What a project says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) described: Described,
    pub(super) pyproject: Table,
    /// Why pyproject.toml cannot be read, if it cannot.
    pub(super) pyproject_error: Option<String>,
    /// Whether pip can install the project.
    pub(super) has_build: bool,
    /// The version in PKG-INFO, if the project is a packed release.
    pub(super) packed_version: Option<String>,
}

impl Facts {
    /// Reads the project at `root`; `python` is any interpreter, `tools` a folder for our scripts.
    pub(super) fn read(
        root: &Path,
        python: &Path,
        tools: &Path,
        launcher: &Launcher,
    ) -> Result<Self, EnvironmentError> {
        let script = scripts::place(tools, Script::DescribeProject)?;
        let command = Command::new(python, root).arg("-I").arg(script).arg(root);
        let answer = launcher.run(&command, &LIMITS)?;
        let described = serde_json::from_str(&answer.stdout.text()).unwrap_or_default();
        let mut facts = Self {
            described,
            ..Self::of_pyproject(root)
        };
        facts.has_build |=
            root.join("setup.py").is_file() || has_section(root, "setup.cfg", "[metadata]");
        facts.packed_version = packed_version(root);
        Ok(facts)
    }

    fn of_pyproject(root: &Path) -> Self {
        let text = fs::read_to_string(root.join("pyproject.toml")).unwrap_or_default();
        match text.parse::<Table>() {
            Ok(pyproject) => Self {
                has_build: ["project", "build-system"]
                    .iter()
                    .any(|key| pyproject.contains_key(*key)),
                pyproject,
                ..Self::default()
            },
            Err(error) => Self {
                pyproject_error: Some(error.to_string()),
                ..Self::default()
            },
        }
    }

    /// A value of pyproject.toml.
    pub(super) fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        let first = self.pyproject.get(*first)?;
        rest.iter().try_fold(first, |value, key| value.get(*key))
    }

    fn text(&self, path: &[&str]) -> Option<String> {
        Some(self.get(path)?.as_str()?.to_owned())
    }

    /// The texts of a list in pyproject.toml.
    pub(super) fn texts(&self, path: &[&str]) -> Vec<String> {
        texts(self.get(path))
    }

    /// The table at a path of pyproject.toml, by key.
    pub(super) fn table(&self, path: &[&str]) -> impl Iterator<Item = (&String, &Value)> {
        self.get(path)
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
    }

    /// The distribution's name, if it is written down.
    pub(super) fn name(&self) -> Option<String> {
        let described = Some(self.described.name.clone()).filter(|name| !name.is_empty());
        let name = self
            .text(&["project", "name"])
            .or_else(|| self.text(&["tool", "poetry", "name"]));
        name.or_else(|| self.text(&["tool", "flit", "metadata", "module"]))
            .or(described)
    }

    /// Which Python versions the project allows.
    pub(super) fn requires_python(&self) -> Specifiers {
        let text = self
            .text(&["project", "requires-python"])
            .or_else(|| self.text(&["tool", "poetry", "dependencies", "python"]))
            .or_else(|| self.text(&["tool", "flit", "metadata", "requires-python"]));
        Specifiers::parse(text.as_deref().unwrap_or(&self.described.requires_python))
    }

    /// The minor versions of Python 3 in the classifiers.
    pub(super) fn listed_minors(&self) -> BTreeSet<u32> {
        let lists = [
            self.texts(&["project", "classifiers"]),
            self.texts(&["tool", "poetry", "classifiers"]),
            self.described.classifiers.clone(),
        ];
        let minor = |line: &String| {
            line.strip_prefix("Programming Language :: Python :: 3.")?
                .parse()
                .ok()
        };
        lists.iter().flatten().filter_map(minor).collect()
    }

    /// The requirements of the project itself as far as they are written down.
    pub(super) fn requirements(&self) -> Vec<String> {
        let mut all = self.texts(&["project", "dependencies"]);
        all.extend(poetry(self.get(&["tool", "poetry", "dependencies"])));
        all.extend(self.described.requirements.clone());
        all
    }

    /// What building the project needs, for builds without isolation.
    pub(super) fn build_requirements(&self) -> Vec<String> {
        self.texts(&["build-system", "requires"])
    }
}

/// The texts of a list; a single text counts as a list of one.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|one| Some(one.as_str()?.to_owned()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Requirements in Poetry's form: a table from names to versions.
pub(super) fn poetry(table: Option<&Value>) -> Vec<String> {
    let entries = table.and_then(Value::as_table).into_iter().flatten();
    entries
        .filter(|(name, _)| *name != "python")
        .filter_map(|(name, value)| poetry_line(name, value))
        .collect()
}

/// One of them; `None` for optional ones and such as are not on a package index.
fn poetry_line(name: &str, value: &Value) -> Option<String> {
    let table = value.as_table();
    if table.is_some_and(|table| {
        table.contains_key("path") || table.get("optional") == Some(&Value::Boolean(true))
    }) {
        return None;
    }
    let version = value
        .as_str()
        .or_else(|| value.get("version")?.as_str())
        .unwrap_or("*");
    let extras = texts(value.get("extras"));
    let extras = if extras.is_empty() {
        String::new()
    } else {
        format!("[{}]", extras.join(","))
    };
    let clauses: Vec<String> = version.split(',').map(poetry_clause).collect();
    let clauses = clauses.join(",");
    Some(format!("{name}{extras}{}", clauses.trim_matches(',')))
}

/// `^1.2` is `>=1.2,<2`; `^0.3` is `>=0.3,<0.4`; `~1.2` is `==1.2.*`; `1.2` is `==1.2`; `*` is nothing.
fn poetry_clause(clause: &str) -> String {
    let clause = clause.trim();
    let numbers = |text: &str| -> Vec<u32> {
        text.split('.')
            .map_while(|part| part.parse().ok())
            .collect()
    };
    if let Some(version) = clause.strip_prefix('^') {
        let mut limit = numbers(version);
        let significant = limit.iter().position(|&number| number > 0).unwrap_or(0);
        limit.truncate(significant + 1);
        if let Some(last) = limit.last_mut() {
            *last += 1;
        }
        let limit: Vec<String> = limit.iter().map(u32::to_string).collect();
        format!(">={version},<{}", limit.join("."))
    } else if let Some(version) = clause
        .strip_prefix('~')
        .filter(|rest| !rest.starts_with('='))
    {
        format!(
            "=={}.*",
            version.split('.').take(2).collect::<Vec<_>>().join(".")
        )
    } else if clause == "*" {
        String::new()
    } else if clause.starts_with(|c: char| c.is_ascii_digit()) {
        format!("=={clause}")
    } else {
        clause.to_owned()
    }
}

fn has_section(root: &Path, file: &str, section: &str) -> bool {
    let text = fs::read_to_string(root.join(file)).unwrap_or_default();
    text.lines().any(|line| line.trim() == section)
}

fn packed_version(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("PKG-INFO")).ok()?;
    let line = text
        .lines()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix("Version:"))?;
    Some(line.trim().to_owned())
}

/// Names of the project's own modules and packages that some folder on the import path can offer: those
/// inside a package have longer names, and may well be called like what they wrap.
pub(super) fn own_modules(files: &Listing) -> BTreeSet<&str> {
    let is_package = |folder: &str| files.files.contains_key(&format!("{folder}/__init__.py"));
    let mut own = BTreeSet::new();
    for path in files.files.keys().filter(|path| is_module(path)) {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        if !is_package(folder) {
            own.extend(file.split('.').next());
        }
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        for folder in folders {
            let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            // A folder of modules right at the top may be a namespace package.
            if !is_package(parent) && (is_package(folder) || ["", "src", "lib"].contains(&parent)) {
                own.insert(name);
            }
        }
    }
    own
}

/// Whether a file is, or becomes when built, a module.
fn is_module(path: &str) -> bool {
    [".py", ".pyi", ".pyx", ".so", ".c", ".cpp", ".rs"]
        .iter()
        .any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::FileKind;
    use expect_test::expect;

    #[test]
    fn requirements_of_poetry_become_ordinary_ones() {
        let text = r#"
            python = "^3.8"
            a = "^1.2.3"
            b = "^0.3"
            c = "~2.1.4"
            d = "*"
            e = "1.0"
            f = ">=1,<3"
            g = { version = "^4", extras = ["x", "y"] }
            h = { path = "../h" }
            i = { version = "1", optional = true }
        "#;
        let lines = poetry(Some(&Value::Table(text.parse().unwrap())));
        expect![[r#"
            a>=1.2.3,<2
            b>=0.3,<0.4
            c==2.1.*
            d
            e==1.0
            f>=1,<3
            g[x,y]>=4,<5"#]]
        .assert_eq(&lines.join("\n"));
    }

    #[test]
    fn a_module_inside_a_package_may_be_called_like_what_it_wraps() {
        let paths = [
            "setup.py",
            "src/shop/__init__.py",
            "src/shop/yaml.py",
            "src/space/part/__init__.py",
            "src/_speed.c",
            "tests/helpers.py",
            "tests/numpy/data.txt",
            "tests/numpy/test_x.py",
            "tests/pkg/__init__.py",
        ];
        let file = |path: &str| (path.to_owned(), FileKind::File { mode: 0o644 });
        let files = Listing {
            files: paths.map(file).into(),
            ..Listing::default()
        };
        let own: Vec<&str> = own_modules(&files).into_iter().collect();
        expect!["_speed helpers part pkg setup shop space src test_x tests"]
            .assert_eq(&own.join(" "));
    }
}
