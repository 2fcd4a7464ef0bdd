//! What the kernel counted of the processes of a test beyond the calls in their traces: as little as the C library does by
//! itself. `IOTA_UNCALLED` names a file that gets a line for each process: bytes and system calls that wrote, those that
//! read, and the program.

use iota_trace::part::Traffic;
use iota_trace::read::{Options, Part, Trace};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// What `iota info` takes for the C library's own.
const MOST_WRITTEN: u64 = 4 << 10;
const MOST_READ: u64 = 1 << 20;

/// Fails where more was counted, not looking at what the program reported: test programs do that past the C library.
pub fn assert_little(dir: &Path, reported: usize) {
    let Ok(trace) = Trace::open(&[dir.into()], Options::default()) else {
        return;
    };
    for part in trace.parts() {
        if let Some(uncalled) = part.end().and_then(|end| end.uncalled) {
            list(uncalled, part);
            let most = MOST_WRITTEN + reported as u64;
            let is_little = uncalled.written <= most && uncalled.read <= MOST_READ;
            assert!(is_little, "{}: {uncalled:?}", program(part));
        }
    }
}

fn list(uncalled: Traffic, part: &Part) {
    let Some(list) = std::env::var_os("IOTA_UNCALLED") else {
        return;
    };
    let Traffic {
        read,
        reads,
        written,
        writes,
    } = uncalled;
    let file = OpenOptions::new().append(true).create(true).open(list);
    let line = format!("{written} {writes} {read} {reads} {}\n", program(part));
    let mut file = file.expect("the file of IOTA_UNCALLED");
    file.write_all(line.as_bytes()).expect("it has room");
}

fn program(part: &Part) -> String {
    let block = part.process();
    let arguments = block.as_ref().map(|block| block.fields().argv);
    let words = arguments.unwrap_or_default().split(|byte| *byte == 0);
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    words.join(" ").escape_debug().take(200).collect()
}
