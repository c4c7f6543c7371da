//! Types, as far as they are cheap to find out, and what their members are.

use super::items::{ItemKind, TypeRef};
use super::map::{Map, Meaning, ModuleId, Sym, TYPES};
use super::members::{Block, Implements, Members, item_at};
use crate::facts::Name;

/// A type. References, pointers and boxes are seen through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Ty {
    /// Could be anything.
    #[default]
    Unknown,
    /// A type of the standard library whose members are its own.
    Foreign(Name, Vec<Ty>),
    /// A type of the project with its arguments.
    Own(Sym, Vec<Ty>),
    /// Anything that implements these traits of the project.
    Bounds(Vec<Sym>),
    /// A tuple.
    Tuple(Vec<Ty>),
    /// A function with its result.
    Function(Box<Ty>),
}

/// What names of types mean around some code.
#[derive(Clone, Debug, Default)]
pub(super) struct Env {
    pub parameters: Vec<(Name, Ty)>,
    /// What `Self` is.
    pub this: Ty,
}

/// Types that hand out the members of their argument.
const TRANSPARENT: &[&str] = &[
    "Box",
    "Rc",
    "Arc",
    "Cow",
    "Ref",
    "RefMut",
    "MutexGuard",
    "RwLockReadGuard",
    "RwLockWriteGuard",
    "Pin",
    "ManuallyDrop",
];

/// Types of the standard library that do not.
const CLOSED: &[&str] = &[
    "String",
    "str",
    "Vec",
    "VecDeque",
    "Option",
    "Result",
    "HashMap",
    "BTreeMap",
    "HashSet",
    "BTreeSet",
    "PathBuf",
    "Path",
    "OsStr",
    "OsString",
    "char",
    "bool",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Range",
    "Duration",
    "Instant",
    "Cell",
    "RefCell",
    "Mutex",
    "RwLock",
    "Ordering",
    "Formatter",
    "slice",
    "iterator",
];

/// Methods of types of the standard library that give their first argument.
const TO_ARGUMENT: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "unwrap_unchecked",
    "borrow",
    "borrow_mut",
    "into_inner",
    "get_or_insert_with",
    "get_or_insert",
];

/// Methods that give something that holds the same arguments.
const TO_SAME: &[&str] = &[
    "clone",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "as_slice",
    "as_mut_slice",
    "iter",
    "iter_mut",
    "into_iter",
    "drain",
    "take",
    "rev",
    "skip",
    "filter",
    "peekable",
    "chain",
    "cloned",
    "copied",
    "by_ref",
    "to_vec",
    "or",
    "or_else",
    "ok",
    "lock",
    "read",
    "write",
    "to_owned",
    "inspect",
    "take_while",
    "skip_while",
    "step_by",
    "fuse",
    "cycle",
];

/// Methods that give an option of the last argument.
const TO_OPTION: &[&str] = &[
    "first",
    "last",
    "get",
    "get_mut",
    "first_mut",
    "last_mut",
    "pop",
    "next",
    "next_back",
    "peek",
    "min_by_key",
    "max_by_key",
    "nth",
    "pop_front",
    "pop_back",
    "front",
    "back",
    "find",
];

/// The map and the members of the project.
#[derive(Clone, Copy)]
pub(super) struct World<'w> {
    pub map: &'w Map,
    pub members: &'w Members,
}

