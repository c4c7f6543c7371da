//! Small questions to the exact syntax tree.

use grammars::rust::syntax::ast::{self, AstToken, HasAttrs};
use grammars::rust::syntax::{AstNode, SyntaxElement, SyntaxKind, SyntaxNode, TextRange};

use super::items::{Path, TypeRef};
use crate::facts::Name;
use crate::symbol::ByteRange;

/// A range as the rest of the program has it.
pub(super) fn bytes(range: TextRange) -> ByteRange {
    usize::from(range.start())..usize::from(range.end())
}

/// The range of a node.
pub(super) fn range(node: &SyntaxNode) -> ByteRange {
    bytes(node.text_range())
}

/// An item without the blanks and plain comments before it.
pub(super) fn full(node: &SyntaxNode) -> ByteRange {
    let start = node
        .children_with_tokens()
        .find(|element| !is_filler(element))
        .map_or(node.text_range().start(), |element| {
            element.text_range().start()
        });
    usize::from(start)..usize::from(node.text_range().end())
}

fn is_filler(element: &SyntaxElement) -> bool {
    match element.as_token() {
        Some(token) => match ast::Comment::cast(token.clone()) {
            Some(comment) => !comment.is_doc(),
            None => token.kind() == SyntaxKind::WHITESPACE,
        },
        None => false,
    }
}

/// The documentation before an item, from the first comment to the last.
pub(super) fn doc(node: &SyntaxNode) -> Option<ByteRange> {
    let mut docs = node
        .children_with_tokens()
        .filter_map(|element| element.into_token())
        .filter_map(ast::Comment::cast)
        .filter(|comment| comment.is_doc() && comment.is_outer());
    let first = docs.next()?;
    let last = docs.last().unwrap_or_else(|| first.clone());
    Some(
        usize::from(first.syntax().text_range().start())
            ..usize::from(last.syntax().text_range().end()),
    )
}

/// Whether the item is compiled or run for tests only.
pub(super) fn is_test(node: &impl HasAttrs) -> bool {
    node.attrs().any(|attribute| is_test_attribute(&attribute))
}

fn is_test_attribute(attribute: &ast::Attr) -> bool {
    let Some(meta) = attribute.meta() else {
        return false;
    };
    if let ast::Meta::CfgMeta(meta) = &meta {
        return meta
            .cfg_predicate()
            .is_some_and(|predicate| demands_test(&predicate));
    }
    let name = meta.path().as_ref().and_then(last_name);
    name.is_some_and(|name| {
        matches!(
            name.as_str(),
            "test"
                | "bench"
                | "rstest"
                | "test_case"
                | "quickcheck"
                | "test_log"
                | "wasm_bindgen_test"
        )
    })
}

/// `test`, `all(test, …)`
fn demands_test(predicate: &ast::CfgPredicate) -> bool {
    match predicate {
        ast::CfgPredicate::CfgAtom(atom) => atom.syntax().text() == "test",
        ast::CfgPredicate::CfgComposite(composite) => {
            composite.syntax().text().to_string().starts_with("all")
                && composite
                    .cfg_predicates()
                    .any(|predicate| demands_test(&predicate))
        }
    }
}

/// The last name of a path.
pub(super) fn last_name(path: &ast::Path) -> Option<Name> {
    Some(name(&path.segment()?.name_ref()?))
}

/// A name without the mark of a raw identifier.
pub(super) fn name(name: &ast::NameRef) -> Name {
    plain(name.text())
}

/// A name without the mark of a raw identifier.
pub(super) fn plain(text: &str) -> Name {
    Name::new(text.strip_prefix("r#").unwrap_or(text))
}

/// The segments of a path from the first to the last.
pub(super) fn segments(path: &ast::Path) -> Vec<ast::PathSegment> {
    let mut segments: Vec<ast::PathSegment> =
        std::iter::successors(Some(path.clone()), ast::Path::qualifier)
            .filter_map(|path| path.segment())
            .collect();
    segments.reverse();
    segments
}

