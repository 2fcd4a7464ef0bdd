//! Events blocks back to events, of which loops come as one. Survives any input: what makes no sense is an error, never
//! a panic.

use crate::block::Header;
use crate::columns::calls::Calls;
use crate::columns::decoder::Decoder;
use crate::{Details, Event};

pub use crate::columns::ColumnError;
pub use crate::columns::calls::Run;
pub use crate::columns::decoder::Times;

/// Room to work in: plain data, of which zeroed is a valid value, and which needs no care between blocks.
pub use crate::columns::decoder::Decoder as Scratch;

/// Calls `each` with the events of an events block, in completion order.
///
/// # Errors
/// The block is damaged.
pub fn events(
    header: &Header,
    payload: &[u8],
    scratch: &mut Decoder,
    mut each: impl FnMut(&Event),
) -> Result<(), ColumnError> {
    runs(header, payload, scratch, false, |run, _| {
        run.each(&mut each)
    })
}

/// The same, each with its details. If these are damaged, the events come without them.
///
/// # Errors
/// The block is damaged.
pub fn detailed(
    header: &Header,
    payload: &[u8],
    scratch: &mut Decoder,
    mut each: impl FnMut(&Event, &[Details]),
) -> Result<(), ColumnError> {
    runs(header, payload, scratch, true, |run, details| {
        run.each(|event| each(event, details));
    })
}

/// The same with as many at once as are alike, and with details if they are wanted; calls that have some come alone.
///
/// # Errors
/// The block is damaged.
#[inline(always)]
pub fn runs(
    header: &Header,
    payload: &[u8],
    scratch: &mut Decoder,
    wants_details: bool,
    each: impl FnMut(Run, &[Details]),
) -> Result<(), ColumnError> {
    let calls = Calls::open(scratch, payload, header.count as usize)?;
    calls.runs(header.ids.thread, wants_details, each)
}
