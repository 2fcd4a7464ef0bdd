//! The event log with commas, a line of names first.

use super::result::{Form, Run};
use super::rows::{Rows, millis, speed};
use std::io::{self, Write};

pub struct Csv;

impl Form for Csv {
    fn write(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "phase,event,file,piece,operation,time_ms,absolute_ms,mb_per_s"
        )?;
        for phase in &run.phases {
            let name = quoted(phase.plan.name.as_deref().unwrap_or_default());
            let rows = Rows::new(phase);
            for row in rows.iter() {
                let numbers = [row.file, row.piece, row.operation]
                    .map(|number| number.map_or(String::new(), |n| n.to_string()));
                let rates = [rows.absolute(&row), speed(&row)]
                    .map(|value| value.map_or(String::new(), |value| format!("{value:.6}")));
                writeln!(
                    out,
                    "{name},{},{},{:.6},{}",
                    row.kind.name(),
                    numbers.join(","),
                    millis(&row),
                    rates.join(",")
                )?;
            }
        }
        Ok(())
    }
}

/// A field as RFC 4180 has it
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
