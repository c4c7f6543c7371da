//! The functions that a Go file declares, from its syntax tree.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use grammars::tree_sitter::Node;
use grammars::{Language, SourceText, SyntaxTree};

/// A function, method or package-level function literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    /// `Func`, `Type.Method`, or the variable that holds a literal.
    pub(super) name: String,
    /// Its lines, counted from 1.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) kind: Kind,
}

/// What a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function that `go test` runs.
    Test,
    Function,
    Method,
    /// A package-level variable or constant.
    Variable,
}

/// All declarations of a file in its order; none if it cannot be read.
pub(super) fn of_file(path: &Path) -> Vec<Declaration> {
    fs::read(path).map_or_else(|_| Vec::new(), |bytes| of_text(&bytes))
}

/// The declaration that a line lies in.
pub(super) fn around(declarations: &[Declaration], line: u32) -> Option<&Declaration> {
    let holds = |found: &&Declaration| found.first <= line && line <= found.last;
    declarations.iter().find(holds)
}

fn of_text(bytes: &[u8]) -> Vec<Declaration> {
    let bytes: Arc<[u8]> = Arc::from(bytes);
    let tree = grammars::parse(Language::Go, &SourceText::new(Some(Language::Go), &bytes));
    let root = tree.root();
    let mut cursor = root.walk();
    let nodes = root.named_children(&mut cursor);
    nodes.flat_map(|node| of_node(&tree, node)).collect()
}

fn of_node(tree: &SyntaxTree, node: Node<'_>) -> Vec<Declaration> {
    match node.kind() {
        "function_declaration" => function(tree, node).into_iter().collect(),
        "method_declaration" => method(tree, node).into_iter().collect(),
        "var_declaration" | "var_spec_list" => {
            let mut cursor = node.walk();
            let specs: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            specs
                .into_iter()
                .flat_map(|spec| of_node(tree, spec))
                .collect()
        }
        "var_spec" => variable(tree, node).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn declaration(node: Node<'_>, name: String, kind: Kind) -> Declaration {
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    Declaration {
        name,
        first: line(node.start_position().row),
        last: line(node.end_position().row),
        kind,
    }
}

fn function(tree: &SyntaxTree, node: Node<'_>) -> Option<Declaration> {
    let name = tree.text_of(node.child_by_field_name("name")?);
    let kind = if is_test(tree, node, name) {
        Kind::Test
    } else {
        Kind::Function
    };
    Some(declaration(node, name.to_owned(), kind))
}

fn method(tree: &SyntaxTree, node: Node<'_>) -> Option<Declaration> {
    let name = tree.text_of(node.child_by_field_name("name")?);
    let receiver = first_type(tree, node.child_by_field_name("receiver")?)?;
    Some(declaration(
        node,
        format!("{receiver}.{name}"),
        Kind::Method,
    ))
}

fn variable(tree: &SyntaxTree, node: Node<'_>) -> Option<Declaration> {
    let name = tree.text_of(node.child_by_field_name("name")?);
    Some(declaration(node, name.to_owned(), Kind::Variable))
}

/// The name of the receiver's type, without pointer and type parameters.
fn first_type<'t>(tree: &'t SyntaxTree, node: Node<'_>) -> Option<&'t str> {
    if node.kind() == "type_identifier" {
        return Some(tree.text_of(node));
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    children
        .into_iter()
        .find_map(|child| first_type(tree, child))
}

/// Whether `go test` runs a function of a test file, by its name and parameter. An example without an
/// output comment is only compiled.
fn is_test(tree: &SyntaxTree, node: Node<'_>, name: &str) -> bool {
    let parameters = node.child_by_field_name("parameters");
    let takes = |wanted: char| {
        let text = parameters.map_or("", |list| tree.text_of(list));
        text.trim_end_matches([')', ',', ' ']).ends_with(wanted) && text.contains('*')
    };
    has_prefix(name, "Test") && takes('T')
        || has_prefix(name, "Fuzz") && takes('F')
        || has_prefix(name, "Example") && has_output(tree, node)
}

/// `Test` and `TestX` are tests, `Testament` is not.
fn has_prefix(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// Whether a comment says what is printed.
fn has_output(tree: &SyntaxTree, node: Node<'_>) -> bool {
    if node.kind() == "comment" {
        let text = tree
            .text_of(node)
            .trim_start_matches(['/', '*'])
            .trim_start();
        let text = text.to_lowercase();
        return text.starts_with("output:") || text.starts_with("unordered output:");
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    children.into_iter().any(|child| has_output(tree, child))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn functions_methods_and_variables_have_lines_and_kinds() {
        let text = "package p

var (
\ta = 1
\tb = func() int {
\t\treturn 2
\t}
)

// F does it.
func F() {
\tfunc() {}()
}

func (t *T[K]) M() {}
func (T) N() {}
func Test(t *testing.T) {}
func TestX(t *testing.T) {}
func Testament(t *testing.T) {}
func TestMain(m *testing.M) {}
func BenchmarkX(b *testing.B) {}
func FuzzX(f *testing.F) {}
func ExampleF() {
\t// Output: 1
}
func ExampleG() {}
func init() {}
";
        let found: Vec<String> = of_text(text.as_bytes())
            .iter()
            .map(|found| {
                format!(
                    "{}-{} {} {:?}\n",
                    found.first, found.last, found.name, found.kind
                )
            })
            .collect();
        expect![[r#"
            4-4 a Variable
            5-7 b Variable
            11-13 F Function
            15-15 T.M Method
            16-16 T.N Method
            17-17 Test Test
            18-18 TestX Test
            19-19 Testament Function
            20-20 TestMain Function
            21-21 BenchmarkX Function
            22-22 FuzzX Test
            23-25 ExampleF Test
            26-26 ExampleG Function
            27-27 init Function
        "#]]
        .assert_eq(&found.concat());
    }
}
