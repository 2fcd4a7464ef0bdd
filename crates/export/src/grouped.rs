//! Transfers by rank and file, writes before reads, for formats that want them so.
//!
//! A rank is read once to count, then once for as many files as memory holds; a file with more transfers than that is
//! handed on as it is read.

use super::transfer::{self, Transfer};
use crate::job::{Job, Row};
use iota_analysis::FileId;
use iota_calls::Layer;
use iota_trace::read::Part;
use std::collections::{BTreeMap, BTreeSet};

/// Transfers held in memory
const HELD: u64 = 1 << 21;

/// Writes and reads
pub type Counts = (u64, u64);

/// What takes them
pub trait Sink {
    /// Whether the transfers of a call are wanted
    fn wants(&self, row: &Row) -> bool;

    /// The transfers of a rank and a file come next
    fn begin(&mut self, parts: &[&Part], file: FileId, counts: Counts) -> anyhow::Result<()>;

    /// One of them
    fn add(&mut self, transfer: &Transfer) -> anyhow::Result<()>;

    /// That was the last of them
    fn end(&mut self) -> anyhow::Result<()>;
}

/// Hands on those of all ranks
pub fn each(job: &Job, layer: Layer, sink: &mut impl Sink) -> anyhow::Result<()> {
    job.ranks().try_for_each(|parts| {
        let counts = counted(job, parts, layer, sink)?;
        let mut rank = Rank { job, parts, layer };
        batches(&counts)
            .iter()
            .try_for_each(|files| match &files[..] {
                [(file, counts)] if counts.0 + counts.1 > HELD => {
                    rank.as_read(*file, *counts, sink)
                }
                files => rank.held(files, sink),
            })
    })
}

fn counted(
    job: &Job,
    parts: &[&Part],
    layer: Layer,
    sink: &impl Sink,
) -> anyhow::Result<BTreeMap<FileId, Counts>> {
    let mut counts: BTreeMap<FileId, Counts> = BTreeMap::new();
    job.of_rank(parts, |row| {
        for transfer in transfer::of(row, layer).filter(|_| sink.wants(row)) {
            let (writes, reads) = counts.entry(transfer.file).or_default();
            *if transfer.is_write { writes } else { reads } += 1;
        }
        Ok(())
    })?;
    Ok(counts)
}

/// Files that go together
fn batches(counts: &BTreeMap<FileId, Counts>) -> Vec<Vec<(FileId, Counts)>> {
    let (mut batches, mut held): (Vec<Vec<_>>, u64) = (Vec::new(), u64::MAX);
    for (file, (writes, reads)) in counts {
        let more = writes + reads;
        if held.saturating_add(more) > HELD {
            batches.push(Vec::new());
            held = 0;
        }
        held += more;
        if let Some(batch) = batches.last_mut() {
            batch.push((*file, (*writes, *reads)));
        }
    }
    batches
}

struct Rank<'j, 'a> {
    job: &'j Job<'a>,
    parts: &'j [&'a Part],
    layer: Layer,
}

impl Rank<'_, '_> {
    /// Files whose transfers memory holds
    fn held(&mut self, files: &[(FileId, Counts)], sink: &mut impl Sink) -> anyhow::Result<()> {
        let wanted: BTreeSet<FileId> = files.iter().map(|(file, _)| *file).collect();
        let mut found: BTreeMap<FileId, [Vec<Transfer>; 2]> = BTreeMap::new();
        self.job.again(self.parts, |row| {
            let transfers = transfer::of(row, self.layer).filter(|_| sink.wants(row));
            for transfer in transfers.filter(|transfer| wanted.contains(&transfer.file)) {
                found.entry(transfer.file).or_default()[usize::from(!transfer.is_write)]
                    .push(transfer);
            }
            Ok(())
        })?;
        files.iter().try_for_each(|(file, counts)| {
            sink.begin(self.parts, *file, *counts)?;
            let transfers = found.remove(file);
            let mut transfers = transfers.iter().flatten().flatten();
            transfers.try_for_each(|transfer| sink.add(transfer))?;
            sink.end()
        })
    }

    /// A file with very many transfers: the rank is read for its writes, then for its reads
    fn as_read(
        &mut self,
        file: FileId,
        counts: Counts,
        sink: &mut impl Sink,
    ) -> anyhow::Result<()> {
        sink.begin(self.parts, file, counts)?;
        for is_write in [true, false] {
            let is_it = |t: &Transfer| t.file == file && t.is_write == is_write;
            self.job.again(self.parts, |row: &Row| {
                if !sink.wants(row) {
                    return Ok(());
                }
                let mut transfers = transfer::of(row, self.layer).filter(is_it);
                transfers.try_for_each(|transfer| sink.add(&transfer))
            })?;
        }
        sink.end()
    }
}
