//! Bytes of a spool that were overwritten cost what they held: that is counted and told, and nothing wrong is given.

#[path = "common/spool.rs"]
mod common;

use std::path::{Path, PathBuf};

use common::sample;
use iota_trace::Event;
use iota_trace::read::{Options, Salvaged, Spool as Reader, Trace};

fn directory(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("spool-{test}"));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn events(trace: &Trace) -> Vec<Event> {
    let parts = trace.parts().iter();
    parts
        .flat_map(|part| part.events().map(|timed| timed.event))
        .collect()
}

/// What a spool gives, as far as calls and names go; an error where it says that it gives nothing.
type Given = (Vec<Event>, Vec<(u32, Vec<u8>)>);

fn given(dir: &Path, bytes: &[u8]) -> Result<(Given, Salvaged, iota_trace::part::End), String> {
    let (file, part) = (dir.join("x.spool"), dir.join("part"));
    std::fs::write(&file, bytes).unwrap();
    let spool = Reader::open(&file).map_err(|error| error.to_string())?;
    let spool = spool.expect("a process that had begun");
    let out = std::fs::File::create(&part).unwrap();
    let salvaged = spool.part(None, out).map_err(|error| error.to_string())?;
    let trace = Trace::open(&[part], Options::default()).unwrap();
    let names = trace.parts()[0].names();
    let files = names.files().map(|(id, path)| (id, path.to_owned()));
    let mut files: Vec<_> = files.collect();
    files.dedup();
    let end = *trace.parts()[0].end().unwrap();
    Ok(((events(&trace), files), salvaged, end))
}

/// Whether damage that changed what is given was told, and counted so that nobody takes the part for complete.
fn is_told(dir: &Path, sample: &Given, bytes: &[u8]) -> bool {
    let Ok((found, salvaged, end)) = given(dir, bytes) else {
        return true;
    };
    let whole = sample.0.len() as u64;
    let is_counted = found.0.len() as u64 + end.lost + 2 >= whole;
    let is_told = !salvaged.problems.is_empty() && end.lost + end.errors > 0 && is_counted;
    found == *sample || is_told
}

#[test]
fn no_four_bytes_are_lost_in_silence() {
    let (spool, dir) = (sample(), directory("zero"));
    let (sample, mut silent, mut tried) = (given(&dir, spool.bytes()).unwrap(), 0, 0);
    assert_eq!(sample.1.problems, []);
    let mut bytes = spool.bytes().to_vec();
    let used = (0..bytes.len())
        .step_by(4)
        .filter(|at| spool.bytes()[*at..at + 4] != [0; 4]);
    for at in used {
        let mut change = |to: [u8; 4]| {
            bytes[at..at + 4].copy_from_slice(&to);
            silent += u32::from(!is_told(&dir, &sample.0, &bytes));
            tried += 1;
        };
        change([0; 4]);
        change([0xFF; 4]);
        change([at as u8, 0x5A, 7, 1]);
        bytes[at..at + 4].copy_from_slice(&spool.bytes()[at..at + 4]);
    }
    // The last record of each ring may be one that was just being stored; a check of eight bits misses one in 256.
    assert!(tried > 2000 && silent * 128 < tried, "{silent} of {tried}");
}

#[test]
fn no_page_is_lost_in_silence() {
    let (spool, dir) = (sample(), directory("page"));
    let sample = given(&dir, spool.bytes()).unwrap().0;
    for page in (0..spool.bytes().len()).step_by(4096) {
        let mut bytes = spool.bytes().to_vec();
        bytes[page..page + 4096].fill(0);
        // Of a header without a byte nobody knows that it was one.
        assert!(
            page == 0 || is_told(&dir, &sample, &bytes),
            "page at {page}"
        );
    }
}
