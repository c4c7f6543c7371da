//! Requirements files: which files are such, and what they ask for.

use super::sources::{Tier, tier_of};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Words that mark a requirements file, or a folder of such.
const MARKS: &[&str] = &["requirements", "requirement", "reqs", "req", "deps"];

/// The tier of a requirements file by its project-relative path; `None` if it is none, or for
/// something else than tests.
pub(super) fn tier(path: &str) -> Option<Tier> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file
        .strip_suffix(".txt")
        .or_else(|| file.strip_suffix(".in"))?;
    let folder = folders
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let is_marked = |text: &str| {
        text.to_lowercase()
            .split(['-', '_', '.'])
            .any(|word| MARKS.contains(&word))
    };
    let depth = folders.split('/').filter(|part| !part.is_empty()).count();
    match (depth, is_marked(stem), is_marked(&folder)) {
        (0, true, _) | (1 | 2, _, true) => tier_of(stem),
        (1, true, _) if ["test", "tests", "testing"].contains(&folder.as_str()) => {
            Some(Tier::Tests)
        }
        (1, true, _) => tier_of(stem),
        _ => None,
    }
}

/// The requirement lines of a file and of the files it includes. Files outside the root are not read.
pub(super) fn read(root: &Path, path: &str) -> Vec<String> {
    let mut lines = Vec::new();
    collect(root, Path::new(path), &mut BTreeSet::new(), &mut lines);
    lines
}

fn collect(root: &Path, path: &Path, seen: &mut BTreeSet<PathBuf>, lines: &mut Vec<String>) {
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside || !seen.insert(path.to_owned()) {
        return;
    }
    let text = fs::read_to_string(root.join(path)).unwrap_or_default();
    for line in text.replace("\\\r\n", " ").replace("\\\n", " ").lines() {
        match included(line) {
            Some(file) => {
                let folder = path.parent().unwrap_or(Path::new(""));
                collect(root, &flatten(&folder.join(file)), seen, lines);
            }
            None => lines.extend(clean(line)),
        }
    }
}

fn included(line: &str) -> Option<&str> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let rest = line
        .strip_prefix("--requirement")
        .or_else(|| line.strip_prefix("-r"))?;
    Some(rest.trim_start_matches(['=', ' ']))
}

/// `a/../b` is `b`.
fn flatten(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if flat.pop() => {}
            part => flat.push(part),
        }
    }
    flat
}

/// A requirement line without comment and hashes; `None` if it asks for nothing, is an option, or
/// installs a local folder.
pub(super) fn clean(line: &str) -> Option<String> {
    let line = line.split(" #").next().unwrap_or_default();
    let line = line.split(" --hash").next().unwrap_or_default().trim();
    let ours =
        line.is_empty() || line.starts_with(['#', '-', '.', '/']) || line.starts_with("file:");
    (!ours).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn requirements_files_are_known_by_their_names() {
        let paths = [
            "test-requirements.txt",
            "requirements_dev.txt",
            "requirements/tests.txt",
            "requirements/tests.in",
            "requirements/tests-min.txt",
            "requirements/docs.txt",
            "reqs/test.txt",
            "tests/requirements.txt",
            "ci/requirements/test.txt",
            "requirements.txt",
            "tests/data/test.txt",
            "docs/requirements.txt",
            "src/pkg/vendor/requirements-test.txt",
            "requirements/dev.txt",
            "README.txt",
        ];
        let tiers = paths.map(|path| format!("{path}: {:?}\n", tier(path)));
        expect![[r#"
            test-requirements.txt: Some(Tests)
            requirements_dev.txt: Some(Development)
            requirements/tests.txt: Some(Tests)
            requirements/tests.in: Some(Tests)
            requirements/tests-min.txt: None
            requirements/docs.txt: None
            reqs/test.txt: Some(Tests)
            tests/requirements.txt: Some(Tests)
            ci/requirements/test.txt: Some(Tests)
            requirements.txt: None
            tests/data/test.txt: None
            docs/requirements.txt: None
            src/pkg/vendor/requirements-test.txt: None
            requirements/dev.txt: Some(Development)
            README.txt: None
        "#]]
        .assert_eq(&tiers.concat());
    }

    #[test]
    fn included_files_are_read_and_what_is_no_requirement_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("reqs")).unwrap();
        let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
        write(
            "reqs/test.txt",
            "# x\n-r ../base.txt\n-e .\npytest>=7  # runner\n-c limits.txt\n./local\n",
        );
        write(
            "base.txt",
            "-r reqs/test.txt\nsix==1.16.0 \\\n    --hash=sha256:00\nx @ https://e.org/x#egg=x\n-r /etc/passwd\n",
        );
        let lines = read(folder.path(), "reqs/test.txt");
        assert_eq!(
            lines,
            ["six==1.16.0", "x @ https://e.org/x#egg=x", "pytest>=7"]
        );
    }
}
