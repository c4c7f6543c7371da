//! Types, traits, macros and implementations.

use grammars::rust::syntax::AstNode;
use grammars::rust::syntax::ast::{
    self, HasAttrs, HasDocComments, HasGenericParams, HasName, HasTypeBounds,
};

use super::{Declared, Lower, Place, def};
use crate::facts::Name;
use crate::lang::rust::items::{Bounds, ItemKind, TypeRef};
use crate::lang::rust::syntax::{self, bound_refs, plain, range, type_ref};
use crate::symbol::SymbolKind;

impl Lower {
    pub fn structure<T: HasName + HasAttrs + HasDocComments + HasGenericParams>(
        &mut self,
        place: Place,
        node: &T,
        fields: Option<ast::FieldList>,
    ) {
        let body = fields.as_ref().map(|fields| fields.syntax().clone());
        let Some(mut declared) =
            Self::declared(node, ItemKind::Struct, SymbolKind::Class, body.as_ref())
        else {
            return;
        };
        declared.def.is_value = !matches!(fields, Some(ast::FieldList::RecordFieldList(_)));
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.derives = derives(node);
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        self.fields(inside, fields);
    }

    fn fields(&mut self, place: Place, fields: Option<ast::FieldList>) {
        let Some(ast::FieldList::RecordFieldList(fields)) = fields else {
            return self.positional_fields(place, fields);
        };
        for field in fields.fields() {
            let declared = Self::declared(&field, ItemKind::Field, SymbolKind::Field, None);
            if let Some(mut declared) = declared {
                declared.def.of = type_ref(field.ty());
                self.add(place, declared);
            }
        }
    }

    /// Fields without names are no symbols, but their types are worth knowing: they are kept as the
    /// types of what holds them.
    fn positional_fields(&mut self, place: Place, fields: Option<ast::FieldList>) {
        let Some(ast::FieldList::TupleFieldList(fields)) = fields else {
            return;
        };
        let types = fields.fields().map(|field| type_ref(field.ty())).collect();
        if let Some(def) = self.items.defs.get_mut(place.container.0 as usize) {
            def.of = TypeRef::Tuple(types);
        }
    }

    pub fn enumeration(&mut self, place: Place, node: &ast::Enum) {
        let list = node.variant_list();
        let body = list.as_ref().map(|list| list.syntax());
        let Some(mut declared) = Self::declared(node, ItemKind::Enum, SymbolKind::Class, body)
        else {
            return;
        };
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.derives = derives(node);
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        for variant in list.into_iter().flat_map(|list| list.variants()) {
            let fields = variant.field_list();
            let Some(mut declared) =
                Self::declared(&variant, ItemKind::Variant, SymbolKind::Field, None)
            else {
                continue;
            };
            declared.def.is_value = !matches!(fields, Some(ast::FieldList::RecordFieldList(_)));
            let (_, inside) = self.add(inside, declared);
            self.fields(inside, fields);
        }
    }

    pub fn trait_item(&mut self, place: Place, node: &ast::Trait) {
        let list = node.assoc_item_list();
        let body = list.as_ref().map(|list| list.syntax());
        let Some(mut declared) = Self::declared(node, ItemKind::Trait, SymbolKind::Class, body)
        else {
            return;
        };
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.traits = bound_refs(node.type_bound_list());
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        let items = list.into_iter().flat_map(|list| list.assoc_items());
        self.items(inside, items.map(ast::Item::from));
    }

    pub fn alias(&mut self, place: Place, node: &ast::TypeAlias) {
        let Some(mut declared) = Self::declared(node, ItemKind::Alias, SymbolKind::Class, None)
        else {
            return;
        };
        declared.def.of = type_ref(node.ty());
        (declared.def.generics, declared.def.outer_bounds) = generics(node);
        declared.def.has_default = node.ty().is_some();
        let (def, _) = self.add(place, declared);
        if !self.is_member(place) {
            self.show(place.scope, def);
        }
    }

