//! Name affinity: how strongly a symbol's name and place speak of the target.

use std::collections::BTreeSet;

use crate::symbol::SymbolId;

/// How strongly a symbol is tied to the target by name, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Affinity {
    /// Nothing in common.
    None,
    /// The symbol, one of its containers or its folder carries the target's words.
    Related,
    /// The symbol's file is named after the target (`test_tags` and `tags`).
    Namesake,
}

/// The words that stand for a target.
#[derive(Clone, Debug, Default)]
pub struct TargetWords {
    /// Each topic is one file or test class of the target as a set of words.
    topics: Vec<BTreeSet<String>>,
    /// The words of each target test function, in order.
    functions: Vec<Vec<String>>,
}

/// Words that say "this is a test" and nothing about its subject.
const TEST_WORDS: [&str; 6] = ["test", "tests", "testing", "spec", "unit", "suite"];

impl TargetWords {
    /// Collects the words of the target's files and its test functions (with their containers).
    pub fn new<'a>(
        paths: impl IntoIterator<Item = &'a str>,
        functions: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut topics: Vec<_> = paths.into_iter().map(|path| topic(stem(path))).collect();
        let mut words_of_functions = Vec::new();
        for function in functions {
            let mut links: Vec<&str> = function.split('.').collect();
            words_of_functions.push(words(links.pop().unwrap_or_default()));
            topics.extend(links.into_iter().map(topic));
        }
        topics.retain(|topic| !topic.is_empty());
        topics.sort();
        topics.dedup();
        words_of_functions.sort();
        words_of_functions.dedup();
        Self {
            topics,
            functions: words_of_functions,
        }
    }

    /// The affinity of a symbol to this target.
    pub fn affinity(&self, id: &SymbolId) -> Affinity {
        let module = topic(stem(id.path()));
        if self.topics.iter().any(|topic| same(topic, &module)) {
            return Affinity::Namesake;
        }
        let places = places(id);
        if self
            .topics
            .iter()
            .any(|topic| places.iter().any(|place| covers(place, topic)))
        {
            return Affinity::Related;
        }
        Affinity::None
    }

    /// Whether a target test function is named after the symbol (`test_parse_wheel_filename`).
    ///
    /// One short word proves nothing (`test_get_name` is not about `get`), so a name needs two
    /// words, or one of at least five letters.
    pub fn names_function(&self, id: &SymbolId) -> bool {
        let name = words(id.name());
        let telling = name.len() > 1 || name.iter().any(|word| word.len() >= 5);
        telling
            && self
                .functions
                .iter()
                .any(|function| function.windows(name.len()).any(|part| part == name))
    }
}

/// The word sets of everything a symbol's id is made of, its file's own folder included.
fn places(id: &SymbolId) -> Vec<BTreeSet<String>> {
    let links = id
        .chain()
        .split('.')
        .map(|link| link.split('#').next().unwrap_or_default());
    [stem(id.path()), folder(id.path())]
        .into_iter()
        .chain(links)
        .map(place)
        .collect()
}

/// The subject words of a place, and each run of them in one word: who names a test writes
/// `test_textwrapper` for `TextWrapper`.
fn place(name: &str) -> BTreeSet<String> {
    let words = words(name);
    let mut place = topic(name);
    for length in 2..=words.len() {
        place.extend(words.windows(length).map(<[String]>::concat));
    }
    place
}

/// The folder of a file, unless it is the project's outermost package: that one's name is in
/// every path and says nothing.
fn folder(path: &str) -> &str {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    let outermost = usize::from(
        folders
            .first()
            .is_some_and(|first| ["src", "lib"].contains(first)),
    );
    if folders.len() > outermost + 1 {
        folders.pop().unwrap_or_default()
    } else {
        ""
    }
}

/// The file name without its folder and its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The subject words of a name.
fn topic(name: &str) -> BTreeSet<String> {
    words(name)
        .into_iter()
        .filter(|word| !TEST_WORDS.contains(&word.as_str()))
        .collect()
}

