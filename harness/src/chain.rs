//! Chains in a study: the symbol that a person asks for, and how a target test comes to need it.

use analyzer::Analysis;
use analyzer::feature::Scope;
use analyzer::symbol::SymbolId;
pub use extractors::chain::{Chain, Chains, Link};

use crate::carve::target::nearest;
use crate::study::Study;

/// The symbol that a person means: an id, or the end of exactly one.
///
/// # Errors
/// What to do instead, for a person.
pub fn find_symbol(analysis: &Analysis, text: &str) -> Result<SymbolId, String> {
    let exact = SymbolId::parse(text);
    if analysis.symbol(&exact).is_some() {
        return Ok(exact);
    }
    let paths = analysis.paths();
    let all: Vec<SymbolId> = paths
        .iter()
        .flat_map(|path| {
            analysis
                .symbols(path)
                .iter()
                .map(|symbol| symbol.id.clone())
                .collect::<Vec<_>>()
        })
        .collect();
    let ends = |id: &&SymbolId| {
        id.as_str()
            .strip_suffix(text)
            .is_some_and(|rest| rest.ends_with(['.', ':', '/']))
    };
    let matching: Vec<&SymbolId> = all.iter().filter(ends).collect();
    match matching.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            // Whoever writes no path means the name alone.
            let names = if text.contains("::") {
                nearest(text, all.iter().map(SymbolId::as_str))
            } else {
                let chains = all.iter().map(SymbolId::chain);
                nearest(text, chains.filter(|chain| !chain.is_empty()))
            };
            let hint = if names.is_empty() {
                String::new()
            } else {
                format!("; did you mean {}?", names.join(" or "))
            };
            Err(format!("no symbol is called {text:?}{hint}"))
        }
        several => {
            let names: Vec<&str> = several.iter().take(5).map(|id| id.as_str()).collect();
            Err(format!(
                "{text:?} may mean {} symbols, among them {}; give a whole id",
                several.len(),
                names.join(", ")
            ))
        }
    }
}

/// The shortest chain from any target test to the symbol; see [`Chains::to`].
pub fn shortest(study: &Study, scope: &Scope, symbol: &SymbolId) -> Option<Chain> {
    let tests = study.functions(scope);
    Chains::new(study.evidence(scope, &tests)).to(symbol)
}
