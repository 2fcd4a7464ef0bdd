//! What is known of a dataset, variable or attribute of a file.

use super::Sum;
use crate::sums::add;
use crate::{Call, CallDetails, FileId, ObjectId};
use iota_calls::Kind;

/// An object in its file.
pub type ObjectKey = (FileId, ObjectId);

/// An object.
#[derive(Clone, Debug, Default)]
pub struct ObjectFacts {
    /// Sums over its calls.
    pub sum: Sum,
    /// Processes that used it.
    pub ranks: u32,
    /// Bytes of the file that processes read below its calls, each place once for each process.
    pub distinct: u64,
    /// Bytes of a chunk; 0: it has none, or that is not known.
    pub chunk: u64,
    /// Transfers whose elements have another type in memory than in the file.
    pub converted: Several,
    /// Calls that made it larger.
    pub extended: Several,
    /// Calls on it as an attribute, or on attributes of it.
    pub attributes: Several,
}

/// So many calls, and their time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Several {
    /// How many.
    pub calls: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Time that threads spent in them.
    pub time: u64,
}

impl Several {
    fn add(&mut self, call: &Call) {
        self.calls += 1;
        add(
            &mut self.bytes,
            call.moved.read.saturating_add(call.moved.written),
        );
        add(&mut self.time, call.elapse());
    }

    fn merge(&mut self, more: Several) {
        self.calls += more.calls;
        add(&mut self.bytes, more.bytes);
        add(&mut self.time, more.time);
    }
}

impl ObjectFacts {
    /// What a call says of it.
    pub(super) fn add_detailed(&mut self, call: &Call, details: Option<CallDetails>) {
        if call.function.name.starts_with(b"H5Dset_extent") {
            self.extended.add(call);
        }
        let Some(fields) = details.and_then(|details| details.with(b"object")) else {
            return;
        };
        if fields.has(b"attribute") || fields.text(b"object").contains(&b'@') {
            self.attributes.add(call);
        }
        self.chunk = self.chunk.max(fields.number(b"chunk"));
        let moves = matches!(call.kind(), Kind::Read | Kind::Write);
        let differs = |a: u64, b: u64| a != b && a > 0 && b > 0;
        let sizes = differs(fields.number(b"element"), fields.number(b"stored"));
        if moves && (sizes || fields.number(b"converted") != 0) {
            self.converted.add(call);
        }
    }

    pub(super) fn merge(&mut self, more: &ObjectFacts, duration: i64) {
        self.sum.merge(&more.sum, duration);
        self.ranks += more.ranks;
        add(&mut self.distinct, more.distinct);
        self.chunk = self.chunk.max(more.chunk);
        self.converted.merge(more.converted);
        self.extended.merge(more.extended);
        self.attributes.merge(more.attributes);
    }
}
