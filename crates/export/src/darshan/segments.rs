//! Each transfer, as DXT has it: a record for each rank and file, then its writes and its reads.

use super::counted::counts;
use super::log::{Log, Module};
use super::values::seconds;
use crate::dxt::file_id;
use crate::grouped::{self, Counts, Sink};
use crate::job::{Job, Row};
use crate::transfer::Transfer;
use iota_analysis::{FileId, Media};
use iota_calls::Layer;
use iota_trace::Printable;
use iota_trace::read::Part;

/// Bytes of a node's name, with a NUL at least
const HOST: usize = 64;

/// Writes them to the log
pub struct Segments<'l, 't, 'j> {
    job: &'j Job<'j>,
    media: Media,
    log: &'l mut Log<'t>,
}

impl Segments<'_, '_, '_> {
    /// Those of a layer
    pub fn write(job: &Job, log: &mut Log, module: Module, layer: Layer) -> anyhow::Result<()> {
        log.open(module);
        let media = job.all.files.media();
        grouped::each(job, layer, &mut Segments { job, media, log })?;
        log.close()
    }
}

impl Sink for Segments<'_, '_, '_> {
    fn wants(&self, row: &Row) -> bool {
        counts(&self.media, row)
    }

    fn begin(&mut self, parts: &[&Part], file: FileId, counts: Counts) -> anyhow::Result<()> {
        let part = parts.first();
        let rank = part.map_or(0, |part| part.rank());
        let host = part.map_or(&b""[..], |part| part.host());
        let mut name = [0; HOST];
        for (to, byte) in name
            .iter_mut()
            .take(HOST - 1)
            .zip(Printable(host).to_string().bytes())
        {
            *to = byte;
        }
        let shared = 0i64;
        let mut head = file_id(self.job.all.files.path(file))
            .to_le_bytes()
            .to_vec();
        head.extend(i64::from(rank).to_le_bytes());
        head.extend(shared.to_le_bytes());
        head.extend(name);
        head.extend(counts.0.to_le_bytes());
        head.extend(counts.1.to_le_bytes());
        self.log.put(&head)
    }

    fn add(&mut self, transfer: &Transfer) -> anyhow::Result<()> {
        let mut segment = [0; 32];
        let numbers = [
            transfer.offset.to_le_bytes(),
            transfer.length.to_le_bytes(),
            seconds(transfer.start).to_le_bytes(),
            seconds(transfer.end).to_le_bytes(),
        ];
        for (place, number) in segment.iter_mut().zip(numbers.as_flattened()) {
            *place = *number;
        }
        self.log.put(&segment)
    }

    fn end(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}
