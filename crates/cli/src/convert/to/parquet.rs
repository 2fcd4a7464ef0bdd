//! Apache Parquet: a column each of what a call has, a million rows in a row group, compressed by zstd.
//!
//! Row groups are made by several threads, each in memory in its final form (some 10 MB), and joined in order.

use super::Format;
use crate::convert::columns::{COLUMNS, Column, Habit, Texts, Value};
use crate::convert::job::{Encoder, Job, Row};
use crate::convert::target::Target;
use anyhow::Context;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{
    ColumnDescPtr, ColumnPath, SchemaDescPtr, SchemaDescriptor, Type, TypePtr,
};
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows of a row group
const GROUP: usize = 1 << 20;
/// Rows that are told to the encoders at once
const BATCH: usize = 1 << 13;
/// Bytes of texts that a column of a row group may hold as a dictionary
const DICTIONARY: usize = 16 << 20;

/// A file of row groups
pub struct Parquet;

impl Format for Parquet {
    fn bytes_per_call(&self) -> u64 {
        10
    }

    fn is_text(&self) -> bool {
        false
    }

    fn write(&self, job: &Job, to: &mut Target) -> anyhow::Result<()> {
        let (schema, layouts) = (schema()?, Layouts::new(job)?);
        let file = to.file().try_clone().map_err(|error| to.failure(error))?;
        let of_file = layouts.dictionaries.clone();
        let mut writer = SerializedFileWriter::new(file, schema.clone(), of_file)?;
        let columns: SchemaDescPtr = Arc::new(SchemaDescriptor::new(schema));
        let group = |_| Group::new(&columns, &layouts);
        job.encode(GROUP as u64, group, |group| append(&mut writer, group, to))?;
        writer.finish().map_err(|error| failure(error, to))?;
        Ok(())
    }
}

fn append(
    writer: &mut SerializedFileWriter<File>,
    columns: Vec<(Bytes, ColumnCloseResult)>,
    to: &Target,
) -> anyhow::Result<()> {
    let mut group = writer.next_row_group()?;
    for (bytes, closed) in columns {
        group
            .append_column(&bytes, closed)
            .map_err(|error| failure(error, to))?;
    }
    group.close().map_err(|error| failure(error, to))?;
    writer.flush().map_err(|error| to.failure(error))
}

/// The system's word, where it had one
fn failure(error: parquet::errors::ParquetError, to: &Target) -> anyhow::Error {
    use parquet::errors::ParquetError;
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => to.failure(*cause),
            Err(cause) => anyhow::anyhow!(cause),
        },
        error => error.into(),
    }
}

fn schema() -> anyhow::Result<TypePtr> {
    let field = |column: &Column| match column.value {
        Value::Number(_) => Type::primitive_type_builder(column.name, Physical::INT64)
            .with_repetition(Repetition::REQUIRED)
            .build(),
        Value::Text(..) => Type::primitive_type_builder(column.name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::String))
            .build(),
    };
    let fields = COLUMNS.iter().map(|column| Ok(Arc::new(field(column)?)));
    let fields = fields.collect::<anyhow::Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("calls")
        .with_fields(fields)
        .build()?;
    Ok(Arc::new(schema))
}

/// How columns are stored
#[derive(Clone)]
struct Layouts {
    /// With a dictionary, if their values are the same ones over and over
    dictionaries: WriterPropertiesPtr,
    /// Numbers without
    differences: WriterPropertiesPtr,
}

impl Layouts {
    fn new(job: &Job) -> anyhow::Result<Layouts> {
        let with = |has_dictionary: fn(&Column) -> bool| -> anyhow::Result<_> {
            Ok(Arc::new(properties(job, has_dictionary)?))
        };
        Ok(Layouts {
            dictionaries: with(|column| column.habit == Habit::Few)?,
            differences: with(|column| matches!(column.value, Value::Text(..)))?,
        })
    }

