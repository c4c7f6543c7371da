//! Words: a filter that tells in no time which texts cannot have a word.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// The words of a text: runs of letters, digits and underscores, as hashes in order. Two words may have
/// the same hash, so that a word that is found may not be there; one that is not found is not.
#[derive(Debug)]
pub struct Words(Box<[u32]>);

impl Words {
    /// The words of a text.
    pub(crate) fn of(text: &str) -> Self {
        let words = text.as_bytes().split(|byte| !is_part(*byte));
        let mut hashes: Vec<u32> = words.filter(|word| !word.is_empty()).map(hash_of).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes.into())
    }

    /// Whether a word, whole and not as a part of a longer one, may be among them.
    pub fn may_have(&self, word: &str) -> bool {
        self.0.binary_search(&hash_of(word.as_bytes())).is_ok()
    }
}

/// What is not ASCII may be a letter.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn hash_of(word: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    // The upper half is the better mixed one.
    u32::try_from(hasher.finish() >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whole_and_not_as_a_part_of_another() {
        let words = Words::of("fn größe(a_1: &Größe) -> 7u8 { a_1.open_file() }");
        for word in ["fn", "größe", "a_1", "Größe", "7u8", "open_file"] {
            assert!(words.may_have(word), "{word}");
        }
        for word in ["gr", "a", "1", "open", "file", "Open_file", ""] {
            assert!(!words.may_have(word), "{word}");
        }
    }
}
