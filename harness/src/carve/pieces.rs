//! Pieces: the texts of tests, and which tests leave with which of them.

use std::collections::BTreeSet;

use analyzer::Analysis;
use analyzer::symbol::{SymbolId, SymbolKind};
use analyzer::trace::TestResult;
use extractors::family::bare_chain;

/// The text of a test: what leaves when the test is held back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// The definition of a symbol.
    Definition(SymbolId),
    /// The examples in the documentation of a symbol, which stays.
    Examples(SymbolId),
    /// The examples of a file that is no code.
    Text(String),
}

impl Piece {
    /// The piece of a test; `None` where nothing that can be cut out is known to be its text.
    pub fn of(analysis: &Analysis, test: &TestResult) -> Option<Self> {
        if !test.function.is_empty() {
            return Some(Self::Definition(definition(analysis, test)));
        }
        if analysis.source(&test.path).is_none() {
            return Some(Self::Text(test.path.clone()));
        }
        documented(analysis, test).map(Self::Examples)
    }

    /// The file it stands in.
    pub fn path(&self) -> &str {
        match self {
            Self::Definition(id) | Self::Examples(id) => id.path(),
            Self::Text(path) => path,
        }
    }

    /// The symbol that leaves with the test.
    pub fn definition(&self) -> Option<&SymbolId> {
        match self {
            Self::Definition(id) => Some(id),
            Self::Examples(_) | Self::Text(_) => None,
        }
    }

    /// Whether it is one of some pieces, or lies in one.
    fn is_in(&self, pieces: &BTreeSet<Self>) -> bool {
        let around = |id: &SymbolId| {
            let links = id.chain().match_indices('.');
            let containers = links.filter_map(|(at, _)| id.chain().get(..at));
            let mut containers = containers.map(|chain| SymbolId::module(id.path()).member(chain));
            containers.any(|container| pieces.contains(&Self::Definition(container)))
                || pieces.contains(&Self::Definition(SymbolId::module(id.path())))
        };
        pieces.contains(self) || self.definition().is_some_and(around)
    }

    /// The symbol whose documentation is run.
    pub fn documented(&self) -> Option<&SymbolId> {
        match self {
            Self::Examples(id) => Some(id),
            Self::Definition(_) | Self::Text(_) => None,
        }
    }
}

/// The pieces of all tests of a suite.
pub struct Pieces(Vec<Texts>);

/// Where the text of a test stands.
struct Texts {
    /// What leaves if nothing but this test has to.
    own: Option<Piece>,
    /// The function's own definition, if its class inherits it.
    origin: Option<SymbolId>,
    /// The test function with its file: its cases leave together. The test's id if there is none.
    function: (String, String),
    good: bool,
}

impl Pieces {
    /// Finds the pieces of tests.
    pub fn new(analysis: &Analysis, tests: &[TestResult]) -> Self {
        let is_known = |id: &&SymbolId| analysis.symbol(id).is_some();
        let texts = |test: &TestResult| Texts {
            own: Piece::of(analysis, test),
            origin: test.origin.as_ref().filter(is_known).cloned(),
            function: function_of(test),
            good: test.outcome.is_good(),
        };
        Self(tests.iter().map(texts).collect())
    }

    /// What leaves if a test (by index) has to; `None` if that is not known.
    pub fn own(&self, index: usize) -> Option<&Piece> {
        self.0.get(index)?.own.as_ref()
    }

    /// What is, or holds, a test's function: in its own file, and where it is defined.
    pub fn symbols(&self, index: usize) -> impl Iterator<Item = &SymbolId> {
        self.0.get(index).into_iter().flat_map(Texts::symbols)
    }

    /// Whether a test leaves with some pieces; `None` if nothing is known to be its text.
    pub fn leaves(&self, index: usize, held_back: &BTreeSet<Piece>) -> Option<bool> {
        self.0.get(index)?.leaves(held_back)
    }

    /// All cases of the functions of the given tests: a function leaves as a whole.
    pub fn cases(&self, tests: &BTreeSet<usize>) -> BTreeSet<usize> {
        let texts = tests.iter().filter_map(|&index| self.0.get(index));
        let functions: BTreeSet<_> = texts.map(|texts| &texts.function).collect();
        let all = self.0.iter().enumerate();
        all.filter(|(_, texts)| functions.contains(&texts.function))
            .map(|(index, _)| index)
            .collect()
    }

    /// The pieces to take out so that all cases of the given tests are gone, and few others. A function
    /// that classes inherit leaves only if it has to in all of them; else these classes do.
    pub fn taking(&self, tests: &BTreeSet<usize>) -> BTreeSet<Piece> {
        let functions: BTreeSet<_> = tests
            .iter()
            .filter_map(|&index| Some(&self.0.get(index)?.function))
            .collect();
        let (leaving, staying): (Vec<&Texts>, Vec<&Texts>) = self
            .0
            .iter()
            .partition(|texts| functions.contains(&texts.function));
        let staying: Vec<&Texts> = staying.into_iter().filter(|texts| texts.good).collect();
        let needed: BTreeSet<&SymbolId> =
            staying.iter().flat_map(|texts| texts.symbols()).collect();
        let is_empty = |piece: &Piece| {
            let alone = BTreeSet::from([piece.clone()]);
            let mut owns = staying.iter().filter_map(|texts| texts.own.as_ref());
            !owns.any(|own| own.is_in(&alone))
        };
        let pieces = |texts: &Texts| match &texts.origin {
            Some(origin) if !needed.contains(origin) => {
                let class = texts.own.clone().filter(|class| is_empty(class));
                [Some(Piece::Definition(origin.clone())), class]
            }
            _ => [texts.own.clone(), None],
        };
        leaving.into_iter().flat_map(pieces).flatten().collect()
    }

