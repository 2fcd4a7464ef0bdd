//! What every target does to let changed blocks pass their check.

use iota_trace::block::{HEADER_SIZE, Header, MAGIC};
use iota_trace::crc::Crc;

/// Fuzzing does not find checksums: every block that could be one gets its own.
pub fn repair(data: &mut [u8]) {
    for at in 0..data.len() {
        let Some(header) = Header::parse(&data[at..]).filter(|_| data[at..].starts_with(&MAGIC))
        else {
            continue;
        };
        let end = at.saturating_add(header.block_len() as usize);
        if end <= data.len() && usize::from(header.header_len) >= HEADER_SIZE {
            data[at + 28..at + 32].fill(0);
            let sum = Crc::new().with(&data[at..end]).sum();
            data[at + 28..at + 32].copy_from_slice(&sum.to_le_bytes());
        }
    }
}
