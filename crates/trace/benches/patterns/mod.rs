//! Records as programs make them.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

use iota_trace::{Record, Step};

/// A pattern: its name, and `n` records of it with the clock that counts them.
pub type Pattern = (&'static str, fn(usize) -> (Step, Vec<Record>));

pub const ALL: [Pattern; 9] = [
    ("regular pwrite", regular),
    ("strided, nested", nested),
    ("one inside another", inside),
    ("database", database),
    ("noise", noise),
    ("timed pwrite 8 B", |n| timed(n, pwrite)),
    ("timed pread 4 KiB random", |n| timed(n, pread)),
    ("timed write 1 B", |n| timed(n, write)),
    ("timed open, stat, close", |n| timed(n, open)),
];

/// The steps of a counter that advances by 24.45 ticks at once.
const STEP: u64 = 1_602_355;

fn ticks(steps: u64) -> u64 {
    steps * STEP / 65536
}

/// Deterministic and good enough.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    /// A time as calls take it: around `typical`, with a long tail.
    fn time(&mut self, typical: f64) -> u64 {
        let normal = (0..12)
            .map(|_| self.below(1 << 20) as f64 / (1 << 20) as f64)
            .sum::<f64>()
            - 6.0;
        (typical * (0.5 * normal).exp()) as u64
    }
}

/// What a pattern is built with: the clock goes on from call to call.
struct Thread {
    random: Random,
    now: u64,
    calls: u32,
    records: Vec<Record>,
}

impl Thread {
    fn new() -> Thread {
        Thread {
            random: Random(0x9E37_79B9_7F4A_7C15),
            now: 1000,
            calls: 0,
            records: Vec::new(),
        }
    }

    fn call(&mut self, gap: u64, time: u64, record: Record) {
        let start = self.now + gap;
        self.now = start + time;
        self.calls += 1;
        self.records.push(Record {
            start: ticks(start),
            end: ticks(self.now),
            id: self.calls,
            ..record
        });
    }

    fn done(mut self, n: usize) -> (Step, Vec<Record>) {
        self.records.truncate(n);
        (Step::new(0, STEP), self.records)
    }
}

fn transfer(op: u16, fd: i32, offset: i64, length: u64) -> Record {
    Record {
        op,
        fd,
        file: fd as u32 - 2,
        offset,
        length,
        ret: length as i64,
        ..Record::default()
    }
}

fn on_fd(op: u16, fd: i32) -> Record {
    Record {
        op,
        fd,
        file: fd as u32 - 2,
        offset: -1,
        ..Record::default()
    }
}

/// A checkpoint loop: one call, one file, about 40 steps each, 2 to 4 between.
fn regular(n: usize) -> (Step, Vec<Record>) {
    let mut thread = Thread::new();
    for i in 0..n as i64 {
        let (gap, time) = (2 + thread.random.below(3), 37 + thread.random.below(7));
        thread.call(gap, time, transfer(17, 5, i * 8, 8));
    }
    thread.done(n)
}

/// Writes of an upper layer, each with two strided writes inside.
fn nested(n: usize) -> (Step, Vec<Record>) {
    let mut thread = Thread::new();
    for i in 0..n as i64 / 3 {
        let (before, id) = (thread.now, thread.calls + 1);
        thread.calls += 1;
        for half in 0..2 {
            let (gap, time) = (10 + thread.random.below(3), thread.random.time(300.0));
            let mut inner = transfer(17, 6, (i * 2 + half) * 1_048_576, 65536);
            inner.parent = id;
            thread.call(gap, time, inner);
        }
        let outer = transfer(400, 6, i * 2 * 1_048_576, 131_072);
        thread.records.push(Record {
            start: ticks(before + 4),
            end: ticks(thread.now + 5),
            id,
            ..outer
        });
        thread.now += 5;
    }
    thread.done(n)
}

/// Calls of MPI-IO, each with one write inside.
fn inside(n: usize) -> (Step, Vec<Record>) {
    let mut thread = Thread::new();
    for i in 0..n as i64 / 2 {
        let (before, id) = (thread.now + thread.random.below(3), thread.calls + 1);
        thread.calls += 1;
        let (gap, time) = (10 + thread.random.below(5), thread.random.time(60.0));
        let mut inner = transfer(17, 6, i * 8, 8);
        inner.parent = id;
        thread.call(gap, time, inner);
        let outer = transfer(400, -1, i * 8, 8);
        thread.now += 5 + thread.random.below(3);
        thread.records.push(Record {
            start: ticks(before + 3),
            end: ticks(thread.now),
            id,
            file: 4,
            ..outer
        });
    }
    thread.done(n)
}