/// A path as names; `None` if it starts with a type in brackets.
pub(super) fn path_of(path: &ast::Path) -> Option<Path> {
    let mut names = Path::new();
    for (index, segment) in segments(path).iter().enumerate() {
        if index == 0 && segment.coloncolon_token().is_some() {
            names.push(Name::default());
        }
        names.push(segment_name(segment)?);
    }
    Some(names)
}

/// The name of a segment; keywords are names.
pub(super) fn segment_name(segment: &ast::PathSegment) -> Option<Name> {
    segment.name_ref().map(|found| name(&found))
}

/// A type as far as it helps.
pub(super) fn type_ref(of: Option<ast::Type>) -> TypeRef {
    type_ref_within(of, 0)
}

/// Types that nest deeper are not looked into.
const DEEPEST: u32 = 16;

fn type_ref_within(of: Option<ast::Type>, depth: u32) -> TypeRef {
    let inner = |of| type_ref_within(of, depth + 1);
    if depth > DEEPEST {
        return TypeRef::Unknown;
    }
    match of {
        Some(ast::Type::PathType(of)) => of
            .path()
            .map_or(TypeRef::Unknown, |path| path_type(&path, depth)),
        Some(ast::Type::RefType(of)) => inner(of.ty()),
        Some(ast::Type::PtrType(of)) => inner(of.ty()),
        Some(ast::Type::ParenType(of)) => inner(of.ty()),
        Some(ast::Type::ForType(of)) => inner(of.ty()),
        Some(ast::Type::SliceType(of)) => TypeRef::Slice(Box::new(inner(of.ty()))),
        Some(ast::Type::ArrayType(of)) => TypeRef::Slice(Box::new(inner(of.ty()))),
        Some(ast::Type::TupleType(of)) => {
            TypeRef::Tuple(of.fields().map(|it| inner(Some(it))).collect())
        }
        Some(ast::Type::FnPtrType(of)) => {
            TypeRef::Function(Box::new(inner(of.ret_type().and_then(|it| it.ty()))))
        }
        Some(ast::Type::ImplTraitType(of)) => bounds(of.type_bound_list(), depth),
        Some(ast::Type::DynTraitType(of)) => bounds(of.type_bound_list(), depth),
        _ => TypeRef::Unknown,
    }
}

fn path_type(path: &ast::Path, depth: u32) -> TypeRef {
    let Some(names) = path_of(path) else {
        return TypeRef::Unknown;
    };
    let segment = path.segment();
    if let Some(arguments) = segment
        .as_ref()
        .and_then(ast::PathSegment::parenthesized_arg_list)
    {
        let _ = arguments;
        let result = segment.and_then(|it| it.ret_type()).and_then(|it| it.ty());
        return TypeRef::Function(Box::new(type_ref_within(result, depth + 1)));
    }
    let arguments = segment.and_then(|segment| {
        use ast::HasGenericArgs;
        segment.generic_arg_list()
    });
    let arguments = arguments.into_iter().flat_map(|list| list.generic_args());
    let types = arguments.filter_map(|argument| match argument {
        ast::GenericArg::TypeArg(argument) => Some(type_ref_within(argument.ty(), depth + 1)),
        // `Iterator<Item = T>`
        ast::GenericArg::AssocTypeArg(argument) => Some(type_ref_within(argument.ty(), depth + 1)),
        _ => None,
    });
    TypeRef::Path(names, types.collect())
}

fn bounds(list: Option<ast::TypeBoundList>, depth: u32) -> TypeRef {
    let bounds = list.into_iter().flat_map(|list| list.bounds());
    let types = bounds.filter_map(|bound| bound.ty());
    TypeRef::Bounds(
        types
            .map(|of| type_ref_within(Some(of), depth + 1))
            .collect(),
    )
}

/// The traits of a list of bounds.
pub(super) fn bound_refs(list: Option<ast::TypeBoundList>) -> Vec<TypeRef> {
    match bounds(list, 0) {
        TypeRef::Bounds(bounds) => bounds,
        _ => Vec::new(),
    }
}
