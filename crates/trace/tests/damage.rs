//! Whatever happens to a file, everything whole in it is delivered, and what is not is told.

mod common;

use std::path::{Path, PathBuf};

use common::{all, begin, directory, group};
use iota_trace::block::{HEADER_SIZE, Header, kind};
use iota_trace::part::End;
use iota_trace::read::{Buffers, Options, Trace, merge};
use proptest::prelude::*;

/// Two ranks in a group and a late part behind it, small enough to damage every byte of it.
struct Sample {
    bytes: Vec<u8>,
    /// Start, end and number of events of every events block.
    blocks: Vec<(usize, usize, u64)>,
}

fn sample() -> Sample {
    let parts = [
        begin(0, 10, 1000)
            .writes(1, 1, 20)
            .writes(2, 1, 7)
            .writes(1, 21, 5)
            .finish(),
        begin(1, 11, 1000)
            .writes(1, 1, 9)
            .writes(1, 10, 30)
            .finish(),
    ];
    let late = begin(1, 11, 9000).writes(1, 1, 3).finish();
    let first = parts[0].bytes.len();
    let mut bytes = group(&parts);
    let starts = [0, first, bytes.len()];
    bytes.extend(&late.bytes);
    let all = parts.iter().chain([&late]).zip(starts);
    let blocks = all
        .flat_map(|(part, at)| {
            part.blocks
                .iter()
                .map(move |(a, b, n)| (a + at, b + at, *n))
        })
        .collect();
    Sample { bytes, blocks }
}

/// Events delivered and problems told; 0 and 1 where nothing could be opened.
fn read(path: &Path, bytes: &[u8]) -> (u64, usize) {
    std::fs::write(path, bytes).unwrap();
    match Trace::open(&[path.to_owned()], Options::default()) {
        Ok(trace) => {
            let events = all(&trace).len() as u64;
            trace.parts().iter().for_each(|part| drop(part.names()));
            (events, trace.problems().len())
        }
        Err(_) => (0, 1),
    }
}

/// As [`read`], by the index where there is one, a stretch of blocks at a time.
fn read_in_stretches(path: &Path, bytes: &[u8]) -> (u64, usize) {
    std::fs::write(path, bytes).unwrap();
    let Ok(trace) = Trace::open(&[path.to_owned()], Options::default()) else {
        return (0, 1);
    };
    let (mut events, mut room) = (0, Buffers::default());
    for part in trace.parts() {
        let outline = part.outline();
        part.names_of(&outline);
        for (stretch, _) in outline.stretches(10) {
            let mut blocks = part.blocks_of(stretch);
            while let Some(block) = blocks.next(&mut room, |_| true) {
                block.runs(false, |run, _| events += 1 + run.times.len() as u64);
            }
        }
    }
    (events, trace.problems().len())
}

fn file(test: &str) -> PathBuf {
    directory(test).join("run.iota")
}

#[test]
fn the_sample_is_whole() {
    let sample = sample();
    for read in [read, read_in_stretches] {
        assert_eq!(read(&file("whole"), &sample.bytes), (74, 0));
    }
}

#[test]
fn cut_anywhere_all_blocks_before_the_cut_are_delivered() {
    let (sample, path) = (sample(), file("cut"));
    for cut in 0..sample.bytes.len() {
        let whole: u64 = sample
            .blocks
            .iter()
            .filter(|(_, end, _)| *end <= cut)
            .map(|(.., n)| n)
            .sum();
        let (events, problems) = read(&path, &sample.bytes[..cut]);
        assert_eq!(events, whole, "cut at {cut}");
        let between = is_between_segments(&sample, cut);
        assert_eq!(problems > 0, !between, "cut at {cut}");
    }
}

/// Where a cut leaves a whole trace: behind the group, or behind a whole part of which the file is the start.
fn is_between_segments(sample: &Sample, cut: usize) -> bool {
    let footer = cut.checked_sub(iota_trace::part::FOOTER_SIZE);
    let header = footer.and_then(|at| Header::parse(&sample.bytes[at..cut]));
    header.is_some_and(|header| header.kind == kind::FOOTER)
}

