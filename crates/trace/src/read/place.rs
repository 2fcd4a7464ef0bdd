//! What a thread has read last: where to look when it cannot go on.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

thread_local! {
    static LAST: RefCell<Option<(Arc<Path>, u64)>> = const { RefCell::new(None) };
}

/// The thread reads here.
pub fn set(file: &Arc<Path>, offset: u64) {
    let place = Some((file.clone(), offset));
    // Of a thread that ends nobody asks.
    let _ = LAST.try_with(|last| last.replace(place));
}

/// The file and the offset that the thread has read last.
pub fn last() -> Option<(PathBuf, u64)> {
    let place = |last: &RefCell<Option<(Arc<Path>, u64)>>| last.try_borrow().ok()?.clone();
    let (file, offset) = LAST.try_with(place).ok()??;
    Some((file.to_path_buf(), offset))
}
