//! Ids of collective calls, which are the same on all ranks without a message.
//!
//! All ranks that open a file together find the same number: from the ranks of the communicator, the path, and how many files
//! these ranks have opened under it before. The calls on the open file are counted from there.

use crate::abi::Word;
use crate::pmpi::io as mpi;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// How many ranks of a communicator are looked at: the first, the last, and some between them.
const LOOKED_AT: usize = 16;
/// For the calls on one file.
const CALL_BITS: u32 = 24;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Ranks that open a file.
pub struct FileGroup {
    /// How many.
    pub ranks: u32,
    first: u64,
}

impl FileGroup {
    /// Those of a communicator, of which all open the file of this path now.
    ///
    /// # Safety
    /// MPI has opened it with this communicator, and has read the path to its NUL.
    pub unsafe fn of(comm: Word, path: *const c_char) -> FileGroup {
        let ranks = mpi::size_of_comm(comm).unwrap_or(1).max(1);
        let mut hash = mixed(FACTOR, u64::from(ranks));
        let mut members = [0; LOOKED_AT];
        for rank in mpi::world_ranks(comm, places(ranks, &mut members)) {
            hash = mixed(hash, *rank as u64);
        }
        // SAFETY: as this function's.
        for byte in unsafe { CStr::from_ptr(path) }.to_bytes() {
            hash = mixed(hash, u64::from(*byte));
        }
        let first = mixed(hash, u64::from(opened_before(hash))) << CALL_BITS;
        FileGroup { ranks, first }
    }

    /// The id of the call that opens the file.
    pub fn first_collective(&self) -> u64 {
        self.first | 1
    }
}

fn mixed(hash: u64, more: u64) -> u64 {
    let mixed = (hash ^ more).wrapping_mul(FACTOR);
    mixed ^ mixed >> 32
}

/// The ranks that are looked at: the same on each of them.
fn places(ranks: u32, members: &mut [c_int; LOOKED_AT]) -> &mut [c_int] {
    let count = LOOKED_AT.min(ranks as usize);
    let last = u64::from(ranks.wrapping_sub(1));
    let steps = (count as u64).wrapping_sub(1).max(1);
    for (i, place) in (0u64..).zip(members.iter_mut()) {
        *place = (i.wrapping_mul(last) / steps) as c_int;
    }
    members.get_mut(..count).unwrap_or_default()
}

/// Files that are counted; of more, those that are opened again have the ids that they had.
const ROOM: usize = 1 << 14;
const NEAR: usize = 256;

static HASHES: [AtomicU64; ROOM] = [const { AtomicU64::new(0) }; ROOM];
static COUNTS: [AtomicU32; ROOM] = [const { AtomicU32::new(0) }; ROOM];

/// How often files of this hash were opened before.
fn opened_before(hash: u64) -> u32 {
    let hash = hash | 1;
    let first = (hash >> 20) as usize;
    let mut near = (0..NEAR).map(|i| first.wrapping_add(i) & (ROOM - 1));
    let is_its = |at: &usize| {
        HASHES.get(*at).is_some_and(|place| {
            let found = place.compare_exchange(0, hash, Relaxed, Relaxed);
            found.is_ok() || found == Err(hash)
        })
    };
    let count = near.find(is_its).and_then(|at| COUNTS.get(at));
    count.map_or(0, |count| count.fetch_add(1, Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_rank_are_looked_at() {
        for ranks in [1, 2, 15, 16, 17, 1000, 110_052] {
            let mut members = [0; LOOKED_AT];
            let places = places(ranks, &mut members);
            assert_eq!(places.first(), Some(&0));
            assert_eq!(places.last(), Some(&(ranks as c_int - 1)));
            assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{ranks}");
        }
    }

    #[test]
    fn files_that_are_opened_again_are_counted() {
        assert_eq!(opened_before(0x1234_5678_9abc), 0);
        assert_eq!(opened_before(0x1234_5678_9abc), 1);
        assert_eq!(opened_before(0x9876_5432_1abc), 0);
        assert_eq!(opened_before(0x1234_5678_9abc), 2);
    }
}
