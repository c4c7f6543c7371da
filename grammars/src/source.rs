//! Source text: the original bytes of a file beside the text that the parser sees.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use encoding_rs::{Encoding, UTF_8};

use crate::encoding;
use crate::language::Language;
use crate::words::Words;

/// Something about a file that its reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes concerned.
    pub range: Range<usize>,
    /// What, and what follows from it.
    pub message: String,
}

/// The most bytes that are read as source. Nobody writes longer files by hand, and a syntax tree takes
/// about a hundred times the memory of its text.
const LONGEST_SOURCE: usize = 16 << 20;

/// The bytes of a file and their shadow.
///
/// Invariant: the shadow is UTF-8 and exactly as long as the original, so that every offset in one
/// is the same place in the other. BOM, line ends and form feeds are untouched in both. What is not
/// source whatever its name says has a blank shadow.
#[derive(Clone, Debug)]
pub struct SourceText(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    content: Content,
    encoding: &'static Encoding,
    problems: Vec<Problem>,
    /// Found when they are first asked for.
    words: OnceLock<Words>,
}

#[derive(Debug)]
enum Content {
    /// The original is UTF-8 and its own shadow.
    Utf8(String),
    /// The original is something else.
    Other { original: Arc<[u8]>, shadow: String },
    /// The original is no source; its shadow is blank.
    Blank { original: Arc<[u8]>, shadow: String },
}

impl SourceText {
    /// Reads the bytes of a file in the encoding that it declares, or UTF-8.
    pub fn new(language: Option<Language>, bytes: &Arc<[u8]>) -> Self {
        if let Some(reason) = not_source(bytes) {
            return Self::blank(bytes, reason);
        }
        let label = language.and_then(|language| language.declared_encoding(bytes));
        let (encoding, unknown) = match label {
            None => (UTF_8, None),
            Some(label) => match encoding::by_label(&label) {
                Some(encoding) => (encoding, None),
                None => (encoding_rs::WINDOWS_1252, Some(unknown_encoding(&label))),
            },
        };
        let has_bom = bytes.starts_with(b"\xef\xbb\xbf");
        let (encoding, content, problems) = read(bytes, if has_bom { UTF_8 } else { encoding });
        let problems = unknown.into_iter().chain(problems).collect();
        Self(Arc::new(Inner {
            content,
            encoding,
            problems,
            words: OnceLock::new(),
        }))
    }

    fn blank(bytes: &Arc<[u8]>, reason: String) -> Self {
        Self(Arc::new(Inner {
            content: Content::Blank {
                original: bytes.clone(),
                shadow: " ".repeat(bytes.len()),
            },
            encoding: UTF_8,
            problems: vec![Problem {
                range: 0..bytes.len(),
                message: reason,
            }],
            words: OnceLock::new(),
        }))
    }

    /// Whether this is a clone of the other one.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The original bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0.content {
            Content::Utf8(text) => text.as_bytes(),
            Content::Other { original, .. } | Content::Blank { original, .. } => original,
        }
    }

    /// The text that the parser sees; as long as the original, and the same for UTF-8.
    pub fn shadow(&self) -> &str {
        match &self.0.content {
            Content::Utf8(text)
            | Content::Other { shadow: text, .. }
            | Content::Blank { shadow: text, .. } => text,
        }
    }

    /// The shadow, or nothing of a blank one: it may be very long, and there is nothing in it to parse.
    pub(crate) fn code(&self) -> &str {
        match self.0.content {
            Content::Blank { .. } => "",
            _ => self.shadow(),
        }
    }

    /// Whether there is nothing to parse.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self.0.content, Content::Blank { .. })
    }

    /// The shadow of a range; empty where the range is not one of whole characters of this text.
    pub fn slice(&self, range: Range<usize>) -> &str {
        self.shadow().get(range).unwrap_or_default()
    }

    /// The real text of a range, decoded; what cannot be decoded becomes U+FFFD.
    pub fn decode(&self, range: Range<usize>) -> String {
        let bytes = self.bytes().get(range).unwrap_or_default();
        self.0
            .encoding
            .decode_without_bom_handling(bytes)
            .0
            .into_owned()
    }

    /// The words of the shadow. The first question costs a pass over the text.
    pub fn words(&self) -> &Words {
        self.0.words.get_or_init(|| Words::of(self.code()))
    }

    /// The name of the encoding, after the WHATWG list.
    pub fn encoding(&self) -> &'static str {
        self.0.encoding.name()
    }

    /// What went wrong while reading, in the order of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.0.problems
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Whether the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.bytes() == other.bytes() && self.0.encoding == other.0.encoding)
    }
}

