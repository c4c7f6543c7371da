//! What `go.mod` and `go.work` say, as far as it matters before the go command can be asked.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A manifest's directives: each a word and its arguments, blocks unfolded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    directives: Vec<(String, Vec<String>)>,
}

impl Manifest {
    pub(super) fn parse(text: &str) -> Self {
        let mut directives = Vec::new();
        let mut block: Option<String> = None;
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default();
            let mut words = line.split_whitespace().map(unquote);
            let Some(first) = words.next() else { continue };
            let rest: Vec<String> = words.collect();
            match &block {
                Some(_) if first == ")" => block = None,
                Some(name) => {
                    directives.push((name.clone(), [vec![first], rest].concat()));
                }
                None if rest == ["("] => block = Some(first),
                None => directives.push((first, rest)),
            }
        }
        Self { directives }
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [String]> {
        let named = self.directives.iter().filter(move |(word, _)| word == name);
        named.map(|(_, arguments)| arguments.as_slice())
    }

    /// The path of the module.
    pub(super) fn module(&self) -> Option<&str> {
        self.all("module").next()?.first().map(String::as_str)
    }

    /// The oldest Go that will do.
    pub(super) fn go(&self) -> Option<Version> {
        Version::parse(self.all("go").next()?.first()?)
    }

    /// The folders of a workspace.
    pub(super) fn uses(&self) -> impl Iterator<Item = &str> {
        self.all("use")
            .filter_map(|line| Some(line.first()?.as_str()))
    }

    /// What is replaced by folders, as it stands there: module and folder.
    pub(super) fn local_replacements(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.all("replace").filter_map(|line| {
            let arrow = line.iter().position(|word| word == "=>")?;
            Some((line.first()?.as_str(), line.get(arrow + 1)?.as_str()))
        });
        pairs.filter(|(_, target)| target.starts_with(['.', '/']))
    }
}

fn unquote(word: &str) -> String {
    word.trim_matches(['"', '`']).to_owned()
}

/// A version of Go. A release candidate counts as its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Version(u32, u32, u32);

impl Version {
    pub(super) const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self(major, minor, patch)
    }

    /// Reads `1.21`, `1.21.3`, `go1.22rc1` and what `go env GOVERSION` says.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.split_whitespace().find(|word| *word != "devel")?;
        let mut parts = text.trim_start_matches("go").split('.').map(leading_number);
        let major = parts.next()??;
        let mut next = || parts.next().flatten().unwrap_or(0);
        Some(Self(major, next(), next()))
    }

    /// Whether a wish such as `1.24` names this version.
    pub(super) fn is(self, wish: &str) -> bool {
        let given = wish.split('.').count();
        let own = [self.0, self.1, self.2];
        Self::parse(wish).is_some_and(|Self(major, minor, patch)| {
            own.iter()
                .take(given)
                .cmp([major, minor, patch].iter().take(given))
                == Ordering::Equal
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_in_blocks_and_alone() {
        let manifest = Manifest::parse(
            "module \"example.com/m\" // name\ngo 1.21.3\nreplace a => ../a\nreplace (\n\tb v1.0.0 => ./b\n\tc => d v1.2.3\n)\n",
        );
        assert_eq!(manifest.module(), Some("example.com/m"));
        assert_eq!(manifest.go(), Some(Version::new(1, 21, 3)));
        let local: Vec<_> = manifest.local_replacements().collect();
        assert_eq!(local, [("a", "../a"), ("b", "./b")]);
        let work = Manifest::parse("go 1.24\nuse ./a\nuse (\n\t.\n\t./b\n)\n");
        assert_eq!(work.uses().collect::<Vec<_>>(), ["./a", ".", "./b"]);
    }

    #[test]
    fn versions_are_told_apart() {
        let read = |text| Version::parse(text).map(|version| version.to_string());
        assert_eq!(read("go1.26.8").as_deref(), Some("1.26.8"));
        assert_eq!(read("1.22rc1").as_deref(), Some("1.22.0"));
        assert_eq!(read("devel go1.27-abc").as_deref(), Some("1.27.0"));
        assert_eq!(read("default"), None);
        let version = Version::new(1, 26, 8);
        assert!(version.is("1.26") && version.is("1.26.8") && version.is("1"));
        assert!(!version.is("1.2") && !version.is("python"));
    }
}
