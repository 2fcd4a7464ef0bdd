//! Some calls of a trace as a trace: what stands around them is copied, blocks that lose calls are written anew.

use std::io::{self, Write};

use super::error::Error;
use super::group::Group;
use super::merge::Merged;
use super::part::Part;
use super::segment::Segment;
use crate::block::{Header, Ids, kind};
use crate::part::{END_SIZE, End};
use crate::{Details, Event, Record, Step, decode, encode};

/// A trace being written, part by part in the order of ranks and times.
pub struct Cut<W> {
    group: Group<W>,
    buffers: CutBuffers,
    parts: u64,
}

/// Where to take blocks apart and put them together in.
struct CutBuffers {
    read: Vec<u8>,
    decode: Box<decode::Scratch>,
    encode: Box<encode::Scratch>,
    block: Vec<u8>,
    kept: Vec<Record>,
}

impl<W: Write> Cut<W> {
    /// Nothing yet.
    pub fn new(out: W) -> Cut<W> {
        Cut {
            group: Group::new(out),
            buffers: CutBuffers {
                read: Vec::new(),
                decode: Box::new(decode::Scratch::NEW),
                encode: Box::new(encode::Scratch::NEW),
                block: vec![0; encode::MAX_BLOCK],
                kept: Vec::new(),
            },
            parts: 0,
        }
    }

    /// Adds the calls of a part that `keep` says yes to, of blocks whose header is `wanted`. What is damaged is left out,
    /// and stands among the trace's problems.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn part(
        &mut self,
        part: &Part,
        wanted: impl Fn(&Header) -> bool,
        keep: impl FnMut(&Event, &[Details]) -> bool,
    ) -> Result<(), Error> {
        let (ids, buffers) = (part.location.ids, &mut self.buffers);
        self.parts += 1;
        self.group
            .part(ids, |inner| fill(inner, part, buffers, wanted, keep))
            .map_err(Error::Write)
    }

    /// Ends it. Problems stay with the trace.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn finish(self) -> Result<Merged, Error> {
        Ok(Merged {
            parts: self.parts,
            events: self.group.events(),
            bytes: self.group.close().map_err(Error::Write)?,
            problems: Vec::new(),
        })
    }
}

fn fill(
    to: &mut Segment<impl Write>,
    part: &Part,
    buffers: &mut CutBuffers,
    wanted: impl Fn(&Header) -> bool,
    mut keep: impl FnMut(&Event, &[Details]) -> bool,
) -> io::Result<()> {
    let mut blocks = part.blocks();
    while let Some((at, header)) = blocks.next() {
        match header.kind {
            kind::INDEX | kind::FOOTER => {}
            kind::EVENTS if wanted(&header) => {
                match part
                    .source
                    .payload(at, &header, &mut buffers.read)
                    .is_some()
                {
                    true => events(to, part, (at, &header), buffers, &mut keep)?,
                    false => blocks.distrust(at),
                }
            }
            // The walk has checked all others.
            kind::EVENTS | kind::NAMES if !part.source.whole(at, &header) => blocks.distrust(at),
            kind::EVENTS => {}
            kind::END => end(to, part, header.ids)?,
            _ => to.copy_block(&part.source, at, &header)?,
        }
    }
    Ok(())
}

/// The end says how many calls there are now.
fn end(to: &mut Segment<impl Write>, part: &Part, ids: Ids) -> io::Result<()> {
    let Some(end) = part.end() else {
        return Ok(());
    };
    let end = End {
        captured: to.events(),
        ..*end
    };
    let mut block = [0; END_SIZE];
    let len = end.write_with(part.spawns(), ids, &mut block);
    to.add_block(&block[..len.unwrap_or(0)])
}

/// A block of which all is kept is copied; of another what is kept is encoded.
fn events(
    to: &mut Segment<impl Write>,
    part: &Part,
    (at, header): (u64, &Header),
    buffers: &mut CutBuffers,
    keep: &mut impl FnMut(&Event, &[Details]) -> bool,
) -> io::Result<()> {
    let payload = buffers
        .read
        .get(usize::from(header.header_len)..)
        .unwrap_or_default();
    let (kept, mut left, mut calls) = (&mut buffers.kept, 0, 0);
    kept.clear();
    let decoded = decode::detailed(header, payload, &mut buffers.decode, |event, details| {
        if keep(event, details) {
            kept.extend(event.records_with(details));
            calls = calls.max(event.id);
        } else {
            left += 1;
        }
    });
    if let Err(error) = decoded {
        part.source.problem(at, error.cause());
    } else if left == 0 {
        return to.copy_block(&part.source, at, header);
    }
    for records in encode::blocks(kept) {
        let len = encode::events(
            records,
            &Step::new(0, crate::clock::TICK),
            calls,
            header.ids,
            &mut buffers.encode,
            &mut buffers.block,
        );
        to.add_block(&buffers.block[..len.unwrap_or(0)])?;
    }
    Ok(())
}
