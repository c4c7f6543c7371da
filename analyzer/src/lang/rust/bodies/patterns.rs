//! Patterns, and what they bind.

use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, HasName};

use crate::lang::rust::map::{Sym, VALUES};
use crate::lang::rust::resolve::Walk;
use crate::lang::rust::syntax::{last_name, name, plain};
use crate::lang::rust::types::{Ty, foreign_result, item_of};
use crate::occurrence::ReferenceKind;

impl Walk<'_> {
    /// Visits a pattern for a value of some type.
    pub fn pattern(&mut self, pattern: &ast::Pat, of: &Ty) {
        match pattern {
            ast::Pat::IdentPat(it) => self.ident_pattern(it, of),
            ast::Pat::RefPat(it) => {
                if let Some(inner) = it.pat() {
                    self.pattern(&inner, of);
                }
            }
            ast::Pat::ParenPat(it) => {
                if let Some(inner) = it.pat() {
                    self.pattern(&inner, of);
                }
            }
            ast::Pat::BoxPat(it) => {
                if let Some(inner) = it.pat() {
                    self.pattern(&inner, of);
                }
            }
            ast::Pat::OrPat(it) => it.pats().for_each(|inner| self.pattern(&inner, of)),
            ast::Pat::TuplePat(it) => {
                for (index, inner) in it.fields().enumerate() {
                    let part = self.world().positional(of, index);
                    self.pattern(&inner, &part);
                }
            }
            ast::Pat::SlicePat(it) => {
                let item = item_of(of);
                it.pats().for_each(|inner| self.pattern(&inner, &item));
            }
            ast::Pat::TupleStructPat(it) => self.tuple_struct(it, of),
            ast::Pat::RecordPat(it) => {
                let (syms, own) = self.constructed(it.path(), ReferenceKind::Read);
                let fields = it.record_pat_field_list().into_iter();
                for field in fields.flat_map(|list| list.fields()) {
                    self.field_pattern(&field, &syms, &own);
                }
            }
            ast::Pat::PathPat(it) => {
                if let Some(path) = it.path() {
                    self.path(&path, VALUES, ReferenceKind::Read);
                }
            }
            other => self.children(other.syntax()),
        }
    }

    /// A name in a pattern is a constant or a variant if there is one of that name.
    fn ident_pattern(&mut self, pattern: &ast::IdentPat, of: &Ty) {
        if let Some(inner) = pattern.pat() {
            self.pattern(&inner, of);
        }
        let Some(found) = pattern.name() else { return };
        let text = plain(found.text());
        if text.starts_with(char::is_uppercase) {
            let range = self.range(found.syntax());
            self.value_name(&text, range, ReferenceKind::Read);
        }
        self.locals.push((text, of.clone()));
    }

    fn tuple_struct(&mut self, pattern: &ast::TupleStructPat, of: &Ty) {
        let (syms, _) = self.constructed(pattern.path(), ReferenceKind::Read);
        let name = pattern.path().as_ref().and_then(last_name);
        for (index, inner) in pattern.fields().enumerate() {
            let part = match (syms.as_slice(), name.as_deref()) {
                ([only], _) => self.world().positional_of(*only, of, index),
                (_, Some("Some" | "Ok")) => foreign_result(of, "unwrap"),
                (_, Some("Err")) => foreign_result(of, "unwrap_err"),
                _ => Ty::Unknown,
            };
            self.pattern(&inner, &part);
        }
    }

    fn field_pattern(&mut self, field: &ast::RecordPatField, syms: &[Sym], of: &Ty) {
        let ident = match field.pat() {
            Some(ast::Pat::IdentPat(it)) => it.name(),
            _ => None,
        };
        let named = field
            .name_ref()
            .map(|it| (name(&it), self.range(it.syntax())));
        let named = named.or_else(|| {
            let ident = ident?;
            Some((plain(ident.text()), self.range(ident.syntax())))
        });
        let mut part = Ty::Unknown;
        if let Some((text, range)) = named {
            let meant = self.member_of(syms, &text);
            self.refer(range, ReferenceKind::Read, &meant);
            if let [only] = meant.sure.as_slice() {
                part = self.world().type_of(*only, of);
            }
        }
        if let Some(inner) = field.pat() {
            self.pattern(&inner, &part);
        }
    }
}
