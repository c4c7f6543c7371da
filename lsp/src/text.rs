//! Texts and positions: lines, columns in the encoding that was agreed on, and edits.

use std::ops::Range as Span;
use std::sync::Arc;

use gen_lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};

/// What columns count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of two bytes; what every client knows.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The best one that a client offers: that of our own texts if it can be.
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offered = offered.unwrap_or_default();
        let known = [
            (PositionEncodingKind::UTF8, Self::Utf8),
            (PositionEncodingKind::UTF32, Self::Utf32),
        ];
        let mut known = known.into_iter();
        known
            .find(|(kind, _)| offered.contains(kind))
            .map_or(Self::Utf16, |(_, encoding)| encoding)
    }

    /// The protocol's word.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// Where the lines of a text start. A line ends with a line feed, a carriage return or both, as the
/// protocol has it.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Arc<[usize]>,
    encoding: Encoding,
}

impl Lines {
    /// The lines of some bytes.
    pub fn new(bytes: &[u8], encoding: Encoding) -> Self {
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
        let is_end =
            |at: &usize| bytes.get(*at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n');
        let after = ends.filter(is_end).map(|at| at + 1);
        Self {
            starts: std::iter::once(0).chain(after).collect(),
            encoding,
        }
    }

    /// The bytes of a line, counted from 0, without its end.
    fn line<'t>(&self, bytes: &'t [u8], line: usize) -> Option<(usize, &'t [u8])> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(bytes.len());
        let text = bytes.get(start..end)?;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        Some((start, text.strip_suffix(b"\r").unwrap_or(text)))
    }

    /// The position of an offset; one beyond the text is its end.
    pub fn position(&self, bytes: &[u8], offset: usize) -> Position {
        let offset = offset.min(bytes.len());
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = bytes.get(start..offset).unwrap_or_default();
        let character = match self.encoding {
            Encoding::Utf8 => before.len(),
            encoding => characters(before).map(|(_, it)| encoding.width(it)).sum(),
        };
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            character: u32::try_from(character).unwrap_or(u32::MAX),
        }
    }

    /// The offset of a position; one beyond a line is the line's end, one beyond the text the text's.
    pub fn offset(&self, bytes: &[u8], position: Position) -> usize {
        let Some((start, text)) = self.line(bytes, position.line as usize) else {
            return bytes.len();
        };
        let mut left = position.character as usize;
        for (at, character) in characters(text) {
            let width = self.encoding.width(character);
            if left < width {
                return start + at;
            }
            left -= width;
        }
        start + text.len()
    }

    /// The range of a span.
    pub fn range(&self, bytes: &[u8], span: &Span<usize>) -> Range {
        Range {
            start: self.position(bytes, span.start),
            end: self.position(bytes, span.end),
        }
    }

    /// The range of a whole text.
    pub fn all(&self, bytes: &[u8]) -> Range {
        self.range(bytes, &(0..bytes.len()))
    }
}

/// The characters of some bytes with their offsets; each byte that is none counts as one.
fn characters(bytes: &[u8]) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    let chunks = bytes.utf8_chunks();
    chunks.flat_map(move |chunk| {
        let start = at;
        at += chunk.valid().len() + chunk.invalid().len();
        let valid = chunk.valid().char_indices();
        let valid = valid.map(move |(offset, character)| (start + offset, character));
        let rest = start + chunk.valid().len();
        let invalid = (rest..at).map(|at| (at, char::REPLACEMENT_CHARACTER));
        valid.chain(invalid)
    })
}

/// Applies changes of a notification in their order: each one speaks of the text that the one before left.
pub fn apply(text: &mut String, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
    for change in changes {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                *text = whole.text;
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let lines = Lines::new(text.as_bytes(), encoding);
                let start = lines.offset(text.as_bytes(), part.range.start);
                let end = lines.offset(text.as_bytes(), part.range.end);
                text.replace_range(start..end.max(start), &part.text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn lines_end_with_line_feeds_and_carriage_returns() {
        let text = b"a\r\nb\rc\n\nd";
        let lines = Lines::new(text, Encoding::Utf16);
        let offsets = [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 9), (9, 9)];
        let offsets = offsets.map(|(line, character)| lines.offset(text, at(line, character)));
        assert_eq!(offsets, [0, 3, 5, 7, 8, 1, 9]);
    }

    #[test]
    fn columns_count_what_was_agreed_on() {
        let text = "é𝄞x".as_bytes();
        let columns = |encoding| {
            let lines = Lines::new(text, encoding);
            [0, 2, 6, 7].map(|offset| lines.position(text, offset).character)
        };
        assert_eq!(columns(Encoding::Utf8), [0, 2, 6, 7]);
        assert_eq!(columns(Encoding::Utf16), [0, 1, 3, 4]);
        assert_eq!(columns(Encoding::Utf32), [0, 1, 2, 3]);
    }

    #[test]
    fn several_changes_are_applied_one_after_the_other() {
        let mut text = "one\ntwo\n".to_owned();
        let change = |start: Position, end: Position, text: &str| {
            let change = serde_json::json!({"range": {"start": start, "end": end}, "text": text});
            serde_json::from_value(change).unwrap()
        };
        let changes = vec![
            change(at(0, 0), at(0, 3), "three\nfour"),
            change(at(1, 0), at(1, 4), "five"),
            change(at(9, 0), at(9, 9), "end"),
        ];
        apply(&mut text, changes, Encoding::Utf16);
        assert_eq!(text, "three\nfive\ntwo\nend");
    }

    proptest! {
        #[test]
        fn every_character_has_one_position(text in "[a-zé𝄞\r\n]{0,40}", pick in 0usize..3) {
            let encoding = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32][pick];
            let bytes = text.as_bytes();
            let lines = Lines::new(bytes, encoding);
            for (offset, character) in text.char_indices() {
                let there = lines.offset(bytes, lines.position(bytes, offset));
                // Between the two characters of a line end there is no position.
                prop_assert!(there == offset || (character == '\n' && there + 1 == offset));
            }
        }

        #[test]
        fn any_position_is_somewhere_in_the_text(bytes: Vec<u8>, line: u32, character: u32) {
            let lines = Lines::new(&bytes, Encoding::Utf16);
            prop_assert!(lines.offset(&bytes, at(line, character)) <= bytes.len());
        }
    }
}
