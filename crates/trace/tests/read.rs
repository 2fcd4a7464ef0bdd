//! Traces of one and of many files, read as one.

mod common;

use common::{all, begin, directory, group, open};
use iota_trace::clock::Offset;
use iota_trace::read::{Error, Options, Trace, merge};
use iota_trace::{Nanos, Record};

const EPOCH: u64 = 1_700_000_000_000_000_000;

#[test]
fn a_part_tells_all_that_was_written() {
    let path = directory("a_part").join("run.iota");
    std::fs::write(
        &path,
        begin(3, 77, EPOCH)
            .writes(1, 1, 100)
            .writes(1, 101, 50)
            .finish()
            .bytes,
    )
    .unwrap();
    let trace = open(&path);
    assert_eq!(trace.problems(), []);
    let [part] = trace.parts() else {
        panic!("one part")
    };
    assert_eq!(
        (part.rank(), part.pid(), part.host()),
        (3, 77, b"node7".as_slice())
    );
    assert_eq!(
        (part.event_count(), part.end().unwrap().captured),
        (150, 150)
    );
    assert_eq!(part.process().unwrap().fields().argv, b"app\0-v\0");
    assert_eq!(trace.start(), Nanos(EPOCH as i64));
    let names = part.names();
    assert_eq!(names.file(2), Some(b"/scratch/b.dat".as_slice()));
    assert_eq!((names.file(0), names.file(3)), (None, None));
    assert_eq!(
        names.op(17).map(|op| (op.name, op.layer, op.kind)),
        Some((b"pwrite64".as_slice(), 5, 4))
    );
    let events: Vec<_> = part.events().collect();
    assert_eq!(events.len(), 150);
    assert_eq!(
        (events[0].start, events[0].elapse()),
        (Nanos(101), Nanos(40))
    );
    assert!(
        events
            .iter()
            .zip(1..)
            .all(|(timed, id)| timed.event.id == id && timed.event.offset == id as i64 * 8)
    );
    assert_eq!(part.span(), Some((Nanos(101), Nanos(150 * 100 + 41))));
}

#[test]
fn threads_come_merged_in_the_order_of_ends() {
    let path = directory("threads").join("run.iota");
    let part = begin(0, 1, EPOCH)
        .writes(1, 1, 50)
        .writes(1, 51, 50)
        .writes(2, 1, 100)
        .writes(3, 40, 3)
        .finish();
    std::fs::write(&path, part.bytes).unwrap();
    let trace = open(&path);
    let events = all(&trace);
    assert_eq!(events.len(), 203);
    assert!(events.is_sorted_by_key(|(_, event)| event.end));
    assert_eq!(
        events[78..82]
            .iter()
            .map(|(_, e)| (e.thread, e.id))
            .collect::<Vec<_>>(),
        [(1, 40), (2, 40), (3, 40), (1, 41)]
    );
}

#[test]
fn a_group_and_traces_behind_one_another_are_one_trace() {
    let path = directory("groups").join("run.iota");
    let part = |rank| {
        begin(rank, 70 + rank, EPOCH + 5 * u64::from(rank))
            .writes(rank, 1, 10)
            .finish()
    };
    let mut bytes = group(&[part(0), part(1)]);
    bytes.extend(group(&[part(2), part(3)]));
    // What a process does later, and what is there already.
    let later = begin(1, 71, EPOCH + 5).writes(1, 11, 10);
    bytes.extend(later.end(20_000_000, None).footer().bytes);
    bytes.extend(part(2).bytes);
    std::fs::write(&path, bytes).unwrap();
    let trace = open(&path);
    assert_eq!(trace.problems(), []);
    assert_eq!(
        trace
            .parts()
            .iter()
            .map(|part| part.rank())
            .collect::<Vec<_>>(),
        [0, 1, 1, 2, 3]
    );
    assert_eq!(all(&trace).len(), 50);
    assert_eq!(
        trace.parts()[3].events().next().unwrap().start,
        Nanos(100 + 2 + 10)
    );
}

