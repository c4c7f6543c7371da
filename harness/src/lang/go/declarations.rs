//! The functions that a Go file declares: those of the analysis, so that a trace names them as it does.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use analyzer::symbol::{Symbol, SymbolKind};
use analyzer::{AnalysisHost, Change};
use grammars::SyntaxTree;
use grammars::tree_sitter::Node;

/// Any name of a Go file.
const NAME: &str = "file.go";

/// A function, a method, or a package-level variable, which may hold a function literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    /// `Func`, `Type.Method`, or the variable.
    pub(super) name: String,
    /// Its lines, counted from 1, with the comment that documents it.
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
    let mut host = AnalysisHost::new();
    host.apply(Change {
        files: vec![(NAME.to_owned(), Some(Arc::from(bytes)))],
        trace: None,
    });
    let analysis = host.analysis();
    let Some(tree) = analysis.syntax(NAME) else {
        return Vec::new();
    };
    let symbols = analysis.symbols(NAME);
    let declared = symbols
        .iter()
        .filter_map(|symbol| declaration(&tree, symbol));
    declared.collect()
}

fn declaration(tree: &SyntaxTree, symbol: &Symbol) -> Option<Declaration> {
    let kind = match symbol.kind {
        SymbolKind::Function if is_test(tree, symbol) => Kind::Test,
        SymbolKind::Function => Kind::Function,
        SymbolKind::Method => Kind::Method,
        SymbolKind::Variable => Kind::Variable,
        _ => return None,
    };
    let text = tree.text().slice(symbol.full.clone());
    let lines = u32::try_from(text.matches('\n').count()).ok()?;
    Some(Declaration {
        name: plain_chain(symbol.id.chain()),
        first: symbol.line,
        last: symbol.line + lines,
        kind,
    })
}

/// The chain without the numbers that tell several definitions of a name apart.
fn plain_chain(chain: &str) -> String {
    let links = chain
        .split('.')
        .map(|link| link.split('#').next().unwrap_or(link));
    links.collect::<Vec<_>>().join(".")
}

/// Whether `go test` runs a function of a test file, by its name and parameter. An example without an
/// output comment is only compiled.
fn is_test(tree: &SyntaxTree, symbol: &Symbol) -> bool {
    let name = symbol.id.name();
    let at = tree
        .root()
        .descendant_for_byte_range(symbol.focus.start, symbol.focus.end);
    let Some(function) = at.and_then(|name| name.parent()) else {
        return false;
    };
    let parameters = function.child_by_field_name("parameters");
    let takes = |wanted: char| {
        let text = parameters.map_or("", |list| tree.text_of(list));
        text.trim_end_matches([')', ',', ' ']).ends_with(wanted) && text.contains('*')
    };
    has_prefix(name, "Test") && takes('T')
        || has_prefix(name, "Fuzz") && takes('F')
        || has_prefix(name, "Example") && has_output(tree, function)
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
            10-13 F Function
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