    /// The symbols that are, or hold, the tests that stay without some pieces; and these pieces.
    pub fn definitions(&self, held_back: &BTreeSet<Piece>) -> BTreeSet<SymbolId> {
        let staying = self
            .0
            .iter()
            .filter(|texts| texts.leaves(held_back) != Some(true));
        let gone = held_back.iter().filter_map(Piece::definition);
        staying
            .flat_map(Texts::symbols)
            .chain(gone)
            .cloned()
            .collect()
    }

    /// Symbols whose documentation the runner executes as a good test.
    pub fn documented(&self) -> BTreeSet<SymbolId> {
        let good = self.0.iter().filter(|texts| texts.good);
        good.filter_map(|texts| texts.own.as_ref()?.documented().cloned())
            .collect()
    }
}

impl Texts {
    fn leaves(&self, held_back: &BTreeSet<Piece>) -> Option<bool> {
        let inherited = self.origin.clone().map(Piece::Definition);
        let with_origin = inherited.is_some_and(|origin| origin.is_in(held_back));
        Some(self.own.as_ref()?.is_in(held_back) || with_origin)
    }

    fn symbols(&self) -> impl Iterator<Item = &SymbolId> {
        let own = self.own.as_ref().and_then(Piece::definition);
        own.into_iter().chain(&self.origin)
    }
}

/// A test function with its file: what can be held back as one.
fn function_of(test: &TestResult) -> (String, String) {
    let function = match &*test.function {
        "" => &test.id,
        function => function,
    };
    (test.path.clone(), function.to_owned())
}

/// The symbol to delete so that a test function is gone: its function, or the nearest container
/// that the file defines (a class that only inherits the function), or the whole file.
fn definition(analysis: &Analysis, test: &TestResult) -> SymbolId {
    let mut links: Vec<&str> = test.function.split('.').collect();
    let module = SymbolId::module(&test.path);
    while !links.is_empty() {
        let id = links
            .iter()
            .fold(module.clone(), |id, link| id.member(link));
        // What a macro makes cannot go without the macro's uses.
        let symbol = analysis.symbol(&id);
        if symbol.is_some_and(|symbol| symbol.kind != SymbolKind::Macro) {
            return id;
        }
        links.pop();
    }
    module
}

/// The symbol whose documentation a test runs. The id of such a test ends with the file's path and,
/// behind a dash, the names of what is documented; or else its last part is the module's dotted name,
/// which ends the file's path, and the symbol's chain.
fn documented(analysis: &Analysis, test: &TestResult) -> Option<SymbolId> {
    if let Some((_, item)) = test.id.split_once(&format!("::{}", test.path)) {
        return Some(documented_item(analysis, &test.path, item));
    }
    let name = test.id.rsplit("::").next()?;
    let chain = chain_behind_module(&test.path, name)?;
    let symbols = analysis.symbols(&test.path);
    let mut named = symbols
        .iter()
        .filter(|symbol| symbol.doc.is_some() && bare_chain(&symbol.id) == chain);
    // Of several definitions the last one counts.
    named.next_back().map(|symbol| symbol.id.clone())
}

/// The symbol of a file that ` - module::Type<T>::method#2` means: its chain ends the names. Without
/// such a symbol it is the file.
fn documented_item(analysis: &Analysis, path: &str, item: &str) -> SymbolId {
    let item = item.trim_start_matches(" - ").split('#').next();
    let mut depth = 0_usize;
    let plain = item.unwrap_or_default().chars().filter(|&letter| {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && letter != '>'
    });
    let names = plain.collect::<String>().replace("::", ".");
    let symbols = analysis.symbols(path);
    let ends = |chain: &str| {
        let before = names.strip_suffix(chain);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let documented = symbols
        .iter()
        .filter(|symbol| symbol.doc.is_some() && ends(&bare_chain(&symbol.id)));
    let longest = documented.max_by_key(|symbol| symbol.id.chain().matches('.').count());
    longest.map_or_else(|| SymbolId::module(path), |symbol| symbol.id.clone())
}

/// `Box.area` for `src/shop/boxes.py` and `shop.boxes.Box.area`.
fn chain_behind_module<'n>(path: &str, name: &'n str) -> Option<&'n str> {
    let (stem, _) = path.rsplit_once('.')?;
    let parts: Vec<&str> = stem.split('/').collect();
    let folder = parts.split_last().map(|(_, folders)| folders)?;
    let behind = |parts: &[&str]| -> Option<&'n str> {
        let rest = name.strip_prefix(&*parts.join("."))?;
        if rest.is_empty() {
            Some(rest)
        } else {
            rest.strip_prefix('.')
        }
    };
    let suffixes = |parts: &[&str]| {
        let starts = 0..parts.len();
        starts
            .filter_map(|start| behind(parts.get(start..)?))
            .next()
    };
    // A package's own code stands in a file of its folder.
    suffixes(&parts).or_else(|| suffixes(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_doctest_is_that_of_its_module_and_of_what_it_documents() {
        let check = |path: &str, name: &str, chain: Option<&str>| {
            assert_eq!(chain_behind_module(path, name), chain, "{path} {name}");
        };
        check("src/shop/boxes.py", "shop.boxes.Box.area", Some("Box.area"));
        check("src/shop/boxes.py", "shop.boxes", Some(""));
        check("glom/glom.py", "glom.glom", Some(""));
        check("glom/glom.py", "glom.glom.glom", Some("glom"));
        check("src/shop/__init__.py", "shop.Box", Some("Box"));
        check("src/shop/boxes.py", "elsewhere.f", None);
    }
}
