//! Calls of functions and methods, and what they give.

use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{self, HasArgList, HasGenericArgs};

use crate::facts::Name;
use crate::lang::rust::items::{ItemKind, TypeRef};
use crate::lang::rust::map::{Sym, VALUES};
use crate::lang::rust::resolve::{Meant, Walk};
use crate::lang::rust::syntax::{last_name, name};
use crate::lang::rust::types::{Ty, foreign, foreign_result, item_of};
use crate::occurrence::ReferenceKind;

impl Walk<'_> {
    pub fn call(&mut self, call: &ast::CallExpr) -> Ty {
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

    pub fn method_call(&mut self, call: &ast::MethodCallExpr) -> Ty {
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

    /// What a path means, and the type of its value: a function for what can be called.
    pub fn called_path(&mut self, path: &ast::Path, kind: ReferenceKind) -> (Meant, Ty) {
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
                matches!(def.of, TypeRef::Tuple(_))
            }
            _ => false,
        });
        match callable {
            true => Ty::Function(Box::new(of)),
            false => of,
        }
    }
}

/// What constructors of the standard library make of their argument.
fn wrapped(call: &ast::CallExpr, arguments: Vec<Ty>) -> Ty {
    let Some(ast::Expr::PathExpr(path)) = call.expr() else {
        return Ty::Unknown;
    };
    let Some(path) = path.path() else {
        return Ty::Unknown;
    };
    let last = last_name(&path);
    let before = path.qualifier().as_ref().and_then(last_name);
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
