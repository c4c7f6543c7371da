//! Declarations of a package: functions, methods, types, variables and constants as symbols.

use std::ops::Range;

use grammars::tree_sitter::Node;

use crate::facts::{
    Binding, DefId, Definition, Expr, ExprId, ImportPath, MODULE, MODULE_SCOPE, Name, RawImport,
    ScopeId, ScopeKind, Use,
};
use crate::occurrence::{ReferenceKind, Runs};
use crate::symbol::{Symbol, SymbolId, SymbolKind};

use super::lower::{LITERAL, Pass, Place, UNKNOWN};
use super::nodes::{children, field, fields};
use super::packages;
use super::statements::specs;
use super::types::embedded_name;

/// What is declared, and where it stands.
struct Declared<'t> {
    kind: SymbolKind,
    container: DefId,
    /// The ids of methods carry the name of their type.
    id: SymbolId,
    name: Node<'t>,
    /// The declaration without its documentation.
    element: Node<'t>,
    body: Option<Node<'t>>,
}

impl<'t> Pass<'t> {
    /// Visits a file.
    pub fn file(&mut self, root: Node<'t>) {
        for node in children(root) {
            match node.kind() {
                "package_clause" => {
                    self.package = children(node).first().map(|name| self.name(*name))
                }
                "import_declaration" => self.import(node),
                "function_declaration" => self.function(node),
                "method_declaration" => self.method(node),
                "type_declaration" => self.types(node),
                "var_declaration" => self.variables(node),
                "const_declaration" => self.constants(node),
                _ => {
                    self.in_block(|pass| pass.visit(node));
                }
            }
        }
    }

    fn import(&mut self, statement: Node<'t>) {
        for item in specs(statement) {
            let Some(path) = field(item, "path") else {
                continue;
            };
            let path = Name::new(self.text(path).trim_matches(['"', '`']));
            let alias = field(item, "name").map(|name| self.name(name));
            let asked = ImportPath {
                level: 0,
                module: path.clone(),
                member: None,
            };
            let names = match alias.as_deref() {
                Some(".") => {
                    self.scopes[0].stars.push(asked.clone());
                    vec![Name::new_static("*")]
                }
                Some("_") => vec![Name::new_static("_")],
                Some(alias) => vec![Name::new(alias)],
                None => packages::likely_names(&path),
            };
            for name in names
                .iter()
                .filter(|name| !matches!(name.as_str(), "*" | "_"))
            {
                self.bind_in(MODULE_SCOPE, name.clone(), Binding::Import(asked.clone()));
            }
            self.imports.push(RawImport {
                statement: statement.byte_range(),
                item: item.byte_range(),
                bound: names.first().cloned().unwrap_or(path),
                scope: MODULE_SCOPE,
                from: MODULE,
                path: asked,
                runs: Runs::AtImport,
            });
        }
    }

    fn function(&mut self, node: Node<'t>) {
        let Some(name) = field(node, "name") else {
            return;
        };
        let text = self.name(name);
        let symbol = self.declare(Declared {
            kind: SymbolKind::Function,
            container: MODULE,
            id: self.module().member(&text),
            name,
            element: node,
            body: field(node, "body"),
        });
        self.symbols[symbol.0 as usize].is_test = self.is_test_file && is_test(&text);
        let is_initializer = text == "init";
        if is_initializer {
            let function = self.add(Expr::Definition(symbol));
            self.refer(name, ReferenceKind::Implicit, Use::Named(function));
        } else {
            self.bind_in(MODULE_SCOPE, text, Binding::Definition(symbol));
        }
        let runs = match is_initializer {
            true => Runs::AtImport,
            false => Runs::WhenCalled,
        };
        self.callable(symbol, node, runs);
    }

    fn method(&mut self, node: Node<'t>) {
        let Some(name) = field(node, "name") else {
            return;
        };
        let receiver = field(node, "receiver")
            .and_then(|list| children(list).first().copied())
            .and_then(|receiver| field(receiver, "type"));
        let owner = receiver.and_then(receiver_name);
        let text = self.name(name);
        let id = match owner {
            Some(owner) => self.module().member(self.text(owner)).member(&text),
            None => self.module().member(&text),
        };
        let symbol = self.declare(Declared {
            kind: SymbolKind::Method,
            container: MODULE,
            id,
            name,
            element: node,
            body: field(node, "body"),
        });
        if let Some(owner) = owner {
            let name = self.name(owner);
            let owner = self.add(Expr::Name(MODULE_SCOPE, name));
            self.definition(symbol).owner = Some(owner);
        }
        self.callable(symbol, node, Runs::WhenCalled);
    }