impl World<'_> {
    /// What a written type is.
    pub fn ty(self, of: &TypeRef, at: ModuleId, env: &Env) -> Ty {
        self.ty_within(of, at, env, 0)
    }

    fn ty_within(self, of: &TypeRef, at: ModuleId, env: &Env, depth: u32) -> Ty {
        if depth > 12 {
            return Ty::Unknown;
        }
        let inner = |of: &TypeRef| self.ty_within(of, at, env, depth + 1);
        match of {
            TypeRef::Unknown => Ty::Unknown,
            TypeRef::Slice(of) => Ty::Foreign(Name::new_static("slice"), vec![inner(of)]),
            TypeRef::Tuple(parts) => Ty::Tuple(parts.iter().map(inner).collect()),
            TypeRef::Function(result) => Ty::Function(Box::new(inner(result))),
            TypeRef::Bounds(bounds) => self.bounds(bounds, at, env, depth),
            TypeRef::Path(path, arguments) => {
                let arguments: Vec<Ty> = arguments.iter().map(inner).collect();
                self.path_ty(path, arguments, at, env, depth)
            }
        }
    }

    fn path_ty(self, path: &[Name], arguments: Vec<Ty>, at: ModuleId, env: &Env, depth: u32) -> Ty {
        if let [name] = path {
            if name == "Self" {
                return env.this.clone();
            }
            if let Some((_, of)) = env.parameters.iter().find(|(known, _)| known == name) {
                return of.clone();
            }
        }
        let hits = self.map.resolve(at, path, TYPES, None);
        for hit in &hits {
            let Meaning::Item(sym) = hit.meaning else {
                continue;
            };
            let Some(def) = self.map.def(sym) else {
                continue;
            };
            return match def.kind {
                ItemKind::Trait => Ty::Bounds(vec![sym]),
                ItemKind::Alias => {
                    let parameters = def.generics.iter().map(|(name, _)| name.clone());
                    let env = Env {
                        parameters: parameters.zip(arguments).collect(),
                        this: Ty::Unknown,
                    };
                    let home = self.map.home(sym).unwrap_or(at);
                    self.ty_within(&def.of, home, &env, depth + 1)
                }
                ItemKind::Variant => Ty::Own(
                    Sym {
                        file: sym.file,
                        def: def.container,
                    },
                    arguments,
                ),
                _ => Ty::Own(sym, arguments),
            };
        }
        let is_foreign = hits.iter().any(|hit| hit.meaning == Meaning::Foreign);
        match path.last() {
            Some(name) if is_foreign || (hits.is_empty() && path.len() == 1) => {
                foreign(name, arguments)
            }
            _ => Ty::Unknown,
        }
    }

    fn bounds(self, bounds: &[TypeRef], at: ModuleId, env: &Env, depth: u32) -> Ty {
        let mut traits = Vec::new();
        for bound in bounds {
            match bound {
                TypeRef::Function(result) => {
                    return Ty::Function(Box::new(self.ty_within(result, at, env, depth + 1)));
                }
                TypeRef::Path(path, arguments) => match item_at(self.map, at, path) {
                    Some(of) => traits.push(of),
                    None if path.last().is_some_and(|name| name.ends_with("Iterator")) => {
                        let inner = |of: &TypeRef| self.ty_within(of, at, env, depth + 1);
                        let items = arguments.iter().map(inner).collect();
                        if bounds.len() == 1 {
                            return Ty::Foreign(Name::new_static("iterator"), items);
                        }
                    }
                    None => {}
                },
                _ => {}
            }
        }
        match traits.is_empty() {
            true => Ty::Unknown,
            false => Ty::Bounds(traits),
        }
    }

    /// The terms of an item: its type parameters, and those of what it stands in.
    pub fn env(self, sym: Sym, outer: &Env) -> Env {
        let Some((def, home)) = self.map.def(sym).zip(self.map.home(sym)) else {
            return outer.clone();
        };
        let mut env = outer.clone();
        let known = |name: &Name| outer.parameters.iter().any(|(it, _)| it == name);
        let around = def.outer_bounds.iter().filter(|(name, _)| known(name));
        for (name, bounds) in def.generics.iter().chain(around) {
            let of = self.bounds(bounds, home, &env, 0);
            env.parameters.insert(0, (name.clone(), of));
        }
        match def.kind {
            ItemKind::Trait => env.this = Ty::Bounds(vec![sym]),
            ItemKind::Impl => env.this = self.ty(&def.of, home, &env),
            ItemKind::Struct | ItemKind::Enum => {
                let arguments = def.generics.iter().map(|(name, _)| name);
                let arguments = arguments.map(|name| parameter(&env, name));
                env.this = Ty::Own(sym, arguments.collect());
            }
            _ => {}
        }
        env
    }

    /// The terms of a member of a value of some type.
    fn env_of_member(self, sym: Sym, this: &Ty) -> Env {
        let container = self.map.def(sym).map(|def| Sym {
            file: sym.file,
            def: def.container,
        });
        let mut env = container.map_or_else(Env::default, |it| self.env(it, &Env::default()));
        if let Some(container) = container
            && let Ty::Own(_, arguments) = this
        {
            let names: Vec<Name> = match self.map.def(container) {
                Some(def) if def.kind == ItemKind::Impl => match &def.of {
                    TypeRef::Path(_, written) => written
                        .iter()
                        .map(|of| match of {
                            TypeRef::Path(path, _) if path.len() == 1 => {
                                path.first().cloned().unwrap_or_default()
                            }
                            _ => Name::default(),
                        })
                        .collect(),
                    _ => Vec::new(),
                },
                Some(def) => def.generics.iter().map(|(name, _)| name.clone()).collect(),
                None => Vec::new(),
            };
            for (name, argument) in names.into_iter().zip(arguments) {
                if *argument != Ty::Unknown {
                    env.parameters.insert(0, (name, argument.clone()));
                }
            }
        }
        if *this != Ty::Unknown {
            env.this = this.clone();
        }
        env
    }

    /// The type of a field, or of what a function returns.
    pub fn type_of(self, sym: Sym, this: &Ty) -> Ty {
        let Some((def, home)) = self.map.def(sym).zip(self.map.home(sym)) else {
            return Ty::Unknown;
        };
        let env = self.env(sym, &self.env_of_member(sym, this));
        match def.kind {
            ItemKind::Struct | ItemKind::Enum => Ty::Own(sym, Vec::new()),
            ItemKind::Variant => Ty::Own(
                Sym {
                    file: sym.file,
                    def: def.container,
                },
                Vec::new(),
            ),
            _ => self.ty(&def.of, home, &env),
        }
    }

    /// The type of a field without a name.
    pub fn positional(self, this: &Ty, index: usize) -> Ty {
        match this {
            Ty::Tuple(parts) => parts.get(index).cloned().unwrap_or_default(),
            Ty::Own(sym, _) => self.positional_of(*sym, this, index),
            _ => Ty::Unknown,
        }
    }

    /// The type of a field without a name of a struct or variant.
    pub fn positional_of(self, sym: Sym, this: &Ty, index: usize) -> Ty {
        let Some((def, home)) = self.map.def(sym).zip(self.map.home(sym)) else {
            return Ty::Unknown;
        };
        let TypeRef::Tuple(parts) = &def.of else {
            return Ty::Unknown;
        };
        let mut env = self.env(sym, &Env::default());
        if let Ty::Own(of, arguments) = this {
            let names = self.map.def(*of).map(|def| def.generics.clone());
            for ((name, _), argument) in names.into_iter().flatten().zip(arguments) {
                env.parameters.insert(0, (name, argument.clone()));
            }
        }
        parts
            .get(index)
            .map_or(Ty::Unknown, |part| self.ty(part, home, &env))
    }

    /// The items that a name means on a type: those of the type first, then those of its traits.
    /// `None` if they are not known.
    pub fn items(self, of: &Ty, name: &str) -> Option<Vec<Sym>> {
        match of {
            Ty::Own(sym, _) => {
                let own = self.members.items(*sym, name);
                if !own.is_empty() {
                    return Some(own.to_vec());
                }
                let mut found = Vec::new();
                for block in self.members.blocks_of_type(*sym) {
                    let items = self.members.items(block.block, name);
                    found.extend(items.iter().copied());
                    if let Implements::Trait(of) = block.implements {
                        found.extend(self.of_trait(of, name, 0));
                    }
                }
                found.sort();
                found.dedup();
                (!found.is_empty()).then_some(found)
            }
            Ty::Bounds(traits) => {
                let found: Vec<Sym> = traits
                    .iter()
                    .flat_map(|of| self.of_trait(*of, name, 0))
                    .collect();
                (!found.is_empty()).then_some(found)
            }
            _ => None,
        }
    }

    /// The items of a name that a type has by some traits of the project, or by any other ones if there
    /// are none.
    pub fn items_as(self, of: &Ty, traits: &[Sym], name: &str) -> Vec<Sym> {
        let blocks = match of {
            Ty::Own(sym, _) => Some(self.members.blocks_of_type(*sym)),
            _ => None,
        };
        let is_meant = |block: &&Block| match block.implements {
            Implements::Trait(of) => traits.contains(&of),
            Implements::Foreign => traits.is_empty(),
            Implements::Nothing => false,
        };
        let blocks = blocks.into_iter().flatten().filter(is_meant);
        let of_blocks = blocks.flat_map(|block| self.members.items(block.block, name));
        let of_traits = traits.iter().flat_map(|of| self.of_trait(*of, name, 0));
        let mut found: Vec<Sym> = of_blocks.copied().chain(of_traits).collect();
        found.sort();
        found.dedup();
        found
    }

    fn of_trait(self, of: Sym, name: &str, depth: u32) -> Vec<Sym> {
        let own = self.members.items(of, name);
        if !own.is_empty() || depth > 8 {
            return own.to_vec();
        }
        let Some((def, home)) = self.map.def(of).zip(self.map.home(of)) else {
            return Vec::new();
        };
        let above = def.traits.iter().filter_map(|of| match of {
            TypeRef::Path(path, _) => item_at(self.map, home, path),
            _ => None,
        });
        above
            .flat_map(|above| self.of_trait(above, name, depth + 1))
            .collect()
    }

    /// Items that a name may mean on a type of which no such item is known.
    pub fn by_name(self, of: &Ty, name: &str) -> Vec<Sym> {
        let all = |index: &std::collections::BTreeMap<Name, Vec<Sym>>| {
            index.get(name).cloned().unwrap_or_default()
        };
        match of {
            // Only traits give members to what is defined elsewhere.
            Ty::Foreign(..) | Ty::Tuple(_) | Ty::Function(_) => {
                let mut found = all(&self.members.by_trait);
                found.retain(|sym| self.may_be_foreign(*sym));
                found
            }
            Ty::Own(sym, _) if !self.is_pointer(*sym) => all(&self.members.by_trait),
            _ => all(&self.members.methods),
        }
    }

    /// Whether an item of a trait may be one of a type of other code.
    fn may_be_foreign(self, sym: Sym) -> bool {
        let Some(def) = self.map.def(sym) else {
            return false;
        };
        let container = Sym {
            file: sym.file,
            def: def.container,
        };
        match self.members.block(container) {
            Some(block) => block.of.is_none(),
            None => true,
        }
    }

    /// Whether a type gives the members of another one (`Deref`).
    fn is_pointer(self, sym: Sym) -> bool {
        self.members.blocks_of_type(sym).any(|block| {
            let def = self.map.def(block.block);
            let implemented = def.and_then(|def| def.traits.first());
            matches!(implemented, Some(TypeRef::Path(path, _)) if path.last().is_some_and(|name| name == "Deref"))
        })
    }
}

