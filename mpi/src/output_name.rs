//! The name of the output, as ranks tell it each other: the mark of its file, then its path.

use crate::gather::Name;
use iota_runtime::sys;
use iota_trace::JobMark;

/// Bytes of the mark, which stands where the first part will stand.
pub const MARK: usize = JobMark::SIZE;

/// The path in a name.
pub fn path(name: &Name) -> &[u8] {
    sys::until_nul(name.get(MARK..).unwrap_or_default())
}