    /// That of a column which begins with these numbers
    fn of(&self, numbers: &[i64]) -> &WriterPropertiesPtr {
        match is_worth_a_dictionary(numbers) {
            true => &self.dictionaries,
            false => &self.differences,
        }
    }
}

/// To look up each of many numbers, few of which are the same, takes long and saves nothing.
fn is_worth_a_dictionary(numbers: &[i64]) -> bool {
    let mut numbers = numbers.to_vec();
    let all = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() <= all / 4 * 3
}

fn properties(job: &Job, has_dictionary: fn(&Column) -> bool) -> anyhow::Result<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("iota {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_page_size_limit(DICTIONARY)
        .set_max_row_group_row_count(Some(GROUP))
        .set_key_value_metadata(Some(facts(job)));
    for column in COLUMNS {
        let path = ColumnPath::from(column.name);
        // Between the least and the greatest text of a row group nearly all lie.
        if matches!(column.value, Value::Text(..)) {
            properties =
                properties.set_column_statistics_enabled(path.clone(), EnabledStatistics::None);
        }
        // (Byte stream split of integers stores times as well, but many readers lack it.)
        if !has_dictionary(column) {
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
    }
    Ok(properties.build())
}

/// What no column says
fn facts(job: &Job) -> Vec<KeyValue> {
    let fact = |key: &str, value: String| KeyValue::new(format!("iota.{key}"), value);
    let mut facts = vec![
        fact("version", env!("CARGO_PKG_VERSION").to_owned()),
        fact("start_ns_since_1970", job.all.trace.start().0.to_string()),
    ];
    let units = COLUMNS.iter().filter(|column| !column.unit.is_empty());
    facts
        .extend(units.map(|column| fact(&format!("unit.{}", column.name), column.unit.to_owned())));
    facts
}

/// A row group under way
struct Group {
    columns: Vec<Building>,
    schema: SchemaDescPtr,
    layouts: Layouts,
    rows: usize,
}

/// A column of it
struct Building {
    column: &'static Column,
    schema: ColumnDescPtr,
    /// Once it has rows
    writer: Option<ColumnWriter<'static>>,
    pages: Pages,
    /// What waits for the writer
    numbers: Vec<i64>,
    texts: Waiting,
    /// 1 for a text, 0 for none
    there: Vec<i16>,
    known: Texts<ByteArray>,
}

impl Group {
    fn new(schema: &SchemaDescPtr, layouts: &Layouts) -> Group {
        Group {
            columns: Building::all(schema),
            schema: schema.clone(),
            layouts: layouts.clone(),
            rows: 0,
        }
    }

    fn told(&mut self) -> anyhow::Result<()> {
        let (columns, layouts) = (&mut self.columns, &self.layouts);
        columns
            .iter_mut()
            .try_for_each(|column| column.tell(layouts))
    }

    fn close(columns: Vec<Building>) -> anyhow::Result<Vec<(Bytes, ColumnCloseResult)>> {
        columns.into_iter().map(Building::close).collect()
    }
}

impl Encoder for Group {
    type Piece = Vec<(Bytes, ColumnCloseResult)>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        self.columns.iter_mut().for_each(|column| column.add(row));
        self.rows += 1;
        if self.rows.is_multiple_of(BATCH) {
            self.told()
        } else {
            Ok(())
        }
    }

    fn full(&mut self) -> anyhow::Result<Option<Self::Piece>> {
        if self.rows < GROUP {
            return Ok(None);
        }
        self.rows = 0;
        let next = Building::all(&self.schema);
        Group::close(std::mem::replace(&mut self.columns, next)).map(Some)
    }

    fn rest(mut self) -> anyhow::Result<Option<Self::Piece>> {
        self.told()?;
        if self.rows == 0 {
            return Ok(None);
        }
        Group::close(self.columns).map(Some)
    }
}

/// Texts that wait. Those of the last batch stay in their places: most come again there, and need not be copied.
#[derive(Default)]
struct Waiting {
    texts: Vec<ByteArray>,
    /// Their keys
    keys: Vec<u32>,
    count: usize,
}