/// Transactions on pages: locks, reads of random pages, a journal, syncs.
fn database(n: usize) -> (Step, Vec<Record>) {
    let mut thread = Thread::new();
    let mut journal = 0;
    while thread.records.len() < n {
        for whence in [1, 2] {
            let (gap, time) = (thread.random.time(60.0), thread.random.time(12.0));
            thread.call(
                gap,
                time,
                Record {
                    whence,
                    ..on_fd(30, 4)
                },
            );
        }
        for _ in 0..1 + thread.random.below(6) {
            let (gap, time) = (thread.random.time(120.0), thread.random.time(70.0));
            let page = thread.random.below(30_000) as i64;
            thread.call(gap, time, transfer(16, 4, page * 4096, 4096));
        }
        for _ in 0..1 + thread.random.below(3) {
            for length in [4, 4096, 4] {
                let (gap, time) = (thread.random.time(20.0), thread.random.time(50.0));
                thread.call(gap, time, transfer(17, 5, journal, length));
                journal += length as i64;
            }
        }
        let (gap, time) = (thread.random.time(50.0), thread.random.time(20_000.0));
        thread.call(gap, time, on_fd(40, 5));
        if thread.random.below(20) == 0 {
            let missing = Record {
                op: 50,
                fd: -1,
                file: 9,
                offset: -1,
                ret: -1,
                errno: 2,
                ..Record::default()
            };
            thread.call(30, 90, missing);
        }
    }
    thread.done(n)
}

/// Nothing to be learnt: every field of every record anything.
fn noise(n: usize) -> (Step, Vec<Record>) {
    let mut random = Random(7);
    let mut any = || random.next();
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
        flags: any() as u16 & !2,
        whence: any() as u16,
    };
    (Step::new(0, 65536), (0..n).map(record).collect())
}

type Made = fn(&Scene, i: u64, &mut Random) -> Record;

/// What timed calls work on.
struct Scene {
    file: File,
    path: std::path::PathBuf,
}

/// Calls that are really made, stamped by the counter of this machine.
fn timed(n: usize, call: Made) -> (Step, Vec<Record>) {
    let path = std::env::temp_dir().join(format!("iota-bench-{}", std::process::id()));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)
        .unwrap();
    file.set_len(1 << 20).unwrap();
    let scene = Scene { file, path };
    let mut random = Random(99);
    let mut records = Vec::with_capacity(n);
    for i in 0..n as u64 {
        let start = stamp();
        let record = call(&scene, i, &mut random);
        records.push(Record {
            start,
            end: stamp(),
            id: i as u32 + 1,
            ..record
        });
    }
    std::fs::remove_file(&scene.path).unwrap();
    (Step::new(records[0].start, granularity(&records)), records)
}

#[cfg(target_arch = "x86_64")]
fn stamp() -> u64 {
    // SAFETY: every x86_64 has the counter, and Linux lets programs read it
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn stamp() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_nanos() as u64
}

/// The counter's step: the mean of the smallest distances, if they are larger than a tick.
fn granularity(records: &[Record]) -> u64 {
    let distances: Vec<u64> = (0..20_000)
        .map(|_| stamp())
        .collect::<Vec<_>>()
        .windows(2)
        .map(|w| w[1] - w[0])
        .filter(|d| *d > 0)
        .collect();
    let least = distances.iter().copied().min().unwrap_or(1).max(1);
    let near: Vec<u64> = distances.into_iter().filter(|d| *d <= least + 1).collect();
    assert!(!records.is_empty());
    (near.iter().sum::<u64>() << 16) / near.len().max(1) as u64
}

fn pwrite(scene: &Scene, i: u64, _: &mut Random) -> Record {
    scene.file.write_at(&[1; 8], i * 8 % (1 << 20)).unwrap();
    transfer(17, 3, (i * 8 % (1 << 20)) as i64, 8)
}

fn pread(scene: &Scene, _: u64, random: &mut Random) -> Record {
    let page = random.below(256);
    scene.file.read_at(&mut [0; 4096], page * 4096).unwrap();
    transfer(16, 3, page as i64 * 4096, 4096)
}

fn write(scene: &Scene, i: u64, _: &mut Random) -> Record {
    use std::io::Write;
    (&scene.file).write_all(&[1]).unwrap();
    transfer(2, 3, i as i64, 1)
}

fn open(scene: &Scene, i: u64, _: &mut Random) -> Record {
    match i % 3 {
        0 => {
            let fd = File::open(&scene.path).unwrap().as_raw_fd();
            Record {
                op: 5,
                fd,
                file: 1,
                offset: -1,
                ret: fd.into(),
                ..Record::default()
            }
        }
        1 => {
            std::fs::metadata(&scene.path).unwrap();
            Record {
                op: 6,
                fd: -1,
                file: 1,
                offset: -1,
                ..Record::default()
            }
        }
        _ => on_fd(7, 4),
    }
}
