//! From the facts of a file to its summary: expressions are closed, so that they mention module-level
//! names only, and everything that only concerns function bodies is left out.

use grammars::Language;
use rustc_hash::FxHashMap;

use crate::facts::{
    Binding, DefId, Definition, ExportPart, Expr, ExprId, FileFacts, MODULE_SCOPE, Name,
    RecordMember, Scope, ScopeId, ScopeKind, Summary, Use,
};

/// Chains of local values longer than this are not followed.
const DEEPEST: u32 = 12;

/// Names with more values than this could be anything.
const MANY: usize = 12;

/// The summary of a file without anything in it.
pub(crate) fn empty(language: Language) -> Summary {
    Summary {
        language,
        package: None,
        definitions: Vec::new(),
        scopes: Vec::new(),
        expressions: Vec::new(),
        exports: None,
    }
}

/// The summary of a file.
pub(crate) fn of(
    facts: &FileFacts,
    language: Language,
    exports: Option<Vec<ExportPart>>,
) -> Summary {
    let mut closer = Closer::new(facts);
    let kept: Vec<ScopeId> = (0..)
        .map(ScopeId)
        .zip(&facts.scopes)
        .filter(|(_, scope)| scope.kind != ScopeKind::Function)
        .map(|(id, _)| id)
        .collect();
    let scopes = kept.iter().filter_map(|id| closer.scope(*id)).collect();
    let definitions = facts
        .definitions
        .iter()
        .map(|definition| closer.definition(definition, &kept))
        .collect();
    let exports = exports.map(|parts| parts.into_iter().map(|part| closer.export(part)).collect());
    Summary {
        language,
        package: None,
        definitions,
        scopes,
        expressions: closer.closed,
        exports,
    }
}

/// Looks a name up from a scope outwards. The names of a class are seen only from its own body.
pub(crate) fn lookup<'f>(
    scopes: &'f [Scope],
    from: ScopeId,
    name: &str,
) -> Option<(ScopeId, &'f [Binding])> {
    let mut current = Some(from);
    while let Some(id) = current {
        let scope = scopes.get(id.0 as usize)?;
        if let Some(&elsewhere) = scope.elsewhere.get(name) {
            let bindings = scopes.get(elsewhere.0 as usize)?.names.get(name)?;
            return Some((elsewhere, bindings));
        }
        if (scope.kind != ScopeKind::Class || id == from)
            && let Some(bindings) = scope.names.get(name)
        {
            return Some((id, bindings));
        }
        current = scope.parent;
    }
    None
}

/// Drops the references that cannot mean anything of the project: locals and built-in names.
pub(crate) fn drop_local_references(facts: &mut FileFacts) {
    let mut references = std::mem::take(&mut facts.references);
    references.retain(|reference| match &reference.usage {
        Use::Named(id) => match facts.expressions.get(id.0 as usize) {
            Some(Expr::Name(scope, name)) => may_be_symbol(facts, *scope, name),
            Some(Expr::Attribute(object, _)) => !is_plain(facts, *object),
            _ => true,
        },
        Use::Invoke(id) | Use::Protocol { object: id, .. } => {
            match facts.expressions.get(id.0 as usize) {
                Some(Expr::Name(scope, name)) => !is_builtin(facts, *scope, name),
                _ => true,
            }
        }
        Use::Pattern { .. } => true,
    });
    references.shrink_to_fit();
    facts.expressions.shrink_to_fit();
    facts.references = references;
}

fn has_stars(facts: &FileFacts) -> bool {
    facts
        .scopes
        .first()
        .is_some_and(|module| !module.stars.is_empty())
}

fn is_builtin(facts: &FileFacts, scope: ScopeId, name: &str) -> bool {
    !has_stars(facts) && lookup(&facts.scopes, scope, name).is_none()
}

fn may_be_symbol(facts: &FileFacts, scope: ScopeId, name: &str) -> bool {
    match lookup(&facts.scopes, scope, name) {
        Some((_, bindings)) => bindings
            .iter()
            .any(|binding| !matches!(binding, Binding::Value(_))),
        None => has_stars(facts),
    }
}

