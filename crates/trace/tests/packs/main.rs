//! Small parts that are merged go into packs, and come out of them as they were.

#[path = "../common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};

use common::{all, begin, directory, open};
use iota_trace::block::{Check, HEADER_SIZE, Header, Ids, kind};
use iota_trace::clock::Anchor;
use iota_trace::names;
use iota_trace::pack::IN_COLUMNS;
use iota_trace::part::{End, Process, reason};
use iota_trace::read::{Options, Trace, merge};
use proptest::prelude::*;

fn merged(dir: &Path, name: &str, from: &Path) -> PathBuf {
    let mut bytes = Vec::new();
    merge(&[from.to_owned()], &mut bytes).unwrap();
    write(dir, name, &bytes)
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// So many short processes in one file, each with a few calls of two threads.
fn processes(count: u32) -> Vec<u8> {
    processes_from(100, count)
}

/// The same, the first with this id.
fn processes_from(first: u32, count: u32) -> Vec<u8> {
    let parts = (0..count).map(|n| {
        begin(0, first + n, 1000 * u64::from(n))
            .writes(1, 1, 5 + n % 7)
            .writes(2, 1, 3)
            .finish()
            .bytes
    });
    parts.collect::<Vec<_>>().concat()
}

/// Kinds of the file's own blocks, and where each begins.
fn blocks(bytes: &[u8]) -> Vec<(usize, Header)> {
    let (mut at, mut all) = (0, Vec::new());
    while at < bytes.len() {
        let header = Header::parse(&bytes[at..]).unwrap();
        all.push((at, header));
        at += header.block_len() as usize;
    }
    all
}

fn kinds(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let blocks = blocks(&bytes).into_iter();
    blocks.map(|(_, header)| header.kind).collect()
}

#[test]
fn small_parts_are_read_as_they_were() {
    let dir = directory("packs-read");
    let apart = write(&dir, "apart.iota", &processes(50));
    let packed = merged(&dir, "packed.iota", &apart);
    assert_eq!(kinds(&packed), [kind::PACK, kind::INDEX, kind::FOOTER]);
    let (before, after) = (open(&apart), open(&packed));
    assert_eq!(all(&after), all(&before));
    assert_eq!((after.problems(), after.parts().len()), (Vec::new(), 50));
    for (a, b) in before.parts().iter().zip(after.parts()) {
        assert_eq!((a.end(), a.pid()), (b.end(), b.pid()));
        assert_eq!(a.process().unwrap().fields(), b.process().unwrap().fields());
        assert_eq!(a.names().file(2), b.names().file(2));
    }
    let size = |path: &Path| path.metadata().unwrap().len();
    assert!(size(&packed) * 8 < size(&apart));
}

#[test]
fn blocks_of_unknown_kinds_with_longer_headers_come_back() {
    let dir = directory("packs-newer");
    let lengths = [false, true].map(|has_unknown| {
        let mut part = begin(0, 5, 500).writes(1, 1, 9);
        let (ids, unknown) = (part.ids, b"what a later version says");
        let head = Header::new(77, ids, 3).sealed_longer(b"more", unknown);
        if has_unknown {
            part.bytes.extend([&head[..], b"more", unknown].concat());
        }
        let apart = part.finish().bytes;
        let file = write(&dir, "apart.iota", &apart);
        let packed = merged(&dir, "packed.iota", &file);
        assert_eq!(kinds(&packed)[0], kind::PACK);
        let trace = open(&packed);
        assert_eq!((all(&trace).len(), trace.problems()), (9, vec![]));
        (apart.len() as u64, trace.parts()[0].len())
    });
    let [(apart, part), (apart_more, part_more)] = lengths;
    assert!(part_more > part);
    assert_eq!(part_more - part, apart_more - apart);
}

#[test]
fn what_was_packed_is_packed_again() {
    let dir = directory("packs-again");
    let apart = write(&dir, "apart.iota", &processes(9));
    let once = merged(&dir, "once.iota", &apart);
    let twice = merged(&dir, "twice.iota", &once);
    assert_eq!(std::fs::read(once).unwrap(), std::fs::read(twice).unwrap());
}

#[test]
fn large_parts_and_those_without_an_end_stand_as_they_are() {
    let dir = directory("packs-large");
    let path = [b'x'; 40_000];
    let mut large = begin(0, 5, 500).writes(1, 1, 9);
    for file in [3, 4] {
        let ids = large.ids;
        large.add(|out| {
            let mut names = names::NamesWriter::new(out);
            names.file(file, &path);
            names.finish(ids)
        });
    }
    let killed = begin(0, 7, 1500).writes(1, 1, 4).bytes;
    let file = [processes(2), large.finish().bytes, killed].concat();
    let apart = write(&dir, "apart.iota", &file);
    let packed = merged(&dir, "packed.iota", &apart);
    let kinds = kinds(&packed);
    let packs = kinds.iter().filter(|of| **of == kind::PACK).count();
    assert_eq!((packs, kinds[0]), (2, kind::PACK));
    assert_eq!(kinds.iter().filter(|of| **of == kind::PROCESS).count(), 2);
    assert_eq!(all(&open(&packed)), all(&open(&apart)));
    assert!(open(&packed).parts()[3].end().is_none(), "killed");
}

#[test]
fn a_damaged_pack_costs_its_own_parts() {
    let dir = directory("packs-damage");
    let parts: Vec<_> = (0..3)
        .map(|n| processes_from(100 * (n + 1), 20 + n))
        .collect();
    let files = parts.iter().enumerate().map(|(n, part)| {
        let apart = write(&dir, &format!("apart{n}.iota"), part);
        std::fs::read(merged(&dir, "packed.iota", &apart)).unwrap()
    });
    let files: Vec<_> = files.collect();
    let (first, second) = (files[0].len(), files[1].len());
    let whole = files.concat();
    for at in first..first + second {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let path = write(&dir, "damaged.iota", &bytes);
        let trace = open(&path);
        let _ = all(&trace);
        let parts = trace.parts().len();
        assert!(parts == 63 || parts == 20 + 22, "byte {at}: {parts} parts");
        assert!(!trace.problems().is_empty(), "byte {at}");
    }
}

#[test]
fn a_pack_whose_index_is_lost_is_found() {
    let dir = directory("packs-cut");
    let apart = write(&dir, "apart.iota", &processes(30));
    let bytes = std::fs::read(merged(&dir, "packed.iota", &apart)).unwrap();
    let (index, _) = blocks(&bytes)[1];
    let cut = write(&dir, "cut.iota", &bytes[..index]);
    let trace = open(&cut);
    assert_eq!(all(&trace), all(&open(&apart)));
    assert_eq!(trace.problems().len(), 1, "a footer should follow");
}

/// A file that is a pack of this payload, with a right checksum.
fn pack(payload: &[u8]) -> Vec<u8> {
    let header = Header::new(kind::PACK, Ids::default(), 1).sealed(payload, &[]);
    [&header[..], payload].concat()
}

#[test]
fn a_pack_that_makes_no_sense_has_a_right_checksum() {
    let path = write(&directory("packs-nonsense"), "one.iota", &pack(b"none"));
    let cause = Trace::open(&[path], Options::default())
        .unwrap_err()
        .to_string();
    assert!(cause.contains("though its checksum matches"), "{cause}");
}

/// Beside what they were merged from, packed parts count once; those of other processes of the same id, each.
/// A part that was recovered is known by its blocks alone.
#[test]
fn a_recovered_part_beside_the_packed_one_counts_once() {
    let dir = directory("packs-recovered");
    let of = |writes: u32| {
        let part = begin(0, 5, 500).writes(1, 1, writes).writes(2, 1, 7);
        let end = part.end_by(reason::RECOVERED, 10_000_000, None);
        end.footer().bytes
    };
    let apart = write(&dir, "apart.iota", &of(2000));
    let packed = merged(&dir, "packed.iota", &apart);
    assert_eq!(kinds(&packed)[0], kind::PACK);
    let count = |files: &[PathBuf]| {
        let trace = Trace::open(files, Options::default()).unwrap();
        (all(&trace).len(), trace.copies().len())
    };
    assert_eq!(count(&[apart, packed.clone()]), (2007, 1));
    let another = write(&dir, "another.iota", &of(1999));
    assert_eq!(count(&[another, packed]), (2 * 2007 - 1, 0));
}

#[test]
fn packed_parts_beside_those_they_were_made_from_count_once() {
    let dir = directory("packs-copies");
    let of = |random: u32| {
        let parts = (0..9).map(|n| common::begin_random(0, 100 + n, 1000, random).writes(1, 1, 5));
        parts.map(|part| part.finish().bytes).collect::<Vec<_>>()
    };
    let (one, other) = (of(1).concat(), of(2).concat());
    let apart = write(&dir, "apart.iota", &one);
    let packed = merged(&dir, "packed.iota", &apart);
    assert_eq!(kinds(&packed)[0], kind::PACK);
    let both = [apart, packed];
    let trace = Trace::open(&both, Options::default()).unwrap();
    let counts = |trace: &Trace| (trace.parts().len(), all(trace).len(), trace.copies().len());
    assert_eq!((counts(&trace), trace.problems()), ((9, 45, 9), vec![]));
    let other = write(&dir, "other.iota", &other);
    let [_, packed] = both;
    let trace = Trace::open(&[other, packed], Options::default()).unwrap();
    assert_eq!(counts(&trace), (18, 90, 0));
}

/// A process with these clocks; its output and its job end with its id, or with another
fn with_clocks(pid: u32, clocks: [u64; 7], own: bool) -> Vec<u8> {
    let [ticks, monotonic, realtime, rate, ..] = clocks;
    let [.., end_ticks, end_monotonic, end_realtime] = clocks;
    let output = format!("/tmp/x{}", if own { pid } else { pid + 1 });
    let process = Process {
        start: Anchor {
            ticks,
            monotonic,
            realtime,
        },
        rate,
        output: output.as_bytes(),
        job: output.strip_prefix("/tmp/x").unwrap().as_bytes(),
        random: rate as u32,
        ..Process::default()
    };
    let mut part = common::begin_as(0, pid, process).writes(1, 1, 3);
    let end = Anchor {
        ticks: end_ticks,
        monotonic: end_monotonic,
        realtime: end_realtime,
    };
    let ids = part.ids;
    part.add(|out| {
        End {
            captured: 3,
            end,
            ..End::default()
        }
        .write(ids, out)
    });
    part.footer().bytes
}

proptest! {
    #[test]
    fn any_clock_comes_back(parts in prop::collection::vec((any::<[u64; 7]>(), 0..4u32, any::<bool>()), 1..6)) {
        let dir = directory("packs-clocks");
        let parts = parts.into_iter().zip(10..).map(|((mut clocks, rate, own), pid)| {
            // Rates as there are, and others.
            clocks[3] = [clocks[3], 0, 1_000_000_000, 2_450_000_000][rate as usize];
            with_clocks(pid, clocks, own)
        });
        let apart = write(&dir, "apart.iota", &parts.collect::<Vec<_>>().concat());
        let packed = merged(&dir, "packed.iota", &apart);
        prop_assert_eq!(kinds(&packed)[0], kind::PACK);
        let (before, after) = (open(&apart), open(&packed));
        prop_assert_eq!((after.problems(), all(&after)), (vec![], all(&before)));
        prop_assert_eq!(before.parts().len(), after.parts().len());
        for (a, b) in before.parts().iter().zip(after.parts()) {
            prop_assert_eq!((a.end(), a.pid()), (b.end(), b.pid()));
            let (a, b) = (a.process().unwrap(), b.process().unwrap());
            prop_assert_eq!(a.fields(), b.fields());
        }
    }

    #[test]
    fn any_pack_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), length in any::<u32>()) {
        let packed = miniz_oxide::deflate::compress_to_vec(&bytes, 6);
        let forms = [0, IN_COLUMNS].map(|form| bytes.len() as u32 | form);
        for length in [length].into_iter().chain(forms) {
            let file = pack(&[&length.to_le_bytes()[..], &packed].concat());
            let path = write(&directory("packs-any"), "any.iota", &file);
            if let Ok(trace) = Trace::open(&[path], Options::default()) {
                let _ = all(&trace);
            }
        }
    }

    #[test]
    fn any_change_in_what_is_packed_is_survived(at in any::<prop::sample::Index>(), to in any::<u8>(), form in 0u32..2) {
        let dir = directory("packs-inside");
        let apart = write(&dir, "apart.iota", &processes(3));
        let bytes = std::fs::read(merged(&dir, "packed.iota", &apart)).unwrap();
        let (_, header) = blocks(&bytes)[0];
        let block = &bytes[..header.block_len() as usize];
        prop_assert!(Check::new(&block[..HEADER_SIZE]).with(&block[HEADER_SIZE..]).holds(&header));
        let mut raw = miniz_oxide::inflate::decompress_to_vec(&block[HEADER_SIZE + 4..]).unwrap();
        let at = at.index(raw.len());
        raw[at] = to;
        let packed = miniz_oxide::deflate::compress_to_vec(&raw, 6);
        let length = (raw.len() as u32 | form << 31).to_le_bytes();
        let path = write(&dir, "changed.iota", &pack(&[&length[..], &packed].concat()));
        if let Ok(trace) = Trace::open(&[path], Options::default()) {
            let _ = all(&trace);
            trace.parts().iter().for_each(|part| drop(part.names()));
        }
    }
}
