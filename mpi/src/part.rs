//! The runtime as this crate sees it: this process' part of the trace, and what the job says of it.

use crate::clocks::Offset;
use crate::gather::{Name, Part};
use core::sync::atomic::AtomicU32;
use iota_runtime::rank::{self, Reason, Sealed};
use iota_runtime::{clock, log, sys};
use iota_trace::fnv::Fnv;

pub use iota_runtime::sys::quietly;

/// The part of this process; none when it is not traced.
pub struct OwnPart(Option<Sealed>);

/// Closes this process' part.
pub fn seal() -> OwnPart {
    OwnPart(rank::seal(Reason::Finalize))
}

impl OwnPart {
    /// The part stands in the file of this name.
    pub fn gathered(self, name: &Name) {
        let Some(sealed) = self.0 else { return };
        sealed.gathered(crate::output_name::path(name));
    }

    /// The part stays with this process, which writes it beside the output.
    pub fn leave(self) {
        if let Some(sealed) = self.0 {
            sealed.leave();
        }
    }
}

impl Part for OwnPart {
    fn base(&self) -> i64 {
        rank::clock_base()
    }

    fn set_clock(&mut self, offset: Offset) {
        if let Some(sealed) = &mut self.0 {
            sealed.set_clock(offset.offset, offset.error);
        }
    }

    fn length(&mut self) -> u64 {
        self.0.as_mut().map_or(0, Sealed::len)
    }

    fn events(&self) -> u64 {
        self.0.as_ref().map_or(0, Sealed::events)
    }

    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> bool {
        self.0
            .as_mut()
            .is_some_and(|sealed| sealed.read_at(offset, to))
    }
}

/// What tells this node from others: its name, and the number that its kernel has drawn at its start.
pub fn node() -> u64 {
    // SAFETY: zero is valid for plain arrays.
    let (mut name, mut boot) = (unsafe { core::mem::zeroed() }, [0; 64]);
    let file = sys::File::open(c"/proc/sys/kernel/random/boot_id", libc::O_RDONLY);
    let read = file.and_then(|file| file.read(&mut boot)).unwrap_or(0);
    let boot = boot.get(..read).unwrap_or_default();
    Fnv::START.and(sys::host_name(&mut name)).and(boot).number()
}

/// This process is a rank now.
pub fn attach(rank: u32, size: u32) {
    rank::attach(rank, size);
}

/// For how many nanoseconds to wait for all ranks; none when parts are not gathered.
pub fn patience() -> Option<u64> {
    rank::patience_ms().map(|patience| patience.saturating_mul(1_000_000))
}

/// How many ranks of this node are known not to be traced, in a world of so many.
pub fn untraced(size: u32) -> u32 {
    rank::untraced(size)
}

/// True if all ranks of a world of so many may be on this node, and traced.
pub fn may_all_be_here(size: u32) -> bool {
    rank::fellows_of(size).is_some_and(|others| others.saturating_add(1) >= size)
}

/// What the ranks of this node have in common.
pub fn assembly(size: u32) -> Option<&'static AtomicU32> {
    rank::assembly(size)
}

/// Whether ranks of a world of so many are on other nodes.
pub fn has_other_nodes(size: u32) -> bool {
    rank::has_other_nodes(size)
}

/// Ranks did not come, for which this one has waited.
pub fn waited_in_vain(nanoseconds: u64, untraced: u32) {
    rank::waited_in_vain(nanoseconds, untraced);
}

/// Nanoseconds since 1970.
pub fn date() -> u64 {
    clock::anchor().realtime
}

/// This process has started so many ranks, since that time.
pub fn spawned(since: u64, ranks: u32) {
    rank::spawned(since, date(), ranks);
}

/// This process is about to be aborted: what it has is written.
pub fn abort() {
    rank::finish(Reason::Abort);
}

/// MPI_Finalize returned.
pub fn shut_down() {
    rank::shut_down();
}

/// This process.
pub fn pid() -> u32 {
    sys::process_id()
}

/// CLOCK_MONOTONIC in nanoseconds.
pub fn now() -> u64 {
    clock::monotonic_ns()
}

/// A line for the log.
pub fn tell(what: &[u8], errno: Option<i32>) {
    match errno {
        None => log::line(&[what]),
        Some(errno) => log::line(&[what, b": errno ", log::number(i64::from(errno)).bytes()]),
    }
}

/// MPI starts or ends, or has done so: meanwhile calls are its own.
pub fn set_startup(begins: bool) {
    rank::set_startup(begins);
}

/// From now on what this thread calls is our doing, and is not recorded.
pub fn silence() {
    rank::silence();
}

/// What this thread calls is the program's doing again.
pub fn resume() {
    rank::resume();
}

/// Lets time pass.
pub fn pause(nanoseconds: u64) {
    sys::sleep(nanoseconds);
}
