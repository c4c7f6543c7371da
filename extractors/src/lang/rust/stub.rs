//! Stubs: the header stays, and the body says that it is not implemented.

use analyzer::symbol::Symbol;
use grammars::SyntaxTree;
use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, HasName, HasVisibility};

use super::nodes::{node_of, range};
use crate::lang::Refusal;
use crate::lang::lines::Lines;

/// What a stub does when it is called.
const PANIC: &str = "unimplemented!()";

/// The documentation of a stub that must not tell what it is about.
const UNDOCUMENTED: &str = "/// To be implemented.";

/// The function that a symbol is.
pub(super) fn function(tree: &SyntaxTree, symbol: &Symbol) -> Option<ast::Fn> {
    node_of(tree, symbol).and_then(ast::Fn::cast)
}

/// Why a function cannot become a stub: nothing but a body says what `impl Trait` stands for.
pub(super) fn refusal(function: &ast::Fn) -> Option<&'static str> {
    let result = function.ret_type()?;
    let mut inside = result.syntax().descendants();
    let is_opaque = inside.any(|it| ast::ImplTraitType::can_cast(it.kind()));
    is_opaque.then_some("its result is a type that only its body names")
}

/// Replaces a body.
pub(super) fn stub(
    tree: &SyntaxTree,
    lines: &mut Lines<'_>,
    symbol: &Symbol,
    keep_doc: bool,
) -> Result<(), Refusal> {
    let refuse = |reason| Refusal {
        symbol: symbol.id.clone(),
        reason,
    };
    let function = function(tree, symbol).ok_or(refuse("it is not a function"))?;
    let body = function.body().ok_or(refuse("it has no body"))?;
    if let Some(reason) = refusal(&function) {
        return Err(refuse(reason));
    }
    let start = function
        .fn_token()
        .map_or(symbol.full.start, |it| usize::from(it.text_range().start()));
    let indent = lines.indent(lines.line_of(start)).to_owned();
    let end = lines.line_end(symbol.full.start).to_owned();
    let step = if indent.contains('\t') { "\t" } else { "    " };
    let mut stub = format!("{{{end}");
    match borrowed(&function).as_slice() {
        [] => {}
        [only] => stub += &format!("{indent}{step}let _ = {only};{end}"),
        several => stub += &tuple(several, &indent, step, &end),
    }
    stub += &format!("{indent}{step}{PANIC}{end}{indent}}}");
    lines.replace(range(body.syntax()), stub);
    if let Some(doc) = symbol.doc.clone().filter(|_| !keep_doc) {
        let (first, last) = (
            lines.line_of(doc.start),
            lines.line_of(doc.end.saturating_sub(1)),
        );
        // A crate may refuse to have public functions without any, or those of a public trait.
        let mut around = function.syntax().ancestors().skip(1);
        let is_of_trait = around
            .find_map(ast::Item::cast)
            .is_some_and(|item| matches!(item, ast::Item::Trait(_)));
        let new = match function.visibility().is_some() || is_of_trait {
            true => format!("{}{UNDOCUMENTED}{end}", lines.indent(first)),
            false => String::new(),
        };
        lines.replace(lines.start_of(first)..lines.start_of(last + 1), new);
    }
    Ok(())
}

/// Lines longer than this are broken by `rustfmt`.
const WIDEST: usize = 100;

/// `rustfmt` keeps a tuple in its line up to this length.
const WIDEST_TUPLE: usize = 60;

fn tuple(names: &[String], indent: &str, step: &str, end: &str) -> String {
    let joined = names.join(", ");
    let line = format!("{indent}{step}let _ = ({joined});");
    if line.len() <= WIDEST && joined.len() <= WIDEST_TUPLE {
        return line + end;
    }
    let inner: String = names
        .iter()
        .map(|name| format!("{indent}{step}{step}{name},{end}"))
        .collect();
    format!("{indent}{step}let _ = ({end}{inner}{indent}{step});{end}")
}

/// The names that the parameters bind, borrowed: the compiler warns of what nothing reads, and of
/// what could change and does not.
fn borrowed(function: &ast::Fn) -> Vec<String> {
    let Some(list) = function.param_list() else {
        return Vec::new();
    };
    let this = list.self_param().filter(|it| it.amp_token().is_none());
    let this = this.filter(|it| it.mut_token().is_some());
    let patterns = list.params().filter_map(|it| it.pat());
    let nodes = patterns.flat_map(|pattern| pattern.syntax().descendants().collect::<Vec<_>>());
    let names = nodes.filter_map(ast::IdentPat::cast).filter_map(|pattern| {
        let name = pattern.name()?.text().to_string();
        let is_changed = pattern.mut_token().is_some();
        (is_changed || !name.starts_with('_')).then(|| match is_changed {
            true => format!("&mut {name}"),
            false => format!("&{name}"),
        })
    });
    this.map(|_| "&mut self".to_owned())
        .into_iter()
        .chain(names)
        .collect()
}
