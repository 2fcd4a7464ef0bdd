//! Parts of short programs, which become a pack.

use super::{only_trace, run, shell};
use iota_tests::{Case, Trace};
use iota_trace::block::{blocks, kind};
use std::path::Path;

/// How many blocks of events stand in a file, outside of packs.
fn event_blocks(path: &Path) -> usize {
    let bytes = std::fs::read(path).expect("a trace");
    let blocks = blocks(&bytes).map(|block| block.expect("a block"));
    blocks
        .filter(|block| block.header.kind == kind::EVENTS)
        .count()
}

/// While they run, the parts of short programs lie in one file of the run, as they go into a pack; a process that names
/// another output has its own.
#[test]
fn short_programs_share_a_file_and_an_output_of_ones_own_stays() {
    let script = "for i in 1 2 3; do cat /dev/null; done; ls -A ../trace/.iota-run-*; \
        cp ../trace/.iota-run-*/all-* shared; IOTA_OUTPUT=$PWD/../trace/own cat /dev/null";
    let ran = shell(script, "").succeeded();
    assert_eq!(event_blocks(&ran.work().join("shared")), 4);
    assert_eq!(event_blocks(&ran.trace_dir().join("own.iota")), 1);
    let (seen, printed) = (ran.trace_files(), ran.stdout());
    assert_eq!(seen, ["own.iota", "run.iota"], "{}", ran.output.errors());
    let files: Vec<&str> = printed.lines().collect();
    assert!(
        matches!(files[..], [shared] if shared.starts_with("all-")),
        "{files:?}"
    );
    let trace = Trace::read(&ran.trace_dir().join("run.iota"));
    trace.assert_whole();
    let cats = trace.parts.iter().filter(|part| part.exe.ends_with("/cat"));
    assert_eq!(cats.count(), 3);
}

#[test]
fn a_part_that_is_too_long_for_a_pack_stands_as_it_is() {
    let ran = run(Case::new("bench.c").args("irregular 1 30000"), "").succeeded();
    let blocks = event_blocks(&ran.trace_dir().join("run.iota"));
    assert!(blocks > 4, "{blocks} blocks");
    only_trace(&ran);
}
