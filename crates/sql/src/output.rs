//! What a query found, on standard output.

use clap::ValueEnum;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::{csv, util::pretty};
use std::io::{self, ErrorKind, Write};

/// How rows are written
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    /// In columns
    Table,
    /// With a line of names
    Csv,
    /// An object for each row
    Json,
}

/// Prints them; a reader that has enough is no error.
pub fn print(batches: &[RecordBatch], format: Format) -> anyhow::Result<()> {
    let mut out = Vec::new();
    match format {
        Format::Table => writeln!(out, "{}", pretty::pretty_format_batches(batches)?)?,
        Format::Csv => {
            let mut writer = csv::Writer::new(&mut out);
            batches.iter().try_for_each(|batch| writer.write(batch))?;
        }
        Format::Json => {
            let mut writer = LineDelimitedWriter::new(&mut out);
            batches.iter().try_for_each(|batch| writer.write(batch))?;
            writer.finish()?;
        }
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(&out).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
