//! Links in the text of documentation, as rustdoc reads it: where they stand and what they name.

use std::ops::Range;

use super::map::{ALL, MACROS, TYPES, VALUES};

/// A link to something in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    pub range: Range<usize>,
    /// The part that a reader sees; empty in the line that says what a label stands for.
    pub shown: Range<usize>,
    /// The path of what it is for: `Name`, `crate::a::Name::method`.
    pub path: &'t str,
    /// The kinds of names that it may be.
    pub spaces: u8,
}

/// The links of a text, comment markers included, that may be for something in code.
pub(super) fn links(text: &str) -> Vec<Written<'_>> {
    let mut found = Vec::new();
    let mut fence = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = content(line);
        let at = start + (line.len() - content.len());
        start += line.len();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|it| content.starts_with(it));
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (None, None) => in_line(text, at..start, &mut found),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_), _) => {}
        }
    }
    let labels: Vec<(&str, &str)> = found
        .iter()
        .filter_map(|link| match link {
            Found::Label { name, target, .. } => Some((*name, *target)),
            Found::Link { .. } => None,
        })
        .collect();
    found
        .into_iter()
        .filter_map(|link| link.written(&labels))
        .collect()
}

/// A line without the marker of a comment.
fn content(line: &str) -> &str {
    let line = line.trim_start();
    let inside = ["///", "//!"]
        .into_iter()
        .find_map(|marker| line.strip_prefix(marker));
    inside.unwrap_or(line).trim_start()
}

/// What brackets are, before the labels are known.
#[derive(Clone, Debug)]
enum Found<'t> {
    Link {
        range: Range<usize>,
        shown: Range<usize>,
        /// A path, or a label.
        target: &'t str,
        is_label: bool,
    },
    Label {
        range: Range<usize>,
        name: &'t str,
        target: &'t str,
    },
}

impl<'t> Found<'t> {
    fn written(self, labels: &[(&str, &'t str)]) -> Option<Written<'t>> {
        let (range, shown, target) = match self {
            Self::Label { range, target, .. } => (range.clone(), range.end..range.end, target),
            Self::Link {
                range,
                shown,
                target,
                is_label,
            } => {
                let known = labels.iter().find(|(name, _)| *name == target);
                let target = known
                    .filter(|_| is_label)
                    .map_or(target, |(_, target)| *target);
                (range, shown, target)
            }
        };
        let (path, spaces) = path(target)?;
        Some(Written {
            range,
            shown,
            path,
            spaces,
        })
    }
}

/// Finds the brackets that start in a line.
fn in_line<'t>(text: &'t str, line: Range<usize>, found: &mut Vec<Found<'t>>) {
    let mut at = line.start;
    while at < line.end {
        let rest = text.get(at..).unwrap_or_default();
        at = match rest.as_bytes().first() {
            Some(b'\\') => at + 2,
            Some(b'`') => at + code_span(rest).unwrap_or(1),
            Some(b'[') => match bracket(text, at, at == line.start) {
                Some(link) => {
                    let (Found::Link { range, .. } | Found::Label { range, .. }) = &link;
                    let end = range.end;
                    found.push(link);
                    end
                }
                None => at + 1,
            },
            _ => at + 1,
        };
    }
}

/// How long the code is that a text starts with.
fn code_span(text: &str) -> Option<usize> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let (marker, rest) = text.split_at_checked(ticks)?;
    Some(rest.find(marker)? + 2 * ticks)
}

/// What starts with the bracket at an offset.
fn bracket(text: &str, at: usize, starts_line: bool) -> Option<Found<'_>> {
    let shown = at + 1..closing(text, at, b'[', b']')?;
    let name = text.get(shown.clone())?;
    let behind = shown.end + 1;
    let link = |end: usize, target, is_label| Found::Link {
        range: at..end,
        shown: shown.clone(),
        target,
        is_label,
    };
    match text.as_bytes().get(behind) {
        Some(b'(') => {
            let end = closing(text, behind, b'(', b')')?;
            Some(link(end + 1, text.get(behind + 1..end)?, false))
        }
        Some(b'[') => {
            let end = closing(text, behind, b'[', b']')?;
            let label = text.get(behind + 1..end)?;
            Some(link(
                end + 1,
                if label.is_empty() { name } else { label },
                true,
            ))
        }
        Some(b':') if starts_line => {
            let line = text.get(behind + 1..)?.lines().next()?;
            let range = at..behind + 1 + line.len();
            let target = line.split_whitespace().next()?;
            Some(Found::Label {
                range,
                name,
                target,
            })
        }
        _ => Some(link(behind, name, true)),
    }
}

/// Where a bracket closes, within one paragraph.
fn closing(text: &str, at: usize, open: u8, close: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, at);
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 1,
            b'`' => at += code_span(text.get(at..)?)? - 1,
            b'\n' if content(text.get(at + 1..)?.lines().next()?).is_empty() => return None,
            byte if byte == open => depth += 1,
            byte if byte == close && depth == 1 => return Some(at),
            byte if byte == close => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// The path in code that a target is, if it may be one, and the kinds of names it may be: without what tells
/// kinds apart, arguments of types and places in the page.
fn path(target: &str) -> Option<(&str, u8)> {
    let target = target.trim_matches(|c: char| c == '`' || c.is_whitespace());
    let target = target.split_whitespace().next()?;
    let (kind, target) = target.split_once('@').unwrap_or(("", target));
    let target = target.split_once('#').map_or(target, |(rest, _)| rest);
    let target = target.split_once('<').map_or(target, |(rest, _)| rest);
    let path = target.trim_end_matches("()").trim_end_matches('!');
    let spaces = match (kind, target.strip_prefix(path)) {
        ("fn" | "function" | "method" | "const" | "constant" | "static" | "value", _) => VALUES,
        ("macro" | "derive" | "attr", _) | (_, Some("!")) => MACROS,
        (_, Some("()")) => VALUES,
        ("", _) => ALL,
        _ => TYPES,
    };
    let mut names = path.strip_prefix("::").unwrap_or(path).split("::");
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    names.all(is_name).then_some((path, spaces))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn links_of_every_form_are_found_with_what_they_show() {
        let text = "/// See [`Box`], [the box](Box::new()), [a\n/// box][Box] and [`Map`][], not [x](http://a.b),\n\
            /// `[Code]` or \\[Text].\n/// ```\n/// [Example]\n/// ```\n/// [struct@Box<T>] [`a!`] [open\n///\n/// Map].\n\
            /// [`Map`]: crate::map::Map#usage\n";
        let told: String = links(text)
            .into_iter()
            .map(|link| {
                format!(
                    "{:?} shows {:?}: {}\n",
                    &text[link.range], &text[link.shown], link.path
                )
            })
            .collect();
        expect![[r#"
            "[`Box`]" shows "`Box`": Box
            "[the box](Box::new())" shows "the box": Box::new
            "[a\n/// box][Box]" shows "a\n/// box": Box
            "[Box]" shows "Box": Box
            "[`Map`][]" shows "`Map`": crate::map::Map
            "[struct@Box<T>]" shows "struct@Box<T>": Box
            "[`a!`]" shows "`a!`": a
            "[`Map`]: crate::map::Map#usage" shows "": crate::map::Map
        "#]]
        .assert_eq(&told);
    }
}
