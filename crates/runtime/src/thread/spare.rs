//! A description that the thread may use next, without asking the others.

use super::state::own;
use core::sync::atomic::Ordering::*;
use iota_trace::unlocked_atomic;

/// A number of a description that this thread gave back last: taken without a lock prefix by who opens and closes in
/// turn. 0: there is none.
pub fn take_spare() -> u32 {
    let Some(thread) = own() else { return 0 };
    let spare = thread.spare.load(Relaxed);
    if spare != 0 && unlocked_atomic::replace(&thread.spare, spare, 0) {
        spare
    } else {
        0
    }
}

/// Keeps one for [`take_spare`]; false where one is kept already.
pub fn keep_spare(number: u32) -> bool {
    own().is_some_and(|thread| unlocked_atomic::replace(&thread.spare, 0, number))
}
