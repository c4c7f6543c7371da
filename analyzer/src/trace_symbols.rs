//! From the code of a trace to symbols: by file and first line, never by a bare name.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::database::{self, Db};
use crate::files::{file_at, text};
use crate::graph::ObservedEdge;
use crate::symbol::{Symbol, SymbolId, SymbolKind};
use crate::trace::{Code, CodeKind, EdgeKind, Trace};

/// Which symbol each code of the trace is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceSymbols {
    /// One for each of `Trace::codes`; `None` where nothing fits.
    pub symbols: Vec<Option<SymbolId>>,
    /// The indices of the codes that nothing fits, ascending.
    pub unmatched: Vec<u32>,
}

impl TraceSymbols {
    /// The symbol that a code is.
    pub fn symbol(&self, code: u32) -> Option<&SymbolId> {
        self.symbols.get(code as usize)?.as_ref()
    }
}

/// The matches of the present trace.
pub(crate) fn matched(db: &dyn Db) -> TraceSymbols {
    let Some(trace) = database::trace(db) else {
        return TraceSymbols::default();
    };
    let symbols: Vec<Option<SymbolId>> =
        trace.codes.iter().map(|code| symbol_of(db, code)).collect();
    let unmatched = (0..)
        .zip(&symbols)
        .filter(|(_, symbol)| symbol.is_none())
        .map(|(index, _)| index)
        .collect();
    TraceSymbols { symbols, unmatched }
}

fn symbol_of(db: &dyn Db, code: &Code) -> Option<SymbolId> {
    let file = file_at(db, text(db, &code.path))?;
    let symbols = database::symbols(db, file);
    let text = file.text(db).shadow();
    let symbol = match code.kind {
        CodeKind::Module => symbols.first(),
        CodeKind::Class => class_called(&symbols, &code.name),
        CodeKind::ClassBody => on_line(&symbols, code, |kind| kind == SymbolKind::Class),
        CodeKind::Function if is_anonymous(&code.name) => around_line(&symbols, text, code.line),
        CodeKind::Function => on_line(&symbols, code, SymbolKind::is_callable)
            // A function literal runs under the name of its variable.
            .or_else(|| on_line(&symbols, code, |kind| kind == SymbolKind::Variable)),
    };
    symbol.map(|symbol| symbol.id.clone())
}

/// The last link of a qualified name.
fn last_link(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// `<lambda>`, `<genexpr>`, `<listcomp>` and their like have no name of their own.
fn is_anonymous(name: &str) -> bool {
    last_link(name).starts_with('<')
}

fn on_line<'s>(
    symbols: &'s [Symbol],
    code: &Code,
    fits: impl Fn(SymbolKind) -> bool,
) -> Option<&'s Symbol> {
    symbols.iter().find(|symbol| {
        symbol.line == code.line && fits(symbol.kind) && symbol.id.name() == last_link(&code.name)
    })
}

/// A class by its qualified name; where several have it, the line would be needed to tell, so none.
fn class_called<'s>(symbols: &'s [Symbol], name: &str) -> Option<&'s Symbol> {
    let name = name.replace(".<locals>", "");
    let mut classes = symbols
        .iter()
        .filter(|symbol| symbol.kind == SymbolKind::Class && plain_chain(&symbol.id) == name);
    let class = classes.next()?;
    classes.next().is_none().then_some(class)
}

/// The chain of names without disambiguators.
fn plain_chain(id: &SymbolId) -> String {
    let links: Vec<&str> = id
        .chain()
        .split('.')
        .map(|link| link.split('#').next().unwrap_or_default())
        .collect();
    links.join(".")
}

/// The innermost module, class or function that reaches over a line.
fn around_line<'s>(symbols: &'s [Symbol], text: &str, line: u32) -> Option<&'s Symbol> {
    let start = line_start(text, line)?;
    let content = text.get(start..)?;
    let first = start + (content.len() - content.trim_start_matches([' ', '\t', '\x0c']).len());
    symbols
        .iter()
        .filter(|symbol| !matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Field))
        .rfind(|symbol| symbol.full.contains(&first))
}

/// The offset at which a line, counted from 1, starts.
fn line_start(text: &str, line: u32) -> Option<usize> {
    match line {
        0 => None,
        1 => Some(0),
        _ => text
            .match_indices('\n')
            .nth(line as usize - 2)
            .map(|(at, _)| at + 1),
    }
}

/// The edges of the trace between different matched symbols, ordered by first appearance.
pub(crate) fn observed_edges(db: &dyn Db) -> Vec<(SymbolId, SymbolId, ObservedEdge)> {
    let Some(trace) = database::trace(db) else {
        return Vec::new();
    };
    let matches = database::trace_symbols(db);
    let tests = tests_of_edges(&trace);
    let mut order: Vec<(SymbolId, SymbolId, EdgeKind)> = Vec::new();
    let mut merged: FxHashMap<(SymbolId, SymbolId, EdgeKind), Vec<u32>> = FxHashMap::default();
    for (edge, tests) in trace.edges.iter().zip(tests) {
        let caller = edge.caller.and_then(|caller| matches.symbol(caller));
        let Some((from, to)) = caller.zip(matches.symbol(edge.callee)) else {
            continue;
        };
        let key = (from.clone(), to.clone(), edge.kind);
        merged
            .entry(key.clone())
            .or_insert_with(|| {
                order.push(key);
                Vec::new()
            })
            .extend(tests);
    }
    order
        .into_iter()
        .filter_map(|key| {
            let mut tests = merged.remove(&key)?;
            tests.sort_unstable();
            tests.dedup();
            let first_test = tests
                .first()
                .and_then(|test| trace.tests.get(*test as usize))
                .map(|test| test.id.clone());
            let count = u32::try_from(tests.len()).unwrap_or(u32::MAX);
            Some((
                key.0,
                key.1,
                ObservedEdge {
                    kind: key.2,
                    tests: count,
                    first_test,
                },
            ))
        })
        .collect()
}

/// For each edge the indices of the tests whose contexts saw it, ascending.
fn tests_of_edges(trace: &Trace) -> Vec<Vec<u32>> {
    let mut tests_of_context: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (index, test) in (0..).zip(&trace.tests) {
        for context in &test.contexts {
            tests_of_context.entry(*context).or_default().push(index);
        }
    }
    let mut tests = vec![Vec::new(); trace.edges.len()];
    for (context, of_context) in tests_of_context {
        for edge in trace
            .contexts
            .get(context as usize)
            .map(|context| context.edges.as_slice())
            .unwrap_or_default()
        {
            if let Some(of_edge) = tests.get_mut(*edge as usize) {
                of_edge.extend_from_slice(&of_context);
            }
        }
    }
    tests
}
