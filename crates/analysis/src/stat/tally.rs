//! What is counted of calls, whoever's they are: of a file, a rank, a thread, a directory.

use super::pattern::STEPS;
pub use crate::time_category::{Direction, TimeCategory};

use crate::sums::{add, add_each, sum};
use crate::{Call, Run};
use serde::{Deserialize, Serialize};

/// Sums over calls. Calls and bytes are those of descriptors and streams; times are those of calls that the thread waited for
/// and no other call encloses, so that they add up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Calls by [`TimeCategory`].
    pub calls: [u64; TimeCategory::COUNT],
    /// Calls that failed.
    pub failed: u64,
    /// Time by [`TimeCategory`], in ns.
    pub time: [u64; TimeCategory::COUNT],
    /// Time of the outermost calls, of whatever layer ([`Call::is_outermost`]), in ns. What it has beyond the times above, the
    /// libraries need for themselves.
    pub outermost: u64,
    /// Bytes by [`Direction`].
    pub bytes: [u64; 2],
    /// Those of asynchronous transfers.
    pub asynchronous: [u64; 2],
    /// Those of them whose place in the file is known.
    pub placed: [u64; 2],
    /// Transfers that moved bytes, by [`Direction`]; a call that copies is one of each.
    pub transfers: [u64; 2],
    /// Those of streams,
    pub of_streams: [u64; 2],
    /// and how many transfers their buffers make of them, about.
    pub of_buffers: [u64; 2],
    /// Small ones of those that reach the kernel.
    pub small: [u64; 2],
    /// Time of the calls that made them.
    pub small_time: [u64; 2],
    /// Transfers whose place in the file is known and not aligned.
    pub unaligned: [u64; 2],
    /// Their time.
    pub unaligned_time: [u64; 2],
    /// Transfers by the step from the one before, see [`super::pattern::Step`].
    pub steps: [[u64; STEPS]; 2],
    /// Time of transfers that came from a random step.
    pub random_time: [u64; 2],
    /// Flushes of streams, which count among the calls that write.
    pub flushes: u64,
    /// Their time.
    pub flush_time: u64,
    /// Time of calls that open a file, or try to.
    pub all_open_time: u64,
    /// Calls that open a file.
    pub opens: u64,
    /// Their time.
    pub open_time: u64,
    /// Opens and queries that found no file.
    pub missed: u64,
    /// Their time.
    pub missed_time: u64,
    /// Calls that open a file which the process had opened before.
    pub again: u64,
    /// Calls that do something with an open file and are no transfers: that map it, lock it, list it, change it.
    pub uses: u64,
    /// Calls that move or ask for the position.
    pub seeks: u64,
    /// Those that changed nothing, or were followed by another.
    pub idle_seeks: u64,
    /// Time of all seeks.
    pub seek_time: u64,
}

impl Tally {
    /// Takes others in.
    pub fn merge(&mut self, more: &Tally) {
        add_each(&mut self.calls, &more.calls);
        add_each(&mut self.time, &more.time);
        add(&mut self.outermost, more.outermost);
        add_each(&mut self.bytes, &more.bytes);
        add_each(&mut self.asynchronous, &more.asynchronous);
        add_each(&mut self.placed, &more.placed);
        add_each(&mut self.transfers, &more.transfers);
        add_each(&mut self.of_streams, &more.of_streams);
        add_each(&mut self.of_buffers, &more.of_buffers);
        add_each(&mut self.small, &more.small);
        add_each(&mut self.small_time, &more.small_time);
        add_each(&mut self.unaligned, &more.unaligned);
        add_each(&mut self.unaligned_time, &more.unaligned_time);
        add_each(&mut self.random_time, &more.random_time);
        for (to, from) in self.steps.iter_mut().zip(&more.steps) {
            add_each(to, from);
        }
        self.failed += more.failed;
        self.flushes += more.flushes;
        add(&mut self.flush_time, more.flush_time);
        add(&mut self.all_open_time, more.all_open_time);
        self.opens += more.opens;
        add(&mut self.open_time, more.open_time);
        self.missed += more.missed;
        add(&mut self.missed_time, more.missed_time);
        self.again += more.again;
        self.uses += more.uses;
        self.seeks += more.seeks;
        self.idle_seeks += more.idle_seeks;
        add(&mut self.seek_time, more.seek_time);
    }

    /// A call, its bytes and place aside.
    #[inline(always)]
    pub fn call(&mut self, call: &Call, class: TimeCategory, waited: u64) {
        add(&mut self.time[class as usize], waited);
        if call.is_outermost() {
            add(&mut self.outermost, call.elapse());
        }
        if call.is_io() {
            self.calls[class as usize] += 1;
            self.failed += u64::from(call.failed());
        }
    }

    /// Calls that are alike, which took `waited` together.
    #[inline(always)]
    pub fn run(&mut self, run: &Run, class: TimeCategory, waited: u64) {
        add(&mut self.time[class as usize], waited);
        if run.first.is_outermost() {
            add(&mut self.outermost, waited);
        }
        self.calls[class as usize] += run.count();
        self.failed += run.count() * u64::from(run.first.failed());
    }

    /// Calls of all classes.
    pub fn all_calls(&self) -> u64 {
        self.calls.iter().sum()
    }

    /// Time of all classes, in ns.
    pub fn all_time(&self) -> u64 {
        sum(self.time)
    }

    /// Time in I/O as the program sees it, in ns. Where a filter left out the calls of libraries, those below them are all that
    /// is known.
    pub fn time_from_top(&self) -> u64 {
        self.outermost.max(self.all_time())
    }

    /// Transfers that reach the kernel: of streams an estimate.
    pub fn reaching_kernel(&self, way: usize) -> u64 {
        let of_descriptors = self.transfers[way].saturating_sub(self.of_streams[way]);
        of_descriptors + self.of_buffers[way]
    }

    /// The same of both directions.
    pub fn all_reaching_kernel(&self) -> u64 {
        sum([0, 1].map(|way| self.reaching_kernel(way)))
    }

    /// Bytes read and written.
    pub fn all_bytes(&self) -> u64 {
        sum(self.bytes)
    }
}
