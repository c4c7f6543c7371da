//! `use` items that lose some of their names, laid out as `rustfmt` does it.

use std::ops::Range;

use grammars::rust::syntax::ast;
use grammars::rust::syntax::{AstNode, SyntaxKind, SyntaxNode, T};

use super::nodes::range;
use crate::lang::lines::{Lines, Piece};

/// Lines longer than this are broken.
const WIDEST: usize = 100;

/// Takes names out of a `use` item; `false` if none is left.
pub(super) fn cut(lines: &mut Lines<'_>, statement: &ast::Use, items: &[Range<usize>]) -> bool {
    let Some(tree) = statement.use_tree() else {
        return false;
    };
    let Some(left) = Tree::read(&tree, items) else {
        return false;
    };
    let place = range(tree.syntax());
    let indent = lines.indent(lines.line_of(place.start)).to_owned();
    let ahead = place.start - lines.start_of(lines.line_of(place.start));
    let end = lines.line_end(place.start).to_owned();
    let mut tokens = tree.syntax().descendants_with_tokens();
    if !tokens.any(|it| it.kind() == SyntaxKind::COMMENT) {
        lines.replace(place, left.laid_out(&indent, ahead, &end));
    } else {
        shorten(lines, &tree, items);
    }
    true
}

/// A `use` tree: what comes before its list, and the list.
struct Tree {
    /// With the colons if a list follows.
    text: String,
    list: Option<Vec<Tree>>,
}

impl Tree {
    /// A tree without some of its leaves; `None` if none is left.
    fn read(tree: &ast::UseTree, without: &[Range<usize>]) -> Option<Self> {
        let Some(list) = tree.use_tree_list() else {
            let is_gone = without.contains(&range(tree.syntax()));
            return (!is_gone).then(|| Self {
                text: tree.syntax().text().to_string(),
                list: None,
            });
        };
        let count = list.use_trees().count();
        let mut inner: Vec<Self> = list
            .use_trees()
            .filter_map(|tree| Self::read(&tree, without))
            .collect();
        if inner.is_empty() && count > 0 {
            return None;
        }
        let path = tree.path().map(|path| path.syntax().text().to_string());
        let prefix = match (&path, tree.coloncolon_token()) {
            (Some(path), _) => format!("{path}::"),
            (None, Some(_)) => "::".to_owned(),
            (None, None) => String::new(),
        };
        // A group that was cut down to one is none any more.
        if inner.len() == 1
            && inner.len() < count
            && let Some(only) = inner.pop()
        {
            return Some(only.after(&prefix));
        }
        // What has lost its list comes before the lists of the same path.
        for at in 1..inner.len() {
            let comes_after = |pair: &[Self]| match pair {
                [list, plain] => {
                    list.list.is_some()
                        && plain.list.is_none()
                        && plain.text.starts_with(&list.text)
                }
                _ => false,
            };
            if inner.get(at - 1..=at).is_some_and(comes_after) {
                inner.swap(at - 1, at);
            }
        }
        Some(Self {
            text: prefix,
            list: Some(inner),
        })
    }

    /// `a::` and `self as b` are `a as b`.
    fn after(self, prefix: &str) -> Self {
        let text = match self.text.strip_prefix("self") {
            Some(rest) if self.list.is_none() && (rest.is_empty() || rest.starts_with(' ')) => {
                format!("{}{rest}", prefix.trim_end_matches("::"))
            }
            _ => format!("{prefix}{}", self.text),
        };
        Self {
            text,
            list: self.list,
        }
    }

    fn in_line(&self) -> String {
        match &self.list {
            None => self.text.clone(),
            Some(list) => {
                let inner: Vec<String> = list.iter().map(Self::in_line).collect();
                format!("{}{{{}}}", self.text, inner.join(", "))
            }
        }
    }

    /// The text, of which `ahead` columns are taken in the first line.
    fn laid_out(&self, indent: &str, ahead: usize, end: &str) -> String {
        let Some(list) = &self.list else {
            return self.text.clone();
        };
        let is_nested = list.iter().any(|tree| tree.list.is_some());
        let line = self.in_line();
        if !is_nested && ahead + line.len() + 2 < WIDEST {
            return line;
        }
        let inside = format!("{indent}    ");
        let mut text = format!("{}{{{end}", self.text);
        let mut row = inside.clone();
        let mut was_path = false;
        for tree in list {
            let item = tree.laid_out(&inside, inside.len(), end) + ",";
            let is_first = row.len() == inside.len();
            // Beside lists only plain names share a line.
            let is_path = is_nested && item.contains("::");
            let is_full = row.len() + 1 + item.len() >= WIDEST;
            if !is_first && (is_full || is_path || was_path) {
                text += &format!("{row}{end}");
                row = format!("{inside}{item}");
            } else {
                row += &format!("{}{item}", if is_first { "" } else { " " });
            }
            was_path = is_path;
        }
        text += &format!("{row}{end}");
        text + indent + "}"
    }
}

/// Takes leaves out of a tree with comments, which stay where they are, but for those of a leaf that
/// has its lines for itself.
fn shorten(lines: &mut Lines<'_>, tree: &ast::UseTree, items: &[Range<usize>]) {
    let Some(list) = tree.use_tree_list() else {
        return;
    };
    let trees: Vec<ast::UseTree> = list.use_trees().collect();
    let stays = |tree: &ast::UseTree| Tree::read(tree, items).is_some();
    for (at, inner) in trees.iter().enumerate() {
        let place = range(inner.syntax());
        if stays(inner) {
            shorten(lines, inner, items);
        } else if lines.starts_line(place.start) && lines.ends_line(place.end, &[',']) {
            lines.remove(Piece {
                lines: lines.line_of(place.start)..lines.line_of(place.end) + 1,
                first: !trees.iter().take(at).any(stays),
                last: !trees.iter().skip(at + 1).any(stays),
                compound: false,
            });
        } else {
            lines.replace(with_comma(inner.syntax()), "");
        }
    }
}

/// A node with the comma after it and the blanks behind that, or else those before it.
fn with_comma(node: &SyntaxNode) -> Range<usize> {
    let mut range = range(node);
    let mut after = node.next_sibling_or_token();
    let mut seen_comma = false;
    while let Some(element) = after {
        let is_wanted = match element.kind() {
            T![,] => !std::mem::replace(&mut seen_comma, true),
            kind => kind.is_trivia() && element.to_string().trim().is_empty(),
        };
        if !is_wanted {
            break;
        }
        range.end = usize::from(element.text_range().end());
        after = element.next_sibling_or_token();
    }
    if !seen_comma {
        range.end = self::range(node).end;
    }
    range
}
