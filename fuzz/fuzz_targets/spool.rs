//! A spool with any changes: opened, made into a part, and the part read to its end.
#![no_main]

#[path = "../../crates/trace/tests/common/spool.rs"]
mod common;

use std::path::PathBuf;
use std::sync::LazyLock;

use iota_fuzz::{file, repair};
use iota_trace::read::{Options, Spool, Trace};
use libfuzzer_sys::fuzz_target;

static SAMPLE: LazyLock<Vec<u8>> = LazyLock::new(|| common::sample().bytes().to_vec());
static FILES: LazyLock<[PathBuf; 2]> = LazyLock::new(|| ["spool", "part"].map(file));

// Each change is a place, counted from the one before, a length and so many bytes; the places that matter lie far apart.
fuzz_target!(|data: &[u8]| {
    let mut bytes = SAMPLE.clone();
    let (mut rest, mut at) = (data, 0usize);
    while let [a, b, c, length, more @ ..] = rest {
        at = (at + u32::from_le_bytes([*a, *b, *c, 0]) as usize) % bytes.len();
        let length = usize::from(length % 16)
            .min(more.len())
            .min(bytes.len() - at);
        bytes[at..at + length].copy_from_slice(&more[..length]);
        rest = &more[length..];
    }
    read(&bytes);
    repair(&mut bytes);
    read(&bytes);
});

fn read(bytes: &[u8]) {
    let [file, part] = &*FILES;
    std::fs::write(file, bytes).expect("room for the input");
    let Ok(Some(spool)) = Spool::open(file) else {
        return;
    };
    std::hint::black_box((spool.calls(), spool.process()));
    let out = std::fs::File::create(part).expect("room for the part");
    let Ok(salvaged) = spool.part(Some(file), out) else {
        return;
    };
    let trace = Trace::open(std::slice::from_ref(part), Options::default()).expect("a part");
    let events: u64 = trace.parts().iter().map(|part| part.event_count()).sum();
    assert_eq!(events, salvaged.events);
    trace.parts().iter().for_each(|part| {
        std::hint::black_box((part.names(), part.events().count()));
    });
}
