//! Comma-separated values as RFC 4180 has them: a line of names first, CRLF at the ends of lines. Bytes of paths that
//! are no printable UTF-8 stand as `iota text` prints them, so that every file is UTF-8 and every name can be had back.

use super::{Format, PIECE, STRETCH};
use crate::columns::{Column, Texts, Value};
use crate::job::{Encoder, Job, Row};
use iota_output::OutputFile;
use std::io::Write;
use std::sync::Arc;

/// A table of calls
pub struct Csv {
    /// What it has of each call
    pub columns: Vec<&'static Column>,
}

impl Format for Csv {
    fn bytes_per_call(&self) -> u64 {
        170
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        let names: Vec<_> = self.columns.iter().map(|column| column.name).collect();
        to.put(format!("{}\r\n", names.join(",")).as_bytes())?;
        job.encode(
            STRETCH,
            |_| CsvRows::new(&self.columns),
            |piece| to.put(&piece),
        )
    }
}

struct CsvRows<'a> {
    columns: &'a [&'static Column],
    bytes: Vec<u8>,
    /// Of each column, quoted where need be
    texts: Vec<Texts<Arc<[u8]>>>,
}

impl<'a> CsvRows<'a> {
    fn new(columns: &'a [&'static Column]) -> CsvRows<'a> {
        CsvRows {
            columns,
            bytes: Vec::with_capacity(PIECE),
            texts: columns.iter().map(|_| Texts::new()).collect(),
        }
    }
}

impl Encoder for CsvRows<'_> {
    type Piece = Vec<u8>;

    fn add(&mut self, row: &Row) -> anyhow::Result<()> {
        for (at, (column, texts)) in self.columns.iter().zip(&mut self.texts).enumerate() {
            if at > 0 {
                self.bytes.push(b',');
            }
            match column.value {
                Value::Number(number) => decimal(&mut self.bytes, number(row)),
                Value::Text(key, write) => match key(row) {
                    0 => {}
                    key => self
                        .bytes
                        .extend_from_slice(&texts.get(key, || field(row, write))),
                },
            }
        }
        self.bytes.extend_from_slice(b"\r\n");
        Ok(())
    }

    fn full(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let full = self.bytes.len() > PIECE - 4096;
        Ok(full.then(|| std::mem::replace(&mut self.bytes, Vec::with_capacity(PIECE))))
    }

    fn rest(self) -> anyhow::Result<Option<Vec<u8>>> {
        Ok((!self.bytes.is_empty()).then_some(self.bytes))
    }
}

fn decimal(to: &mut Vec<u8>, number: i64) {
    // Nothing fails that is written to memory.
    let _ = write!(to, "{number}");
}

/// A text, in quotes where it has a comma or a quote; line breaks are escaped already. Spreadsheets take one that begins
/// like a formula for one, and run it: an apostrophe before it makes it a text.
fn field(row: &Row, write: fn(&Row, &mut Vec<u8>)) -> Arc<[u8]> {
    let mut text = Vec::new();
    write(row, &mut text);
    if text.len() > 1 && text.first().is_some_and(|first| b"=+-@".contains(first)) {
        text.insert(0, b'\'');
    }
    if !text.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return text.into();
    }
    let mut quoted = vec![b'"'];
    for byte in text {
        match byte {
            b'"' => quoted.extend_from_slice(b"\"\""),
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted.into()
}
