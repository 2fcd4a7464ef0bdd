//! Any bytes as a trace file: opened, read to the end, merged; once as they are, once with all checksums put right.
#![no_main]

mod repair;

use std::path::PathBuf;
use std::sync::LazyLock;

use iota_trace::read::{Options, Trace, merge};
use libfuzzer_sys::fuzz_target;
use repair::repair;

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
