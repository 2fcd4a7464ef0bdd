//! Names that a brick of GlusterFS has for files of a volume.
//!
//! Every file has a number, its GFID, and is linked to `.glusterfs/ab/cd/GFID` of its brick, by which the server opens it.
//! Of a sharded file the first piece has the file's name, and piece N is `.shard/GFID.N`, on whatever brick.

use super::exports::ServerFile;
use super::transfers::RangeTransfers;
use crate::job::file_name;
use crate::{FileId, Job};
use std::collections::{BTreeSet, HashMap};

/// Pieces are as long as a power of two, and at least so long.
const PIECE: u64 = 4 << 20;

/// Path of a brick, and what lies below it.
struct BrickPath<'p> {
    brick: &'p [u8],
    path: &'p [u8],
}

/// The files of which servers moved bytes.
pub(super) fn files(job: &Job, found: &RangeTransfers) -> Vec<ServerFile> {
    let mut reached: HashMap<FileId, u64> = HashMap::new();
    for transfer in &found.all {
        let end = reached.entry(transfer.file).or_default();
        *end = (*end).max(transfer.end_offset());
    }
    let path = |file: FileId| job.files.path(file);
    let mut names: HashMap<&[u8], &[u8]> = HashMap::new();
    let mut of_gfid: HashMap<&[u8], &[u8]> = HashMap::new();
    for (file, link) in &found.links {
        let Some(handle) = split(path(*link), b"/.glusterfs/") else {
            continue;
        };
        let (name, gfid) = (path(*file), file_name(handle.path));
        names.entry(path(*link)).or_insert(name);
        let below = name.strip_prefix(handle.brick);
        if let Some(below) = below.filter(|_| split(name, b"/.shard/").is_none()) {
            of_gfid.entry(gfid).or_insert(below);
        }
    }
    let named = |file: FileId| {
        let own = path(file);
        names.get(own).copied().unwrap_or(own)
    };
    let mut lengths: HashMap<&[u8], u64> = HashMap::new();
    for (file, end) in &reached {
        let name = named(*file);
        if let Some((gfid, _)) = split(name, b"/.shard/").and_then(|of| piece(of.path)) {
            let length = lengths.entry(gfid).or_insert(PIECE);
            *length = (*length).max(end.checked_next_power_of_two().unwrap_or(PIECE));
        }
    }
    let bricks: BTreeSet<&[u8]> = names
        .keys()
        .filter_map(|of| Some(split(of, b"/.glusterfs/")?.brick))
        .collect();
    let mut files: Vec<ServerFile> = reached
        .keys()
        .map(|file| {
            let name = named(*file);
            let shard = split(name, b"/.shard/")
                .and_then(|of| Some((of.brick, piece(of.path)?)))
                .and_then(|(brick, (gfid, number))| {
                    let length = lengths.get(gfid).copied().unwrap_or(PIECE);
                    Some((brick, *of_gfid.get(gfid)?, number.saturating_mul(length)))
                });
            if let Some((brick, below, shift)) = shard {
                return ServerFile::below(*file, brick, below, shift);
            }
            let of_it = bricks.iter().filter(|brick| {
                name.strip_prefix(**brick)
                    .is_some_and(|below| below.starts_with(b"/"))
            });
            match of_it.max_by_key(|brick| brick.len()) {
                Some(brick) => ServerFile::below(*file, brick, &name[brick.len()..], 0),
                None => ServerFile::named(*file, name),
            }
        })
        .collect();
    files.sort_by_key(|of| of.file);
    files
}

fn split<'p>(path: &'p [u8], folder: &[u8]) -> Option<BrickPath<'p>> {
    let at = path.windows(folder.len()).position(|some| some == folder)?;
    Some(BrickPath {
        brick: &path[..at],
        path: &path[at + folder.len()..],
    })
}

/// `GFID.N`.
fn piece(name: &[u8]) -> Option<(&[u8], u64)> {
    let at = name.iter().rposition(|byte| *byte == b'.')?;
    let number = str::from_utf8(&name[at + 1..]).ok()?.parse().ok()?;
    Some((&name[..at], number))
}
