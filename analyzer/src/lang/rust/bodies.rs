//! Bodies: expressions, with the types of values as far as they are cheap to find out.

mod calls;
mod patterns;

use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, HasLoopBody};

use super::items::ItemKind;
use super::map::{Sym, TYPES, VALUES};
use super::resolve::{Meant, Walk};
use super::syntax::name;
use super::types::{Ty, foreign_result, item_of};
use crate::facts::Name;
use crate::occurrence::ReferenceKind;

impl Walk<'_> {
    /// Visits an expression and tells its type.
    pub fn expression(&mut self, expression: &ast::Expr) -> Ty {
        self.depth += 1;
        let of = if self.depth > 300 {
            self.tokens_of(expression.syntax());
            Ty::Unknown
        } else {
            self.expression_within(expression)
        };
        self.depth -= 1;
        of
    }

    fn maybe(&mut self, expression: Option<ast::Expr>) -> Ty {
        expression.map_or(Ty::Unknown, |it| self.expression(&it))
    }

    fn expression_within(&mut self, expression: &ast::Expr) -> Ty {
        match expression {
            ast::Expr::PathExpr(it) => it.path().map_or(Ty::Unknown, |path| {
                self.value_path(&path, ReferenceKind::Read)
            }),
            ast::Expr::CallExpr(it) => self.call(it),
            ast::Expr::MethodCallExpr(it) => self.method_call(it),
            ast::Expr::FieldExpr(it) => self.field(it),
            ast::Expr::RecordExpr(it) => self.record(it),
            ast::Expr::ParenExpr(it) => self.maybe(it.expr()),
            ast::Expr::RefExpr(it) => self.maybe(it.expr()),
            ast::Expr::PrefixExpr(it) => self.maybe(it.expr()),
            ast::Expr::AwaitExpr(it) => self.maybe(it.expr()),
            ast::Expr::TryExpr(it) => {
                let of = self.maybe(it.expr());
                foreign_result(&of, "unwrap")
            }
            ast::Expr::CastExpr(it) => {
                self.maybe(it.expr());
                if let Some(of) = it.ty() {
                    self.node(of.syntax());
                }
                self.type_of(it.ty())
            }
            ast::Expr::Literal(it) => literal(it),
            ast::Expr::TupleExpr(it) => {
                Ty::Tuple(it.fields().map(|field| self.expression(&field)).collect())
            }
            ast::Expr::ArrayExpr(it) => {
                let mut of = Ty::Unknown;
                for item in it.exprs() {
                    let found = self.expression(&item);
                    if of == Ty::Unknown {
                        of = found;
                    }
                }
                Ty::Foreign(Name::new_static("slice"), vec![of])
            }
            ast::Expr::IndexExpr(it) => {
                let of = self.maybe(it.base());
                let index = self.maybe(it.index());
                match index {
                    // A range gives a part of the whole.
                    Ty::Foreign(name, _) if name == "Range" => of,
                    _ if matches!(&of, Ty::Foreign(name, _) if name == "slice" || name == "Vec") => {
                        item_of(&of)
                    }
                    _ => Ty::Unknown,
                }
            }
            ast::Expr::RangeExpr(it) => {
                self.children(it.syntax());
                Ty::Foreign(Name::new_static("Range"), Vec::new())
            }
            ast::Expr::BlockExpr(it) => self.block(it),
            ast::Expr::IfExpr(it) => self.branch(it),
            ast::Expr::LetExpr(it) => {
                let of = self.maybe(it.expr());
                if let Some(pattern) = it.pat() {
                    self.pattern(&pattern, &of);
                }
                Ty::Unknown
            }
            ast::Expr::MatchExpr(it) => self.matching(it),
            ast::Expr::ForExpr(it) => {
                let of = self.maybe(it.iterable());
                self.scoped(|walk| {
                    if let Some(pattern) = it.pat() {
                        walk.pattern(&pattern, &item_of(&of));
                    }
                    if let Some(body) = it.loop_body() {
                        walk.node(body.syntax());
                    }
                });
                Ty::Unknown
            }
            ast::Expr::WhileExpr(it) => {
                self.scoped(|walk| walk.children(it.syntax()));
                Ty::Unknown
            }
            ast::Expr::ClosureExpr(it) => self.closure(it, &[]),
            ast::Expr::MacroExpr(it) => {
                if let Some(call) = it.macro_call() {
                    self.macro_call(&call);
                }
                Ty::Unknown
            }
            ast::Expr::BinExpr(it) => {
                let left = self.maybe(it.lhs());
                self.maybe(it.rhs());
                match left {
                    Ty::Foreign(..) => left,
                    _ => Ty::Unknown,
                }
            }
            other => {
                self.children(other.syntax());
                Ty::Unknown
            }
        }
    }

    /// Names bound in it are not seen afterwards.
    pub fn scoped<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let count = self.locals.len();
        let result = visit(self);
        self.locals.truncate(count);
        result
    }

    fn block(&mut self, block: &ast::BlockExpr) -> Ty {
        self.scoped(|walk| {
            let Some(list) = block.stmt_list() else {
                return Ty::Unknown;
            };
            let tail = list.tail_expr();
            let mut of = Ty::Unknown;
            for child in list.syntax().children() {
                match &tail {
                    Some(tail) if *tail.syntax() == child => of = walk.expression(tail),
                    _ => match ast::LetStmt::cast(child.clone()) {
                        Some(binding) => walk.binding(&binding),
                        None => walk.node(&child),
                    },
                }
            }
            of
        })
    }

    fn binding(&mut self, binding: &ast::LetStmt) {
        for attribute in binding.syntax().children().filter_map(ast::Attr::cast) {
            self.node(attribute.syntax());
        }
        let value = self.maybe(binding.initializer());
        let of = match binding.ty() {
            Some(of) => {
                self.node(of.syntax());
                let declared = self.type_of(Some(of));
                if declared == Ty::Unknown {
                    value
                } else {
                    declared
                }
            }
            None => value,
        };
        if let Some(otherwise) = binding.let_else() {
            self.children(otherwise.syntax());
        }
        if let Some(pattern) = binding.pat() {
            self.pattern(&pattern, &of);
        }
    }

    fn branch(&mut self, branch: &ast::IfExpr) -> Ty {
        self.scoped(|walk| {
            let mut of = Ty::Unknown;
            for child in branch.syntax().children() {
                match ast::Expr::cast(child.clone()) {
                    Some(expression) => {
                        let found = walk.expression(&expression);
                        if ast::BlockExpr::can_cast(child.kind()) && of == Ty::Unknown {
                            of = found;
                        }
                    }
                    None => walk.node(&child),
                }
            }
            of
        })
    }

    fn matching(&mut self, matching: &ast::MatchExpr) -> Ty {
        let subject = self.maybe(matching.expr());
        let mut of = Ty::Unknown;
        for arm in matching
            .match_arm_list()
            .into_iter()
            .flat_map(|it| it.arms())
        {
            let found = self.scoped(|walk| {
                if let Some(pattern) = arm.pat() {
                    walk.pattern(&pattern, &subject);
                }
                if let Some(guard) = arm.guard() {
                    walk.children(guard.syntax());
                }
                walk.maybe(arm.expr())
            });
            if of == Ty::Unknown {
                of = found;
            }
        }
        of
    }

    fn closure(&mut self, closure: &ast::ClosureExpr, known: &[Ty]) -> Ty {
        self.scoped(|walk| {
            if let Some(parameters) = closure.param_list() {
                walk.parameters(&parameters, known);
            }
            let declared = closure.ret_type().and_then(|it| it.ty());
            if let Some(declared) = &declared {
                walk.node(declared.syntax());
            }
            let of = walk.maybe(closure.body());
            Ty::Function(Box::new(of))
        })
    }

    /// A path that is a value; gives its type.
    fn value_path(&mut self, path: &ast::Path, kind: ReferenceKind) -> Ty {
        let (_, of) = self.called_path(path, kind);
        of
    }

    fn field(&mut self, field: &ast::FieldExpr) -> Ty {
        let this = self.maybe(field.expr());
        let Some(found) = field.name_ref() else {
            return Ty::Unknown;
        };
        if let Ok(index) = found.text().parse::<usize>() {
            return self.world().positional(&this, index);
        }
        let (text, range) = (name(&found), self.range(found.syntax()));
        let meant = self.field_of(&this, &text);
        self.refer(range, ReferenceKind::Read, &meant);
        match meant.sure.as_slice() {
            [only] => self.world().type_of(*only, &this),
            _ => Ty::Unknown,
        }
    }

    /// What a field means on a value of some type.
    pub fn field_of(&self, this: &Ty, field: &str) -> Meant {
        let sure = match this {
            Ty::Own(sym, _) => self.members.fields(*sym, field).to_vec(),
            _ => Vec::new(),
        };
        let named = match (this, sure.is_empty()) {
            (Ty::Foreign(..) | Ty::Tuple(_) | Ty::Function(_), _) | (_, false) => Vec::new(),
            _ => self
                .members
                .named_fields
                .get(field)
                .cloned()
                .unwrap_or_default(),
        };
        Meant {
            sure,
            named,
            ..Meant::default()
        }
    }

    /// The struct or variant that a path to one names, and the type of its values.
    fn constructed(&mut self, path: Option<ast::Path>, kind: ReferenceKind) -> (Vec<Sym>, Ty) {
        let Some(path) = path else {
            return (Vec::new(), Ty::Unknown);
        };
        let spaces = match kind {
            ReferenceKind::Call => TYPES,
            _ => TYPES | VALUES,
        };
        let (meant, _) = self.path(&path, spaces, kind);
        let is_self = path
            .as_single_name_ref()
            .is_some_and(|it| it.text() == "Self");
        if is_self {
            let this = self.place.env.this.clone();
            let sym = match &this {
                Ty::Own(sym, _) => vec![*sym],
                _ => Vec::new(),
            };
            return (sym, this);
        }
        let syms: Vec<Sym> = meant
            .sure
            .iter()
            .filter_map(|sym| match self.map.def(*sym)?.kind {
                ItemKind::Struct | ItemKind::Variant => Some(*sym),
                ItemKind::Alias => match self.world().type_of(*sym, &Ty::Unknown) {
                    Ty::Own(sym, _) => Some(sym),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let of = match syms.as_slice() {
            [only] => self.world().type_of(*only, &Ty::Unknown),
            _ => Ty::Unknown,
        };
        (syms, of)
    }

    fn member_of(&self, syms: &[Sym], field: &str) -> Meant {
        let sure: Vec<Sym> = syms
            .iter()
            .flat_map(|sym| self.members.fields(*sym, field))
            .copied()
            .collect();
        let named = match sure.is_empty() {
            true => self
                .members
                .named_fields
                .get(field)
                .cloned()
                .unwrap_or_default(),
            false => Vec::new(),
        };
        Meant {
            sure,
            named,
            ..Meant::default()
        }
    }

    fn record(&mut self, record: &ast::RecordExpr) -> Ty {
        let (syms, of) = self.constructed(record.path(), ReferenceKind::Call);
        let Some(list) = record.record_expr_field_list() else {
            return of;
        };
        for field in list.fields() {
            if let Some(found) = field.name_ref() {
                let meant = self.member_of(&syms, &name(&found));
                let range = self.range(found.syntax());
                self.refer(range, ReferenceKind::Write, &meant);
            }
            match field.expr() {
                Some(value) => {
                    self.expression(&value);
                }
                None => {
                    self.children(field.syntax());
                }
            }
        }
        self.maybe(list.spread());
        of
    }
}

fn literal(literal: &ast::Literal) -> Ty {
    let name = match literal.kind() {
        ast::LiteralKind::String(_) => "str",
        ast::LiteralKind::ByteString(_) => {
            let byte = Ty::Foreign(Name::new_static("u8"), Vec::new());
            return Ty::Foreign(Name::new_static("slice"), vec![byte]);
        }
        ast::LiteralKind::CString(_) => return Ty::Unknown,
        ast::LiteralKind::IntNumber(_) => "usize",
        ast::LiteralKind::FloatNumber(_) => "f64",
        ast::LiteralKind::Char(_) => "char",
        ast::LiteralKind::Byte(_) => "u8",
        ast::LiteralKind::Bool(_) => "bool",
    };
    Ty::Foreign(Name::new_static(name), Vec::new())
}