    pub fn macro_item<T: HasName + HasAttrs + HasDocComments>(
        &mut self,
        place: Place,
        node: &T,
        is_exported: bool,
    ) {
        let body = node
            .syntax()
            .children()
            .find(|child| ast::TokenTree::can_cast(child.kind()));
        let declared = Self::declared(node, ItemKind::Macro, SymbolKind::Macro, body.as_ref());
        if let Some(mut declared) = declared {
            declared.def.is_exported = is_exported;
            let (def, _) = self.add(place, declared);
            self.show(place.scope, def);
        }
    }

    pub fn implementation(&mut self, place: Place, node: &ast::Impl) {
        let (of, implemented) = (node.self_ty(), node.trait_());
        let Some(focus) = of.as_ref().map(|of| range(of.syntax())) else {
            return;
        };
        let (of, implemented) = (type_ref(of), implemented.map(|it| type_ref(Some(it))));
        let list = node.assoc_item_list();
        let mut def = def(type_name(&of), ItemKind::Impl);
        (def.generics, def.outer_bounds) = generics(node);
        def.of = of;
        let mark = implemented
            .as_ref()
            .map_or(Name::new_static("impl"), type_name);
        def.traits.extend(implemented);
        let declared = Declared {
            def,
            kind: SymbolKind::Implementation,
            full: syntax::full(node.syntax()),
            focus,
            body: list.as_ref().map(|list| range(list.syntax())),
            doc: syntax::doc(node.syntax()),
            is_test: syntax::is_test(node),
            mark: Some(mark),
        };
        let (def, inside) = self.add(place, declared);
        self.show(place.scope, def);
        let items = list.into_iter().flat_map(|list| list.assoc_items());
        self.items(inside, items.map(ast::Item::from));
    }
}

/// What a type is called in the id of a block of implementations.
fn type_name(of: &TypeRef) -> Name {
    match of {
        TypeRef::Path(path, _) => path.last().cloned().unwrap_or_default(),
        TypeRef::Slice(_) => Name::new_static("slice"),
        TypeRef::Tuple(_) => Name::new_static("tuple"),
        TypeRef::Function(_) => Name::new_static("fn"),
        TypeRef::Bounds(bounds) => bounds.first().map(type_name).unwrap_or_default(),
        TypeRef::Unknown => Name::new_static("type"),
    }
}

/// The type parameters of an item and their bounds, those of the where clause included; and what the
/// clause says about other names.
pub(super) fn generics(node: &impl HasGenericParams) -> (Bounds, Bounds) {
    let list = node.generic_param_list().into_iter();
    let parameters = list.flat_map(|list| list.generic_params());
    let (mut generics, mut others) = (Bounds::new(), Bounds::new());
    for parameter in parameters {
        if let ast::GenericParam::TypeParam(parameter) = parameter
            && let Some(name) = parameter.name()
        {
            let bounds = bound_refs(parameter.type_bound_list());
            generics.push((plain(name.text()), bounds));
        }
    }
    let clauses = node
        .where_clause()
        .into_iter()
        .flat_map(|it| it.predicates());
    for clause in clauses {
        if let TypeRef::Path(path, arguments) = type_ref(clause.ty())
            && let ([name], []) = (path.as_slice(), arguments.as_slice())
        {
            let bounds = bound_refs(clause.type_bound_list());
            match generics.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.extend(bounds),
                None => others.push((name.clone(), bounds)),
            }
        }
    }
    (generics, others)
}

/// The names in `#[derive(…)]`.
fn derives(node: &impl HasAttrs) -> Vec<Name> {
    let derived = node
        .attrs()
        .filter_map(|attribute| attribute.as_simple_call());
    let derived = derived.filter(|(name, _)| name == "derive");
    let tokens = derived.flat_map(|(_, tokens)| {
        let tokens = tokens.syntax().descendants_with_tokens();
        tokens.filter_map(|element| element.into_token())
    });
    tokens
        .filter(|token| token.kind() == grammars::rust::syntax::SyntaxKind::IDENT)
        .map(|token| plain(token.text()))
        .collect()
}
