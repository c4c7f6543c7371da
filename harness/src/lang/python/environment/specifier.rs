//! Version specifiers of Python versions: the part of PEP 440 that `requires-python` uses.

use std::fmt;

/// A released version: major, minor, micro.
pub(super) type Version = (u32, u32, u32);

/// A set of versions, such as `>=3.8,<4,!=3.9.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Specifiers {
    text: String,
    clauses: Vec<Clause>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Clause {
    operator: String,
    /// Release numbers as written: their count matters for `~=` and `.*`.
    release: Vec<u32>,
    wildcard: bool,
}

impl Specifiers {
    /// Clauses that are not understood allow everything.
    pub(super) fn parse(text: &str) -> Self {
        let clauses = text.split(',').flat_map(Clause::parse).collect();
        Self {
            text: text.trim().to_owned(),
            clauses,
        }
    }

    pub(super) fn allow(&self, version: Version) -> bool {
        self.clauses.iter().all(|clause| clause.allows(version))
    }
}

impl fmt::Display for Specifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.text.is_empty() {
            "any version"
        } else {
            &self.text
        })
    }
}

impl Clause {
    /// One clause; two for the caret that Poetry knows.
    fn parse(text: &str) -> Vec<Self> {
        let text = text.trim();
        let digits = text
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(text.len());
        let (operator, version) = text.split_at(digits);
        let wildcard = version.trim_end().ends_with(".*");
        let release: Vec<u32> = version
            .trim()
            .split('.')
            .map_while(|part| part.parse().ok())
            .collect();
        let clause = |operator: &str, release| Self {
            operator: operator.into(),
            release,
            wildcard,
        };
        match (operator.trim(), release.first()) {
            (_, None) => Vec::new(),
            ("^", Some(&major)) => vec![clause(">=", release), clause("<", vec![major + 1])],
            ("" | "~", Some(_)) if wildcard || operator.trim() == "~" => {
                vec![Self {
                    operator: "==".into(),
                    release,
                    wildcard: true,
                }]
            }
            ("", Some(_)) => vec![clause("==", release)],
            (operator, Some(_)) => vec![clause(operator, release)],
        }
    }

    fn allows(&self, (major, minor, micro): Version) -> bool {
        let version = [major, minor, micro];
        let mut own = self.release.clone();
        own.resize(3, 0);
        let starts = |count: usize| {
            version
                .iter()
                .zip(&self.release)
                .take(count)
                .all(|(a, b)| a == b)
        };
        match self.operator.as_str() {
            "==" | "===" if self.wildcard => starts(3),
            "==" | "===" => version[..] == own[..],
            "!=" if self.wildcard => !starts(3),
            "!=" => version[..] != own[..],
            ">=" => version[..] >= own[..],
            "<=" => version[..] <= own[..],
            // `>3.8` excludes 3.8.1 too only in the fine print; `requires-python` means the release.
            ">" => version[..] > own[..],
            "<" => version[..] < own[..],
            "~=" => version[..] >= own[..] && starts(self.release.len().saturating_sub(1)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(specifiers: &str, expected: Expect) {
        let versions = [
            (2, 7, 18),
            (3, 6, 0),
            (3, 8, 1),
            (3, 9, 0),
            (3, 11, 4),
            (4, 0, 0),
        ];
        let specifiers = Specifiers::parse(specifiers);
        let allowed = versions
            .into_iter()
            .filter(|&version| specifiers.allow(version));
        let allowed: Vec<String> = allowed.map(|(a, b, c)| format!("{a}.{b}.{c}")).collect();
        expected.assert_eq(&allowed.join(" "));
    }

    #[test]
    fn what_requires_python_says_is_understood() {
        check("", expect!["2.7.18 3.6.0 3.8.1 3.9.0 3.11.4 4.0.0"]);
        check(">=3.8", expect!["3.8.1 3.9.0 3.11.4 4.0.0"]);
        check(">= 3.8, <4", expect!["3.8.1 3.9.0 3.11.4"]);
        check("~=3.8", expect!["3.8.1 3.9.0 3.11.4"]);
        check("~=3.8.0", expect!["3.8.1"]);
        check(
            ">=2.7,!=3.0.*,!=3.8.*",
            expect!["2.7.18 3.6.0 3.9.0 3.11.4 4.0.0"],
        );
        check("==3.9.*", expect!["3.9.0"]);
        check("==3.9", expect!["3.9.0"]);
        check("3.11.*", expect!["3.11.4"]);
        check("^3.8", expect!["3.8.1 3.9.0 3.11.4"]);
        check(">=3.9.dev0", expect!["3.9.0 3.11.4 4.0.0"]);
    }
}
