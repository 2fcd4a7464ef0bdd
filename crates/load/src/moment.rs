//! A moment in the reader's own time zone.

use std::mem::MaybeUninit;

/// `2026-11-21 22:10:56 +0000`, of ns since 1970.
pub fn local(nanos: u64) -> String {
    let seconds = (nanos / 1_000_000_000) as libc::time_t;
    let (mut tm, mut text) = (MaybeUninit::<libc::tm>::zeroed(), [0u8; 64]);
    // SAFETY: fills two places of ours, for the first of which zero is valid; a C string as the format.
    let length = unsafe {
        libc::localtime_r(&seconds, tm.as_mut_ptr());
        libc::strftime(
            text.as_mut_ptr().cast(),
            text.len(),
            c"%Y-%m-%d %H:%M:%S %z".as_ptr(),
            tm.as_ptr(),
        )
    };
    String::from_utf8_lossy(&text[..length]).into_owned()
}