/// Whether an object is a literal or a built-in container.
fn is_plain(facts: &FileFacts, object: ExprId) -> bool {
    matches!(
        facts.expressions.get(object.0 as usize),
        Some(Expr::Literal | Expr::Container(_))
    )
}

struct Closer<'f> {
    facts: &'f FileFacts,
    class_of_scope: FxHashMap<ScopeId, DefId>,
    closed: Vec<Expr>,
    ids: FxHashMap<Expr, ExprId>,
    memo: FxHashMap<ExprId, ExprId>,
    depth: u32,
}

impl<'f> Closer<'f> {
    fn new(facts: &'f FileFacts) -> Self {
        let class_of_scope = (0..)
            .map(DefId)
            .zip(&facts.definitions)
            .filter_map(|(id, definition)| Some((definition.scope?, id)))
            .collect();
        let mut closer = Self {
            facts,
            class_of_scope,
            closed: Vec::new(),
            ids: FxHashMap::default(),
            memo: FxHashMap::default(),
            depth: 0,
        };
        closer.add(Expr::Unknown);
        closer
    }

    /// Equal expressions share an id, so that equal code gives equal summaries.
    fn add(&mut self, expr: Expr) -> ExprId {
        if let Some(id) = self.ids.get(&expr) {
            return *id;
        }
        let id = ExprId(u32::try_from(self.closed.len()).unwrap_or(0));
        self.closed.push(expr.clone());
        self.ids.insert(expr, id);
        id
    }

    fn scope(&mut self, id: ScopeId) -> Option<Scope> {
        let scope = self.facts.scopes.get(id.0 as usize)?;
        let names = scope
            .names
            .iter()
            .map(|(name, bindings)| {
                (
                    name.clone(),
                    bindings
                        .iter()
                        .map(|binding| self.binding(binding))
                        .collect(),
                )
            })
            .collect();
        Some(Scope {
            kind: scope.kind,
            parent: None,
            names,
            elsewhere: Default::default(),
            stars: scope.stars.clone(),
        })
    }

    fn binding(&mut self, binding: &Binding) -> Binding {
        match binding {
            Binding::Value(value) => Binding::Value(self.close(*value)),
            other => other.clone(),
        }
    }

    fn definition(&mut self, definition: &Definition, kept: &[ScopeId]) -> Definition {
        let declared = definition.declared.map(|declared| self.close(declared));
        let values = if declared.is_some() {
            Vec::new()
        } else {
            self.values(&definition.values)
        };
        let attributes = definition
            .attributes
            .iter()
            .map(|(name, values)| (name.clone(), self.values(values)))
            .collect();
        let scope = definition
            .scope
            .and_then(|scope| kept.iter().position(|kept| *kept == scope));
        Definition {
            id: definition.id.clone(),
            kind: definition.kind,
            container: definition.container,
            role: definition.role,
            scope: scope
                .and_then(|scope| u32::try_from(scope).ok())
                .map(ScopeId),
            bases: definition
                .bases
                .iter()
                .map(|base| self.close(*base))
                .collect(),
            owner: definition.owner.map(|owner| self.close(owner)),
            metaclass: definition.metaclass.map(|metaclass| self.close(metaclass)),
            declared,
            values,
            is_generator: definition.is_generator,
            attributes,
        }
    }

    fn values(&mut self, values: &[ExprId]) -> Vec<ExprId> {
        let mut closed: Vec<ExprId> = values.iter().map(|value| self.close(*value)).collect();
        closed.sort_unstable();
        closed.dedup();
        closed
    }

    fn export(&mut self, part: ExportPart) -> ExportPart {
        match part {
            ExportPart::AllOf(module) => ExportPart::AllOf(self.close(module)),
            name => name,
        }
    }

