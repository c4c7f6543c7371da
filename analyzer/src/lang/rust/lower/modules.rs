//! Modules and what `use` items bring into them.

use grammars::rust::syntax::ast::{self, HasAttrs, HasModuleItem, HasName, HasVisibility};
use grammars::rust::syntax::{AstNode, SyntaxNode};

use super::{Lower, Place};
use crate::facts::Name;
use crate::lang::rust::items::{Import, ItemKind, Path, Source, Span};
use crate::lang::rust::syntax::{self, plain, range};
use crate::symbol::{ByteRange, SymbolKind};

impl Lower {
    pub fn module(&mut self, place: Place, node: &ast::Module) {
        let Some(list) = node.item_list() else {
            return self.file_module(place, node);
        };
        let body = Some(list.syntax());
        let Some(declared) = Self::declared(node, ItemKind::Module, SymbolKind::Namespace, body)
        else {
            return;
        };
        let name = declared.def.name.clone();
        let (def, inside) = self.add(place, declared);
        let scope = self.open(true, place.scope, def);
        if let Some(def) = self.items.defs.get_mut(def.0 as usize) {
            def.body = Some(scope);
        }
        if let Some(outer) = self.items.scopes.get_mut(place.scope as usize) {
            outer.modules.push((name, scope));
        }
        self.items(Place { scope, ..inside }, list.items());
    }

    /// `mod name;`
    fn file_module(&mut self, place: Place, node: &ast::Module) {
        let Some(name) = node.name() else { return };
        let path = node.attrs().find_map(|attribute| match attribute.meta()? {
            ast::Meta::KeyValueMeta(meta)
                if meta.path().as_ref().and_then(syntax::last_name)? == "path" =>
            {
                let text = meta.expr()?.syntax().text().to_string();
                Some(Name::new(text.trim_matches('"')))
            }
            _ => None,
        });
        let name = plain(name.text());
        let full = syntax::full(node.syntax());
        self.import(
            place,
            node.syntax(),
            full,
            name.clone(),
            Source::File(name, path),
            node.visibility().is_some(),
        );
    }

    pub fn extern_crate(&mut self, place: Place, node: &ast::ExternCrate) {
        let Some(name) = node.name_ref() else { return };
        let name = syntax::name(&name);
        let bound = match node.rename() {
            Some(rename) => renamed(&rename),
            None => name.clone(),
        };
        let full = syntax::full(node.syntax());
        self.import(
            place,
            node.syntax(),
            full,
            bound,
            Source::Crate(name),
            node.visibility().is_some(),
        );
    }

    fn use_tree(&mut self, place: Place, node: &ast::Use, tree: &ast::UseTree, mut path: Path) {
        let own = tree.path();
        path.extend(own.as_ref().and_then(syntax::path_of).unwrap_or_default());
        if path.is_empty() && tree.coloncolon_token().is_some() {
            path.push(Name::default());
        }
        if let Some(list) = tree.use_tree_list() {
            for tree in list.use_trees() {
                self.use_tree(place, node, &tree, path.clone());
            }
            return;
        }
        let is_self = path.len() > 1 && path.last().is_some_and(|last| last == "self");
        if is_self {
            path.pop();
        }
        let bound = match (tree.star_token(), tree.rename()) {
            (Some(_), _) => Name::new_static("*"),
            (None, Some(rename)) => renamed(&rename),
            (None, None) => path.last().cloned().unwrap_or_default(),
        };
        self.import(
            place,
            node.syntax(),
            range(tree.syntax()),
            bound,
            Source::Path(path),
            node.visibility().is_some(),
        );
    }

    pub fn use_item(&mut self, place: Place, node: &ast::Use) {
        if let Some(tree) = node.use_tree() {
            self.use_tree(place, node, &tree, Path::new());
        }
    }

    fn import(
        &mut self,
        place: Place,
        statement: &SyntaxNode,
        item: ByteRange,
        bound: Name,
        source: Source,
        is_public: bool,
    ) {
        self.items.imports.push(Import {
            scope: place.scope,
            bound,
            source,
            is_public,
        });
        self.spans.push(Span {
            statement: syntax::full(statement),
            item,
            from: place.container,
        });
    }
}

fn renamed(rename: &ast::Rename) -> Name {
    match rename.name() {
        Some(name) => plain(name.text()),
        None => Name::new_static("_"),
    }
}
