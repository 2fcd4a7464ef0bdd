//! Transfers: the calls that moved bytes of a known file, mostly at a known place.

use crate::job::Row;
use iota_analysis::{FileId, NO_FILE};
use iota_calls::{Handles, Kind, Layer};

/// Bytes that went one way
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Of the job
    pub file: FileId,
    /// To the file
    pub is_write: bool,
    /// In the file; -1 where it is not known, as of a shared file pointer
    pub offset: i64,
    /// Bytes that moved
    pub length: u64,
    /// In ns since the job's start
    pub start: i64,
    /// In ns since the job's start
    pub end: i64,
}

/// The transfers of a call of this layer, at known places: a copy from file to file is two
pub fn of(row: &Row, layer: Layer) -> impl Iterator<Item = Transfer> {
    anywhere(row, layer).filter(Transfer::is_placed)
}

/// The same, and those whose place is not known
pub fn anywhere(row: &Row, layer: Layer) -> impl Iterator<Item = Transfer> {
    let (call, event) = (&row.call, row.call.event);
    let counts = call.function.layer == layer as u8 && call.is_transfer() && event.ret >= 0;
    let copies = call.function.effects.handles == Handles::Copies;
    let writes_first = match copies {
        true => call.writes_first(),
        false => call.kind() == Kind::Write,
    };
    let one = |is_write, file, offset: i64| Transfer {
        file,
        is_write,
        offset,
        length: match is_write {
            true => call.moved.written,
            false => call.moved.read,
        },
        start: call.start,
        end: call.end,
    };
    let first = one(writes_first, call.file, event.offset);
    let second = one(!writes_first, call.second, event.second.offset);
    let both = [Some(first), copies.then_some(second)];
    both.into_iter()
        .flatten()
        .filter(move |transfer| counts && transfer.file != NO_FILE)
}

impl Transfer {
    /// Whether its place in the file is known
    pub fn is_placed(&self) -> bool {
        self.offset >= 0
    }
}

/// Seconds with all nine digits
pub fn seconds(nanos: i64) -> String {
    let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    format!(
        "{sign}{}.{:09}",
        nanos / 1_000_000_000,
        nanos % 1_000_000_000
    )
}
