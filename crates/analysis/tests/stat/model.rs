//! Plans of jobs, the traces that they make, and what is known of their calls by sorting all of them.

use crate::trace;
use iota_analysis::stat::Tally;
use iota_trace::Record;
use iota_trace::read::Trace;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A call to be written: thread, function, file, offset in blocks of 10 bytes, length, time before and in it, how it ends.
type Plan = (u32, u8, u32, u64, u64, u64, u64, u8);

const OPS: [&str; 8] = [
    "open", "close", "pread64", "pwrite64", "lseek", "fsync", "stat", "fork",
];
const FILES: u32 = 4;

/// Some processes of some ranks, each with its calls.
pub fn processes() -> impl Strategy<Value = Vec<(u32, Vec<Plan>)>> {
    let call = (
        0u32..3,
        0u8..8,
        0..=FILES,
        0u64..30,
        0u64..60,
        0u64..500,
        0u64..900,
        0u8..10,
    );
    let calls = prop::collection::vec(
        prop_oneof![12 => call.clone().prop_map(|call| vec![call]), 1 => again(call)],
        0..120,
    );
    prop::collection::vec((0u32..3, calls.prop_map(|calls| calls.concat())), 1..6)
}

/// A call that is made again and again, at offsets that are a stride apart, or one behind the other.
fn again(call: impl Strategy<Value = Plan>) -> impl Strategy<Value = Vec<Plan>> {
    let again = (call, 2u64..40, -3i64..6, any::<bool>());
    again.prop_map(
        |((thread, op, file, block, length, gap, elapse, end), count, stride, consecutive)| {
            let length = if consecutive {
                stride.unsigned_abs() * 10
            } else {
                length
            };
            let nth = |n: u64| {
                let block = (block as i64 + 3 * 40 + stride * n as i64) as u64;
                (
                    thread,
                    op,
                    file,
                    block,
                    length,
                    gap + n % 3,
                    elapse + n % 5,
                    end,
                )
            };
            (0..count).map(nth).collect()
        },
    )
}

pub fn file(processes: &[(u32, Vec<Plan>)]) -> tempfile::NamedTempFile {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for (n, (rank, calls)) in (0..).zip(processes) {
        let mut part = trace::Part::new(*rank, 3, 1000 * n);
        // Two parts after one another are one process, where they are of one rank.
        part.set_pid(100 + n as u32 / 2);
        for id in 1..=FILES {
            // The last one is the process' own, the others have the same names in other orders.
            let name = if id == FILES {
                format!("/own/{n}")
            } else {
                format!("/shared/{}", (u64::from(id) + n) % 3)
            };
            part.file(id, name.as_bytes());
        }
        for thread in 0..3 {
            let (mut now, mut records) = (10, Vec::new());
            for plan in calls.iter().filter(|plan| plan.0 == thread) {
                records.push(record(plan, &mut now, records.len() as u32 + 1));
            }
            // Small blocks, so that there is something to cut, and in some processes larger ones, with longer runs.
            for some in records.chunks(if n % 2 == 0 { 7 } else { 100 }) {
                part.calls_of(thread + 1, some);
            }
        }
        let end = part.end_at(1_000_000);
        parts.push(part.finish_as(&end));
    }
    let file = tempfile::Builder::new().suffix(".iota").tempfile().unwrap();
    std::fs::write(file.path(), trace::gathered(&parts)).unwrap();
    file
}

fn record(plan: &Plan, now: &mut u64, id: u32) -> Record {
    let &(_, op, file, block, length, gap, elapse, end) = plan;
    let name = OPS[usize::from(op)];
    let call = trace::call(name, *now + gap, elapse);
    *now += gap + elapse;
    let failed = end == 0;
    let placed = matches!(name, "pread64" | "pwrite64" | "lseek");
    let ret = match name {
        _ if failed => -1,
        "pread64" | "pwrite64" => length as i64,
        "lseek" => length as i64 * 10,
        _ => 3,
    };
    Record {
        id,
        file,
        fd: 3,
        offset: if placed && end != 1 {
            block as i64 * 10
        } else {
            -1
        },
        length,
        ret,
        // EPERM and ENOENT.
        errno: if failed { 1 + (id & 1) as u16 } else { 0 },
        // A call of a call: its time is not told twice.
        parent: if end == 2 && id > 1 { id - 1 } else { 0 },
        ..call
    }
}