#[test]
fn a_flipped_bit_costs_its_own_block_and_no_other() {
    let (sample, path) = (sample(), file("flip"));
    let mut bytes = sample.bytes.clone();
    for at in 0..bytes.len() {
        bytes[at] ^= 1 << (at % 8);
        check_hit(&sample, &path, &bytes, at);
        bytes[at] = sample.bytes[at];
    }
}

/// All but the block that was hit is delivered, and the damage is told.
fn check_hit(sample: &Sample, path: &Path, bytes: &[u8], at: usize) {
    let hit = |(start, end, _): &&(usize, usize, u64)| !(*start..*end).contains(&at);
    let whole: u64 = sample.blocks.iter().filter(hit).map(|(.., n)| n).sum();
    for read in [read, read_in_stretches] {
        let (events, problems) = read(path, bytes);
        let now = bytes[at];
        assert_eq!((events, problems > 0), (whole, true), "byte {at} is {now}");
    }
}

#[test]
fn a_block_that_became_one_of_another_kind_is_missed() {
    let (sample, path) = (sample(), file("kind"));
    let mut bytes = sample.bytes.clone();
    let mut block = 0;
    while let Some(header) = Header::parse(&sample.bytes[block..]) {
        let at = block + 4;
        for other in (0..20).filter(|&kind| kind != header.kind) {
            bytes[at] = other;
            check_hit(&sample, &path, &bytes, at);
        }
        bytes[at] = header.kind;
        block += header.block_len() as usize;
    }
}

#[test]
fn damage_is_told_by_file_place_and_cause() {
    let (sample, path) = (sample(), file("told"));
    let mut bytes = sample.bytes.clone();
    let (start, ..) = sample.blocks[1];
    bytes[start + 55] ^= 4;
    std::fs::write(&path, &bytes).unwrap();
    let trace = common::open(&path);
    assert_eq!(trace.problems(), [], "only reading finds it");
    assert_eq!(all(&trace).len(), 67);
    let problems = trace.problems();
    assert_eq!(problems.len(), 1);
    let expected = format!(
        "{}: byte {start}: a block's checksum does not match: the file is damaged",
        path.display()
    );
    assert_eq!(problems[0].to_string(), expected);
}

/// Behind the block that follows: to the end of the file, or to a block that is whole.
#[test]
fn a_wrong_length_costs_no_other_block() {
    let (sample, path) = (sample(), file("length"));
    let all: u64 = sample.blocks.iter().map(|(.., n)| n).sum();
    for pair in sample.blocks.windows(2) {
        let [(start, middle, count), (next, end, _)] = *pair else {
            continue;
        };
        if middle != next {
            continue;
        }
        let mut bytes = sample.bytes.clone();
        bytes[start + 8] = (end - start - HEADER_SIZE) as u8; // its length
        for bytes in [&bytes[..], &bytes[..end]] {
            let behind = sample.blocks.iter().filter(|block| block.1 > bytes.len());
            let whole = all - count - behind.map(|(.., n)| n).sum::<u64>();
            for read in [read, read_in_stretches] {
                let (events, problems) = read(&path, bytes);
                assert_eq!(
                    (events, problems > 0),
                    (whole, true),
                    "{start}, {}",
                    bytes.len()
                );
            }
        }
    }
}

#[test]
fn damage_is_told_of_blocks_that_are_passed_over() {
    let (sample, path) = (sample(), file("passed"));
    for (start, ..) in &sample.blocks {
        let mut bytes = sample.bytes.clone();
        bytes[start + 38] ^= 1; // its first step
        std::fs::write(&path, &bytes).unwrap();
        let trace = common::open(&path);
        for part in trace.parts() {
            let mut room = Buffers::default();
            for (stretch, _) in part.outline().stretches(u64::MAX) {
                assert!(part.blocks_of(stretch).next(&mut room, |_| false).is_none());
            }
        }
        assert_eq!(trace.problems().len(), 1, "block at {start}");
    }
}

