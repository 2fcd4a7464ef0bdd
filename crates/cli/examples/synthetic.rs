//! Writes a trace of any size to measure readers with: `synthetic FILE [CALLS [RANKS [PATTERN]]]`.
//!
//! Patterns: `checkpoint` (the default: every rank writes a file of its own in order, and reads a shared one now and then),
//! `shared` (all write one file, rank after rank, block after block), `random` (all read one file anywhere), `scattered`
//! (reads and writes of any length anywhere in many files, some of which all share), `files` (every rank opens, reads and
//! closes one file after another). Holds one rank's part in memory.

#[path = "../tests/common/trace.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod trace;

use iota_trace::Record;
use std::fs::File;
use std::io::{BufWriter, Write};

/// Calls handed to the writer at once
const PIECE: u64 = 1 << 18;
/// Bytes of a transfer
const LENGTH: u64 = 4096;
/// Files that a rank uses in turn under `files`
const FILES: u64 = 1000;
/// Files of a rank's own under `scattered`, and those of all
const OWN: u64 = 228;
const SHARED: u64 = 5;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = args
        .first()
        .filter(|path| !path.starts_with('-'))
        .expect("synthetic FILE [CALLS [RANKS [PATTERN]]]");
    let number = |at: usize, default| {
        args.get(at)
            .map_or(default, |n| n.parse().expect("a number"))
    };
    let (calls, ranks): (u64, u64) = (number(1, 10_000_000), number(2, 4));
    let pattern = args.get(3).map_or("checkpoint", String::as_str);
    let mut out = trace::Group::new(BufWriter::new(File::create(path)?));
    for rank in 0..ranks {
        let some = calls * (rank + 1) / ranks - calls * rank / ranks;
        out.part(&Rank::new(rank, ranks, pattern).part(some))?;
    }
    out.finish()?.flush()
}

/// A rank's calls; time goes on by irregular steps.
struct Rank<'p> {
    rank: u64,
    ranks: u64,
    pattern: &'p str,
    now: u64,
    seed: u64,
}

impl Rank<'_> {
    fn new(rank: u64, ranks: u64, pattern: &str) -> Rank<'_> {
        Rank {
            rank,
            ranks,
            pattern,
            now: 5000,
            seed: rank,
        }
    }

    fn part(&mut self, calls: u64) -> Vec<u8> {
        let process = trace::process(self.ranks as u32, self.rank * 1500);
        let mut part = trace::Part::bare(self.rank as u32, &process);
        part.name_ops(&["open", "close", "pread64", "pwrite64"]);
        for (id, path) in (1..).zip(self.paths()) {
            part.file(id, path.as_bytes());
        }
        let mut first = 0;
        while first < calls {
            let last = calls.min(first + PIECE);
            let records: Vec<Record> = (first..last).map(|n| self.call(n, calls)).collect();
            part.calls(&records);
            first = last;
        }
        let end = part.end_at(self.now + 1_000_000);
        part.finish_as(&end)
    }

    fn paths(&self) -> Vec<String> {
        let rank = self.rank;
        match self.pattern {
            "checkpoint" => vec![
                format!("/scratch/run/checkpoint.{rank:06}"),
                "/scratch/run/input/mesh.h5".into(),
            ],
            "shared" => vec!["/scratch/run/all.nc".into()],
            "random" => vec!["/scratch/run/table.db".into()],
            "scattered" => (0..OWN)
                .map(|n| format!("/scratch/run/{rank:04}/piece-{n:04}.dat"))
                .chain((0..SHARED).map(|n| format!("/scratch/run/shared-{n}.dat")))
                .collect(),
            "files" => (0..FILES)
                .map(|n| format!("/scratch/run/{rank:06}/{n:06}.jpg"))
                .collect(),
            other => panic!("no pattern {other}: checkpoint, shared, random, scattered or files"),
        }
    }

    fn some(&mut self, below: u64) -> u64 {
        self.seed = self
            .seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.seed >> 33) % below
    }

    fn call(&mut self, n: u64, calls: u64) -> Record {
        self.now += 300 + self.some(100) * 10;
        let elapse = 400 + self.some(300) * 10;
        let record = self.kind(n, calls);
        let call = trace::call(record.0, self.now, elapse);
        self.now += elapse;
        Record {
            id: n as u32 + 1,
            op: call.op,
            start: call.start,
            end: call.end,
            ..record.1
        }
    }

    fn kind(&mut self, n: u64, calls: u64) -> (&'static str, Record) {
        let anywhere = self.some(1 << 18) * LENGTH;
        match self.pattern {
            "scattered" => self.scattered(),
            "files" => match n % 4 {
                0 => opened("open", n / 4 % FILES + 1),
                3 => (
                    "close",
                    Record {
                        ret: 0,
                        ..opened("", n / 4 % FILES + 1).1
                    },
                ),
                half => transfer("pread64", n / 4 % FILES + 1, (half - 1) * LENGTH),
            },
            _ if n == 0 => opened("open", 1),
            _ if n + 1 == calls => (
                "close",
                Record {
                    ret: 0,
                    ..opened("", 1).1
                },
            ),
            "shared" => transfer("pwrite64", 1, (n * self.ranks + self.rank) * LENGTH),
            "random" => transfer("pread64", 1, anywhere),
            _ if n % 64 == 63 => transfer("pread64", 2, anywhere),
            _ => transfer("pwrite64", 1, n * LENGTH),
        }
    }

    /// Nothing of it follows from the call before.
    fn scattered(&mut self) -> (&'static str, Record) {
        let name = ["pread64", "pwrite64"][self.some(2) as usize];
        let (file, offset) = (self.some(OWN + SHARED) + 1, self.some(1 << 30));
        let length = self.some(1 << 16) + 1;
        let (name, call) = transfer(name, file, offset);
        let ret = length as i64;
        (
            name,
            Record {
                ret,
                length,
                ..call
            },
        )
    }
}

fn opened(name: &'static str, file: u64) -> (&'static str, Record) {
    let fd = 2 + file as i32;
    let record = Record {
        ret: fd.into(),
        offset: -1,
        file: file as u32,
        fd,
        ..Record::default()
    };
    (name, record)
}

fn transfer(name: &'static str, file: u64, offset: u64) -> (&'static str, Record) {
    let record = Record {
        ret: LENGTH as i64,
        length: LENGTH,
        offset: offset as i64,
        ..opened("", file).1
    };
    (name, record)
}