    /// The signature and the body of a function or method.
    fn callable(&mut self, symbol: DefId, node: Node<'t>, runs: Runs) {
        self.at(never(symbol), |pass| {
            pass.in_block(|pass| {
                pass.type_parameters(node);
                pass.receiver(node);
                let signature = pass.signature(node);
                pass.definition(symbol).declared = Some(signature);
                if let Some(body) = field(node, "body") {
                    let place = Place {
                        runs,
                        ..never(symbol)
                    };
                    pass.at(place, |pass| pass.visit(body));
                }
            });
        });
    }

    /// The receiver of a method; type arguments are names of its own.
    fn receiver(&mut self, node: Node<'t>) {
        let Some(receiver) =
            field(node, "receiver").and_then(|list| children(list).first().copied())
        else {
            return;
        };
        let Some(of) = field(receiver, "type") else {
            return;
        };
        for argument in type_arguments(of) {
            if let Some(name) = embedded_name(argument) {
                self.bind(name, UNKNOWN);
            }
        }
        let owner =
            receiver_name(of).map_or(UNKNOWN, |name| self.typed(name, ReferenceKind::Annotation));
        let value = self.instance(owner);
        for name in fields(receiver, "name") {
            self.bind(name, value);
        }
    }

    fn types(&mut self, declaration: Node<'t>) {
        for spec in specs(declaration) {
            if let Some((name, of)) = field(spec, "name").zip(field(spec, "type")) {
                self.named_type(declaration, spec, name, of);
            }
        }
    }

    fn named_type(&mut self, declaration: Node<'t>, spec: Node<'t>, name: Node<'t>, of: Node<'t>) {
        let text = self.name(name);
        let symbol = self.declare(Declared {
            kind: SymbolKind::Class,
            container: MODULE,
            id: self.module().member(&text),
            name,
            element: element_of(declaration, spec),
            body: members(of),
        });
        self.bind_in(MODULE_SCOPE, text, Binding::Definition(symbol));
        self.at(never(symbol), |pass| {
            pass.in_block(|pass| {
                pass.type_parameters(spec);
                match of.kind() {
                    "struct_type" => pass.struct_members(symbol, of),
                    "interface_type" => pass.interface_members(symbol, of),
                    _ if spec.kind() == "type_alias" => {
                        let meaning = pass.type_of(of);
                        pass.definition(symbol).bases.push(meaning);
                    }
                    _ => {
                        let underlying = pass.type_of(of);
                        pass.definition(symbol).declared = Some(underlying);
                    }
                }
            });
        });
    }

    fn open_members(&mut self, symbol: DefId) -> ScopeId {
        let scope = self.open_scope(ScopeKind::Class);
        self.definition(symbol).scope = Some(scope);
        scope
    }

    fn struct_members(&mut self, symbol: DefId, of: Node<'t>) {
        let scope = self.open_members(symbol);
        for declaration in children(of).into_iter().flat_map(children) {
            let Some(declared) = field(declaration, "type") else {
                continue;
            };
            let mut names = fields(declaration, "name");
            let is_embedded = names.is_empty();
            names.extend(embedded_name(declared).filter(|_| is_embedded));
            let symbols: Vec<DefId> = names
                .into_iter()
                .map(|name| self.member(symbol, scope, SymbolKind::Field, name, declaration))
                .collect();
            let first = symbols.first().copied().unwrap_or(symbol);
            let kind = match is_embedded {
                true => ReferenceKind::Base,
                false => ReferenceKind::Annotation,
            };
            let declared = self.at(never(first), |pass| pass.typed(declared, kind));
            for field in symbols {
                self.definition(field).declared = Some(declared);
            }
            if is_embedded {
                self.definition(symbol).bases.push(declared);
            }
        }
    }

