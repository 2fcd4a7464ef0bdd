//! A stream of Apache Arrow's IPC format: the columns of Parquet, batch by batch, each with the texts that it has. Readers
//! need no file for it, and take the columns as they are in memory.

use super::Format;
use crate::columns::{Column, Value, facts};
use crate::dictionary::Dictionary;
use crate::job::{Encoder, Job, Row};
use crate::pieces::Piece;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use iota_output::OutputFile;
use std::collections::HashMap;
use std::io::{self, BufWriter};
use std::sync::Arc;

/// Rows of a batch
const BATCH: usize = 1 << 16;

/// A stream of batches
pub struct Arrow {
    /// What it has of each call
    pub columns: Vec<&'static Column>,
}

impl Format for Arrow {
    fn bytes_per_call(&self) -> u64 {
        let each = |column: &&'static Column| match column.value {
            Value::Number(_) => 8,
            Value::Text(..) => 4,
        };
        self.columns.iter().map(each).sum()
    }

    fn is_text(&self) -> bool {
        false
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        let schema = schema(&self.columns, job);
        let file = to.file().try_clone().map_err(|error| to.failure(error))?;
        let stream = BufWriter::with_capacity(super::PIECE, file);
        let mut stream =
            StreamWriter::try_new(stream, &schema).map_err(|error| failure(error, to))?;
        let batch = |_| ArrowBatch::new(&self.columns, schema.clone());
        job.encode(BATCH as u64, batch, |batch| {
            stream.write(&batch).map_err(|error| failure(error, to))
        })?;
        stream.finish().map_err(|error| failure(error, to))
    }
}

fn schema(columns: &[&Column], job: &Job) -> SchemaRef {
    let field = |column: &&Column| match column.value {
        Value::Number(_) => Field::new(column.name, DataType::Int64, false),
        Value::Text(..) => {
            Field::new_dictionary(column.name, DataType::Int32, DataType::Utf8, true)
        }
    };
    let fields: Vec<_> = columns.iter().map(field).collect();
    let facts: HashMap<_, _> = facts(columns, job).collect();
    Arc::new(Schema::new(fields).with_metadata(facts))
}

/// The system's word, where it had one
fn failure(error: ArrowError, to: &OutputFile) -> anyhow::Error {
    match error {
        ArrowError::IoError(_, cause) => to.failure(cause),
        ArrowError::ExternalError(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => to.failure(*cause),
            Err(cause) => anyhow::anyhow!(cause),
        },
        error => error.into(),
    }
}

/// A batch under way
struct ArrowBatch<'a> {
    wanted: &'a [&'static Column],
    schema: SchemaRef,
    columns: Vec<ArrowColumn>,
    rows: usize,
}

/// A column of it
enum ArrowColumn {
    Numbers(Vec<i64>),
    Texts(Vec<Option<i32>>, Dictionary),
}

impl<'a> ArrowBatch<'a> {
    fn new(wanted: &'a [&'static Column], schema: SchemaRef) -> ArrowBatch<'a> {
        let building = |column: &&Column| match column.value {
            Value::Number(_) => ArrowColumn::Numbers(Vec::new()),
            Value::Text(..) => ArrowColumn::Texts(Vec::new(), Dictionary::default()),
        };
        ArrowBatch {
            wanted,
            schema,
            columns: wanted.iter().map(building).collect(),
            rows: 0,
        }
    }

    fn is_full(&self) -> bool {
        let texts_are = |column: &ArrowColumn| match column {
            ArrowColumn::Numbers(_) => false,
            ArrowColumn::Texts(_, texts) => texts.is_full(),
        };
        self.rows >= BATCH || self.columns.iter().any(texts_are)
    }

    fn close(self) -> anyhow::Result<RecordBatch> {
        let columns = self.columns.into_iter().map(ArrowColumn::close);
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(RecordBatch::try_new(self.schema, columns)?)
    }
}

impl Encoder for ArrowBatch<'_> {
    type Piece = RecordBatch;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        for (column, building) in self.wanted.iter().zip(&mut self.columns) {
            match (&column.value, building) {
                (Value::Number(number), ArrowColumn::Numbers(numbers)) => numbers.push(number(row)),
                (Value::Text(key, write), ArrowColumn::Texts(places, texts)) => {
                    places.push(match key(row) {
                        0 => None,
                        key => Some(texts.place(key, |text| write(row, text)) as i32),
                    });
                }
                _ => unreachable!("a column is built of what it has"),
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn full(&mut self) -> anyhow::Result<Option<RecordBatch>> {
        if !self.is_full() {
            return Ok(None);
        }
        let next = ArrowBatch::new(self.wanted, self.schema.clone());
        std::mem::replace(self, next).close().map(Some)
    }

    fn rest(self) -> anyhow::Result<Option<RecordBatch>> {
        match self.rows {
            0 => Ok(None),
            _ => self.close().map(Some),
        }
    }
}

impl ArrowColumn {
    fn close(self) -> Result<ArrayRef, ArrowError> {
        match self {
            ArrowColumn::Numbers(numbers) => Ok(Arc::new(Int64Array::from(numbers))),
            ArrowColumn::Texts(places, texts) => {
                let texts: Result<StringArray, _> = texts
                    .iter()
                    .map(|text| std::str::from_utf8(text).map(Some))
                    .collect();
                let texts = texts.map_err(|error| ArrowError::from_external_error(error.into()))?;
                let places = Int32Array::from(places);
                let texts = DictionaryArray::<Int32Type>::try_new(places, Arc::new(texts))?;
                Ok(Arc::new(texts))
            }
        }
    }
}

impl Piece for RecordBatch {
    fn bytes(&self) -> usize {
        self.get_array_memory_size()
    }
}
