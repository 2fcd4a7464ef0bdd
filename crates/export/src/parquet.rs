//! Apache Parquet: a column each of what a call has, a million rows in a row group, compressed by zstd.
//!
//! Row groups are made by several threads, each in memory in its final form (some 10 MB), and joined in order.

mod metadata;
mod pages;

use super::Format;
use crate::columns::{Column, Value, Variety, facts};
use crate::dictionary::{Dictionary, FULL};
use crate::job::{Encoder, Job, Row};
use anyhow::Context;
use bytes::Bytes;
use iota_output::OutputFile;
use metadata::of_texts;
use pages::{LEVEL, Pages};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{
    ColumnDescPtr, ColumnPath, SchemaDescPtr, SchemaDescriptor, Type, TypePtr,
};
use std::fs::File;
use std::sync::Arc;

/// Rows of a row group
const GROUP: usize = 1 << 20;
/// Rows that the encoders get at once
const BATCH: usize = 1 << 13;

/// A file of row groups
pub struct Parquet {
    /// What it has of each call
    pub columns: Vec<&'static Column>,
}

impl Format for Parquet {
    fn bytes_per_call(&self) -> u64 {
        10
    }

    fn is_text(&self) -> bool {
        false
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        let columns = &self.columns[..];
        let schema = schema(columns, Stored::AsTheyAre)?;
        let layouts = Layouts::new(columns, job)?;
        let file = to.file().try_clone().map_err(|error| to.failure(error))?;
        let of_file = layouts.dictionaries.clone();
        let mut writer = SerializedFileWriter::new(file, schema.clone(), of_file)?;
        let descriptor = |schema| Arc::new(SchemaDescriptor::new(schema));
        let schemas = Schemas {
            file: descriptor(schema),
            places: descriptor(self::schema(columns, Stored::AsPlaces)?),
        };
        let group = |_| Group::new(columns, &schemas, &layouts);
        job.encode(GROUP as u64, group, |group| append(&mut writer, group, to))?;
        writer.finish().map_err(|error| failure(error, to))?;
        Ok(())
    }
}

fn append(
    writer: &mut SerializedFileWriter<File>,
    columns: Vec<(Bytes, ColumnCloseResult)>,
    to: &OutputFile,
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
fn failure(error: parquet::errors::ParquetError, to: &OutputFile) -> anyhow::Error {
    use parquet::errors::ParquetError;
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => to.failure(*cause),
            Err(cause) => anyhow::anyhow!(cause),
        },
        error => error.into(),
    }
}

/// What a column of texts is a column of
#[derive(Clone, Copy)]
enum Stored {
    AsTheyAre,
    /// Their places in a dictionary
    AsPlaces,
}

fn schema(columns: &[&Column], texts: Stored) -> anyhow::Result<TypePtr> {
    let field = |column: &Column| match (&column.value, texts) {
        (Value::Number(_), _) => Type::primitive_type_builder(column.name, Physical::INT64)
            .with_repetition(Repetition::REQUIRED)
            .build(),
        (Value::Text(..), Stored::AsPlaces) => {
            Type::primitive_type_builder(column.name, Physical::INT64)
                .with_repetition(Repetition::OPTIONAL)
                .build()
        }
        (Value::Text(..), Stored::AsTheyAre) => {
            Type::primitive_type_builder(column.name, Physical::BYTE_ARRAY)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::String))
                .build()
        }
    };
    let fields = columns.iter().map(|column| Ok(Arc::new(field(column)?)));
    let fields = fields.collect::<anyhow::Result<Vec<_>>>()?;
    let schema = Type::group_type_builder("calls")
        .with_fields(fields)
        .build()?;
    Ok(Arc::new(schema))
}

/// The columns of the file, and as the encoders know them
#[derive(Clone)]
struct Schemas {
    file: SchemaDescPtr,
    places: SchemaDescPtr,
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
    fn new(columns: &[&Column], job: &Job) -> anyhow::Result<Layouts> {
        let with = |has_dictionary: fn(&Column) -> bool| -> anyhow::Result<_> {
            Ok(Arc::new(properties(columns, job, has_dictionary)?))
        };
        Ok(Layouts {
            dictionaries: with(|column| column.variety == Variety::Few)?,
            differences: with(|column| matches!(column.value, Value::Text(..)))?,
        })
    }

