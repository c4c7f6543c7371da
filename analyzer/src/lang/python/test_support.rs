//! Which files exist for tests only.

/// Whether a file is part of the tests' surroundings: a `conftest.py`, a file that the runner would
/// collect by its name, or anything in a folder of tests.
pub(super) fn is_test_support(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.strip_suffix(".py").unwrap_or(name);
    let is_test = stem == "conftest" || stem.starts_with("test_") || stem.ends_with("_test");
    is_test
        || folders
            .split('/')
            .any(|folder| matches!(folder, "test" | "tests"))
}

/// Whether a word of a folder's name speaks of tests. A package may have such a name and be no test: it
/// needs to hold tests itself.
pub(super) fn may_be_test_folder(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(['_', '-', '.', ' ']);
    words.any(|word| {
        matches!(
            word,
            "test" | "tests" | "testing" | "unittest" | "unittests" | "testsuite" | "testcases"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_of_tests_are_known_by_folder_and_name() {
        let support = [
            "conftest.py",
            "tests/helpers.py",
            "pkg/tests/data/make.py",
            "pkg/test_x.py",
            "a/x_test.py",
        ];
        assert!(support.iter().all(|path| is_test_support(path)));
        let product = [
            "click/testing.py",
            "pkg/contest.py",
            "pkg/latest.py",
            "numpy/testing/utils.py",
            "setup.py",
        ];
        assert!(!product.iter().any(|path| is_test_support(path)));
    }
}
