//! Links in documentation: what they mean.

use grammars::SourceText;
use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, AstToken};

use super::map::Sym;
use super::markdown::{self, Written};
use super::resolve::Walk;
use super::syntax;
use super::types::Env;
use crate::facts::{DefId, Name};
use crate::occurrence::Link;
use crate::symbol::{ByteRange, SymbolId};

/// The links of a file that mean something of the project, in source order.
pub(super) fn links(
    walk: &mut Walk<'_>,
    file: Option<&ast::SourceFile>,
    text: &SourceText,
) -> Vec<Link> {
    let symbols = walk.facts.symbols.iter();
    let own = (0..).map(DefId).zip(symbols);
    let mut pages: Vec<(DefId, ByteRange)> = own
        .skip(1)
        .filter_map(|(def, symbol)| Some((def, symbol.doc.clone()?)))
        .collect();
    let inner = file.and_then(inner_documentation);
    pages.extend(inner.map(|range| (crate::facts::MODULE, range)));
    pages.sort_by_key(|(_, range)| range.start);
    let mut links = Vec::new();
    for (def, documentation) in pages {
        walk.enter_documentation(def);
        for written in markdown::links(text.slice(documentation.clone())) {
            links.extend(link(walk, &documentation, &written));
        }
    }
    links
}

/// The documentation of a file inside it, from the first comment to the last.
fn inner_documentation(file: &ast::SourceFile) -> Option<ByteRange> {
    let children = file.syntax().children_with_tokens();
    let tokens = children.filter_map(|it| it.into_token());
    let comments = tokens.filter_map(ast::Comment::cast);
    let mut inner = comments
        .filter(|it| it.is_doc() && it.is_inner())
        .map(|it| syntax::bytes(it.syntax().text_range()));
    let first = inner.next()?;
    let end = inner.last().map_or(first.end, |last| last.end);
    Some(first.start..end)
}

fn link(walk: &Walk<'_>, documentation: &ByteRange, written: &Written<'_>) -> Option<Link> {
    let names: Vec<Name> = written.path.split("::").map(Name::new).collect();
    let mut targets: Vec<SymbolId> = walk
        .meaning(&names, written.spaces)
        .iter()
        .filter_map(|sym| walk.map.id(*sym).cloned())
        .collect();
    targets.sort();
    targets.dedup();
    let moved =
        |range: &ByteRange| documentation.start + range.start..documentation.start + range.end;
    (!targets.is_empty()).then(|| Link {
        documentation: documentation.clone(),
        range: moved(&written.range),
        shown: moved(&written.shown),
        targets,
    })
}

impl Walk<'_> {
    /// Goes where the names in the documentation of a definition are looked up.
    fn enter_documentation(&mut self, def: DefId) {
        let sym = self.sym(def);
        let Some(found) = self.map.def(sym) else {
            self.place.scope = 0;
            self.place.env = Env::default();
            return;
        };
        let container = Sym {
            file: sym.file,
            def: found.container,
        };
        self.place.scope = found.scope;
        let around = self.world().env(container, &Env::default());
        self.place.env = self.world().env(sym, &around);
    }
}
