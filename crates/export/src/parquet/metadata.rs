//! Texts as Parquet has them, whose writer got their places.
//!
//! Parquet's writer of texts would look up that of each row by all of its bytes. So it gets the places, as a column of
//! numbers. Its pages are those that it would make of the texts, except for the dictionary.

use crate::dictionary::Dictionary;
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;

/// The dictionary's page, which is not compressed yet: length and bytes of each text
pub fn page(texts: &Dictionary) -> Vec<u8> {
    let mut page = Vec::with_capacity(texts.bytes().len() + 4 * texts.ends().len());
    for text in texts.iter() {
        page.extend((text.len() as u32).to_le_bytes());
        page.extend_from_slice(text);
    }
    page
}

/// What the file says of a column of texts, of which the writer got the places
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