    fn interface_members(&mut self, symbol: DefId, of: Node<'t>) {
        let scope = self.open_members(symbol);
        for element in children(of) {
            match field(element, "name").filter(|_| element.kind() == "method_elem") {
                Some(name) => {
                    let method = self.member(symbol, scope, SymbolKind::Method, name, element);
                    let signature = self.at(never(method), |pass| {
                        pass.in_block(|pass| pass.signature(element))
                    });
                    self.definition(method).declared = Some(signature);
                }
                None => {
                    let base = self.typed(element, ReferenceKind::Base);
                    self.definition(symbol).bases.push(base);
                }
            }
        }
    }

    /// A member that stands in its type.
    fn member(
        &mut self,
        container: DefId,
        scope: ScopeId,
        kind: SymbolKind,
        name: Node<'t>,
        element: Node<'t>,
    ) -> DefId {
        let text = self.name(name);
        let id = self.definition(container).id.member(&text);
        let symbol = self.declare(Declared {
            kind,
            container,
            id,
            name,
            element,
            body: None,
        });
        self.bind_in(scope, text, Binding::Definition(symbol));
        symbol
    }

    fn variables(&mut self, declaration: Node<'t>) {
        for spec in specs(declaration) {
            let names = fields(spec, "name");
            let symbols = self.declare_names(declaration, spec, &names, names.len() == 1);
            let first = symbols.iter().flatten().next().copied().unwrap_or(MODULE);
            let of = field(spec, "type");
            let declared = of.map(|of| self.at(never(first), |pass| pass.type_of(of)));
            let right = field(spec, "value").map(children).unwrap_or_default();
            let values = self.initializers(&symbols, first, &right);
            for (index, symbol) in symbols.iter().enumerate() {
                let Some(symbol) = *symbol else { continue };
                let value = values.get(index).copied();
                let is_blank = names.get(index).is_some_and(|name| self.text(*name) == "_");
                let definition = self.definition(symbol);
                definition.declared = declared;
                // The value of `var _ Interface = Type{}` says which type it is about.
                definition
                    .values
                    .extend(value.filter(|_| declared.is_none() || is_blank));
            }
        }
    }

