//! What a converted table holds, by readers of the tests' own or of the format's library.

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::BTreeMap;

/// The rows of a CSV file as RFC 4180 has them, by the names of their columns
pub fn csv(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut records = records(text).into_iter();
    let names = records.next().unwrap();
    let row = |record: Vec<String>| {
        assert_eq!(record.len(), names.len());
        names.iter().cloned().zip(record).collect()
    };
    records.map(row).collect()
}

fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut chars) = (false, text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'));
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    assert!(!quoted && field.is_empty() && record.is_empty());
    records
}

/// The rows of a Parquet file, numbers and texts as CSV has them
pub fn parquet(bytes: Vec<u8>) -> Vec<BTreeMap<String, String>> {
    use parquet::record::Field;
    let reader = SerializedFileReader::new(Bytes::from(bytes)).unwrap();
    let text = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Long(number) => number.to_string(),
        Field::Str(text) => text.clone(),
        other => panic!("{other:?} is in no column"),
    };
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        row.get_column_iter()
            .map(|(name, field)| (name.clone(), text(field)))
            .collect()
    })
    .collect()
}