impl Eq for SourceText {}

/// Why a file is not read as source.
fn not_source(bytes: &[u8]) -> Option<String> {
    if bytes.len() > LONGEST_SOURCE {
        let limit = LONGEST_SOURCE >> 20;
        return Some(format!(
            "longer than {limit} MiB, so it is taken for data and not analysed"
        ));
    }
    let is_binary = bytes.contains(&0);
    is_binary.then(|| "holds a NUL byte, so it is not text and not analysed".to_owned())
}

fn unknown_encoding(label: &str) -> Problem {
    Problem {
        range: 0..0,
        message: format!(
            "the declared encoding '{label}' is not known; characters beyond ASCII are kept as they are, but not understood"
        ),
    }
}

fn read(
    bytes: &Arc<[u8]>,
    encoding: &'static Encoding,
) -> (&'static Encoding, Content, Vec<Problem>) {
    let (shadow, problems) = if encoding == UTF_8 {
        match std::str::from_utf8(bytes) {
            Ok(text) => return (encoding, Content::Utf8(text.to_owned()), Vec::new()),
            Err(_) => encoding::shadow_of_utf8(bytes),
        }
    } else {
        encoding::shadow_of(bytes, encoding)
    };
    (
        encoding,
        Content::Other {
            original: bytes.clone(),
            shadow,
        },
        problems,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> SourceText {
        let text = SourceText::new(Some(Language::Python), &Arc::from(bytes));
        assert_eq!(text.bytes(), bytes);
        assert_eq!(text.shadow().len(), bytes.len());
        text
    }

    #[test]
    fn utf8_is_its_own_shadow_with_bom_line_ends_and_form_feeds() {
        let bytes = "\u{feff}a = 'é'\r\n\x0cb\r".as_bytes();
        let text = text(bytes);
        assert_eq!(text.shadow().as_bytes(), bytes);
        assert!(text.problems().is_empty());
    }

    #[test]
    fn a_single_byte_encoding_is_shadowed_byte_by_byte_and_decoded() {
        let text = text(b"# coding: latin-1\ns = '\xe9t\xe9'\n");
        assert_eq!(text.slice(18..27), "s = 'xtx'");
        assert_eq!(text.decode(18..27), "s = 'été'");
    }

    #[test]
    fn a_second_byte_that_looks_like_a_backslash_or_a_quote_is_hidden() {
        // U+8868 in Shift-JIS is 95 5C.
        let text = text(b"# coding: shift_jis\ns = '\x95\x5c'\n");
        assert_eq!(text.slice(20..28), "s = 'xx'");
        assert_eq!(text.decode(20..28), "s = '表'");
        assert!(text.problems().is_empty());
    }

    #[test]
    fn bytes_that_cannot_be_decoded_are_kept_and_reported() {
        let utf8 = text(b"s = '\xff\xfe'\n");
        assert_eq!(utf8.shadow(), "s = 'xx'\n");
        assert_eq!(
            utf8.problems().first().map(|problem| problem.range.clone()),
            Some(5..6)
        );
        let cut = text(b"# coding: euc-jp\n\xa4'");
        assert_eq!(cut.slice(17..19), "x'");
        assert_eq!(cut.problems().len(), 1);
    }

    #[test]
    fn binary_and_endless_files_are_blank_and_reported() {
        let binary = text(b"def f(): pass\n\0\xff");
        assert_eq!(binary.shadow(), " ".repeat(16));
        assert_eq!(binary.problems().len(), 1);
        let endless = text(&b"f()\n".repeat(LONGEST_SOURCE / 4 + 1));
        assert_eq!(endless.shadow().trim(), "");
        assert_eq!(endless.problems().len(), 1);
    }

    #[test]
    fn an_unknown_encoding_is_reported() {
        let text = text(b"# coding: rot13\ns = '\xe9'\n");
        assert_eq!(text.problems().len(), 1);
        assert_eq!(text.slice(16..23), "s = 'x'");
    }
}
