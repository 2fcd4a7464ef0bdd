//! The hints for a file, given or in force, as one text: `key=value;key=value`.

use crate::abi::Word;
use crate::pmpi::io as mpi;
use core::ffi::CStr;
use iota_runtime::library::{self, Thread};

/// Bytes of the text at most: hints that do not fit are left out.
const ROOM: usize = 2048;
/// Hints at most.
const MOST: i32 = 64;

struct Text {
    bytes: [u8; ROOM],
    length: usize,
}

impl Text {
    /// Appends all of these, or nothing.
    fn push(&mut self, pieces: &[&[u8]]) {
        let before = self.length;
        for piece in pieces {
            let end = self.length.wrapping_add(piece.len());
            let Some(room) = self.bytes.get_mut(self.length..end) else {
                self.length = before;
                return;
            };
            room.iter_mut()
                .zip(*piece)
                .for_each(|(to, from)| *to = *from);
            self.length = end;
        }
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// The id of the text of those in force for a file; 0: there are none, or no room for them.
pub fn of(thread: &Thread, file: Word) -> u32 {
    let Some(info) = mpi::info_of(file) else {
        return 0;
    };
    let id = asked(thread, info);
    mpi::free_info(info);
    id
}

/// The id of the text of those that an info has; 0: there are none, or no room for them.
#[inline(never)]
pub fn asked(thread: &Thread, info: Word) -> u32 {
    let mut text = Text {
        bytes: [0; ROOM],
        length: 0,
    };
    mpi::for_each_hint(info, MOST, |key: &CStr, value: &CStr| {
        let separator: &[u8] = if text.length == 0 { b"" } else { b";" };
        text.push(&[separator, key.to_bytes(), b"=", value.to_bytes()]);
    });
    if text.length == 0 {
        return 0;
    }
    library::text(thread, text.as_bytes())
}
