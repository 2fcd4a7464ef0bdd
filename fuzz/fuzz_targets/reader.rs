//! Any bytes as a trace file, most of them whole blocks: opened, read to the end call by call and in one pass, merged.
#![no_main]

use iota_analysis::stat::Stat;
use iota_analysis::{Job, Pass};
use iota_fuzz::{file, mutate, repair};
use iota_trace::read::{Options, Trace, merge};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| file("trace"));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed)
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
    let job = Job::of(&trace);
    std::hint::black_box(Pass::of(&job).threads(1).run(|| Stat::new(&job)));
    assert!(
        trace
            .problems()
            .iter()
            .all(|problem| !problem.cause.is_empty())
    );
    merge(std::slice::from_ref(&*FILE), std::io::sink()).expect("what opens can be merged");
}
