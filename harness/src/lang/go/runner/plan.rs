//! Which tests a selection means, and with how few starts of `go test` they are run.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::go::packages::{Package, Suite};
use crate::runner::Selection;

/// The longest pattern: systems bound the length of one argument.
const LONGEST: usize = 100_000;

/// What to run of one package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Index into [`Suite::packages`].
    pub(super) package: usize,
    /// The functions to run.
    pub(super) functions: BTreeSet<String>,
}

impl Part {
    /// The functions of a package that the selection asks for; `None` if there is none.
    fn of(suite: &Suite, index: usize, selection: &Selection) -> Option<Self> {
        let package = suite.packages.get(index)?;
        let asked = functions_of_ids(selection);
        let is_asked = |name: &str, path: &str| match selection {
            Selection::All => true,
            Selection::Paths(paths) => paths.iter().any(|folder| is_below(path, folder)),
            Selection::Ids(_) => asked.contains(&(package.import_path.as_str(), name)),
        };
        let wanted = package
            .tests
            .iter()
            .filter(|test| is_asked(&test.name, &test.path));
        let functions: BTreeSet<String> = wanted.map(|test| test.name.clone()).collect();
        // A test file without tests may still fail to build.
        let is_built = matches!(selection, Selection::All) && !package.test_files.is_empty();
        (is_built || !functions.is_empty()).then_some(Self {
            package: index,
            functions,
        })
    }

    /// Whether the pattern for `names` runs exactly what is asked of the package.
    fn accepts(&self, suite: &Suite, names: &BTreeSet<String>) -> bool {
        let all = suite
            .packages
            .get(self.package)
            .map_or(&[][..], |package| &package.tests);
        let would_run = all.iter().filter(|test| names.contains(&test.name));
        would_run
            .map(|test| &test.name)
            .all(|name| self.functions.contains(name))
    }
}

/// Packages of one module that `go test` runs together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) module: usize,
    pub(super) parts: Vec<Part>,
    /// The functions to run; of a package that has others, only these are run.
    names: BTreeSet<String>,
    /// Whether any package has a function that is not to run.
    is_narrow: bool,
}

impl Group {
    /// The pattern for `-run`, if one is needed.
    pub(super) fn pattern(&self) -> Option<String> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let pattern = format!("^({})$", names.join("|"));
        (self.is_narrow && pattern.len() <= LONGEST).then_some(pattern)
    }

    fn add(&mut self, suite: &Suite, part: Part) -> Result<(), Part> {
        let names: BTreeSet<String> = self.names.union(&part.functions).cloned().collect();
        let fit = self
            .parts
            .iter()
            .chain([&part])
            .all(|part| part.accepts(suite, &names));
        if !fit {
            return Err(part);
        }
        let package = suite.packages.get(part.package);
        self.is_narrow |= package.is_some_and(|package| is_narrow(package, &part));
        self.names = names;
        self.parts.push(part);
        Ok(())
    }
}

fn is_narrow(package: &Package, part: &Part) -> bool {
    package
        .tests
        .iter()
        .any(|test| !part.functions.contains(&test.name))
}

/// The starts of `go test` that run the selection and no other function.
pub(super) fn groups(suite: &Suite, selection: &Selection) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, package) in suite.packages.iter().enumerate() {
        let mut part = Part::of(suite, index, selection);
        for group in groups
            .iter_mut()
            .filter(|group| group.module == package.module)
        {
            part = part.and_then(|part| group.add(suite, part).err());
        }
        if let Some(part) = part {
            let mut group = Group {
                module: package.module,
                ..Group::default()
            };
            // Nothing stands against the first part of a group.
            let _ = group.add(suite, part);
            groups.push(group);
        }
    }
    groups
}