    /// That of a column which begins with these numbers
    fn of(&self, column: &Column, numbers: &[i64]) -> &WriterPropertiesPtr {
        match column.value {
            Value::Number(_) if !is_worth_a_dictionary(numbers) => &self.differences,
            _ => &self.dictionaries,
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

fn properties(
    columns: &[&Column],
    job: &Job,
    has_dictionary: fn(&Column) -> bool,
) -> anyhow::Result<WriterProperties> {
    let facts = facts(columns, job).map(|(key, value)| KeyValue::new(key, value));
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("iota {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_dictionary_page_size_limit(FULL)
        .set_max_row_group_row_count(Some(GROUP))
        .set_key_value_metadata(Some(facts.collect()));
    for column in columns {
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

/// A row group under way
struct Group<'a> {
    wanted: &'a [&'static Column],
    columns: Vec<ParquetColumn>,
    schemas: Schemas,
    layouts: Layouts,
    rows: usize,
    is_full: bool,
}

/// A column of it
struct ParquetColumn {
    column: &'static Column,
    /// As the file has it
    in_file: ColumnDescPtr,
    /// As the writer has it
    description: ColumnDescPtr,
    /// Once it has rows
    writer: Option<ColumnWriter<'static>>,
    pages: Pages,
    /// What waits for the writer: numbers, or places of texts
    numbers: Vec<i64>,
    /// 1 for a text, 0 for none
    there: Vec<i16>,
    texts: Dictionary,
}

impl<'a> Group<'a> {
    fn new(wanted: &'a [&'static Column], schemas: &Schemas, layouts: &Layouts) -> Group<'a> {
        Group {
            wanted,
            columns: ParquetColumn::all(wanted, schemas),
            schemas: schemas.clone(),
            layouts: layouts.clone(),
            rows: 0,
            is_full: false,
        }
    }

    fn encode_batch(&mut self) -> anyhow::Result<()> {
        for column in &mut self.columns {
            column.tell(&self.layouts)?;
            self.is_full |= column.texts.is_full();
        }
        self.is_full |= self.rows >= GROUP;
        Ok(())
    }

    fn close(columns: Vec<ParquetColumn>) -> anyhow::Result<Vec<(Bytes, ColumnCloseResult)>> {
        columns.into_iter().map(ParquetColumn::close).collect()
    }
}

impl Encoder for Group<'_> {
    type Piece = Vec<(Bytes, ColumnCloseResult)>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        self.columns.iter_mut().for_each(|column| column.add(row));
        self.rows += 1;
        if self.rows.is_multiple_of(BATCH) {
            self.encode_batch()
        } else {
            Ok(())
        }
    }

    fn full(&mut self) -> anyhow::Result<Option<Self::Piece>> {
        if !self.is_full {
            return Ok(None);
        }
        let full = std::mem::replace(self, Group::new(self.wanted, &self.schemas, &self.layouts));
        Group::close(full.columns).map(Some)
    }

    fn rest(mut self) -> anyhow::Result<Option<Self::Piece>> {
        self.encode_batch()?;
        if self.rows == 0 {
            return Ok(None);
        }
        Group::close(self.columns).map(Some)
    }
}

impl ParquetColumn {
    fn all(columns: &[&'static Column], schemas: &Schemas) -> Vec<ParquetColumn> {
        let building = |(at, column): (usize, &&'static Column)| ParquetColumn {
            column,
            in_file: schemas.file.column(at),
            description: schemas.places.column(at),
            writer: None,
            pages: Pages::default(),
            numbers: Vec::new(),
            there: Vec::new(),
            texts: Dictionary::default(),
        };
        columns.iter().enumerate().map(building).collect()
    }

    fn add(&mut self, row: &Row) {
        match self.column.value {
            Value::Number(number) => self.numbers.push(number(row)),
            Value::Text(key, write) => match key(row) {
                0 => self.there.push(0),
                key => {
                    self.there.push(1);
                    self.numbers
                        .push(self.texts.place(key, |text| write(row, text)));
                }
            },
        }
    }

    /// Hands what waits to the writer
    fn tell(&mut self, layouts: &Layouts) -> anyhow::Result<()> {
        let writer = self.writer.get_or_insert_with(|| {
            let layout = layouts.of(self.column, &self.numbers).clone();
            get_column_writer(
                self.description.clone(),
                layout,
                Box::new(self.pages.clone()),
            )
        });
        if let ColumnWriter::Int64ColumnWriter(writer) = writer {
            let is_text = matches!(self.column.value, Value::Text(..));
            let there = is_text.then_some(&*self.there);
            writer.write_batch(&self.numbers, there, None)?;
        }
        self.numbers.clear();
        self.there.clear();
        Ok(())
    }

    fn close(self) -> anyhow::Result<(Bytes, ColumnCloseResult)> {
        let writer = self.writer.context("a column of rows")?;
        if matches!(self.column.value, Value::Number(_)) {
            let closed = writer.close()?;
            return Ok((self.pages.bytes()?, closed));
        }
        self.pages.name(metadata::page(&self.texts));
        let closed = writer.close()?;
        let metadata = of_texts(&closed.metadata, self.in_file)?;
        Ok((
            self.pages.bytes()?,
            ColumnCloseResult { metadata, ..closed },
        ))
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
    }
}