fn parameter(env: &Env, name: &Name) -> Ty {
    let found = env.parameters.iter().find(|(known, _)| known == name);
    found.map(|(_, of)| of.clone()).unwrap_or_default()
}

/// A type of other code.
pub(super) fn foreign(name: &Name, mut arguments: Vec<Ty>) -> Ty {
    if TRANSPARENT.contains(&name.as_str()) {
        return arguments.pop().unwrap_or_default();
    }
    if CLOSED.contains(&name.as_str()) {
        return Ty::Foreign(name.clone(), arguments);
    }
    Ty::Unknown
}

/// What a method of a type of other code gives.
pub(super) fn foreign_result(of: &Ty, method: &str) -> Ty {
    let Ty::Foreign(name, arguments) = of else {
        return Ty::Unknown;
    };
    if TO_ARGUMENT.contains(&method) {
        return arguments.first().cloned().unwrap_or_default();
    }
    if TO_SAME.contains(&method) {
        return of.clone();
    }
    // Iterating over a map gives pairs.
    let is_map = matches!(name.as_str(), "HashMap" | "BTreeMap");
    if TO_OPTION.contains(&method) && (!is_map || method.starts_with("get")) {
        let item = arguments.last().cloned().unwrap_or_default();
        return Ty::Foreign(Name::new_static("Option"), vec![item]);
    }
    match (name.as_str(), method) {
        (_, "len" | "count" | "position" | "capacity") => {
            Ty::Foreign(Name::new_static("usize"), Vec::new())
        }
        (_, "to_string" | "join" | "to_uppercase" | "to_lowercase") => {
            Ty::Foreign(Name::new_static("String"), Vec::new())
        }
        (_, "as_str" | "trim" | "as_bytes") => Ty::Foreign(Name::new_static("str"), Vec::new()),
        (
            _,
            "is_empty" | "is_some" | "is_none" | "is_ok" | "is_err" | "contains" | "starts_with",
        ) => Ty::Foreign(Name::new_static("bool"), Vec::new()),
        ("HashMap" | "BTreeMap", "values" | "values_mut" | "into_values") => Ty::Foreign(
            Name::new_static("slice"),
            arguments.last().cloned().into_iter().collect(),
        ),
        ("HashMap" | "BTreeMap", "keys" | "into_keys") => Ty::Foreign(
            Name::new_static("slice"),
            arguments.first().cloned().into_iter().collect(),
        ),
        ("Result", "err" | "unwrap_err" | "expect_err") => {
            let error = arguments.get(1).cloned().unwrap_or_default();
            match method {
                "err" => Ty::Foreign(Name::new_static("Option"), vec![error]),
                _ => error,
            }
        }
        _ => Ty::Unknown,
    }
}

/// What iteration gives.
pub(super) fn item_of(of: &Ty) -> Ty {
    match of {
        Ty::Foreign(name, arguments) if matches!(name.as_str(), "HashMap" | "BTreeMap") => {
            Ty::Tuple(arguments.clone())
        }
        Ty::Foreign(_, arguments) => arguments.first().cloned().unwrap_or_default(),
        _ => Ty::Unknown,
    }
}
