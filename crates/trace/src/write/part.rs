//! A process as it stands in the trace: what is known of it, its blocks, its end.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use super::{ORIGIN, Part, too_small};
use crate::Nanos;
use crate::block::Ids;
use crate::clock::{Anchor, TICK};
use crate::part::{End, Entry, Process, reason, source};
use crate::read::Segment;

impl Part {
    pub(super) fn write<W: Write>(
        &self,
        spool: &File,
        start: Nanos,
        to: &mut Segment<W>,
    ) -> io::Result<()> {
        let offset = to.at;
        let events = to.inner(self.ids, |part| {
            part.own(&self.begin(start)?)?;
            for (at, len) in &self.blocks {
                let mut block = vec![0; *len as usize];
                spool.read_exact_at(&mut block, *at)?;
                part.own(&block)?;
            }
            part.own(&self.end(start)?)
        })?;
        to.events += events;
        let Ids { rank, pid, .. } = self.ids;
        let len = to.at - offset;
        to.entry(Entry::Segment {
            rank,
            pid,
            offset,
            len,
            events,
        })
    }

    fn begin(&self, start: Nanos) -> io::Result<Vec<u8>> {
        let about = &self.about;
        let process = Process {
            version: &about.version,
            size: about.size,
            ppid: about.ppid,
            host: &about.host,
            exe: &about.exe,
            argv: &about.argv,
            cwd: &about.cwd,
            job: &about.job,
            flavour: &about.flavour,
            start: anchor(start, 0),
            rate: 1_000_000_000,
            source: source::MONOTONIC,
            step: TICK,
            ..Process::default()
        };
        let texts = [&about.host, &about.exe, &about.argv, &about.cwd, &about.job];
        let room = texts.iter().map(|text| text.len()).sum::<usize>() + (1 << 11);
        framed(room, |out| process.write(self.ids, out))
    }

    fn end(&self, start: Nanos) -> io::Result<Vec<u8>> {
        let end = End {
            captured: self.calls,
            filtered: self.about.filtered,
            lost: self.about.lost,
            end: anchor(start, self.last),
            reason: reason::EXIT,
            ..End::default()
        };
        framed(1 << 10, |out| end.write(self.ids, out))
    }
}

fn anchor(start: Nanos, elapsed: i64) -> Anchor {
    let elapsed = elapsed.max(0) as u64;
    Anchor {
        ticks: ORIGIN + elapsed,
        monotonic: elapsed,
        realtime: (start.0 as u64).wrapping_add(elapsed),
    }
}

fn framed(room: usize, write: impl FnOnce(&mut [u8]) -> Option<usize>) -> io::Result<Vec<u8>> {
    let mut block = vec![0; room];
    let len = write(&mut block).ok_or_else(too_small)?;
    block.truncate(len);
    Ok(block)
}
