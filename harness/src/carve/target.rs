//! Targets: from what a person writes to the tests that are meant.

use std::collections::BTreeSet;

use analyzer::trace::TestResult;

/// A file, folder, class or test id that a person named as (part of) a target or suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

/// A pattern that means no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no test matches {pattern:?}{}", hint(near))]
pub struct NoMatch {
    /// The pattern as written.
    pub pattern: String,
    /// Existing names that look like it, nearest first.
    pub near: Vec<String>,
}

fn hint(near: &[String]) -> String {
    match near {
        [] => "; `lacuna tests` lists what there is".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

impl Pattern {
    /// Reads a pattern: a project-relative path of a file or folder, optionally followed by
    /// `::Class`, `::Class::function` and parameters in brackets, as test ids are written.
    pub fn new(text: &str) -> Self {
        let text = match text {
            "./" => ".",
            _ => text.strip_prefix("./").unwrap_or(text),
        };
        Self(text.trim_end_matches('/').to_owned())
    }

    /// Whether the pattern means a test.
    pub fn matches(&self, test: &TestResult) -> bool {
        let folder_or_file = |path: &str| {
            path.strip_prefix(&*self.0)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let class_or_test = |id: &str| {
            id.strip_prefix(&*self.0).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with("::") || rest.starts_with('[')
            })
        };
        if self.0.is_empty() {
            return false;
        }
        self.0 == "." || folder_or_file(&test.path) || class_or_test(&test.id)
    }
}

/// The indices of the tests that any of `patterns` means, in the runner's order.
///
/// # Errors
/// The first pattern that means no test, with the nearest names.
pub fn select(patterns: &[String], tests: &[TestResult]) -> Result<Vec<usize>, NoMatch> {
    let parsed: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text)).collect();
    if let Some(lost) = parsed
        .iter()
        .find(|pattern| !tests.iter().any(|test| pattern.matches(test)))
    {
        return Err(NoMatch {
            pattern: lost.0.clone(),
            near: near(&lost.0, tests),
        });
    }
    Ok((0..tests.len())
        .filter(|&index| {
            parsed
                .iter()
                .any(|pattern| tests.get(index).is_some_and(|test| pattern.matches(test)))
        })
        .collect())
}

/// At most three existing names that resemble `text`.
fn near(text: &str, tests: &[TestResult]) -> Vec<String> {
    if text.contains("::") {
        nearest(
            text,
            tests
                .iter()
                .map(|test| test.id.split('[').next().unwrap_or_default()),
        )
    } else {
        nearest(text, tests.iter().map(|test| &*test.path))
    }
}

/// The names, at most three, that most resemble `text`, nearest first.
pub fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names: BTreeSet<&str> = names.collect();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (resemblance(text, name), name))
        .collect();
    scored.retain(|(score, _)| *score > 0.7);
    scored.sort_by(|(one, a), (other, b)| other.total_cmp(one).then(a.cmp(b)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// Likeness of two names, between 0 and 1; the last part of a path counts as much as the whole.
fn resemblance(text: &str, name: &str) -> f64 {
    let tail = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
    strsim::normalized_damerau_levenshtein(text, name).max(strsim::normalized_damerau_levenshtein(
        &tail(text),
        &tail(name),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analyzer::trace::Outcome;

    fn suite() -> Vec<TestResult> {
        [
            "tests/test_tags.py::TestTag::test_str",
            "tests/test_tags.py::test_many[a - b]",
            "tests/sub/test_x.py::test_one",
        ]
        .iter()
        .map(|id| TestResult {
            id: (*id).to_owned(),
            path: id.split("::").next().unwrap_or_default().to_owned(),
            function: String::new(),
            origin: None,
            outcome: Outcome::Passed,
            seconds: 0.0,
            contexts: Vec::new(),
            detail: None,
        })
        .collect()
    }

    fn check(pattern: &str, expected: &[usize]) {
        assert_eq!(
            select(&[pattern.to_owned()], &suite()),
            Ok(expected.to_vec()),
            "{pattern}"
        );
    }

    #[test]
    fn files_folders_classes_functions_and_cases_are_targets() {
        check("tests/test_tags.py", &[0, 1]);
        check("./tests/", &[0, 1, 2]);
        check("tests/test_tags.py::TestTag", &[0]);
        check("tests/test_tags.py::test_many", &[1]);
        check("tests/test_tags.py::test_many[a - b]", &[1]);
    }

    #[test]
    fn a_pattern_never_matches_part_of_a_name() {
        assert!(select(&["tests/test_tag".to_owned()], &suite()).is_err());
        assert!(select(&["tests/test_tags.py::test_man".to_owned()], &suite()).is_err());
    }

    #[test]
    fn a_lost_target_names_its_neighbours() {
        let lost = select(&["tests/test_tagz.py".to_owned()], &suite()).unwrap_err();
        assert_eq!(
            lost.to_string(),
            "no test matches \"tests/test_tagz.py\"; did you mean tests/test_tags.py?"
        );
    }
}
