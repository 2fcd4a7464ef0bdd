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
use iota_trace::{Details, Event, OP_DETAILS, Record, flags};
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

/// A place that a store was left in for good counts as a call that is gone; of the last places nobody can tell whether
/// their calls had returned.
#[test]
fn a_place_without_its_call_is_passed_over() {
    let spool = Spool::new(1);
    spool.store(0, [call(1)]);
    spool.slot(0).places.reserve(1).unwrap();
    spool.store(0, [call(3)]);
    spool.slot(0).places.reserve(2).unwrap();
    let (salvaged, trace) = salvage(&directory("hole"), spool.bytes(), None).unwrap();
    assert_eq!(ids(&events(&trace), 0), [1, 3]);
    assert_eq!(trace.parts()[0].end().unwrap().lost, 1);
    assert!(
        salvaged.problems[0]
            .cause
            .starts_with("1 calls in a thread's ring")
    );
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
        flags: flags::MORE,
        ..call(1)
    };
    spool.store(0, [pair, call(2)]);
    let all = whole("across", &spool, None);
    assert_eq!((ids(&all, 0), all[0].second.fd), (vec![1, 2], 8));
}

fn details(trace: &Trace) -> Vec<(u64, Vec<Details>)> {
    let events = trace.parts().iter().flat_map(|part| part.events());
    events
        .map(|timed| (timed.event.id, timed.details))
        .collect()
}

fn salvaged(test: &str, spool: &Spool) -> (Salvaged, Trace) {
    salvage(&directory(test), spool.bytes(), None).unwrap()
}

/// Calls with details from the place `first` of the ring on; every other one has a second half.
fn detailed(first: u64) -> (Spool, Vec<(u64, Vec<Details>)>) {
    let spool = Spool::new(1);
    spool.slot(0).places.stored.store(first, Relaxed);
    spool.slot(0).places.set_sealed(first);
    let expected: Vec<_> = (1..=8u32)
        .map(|id| {
            let some = Details::new(1, &[3, u64::from(id)]);
            let many = Details::new(2, &[u64::from(id) << 40; 24]);
            (u64::from(id), vec![some, many])
        })
        .collect();
    for (id, details) in &expected {
        let flags = if id % 2 == 0 { flags::MORE } else { 0 };
        let record = Record {
            flags,
            ..call(*id as u32)
        };
        spool.store_detailed(0, record, details);
    }
    (spool, expected)
}

#[test]
fn details_that_no_block_holds_come_with_their_calls() {
    // 6 or 7 places for each call: all ways to lie across the end of the ring.
    for before in 0..60 {
        let (spool, expected) = detailed(RING_RECORDS as u64 - before);
        let (made, trace) = salvaged("details", &spool);
        assert_eq!(made.problems, []);
        assert_eq!(details(&trace), expected, "{before} places before the end");
    }
}

#[test]
fn what_details_mean_is_in_the_part() {
    let mut spool = Spool::new(1);
    spool.store_detailed(0, call(1), &[Details::new(1, &[3, 9])]);
    spool.keep(0, iota_trace::spool::TEXT, 4, b"hint=on");
    let (_, trace) = salvaged("forms", &spool);
    let names = trace.parts()[0].names();
    assert_eq!(names.text_of(4), Some(&b"hint=on"[..]));
    let mut text = Vec::new();
    let timed = trace.parts()[0].events().next().unwrap();
    names.put_details(&timed.details, &mut text);
    assert_eq!(text, b"cause{thread=3 call=9}");
}

#[test]
fn functions_that_the_user_named_have_their_names() {
    let mut spool = Spool::new(1);
    let op = iota_calls::Op::of_probe(5).0;
    spool.store(0, [Record { op, ..call(1) }]);
    spool.keep(
        0,
        iota_trace::spool::FUNCTION,
        op.into(),
        b"write_checkpoint",
    );
    let (made, trace) = salvaged("probes", &spool);
    assert_eq!(made.problems, []);
    let event = trace.parts()[0].events().next().unwrap().event;
    let names = trace.parts()[0].names();
    let found = names.op(event.op).unwrap();
    assert_eq!((found.name, found.layer), (&b"write_checkpoint"[..], 0));
}

#[test]
fn torn_details_are_left_out_and_told() {
    let (spool, expected) = detailed(0);
    let slot = spool.slot(0);
    // The third of the six records after the first call: of its second form.
    assert_eq!(slot.form(3), Some(2));
    // SAFETY: a place that was filled, of a ring that nobody uses.
    unsafe { slot.place(3).write(Record::default()) };
    let (made, trace) = salvaged("torn", &spool);
    let found = details(&trace);
    assert_eq!(found[0], (1, expected[0].1[..1].to_vec()));
    assert_eq!(found[1..], expected[1..]);
    // Of a place that holds nothing nobody can tell whether it held a call.
    let causes = made.problems.iter().map(|problem| &*problem.cause);
    let told = [
        "1 calls in a thread's ring are damaged: they count as lost",
        "the details of 1 calls are damaged: they are left out",
    ];
    assert_eq!(causes.collect::<Vec<_>>(), told);
}

#[test]
fn details_of_a_call_that_did_not_return_are_not_the_last_calls() {
    let spool = Spool::new(1);
    spool.store(0, [call(1)]);
    let slot = spool.slot(0);
    let at = slot.places.reserve(2).unwrap();
    let record = Details::new(1, &[5, 5]).records(2).next().unwrap();
    assert_eq!(record.op, OP_DETAILS);
    // SAFETY: reserved.
    unsafe { slot.put(at + 1, record) };
    spool.store(0, [call(3)]);
    let (made, trace) = salvaged("orphan", &spool);
    assert_eq!(details(&trace), [(1, vec![]), (3, vec![])]);
    assert_eq!(made.problems.len(), 1, "the place before it holds nothing");
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
    assert_eq!(events(&trace).len(), 170, "places say what they have");
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

#[test]
fn rings_that_were_not_in_the_file_are_told() {
    let spool = Spool::new(1);
    spool.header().private_slots.store(2, Relaxed);
    let (salvaged, trace) = salvaged("private", &spool);
    assert_eq!((salvaged.gone, salvaged.problems), (2, Vec::new()));
    assert_eq!(trace.parts()[0].end().map(|end| end.errors), Some(2));
}
