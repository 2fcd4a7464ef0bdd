//! The names in a directory.

use super::call::Result;
use super::file::File;
use super::query::until_nul;
use core::ffi::CStr;

/// Where an entry says how long it is, and where its name begins (`struct linux_dirent64`).
const LENGTH: usize = 16;
const NAME: usize = 19;

/// A directory that is open.
pub struct Directory(File);

impl Directory {
    /// Opens it.
    pub fn open(path: &CStr) -> Result<Directory> {
        File::open(path, libc::O_RDONLY | libc::O_DIRECTORY).map(Directory)
    }

    /// Has every name looked at until one is enough, or the kernel tells no more.
    pub fn each(&mut self, mut is_enough: impl FnMut(&[u8]) -> bool) {
        let mut room = [0u8; 2048];
        while let Ok(filled @ 1..) = self.0.entries(&mut room) {
            let mut rest = room.get(..filled).unwrap_or_default();
            while let Some((name, after)) = first(rest) {
                if is_enough(name) {
                    return;
                }
                rest = after;
            }
        }
    }
}

/// The first entry's name, and the entries after it.
fn first(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u16::from_ne_bytes(*entries.get(LENGTH..)?.first_chunk()?);
    let (entry, after) = entries.split_at_checked(usize::from(length))?;
    Some((until_nul(entry.get(NAME..)?), after))
}
