//! Diagnostics: one line each to the file that `IOTA_LOG` names, nothing without it. The host's streams are the host's:
//! what its trace lacks is said by the commands that read it.

use crate::bytes::Text;
use crate::settings;
use crate::sys::{self, File};

/// Writes one line made of the pieces.
pub fn line(pieces: &[&[u8]]) {
    let path = &settings::get().log;
    if path.is_empty() {
        return;
    }
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT;
    if let Ok(file) = File::open(path.c_str(), flags) {
        let _ = file.append(compose(pieces).bytes());
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

/// An error number, for a message.
pub fn number(value: i64) -> Text<24> {
    let mut text = Text::EMPTY;
    if value < 0 {
        text.push(b"-");
    }
    text.push_number(value.unsigned_abs());
    text
}
