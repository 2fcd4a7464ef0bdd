//! What a query found, on standard output.

use clap::ValueEnum;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::{csv, util::pretty};
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::StreamExt;
use std::io::{self, BufWriter, Write};

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

/// Prints them as they come; a table when it is whole, for its columns are as wide as their widest. A reader that has enough
/// is no error.
pub async fn print(found: SendableRecordBatchStream, format: Format) -> anyhow::Result<()> {
    let out = BufWriter::new(io::stdout().lock());
    match write(found, format, out).await {
        Err(error) if is_closed(&error) => Ok(()),
        done => done,
    }
}

async fn write(
    mut found: SendableRecordBatchStream,
    format: Format,
    mut out: impl Write,
) -> anyhow::Result<()> {
    let empty = RecordBatch::new_empty(found.schema());
    match format {
        Format::Table => {
            let mut batches = vec![empty];
            while let Some(batch) = found.next().await {
                batches.push(batch?);
            }
            writeln!(out, "{}", pretty::pretty_format_batches(&batches)?)?;
        }
        Format::Csv => {
            let mut writer = csv::Writer::new(&mut out);
            // The line of names stands above no row, too.
            writer.write(&empty)?;
            while let Some(batch) = found.next().await {
                writer.write(&batch?)?;
            }
        }
        Format::Json => {
            let mut writer = LineDelimitedWriter::new(&mut out);
            while let Some(batch) = found.next().await {
                writer.write(&batch?)?;
            }
            writer.finish()?;
        }
    }
    Ok(out.flush()?)
}

fn is_closed(error: &anyhow::Error) -> bool {
    let is_pipe = |text: String| text.contains("Broken pipe");
    error.chain().any(|cause| is_pipe(cause.to_string()))
}
