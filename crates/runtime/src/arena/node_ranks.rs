//! The other ranks of this node that are traced: each says in its spool's header who it is.

use super::spool::{header, is_private, path};
use crate::state::environment;
use crate::state::output::Path;
use crate::sys::{self, Directory, File, Text};
use core::mem::offset_of;
use core::sync::atomic::{AtomicU32, Ordering::*};
use iota_trace::spool::{MAGIC, SpoolHeader};

/// Of a header, what is read of others.
const START: usize = offset_of!(SpoolHeader, process);
/// Of a header, what is mapped.
const PAGE: usize = 4096;

/// Says which rank this process is, of how many; 0: that is not known yet.
pub fn introduce(rank: u32, size: u32) {
    let header = header();
    header.launch.store(environment::launch(), Relaxed);
    header.size.store(size, Relaxed);
    header.rank.store(rank.wrapping_add(1), Release);
}

/// How many other ranks of a world of `size` have a spool here; those of another job may be among them. None where
/// nobody can say.
pub fn count(size: u32) -> Option<u32> {
    let mut others = 0u32;
    each(|other, _| {
        let is_other = other.rank != header().rank.load(Relaxed);
        let is_of_world = other.size == size || other.size == 0;
        others = others.wrapping_add(u32::from(is_other && is_of_world));
        false
    })?;
    Some(others)
}

/// The word of rank 0 that all ranks of a launch on this node have in common. None: rank 0 cannot be found.
pub fn assembly(size: u32) -> Option<&'static AtomicU32> {
    let own = header();
    if own.rank.load(Relaxed) == 1 {
        return (!is_private()).then_some(&own.assembly);
    }
    let mut found = None;
    each(|other, file| {
        let launch = own.launch.load(Relaxed);
        if (other.rank, other.size, other.launch) == (1, size, launch) {
            found = map(file);
        }
        found.is_some()
    });
    found
}

fn map(spool: &File) -> Option<&'static AtomicU32> {
    let at = spool.map_shared(0, PAGE).ok()?;
    let word = at
        .cast::<u8>()
        .wrapping_add(offset_of!(SpoolHeader, assembly));
    // SAFETY: inside the page, aligned as the header is, and never unmapped. A spool does not become shorter.
    Some(unsafe { &*word.cast::<AtomicU32>() })
}

/// What a process says of itself.
struct NodeRank {
    rank: u32,
    size: u32,
    launch: u32,
}

impl NodeRank {
    fn of(spool: &File) -> Option<NodeRank> {
        let mut start = [0; START];
        let length = spool.read_at(&mut start, 0).ok()?;
        let word = |at: usize| {
            let bytes = start.get(at..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let is_spool = length == START && start.starts_with(&MAGIC.to_le_bytes());
        is_spool.then_some(NodeRank {
            rank: word(offset_of!(SpoolHeader, rank))?,
            size: word(offset_of!(SpoolHeader, size))?,
            launch: word(offset_of!(SpoolHeader, launch))?,
        })
    }
}

/// Has every rank's spool looked at that lies where this process' does, until one is enough.
fn each(mut is_enough: impl FnMut(NodeRank, &File) -> bool) -> Option<()> {
    let place = folder()?;
    let mut start: Text<32> = Text::EMPTY;
    start.push(b"iota-").push_number(u64::from(sys::user_id()));
    start.push(b"-");
    let mut directory = Directory::open(place.c_str()).ok()?;
    directory.each(|name| {
        if !name.starts_with(start.bytes()) || !name.ends_with(b".spool") {
            return false;
        }
        let mut path: Path = Text::EMPTY;
        path.push(place.bytes()).push(name);
        let spool = File::open(path.c_str(), libc::O_RDWR | libc::O_NOFOLLOW).ok();
        let other = spool.as_ref().and_then(NodeRank::of);
        match (other, &spool) {
            (Some(other), Some(spool)) if other.rank != 0 => is_enough(other, spool),
            _ => false,
        }
    });
    Some(())
}

/// Where this process' spool lies, with the slash behind it.
fn folder() -> Option<Path> {
    let whole = path().bytes();
    let name = whole.rsplit(|byte| *byte == b'/').next()?;
    let mut folder: Path = Text::EMPTY;
    folder.push(whole.get(..whole.len().wrapping_sub(name.len()))?);
    (!folder.is_empty()).then_some(folder)
}
