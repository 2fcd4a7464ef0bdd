//! `iota load`: what it does, what it logs, how it ends.

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod bugs;
mod ends;
mod jobs;
mod page;
mod users;

use common::{Dir, Said};
use iota_tests::machine::IO_URING;

/// Interfaces, as -io_api names them, without io_uring where the machine refuses it
fn allowed<const N: usize>(apis: &[&'static str; N]) -> Vec<&'static str> {
    let rings = IO_URING.is_here();
    let allowed = apis.iter().copied();
    allowed
        .filter(|api| rings || !api.starts_with("io_uring"))
        .collect()
}

/// A row of the log, as CSV tells it
#[derive(Clone, Debug)]
struct Row {
    phase: String,
    event: String,
    file: Option<u32>,
    piece: Option<u32>,
    operation: Option<u32>,
    time: f64,
    absolute: Option<f64>,
    rate: Option<f64>,
}

impl Row {
    fn parse(line: &str) -> Row {
        let fields: Vec<&str> = line.split(',').collect();
        let [phase, event, file, piece, operation, time, absolute, rate] = fields[..] else {
            panic!("{line}")
        };
        Row {
            phase: phase.into(),
            event: event.into(),
            file: file.parse().ok(),
            piece: piece.parse().ok(),
            operation: operation.parse().ok(),
            time: time.parse().unwrap(),
            absolute: absolute.parse().ok(),
            rate: rate.parse().ok(),
        }
    }

    /// Start and end in ms
    fn span(&self) -> (f64, f64) {
        let start = self.absolute.unwrap();
        (start, start + self.time)
    }
}

impl Dir {
    /// `iota load`, quietly, with words separated by blanks
    fn load(&self, words: &str) -> Said {
        self.run(
            ["load", "-quiet"]
                .into_iter()
                .chain(words.split_whitespace()),
        )
    }

    /// The log of a load that ends well
    fn log(&self, words: &str) -> Vec<Row> {
        let text = self.load(&format!("{words} -format csv")).whole();
        text.lines().skip(1).map(Row::parse).collect()
    }

    /// The report of a load that ends well, as JSON
    fn json(&self, words: &str) -> serde_json::Value {
        serde_json::from_str(&self.load(&format!("{words} -format json")).whole()).unwrap()
    }
}

fn count(rows: &[Row], event: &str) -> usize {
    rows.iter().filter(|row| row.event == event).count()
}

fn of<'a>(rows: &'a [Row], event: &'a str) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| row.event == event)
}
