//! A spool gives every call that was stored whole, once, whatever moment its process died at, and whatever happened to
//! the file.

#[path = "common/spool.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use common::{CAPACITY, Spool, block, call, sample};
use iota_trace::part::reason;
use iota_trace::read::{Options, Salvaged, Spool as Reader, Trace};
use iota_trace::spool::{HEADER, RING_RECORDS, SLOT};
use iota_trace::{Event, Record};
use proptest::prelude::*;

fn directory(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("spool-{test}"));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// The part that a spool makes; `None` where nothing can be told of it.
fn salvage(dir: &Path, bytes: &[u8], task: Option<&[u8]>) -> Option<(Salvaged, Trace)> {
    let (file, part, own) = (dir.join("x.spool"), dir.join("part"), dir.join("task"));
    std::fs::write(&file, bytes).unwrap();
    let spool = Reader::open(&file).ok()??;
    spool.calls();
    let task = task.map(|bytes| std::fs::write(&own, bytes).map(|()| own).unwrap());
    let out = std::fs::File::create(&part).unwrap();
    let salvaged = spool.part(task.as_deref(), out).ok()?;
    Some((salvaged, Trace::open(&[part], Options::default()).unwrap()))
}

/// The events of a spool that is whole.
fn whole(test: &str, spool: &Spool, task: Option<&[u8]>) -> Vec<Event> {
    let (salvaged, trace) = salvage(&directory(test), spool.bytes(), task).unwrap();
    assert_eq!(salvaged.problems, []);
    let events = events(&trace);
    assert_eq!(trace.problems(), []);
    assert_eq!(events.len() as u64, salvaged.events);
    let end = trace.parts()[0].end().unwrap();
    assert_eq!(
        (end.captured, end.reason),
        (salvaged.events, reason::RECOVERED)
    );
    events
}

fn events(trace: &Trace) -> Vec<Event> {
    let parts = trace.parts().iter();
    parts
        .flat_map(|part| part.events().map(|timed| timed.event))
        .collect()
}

fn ids(events: &[Event], thread: u32) -> Vec<u64> {
    let of = events.iter().filter(|event| event.thread == thread);
    of.map(|event| event.id).collect()
}

#[test]
fn all_is_there_with_its_names() {
    let all = whole("all", &sample(), None);
    assert_eq!(ids(&all, 0), (1..=150).collect::<Vec<u64>>());
    assert_eq!(ids(&all, 1), (1..=20).collect::<Vec<u64>>());
    let pair = all.iter().find(|event| event.thread == 1).unwrap();
    assert_eq!((pair.second.file, pair.second.fd), (9, 8));
    let part = directory("all").join("part");
    let trace = Trace::open(&[part], Options::default()).unwrap();
    let names = trace.parts()[0].names();
    assert_eq!(names.file(1), Some(&b"/scratch/a"[..]));
    assert_eq!(names.file(2), Some(&b"/scratch/b"[..]));
    assert!([17, 18].iter().all(|op| names.op(*op).is_some()));
}

#[test]
fn a_block_whose_ring_was_not_freed_counts_once() {
    let mut spool = Spool::new(1);
    let records: Vec<Record> = (1..=30).map(call).collect();
    spool.store(0, records.clone());
    spool.append(&block(0, &records[..20], 30));
    assert_eq!(
        ids(&whole("twice", &spool, None), 0),
        (1..=30).collect::<Vec<u64>>()
    );
}

#[test]
fn a_place_without_its_call_is_passed_over() {
    let spool = Spool::new(1);
    spool.store(0, [call(1)]);
    spool.slot(0).places.reserve(1).unwrap();
    spool.store(0, [call(3)]);
    spool.slot(0).places.reserve(2).unwrap();
    assert_eq!(ids(&whole("hole", &spool, None), 0), [1, 3]);
}

#[test]
fn a_full_ring_gives_no_place_and_keeps_all() {
    let spool = Spool::new(1);
    let taken = (1..).take_while(|_| spool.slot(0).places.has_room());
    let calls = taken.map(|id| spool.store(0, [call(id)])).count() as u32;
    assert!(spool.slot(0).places.reserve(2).is_none());
    assert!((RING_RECORDS as u32 - 32..RING_RECORDS as u32).contains(&calls));
    let all = whole("full", &spool, None);
    assert_eq!(ids(&all, 0), (1..=u64::from(calls)).collect::<Vec<u64>>());
}

#[test]
fn nothing_of_the_round_before_comes_back() {
    let spool = Spool::new(1);
    for id in 1..=RING_RECORDS as u32 * 2 {
        spool.store(0, [call(id)]);
        spool.slot(0).places.set_sealed(u64::from(id));
    }
    // Killed between taking the places of a pair and filling them.
    spool.slot(0).places.reserve(2).unwrap();
    assert_eq!(whole("round", &spool, None).len(), 0);
}

