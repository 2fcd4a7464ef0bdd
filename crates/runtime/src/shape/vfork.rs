//! `vfork`: the child runs in its parent's memory, on its stack and with its thread's state, until it calls exec or ends.

use crate::record;
use crate::state::tls;
use crate::tables::pending::PendingCall;
use crate::thread;
use core::ffi::c_int;
use iota_calls::Op;

/// `vfork` returned: where to. The child leaves all as it is, for its parent to find.
pub fn vforked(ret: c_int) -> usize {
    if let Some(thread) = thread::own().filter(|_| ret != 0) {
        let waiting = thread.vfork();
        thread.end_vfork();
        let begun = PendingCall::new(Op(waiting.op), waiting.start);
        record::store_begun(thread, begun, i64::from(ret), |_, _| None);
    }
    tls::behind_vfork()
}