/// A call as it is read back.
#[derive(Clone, Debug)]
pub struct Plain {
    pub part: usize,
    pub rank: u32,
    pub thread: u32,
    pub id: u64,
    pub op: String,
    pub file: String,
    pub start: i64,
    pub end: i64,
    pub offset: i64,
    pub ret: i64,
    pub failed: bool,
    pub missed: bool,
    pub top: bool,
}

pub fn plain(trace: &Trace) -> Vec<Plain> {
    let mut all = Vec::new();
    for (at, part) in trace.parts().iter().enumerate() {
        let names = part.names();
        for timed in part.events() {
            let event = timed.event;
            all.push(Plain {
                part: at,
                rank: part.rank(),
                thread: event.thread,
                id: event.id,
                op: String::from_utf8(names.op(event.op).unwrap().name.to_vec()).unwrap(),
                file: names
                    .file(event.file)
                    .map_or("-".into(), |path| String::from_utf8(path.to_vec()).unwrap()),
                start: timed.start.0,
                end: timed.end.0,
                offset: event.offset,
                ret: event.ret,
                failed: event.errno != 0,
                missed: event.errno == 2,
                top: event.parent == 0,
            });
        }
    }
    // By thread, then in the order in which they ended, which is that of their start here.
    all.sort_by_key(|call| (call.part, call.thread, call.start, call.end));
    all
}

/// The tally of some calls, computed one question after another.
pub fn tally(calls: &[&Plain]) -> Tally {
    let class = |call: &Plain| match &call.op[..] {
        "pread64" => 0,
        "pwrite64" => 1,
        "fsync" => 2,
        "fork" => 5,
        _ => 3,
    };
    let io: Vec<&Plain> = calls
        .iter()
        .copied()
        .filter(|call| class(call) < 5)
        .collect();
    let time = |call: &Plain| {
        if call.top {
            (call.end - call.start) as u64
        } else {
            0
        }
    };
    let sum =
        |wanted: &dyn Fn(&Plain) -> bool| io.iter().filter(|call| wanted(call)).count() as u64;
    let times = |wanted: &dyn Fn(&Plain) -> bool| {
        io.iter()
            .filter(|call| wanted(call))
            .map(|call| time(call))
            .sum()
    };
    let missed = |call: &Plain| matches!(&call.op[..], "open" | "stat") && call.missed;
    let moved = |call: &Plain, way| class(call) == way && call.ret > 0;
    let mut tally = Tally {
        calls: [0, 1, 2, 3, 4].map(|of| sum(&|call| class(call) == of)),
        time: [0, 1, 2, 3, 4].map(|of| times(&|call| class(call) == of)),
        outermost: times(&|_| true),
        failed: sum(&|call| call.failed),
        bytes: [0, 1].map(|way| {
            io.iter()
                .filter(|call| moved(call, way))
                .map(|call| call.ret as u64)
                .sum()
        }),
        placed: [0, 1].map(|way| {
            let placed = io
                .iter()
                .filter(|call| moved(call, way) && call.offset >= 0);
            placed.map(|call| call.ret as u64).sum()
        }),
        missed: sum(&missed),
        missed_time: times(&missed),
        transfers: [0, 1].map(|way| sum(&|call| moved(call, way))),
        small: [0, 1].map(|way| sum(&|call| moved(call, way))),
        small_time: [0, 1].map(|way| times(&|call| moved(call, way))),
        unaligned: [0, 1]
            .map(|way| sum(&|call| moved(call, way) && call.offset > 0 && call.offset % 4096 != 0)),
        unaligned_time: [0, 1].map(|way| {
            times(&|call| moved(call, way) && call.offset > 0 && call.offset % 4096 != 0)
        }),
        all_open_time: times(&|call| call.op == "open"),
        opens: sum(&|call| call.op == "open" && !call.failed),
        open_time: times(&|call| call.op == "open" && !call.failed),
        uses: sum(&|call| call.op == "fsync"),
        seeks: sum(&|call| call.op == "lseek"),
        seek_time: times(&|call| call.op == "lseek"),
        ..Tally::default()
    };
    let mut opened: BTreeMap<(usize, &str), u64> = BTreeMap::new();
    io.iter()
        .filter(|call| call.op == "open" && !call.failed)
        .for_each(|call| *opened.entry((call.part, &call.file)).or_default() += 1);
    tally.again = opened.values().map(|opens| opens - 1).sum();
    let mut streams: BTreeMap<(usize, u32, &str), Vec<&Plain>> = BTreeMap::new();
    io.iter().for_each(|call| {
        streams
            .entry((call.part, call.thread, &call.file))
            .or_default()
            .push(call)
    });
    for stream in streams.values() {
        // docs/STAT.md: it does not change the position, or the next call of the thread is another seek on the file.
        let idle = (0..stream.len()).filter(|&at| {
            let call = stream[at];
            let next = stream.get(at + 1).filter(|next| next.id == call.id + 1);
            call.op == "lseek"
                && (call.ret == call.offset || next.is_some_and(|next| next.op == "lseek"))
        });
        tally.idle_seeks += idle.count() as u64;
        for way in [0, 1] {
            steps(stream, way, &mut tally, &moved, &time);
        }
    }
    tally
}

