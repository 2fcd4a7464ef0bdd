//! What a converted table holds, by readers of the tests' own or of the format's library.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
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

/// The batches of a stream of Arrow's
pub fn batches(bytes: &[u8]) -> Vec<RecordBatch> {
    let batches = StreamReader::try_new(bytes, None).unwrap();
    batches.map(Result::unwrap).collect()
}

/// The rows of a stream of Arrow's, numbers and texts as CSV has them
pub fn arrow(bytes: &[u8]) -> Vec<BTreeMap<String, String>> {
    let batches = batches(bytes);
    let rows = batches.iter().flat_map(|batch| {
        (0..batch.num_rows()).map(move |row| {
            let schema = batch.schema();
            let names = schema.fields().iter().map(|field| field.name().clone());
            let cells = batch.columns().iter().map(|column| cell(column, row));
            names.zip(cells).collect()
        })
    });
    rows.collect()
}

fn cell(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    match column.as_primitive_opt::<Int64Type>() {
        Some(numbers) => numbers.value(row).to_string(),
        None => {
            let texts = column.as_dictionary::<Int32Type>();
            let place = texts.key(row).unwrap();
            texts.values().as_string::<i32>().value(place).to_owned()
        }
    }
}
