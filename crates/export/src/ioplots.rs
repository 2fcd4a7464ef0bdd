//! The log of ioplots: `rank op offset length start_time end_time`, a line for each transfer. It names no file: there is
//! one log for each.

use super::Format;
use super::transfer::{self, Transfer, seconds};
use crate::job::{Job, Row};
use anyhow::Context;
use iota_analysis::FileId;
use iota_calls::Layer;
use iota_output::{OutputDirectory, OutputFile};
use iota_trace::Printable;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;

/// Bytes that wait for all files together
const WAITING: usize = 32 << 20;

/// The log of one file
pub struct IoplotsLog {
    /// Which transfers
    pub layer: Layer,
    /// Of which file
    pub file: FileId,
}

impl Format for IoplotsLog {
    fn bytes_per_call(&self) -> u64 {
        60
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        job.each(|row| {
            let transfers = transfer::of(row, self.layer);
            for transfer in transfers.filter(|transfer| transfer.file == self.file) {
                line(&mut lines, row, &transfer);
            }
            if lines.len() >= super::PIECE {
                to.put(&lines)?;
                lines.clear();
            }
            Ok(())
        })?;
        to.put(&lines)
    }
}

fn line(to: &mut Vec<u8>, row: &Row, transfer: &Transfer) {
    let op = if transfer.is_write { 'w' } else { 'r' };
    let Transfer { offset, length, .. } = transfer;
    let (start, end) = (seconds(transfer.start), seconds(transfer.end));
    // Nothing fails that is written to memory.
    let _ = writeln!(
        to,
        "{} {op} {offset} {length} {start} {end}",
        row.call.process.rank
    );
}

/// The files that transfers are of
///
/// # Errors
///
/// None of its own.
pub fn files(job: &Job, layer: Layer) -> anyhow::Result<BTreeSet<FileId>> {
    let mut files = BTreeSet::new();
    job.each(|row| {
        files.extend(transfer::of(row, layer).map(|transfer| transfer.file));
        Ok(())
    })?;
    Ok(files)
}

/// Fills a directory with a log for each file, and `files.txt`, which says of which each is
///
/// # Errors
///
/// A file in it cannot be written.
pub fn fill(job: &Job, layer: Layer, directory: &OutputDirectory) -> anyhow::Result<()> {
    let mut logs = Logs {
        directory,
        known: BTreeMap::new(),
        waiting: 0,
    };
    job.each(|row| {
        transfer::of(row, layer).for_each(|transfer| logs.add(row, &transfer));
        if logs.waiting >= WAITING {
            logs.flush()
        } else {
            Ok(())
        }
    })?;
    logs.finish()
}

/// The logs of several files: what waits for each, and its name
struct Logs<'d> {
    directory: &'d OutputDirectory,
    known: BTreeMap<FileId, (String, Vec<u8>, Vec<u8>)>,
    waiting: usize,
}

impl Logs<'_> {
    fn add(&mut self, row: &Row, transfer: &Transfer) {
        let number = self.known.len() + 1;
        let (_, _, lines) = self.known.entry(transfer.file).or_insert_with(|| {
            let path = row.path(transfer.file);
            (
                file_name(number, path),
                Printable(path).to_string().into_bytes(),
                Vec::new(),
            )
        });
        let before = lines.len();
        line(lines, row, transfer);
        self.waiting += lines.len() - before;
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        for (name, _, lines) in self
            .known
            .values_mut()
            .filter(|(.., lines)| !lines.is_empty())
        {
            append(self.directory, name, lines)?;
            // Not cleared: of many files each would keep its room.
            *lines = Vec::new();
        }
        self.waiting = 0;
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        let mut list = Vec::new();
        for (name, path, _) in self.known.values() {
            list.extend_from_slice(name.as_bytes());
            list.push(b'\t');
            list.extend_from_slice(path);
            list.push(b'\n');
        }
        append(self.directory, "files.txt", &list)
    }
}

fn append(directory: &OutputDirectory, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(directory.draft().join(name));
    let written = file.and_then(|mut file| file.write_all(bytes));
    written.with_context(|| format!("{}/{name}", directory.name()))
}

/// A number and what of the path's end any file system takes
fn file_name(number: usize, path: &[u8]) -> String {
    let last = iota_analysis::file_name(path);
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let name: String = last
        .iter()
        .take(100)
        .map(|byte| if plain(byte) { char::from(*byte) } else { '_' })
        .collect();
    format!("{number:06}-{name}.ioplots")
}
