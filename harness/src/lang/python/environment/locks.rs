//! Lock files: the versions with which the project's tests were passing when it was locked.

use super::facts::texts;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// Lock files by name with the key of their list of packages; the first that is there counts.
pub(super) const LOCKS: &[(&str, &str)] = &[
    ("uv.lock", "package"),
    ("poetry.lock", "package"),
    ("pdm.lock", "package"),
    ("pylock.toml", "packages"),
];

/// A version and the marker under which it applies, empty if always.
type Locked = (String, String);

/// The locked versions as constraint lines for pip, by name.
pub(super) fn constraints(root: &Path) -> Vec<String> {
    let lists = LOCKS
        .iter()
        .filter_map(|(file, key)| packages(&fs::read_to_string(root.join(file)).ok()?, key));
    lists.take(1).flatten().collect()
}

fn packages(text: &str, key: &str) -> Option<Vec<String>> {
    let table: Table = text.parse().ok()?;
    let mut locked: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
    for package in table
        .get(key)?
        .as_array()?
        .iter()
        .filter(|package| is_released(package))
    {
        if let (Some(name), Some(version)) = (text_of(package, "name"), text_of(package, "version"))
        {
            locked
                .entry(name)
                .or_default()
                .push((version, marker(package)));
        }
    }
    Some(
        locked
            .into_iter()
            .flat_map(|(name, versions)| lines(&name, versions))
            .collect(),
    )
}

/// Of several versions without a marker nobody knows which applies.
fn lines(name: &str, versions: Vec<Locked>) -> Vec<String> {
    let unclear = versions.len() > 1 && versions.iter().any(|(_, marker)| marker.is_empty());
    let versions = versions.into_iter().filter(|_| !unclear);
    let line = |(version, marker): Locked| match marker.is_empty() {
        true => format!("{name}=={version}"),
        false => format!("{name}=={version} ; {marker}"),
    };
    versions.map(line).collect()
}

/// Whether the package comes from an index rather than from a folder or a repository.
fn is_released(package: &Value) -> bool {
    let elsewhere = ["editable", "virtual", "directory", "git", "path", "url"];
    let source = package.get("source").unwrap_or(package);
    let kind = source.get("type").and_then(Value::as_str);
    !elsewhere
        .iter()
        .any(|key| source.get(*key).is_some() || kind == Some(*key))
}

fn text_of(package: &Value, key: &str) -> Option<String> {
    Some(package.get(key)?.as_str()?.to_owned())
}

/// uv lists alternatives; the others write one marker.
fn marker(package: &Value) -> String {
    let alternatives = texts(package.get("resolution-markers"));
    let single = ["markers", "marker"]
        .iter()
        .find_map(|key| text_of(package, key));
    match alternatives.is_empty() {
        true => single.unwrap_or_default(),
        false => alternatives.join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_lock_file_gives_constraints_with_markers() {
        let text = r#"
            version = 1
            [[package]]
            name = "shop"
            version = "1.0"
            source = { editable = "." }
            [[package]]
            name = "pytest"
            version = "8.4.2"
            source = { registry = "https://index.example/simple" }
            [[package]]
            name = "numpy"
            version = "2.0.2"
            resolution-markers = ["python_full_version < '3.10'"]
            [[package]]
            name = "numpy"
            version = "2.3.0"
            resolution-markers = ["python_full_version >= '3.12'", "python_full_version == '3.11.*'"]
            [[package]]
            name = "unclear"
            version = "1"
            [[package]]
            name = "unclear"
            version = "2"
        "#;
        expect![[r#"
            numpy==2.0.2 ; python_full_version < '3.10'
            numpy==2.3.0 ; python_full_version >= '3.12' or python_full_version == '3.11.*'
            pytest==8.4.2"#]]
        .assert_eq(&packages(text, "package").unwrap().join("\n"));
    }
}
