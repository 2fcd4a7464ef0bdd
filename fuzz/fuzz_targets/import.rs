//! Any text as the log of a tool, which its first line names: what is understood becomes a trace that can be read to its end.
#![no_main]

use iota_fuzz::{file, mutate_lines};
use iota_import::{Import, Log, Tool};
use iota_trace::read::{Options, Trace};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static FILES: LazyLock<[PathBuf; 2]> = LazyLock::new(|| ["waiting", "imported"].map(file));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_lines(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let first = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let tool = match first {
        b"text" => Some(Tool::Text),
        b"dxt" => Some(Tool::Dxt),
        b"strace" => Some(Tool::Strace),
        b"ioplots" => Some(Tool::Ioplots),
        _ => None,
    };
    read(tool, data.get(first.len() + 1..).unwrap_or_default());
});

fn read(tool: Option<Tool>, text: &[u8]) {
    let [waiting, out] = &*FILES;
    let mut any = File::options();
    let spool = any
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(waiting);
    let mut import = Import::new(spool.expect("room for blocks"), "out".into(), None);
    let log = Log {
        name: "log".into(),
        path: Path::new("log"),
        from: Box::new(text),
        progress: &|_| {},
    };
    let Ok(found) = import.log(log, tool) else {
        return;
    };
    import.lose(found.bad);
    let written = import
        .finish(File::create(out).expect("room for the trace"))
        .expect("a trace");
    let trace = Trace::open(std::slice::from_ref(out), Options::default()).expect("a trace");
    let events: usize = trace.parts().iter().map(|part| part.events().count()).sum();
    assert_eq!(events as u64, written.events);
    assert!(trace.problems().is_empty(), "{:?}", trace.problems());
}
