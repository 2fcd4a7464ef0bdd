//! What the model of one block knows.

use super::calls::Calls;
use super::descriptor::Descriptors;
use super::keys::Keys;
use super::lengths::Lengths;
use super::nesting::Nesting;
use super::second::KnownSecond;

/// The state of one block.
#[repr(C)]
pub struct Model {
    pub(super) keys: Keys,
    /// The key that last followed the two before it.
    pub(super) next: [u8; 256],
    /// How calls nest, by key and key before.
    pub(super) nesting: [Nesting; 256],
    pub(super) lengths: Lengths,
    pub(super) descriptors: Descriptors,
    pub(super) calls: Calls,
    /// The keys of the last event and of the one before.
    pub(super) before: [u8; 2],
    pub(super) next_file: u32,
    /// When the last event ended.
    pub(super) end: i64,
    pub(super) known_second: KnownSecond,
}

impl Model {
    /// The state before the first block.
    pub const NEW: Model = Model {
        keys: Keys::NEW,
        next: [0; 256],
        nesting: [Nesting::NEW; 256],
        lengths: Lengths::NEW,
        descriptors: Descriptors::NEW,
        calls: Calls::NEW,
        before: [0; 2],
        next_file: 0,
        end: 0,
        known_second: KnownSecond::NEW,
    };

    /// Starts a block in a new model: the time, call number and file number that the first event is coded against.
    pub fn start(&mut self, end: i64, call: u64, file: u32) {
        self.keys.start();
        self.start_early(end, call, file);
    }

    /// The same as encoding 2 has it.
    pub fn start_early(&mut self, end: i64, call: u64, file: u32) {
        self.end = end;
        self.next_file = file;
        self.calls.start(call);
    }
}
