//! Which calls a log counts.

use crate::job::Row;
use iota_analysis::{Media, Medium};

/// Whether the log counts a call: it did not fail, is the program's own, and is on storage, as Darshan leaves out what is
/// below /proc, /sys and /dev.
pub fn counts(media: &Media, row: &Row) -> bool {
    let (call, event) = (&row.call, row.call.event);
    let is_on_storage = media.of_call(call) == Medium::Storage;
    call.file != iota_analysis::NO_FILE
        && !call.failed()
        && event.ret >= 0
        && !call.is_startup()
        && is_on_storage
}
