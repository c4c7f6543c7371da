//! Calls of function values: whatever has exactly the signature of the value may be called.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammars::Language;

use crate::database::{Db, Text, files};
use crate::facts::{DefId, Expr, ExprId};
use crate::occurrence::{Confidence, Target};
use crate::symbol::{SymbolId, SymbolKind};

use super::values::{DefRef, Home, Session, Shape, Value};

/// A signature that more functions share says nothing. They are not lost: where one of them becomes a
/// value, its name stands.
const MANY: usize = 16;

/// Types nested deeper than this are not compared.
const DEEPEST: u32 = 8;

/// The functions of the project outside tests, and the variables that hold one, by signature.
#[salsa::tracked(returns(clone))]
fn functions(db: &dyn Db) -> Arc<BTreeMap<String, Vec<SymbolId>>> {
    let mut session = Session::new(db);
    let mut functions: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
    for &file in files(db) {
        if file.language(db) != Language::Go || file.path(db).ends_with("_test.go") {
            continue;
        }
        let summary = session.summary(file);
        for (def, definition) in (0..).map(DefId).zip(&summary.definitions) {
            let is_entry = matches!(definition.id.name(), "init" | "main");
            let can_be_value =
                matches!(definition.kind, SymbolKind::Function | SymbolKind::Variable);
            if can_be_value && !is_entry {
                let signatures = session.signatures_of(DefRef { file, def });
                for signature in signatures {
                    functions
                        .entry(signature)
                        .or_default()
                        .push(definition.id.clone());
                }
            }
        }
    }
    Arc::new(functions)
}

/// The functions with a signature, unless there are too many.
#[salsa::tracked(returns(clone))]
pub(super) fn functions_like<'db>(db: &'db dyn Db, signature: Text<'db>) -> Arc<[Target]> {
    let functions = functions(db);
    let alike = functions
        .get(signature.text(db))
        .filter(|alike| alike.len() <= MANY);
    let mut targets: Vec<Target> = alike
        .into_iter()
        .flatten()
        .map(|symbol| Target {
            symbol: symbol.clone(),
            confidence: Confidence::Named,
        })
        .collect();
    targets.sort();
    targets.dedup();
    targets.into()
}

impl Session<'_> {
    /// The signatures of a function, or of the functions that a variable holds.
    fn signatures_of(&mut self, at: DefRef) -> Vec<String> {
        let values = self.values_of(&[super::members::Found::Definition(at)]);
        values
            .iter()
            .flat_map(|value| self.signatures(value))
            .collect()
    }

    /// The signatures that a function value may have.
    pub fn signatures(&mut self, value: &Value) -> Vec<String> {
        let Value::Object(shape) = value else {
            return Vec::new();
        };
        let beneath = self.underlying(*shape).into_iter();
        beneath
            .filter_map(|(home, expr)| match expr {
                Expr::Function { .. } => self.written(home, &expr, DEEPEST),
                _ => None,
            })
            .collect()
    }

    /// A type as text that is the same for the same types; `None` if it may be several.
    fn text_of(&mut self, home: Home, id: ExprId, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let expr = self.expr(home, id);
        match &*self.values(home, id) {
            [Value::Type(Shape::Named(at))] => self.id(*at).map(|id| id.to_string()),
            [Value::Type(Shape::Standard(index))] => Some(format!("#{index}")),
            [Value::Type(Shape::Written(home, id))] => {
                let expr = self.expr(*home, *id);
                self.written(*home, &expr, depth)
            }
            [Value::Foreign] => self.foreign(home, &expr),
            _ => None,
        }
    }

    fn foreign(&mut self, home: Home, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Name(_, name) => Some(name.to_string()),
            Expr::Attribute(package, name) => match &*self.values(home, *package) {
                [Value::ForeignPackage(path)] => Some(format!("{path}.{name}")),
                _ => None,
            },
            Expr::Literal => Some(String::new()),
            _ => None,
        }
    }

    fn written(&mut self, home: Home, expr: &Expr, depth: u32) -> Option<String> {
        match expr {
            Expr::Function { parameters, result } => {
                let parameters = self.texts(home, parameters, depth)?;
                Some(format!(
                    "func({parameters}){}",
                    self.text_of(home, *result, depth)?
                ))
            }
            Expr::Tuple(parts) => Some(format!("({})", self.texts(home, parts, depth)?)),
            Expr::Container(parts) => Some(format!("[{}]", self.texts(home, parts, depth)?)),
            Expr::Record(members) => {
                let members = members.iter().map(|member| {
                    Some(format!(
                        "{} {}",
                        member.name,
                        self.text_of(home, member.declared, depth)?
                    ))
                });
                Some(format!(
                    "{{{}}}",
                    members.collect::<Option<Vec<_>>>()?.join(";")
                ))
            }
            _ => None,
        }
    }

    fn texts(&mut self, home: Home, parts: &[ExprId], depth: u32) -> Option<String> {
        let texts = parts.iter().map(|part| self.text_of(home, *part, depth));
        Some(texts.collect::<Option<Vec<_>>>()?.join(","))
    }
}
