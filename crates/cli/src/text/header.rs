//! The lines that describe the job, each beginning with `#`.

use crate::local_time::epoch;
use crate::names::{command, printable};
use crate::output::Lines;
use iota_quantity::{folded, listed, ranges, rank_ranges};
use iota_trace::read::{Part, ProcessBlock, Trace};
use iota_trace::{block, text};
use std::collections::BTreeSet;

/// Prints them
pub fn print(trace: &Trace, verbose: bool, raw: bool, out: &mut Lines) -> anyhow::Result<()> {
    for line in lines(trace, verbose, raw) {
        out.add(|room| {
            room.get_mut(..line.len())?.copy_from_slice(line.as_bytes());
            Some(line.len())
        })?;
    }
    Ok(())
}

/// Each with its newline, with the names of the columns of `verbose` lines or of short ones; `raw`: of uncorrected clocks
pub fn lines(trace: &Trace, verbose: bool, raw: bool) -> Vec<String> {
    let mut facts = HeaderFacts::default();
    for part in trace.parts() {
        if let Some(process) = part.process() {
            facts.add(part, &process);
        }
    }
    let clock = if raw { " (raw clocks)" } else { "" };
    let mut lines = vec![
        format!(
            "# iota {}, format {}\n",
            joined(&facts.versions),
            block::VERSION
        ),
        format!("# start: {}{clock}\n", epoch(trace.start())),
        format!(
            "# hosts: {}\n",
            folded(trace.parts().iter().map(|part| printable(part.host())))
        ),
    ];
    lines.extend(
        facts
            .commands
            .iter()
            .map(|command| format!("# command: {command}\n")),
    );
    lines.push(format!(
        "# ranks: {} of {}\n",
        listed(&there(trace)),
        facts.size
    ));
    lines.push(calls(trace));
    lines.push(format!("# {}\n", text::header(verbose)));
    lines
}

#[derive(Default)]
struct HeaderFacts {
    versions: BTreeSet<String>,
    commands: BTreeSet<String>,
    size: u32,
}

impl HeaderFacts {
    fn add(&mut self, part: &Part, process: &ProcessBlock) {
        let process = process.fields();
        self.size = self.size.max(part.job_ranks(Some(&process)));
        self.versions.insert(printable(process.version));
        self.commands.insert(command(process.argv));
    }
}

/// As many as were counted; of a part that was cut off, those that are there
fn calls(trace: &Trace) -> String {
    let (mut captured, mut filtered, mut lost) = (0, 0, 0);
    for part in trace.parts() {
        captured += part
            .end()
            .map_or_else(|| part.event_count(), |end| end.captured);
        filtered += part.end().map_or(0, |end| end.filtered);
        lost += part.end().map_or(0, |end| end.lost);
    }
    format!("# calls: {captured} captured, {filtered} filtered, {lost} lost\n")
}

fn joined(texts: &BTreeSet<String>) -> String {
    texts
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The ranks whose parts are there, in words
pub fn ranks(trace: &Trace) -> String {
    rank_ranges(&there(trace))
}

fn there(trace: &Trace) -> Vec<(u64, u64)> {
    let ranks: BTreeSet<u64> = trace
        .parts()
        .iter()
        .map(|part| part.rank().into())
        .collect();
    ranges(ranks.into_iter())
}
