//! The texts of a column in a row group, each once: rows have their places in this dictionary.
//!
//! Parquet's writer of texts would look up that of each row by all of its bytes. So it is told the places, as a column of
//! numbers. Its pages are those that it would make of the texts, except for the dictionary.

use crate::convert::columns::Texts;
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;
use std::collections::HashMap;

/// Texts in the order in which they came
pub struct Dictionary {
    places: HashMap<Box<[u8]>, i64>,
    /// By keys that came lately
    lately: Texts<i64>,
    /// The page: length and bytes of each
    page: Vec<u8>,
    /// The text that is looked up
    text: Vec<u8>,
}

impl Default for Dictionary {
    fn default() -> Dictionary {
        Dictionary {
            places: HashMap::new(),
            lately: Texts::new(),
            page: Vec::new(),
            text: Vec::new(),
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
            page,
            text,
        } = self;
        lately.get(key, || {
            text.clear();
            write(text);
            if let Some(place) = places.get(&**text) {
                return *place;
            }
            let place = places.len() as i64;
            places.insert((&**text).into(), place);
            page.extend((text.len() as u32).to_le_bytes());
            page.extend_from_slice(text);
            place
        })
    }

    /// Bytes of its page
    pub fn len(&self) -> usize {
        self.page.len()
    }

    /// The page, which is not compressed yet
    pub fn page(self) -> Vec<u8> {
        self.page
    }
}

/// What the file says of a column of texts, of which the writer was told the places
pub fn of_texts(
    places: &ColumnChunkMetaData,
    column: ColumnDescPtr,
) -> Result<ColumnChunkMetaData> {
    let pages = places.page_encoding_stats().cloned();
    ColumnChunkMetaData::builder(column)
        .set_compression(places.compression())
        .set_encodings_mask(*places.encodings_mask())
        .set_page_encoding_stats(pages.unwrap_or_default())
        .set_total_compressed_size(places.compressed_size())
        .set_total_uncompressed_size(places.uncompressed_size())
        .set_num_values(places.num_values())
        .set_data_page_offset(places.data_page_offset())
        .set_dictionary_page_offset(places.dictionary_page_offset())
        .build()
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
        assert_eq!(dictionary.page(), b"\x01\0\0\0a\x01\0\0\0b\x01\0\0\0c");
    }
}
