//! A terminal.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr::null_mut;

pub fn open(columns: u16) -> (OwnedFd, OwnedFd) {
    let size = libc::winsize {
        ws_row: 25,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let (mut ours, mut theirs) = (-1, -1);
    // SAFETY: two descriptors are filled in, the size is read, name and modes are not asked for.
    let done = unsafe { libc::openpty(&mut ours, &mut theirs, null_mut(), null_mut(), &size) };
    assert_eq!(done, 0);
    // SAFETY: both were just opened, for nobody else.
    unsafe { (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

/// Until the other end is closed, which a terminal reports as an error.
pub fn read(ours: OwnedFd) -> String {
    let (mut ours, mut all, mut some) = (File::from(ours), Vec::new(), [0; 4096]);
    while let Ok(n @ 1..) = ours.read(&mut some) {
        all.extend_from_slice(&some[..n]);
    }
    String::from_utf8(all).unwrap().replace("\r\n", "\n")
}
