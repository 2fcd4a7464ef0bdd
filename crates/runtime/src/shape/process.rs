//! Calls that end the process.

use crate::{start, sys};
use iota_calls::Op;

/// `_exit` and its kin: no destructor follows, so the trace is finished here. The call itself never returns, and so is
/// no event.
#[inline(always)]
pub fn exit(_op: Op, real: impl FnOnce()) -> ! {
    start::finish(start::Reason::Exit);
    real();
    loop {
        sys::yield_now();
    }
}