#[test]
fn a_lost_stretch_costs_what_it_held() {
    let (sample, path) = (sample(), file("stretch"));
    for (start, len) in [(0, 100), (300, 200), (500, 700), (900, 1), (1200, 600)] {
        let mut bytes = sample.bytes.clone();
        let end = (start + len).min(bytes.len());
        bytes.drain(start..end);
        let whole: u64 = sample
            .blocks
            .iter()
            .filter(|(a, b, _)| *b <= start || *a >= end)
            .map(|(.., n)| n)
            .sum();
        let (events, problems) = read(&path, &bytes);
        assert_eq!((events, problems > 0), (whole, true), "{start} to {end}");
    }
}

#[test]
fn merging_tells_every_flipped_bit_and_takes_what_is_whole() {
    let (sample, path, merged) = (sample(), file("merged"), file("merged.out"));
    let mut bytes = sample.bytes.clone();
    for at in 0..bytes.len() {
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).unwrap();
        let mut out = Vec::new();
        let told = match merge(std::slice::from_ref(&path), &mut out) {
            Ok(done) => done.problems.len(),
            Err(_) => 1,
        };
        assert!(told > 0, "byte {at}");
        assert_eq!(read(&merged, &out).0, read(&path, &bytes).0, "byte {at}");
        bytes[at] = sample.bytes[at];
    }
}

#[test]
fn fewer_events_than_the_end_announces_are_told() {
    let (path, merged) = (file("fewer"), file("fewer.out"));
    let part = begin(0, 10, 1000).writes(1, 1, 20);
    let mut ended = part.writes(2, 1, 5);
    let (ids, end) = (
        ended.ids,
        End {
            captured: 40,
            ..End::default()
        },
    );
    ended.add(|out| end.write(ids, out));
    let unfooted = ended.bytes.clone();
    for bytes in [ended.footer().bytes, unfooted] {
        for read in [read, read_in_stretches] {
            let (events, problems) = read(&path, &bytes);
            assert!(events == 25 && problems > 0, "{events}, {problems}");
        }
        let told = common::open(&path).problems();
        let told = told
            .iter()
            .any(|problem| problem.cause.contains("15 are missing"));
        assert!(told);
        let mut out = Vec::new();
        let done = merge(std::slice::from_ref(&path), &mut out).unwrap();
        assert!(done.events == 25 && !done.problems.is_empty());
        assert!(read(&merged, &out).1 > 0);
    }
}

/// The first part of rank 1, and what it recorded after its end, with the same numbers of calls
#[test]
fn parts_that_lost_their_beginnings_are_not_taken_for_one() {
    let (sample, path) = (sample(), file("beginnings"));
    let mut bytes = sample.bytes.clone();
    let is_process = |at: &usize| {
        let header = Header::parse(&bytes[*at..]);
        header.is_some_and(|header| header.kind == kind::PROCESS && header.ids.rank == 1)
    };
    let beginnings: Vec<usize> = (0..bytes.len()).filter(is_process).collect();
    assert_eq!(beginnings.len(), 2);
    beginnings.into_iter().for_each(|at| bytes[at] = 0);
    assert_eq!(read(&path, &bytes).0, 74);
}

proptest! {
    #[test]
    fn any_damage_is_survived(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let (sample, path) = (sample(), file("any"));
        let mut bytes = sample.bytes.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let untouched = |(a, b, _): &&(usize, usize, u64)| bytes.get(*a..*b) == Some(&sample.bytes[*a..*b]);
        let whole: u64 = sample.blocks.iter().filter(untouched).map(|(.., n)| n).sum();
        prop_assert_eq!(read(&path, &bytes).0, whole);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in any::<bool>()) {
        let start: &[u8] = if magic { b"IOTA\x01\x01\x30\x00" } else { b"" };
        read(&file("bytes"), &[start, &bytes].concat());
    }
}
