//! The rules of Rust.
//!
//! [`lower`] finds the items of a file; [`map`] puts the files of all crates together, which makes
//! `use` items mean something; [`resolve`] walks over a file once more with that map in hand.

mod bodies;
mod crates;
mod imports;
mod items;
mod links;
mod lower;
mod macros;
mod map;
mod markdown;
mod members;
mod paths;
mod relations;
mod resolve;
mod standard;
mod syntax;
mod types;
mod uses;

use grammars::SyntaxTree;
use grammars::rust::syntax::ast::{self, HasGenericParams, HasVisibility};
use grammars::rust::syntax::{AstNode, SyntaxToken, TextSize};

use super::Rules;
use crate::symbol::{Symbol, SymbolKind};

pub use items::Facts;

pub(super) const RULES: Rules = Rules {
    facts: lower::facts,
    symbols: None,
    resolve: resolve::resolve,
    is_test_support,
    may_be_test_folder: |_| false,
    asks_for: crates::asks_for,
    may_be_orphan,
    is_dead_without_users: |_, _| false,
    values_set_at_start: |_, _| None,
    is_public,
    takes_in_for_tests,
    manifests: &["Cargo.toml"],
    source_roots: |_, _| Vec::new(),
};

/// Integration tests, benchmarks and examples stand beside the sources.
fn is_test_support(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| ["tests", "benches", "examples"].contains(&folder))
        && !path.split('/').any(|folder| folder == "src")
}

/// The token that is a symbol's name.
fn name(tree: &SyntaxTree, symbol: &Symbol) -> Option<SyntaxToken> {
    let at = TextSize::try_from(symbol.focus.start).ok()?;
    let file = grammars::rust::source_file(tree)?;
    file.syntax().token_at_offset(at).right_biased()
}

/// A field says so itself; variants and what a trait asks for are as public as what holds them.
fn is_public(tree: &SyntaxTree, member: &Symbol) -> bool {
    let ancestors = name(tree, member).into_iter();
    let mut ancestors = ancestors.flat_map(|token| token.parent_ancestors());
    let field = ancestors.find_map(ast::RecordField::cast);
    field.is_none_or(|field| field.visibility().is_some())
}

/// A parameter of a type must be used by one of its fields.
fn may_be_orphan(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    let around =
        name(tree, symbol).and_then(|token| token.parent_ancestors().find_map(ast::Adt::cast));
    symbol.kind != SymbolKind::Field || around.is_some_and(|adt| adt.generic_param_list().is_none())
}

/// `mod name;`, perhaps `#[cfg(test)] mod name;`.
fn takes_in_for_tests(statement: &str) -> Option<bool> {
    let (block, _) = grammars::rust::statements(statement)?;
    match block.statements().next()? {
        ast::Stmt::Item(ast::Item::Module(module)) if module.item_list().is_none() => {
            Some(syntax::is_test(&module))
        }
        _ => None,
    }
}