/// Splits `snake_case`, `camelCase`, `HTTPServer` and `kebab-case` into lower-case words.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let characters: Vec<char> = name.chars().collect();
    for (index, &character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| characters.get(index));
        let after = characters.get(index + 1);
        let starts = character.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || after.is_some_and(|after| after.is_lowercase()));
        if (starts || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether two topics are the same words, up to endings.
fn same(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    !one.is_empty() && covers(one, other) && covers(other, one)
}

/// Whether every word of `topic` has its like in `place`.
fn covers(place: &BTreeSet<String>, topic: &BTreeSet<String>) -> bool {
    !topic.is_empty()
        && topic
            .iter()
            .all(|word| place.iter().any(|other| alike(word, other)))
}

/// Whether two words share their stem: equal, or one begins the other and is most of it
/// (`loader`/`loaders`, `format`/`formatter`).
fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short == long
        || (short.len() >= 4 && long.starts_with(short) && short.len() * 5 >= long.len() * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(target: &str, symbol: &str, expected: Affinity) {
        let words = TargetWords::new([target], []);
        assert_eq!(
            words.affinity(&SymbolId::parse(symbol)),
            expected,
            "{target} and {symbol}"
        );
    }

    #[test]
    fn a_file_named_after_the_target_is_a_namesake() {
        check(
            "tests/test_tags.py",
            "src/packaging/tags.py::Tag",
            Affinity::Namesake,
        );
        check(
            "tests/test_loader.py",
            "src/jinja2/loaders.py::BaseLoader",
            Affinity::Namesake,
        );
        check(
            "tests/test_make.py",
            "src/attr/_make.py::Factory",
            Affinity::Namesake,
        );
        check(
            "tests/test_format.py",
            "sqlparse/formatter.py::build",
            Affinity::Namesake,
        );
        check("pkg/tags_test.go", "pkg/tags.go::Parse", Affinity::Namesake);
    }

    #[test]
    fn a_container_or_folder_with_the_words_is_related() {
        check(
            "tests/test_shell_completion.py",
            "src/click/core.py::Command.shell_completion",
            Affinity::Related,
        );
        check(
            "tests/test_split.py",
            "sqlparse/engine/statement_splitter.py::StatementSplitter",
            Affinity::Related,
        );
        check(
            "tests/test_directives.py",
            "src/mistune/directives/toc.py::render",
            Affinity::Related,
        );
    }

    #[test]
    fn unrelated_names_have_no_affinity() {
        check(
            "tests/test_tags.py",
            "src/packaging/version.py::Version",
            Affinity::None,
        );
        check(
            "tests/test_map.py",
            "src/pkg/mapping_tools_and_more.py::f",
            Affinity::None,
        );
        check(
            "tests/test_click.py",
            "src/click/core.py::Command",
            Affinity::None,
        );
    }

    #[test]
    fn a_test_function_can_name_its_subject() {
        let words = TargetWords::new(
            ["tests/test_misc.py"],
            ["test_parse_wheel_filename_fails", "test_get_name"],
        );
        assert!(words.names_function(&SymbolId::parse("pkg/u.py::parse_wheel_filename")));
        assert!(!words.names_function(&SymbolId::parse("pkg/u.py::get")));
    }

    #[test]
    fn words_that_a_test_writes_as_one_are_found() {
        let words = TargetWords::new(["tests/test_textwrapper.py"], []);
        let affinity = |id: &str| words.affinity(&SymbolId::parse(id));
        assert_eq!(affinity("a/b.py::_CustomTextWrap.run"), Affinity::Related);
        assert_eq!(affinity("a/b.py::TextBox"), Affinity::None);
    }

    #[test]
    fn names_split_at_case_and_separators() {
        assert_eq!(
            words("HTTPServer2_error-code"),
            ["http", "server2", "error", "code"]
        );
    }
}
