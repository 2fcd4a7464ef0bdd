//! Writes a large trace to measure readers with: `synthetic FILE [CALLS [RANKS]]`.
//!
//! Each rank opens a file of its own and writes, with a read of a shared file now and then.

#[path = "../tests/common/trace.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod trace;

use iota_trace::Record;
use std::io::Write;

/// Calls handed to the writer at once
const PIECE: u32 = 1 << 18;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("synthetic FILE [CALLS [RANKS]]");
    let mut number = |default| {
        args.next()
            .map_or(default, |n| n.parse().expect("a number"))
    };
    let (calls, ranks): (u32, u32) = (number(10_000_000), number(4));
    let parts: Vec<_> = (0..ranks)
        .map(|rank| part(rank, ranks, calls / ranks))
        .collect();
    std::fs::File::create(path)?.write_all(&trace::gathered(&parts))
}

fn part(rank: u32, size: u32, calls: u32) -> Vec<u8> {
    let mut part = trace::Part::new(rank, size, u64::from(rank) * 1500);
    part.file(1, format!("/scratch/run/checkpoint.{rank:06}").as_bytes());
    part.file(2, b"/scratch/run/input/mesh.h5");
    let mut clock = Clock {
        now: 5000,
        seed: rank.into(),
    };
    let mut first = 0;
    while first < calls {
        let last = calls.min(first + PIECE);
        let records: Vec<Record> = (first..last).map(|n| clock.call(n)).collect();
        part.calls(&records);
        first = last;
    }
    part.finish()
}

/// Time goes on by irregular steps.
struct Clock {
    now: u64,
    seed: u64,
}

impl Clock {
    fn some(&mut self, below: u64) -> u64 {
        self.seed = self
            .seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.seed >> 33) % below
    }

    fn call(&mut self, n: u32) -> Record {
        self.now += 300 + self.some(100) * 10;
        let elapse = 400 + self.some(300) * 10;
        let is_read = n % 64 == 63;
        let name = if is_read { "pread64" } else { "pwrite64" };
        let (offset, file) = match is_read {
            true => (self.some(1 << 30) as i64, 2),
            false => (i64::from(n) * 4096, 1),
        };
        let record = trace::call(name, self.now, elapse);
        self.now += elapse;
        Record {
            ret: 4096,
            length: 4096,
            offset,
            id: n + 1,
            file,
            fd: 2 + file as i32,
            ..record
        }
    }
}
