//! Calls on what is no storage: counted, and no more.

use super::Tally;
use crate::{Call, Media, Medium};
use serde::{Deserialize, Serialize};

/// Sums of calls that are left out everywhere else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NonStorage {
    /// On pipes, sockets, terminals and the like.
    pub pipes: Sums,
    /// On devices, and on what the kernel makes up.
    pub system: Sums,
}

/// Sums over calls of descriptors and streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// How many.
    pub calls: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time of those that threads waited for, in ns.
    pub time: u64,
}

impl NonStorage {
    /// Takes a call in, if its file is elsewhere.
    #[inline(always)]
    pub(super) fn takes(&mut self, media: &Media, call: &Call) -> bool {
        match media.of_call(call) {
            Medium::Storage => return false,
            Medium::Pipes => self.pipes.add(call),
            Medium::System => self.system.add(call),
        }
        true
    }

    pub(super) fn merge(&mut self, more: &NonStorage) {
        self.pipes.merge(&more.pipes);
        self.system.merge(&more.system);
    }
}

impl Sums {
    pub(super) fn of(tally: &Tally) -> Sums {
        Sums {
            calls: tally.all_calls(),
            bytes_read: tally.bytes[0],
            bytes_written: tally.bytes[1],
            time: tally.all_time(),
        }
    }

    #[cold]
    fn add(&mut self, call: &Call) {
        if call.function.class.is_none() {
            return;
        }
        if call.is_waited_for() {
            self.time = self.time.saturating_add(call.elapse());
        }
        if !call.is_io() {
            return;
        }
        self.calls += 1;
        self.bytes_read = self.bytes_read.saturating_add(call.moved.read);
        self.bytes_written = self.bytes_written.saturating_add(call.moved.written);
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }

    /// Takes others in.
    pub fn merge(&mut self, more: &Sums) {
        self.calls += more.calls;
        self.bytes_read = self.bytes_read.saturating_add(more.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(more.bytes_written);
        self.time = self.time.saturating_add(more.time);
    }
}