#[test]
fn an_index_in_several_blocks_is_followed() {
    let path = directory("indexes").join("run.iota");
    let part = begin(0, 1, EPOCH)
        .writes(1, 1, 10)
        .index()
        .writes(1, 11, 10)
        .index()
        .writes(1, 21, 10)
        .finish();
    std::fs::write(&path, part.bytes).unwrap();
    let trace = open(&path);
    assert_eq!((trace.problems(), all(&trace).len()), (vec![], 30));
}

#[test]
fn clocks_are_put_right_unless_raw() {
    let path = directory("clocks").join("run.iota");
    let ahead = Offset {
        nanos: 3000,
        error: 10,
        drift: 0,
    };
    let first = begin(0, 1, EPOCH).writes(1, 1, 1).finish();
    let second = begin(1, 2, EPOCH + 3100)
        .writes(1, 1, 1)
        .end(10_000_000, Some(ahead))
        .footer();
    let late = begin(1, 2, EPOCH + 9000).writes(1, 1, 1).finish();
    std::fs::write(&path, [first.bytes, second.bytes, late.bytes].concat()).unwrap();
    let starts = |raw_clock| {
        let trace = Trace::open(std::slice::from_ref(&path), Options { raw_clock }).unwrap();
        trace
            .parts()
            .iter()
            .map(|part| part.events().next().unwrap().start.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(starts(false), [101, 201, 6101]);
    assert_eq!(starts(true), [101, 3201, 9101]);
}

#[test]
fn a_killed_part_is_delivered_and_told() {
    let path = directory("killed").join("run.iota");
    let killed = begin(2, 9, EPOCH).writes(1, 1, 100);
    let len = killed.bytes.len() as u64;
    std::fs::write(&path, &killed.bytes).unwrap();
    let trace = open(&path);
    assert_eq!(
        (all(&trace).len(), trace.parts()[0].event_count()),
        (100, 100)
    );
    assert!(trace.parts()[0].end().is_none());
    let problems = trace.problems();
    assert_eq!((problems.len(), problems[0].offset), (1, len));
    assert!(
        problems[0]
            .cause
            .contains("rank 2 (process 9) ends here without its end block")
    );
}

#[test]
fn parts_stand_in_for_the_trace_that_was_not_gathered() {
    let dir = directory("parts");
    for rank in [0, 2, 10] {
        let part = begin(rank, 70 + rank, EPOCH).writes(1, 1, 10).finish();
        std::fs::write(dir.join(format!("run.{rank}.iota")), part.bytes).unwrap();
    }
    std::fs::write(dir.join("run.x.iota"), b"something else").unwrap();
    assert_eq!(all(&open(&dir.join("run.iota"))).len(), 30);
    std::fs::remove_file(dir.join("run.x.iota")).unwrap();
    assert_eq!(open(&dir).parts().len(), 3);
}

#[test]
fn what_cannot_be_read_says_why() {
    let dir = directory("foreign");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.join(name), bytes).unwrap();
        Trace::open(&[dir.join(name)], Options::default()).unwrap_err()
    };
    assert!(matches!(
        Trace::open(&[dir.join("no.iota")], Options::default()),
        Err(Error::Missing { .. })
    ));
    assert!(matches!(
        Trace::open(std::slice::from_ref(&dir), Options::default()),
        Err(Error::NoTraces { .. })
    ));
    assert!(matches!(write("empty.iota", b""), Error::Empty { .. }));
    let foreign = write("elf.iota", b"\x7fELF and so on").to_string();
    assert!(
        foreign.contains("elf.iota: byte 0: not an iota trace: it starts with 7f 45 4c 46"),
        "{foreign}"
    );
    let mut later = begin(0, 1, EPOCH).finish().bytes;
    later[5] = 9;
    let later = write("later.iota", &later[..100]).to_string();
    assert!(
        later.contains("byte 0: format version 9, but this iota reads version 1"),
        "{later}"
    );
    assert!(matches!(
        write("cut.iota", &begin(0, 1, EPOCH).bytes[..60]),
        Error::Nothing { offset: 0, .. }
    ));
}

