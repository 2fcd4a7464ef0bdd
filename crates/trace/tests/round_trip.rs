//! What goes into a block comes out of it.

use iota_trace::block::{HEADER_SIZE, Header, Ids};
use iota_trace::clock::TICK;
use iota_trace::{Event, OP_DETAILS, OP_MORE, OP_NONE, Record, Step, decode, encode, flags};
use proptest::prelude::*;

fn events(records: &[Record], step: &Step, calls: u64) -> Vec<Event> {
    let nexts = records.iter().skip(1).map(Some).chain([None]);
    let calls_only = records
        .iter()
        .zip(nexts)
        .filter(|(r, _)| ![OP_NONE, OP_MORE, OP_DETAILS].contains(&r.op));
    calls_only
        .map(|(record, next)| Event::of(record, next, step, 9, calls))
        .collect()
}

fn coded(records: &[Record], step: &Step, calls: u64) -> Vec<u8> {
    let mut out = vec![0; encode::MAX_BLOCK];
    let mut scratch = Box::new(encode::Scratch::NEW);
    let ids = Ids {
        rank: 1,
        pid: 2,
        thread: 9,
    };
    let len = encode::events(records, step, calls, ids, &mut scratch, &mut out).unwrap();
    out.truncate(len);
    out
}

fn decoded(block: &[u8], payload: &[u8]) -> Vec<Event> {
    let header = Header::parse(block).unwrap();
    let mut events = Vec::new();
    let mut scratch = Box::new(decode::Scratch::NEW);
    decode::events(&header, payload, &mut scratch, |event| events.push(*event)).unwrap();
    events
}

fn check(records: &[Record], step: Step, calls: u64) {
    let expected = events(records, &step, calls);
    let block = coded(records, &step, calls);
    if expected.is_empty() {
        assert!(block.is_empty());
        return;
    }
    let header = Header::parse(&block).unwrap();
    assert_eq!(header.count as usize, expected.len());
    assert_eq!(
        header.first,
        expected.iter().map(|e| e.start).min().unwrap()
    );
    assert_eq!(header.last, expected.iter().map(|e| e.end).max().unwrap());
    let decoded = decoded(&block, &block[HEADER_SIZE..]);
    // Not all of both: that is megabytes of text.
    let differs = decoded.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(differs.map(|at| (at, decoded[at], expected[at])), None);
    assert_eq!(decoded.len(), expected.len());
}

/// Any number, but often a small, a round or an extreme one.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..20u64,
        2 => (0..64u32).prop_map(|e| 1 << e),
        2 => Just(4096u64),
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ]
}

prop_compose! {
    fn record()(
        times in (number(), number()), ret in number(), offset in number(), length in number(),
        ids in (number(), number()), file in number(), fd in number(),
        op in prop_oneof![6 => 1..6u16, 1 => any::<u16>(), 1 => Just(OP_NONE), 1 => Just(OP_MORE)],
        errno in number(), flags in 0..16u16, whence in number(),
    ) -> Record {
        let (id, parent) = (ids.0 as u32, ids.1 as u32);
        Record {
            start: times.0, end: times.1, ret: ret as i64, offset: offset as i64, length, id,
            // A call does not enclose itself.
            parent: if parent == id { 0 } else { parent },
            file: file as u32, fd: fd as i32, op, errno: errno as u16, flags, whence: whence as u16,
        }
    }
}

