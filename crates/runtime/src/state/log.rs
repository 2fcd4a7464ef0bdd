//! Diagnostics: one line each to the file that `IOTA_LOG` names, nothing without it. The program's streams are the program's:
//! what its trace lacks is said by the commands that read it.

use super::texts::{self, Kept};
use crate::sys::{self, File, Once, Starting, Text};

/// Room for its path.
pub const ROOM: usize = 4096;

/// The file; empty where there is none.
static PATH: Once<Kept> = Once::new(Kept::NONE);

/// Learns the file that `IOTA_LOG` names.
pub fn start(starting: &mut Starting, path: &[u8]) {
    if !path.is_empty() && path.len() < ROOM {
        let path = texts::keep(starting, path);
        PATH.set(starting, path);
    }
}

/// Writes one line made of the pieces.
pub fn line(pieces: &[&[u8]]) {
    let path = PATH.get();
    if path.is_empty() {
        return;
    }
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_NOFOLLOW;
    if let Ok(file) = File::open(path.c_str(), flags) {
        let mut head = Text::<32>::EMPTY;
        head.push(b"iota: pid ")
            .push_number(u64::from(sys::process_id()))
            .push(b": ");
        let _ = file.append(whole(head.bytes(), pieces));
    }
}

/// A line has no more pieces.
const MOST: usize = 8;

/// Not copied into one text: a thread's stack may be small.
fn whole<'p>(head: &'p [u8], pieces: &[&'p [u8]]) -> [&'p [u8]; MOST + 2] {
    let mut all: [&[u8]; MOST + 2] = [b""; MOST + 2];
    all[0] = head;
    all[1..=MOST]
        .iter_mut()
        .zip(pieces)
        .for_each(|(to, piece)| *to = piece);
    all[MOST + 1] = b"\n";
    all
}

/// A number, for a message.
pub fn number(value: i64) -> Text<24> {
    let mut text = Text::EMPTY;
    if value < 0 {
        text.push(b"-");
    }
    text.push_number(value.unsigned_abs());
    text
}
