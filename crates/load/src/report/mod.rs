//! The report: event log, rates of files, figures. One file for each form.

mod csv;
mod facts;
mod json;
mod result;
mod rows;
mod text;

use crate::options::Format;
use result::Form;
pub use result::{PhaseResult, Run};
use std::io::{self, Write};

/// Writes the report.
pub fn write(run: &Run, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let form: &dyn Form = match format {
        Format::Text => &text::Text,
        Format::Json => &json::Json,
        Format::Csv => &csv::Csv,
    };
    form.write(run, out)?;
    out.flush()
}
