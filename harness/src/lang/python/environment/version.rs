//! The project's version for build backends that ask version control, which the work tree is without.

use super::facts::Facts;
use super::sources::normal;
use std::path::Path;
use std::process::Command;

/// What is said where nothing tells a version.
const UNKNOWN: &str = "0.0.0";

/// Environment variables by which each backend is told the version.
pub(super) fn variables(facts: &Facts, root: &Path) -> Vec<(String, String)> {
    let version = facts
        .packed_version
        .clone()
        .or_else(|| described(root))
        .unwrap_or(UNKNOWN.to_owned());
    let name = normal(&facts.name().unwrap_or_default())
        .replace('-', "_")
        .to_uppercase();
    let names = [
        "SETUPTOOLS_SCM_PRETEND_VERSION".to_owned(),
        format!("SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{name}"),
        "PBR_VERSION".to_owned(),
        "PDM_BUILD_SCM_VERSION".to_owned(),
        "POETRY_DYNAMIC_VERSIONING_BYPASS".to_owned(),
        "UV_DYNAMIC_VERSIONING_BYPASS".to_owned(),
    ];
    names.map(|name| (name, version.clone())).to_vec()
}

/// The version that git's nearest tag tells.
fn described(root: &Path) -> Option<String> {
    let describe = [
        "-c",
        "core.fsmonitor=false",
        "describe",
        "--tags",
        "--long",
        "--match",
        "*[0-9]*",
    ];
    let done = Command::new("git")
        .args(describe)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .current_dir(root)
        .output();
    version(String::from_utf8(done.ok()?.stdout).ok()?.trim())
}

/// `v1.2.3-4-gabcdef` is the fourth commit on the way to 1.2.4.
fn version(described: &str) -> Option<String> {
    let mut parts = described.rsplitn(3, '-');
    let (_, distance, tag) = (parts.next()?, parts.next()?, parts.next()?);
    let release = &tag[tag.find(|c: char| c.is_ascii_digit())?..];
    let end = release
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(release.len());
    let (numbers, rest) = release.split_at(end);
    let numbers = numbers.trim_end_matches('.');
    if distance == "0" {
        let plain = rest.chars().all(|c| c.is_ascii_alphanumeric());
        return Some(if plain {
            release.to_owned()
        } else {
            numbers.to_owned()
        });
    }
    let (front, last) = numbers
        .rsplit_once('.')
        .map_or(("", numbers), |(front, last)| (front, last));
    let next = last.parse::<u64>().ok()? + 1;
    let dot = if front.is_empty() { "" } else { "." };
    Some(format!("{front}{dot}{next}.dev{distance}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_and_a_distance_tell_a_version() {
        let cases = [
            ("v1.2.3-0-gabc", Some("1.2.3")),
            ("1.2.3-4-gabc", Some("1.2.4.dev4")),
            ("release-2.0rc1-0-gabc", Some("2.0rc1")),
            ("pkg-7-3-gabc", Some("8.dev3")),
            ("", None),
            ("nightly", None),
        ];
        for (described, expected) in cases {
            assert_eq!(version(described).as_deref(), expected, "{described}");
        }
    }
}
