//! The interfaces of the standard library: types of the project that fit them are called from code
//! that is not there, and calls on them may reach those types.

use std::sync::LazyLock;

use crate::facts::Name;

/// One line for each interface: the import path of its package and its name, and each method with
/// the numbers of its parameters and results. Made from the exported interfaces of Go 1.26; those
/// that the documentation of `errors` and `flag` describes without a name are added.
const TABLE: &str = include_str!("standard.txt");

/// What a method asks for: its name and the numbers of its parameters and results.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Method {
    pub name: Name,
    pub parameters: usize,
    pub results: usize,
}

/// An interface of the standard library.
#[derive(Debug)]
pub(super) struct StandardInterface {
    /// `io.Writer`, with the whole import path.
    pub name: &'static str,
    pub methods: Vec<Method>,
}

/// All of them, sorted by name.
pub(super) static INTERFACES: LazyLock<Vec<StandardInterface>> =
    LazyLock::new(|| TABLE.lines().filter_map(interface).collect());

fn interface(line: &'static str) -> Option<StandardInterface> {
    let (name, methods) = line.split_once(' ')?;
    let methods = methods.split(' ').filter_map(method).collect();
    Some(StandardInterface { name, methods })
}

fn method(text: &str) -> Option<Method> {
    let mut parts = text.split('/');
    Some(Method {
        name: Name::new(parts.next()?),
        parameters: parts.next()?.parse().ok()?,
        results: parts.next()?.parse().ok()?,
    })
}

/// The index of an interface.
pub(super) fn find(name: &str) -> Option<usize> {
    INTERFACES
        .binary_search_by(|interface| interface.name.cmp(name))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_line_of_it_is_read() {
        assert_eq!(INTERFACES.len(), TABLE.lines().count());
        assert!(INTERFACES.is_sorted_by_key(|interface| interface.name));
        let writer = &INTERFACES[find("io.Writer").unwrap()].methods;
        assert_eq!((writer[0].parameters, writer[0].results), (1, 2));
        assert!(find("error").is_some());
    }
}