    fn close(&mut self, id: ExprId) -> ExprId {
        if let Some(closed) = self.memo.get(&id) {
            return *closed;
        }
        let unknown = ExprId(0);
        if self.depth >= DEEPEST {
            return unknown;
        }
        // A value that depends on itself is unknown.
        self.memo.insert(id, unknown);
        self.depth += 1;
        let expr = self
            .facts
            .expressions
            .get(id.0 as usize)
            .cloned()
            .unwrap_or(Expr::Unknown);
        let closed = self.close_expr(expr);
        self.depth -= 1;
        self.memo.insert(id, closed);
        closed
    }

    fn close_expr(&mut self, expr: Expr) -> ExprId {
        let closed = match expr {
            Expr::Name(scope, name) => return self.close_name(scope, name),
            Expr::Container(elements) => Expr::Container(self.values(&elements).into()),
            Expr::Union(values) => return self.union(values.to_vec()),
            Expr::Attribute(object, name) => Expr::Attribute(self.close(object), name),
            Expr::Call(callee) => Expr::Call(self.close(callee)),
            Expr::Item(container) => Expr::Item(self.close(container)),
            Expr::Entered(manager) => Expr::Entered(self.close(manager)),
            Expr::Instance(class) => Expr::Instance(self.close(class)),
            Expr::Tuple(parts) => Expr::Tuple(self.each(&parts)),
            Expr::Part(whole, index) => Expr::Part(self.close(whole), index),
            Expr::First(parts) => Expr::First(self.each(&parts)),
            Expr::Function { parameters, result } => Expr::Function {
                parameters: self.each(&parameters),
                result: self.close(result),
            },
            Expr::Record(members) => Expr::Record(
                members
                    .iter()
                    .map(|member| RecordMember {
                        declared: self.close(member.declared),
                        ..member.clone()
                    })
                    .collect(),
            ),
            Expr::Unknown
            | Expr::Literal
            | Expr::Definition(_)
            | Expr::Receiver(_)
            | Expr::ReceiverClass(_)
            | Expr::Super(_)
            | Expr::Imported(_) => expr,
        };
        self.add(closed)
    }

    /// Each of some expressions, in their order.
    fn each(&mut self, parts: &[ExprId]) -> Box<[ExprId]> {
        parts.iter().map(|part| self.close(*part)).collect()
    }

    fn close_name(&mut self, scope: ScopeId, name: Name) -> ExprId {
        let facts = self.facts;
        let Some((owner, bindings)) =
            lookup(&facts.scopes, scope, &name).filter(|(owner, _)| *owner != MODULE_SCOPE)
        else {
            return self.add(Expr::Name(MODULE_SCOPE, name));
        };
        let is_class = facts
            .scopes
            .get(owner.0 as usize)
            .is_some_and(|scope| scope.kind == ScopeKind::Class);
        if let Some(class) = self
            .class_of_scope
            .get(&owner)
            .copied()
            .filter(|_| is_class)
        {
            let class = self.add(Expr::Definition(class));
            return self.add(Expr::Attribute(class, name));
        }
        let values = bindings
            .iter()
            .take(MANY)
            .map(|binding| self.bound(binding))
            .collect();
        self.one_of(values, bindings.len() > MANY)
    }

    fn bound(&mut self, binding: &Binding) -> ExprId {
        match binding {
            Binding::Definition(definition) => self.add(Expr::Definition(*definition)),
            Binding::Import(path) => self.add(Expr::Imported(Box::new(path.clone()))),
            Binding::Value(value) => self.close(*value),
        }
    }

    fn union(&mut self, values: Vec<ExprId>) -> ExprId {
        let is_cut = values.len() > MANY;
        let closed = values
            .into_iter()
            .take(MANY)
            .map(|value| self.close(value))
            .collect();
        self.one_of(closed, is_cut)
    }

    fn one_of(&mut self, mut values: Vec<ExprId>, or_unknown: bool) -> ExprId {
        if or_unknown {
            values.push(ExprId(0));
        }
        values.sort_unstable();
        values.dedup();
        match values.as_slice() {
            [] => ExprId(0),
            &[only] => only,
            _ => self.add(Expr::Union(values.into())),
        }
    }
}
