//! The texts of a column in a batch of rows, each once: rows have their places in this dictionary.

use super::columns::Texts;
use std::collections::HashMap;

/// A batch ends early if a column's texts take so many bytes
pub const FULL: usize = 16 << 20;

/// Texts in the order in which they came
pub struct Dictionary {
    places: HashMap<Box<[u8]>, i64>,
    /// By keys that came lately
    lately: Texts<i64>,
    /// All texts, one behind the other
    bytes: Vec<u8>,
    /// Where each ends
    ends: Vec<u32>,
}

impl Default for Dictionary {
    fn default() -> Dictionary {
        Dictionary {
            places: HashMap::new(),
            lately: Texts::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl Dictionary {
    /// The place of a key's text. Several keys may have the same text.
    #[inline]
    pub fn place(&mut self, key: u32, write: impl FnOnce(&mut Vec<u8>)) -> i64 {
        let Dictionary {
            places,
            lately,
            bytes,
            ends,
        } = self;
        lately.get(key, || {
            let start = bytes.len();
            write(bytes);
            if let Some(place) = places.get(&bytes[start..]) {
                bytes.truncate(start);
                return *place;
            }
            let place = ends.len() as i64;
            places.insert(bytes[start..].into(), place);
            ends.push(bytes.len() as u32);
            place
        })
    }

    /// All texts, one behind the other
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where each text ends
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The texts in their order
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let each = starts.zip(&self.ends);
        each.map(|(start, end)| &self.bytes[start as usize..*end as usize])
    }

    /// Whether they are enough for a batch
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_place_whatever_its_keys() {
        let mut dictionary = Dictionary::default();
        let mut place = |key, text: &[u8]| dictionary.place(key, |to| to.extend_from_slice(text));
        let places = [
            (1, b"a"),
            (2, b"b"),
            (1, b"a"),
            (3, b"a"),
            (1 << 12 | 1, b"c"),
            (1, b"a"),
        ];
        let places = places.map(|(key, text)| place(key, text));
        assert_eq!(places, [0, 1, 0, 0, 2, 0]);
        assert_eq!(dictionary.iter().collect::<Vec<_>>(), [b"a", b"b", b"c"]);
        assert_eq!(
            (dictionary.bytes(), dictionary.ends()),
            (&b"abc"[..], &[1, 2, 3][..])
        );
    }
}