/// The test files that a selection means: their packages may fail to build.
pub(super) fn files<'s>(
    suite: &'s Suite,
    selection: &Selection,
) -> BTreeMap<&'s str, Vec<&'s str>> {
    let asked = functions_of_ids(selection);
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in &suite.packages {
        let is_asked = |path: &&str| match selection {
            Selection::All => true,
            Selection::Paths(paths) => paths.iter().any(|folder| is_below(path, folder)),
            Selection::Ids(_) => package.tests.iter().any(|test| {
                test.path == **path
                    && asked.contains(&(package.import_path.as_str(), test.name.as_str()))
            }),
        };
        let paths: Vec<&str> = package
            .test_files
            .iter()
            .map(String::as_str)
            .filter(is_asked)
            .collect();
        files.insert(&package.import_path, paths);
    }
    files
}

/// Package and function of each id.
fn functions_of_ids(selection: &Selection) -> BTreeSet<(&str, &str)> {
    match selection {
        Selection::Ids(ids) => ids.iter().filter_map(|id| split(id)).collect(),
        _ => BTreeSet::new(),
    }
}

/// The package and the function of an id such as `example.com/m/p::TestX/sub`.
pub(super) fn split(id: &str) -> Option<(&str, &str)> {
    let (package, test) = id.split_once("::")?;
    Some((package, test.split('/').next().unwrap_or(test)))
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_start_matches("./").trim_end_matches('/');
    let rest = path.strip_prefix(folder);
    folder.is_empty()
        || folder == "."
        || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::go::packages::Test;
    use expect_test::{Expect, expect};

    fn suite() -> Suite {
        let package = |name: &str, tests: &[(&str, &str)]| Package {
            import_path: format!("m/{name}"),
            folder: name.to_owned(),
            test_files: tests
                .iter()
                .map(|(file, _)| format!("{name}/{file}"))
                .collect(),
            tests: tests
                .iter()
                .map(|(file, test)| Test {
                    name: (*test).to_owned(),
                    path: format!("{name}/{file}"),
                    line: 1,
                })
                .collect(),
            ..Package::default()
        };
        Suite {
            packages: vec![
                package("a", &[("x_test.go", "TestA"), ("y_test.go", "TestB")]),
                package("b", &[("x_test.go", "TestA"), ("x_test.go", "TestC")]),
                package("ab", &[("x_test.go", "TestD")]),
            ],
            ..Suite::default()
        }
    }

    fn check(selection: &Selection, expected: Expect) {
        let suite = suite();
        let text = |group: &Group| {
            let packages: Vec<&str> = group
                .parts
                .iter()
                .map(|part| suite.packages[part.package].folder.as_str())
                .collect();
            format!("{} {:?}\n", packages.join(","), group.pattern())
        };
        let groups: String = groups(&suite, selection).iter().map(text).collect();
        expected.assert_eq(&groups);
    }

    #[test]
    fn everything_is_one_start_without_a_pattern() {
        check(
            &Selection::All,
            expect![[r#"
            a,b,ab None
        "#]],
        );
    }

    #[test]
    fn a_pattern_is_shared_only_where_it_means_nothing_else() {
        let ids = |ids: &[&str]| Selection::Ids(ids.iter().map(|id| (*id).to_owned()).collect());
        check(
            &ids(&["m/a::TestB", "m/b::TestC/x/y", "m/ab::TestD"]),
            expect![[r#"
            a,b,ab Some("^(TestB|TestC|TestD)$")
        "#]],
        );
        check(
            &ids(&["m/a::TestA", "m/b::TestC"]),
            expect![[r#"
            a Some("^(TestA)$")
            b Some("^(TestC)$")
        "#]],
        );
    }

    #[test]
    fn paths_are_files_and_folders() {
        let paths = |paths: &[&str]| {
            Selection::Paths(paths.iter().map(|path| (*path).to_owned()).collect())
        };
        check(
            &paths(&["a"]),
            expect![[r#"
            a None
        "#]],
        );
        check(
            &paths(&["a/y_test.go", "./ab/"]),
            expect![[r#"
            a,ab Some("^(TestB|TestD)$")
        "#]],
        );
    }
}