#[test]
fn a_pair_across_the_end_of_the_ring_is_whole() {
    let spool = Spool::new(1);
    let slot = spool.slot(0);
    let last = RING_RECORDS as u64 - 1;
    slot.places.stored.store(last, Relaxed);
    slot.places.set_sealed(last);
    let pair = Record {
        flags: iota_trace::flags::MORE,
        ..call(1)
    };
    spool.store(0, [pair, call(2)]);
    let all = whole("across", &spool, None);
    assert_eq!((ids(&all, 0), all[0].second.fd), (vec![1, 2], 8));
}

#[test]
fn numbers_of_calls_go_on_from_the_last_block() {
    let mut spool = Spool::new(1);
    let early = [call(u32::MAX - 1), call(u32::MAX)];
    spool.append(&block(0, &early, u32::MAX.into()));
    spool.store(0, [call(0), call(1)]);
    let expected: Vec<u64> = (0..4).map(|n| u64::from(u32::MAX) - 1 + n).collect();
    let mut found = ids(&whole("wide", &spool, None), 0);
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// What a process wrote to its own file, before the spool went on.
fn task_file(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    let length = common::process().write(common::IDS, &mut bytes).unwrap();
    bytes.truncate(length);
    bytes.extend(blocks.concat());
    bytes
}

#[test]
fn what_had_spilled_comes_first_and_once() {
    let mut spool = Spool::new(1);
    let first = block(0, &[call(1), call(2)], 2);
    let second = block(0, &[call(3)], 3);
    let task = task_file(&[first.clone(), second.clone()]);
    spool.append(&second);
    let spilled = &spool.header().spilled;
    spilled.store(first.len() as u64, Relaxed);
    assert_eq!(ids(&whole("spilled", &spool, Some(&task)), 0), [1, 2, 3]);
    // Killed when the arena was written, and not yet empty.
    spilled.store((first.len() + second.len()) as u64, Relaxed);
    assert_eq!(ids(&whole("spilled", &spool, Some(&task)), 0), [1, 2, 3]);
}

#[test]
fn a_missing_beginning_is_told() {
    let spool = sample();
    spool.header().spilled.store(1000, Relaxed);
    let (salvaged, trace) = salvage(&directory("missing"), spool.bytes(), None).unwrap();
    assert_eq!(events(&trace).len(), 170);
    assert!(salvaged.problems[0].cause.contains("which is missing"));
}

#[test]
fn another_table_is_refused() {
    let spool = sample();
    spool.header().table.store(1, Relaxed);
    let file = directory("table").join("x.spool");
    std::fs::write(&file, spool.bytes()).unwrap();
    let reader = Reader::open(&file).unwrap().unwrap();
    let error = reader.part(None, std::io::sink()).unwrap_err().to_string();
    assert!(
        error.contains("of another build of iota (0.1.0)"),
        "{error}"
    );
}

#[test]
fn counters_without_sense_are_told() {
    let spool = sample();
    spool.slot(0).places.stored.store(1 << 40, Relaxed);
    spool.header().filled.store(u64::MAX, Relaxed);
    spool.header().slots.store(u32::MAX, Relaxed);
    let (salvaged, trace) = salvage(&directory("sense"), spool.bytes(), None).unwrap();
    assert_eq!(
        events(&trace).len(),
        120,
        "the blocks, and the other thread"
    );
    assert!(salvaged.problems.len() >= 2, "{:?}", salvaged.problems);
}

#[test]
fn cut_anywhere_it_is_read_as_far_as_it_goes() {
    let (spool, dir) = (sample(), directory("cut"));
    for cut in (0..HEADER + CAPACITY + 2 * SLOT).step_by(4093) {
        let found = salvage(&dir, &spool.bytes()[..cut], None);
        let arena = HEADER + spool.header().filled.load(Relaxed) as usize;
        match found {
            None => assert!(cut < HEADER, "cut at {cut}"),
            Some((_, trace)) => assert!(cut < arena || events(&trace).len() >= 100, "cut at {cut}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_damage_is_survived(
        changes in prop::collection::vec((0usize..4, any::<prop::sample::Index>(), any::<u64>()), 1..12),
    ) {
        let spool = sample();
        let mut bytes = spool.bytes().to_vec();
        // Where counters, blocks and records are, not where there are zeros.
        let regions = [0..200, HEADER..HEADER + 1200, HEADER + CAPACITY..HEADER + CAPACITY + 200, 0..bytes.len()];
        for (region, at, value) in changes {
            let region = regions[region].clone();
            let at = region.start + at.index(region.len() - 8);
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        if let Some((salvaged, trace)) = salvage(&directory("any"), &bytes, None) {
            prop_assert_eq!(events(&trace).len() as u64, salvaged.events);
        }
    }
}
