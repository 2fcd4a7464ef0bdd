//! Several files as one: parts are copied as they are, an index over them is added.

use std::io::{self, Write};
use std::path::PathBuf;

use super::error::{Error, Problem};
use super::group::Group;
use super::pack::Small;
use super::part::Part;
use super::segment::Segment;
use super::source::{Region, Walk};
use super::trace::{Options, Trace};
use crate::block::{Header, Ids, SMALL, blocks, kind};
use crate::names::NamesWriter;
use crate::part::Footer;

/// Bytes of a block of looked-up stacks.
const FRAMES: usize = 1 << 18;

/// What a merge did.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Parts in the output.
    pub parts: u64,
    /// Events in them.
    pub events: u64,
    /// Bytes written.
    pub bytes: u64,
    /// What of the input was damaged or missing; everything whole was copied.
    pub problems: Vec<Problem>,
}

/// Writes the trace in `paths` to `out` as one segment.
///
/// # Errors
/// Nothing of the trace can be read, or `out` not be written.
pub fn merge(paths: &[PathBuf], out: impl Write) -> Result<Merged, Error> {
    let trace = Trace::open(paths, Options::default())?;
    let merged = join(trace.parts(), out)?;
    Ok(Merged {
        problems: trace.problems(),
        ..merged
    })
}

/// Writes parts to `out` as one segment, in the order of their ranks and times. Problems of their traces stay there.
///
/// # Errors
/// `out` cannot be written.
pub fn join<'a>(
    parts: impl IntoIterator<Item = &'a Part>,
    out: impl Write,
) -> Result<Merged, Error> {
    join_with(parts, |_| Vec::new(), out)
}

/// The same, with what was looked up of stacks: `frames` gives the functions at addresses of a part.
///
/// # Errors
/// `out` cannot be written.
pub fn join_with<'a>(
    parts: impl IntoIterator<Item = &'a Part>,
    mut frames: impl FnMut(&Part) -> Vec<Vec<u8>>,
    out: impl Write,
) -> Result<Merged, Error> {
    let mut parts: Vec<&Part> = parts.into_iter().collect();
    parts.sort_by_key(|part| (part.rank(), part.began(), part.pid()));
    let mut group = Group::new(out);
    for part in &parts {
        let added = match &frames(part)[..] {
            [] => add(&mut group, part),
            frames => group.part(part.location.ids, |inner| rebuild(inner, part, frames)),
        };
        added.map_err(Error::Write)?;
    }
    let events = group.events();
    Ok(Merged {
        parts: parts.len() as u64,
        events,
        bytes: group.close().map_err(Error::Write)?,
        problems: Vec::new(),
    })
}

/// A part with its footer, of which every block is whole, is copied as it is; of another the whole blocks, with an index
/// of their own. Where plain numbers do not go into a pack, codes take less space.
fn add(group: &mut Group<impl Write>, part: &Part) -> io::Result<()> {
    let (region, ids) = (part.location.region, part.location.ids);
    let Some(Footer { events, .. }) = part.location.footer else {
        return group.part(ids, |inner| rebuild(inner, part, &[]));
    };
    match small(part) {
        Some(bytes) => group.small(Small { bytes, ids, events }),
        None if is_whole(part) => group.copy(&part.source, region, ids, events),
        None => group.part(ids, |inner| rebuild(inner, part, &[])),
    }
}

/// The bytes of a part that is small enough for a pack, and whole.
fn small(part: &Part) -> Option<Vec<u8>> {
    let Region { start, end } = part.location.region;
    let length = usize::try_from(end - start)
        .ok()
        .filter(|length| *length <= SMALL)?;
    let mut bytes = vec![0; length];
    let is_read = part.source.read(start, &mut bytes) == length;
    let is_whole = is_read && blocks(&bytes).all(|block| block.is_some());
    is_whole.then_some(bytes)
}

/// Whether every block is what was written, one behind the other. The first that is not is reported.
fn is_whole(part: &Part) -> bool {
    let Region { start, end } = part.location.region;
    let mut reached = start;
    let follows = |(at, header): (u64, Header)| {
        let follows = at == reached;
        reached = at + header.block_len();
        follows
    };
    Walk::suspicious(&part.source, part.location.region).all(follows) && reached == end
}

/// The blocks of a part that are whole, and before its end what was looked up of its stacks.
fn rebuild(to: &mut Segment<impl Write>, part: &Part, mut frames: &[Vec<u8>]) -> io::Result<()> {
    let mut blocks = part.blocks();
    while let Some((at, header)) = blocks.next() {
        match header.kind {
            kind::INDEX | kind::FOOTER => {}
            // The walk has checked all others.
            kind::NAMES | kind::EVENTS if !part.source.whole(at, &header) => blocks.distrust(at),
            kind::END => {
                add_frames(to, header.ids, std::mem::take(&mut frames))?;
                to.copy_block(&part.source, at, &header)?;
            }
            _ => to.copy_block(&part.source, at, &header)?,
        }
    }
    add_frames(to, part.location.ids, frames)
}

/// Blocks of names. What has no room in a block is left out.
fn add_frames(to: &mut Segment<impl Write>, ids: Ids, mut frames: &[Vec<u8>]) -> io::Result<()> {
    let mut block = vec![0; FRAMES];
    while !frames.is_empty() {
        let mut names = NamesWriter::new(&mut block);
        let fit = frames.iter().take_while(|lines| names.frames(lines));
        let count = fit.count();
        let is_some = names.count() > 0;
        let length = names.finish(ids).filter(|_| is_some);
        to.add_block(&block[..length.unwrap_or(0)])?;
        frames = &frames[count.max(1)..];
    }
    Ok(())
}
