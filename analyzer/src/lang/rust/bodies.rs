//! Bodies: expressions and patterns, with the types of values as far as they are cheap to find out.

use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, HasArgList, HasGenericArgs, HasLoopBody, HasName};

use super::items::ItemKind;
use super::map::{Sym, TYPES, VALUES};
use super::resolve::{Meant, Walk};
use super::syntax::{name, plain};
use super::types::{Ty, foreign, foreign_result, item_of};
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

    /// What a path means, and the type of its value: a function for what can be called.
    fn called_path(&mut self, path: &ast::Path, kind: ReferenceKind) -> (Meant, Ty) {
        let single = path.as_single_name_ref();
        if let Some(local) = single
            .as_ref()
            .and_then(|it| self.local(&name(it)).cloned())
        {
            return (Meant::default(), local);
        }
        let (meant, this) = self.path(path, VALUES, kind);
        let is_constructor = single.as_ref().is_some_and(|it| it.text() == "Self");
        if is_constructor {
            return (meant, Ty::Function(Box::new(self.place.env.this.clone())));
        }
        let of = self.type_of_meant(&meant, &this);
        (meant, of)
    }

    fn type_of_meant(&self, meant: &Meant, this: &Ty) -> Ty {
        let [sym] = meant.sure.as_slice() else {
            return Ty::Unknown;
        };
        let of = self.world().type_of(*sym, this);
        let callable = self.map.def(*sym).is_some_and(|def| match def.kind {
            ItemKind::Function => true,
            ItemKind::Struct | ItemKind::Variant => {
                matches!(def.of, super::items::TypeRef::Tuple(_))
            }
            _ => false,
        });
        match callable {
            true => Ty::Function(Box::new(of)),
            false => of,
        }
    }

    fn call(&mut self, call: &ast::CallExpr) -> Ty {
        let of = match call.expr() {
            Some(ast::Expr::PathExpr(path)) => path.path().map_or(Ty::Unknown, |path| {
                self.value_path(&path, ReferenceKind::Call)
            }),
            other => self.maybe(other),
        };
        let arguments: Vec<Ty> = call
            .arg_list()
            .into_iter()
            .flat_map(|list| list.args())
            .map(|argument| self.expression(&argument))
            .collect();
        match of {
            Ty::Function(result) => *result,
            // `Box::new(x)`, `Some(x)`
            _ => wrapped(call, arguments),
        }
    }

    fn method_call(&mut self, call: &ast::MethodCallExpr) -> Ty {
        let this = self.maybe(call.receiver());
        if let Some(arguments) = call.generic_arg_list() {
            self.children(arguments.syntax());
        }
        let list: Vec<ast::Expr> = call
            .arg_list()
            .into_iter()
            .flat_map(|it| it.args())
            .collect();
        let known = [item_of(&this)];
        for argument in &list {
            match argument {
                ast::Expr::ClosureExpr(it) if matches!(this, Ty::Foreign(..)) => {
                    self.closure(it, &known);
                }
                _ => {
                    self.expression(argument);
                }
            }
        }
        let Some(found) = call.name_ref() else {
            return Ty::Unknown;
        };
        let (method, range) = (name(&found), self.range(found.syntax()));
        let arity = u32::try_from(list.len()).unwrap_or(u32::MAX);
        let meant = self.method(&this, &method, arity);
        self.refer(range.clone(), ReferenceKind::Call, &meant);
        self.use_traits(&range, &method, &meant);
        if meant.sure.is_empty() && meant.named.is_empty() {
            self.use_foreign_traits(&range, &method);
        }
        self.conversions(&method, &range);
        match meant.sure.as_slice() {
            [] => foreign_result(&this, &method),
            [first, ..] => self.world().type_of(*first, &this),
        }
    }

    /// `x.into()` runs `From::from`, `x.parse()` runs `FromStr::from_str`.
    fn conversions(&mut self, method: &str, range: &std::ops::Range<usize>) {
        let behind = match method {
            "into" => "from",
            "try_into" => "try_from",
            "parse" => "from_str",
            "to_string" => "fmt",
            "collect" => "from_iter",
            "sum" => "sum",
            _ => return,
        };
        let named = self
            .members
            .by_trait
            .get(behind)
            .cloned()
            .unwrap_or_default();
        let meant = Meant {
            named,
            ..Meant::default()
        };
        self.refer(range.clone(), ReferenceKind::Implicit, &meant);
    }

    /// What a method means on a value of some type.
    pub fn method(&self, this: &Ty, method: &str, arity: u32) -> Meant {
        let world = self.world();
        let fits = |sym: &Sym| {
            self.map
                .def(*sym)
                .is_some_and(|def| def.has_self && def.arity == arity)
        };
        if let Some(found) = world.items(this, method) {
            let sure: Vec<Sym> = found.into_iter().filter(fits).collect();
            if !sure.is_empty() {
                return Meant {
                    sure,
                    ..Meant::default()
                };
            }
        }
        // Bounds may be of foreign traits, too, which types of the project implement.
        let named = world.by_name(this, method).into_iter().filter(fits);
        Meant {
            named: named.collect(),
            ..Meant::default()
        }
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
        let name = pattern.path().as_ref().and_then(super::syntax::last_name);
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

/// What constructors of the standard library make of their argument.
fn wrapped(call: &ast::CallExpr, arguments: Vec<Ty>) -> Ty {
    let Some(ast::Expr::PathExpr(path)) = call.expr() else {
        return Ty::Unknown;
    };
    let Some(path) = path.path() else {
        return Ty::Unknown;
    };
    let last = super::syntax::last_name(&path);
    let before = path.qualifier().as_ref().and_then(super::syntax::last_name);
    match (before.as_deref(), last.as_deref()) {
        (None, Some("Some")) => Ty::Foreign(Name::new_static("Option"), arguments),
        (None, Some("Ok")) => Ty::Foreign(Name::new_static("Result"), arguments),
        (Some("Box" | "Rc" | "Arc" | "RefCell" | "Mutex" | "Cell" | "RwLock"), Some("new")) => {
            foreign(&before.unwrap_or_default(), arguments)
        }
        (Some("String"), Some("new" | "from" | "with_capacity")) => {
            Ty::Foreign(Name::new_static("String"), Vec::new())
        }
        _ => Ty::Unknown,
    }
}
