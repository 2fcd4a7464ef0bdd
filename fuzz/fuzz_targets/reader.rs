//! Any bytes as a trace file: opened, read to the end, merged; once as they are, once with all checksums put right.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use iota_trace::block::{HEADER_SIZE, Header, MAGIC};
use iota_trace::crc::Crc;
use iota_trace::read::{Options, Trace, merge};
use libfuzzer_sys::fuzz_target;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let dir = if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    };
    dir.join(format!("iota-fuzz-{}", std::process::id()))
});

fuzz_target!(|data: &[u8]| {
    read(data);
    let mut repaired = data.to_vec();
    repair(&mut repaired);
    if repaired != data {
        read(&repaired);
    }
});

fn read(data: &[u8]) {
    std::fs::write(&*FILE, data).expect("room for the input");
    let Ok(trace) = Trace::open(std::slice::from_ref(&*FILE), Options::default()) else {
        return;
    };
    for part in trace.parts() {
        let names = part.names();
        let known = part
            .events()
            .filter(|timed| names.op(timed.event.op).is_some());
        std::hint::black_box((
            known.count(),
            part.span(),
            part.event_count(),
            part.process(),
        ));
    }
    assert!(
        trace
            .problems()
            .iter()
            .all(|problem| !problem.cause.is_empty())
    );
    merge(std::slice::from_ref(&*FILE), std::io::sink()).expect("what opens can be merged");
}

/// Fuzzing does not find checksums: every block that could be one gets its own.
fn repair(data: &mut [u8]) {
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
