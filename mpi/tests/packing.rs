//! Small parts are gathered into packs, and come out of them as they were.

mod threads;

use iota_mpi::plan::SHARING;
use iota_trace::block::{Header, Ids, kind};
use iota_trace::clock::{Anchor, Step, TICK};
use iota_trace::part::{End, PartWriter, Process, Slot, end_room};
use iota_trace::read::{Options, Trace};
use iota_trace::{Event, Record, encode, names};
use threads::{Breaks, Job, Outcome};

/// The part of a rank: as many files as asked for, the names of which are much the same on all ranks, and as many calls.
fn part(rank: u32, files: u32, calls: u32) -> Vec<u8> {
    let ids = Ids {
        rank,
        pid: 100 + rank,
        thread: 100 + rank,
    };
    let mut bytes = Vec::new();
    let mut writer = PartWriter::new(vec![Slot::from([0; 40]); 100]);
    let mut add = |write: &dyn Fn(&mut [u8]) -> Option<usize>| {
        let mut block = vec![0; encode::MAX_BLOCK];
        let length = write(&mut block).expect("there is room");
        block.truncate(length);
        writer.add_block(bytes.len() as u64, &Header::parse(&block).expect("whole"));
        bytes.extend(block);
    };
    add(&|out| process(rank).write(ids, out));
    let paths: Vec<(u32, String)> = (1..=files)
        .map(|id| {
            (
                id,
                format!("/usr/lib/plugin_{}.so", id * 7919 % 1000 + rank / 30),
            )
        })
        .collect();
    add(&|out| {
        let mut writer = names::NamesWriter::new(out);
        let whole = paths
            .iter()
            .all(|(id, path)| writer.file(*id, path.as_bytes()));
        whole.then(|| writer.finish(ids))?
    });
    let records: Vec<Record> = (1..=calls).map(|id| call(id, files)).collect();
    for some in records.chunks(encode::MAX_RECORDS) {
        let mut scratch = Box::new(encode::Scratch::NEW);
        let block = std::cell::RefCell::new(&mut scratch);
        add(&|out| {
            encode::events(
                some,
                &Step::new(1000, TICK),
                1 << 20,
                ids,
                &mut block.borrow_mut(),
                out,
            )
        });
    }
    let (at, mut end) = (bytes.len() as u64, vec![0; end_room(100)]);
    let last = End {
        captured: calls.into(),
        end: anchor(10_000_000),
        ..End::default()
    };
    let block = last.write(ids, &mut end).expect("there is room");
    writer.add_block(at, &Header::parse(&end).expect("whole"));
    let closed = writer.close(ids, at + block as u64, &mut end[block..]);
    bytes.extend(&end[..block + closed.expect("there is room")]);
    bytes
}

fn process(rank: u32) -> Process<'static> {
    Process {
        version: b"0.1.0",
        host: b"node7",
        exe: b"/usr/bin/app",
        start: anchor(0),
        rate: 1_000_000_000,
        step: TICK,
        random: rank + 1,
        ..Process::default()
    }
}

fn anchor(elapsed: u64) -> Anchor {
    Anchor {
        ticks: 1000 + elapsed,
        monotonic: 5000 + elapsed,
        realtime: 1_700_000_000_000_000_000,
    }
}

/// Times and lengths as if of nothing.
fn call(id: u32, files: u32) -> Record {
    let start = 1000 + u64::from(id) * 100;
    Record {
        id,
        start,
        end: start + 40 + u64::from(id.wrapping_mul(2_654_435_761) >> 27),
        op: 17,
        file: id % files + 1,
        length: u64::from(id.wrapping_mul(2_246_822_519) >> 20),
        ..Record::default()
    }
}

fn job(nodes: &[u32], parts: Vec<Vec<u8>>) -> Job {
    let count = nodes.iter().max().expect("ranks") + 1;
    Job {
        nodes: nodes.to_vec(),
        lengths: parts.iter().map(|part| part.len() as u64).collect(),
        parts,
        behind: vec![0; count as usize],
        bases: vec![0; nodes.len()],
        breaks: Breaks::Nothing,
    }
}

fn file_of(outcome: Outcome) -> Vec<u8> {
    assert!(
        outcome.verdicts.iter().all(|verdict| verdict.is_ok()),
        "{:?}",
        outcome.verdicts
    );
    outcome.file.expect("there is a file")
}