#[test]
fn a_good_file_is_delivered_beside_a_bad_one() {
    let dir = directory("beside");
    std::fs::write(
        dir.join("a.iota"),
        begin(0, 1, EPOCH).writes(1, 1, 10).finish().bytes,
    )
    .unwrap();
    std::fs::write(dir.join("b.iota"), b"not a trace").unwrap();
    let trace = open(&dir);
    assert_eq!(all(&trace).len(), 10);
    assert!(
        trace.problems()[0]
            .to_string()
            .contains("b.iota: byte 0: not an iota trace")
    );
}

#[test]
fn merged_files_say_the_same() {
    let dir = directory("merged");
    let killed = begin(3, 4, EPOCH).writes(1, 1, 10).writes(2, 1, 20).bytes;
    let mut damaged = begin(4, 5, EPOCH).writes(1, 1, 10).writes(1, 11, 10);
    let first = damaged.blocks[0].0;
    damaged.bytes[first + 60] ^= 1;
    let group = group(&[
        begin(1, 2, EPOCH).writes(1, 1, 10).finish(),
        begin(2, 3, EPOCH).writes(1, 1, 10).finish(),
    ]);
    let plain = begin(0, 1, EPOCH).writes(1, 1, 10).finish().bytes;
    for (name, bytes) in [
        ("d", killed),
        ("e", damaged.bytes),
        ("b", group),
        ("a", plain),
    ] {
        std::fs::write(dir.join(format!("{name}.iota")), bytes).unwrap();
    }
    let mut merged = Vec::new();
    let done = merge(std::slice::from_ref(&dir), &mut merged).unwrap();
    assert_eq!(
        (done.parts, done.events, done.bytes),
        (5, 70, merged.len() as u64)
    );
    assert_eq!(done.problems.len(), 3, "{:?}", done.problems);
    let path = directory("merged_out").join("all.iota");
    std::fs::write(&path, &merged).unwrap();
    let (trace, before) = (open(&path), open(&dir));
    assert_eq!(all(&trace), all(&before));
    assert_eq!(
        trace
            .parts()
            .iter()
            .map(|part| part.rank())
            .collect::<Vec<_>>(),
        [0, 1, 2, 3, 4]
    );
    let ends = trace
        .parts()
        .iter()
        .filter(|part| part.end().is_some())
        .count();
    assert_eq!((ends, trace.problems().len()), (3, 2));
}

#[test]
fn merging_merged_files_is_merging_their_parts() {
    let dir = directory("merged_twice");
    let part = |rank| begin(rank, 1, EPOCH).writes(1, 1, 10).finish();
    std::fs::write(dir.join("a.iota"), group(&[part(0), part(1)])).unwrap();
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    merge(&[dir.join("a.iota")], &mut once).unwrap();
    std::fs::write(dir.join("b.iota"), &once).unwrap();
    merge(&[dir.join("b.iota")], &mut twice).unwrap();
    assert!(once == twice);
}

#[test]
fn records_that_were_never_filled_leave_no_event() {
    let path = directory("unfilled").join("run.iota");
    let mut records = [common::write(1, 0), Record::default(), common::write(2, 0)];
    records[2].flags = iota_trace::flags::MORE;
    std::fs::write(&path, begin(0, 1, EPOCH).events(1, &records).finish().bytes).unwrap();
    let events = all(&open(&path));
    assert_eq!(
        events
            .iter()
            .map(|(_, e)| (e.id, e.flags))
            .collect::<Vec<_>>(),
        [(1, 0), (2, 0)]
    );
}
