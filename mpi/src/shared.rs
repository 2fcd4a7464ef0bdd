//! Memory that all ranks have in common, if they are on one node. Rank 0 makes it and the others find it through /proc: it is
//! in no directory, and is gone when the last rank has let go of it.

use crate::desk::{Bell, Desk, Outbox};
use crate::group::Groups;
use crate::{part, pmpi};
use core::ffi::c_void;
use core::sync::atomic::AtomicU32;
use iota_runtime::sys::{self, File, Text};

/// For more ranks it would be too much memory.
const MOST_RANKS: u32 = 512;

/// A key is a random number, the process of rank 0, and its descriptor.
const PID_BITS: u32 = 22;
const FILE_BITS: u32 = 10;

/// Greater than every key; not the greatest number, which is -1 to an MPI that compares with a sign.
pub const ANY: u64 = i64::MAX as u64;

/// The memory.
pub struct Shared {
    at: *mut c_void,
    ranks: u32,
    key: u64,
    /// On rank 0; the others open it.
    _file: File,
}

impl Shared {
    /// Whether so many ranks may share memory, as far as the launcher says.
    pub fn may_be(ranks: u32) -> bool {
        ranks <= MOST_RANKS && !part::has_other_nodes(ranks)
    }

    /// Makes it, in rank 0.
    pub fn new(ranks: u32) -> Option<Shared> {
        if !Shared::may_be(ranks) {
            return None;
        }
        let random = sys::random().ok()?.wrapping_shr(PID_BITS + FILE_BITS + 1);
        let file = File::in_memory(name(random).c_str()).ok()?;
        let (process, number) = (u64::from(part::pid()), file.number() as u64);
        if process >> PID_BITS != 0 || number >> FILE_BITS != 0 {
            return None;
        }
        let key = (random << PID_BITS | process) << FILE_BITS | number;
        // What is not reserved may be SIGBUS later.
        file.reserve(0, length(ranks) as u64).ok()?;
        Shared::of(file, ranks, key)
    }

    /// Finds what rank 0 made.
    pub fn find(key: u64, ranks: u32) -> Option<Shared> {
        let (number, rest) = (key & ((1 << FILE_BITS) - 1), key >> FILE_BITS);
        let (process, random) = (rest & ((1 << PID_BITS) - 1), rest >> PID_BITS);
        let mut path: Text<48> = Text::EMPTY;
        path.push(b"/proc/").push_number(process);
        path.push(b"/fd/").push_number(number);
        let mut link: Text<64> = Text::EMPTY;
        link.push(b"/memfd:").push(name(random).bytes());
        link.push(b" (deleted)");
        // Where this rank is on another node, anything may be there: it is not opened.
        let mut room = [0; 64];
        if sys::read_link(path.c_str(), &mut room).ok()? != link.bytes() {
            return None;
        }
        let file = File::open(path.c_str(), libc::O_RDWR).ok()?;
        if file.length().ok()? != length(ranks) {
            return None;
        }
        Shared::of(file, ranks, key)
    }

    fn of(file: File, ranks: u32, key: u64) -> Option<Shared> {
        Some(Shared {
            at: file.map_shared(0, length(ranks)).ok()?,
            ranks,
            key,
            _file: file,
        })
    }

    /// By which others find it; neither 0 nor [`ANY`].
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The groups of a rank: there is one leader, which is alone among leaders.
    pub fn groups(&self, rank: u32) -> Groups<Desk<'_, Futex>> {
        // SAFETY: mapped in `of` for so many boxes, which are atomics that begin as zeros; a page is aligned for them.
        let boxes =
            unsafe { core::slice::from_raw_parts(self.at.cast::<Outbox>(), self.ranks as usize) };
        Groups {
            node: Desk::new(boxes, rank, Futex),
            leaders: boxes
                .get(..1)
                .filter(|_| rank == 0)
                .map(|own| Desk::new(own, 0, Futex)),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped in `of`; the groups borrow it no more.
        unsafe { sys::unmap(self.at, length(self.ranks)) };
    }
}

fn length(ranks: u32) -> usize {
    (ranks as usize).saturating_mul(size_of::<Outbox>())
}

fn name(random: u64) -> Text<32> {
    let mut name = Text::EMPTY;
    name.push(b"iota-").push_number(random);
    name
}

/// The first sleep in nanoseconds; later ones are up to 16 times as long.
const SLEEP: u64 = 1_000_000;

/// Sleeping by the kernel's futex.
pub struct Futex;

impl Bell for Futex {
    fn wait(&mut self, word: &AtomicU32, value: u32, again: u32) {
        if again != 0 {
            pmpi::look_after_others();
        }
        sys::wait_while_shared(word, value, SLEEP << again.min(4));
    }

    fn ring(&mut self, word: &AtomicU32) {
        sys::wake_all_shared(word);
    }
}
