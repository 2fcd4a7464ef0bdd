//! What the targets share: traces taken apart and put together again with right checksums, and files of their own.

mod lines;
mod mutate;
mod random;

pub use lines::mutate_lines;
pub use mutate::mutate;

use iota_trace::block::{HEADER_SIZE, Header, MAGIC};
use iota_trace::crc::Crc;
use std::path::PathBuf;

/// Fuzzing does not find checksums: every block that could be one gets its own.
pub fn repair(data: &mut [u8]) {
    for at in 0..data.len() {
        let Some(header) = Header::parse(&data[at..]).filter(|_| data[at..].starts_with(&MAGIC))
        else {
            continue;
        };
        let end = at.saturating_add(header.block_len() as usize);
        if end <= data.len() && usize::from(header.header_len) >= HEADER_SIZE {
            seal(&mut data[at..end]);
        }
    }
}

/// Gives a block its checksum.
fn seal(block: &mut [u8]) {
    block[28..32].fill(0);
    let sum = Crc::new().with(block).sum();
    block[28..32].copy_from_slice(&sum.to_le_bytes());
}

/// A file of this process.
pub fn file(what: &str) -> PathBuf {
    std::env::temp_dir().join(format!("iota-fuzz-{what}-{}", std::process::id()))
}
