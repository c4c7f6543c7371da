//! Families: the definitions that make up one symbol for whoever uses it, such as a property's
//! getter and setter, or a function and its overload stubs.

use analyzer::symbol::SymbolId;
use grammars::Language;

use crate::lang;

/// Marks of definitions that belong to the one without a mark (see [`SymbolId`]).
const MARKS: [&str; 3] = ["setter", "deleter", "overload"];

/// The definition that the others of its family belong to: the symbol itself unless its id is marked.
pub fn principal(id: &SymbolId) -> SymbolId {
    let text = id.as_str();
    match text.rsplit_once('#') {
        Some((base, mark)) if is_mark(mark) => SymbolId::parse(base),
        _ => id.clone(),
    }
}

fn is_mark(mark: &str) -> bool {
    MARKS.contains(&mark.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// The chain of names without disambiguators, which may change when a namesake goes.
pub(crate) fn bare_chain(id: &SymbolId) -> String {
    let links = id
        .chain()
        .split('.')
        .map(|link| link.split('#').next().unwrap_or_default());
    links.collect::<Vec<_>>().join(".")
}

/// The file that would declare again what a file defines.
pub(crate) fn twin_of(path: &str) -> Option<String> {
    lang::rules(Language::from_path(path)?).declarations_of(path)
}

/// The file whose definitions a file would declare again.
pub(crate) fn original_of(path: &str) -> Option<String> {
    lang::rules(Language::from_path(path)?).definitions_of(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_definitions_belong_to_the_unmarked_one_and_repeated_ones_do_not() {
        let of = |text: &str| principal(&SymbolId::parse(text)).to_string();
        assert_eq!(of("m.py::P.x#setter"), "m.py::P.x");
        assert_eq!(of("m.py::f#overload2"), "m.py::f");
        assert_eq!(of("m.py::f#2"), "m.py::f#2");
        assert_eq!(of("m.py::P#2.x"), "m.py::P#2.x");
        assert_eq!(of("m.py"), "m.py");
    }
}
