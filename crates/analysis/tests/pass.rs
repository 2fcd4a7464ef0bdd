//! The pass: every call once, whoever reads it, whatever is damaged.

#[path = "../../cli/tests/common/trace.rs"]
#[allow(dead_code, reason = "shared with the command's tests")]
mod trace;

use iota_analysis::{Accumulator, Call, Filter, Job, Pass, Process, Share};
use iota_trace::Record;
use iota_trace::block::{HEADER_SIZE, Header, kind};
use iota_trace::read::{Options, Trace};
use std::path::PathBuf;

/// Tells everything in the order in which it came, and what was said around it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Recording {
    calls: Vec<(u32, u32, u64, String, i64)>,
    whole: Vec<u32>,
    open: Vec<u32>,
}

struct Recorder<'j>(&'j Job<'j>, Recording);

impl Accumulator for Recorder<'_> {
    fn part(&mut self, process: &Process) {
        self.1.open.push(process.part);
    }

    fn add(&mut self, call: &Call) {
        let path = String::from_utf8_lossy(self.0.files.path(call.file)).into_owned();
        let event = call.event;
        self.1
            .calls
            .push((call.process.part, event.thread, event.id, path, call.start));
    }

    fn merge(&mut self, later: Self) {
        self.1.calls.extend(later.1.calls);
        self.1.whole.extend(later.1.whole);
        self.1.open.extend(later.1.open);
    }

    fn process_complete(&mut self, process: &Process) {
        self.1.whole.push(process.part);
    }
}

struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("iota-{}-{name}.iota", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        File(path)
    }

    fn open(&self) -> Trace {
        Trace::open(std::slice::from_ref(&self.0), Options::default()).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Parts of these many calls; each names its files in another order, and the last is one that all share.
fn parts(calls: &[u32]) -> Vec<u8> {
    let part = |(rank, calls): (u32, &u32)| {
        let mut part = trace::Part::new(rank, 6, 0);
        let ids = if rank % 2 == 0 { [1, 2] } else { [2, 1] };
        part.file(ids[0], format!("/scratch/own.{rank}").as_bytes());
        part.file(ids[1], b"/scratch/shared");
        let writes = trace::writes(*calls, 8).into_iter();
        let shared = |(n, write)| Record {
            file: if n % 3 == 0 { ids[1] } else { ids[0] },
            ..write
        };
        part.calls(&writes.enumerate().map(shared).collect::<Vec<_>>());
        part.finish()
    };
    trace::gathered(&(0..).zip(calls).map(part).collect::<Vec<_>>())
}

fn told(job: &Job, filter: &Filter, threads: usize) -> Recording {
    Pass::of(job)
        .only(filter)
        .threads(threads)
        .run(|| Recorder(job, Recording::default()))
        .1
}

#[test]
fn every_call_comes_once_and_in_order() {
    let sizes = [10, 700_000, 3, 0, 600_000, 5];
    let file = File::new("once", &parts(&sizes));
    let trace = file.open();
    let job = Job::of(&trace);
    assert_eq!(
        job.event_count(),
        sizes.iter().map(|size| u64::from(*size)).sum()
    );
    let all = told(&job, &Filter::default(), 1);
    for (rank, size) in (0..).zip(sizes) {
        let ids = all
            .calls
            .iter()
            .filter(|call| call.0 == rank)
            .map(|call| call.2);
        assert!(ids.eq(1..=u64::from(size)), "rank {rank}");
        let shared = all
            .calls
            .iter()
            .filter(|call| call.0 == rank && call.3 == "/scratch/shared");
        assert_eq!(shared.count() as u32, size.div_ceil(3));
    }
    assert_eq!(all.open[0], 0);
    let mut whole = all.whole.clone();
    whole.sort();
    assert_eq!(whole, [0, 1, 2, 3, 4, 5]);
    let by_three = told(&job, &Filter::default(), 3);
    assert_eq!(by_three.calls, all.calls);
    assert_eq!(job.files.len(), 7);
}

#[test]
fn shares_see_every_call_once() {
    let file = File::new("shares", &parts(&[700_000, 600_000, 100, 900_000]));
    let trace = file.open();
    let job = Job::of(&trace);
    for count in [1, 2, 3, 7] {
        let seen = (0..count).map(|index| {
            let share = Share { index, count };
            let told = Pass::of(&job)
                .share(share)
                .run(|| Recorder(&job, Recording::default()));
            told.1.calls.len()
        });
        assert_eq!(seen.sum::<usize>(), 2_200_100);
    }
}

#[test]
fn filters_choose() {
    let file = File::new("filters", &parts(&[100, 5000, 100]));
    let trace = file.open();
    let job = Job::of(&trace);
    let count = |text: &str| told(&job, &text.parse().unwrap(), 1).calls.len();
    assert_eq!(count("rank=1-2"), 5100);
    assert_eq!(count("rank!=1"), 200);
    assert_eq!(count("file=shared"), 34 + 1667 + 34);
    assert_eq!(count("file!=/scratch/own.*"), 34 + 1667 + 34);
    assert_eq!(count("class=write"), 5200);
    assert_eq!(count("class=read"), 0);
    assert_eq!(count("op=pwrite*,layer=posix"), 5200);
    assert_eq!(count("host=node01,len=8,bytes=8,ok"), 5200);
    assert_eq!(count("failed"), 0);
    // A call a microsecond, each 400 ns long.
    assert_eq!(count("time=10us..20us"), 3 * 11);
    assert_eq!(count("start>=10us,end<20us"), 3 * 10);
    assert_eq!(count("rank=1,time>=4ms"), 1000);
    assert_eq!(count("offset=0..79,rank=0"), 10);
    assert_eq!(count("dur>400ns"), 0);
}

/// Where the blocks of calls begin
fn events(bytes: &[u8]) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(header) = Header::parse(&bytes[at..]) {
        if header.kind == kind::EVENTS {
            found.push(at);
        }
        at += header.block_len() as usize;
    }
    found
}

#[test]
fn damage_costs_a_block() {
    let mut bytes = parts(&[10_000, 10_000]);
    let second = events(&bytes)[1];
    bytes[second + HEADER_SIZE + 100] ^= 1;
    let file = File::new("damage", &bytes);
    let trace = file.open();
    let job = Job::of(&trace);
    let seen = told(&job, &Filter::default(), 2).calls.len();
    assert_eq!(seen, 20_000 - 2048);
    assert_eq!(trace.problems().len(), 1, "{:?}", trace.problems());
}
