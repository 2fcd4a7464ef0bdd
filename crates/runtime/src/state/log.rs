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
        let _ = file.append([compose(pieces).bytes()]);
    }
}

fn compose(pieces: &[&[u8]]) -> Text<2048> {
    let mut text = Text::EMPTY;
    text.push(b"iota: pid ")
        .push_number(u64::from(sys::process_id()))
        .push(b": ");
    for piece in pieces {
        text.push(piece);
    }
    text.truncate(2046);
    text.push(b"\n");
    text
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
