//! For eyes: columns that are aligned with spaces.

use super::facts::{self, FiguresAt, Moved};
use super::result::{Form, PhaseResult, Run};
use super::rows::{Rows, millis, speed};
use crate::log::Row;
use crate::options::{Log, Summary};
use iota_quantity as quantity;
use std::io::{self, Write};

pub struct Text;

impl Form for Text {
    fn write(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# iota load, invoked {}", run.invoked)?;
        run.phases.iter().try_for_each(|phase| {
            header(phase, out)?;
            if phase.plan.options.logged() != Log::Off {
                log(phase, out)?;
            }
            files(phase, out)?;
            figures(phase, out)
        })
    }
}

fn header(phase: &PhaseResult, out: &mut dyn Write) -> io::Result<()> {
    let plan = phase.plan;
    if let Some(name) = &plan.name {
        writeln!(out, "\n# phase {}", in_one_line(name))?;
    }
    let nops = match plan.nops {
        Some(nops) => quantity::many(nops, "operation"),
        None => "as many operations as time allows".to_owned(),
    };
    let (requested, observed) = facts::scheduling(phase);
    writeln!(out, "# flags: {}", in_one_line(&plan.words))?;
    writeln!(
        out,
        "# {} x {nops} x {}, {} a buffer, {}",
        quantity::many(plan.paths.len() as u64, "file"),
        quantity::many(plan.pieces.len() as u64, "piece"),
        quantity::bytes(plan.options.bufsz),
        plan.api.name()
    )?;
    writeln!(
        out,
        "# scheduling: requested {requested}; observed {}",
        observed.join("; ")
    )
}

/// Names may contain line ends.
fn in_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_control() {
            true => line.extend(letter.escape_default()),
            false => line.push(letter),
        }
    }
    line
}

fn log(phase: &PhaseResult, out: &mut dyn Write) -> io::Result<()> {
    let rows = Rows::new(phase);
    writeln!(
        out,
        "{:<11} {:>6} {:>6} {:>10} {:>14} {:>16} {:>12}",
        "Event", "File", "Piece", "Operation", "Time (ms)", "Absolute (ms)", "MB/s"
    )?;
    rows.iter().try_for_each(|row| line(&rows, &row, out))
}

fn line(rows: &Rows, row: &Row, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{:<11} {:>6} {:>6} {:>10} {:>14.6} {:>16} {:>12}",
        row.kind.name(),
        number(row.file),
        number(row.piece),
        number(row.operation),
        millis(row),
        rows.absolute(row)
            .map_or("-".to_owned(), |ms| format!("{ms:.6}")),
        speed(row).map_or("-".to_owned(), |rate| format!("{rate:.2}")),
    )
}

fn number(number: Option<u32>) -> String {
    number.map_or("-".to_owned(), |number| number.to_string())
}

fn files(phase: &PhaseResult, out: &mut dyn Write) -> io::Result<()> {
    let of = match phase.plan.options.summary {
        Summary::Op => "op",
        Summary::AtomicOp => "atomic_op",
        Summary::Stripes => "stripes",
        Summary::AllStripes => "all_stripes",
    };
    let show = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    writeln!(
        out,
        "\n{:>6} {:>12} {:>12} {:>12}  of {of}",
        "File", "Min MB/s", "Mean MB/s", "Max MB/s"
    )?;
    facts::file_rates(phase).iter().try_for_each(|file| {
        let [min, mean, max] = [file.min_mb_per_s, file.mean_mb_per_s, file.max_mb_per_s].map(show);
        writeln!(out, "{:>6} {min:>12} {mean:>12} {max:>12}", file.file)
    })
}

fn figures(phase: &PhaseResult, out: &mut dyn Write) -> io::Result<()> {
    let sum = facts::sum(phase);
    writeln!(out)?;
    facts::moved(phase, &sum)
        .iter()
        .try_for_each(|moved| direction(moved, out))?;
    if let Some([first, last]) = facts::done_by(phase, &sum) {
        writeln!(out, "first piece done: {}", by(&first))?;
        writeln!(out, "last piece done:  {}", by(&last))?;
    }
    writeln!(out, "ended: {}", facts::ended(phase))
}

fn direction(moved: &Moved, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{}: {} in {}, {:.2} MB/s, {}/s",
        moved.direction,
        quantity::bytes(moved.bytes),
        quantity::many(moved.transfers, "transfer"),
        moved.mb_per_s.unwrap_or(0.0),
        often(moved.transfers_per_s.unwrap_or(0.0))
    )?;
    let latency = &moved.latency_ns;
    let us = |nanos: u64| format!("{:.2}", nanos as f64 / 1e3);
    write!(
        out,
        "  time of one (us): min {}, mean {:.2}",
        us(latency.min),
        latency.mean / 1e3
    )?;
    for (percent, nanos) in &latency.percentiles {
        write!(out, ", p{percent} {}", us(*nanos))?;
    }
    writeln!(out, ", max {}", us(latency.max))
}

/// A rate of transfers; few of them with a digit behind the point
fn often(rate: f64) -> String {
    match rate < 10.0 {
        true => format!("{rate:.1} transfers"),
        false => quantity::many(rate.round() as u64, "transfer"),
    }
}

fn by(done: &FiguresAt) -> String {
    format!(
        "{:.6} s, {} in {}, {:.2} MB/s",
        done.seconds,
        quantity::bytes(done.bytes),
        quantity::many(done.transfers, "transfer"),
        done.mb_per_s.unwrap_or(0.0)
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn rates_are_rounded_and_not_cut() {
        let rates = [0.0, 0.37, 2.9995, 499.6, 12_345.4].map(|rate| {
            let often = super::often(rate);
            often.trim_end_matches(" transfers").to_owned()
        });
        let expected = ["0.0", "0.4", "3.0", "500", "12,345"];
        assert_eq!(rates, expected);
    }
}
