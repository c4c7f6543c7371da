//! Encodings: from declared labels to decoders, and the shadow text that the parser sees.

use encoding_rs::{DecoderResult, Encoding, UTF_8};

use crate::source::Problem;

/// Stands for every byte of a character that the parser need not understand. A letter, so that
/// identifiers stay identifiers.
const STAND_IN: char = 'x';

/// Labels that languages use beyond those of the WHATWG list.
const ALIASES: &[(&str, &str)] = &[
    ("latin", "latin1"),
    ("latin-1", "latin1"),
    ("iso-latin-1", "latin1"),
    ("8859", "latin1"),
    ("iso8859", "latin1"),
    ("utf", "utf-8"),
    ("u8", "utf-8"),
    ("utf-8-sig", "utf-8"),
    ("utf-8-unix", "utf-8"),
    ("utf-8-dos", "utf-8"),
    ("us-ascii", "utf-8"),
    ("ascii", "utf-8"),
    ("646", "utf-8"),
    ("cp932", "shift_jis"),
    ("sjis", "shift_jis"),
    ("cp936", "gbk"),
    ("cp949", "euc-kr"),
    ("cp950", "big5"),
    ("eucjp", "euc-jp"),
    ("euckr", "euc-kr"),
    ("iso2022-jp", "iso-2022-jp"),
];

/// The encoding that a label names.
pub(crate) fn by_label(label: &str) -> Option<&'static Encoding> {
    let label = label.to_ascii_lowercase().replace('_', "-");
    let known = ALIASES
        .iter()
        .find(|(alias, _)| *alias == label)
        .map_or(label.as_str(), |(_, known)| known);
    Encoding::for_label(known.as_bytes())
        .or_else(|| Encoding::for_label(known.replace('-', "_").as_bytes()))
        .filter(|encoding| encoding.is_ascii_compatible())
}

/// UTF-8 with every byte that is none replaced, and where those bytes stood.
pub(crate) fn shadow_of_utf8(bytes: &[u8]) -> (String, Vec<Problem>) {
    let mut shadow = Shadow::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        shadow.text.push_str(chunk.valid());
        shadow.undecodable(chunk.invalid().len(), UTF_8);
    }
    (shadow.text, shadow.problems)
}

/// Text of the same length in bytes in which every character beyond ASCII is replaced.
pub(crate) fn shadow_of(bytes: &[u8], encoding: &'static Encoding) -> (String, Vec<Problem>) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut shadow = Shadow::with_capacity(bytes.len());
    let mut buffer = [0; 32];
    // Fed byte by byte, a decoder shows which bytes make up each character.
    for (index, byte) in bytes.iter().enumerate() {
        let mut rest = std::slice::from_ref(byte);
        loop {
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(rest, &mut buffer, false);
            let pending = index + read - shadow.text.len();
            if written > 0 {
                shadow.character(pending, *byte, buffer.get(..written).unwrap_or_default());
            }
            rest = rest.get(read..).unwrap_or_default();
            match result {
                DecoderResult::Malformed(..) => {
                    let pending = index + read - shadow.text.len();
                    shadow.undecodable(pending, encoding);
                }
                _ if rest.is_empty() => break,
                _ => {}
            }
        }
    }
    shadow.undecodable(bytes.len() - shadow.text.len(), encoding);
    (shadow.text, shadow.problems)
}

struct Shadow {
    text: String,
    problems: Vec<Problem>,
}

impl Shadow {
    fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            problems: Vec::new(),
        }
    }

    /// A character of `length` bytes, the last of them `last`.
    fn character(&mut self, length: usize, last: u8, decoded: &[u8]) {
        if length == 1 && decoded == [last] {
            self.text.push(char::from(last));
        } else {
            self.stand_in(length);
        }
    }

    fn undecodable(&mut self, length: usize, encoding: &'static Encoding) {
        if length == 0 {
            return;
        }
        let start = self.text.len();
        self.stand_in(length);
        self.problems.push(Problem {
            range: start..start + length,
            message: format!(
                "these bytes are not {}; they are kept as they are",
                encoding.name()
            ),
        });
    }

    fn stand_in(&mut self, length: usize) {
        self.text.extend(std::iter::repeat_n(STAND_IN, length));
    }
}