fn steps(
    stream: &[&Plain],
    way: usize,
    tally: &mut Tally,
    moved: &dyn Fn(&Plain, usize) -> bool,
    time: &dyn Fn(&Plain) -> u64,
) {
    let mut before: Vec<(i64, i64)> = Vec::new();
    for call in stream {
        if call.op == "open" && !call.failed {
            before.clear();
        }
        if !moved(call, way) || call.offset < 0 {
            continue;
        }
        let step = match &before[..] {
            [] => 0,
            [.., (offset, end)] if call.offset == *end && offset <= end => 1,
            [.., (first, _), (second, _)]
                if second != first && call.offset - second == second - first =>
            {
                3
            }
            [.., (_, end)] if call.offset > *end => 2,
            _ => 4,
        };
        tally.steps[way][step] += 1;
        tally.random_time[way] += if step == 4 { time(call) } else { 0 };
        before.push((call.offset, call.offset + call.ret));
    }
}

/// Length of the union of the times of some calls.
pub fn union<'c>(calls: impl Iterator<Item = &'c Plain>) -> u64 {
    let mut times: Vec<(i64, i64)> = calls
        .filter(|call| call.top && call.op != "fork")
        .map(|call| (call.start, call.end))
        .collect();
    times.sort();
    let (mut sum, mut reached) = (0, i64::MIN);
    for (start, end) in times {
        sum += (end - start.max(reached)).max(0);
        reached = reached.max(end);
    }
    sum as u64
}

/// Bytes of a file that several ranks wrote; bytes that one wrote and another read.
pub fn shared(calls: &[&Plain]) -> (u64, u64) {
    let mut bytes: BTreeMap<i64, [BTreeSet<u32>; 2]> = BTreeMap::new();
    for call in calls
        .iter()
        .filter(|call| call.op.starts_with('p') && call.ret > 0 && call.offset >= 0)
    {
        for byte in call.offset..call.offset + call.ret {
            bytes.entry(byte).or_default()[usize::from(call.op == "pwrite64")].insert(call.rank);
        }
    }
    let exchanged =
        |[read, written]: &&[BTreeSet<u32>; 2]| read.iter().any(|r| written.iter().any(|w| w != r));
    let overwritten = bytes.values().filter(|byte| byte[1].len() > 1).count();
    (
        overwritten as u64,
        bytes.values().filter(exchanged).count() as u64,
    )
}
