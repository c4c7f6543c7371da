//! Import statements, and `__all__`, the list of a module's public names.

use grammars::tree_sitter::Node;

use crate::facts::{Binding, DefId, ExportPart, Expr, ImportPath, MODULE_SCOPE, Name, RawImport};
use crate::symbol::ByteRange;

use super::lower::Pass;
use super::nodes::{children, field, fields};

const PUBLIC_LIST: &str = "__all__";

impl<'t> Pass<'t> {
    /// Any of the three import statements.
    pub fn import_statement(&mut self, node: Node<'_>) {
        let statement = self.range(node);
        let (level, module) = match field(node, "module_name") {
            Some(module) => self.module_name(module),
            None => (0, String::new()),
        };
        match node.kind() {
            "import_statement" => {
                for item in fields(node, "name") {
                    self.import_module(&statement, item);
                }
            }
            "import_from_statement" => {
                for item in fields(node, "name") {
                    self.import_member(&statement, item, level, &module);
                }
                for star in children(node)
                    .into_iter()
                    .filter(|part| part.kind() == "wildcard_import")
                {
                    self.import_star(&statement, star, level, &module);
                }
            }
            _ => {
                let names = fields(node, "name");
                self.postponed_annotations |=
                    names.iter().any(|name| self.text(*name) == "annotations");
            }
        }
    }

    /// `..a.b` is two levels and `a.b`.
    fn module_name(&self, node: Node<'_>) -> (u32, String) {
        let text = self.text(node);
        let dots = text
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .take_while(|byte| *byte == b'.')
            .count();
        let name = text.trim_start_matches(|c: char| c == '.' || c.is_whitespace());
        (u32::try_from(dots).unwrap_or(u32::MAX), dotted(name))
    }

    /// `import a.b` binds `a`; `import a.b as c` binds `a.b`.
    fn import_module(&mut self, statement: &ByteRange, item: Node<'_>) {
        let (name, alias) = name_and_alias(item);
        let module = dotted(self.text(name));
        let top = module.split('.').next().unwrap_or_default();
        let path = |module: &str| ImportPath {
            level: 0,
            module: Name::new(module),
            member: None,
        };
        match alias {
            Some(alias) => {
                let bound = self.name(alias);
                self.import(statement, item, bound.clone(), path(&module));
                self.bind(bound, Binding::Import(path(&module)));
            }
            None => {
                self.import(statement, item, Name::new(top), path(&module));
                self.bind(Name::new(top), Binding::Import(path(top)));
            }
        }
    }

    fn import_member(&mut self, statement: &ByteRange, item: Node<'_>, level: u32, module: &str) {
        let (name, alias) = name_and_alias(item);
        let member = Some(self.name(name));
        let bound = self.name(alias.unwrap_or(name));
        let path = ImportPath {
            level,
            module: Name::new(module),
            member,
        };
        self.import(statement, item, bound.clone(), path.clone());
        self.bind(bound, Binding::Import(path));
    }

    fn import_star(&mut self, statement: &ByteRange, star: Node<'_>, level: u32, module: &str) {
        let path = ImportPath {
            level,
            module: Name::new(module),
            member: None,
        };
        self.import(statement, star, Name::new_static("*"), path.clone());
        let here = self.place.scope;
        self.scope(here).stars.push(path);
    }

    fn import(&mut self, statement: &ByteRange, item: Node<'_>, bound: Name, path: ImportPath) {
        self.imports.push(RawImport {
            statement: statement.clone(),
            item: self.range(item),
            bound,
            scope: self.place.scope,
            from: self.place.symbol,
            path,
            runs: self.place.runs,
        });
    }

    /// Whether a node is `__all__` at module level.
    pub fn is_public_list(&self, node: Node<'_>) -> bool {
        self.place.scope == MODULE_SCOPE
            && node.kind() == "identifier"
            && self.text(node) == PUBLIC_LIST
    }

    /// The latest definition of `__all__`.
    pub fn symbol_of_public_list(&mut self) -> Option<DefId> {
        self.scope(MODULE_SCOPE)
            .names
            .get(PUBLIC_LIST)?
            .iter()
            .rev()
            .find_map(|binding| match binding {
                Binding::Definition(definition) => Some(*definition),
                _ => None,
            })
    }

    /// Reads names off what is assigned or added to `__all__`.
    pub fn export_list(&mut self, node: Node<'_>, replaces: bool) {
        let mut parts = Vec::new();
        self.export_parts(node, &mut parts);
        let all = self.export_parts.get_or_insert_default();
        if replaces {
            // `__all__ = __all__ + […]` keeps what was there.
            let keeps = parts
                .iter()
                .any(|part| matches!(part, ExportPart::Name(name) if name == PUBLIC_LIST));
            if !keeps {
                all.clear();
            }
            parts.retain(|part| !matches!(part, ExportPart::Name(name) if name == PUBLIC_LIST));
        }
        self.export_parts.get_or_insert_default().append(&mut parts);
    }

    fn export_parts(&mut self, node: Node<'_>, parts: &mut Vec<ExportPart>) {
        match node.kind() {
            "string" => {
                let range = self.range(node);
                let name = children(node)
                    .into_iter()
                    .find(|part| part.kind() == "string_content")
                    .map(|content| self.name(content))
                    .unwrap_or_default();
                self.exports.push((range, name.clone()));
                parts.push(ExportPart::Name(name));
            }
            "identifier" if self.text(node) == PUBLIC_LIST => {
                parts.push(ExportPart::Name(Name::new_static(PUBLIC_LIST)))
            }
            "attribute" if self.attribute_name(node) == PUBLIC_LIST => {
                if let Some(object) = field(node, "object") {
                    let module = self.quiet_value(object);
                    parts.push(ExportPart::AllOf(module));
                }
            }
            "call" => {
                // `list(other.__all__)`, `sorted([…])`
                for argument in field(node, "arguments").map(children).unwrap_or_default() {
                    self.export_parts(argument, parts);
                }
            }
            "list_comprehension" | "generator_expression" | "lambda" | "subscript" => {}
            _ => {
                for part in children(node) {
                    self.export_parts(part, parts);
                }
            }
        }
    }

    /// `__all__.extend(…)`, `.append(…)` add names.
    pub fn public_list_call(&mut self, function: Node<'_>, arguments: Option<Node<'_>>) {
        let Some(object) = field(function, "object") else {
            return;
        };
        let adds = matches!(
            self.attribute_name(function),
            "extend" | "append" | "insert"
        );
        if adds && self.is_public_list(object) {
            for argument in arguments.map(children).unwrap_or_default() {
                self.export_list(argument, false);
            }
        }
    }

    fn attribute_name(&self, node: Node<'_>) -> &'t str {
        field(node, "attribute").map_or("", |name| self.text(name))
    }

    /// The value of a dotted expression whose names were visited before.
    fn quiet_value(&mut self, node: Node<'_>) -> crate::facts::ExprId {
        match (field(node, "object"), field(node, "attribute")) {
            (Some(object), Some(attribute)) => {
                let object = self.quiet_value(object);
                let name = self.name(attribute);
                self.add(Expr::Attribute(object, name))
            }
            _ => {
                let name = self.name(node);
                self.add(Expr::Name(MODULE_SCOPE, name))
            }
        }
    }
}

/// The two parts of `name as alias`.
fn name_and_alias(item: Node<'_>) -> (Node<'_>, Option<Node<'_>>) {
    match field(item, "name") {
        Some(name) => (name, field(item, "alias")),
        None => (item, None),
    }
}

/// A dotted name without the blanks that may stand around its dots.
fn dotted(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '\\')
        .collect()
}