    /// The values of the names of a specification; each belongs to its own name if it can.
    fn initializers(
        &mut self,
        symbols: &[Option<DefId>],
        first: DefId,
        right: &[Node<'t>],
    ) -> Vec<ExprId> {
        let place = |symbol| Place {
            symbol,
            runner: MODULE,
            runs: Runs::AtImport,
        };
        if right.len() != symbols.len() {
            return self.at(place(first), |pass| {
                pass.in_block(|pass| pass.values_for(right, symbols.len()))
            });
        }
        let pairs = right.iter().zip(symbols);
        pairs
            .map(|(node, symbol)| {
                let place = place(symbol.unwrap_or(first));
                self.at(place, |pass| pass.in_block(|pass| pass.visit(*node)))
            })
            .collect()
    }

    fn constants(&mut self, declaration: Node<'t>) {
        // A specification without values repeats the one before.
        let (mut declared, mut value) = (None, LITERAL);
        for spec in specs(declaration) {
            let names = fields(spec, "name");
            let symbols = self.declare_names(declaration, spec, &names, false);
            let first = symbols.iter().flatten().next().copied().unwrap_or(MODULE);
            if let Some(right) = field(spec, "value") {
                let of = field(spec, "type");
                declared = of.map(|of| self.at(never(first), |pass| pass.type_of(of)));
                value = LITERAL;
                for (index, node) in children(right).into_iter().enumerate() {
                    let own = symbols.get(index).copied().flatten().unwrap_or(first);
                    value = self.at(never(own), |pass| pass.in_block(|pass| pass.visit(node)));
                }
            }
            for symbol in symbols.into_iter().flatten() {
                let definition = self.definition(symbol);
                definition.declared = declared;
                definition
                    .values
                    .extend(Some(value).filter(|_| declared.is_none()));
            }
        }
    }

    /// Symbols for names; the blank name is none unless it stands for the whole specification.
    fn declare_names(
        &mut self,
        declaration: Node<'t>,
        spec: Node<'t>,
        names: &[Node<'t>],
        with_blank: bool,
    ) -> Vec<Option<DefId>> {
        let mut symbols = Vec::new();
        for name in names {
            let text = self.name(*name);
            let is_blank = text == "_";
            if is_blank && !with_blank {
                symbols.push(None);
                continue;
            }
            let symbol = self.declare(Declared {
                kind: SymbolKind::Variable,
                container: MODULE,
                id: self.module().member(&text),
                name: *name,
                element: element_of(declaration, spec),
                body: None,
            });
            if !is_blank {
                self.bind_in(MODULE_SCOPE, text, Binding::Definition(symbol));
            }
            symbols.push(Some(symbol));
        }
        symbols
    }

    fn module(&self) -> SymbolId {
        self.definitions[MODULE.0 as usize].id.clone()
    }

    fn declare(&mut self, declared: Declared<'t>) -> DefId {
        let id = self.unique(declared.id);
        let doc = self.documentation(declared.element);
        let start = doc
            .as_ref()
            .map_or(declared.element.start_byte(), |doc| doc.start);
        let container = self.definition(declared.container).id.clone();
        self.symbols.push(Symbol {
            id: id.clone(),
            kind: declared.kind,
            container: Some(container),
            full: start..declared.element.end_byte(),
            focus: declared.name.byte_range(),
            body: declared.body.map(|body| body.byte_range()),
            doc,
            is_test: false,
            line: self.line(start),
        });
        self.definitions
            .push(Definition::new(id, declared.kind, declared.container));
        DefId(u32::try_from(self.definitions.len() - 1).unwrap_or(0))
    }

    /// The second definition of a name has a number.
    fn unique(&mut self, id: SymbolId) -> SymbolId {
        let count = self.links.entry(id.clone()).or_default();
        *count += 1;
        match *count {
            1 => id,
            count => SymbolId::parse(&format!("{id}#{count}")),
        }
    }

    /// The comments directly above, directives for the compiler included.
    fn documentation(&self, element: Node<'t>) -> Option<Range<usize>> {
        let mut first = element;
        while let Some(above) = first.prev_sibling().filter(|above| {
            above.kind() == "comment"
                && above.end_position().row + 1 == first.start_position().row
                && self.starts_line(*above)
        }) {
            first = above;
        }
        let above = element.prev_sibling().filter(|_| first != element)?;
        Some(first.start_byte()..above.end_byte())
    }

    fn starts_line(&self, node: Node<'t>) -> bool {
        let before = self.tree.text().slice(0..node.start_byte());
        before
            .rsplit('\n')
            .next()
            .is_some_and(|line| line.trim().is_empty())
    }

    fn line(&self, offset: usize) -> u32 {
        let before = self.tree.text().slice(0..offset);
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }
}

/// A place that is read by the compiler only.
fn never(symbol: DefId) -> Place {
    Place {
        symbol,
        runner: symbol,
        runs: Runs::Never,
    }
}

/// The whole declaration if it is for one specification only, without parentheses.
fn element_of<'t>(declaration: Node<'t>, spec: Node<'t>) -> Node<'t> {
    let is_grouped = spec
        .prev_sibling()
        .is_some_and(|before| before.kind() != declaration.kind().trim_end_matches("_declaration"));
    if is_grouped { spec } else { declaration }
}

/// The part of a type that holds its members.
fn members(of: Node<'_>) -> Option<Node<'_>> {
    match of.kind() {
        "struct_type" => children(of).first().copied(),
        "interface_type" => Some(of),
        _ => None,
    }
}

/// The name of the type of a receiver.
fn receiver_name(of: Node<'_>) -> Option<Node<'_>> {
    embedded_name(of)
}

/// The names of a generic receiver's type arguments.
fn type_arguments(of: Node<'_>) -> Vec<Node<'_>> {
    match of.kind() {
        "pointer_type" | "parenthesized_type" => {
            children(of).into_iter().flat_map(type_arguments).collect()
        }
        "generic_type" => field(of, "type_arguments")
            .map(children)
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Whether `go test` takes a function for a test, by its name.
fn is_test(name: &str) -> bool {
    ["Test", "Benchmark", "Fuzz", "Example"]
        .iter()
        .any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        })
}
