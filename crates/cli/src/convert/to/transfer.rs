//! Transfers: the calls that moved bytes at a known place of a known file.

use crate::args::TransferLayer;
use crate::convert::job::Row;
use iota_analysis::{FileId, NO_FILE};
use iota_calls::Layer;
use iota_trace::flags;

/// Bytes that went one way
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Of the job
    pub file: FileId,
    /// To the file
    pub is_write: bool,
    /// In the file
    pub offset: u64,
    /// Bytes that moved
    pub length: u64,
    /// In ns since the job's start
    pub start: i64,
    /// In ns since the job's start
    pub end: i64,
}

/// The layer as traces number it
pub fn number(layer: TransferLayer) -> u8 {
    (match layer {
        TransferLayer::Posix => Layer::Posix,
        TransferLayer::Stdio => Layer::Stdio,
        TransferLayer::MpiIo => Layer::MpiIo,
    }) as u8
}

/// The transfers of a call of this layer: a copy from file to file is two
pub fn of(row: &Row, layer: TransferLayer) -> impl Iterator<Item = Transfer> {
    let (call, event) = (&row.call, row.call.event);
    let counts = call.function.layer == number(layer) && call.is_transfer() && event.ret >= 0;
    let copies = event.flags & flags::MORE != 0 && call.moved.read > 0 && call.moved.written > 0;
    let one = |is_write, file, offset: i64, length| Transfer {
        file,
        is_write,
        offset: offset as u64,
        length,
        start: call.start,
        end: call.end,
    };
    let is_write = call.kind() == iota_calls::Kind::Write && !copies;
    let length = if is_write {
        call.moved.written
    } else {
        call.moved.read
    };
    let first = one(is_write, call.file, event.offset, length);
    let second = one(true, call.second, event.second.offset, call.moved.written);
    let both = [Some(first), copies.then_some(second)];
    let known = |transfer: &Transfer| transfer.file != NO_FILE && transfer.offset as i64 >= 0;
    both.into_iter()
        .flatten()
        .filter(move |transfer| counts && known(transfer))
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