/// A rank, and its files and calls.
type ReadPart = (u32, Vec<Vec<u8>>, Vec<Event>);

fn parts_of(name: &str, bytes: &[u8]) -> Vec<ReadPart> {
    let path = std::env::temp_dir().join(format!("iota-packing-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).expect("writable");
    let trace = Trace::open(std::slice::from_ref(&path), Options::default()).expect("a trace");
    let mut all: Vec<ReadPart> = trace
        .parts()
        .iter()
        .map(|part| {
            let (names, events) = (part.names(), part.events().map(|timed| timed.event));
            let files = (1..).map_while(|id| names.file(id).map(<[u8]>::to_vec));
            (part.rank(), files.collect(), events.collect())
        })
        .collect();
    assert_eq!(trace.problems(), []);
    std::fs::remove_file(path).expect("it is there");
    all.sort_by_key(|part| part.0);
    all
}

/// How many blocks of a kind stand in the file itself.
fn count(bytes: &[u8], kind: u8) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(header) = bytes.get(at..).and_then(Header::parse) {
        count += usize::from(header.kind == kind);
        at += header.block_len() as usize;
    }
    assert_eq!(at, bytes.len());
    count
}

#[test]
fn what_is_gathered_is_what_the_ranks_had() {
    let nodes = [0, 0, 1, 0, 0, 1, 1, 0, 2, 0];
    let mut parts: Vec<Vec<u8>> = (0..10).map(|rank| part(rank, 40, 100 + rank)).collect();
    // Too long for a pack; none; one that is not whole.
    parts[4] = part(4, 300, 30_000);
    assert!(parts[4].len() > iota_trace::pack::SMALL);
    parts[5] = Vec::new();
    let file = file_of(job(&nodes, parts.clone()).run());
    // Of node 0 before and behind rank 4, of node 1 before and behind rank 5.
    assert_eq!(
        (count(&file, kind::PACK), count(&file, kind::PROCESS)),
        (5, 1)
    );
    assert_eq!(
        parts_of("packed", &file),
        parts_of("apart", &parts.concat())
    );
}

#[test]
fn a_part_that_is_not_whole_stays_as_it_is() {
    let mut parts: Vec<Vec<u8>> = (0..3).map(|rank| part(rank, 40, 100)).collect();
    let middle = parts[1].len() / 2;
    parts[1][middle] ^= 1;
    let file = file_of(job(&[0; 3], parts.clone()).run());
    let found = file
        .windows(parts[1].len())
        .filter(|bytes| **bytes == parts[1]);
    assert_eq!(found.count(), 1);
}

#[test]
fn what_ranks_have_in_common_is_written_once_for_as_many_as_share_a_pack() {
    let parts: Vec<Vec<u8>> = (0..40).map(|rank| part(rank, 200, 10)).collect();
    let together = file_of(job(&[0; 40], parts.clone()).run());
    assert_eq!(
        count(&together, kind::PACK),
        40usize.div_ceil(SHARING as usize)
    );
    assert_eq!(
        parts_of("shared", &together),
        parts_of("parts", &parts.concat())
    );
    let unlocked_atomic = file_of(job(&[0], parts[..1].to_vec()).run());
    assert!(
        unlocked_atomic.len() < parts[0].len() * 3 / 4,
        "{} of {}",
        unlocked_atomic.len(),
        parts[0].len()
    );
    assert!(
        together.len() < 12 * unlocked_atomic.len(),
        "{} and {}",
        together.len(),
        unlocked_atomic.len()
    );
}

#[test]
fn when_anything_breaks_there_is_no_output() {
    let parts: Vec<Vec<u8>> = (0..6).map(|rank| part(rank, 100, 500)).collect();
    let job = job(&[0, 0, 0, 1, 1, 1], parts);
    let file = file_of(job.run()).len() as u64;
    let breaking = (0..6).map(|rank| (Breaks::Part(rank), libc::EIO));
    let full = (0..10).map(|tenth| (Breaks::DiskFullAt(file * tenth / 10), libc::ENOSPC));
    for (breaks, errno) in breaking.chain(full) {
        let outcome = Job {
            breaks,
            ..job.clone()
        }
        .run();
        let trouble = Err(iota_mpi::group::GatherError(errno));
        assert_eq!(outcome.verdicts, vec![trouble; 6], "{breaks:?}");
        assert!(outcome.file.is_none(), "{breaks:?}");
    }
}
