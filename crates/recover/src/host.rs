//! The machine that the command runs on.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

/// Few files of the kernel's are longer.
const ROOM: usize = 8 << 10;

/// Its name, as the kernel says it
pub fn name() -> Vec<u8> {
    let mut room = Vec::new();
    let name = read("/proc/sys/kernel/hostname", &mut room).unwrap_or_default();
    name.trim_ascii().to_owned()
}

/// The same without its domain, as part of a file's name
pub fn short() -> String {
    let name = name();
    let first = name.split(|byte| *byte == b'.').next();
    String::from_utf8_lossy(first.unwrap_or_default()).into_owned()
}

/// What a file of the kernel's says. It does not tell its length: where there is room for all of it, it is made once and
/// not again for each piece.
///
/// # Errors
///
/// It cannot be read.
pub fn read<'r>(path: &str, room: &'r mut Vec<u8>) -> io::Result<&'r [u8]> {
    let mut file = File::open(path)?;
    let mut length = 0;
    loop {
        if length == room.len() {
            room.resize((2 * length).max(ROOM), 0);
        }
        match file.read(&mut room[length..]) {
            Ok(0) => return Ok(&room[..length]),
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