proptest! {
    #[test]
    fn any_records_come_back(
        records in prop::collection::vec(record(), 0..200),
        origin in number(), step in TICK..TICK << 8, calls in number(),
    ) {
        check(&records, Step::new(origin, step), calls);
    }

    #[test]
    fn records_of_runs_come_back(
        runs in prop::collection::vec((record(), 1..100usize, 0..5u64, 0..5u32), 1..20),
    ) {
        let mut records = Vec::new();
        for (record, times, gap, calls) in runs {
            for i in 0..times {
                let mut next = record;
                next.start = next.start.wrapping_add(gap * i as u64);
                next.end = next.start.wrapping_add(40);
                next.offset = next.offset.wrapping_add(next.length.wrapping_mul(i as u64) as i64);
                next.id = next.id.wrapping_add(calls.wrapping_mul(i as u32));
                if next.parent == next.id { next.parent = 0; }
                records.push(next);
            }
        }
        records.truncate(encode::MAX_RECORDS);
        // So many that the numbers of a run go on where their lower halves begin again.
        check(&records, Step::new(0, TICK), (1 << 32) + 1000);
    }
}

/// A program: calls of a few kinds, each going on where it was, now and then with something unusual.
fn program(steps: Vec<(u8, u8, u8)>) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let (mut now, mut id, mut offsets) = (100u64, 0u32, [0i64; 4]);
    for (kind, repeat, oddity) in steps {
        for i in 0..repeat {
            let at = usize::from(kind % 4);
            let mut record = Record {
                op: 10 + kind as u16,
                fd: 3 + at as i32,
                file: 1 + at as u32,
                ..Record::default()
            };
            (record.length, record.ret, record.offset) = (8 << at, 8 << at, offsets[at]);
            if kind == 3 {
                (record.offset, record.length, record.ret) = (-1, 0, 0);
            }
            // Some kinds are calls in one call, or in one in another, which end after them.
            let (levels, outermost) = (u32::from(kind.saturating_sub(3)), id + 1);
            id += levels + 1;
            (record.start, record.end, record.id) =
                (now + u64::from(i % 3), now + 40 + u64::from(i % 5), id);
            record.parent = if levels == 0 { 0 } else { id - 1 };
            if i == repeat / 2 {
                odd(&mut record, oddity, &mut id);
            }
            now = record.end + 2;
            offsets[at] = record.offset + record.ret.max(0);
            records.push(record);
            for outer in (outermost..outermost + levels).rev() {
                let (start, end) = (record.start - 3, now);
                let parent = if outer == outermost { 0 } else { outer - 1 };
                let op = 100 + (outer - outermost) as u16;
                records.push(Record {
                    start,
                    end,
                    id: outer,
                    parent,
                    op,
                    ..record
                });
            }
        }
    }
    records
}

fn odd(record: &mut Record, oddity: u8, id: &mut u32) {
    match oddity {
        1 => record.offset += 1_000_000,
        2 => record.offset = -1,
        3 => record.offset = record.length as i64 * 77,
        4 => record.length += 5,
        5 => record.ret -= 3,
        6 => (record.ret, record.errno) = (-1, 28),
        7 => record.file += 9,
        8 => record.fd += 100,
        9 => record.flags = 1,
        10 => record.whence = 2,
        11 => record.end += 1 << 40,
        12 => record.start -= 50,
        13 => *id += 3,
        14 => record.parent = record.id.saturating_sub(1),
        15 => record.op = OP_NONE,
        16 => record.flags = flags::MORE,
        17 => record.ret = record.fd.into(),
        _ => {}
    }
}

proptest! {
    #[test]
    fn records_of_programs_come_back(steps in prop::collection::vec((0..6u8, 1..20u8, 0..30u8), 1..40)) {
        let mut records = program(steps);
        records.truncate(encode::MAX_RECORDS);
        check(&records, Step::new(0, TICK), 1 << 20);
    }

    #[test]
    fn calls_that_alternate_come_back(
        cycle in prop::collection::vec(0..5u8, 2..5),
        rounds in 3..400usize,
        odd in prop::collection::vec((0..1000usize, 0..20u8), 0..5),
    ) {
        let usual = cycle.iter().map(|kind| (*kind, 1, 99)).cycle();
        let mut steps: Vec<_> = usual.take(rounds * cycle.len()).collect();
        for (at, oddity) in odd {
            let at = at % steps.len();
            steps[at].2 = oddity;
        }
        let mut records = program(steps);
        records.truncate(encode::MAX_RECORDS);
        check(&records, Step::new(0, 2 * TICK), 1 << 20);
    }

    #[test]
    fn long_runs_come_back(lengths in prop::collection::vec((0..3u8, 200..=255u8, 0..30u8), 1..9)) {
        let mut records = program(lengths);
        records.truncate(encode::MAX_RECORDS);
        check(&records, Step::new(0, TICK), 1 << 20);
    }
}

