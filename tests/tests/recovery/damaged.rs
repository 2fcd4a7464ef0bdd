//! Spools in which bytes were overwritten: what is missing is counted, the damage is told, the spool stays.

use super::*;
use iota_trace::read::{Options, Trace as Reader};
use iota_trace::spool::{HEADER, RING_RECORDS, SLOT, Slot};
use std::mem::offset_of;

/// Where a ring begins in its slot.
const RING: usize = 16 << 10;
/// Where a slot has its own place.
const OFFSET: usize = offset_of!(Slot, offset);
/// Records of a page.
const PAGE: u64 = 64;

/// A killed process with blocks, and a page of records that no block holds; and where the page lies in its spool.
fn with_a_page() -> (Ran, std::path::PathBuf, usize) {
    for tried in 0..100 {
        // On a slow machine, or under qemu, it takes longer to fill a page.
        let slower = 1 + tried / 10;
        let after = slower * (5_000 + random(5_000));
        let ran = killed(1, after, "").way(Way::Static).run();
        let ran = ran.ended_with(128 + libc::SIGKILL);
        let spool = ran.scratch_file("spool").join(&ran.spooled()[0]);
        without_hole(&spool);
        let bytes = std::fs::read(&spool).expect("a spool");
        let slot = bytes.len() - SLOT;
        assert_eq!(word(&bytes, slot + OFFSET), slot as u64, "its own place");
        let (stored, sealed) = (word(&bytes, slot), word(&bytes, slot + 8));
        let first = sealed.next_multiple_of(PAGE);
        // Before its first block is complete, the arena may have names alone.
        if sealed > 0 && stored > first + PAGE + 2 {
            let place = first as usize % RING_RECORDS;
            return (ran, spool, slot + RING + place * 64);
        }
    }
    panic!("no process was killed with a page of records in its ring");
}

/// Cuts off what there is for threads that never came.
fn without_hole(spool: &std::path::Path) {
    let bytes = std::fs::read(spool).expect("a spool");
    let slots = word(&bytes, 32) as u32 as u64;
    let file = std::fs::OpenOptions::new().write(true).open(spool);
    let length = HEADER as u64 + word(&bytes, 8) + slots * SLOT as u64;
    let cut = file.and_then(|file| file.set_len(length));
    cut.expect("writable");
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let word = bytes[at..at + 8].as_chunks::<8>().0[0];
    u64::from_le_bytes(word)
}

/// The bytes are zero in the spool; where they lie is told, and how many calls that costs at the least.
fn assert_told(ran: &Ran, spool: &Path, zero: std::ops::Range<usize>, lost: u64) {
    let whole = std::fs::read(spool).expect("a spool");
    let mut bytes = whole.clone();
    assert!(
        bytes[zero.clone()].iter().any(|byte| *byte != 0),
        "{zero:?}"
    );
    bytes[zero.clone()].fill(0);
    for keep in [true, false] {
        std::fs::write(spool, &bytes).expect("writable");
        let args = ["run.iota", "--keep"];
        let said = recover(ran, &args[..1 + usize::from(keep)]);
        assert_eq!(said.code(), 2, "{zero:?}: {}", said.errors());
        assert!(said.errors().contains(".spool: byte "), "{}", said.errors());
        assert_eq!(ran.spooled().len(), 1, "{zero:?}: it is kept");
        let file = ran.trace_dir().join("run.iota");
        // Names may be gone as well.
        let trace = Reader::open(std::slice::from_ref(&file), Options::default()).expect("a trace");
        let end = *trace.parts()[0].end().expect("an end");
        assert!(
            end.lost >= lost && end.lost + end.errors > 0,
            "{zero:?}: {end:?}"
        );
        let mut info = Command::new(Build::first().iota());
        let info = limited(info.arg("info").arg(&file), b"", Duration::from_secs(60));
        assert!(info.text().contains("complete   no"), "{zero:?}");
        std::fs::remove_file(file).expect("written");
    }
    std::fs::write(spool, &whole).expect("writable");
}

/// Whether recovery sees that these bytes are zero.
fn is_seen(ran: &Ran, spool: &Path, zero: &std::ops::Range<usize>) -> bool {
    let whole = std::fs::read(spool).expect("a spool");
    let mut bytes = whole.clone();
    bytes[zero.clone()].fill(0);
    std::fs::write(spool, &bytes).expect("writable");
    let said = recover(ran, &["run.iota", "--keep"]);
    std::fs::remove_file(ran.trace_dir().join("run.iota")).expect("written");
    std::fs::write(spool, &whole).expect("writable");
    said.code() == 2
}

#[test]
fn a_page_of_a_ring_that_was_zeroed() {
    let (ran, spool, page) = with_a_page();
    assert_told(&ran, &spool, page..page + 4096, PAGE - 2);
    // Nothing is changed by all that.
    assert_all_there(&ran, &recovered(&ran), 1);
}

#[test]
fn four_bytes_that_were_zeroed() {
    let (ran, spool, page) = with_a_page();
    // Start, end and the last bytes of a record that has something in all of these.
    let fields = [0, 8, 56, 60];
    let bytes = std::fs::read(&spool).expect("a spool");
    let is_full = |at: &usize| {
        fields
            .iter()
            .all(|field| bytes[at + field..at + field + 4] != [0; 4])
    };
    let records: Vec<usize> = (page..page + 4096).step_by(64).filter(is_full).collect();
    for field in fields {
        let range = |record: usize| record + field..record + field + 4;
        // A record's check has eight bits: one change of 256 escapes it, but not three of three.
        let mut ranges = records.iter().take(3).map(|record| range(*record));
        let seen = ranges.find(|zero| is_seen(&ran, &spool, zero));
        assert_told(&ran, &spool, seen.expect("a damage that is seen"), 1);
    }
    // In the header: bytes of the arena, how far it is filled, how many slots there are.
    for counter in [8, 16, 32] {
        assert_told(&ran, &spool, counter..counter + 4, 0);
    }
    // In the slot: how many places were taken, and where the slot is.
    let slot = std::fs::metadata(&spool).expect("a spool").len() as usize - SLOT;
    for counter in [0, OFFSET] {
        assert_told(&ran, &spool, slot + counter..slot + counter + 4, 0);
    }
    // In blocks.
    let filled = word(&std::fs::read(&spool).expect("a spool"), 16) as usize;
    for at in (HEADER + 4..HEADER + filled - 4).step_by(filled / 8) {
        let bytes = std::fs::read(&spool).expect("a spool");
        let found = (at..)
            .find(|at| bytes[*at..at + 4] != [0; 4])
            .expect("a block");
        assert_told(&ran, &spool, found..found + 4, 0);
    }
    assert_all_there(&ran, &recovered(&ran), 1);
}