impl Waiting {
    #[inline]
    fn add(&mut self, key: u32, text: impl FnOnce() -> ByteArray) {
        match self.keys.get_mut(self.count) {
            Some(known) if *known == key => {}
            Some(known) => (*known, self.texts[self.count]) = (key, text()),
            None => {
                self.keys.push(key);
                self.texts.push(text());
            }
        }
        self.count += 1;
    }

    fn take(&mut self) -> &[ByteArray] {
        &self.texts[..std::mem::take(&mut self.count)]
    }
}

impl Building {
    fn all(schema: &SchemaDescPtr) -> Vec<Building> {
        let building = |(at, column)| Building {
            column,
            schema: schema.column(at),
            writer: None,
            pages: Pages::default(),
            numbers: Vec::new(),
            texts: Waiting::default(),
            there: Vec::new(),
            known: Texts::new(),
        };
        COLUMNS.iter().enumerate().map(building).collect()
    }

    fn add(&mut self, row: &Row) {
        match self.column.value {
            Value::Number(number) => self.numbers.push(number(row)),
            Value::Text(key, write) => match key(row) {
                0 => self.there.push(0),
                key => {
                    self.there.push(1);
                    let known = &mut self.known;
                    self.texts.add(key, || known.get(key, || text(row, write)));
                }
            },
        }
    }

    /// Hands what waits to the writer
    fn tell(&mut self, layouts: &Layouts) -> anyhow::Result<()> {
        let writer = self.writer.get_or_insert_with(|| {
            let (schema, layout) = (self.schema.clone(), layouts.of(&self.numbers).clone());
            get_column_writer(schema, layout, Box::new(self.pages.clone()))
        });
        match writer {
            ColumnWriter::Int64ColumnWriter(writer) => {
                writer.write_batch(&self.numbers, None, None)?
            }
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                writer.write_batch(self.texts.take(), Some(&self.there), None)?
            }
            _ => 0,
        };
        self.numbers.clear();
        self.there.clear();
        Ok(())
    }

    fn close(self) -> anyhow::Result<(Bytes, ColumnCloseResult)> {
        let writer = self.writer.context("a column of rows")?;
        let closed = writer.close()?;
        Ok((self.pages.bytes()?, closed))
    }
}

fn text(row: &Row, write: fn(&Row, &mut Vec<u8>)) -> ByteArray {
    let mut text = Vec::new();
    write(row, &mut text);
    text.into()
}

/// The pages of a column, in memory
#[derive(Clone)]
struct Pages(Arc<Mutex<TrackedWrite<Vec<u8>>>>);

impl Default for Pages {
    fn default() -> Pages {
        Pages(Arc::new(Mutex::new(TrackedWrite::new(Vec::new()))))
    }
}

impl Pages {
    fn sink(&self) -> MutexGuard<'_, TrackedWrite<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self) -> anyhow::Result<Bytes> {
        let empty = TrackedWrite::new(Vec::new());
        Ok(std::mem::replace(&mut *self.sink(), empty)
            .into_inner()?
            .into())
    }
}

impl PageWriter for Pages {
    fn write_page(&mut self, page: CompressedPage) -> parquet::errors::Result<PageWriteSpec> {
        SerializedPageWriter::new(&mut *self.sink()).write_page(page)
    }

    fn close(&mut self) -> parquet::errors::Result<()> {
        SerializedPageWriter::new(&mut *self.sink()).close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_hardly_come_again_are_stored_without_a_dictionary() {
        let every = |n: i64| (0..1000).map(|i| i / n).collect::<Vec<i64>>();
        assert!(is_worth_a_dictionary(&every(1000)) && is_worth_a_dictionary(&every(2)));
        assert!(!is_worth_a_dictionary(&every(1)));
        let read: Vec<_> = (0..1000).map(|i| i % 2 * i).collect();
        assert!(is_worth_a_dictionary(&read), "0 for each that wrote");
        assert!(is_worth_a_dictionary(&[]), "of a column of texts");
    }
}
