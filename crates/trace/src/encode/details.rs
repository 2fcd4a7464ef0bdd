//! Records of details: put together, and given to the call that they follow.

use crate::codec::details::{Whose, Written};
use crate::details::{Gathered, MOST};
use crate::{OP_DETAILS, OP_MORE, OP_NONE, Record};

/// The details of the block under way.
#[repr(C)]
pub struct Following {
    /// The last call of the records before these.
    last: Call,
    /// The call that had details last, and how many.
    index: u32,
    count: usize,
    gathered: Gathered,
    pub written: Written,
}

/// A call, as far as its details need it; one of the op [`OP_NONE`] is none.
#[repr(C)]
#[derive(Clone, Copy)]
struct Call {
    id: u32,
    file: u32,
    op: u16,
}

impl Call {
    const NONE: Call = Call {
        id: 0,
        file: 0,
        op: OP_NONE,
    };
}

impl Following {
    pub const NEW: Following = Following {
        last: Call::NONE,
        index: 0,
        count: 0,
        gathered: Gathered::NEW,
        written: Written::NEW,
    };

    /// For a new block.
    pub fn clear(&mut self) {
        (self.last, self.index, self.count) = (Call::NONE, 0, 0);
        self.written.clear();
    }

    /// A record of details, which belongs to the last call of those `before`, at `index` in the block. Where that call is
    /// missing, its details are left out.
    #[cold]
    #[inline(never)]
    pub fn add(&mut self, record: &Record, before: &[Record], index: u32) {
        let Call { id, file, op } = last(before, self.last);
        if op == OP_NONE || id != record.id {
            return;
        }
        let Some(details) = self.gathered.add(record) else {
            return;
        };
        if self.index != index {
            (self.index, self.count) = (index, 0);
        }
        self.count = self.count.wrapping_add(1);
        if self.count <= MOST {
            self.written.add(Whose { index, op, file }, details);
        }
    }

    /// All of these were encoded.
    pub fn pass(&mut self, records: &[Record]) {
        self.last = last(records, self.last);
    }
}

/// The call that what follows `records` would belong to.
fn last(records: &[Record], carried: Call) -> Call {
    let is_more = |record: &&Record| matches!(record.op, OP_DETAILS | OP_MORE);
    match records.iter().rev().find(|record| !is_more(record)) {
        Some(record) => Call {
            id: record.id,
            file: record.file,
            op: record.op,
        },
        None => carried,
    }
}