#[test]
fn a_stride_that_comes_to_minus_one_is_no_missing_offset() {
    let call = |i: i64| Record {
        start: i as u64 * 50,
        end: i as u64 * 50 + 40,
        offset: 9 - i,
        length: 8,
        ret: 8,
        id: i as u32 + 1,
        op: 17,
        fd: 5,
        file: 1,
        ..Record::default()
    };
    let records: Vec<Record> = (0..20).map(call).collect();
    check(&records, Step::new(0, TICK), 20);
}

#[test]
fn the_worst_block_fits() {
    let mut seed = 1u64;
    let mut any = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed ^ seed >> 29
    };
    let record = |_| Record {
        start: any(),
        end: any(),
        ret: any() as i64,
        offset: any() as i64,
        length: any(),
        id: any() as u32,
        parent: any() as u32,
        file: any() as u32,
        fd: any() as i32,
        op: any() as u16 & 0x7FFF | 1,
        errno: any() as u16,
        flags: any() as u16 & !flags::MORE,
        whence: any() as u16,
    };
    let records: Vec<Record> = (0..encode::MAX_RECORDS).map(record).collect();
    check(&records, Step::new(0, TICK), u64::MAX);
}

#[test]
fn a_block_that_does_not_fit_says_so() {
    let records = [Record {
        op: 1,
        ..Record::default()
    }; 100];
    let mut scratch = Box::new(encode::Scratch::NEW);
    let whole = coded(&records, &Step::new(0, TICK), 1).len();
    for room in 0..whole {
        let mut out = vec![0; room];
        let len = encode::events(
            &records,
            &Step::new(0, TICK),
            1,
            Ids::default(),
            &mut scratch,
            &mut out,
        );
        assert_eq!(len, None, "room {room} of {whole}");
    }
}

#[test]
fn calls_that_enclose_others_come_back() {
    // Two levels: 1 encloses 2 and 5, 2 encloses 3 and 4; then the same again.
    let call = |id: u32, parent: u32, start: u64, end: u64| Record {
        id,
        parent,
        start,
        end,
        op: 10 + (id % 5) as u16,
        fd: -1,
        ..Record::default()
    };
    let mut records = Vec::new();
    for round in 0..50u32 {
        let (n, t) = (round * 5, u64::from(round) * 100);
        records.push(call(n + 3, n + 2, t + 12, t + 20));
        records.push(call(n + 4, n + 2, t + 22, t + 30));
        records.push(call(n + 2, n + 1, t + 11, t + 31));
        records.push(call(n + 5, n + 1, t + 40, t + 50));
        records.push(call(n + 1, 0, t + 10, t + 51));
    }
    check(&records, Step::new(0, TICK), 250);
}

#[test]
fn a_loop_costs_a_byte_an_event() {
    let call = |i: u64| Record {
        start: i * 43 + i % 3,
        end: i * 43 + 38 + i % 5,
        ret: 8,
        offset: i as i64 * 8,
        length: 8,
        id: i as u32 + 1,
        op: 17,
        fd: 5,
        file: 3,
        ..Record::default()
    };
    let records: Vec<Record> = (0..2048).map(call).collect();
    let len = coded(&records, &Step::new(0, TICK), 2048).len();
    assert!(len <= 2048, "{len} bytes");
    check(&records, Step::new(0, TICK), 2048);
}
