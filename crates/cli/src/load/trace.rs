//! The event log of a load as a trace: the calls that it made, by thread, as a tracer would have seen them.
//!
//! What covers several calls (atomic_op, stripes, file, total) is no call, and can be told from those that are.

use crate::draft::Draft;
use crate::names;
use anyhow::{Context, bail};
use iota_calls::{Kind as CallKind, Layer, Op};
use iota_load::Done;
use iota_load::api::{Direction, Open};
use iota_load::engine::Worked;
use iota_load::log::{Event, Kind, NOWHERE};
use iota_load::plan::Plan;
use iota_trace::block::Ids;
use iota_trace::clock::{Anchor, TICK};
use iota_trace::names::Writer;
use iota_trace::part::{End, Process, reason, source};
use iota_trace::read::Segment;
use iota_trace::{Record, Step, encode, flags};
use std::collections::HashMap;
use std::io::BufWriter;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where the trace is to go
pub struct Output {
    path: PathBuf,
    draft: Draft,
}

impl Output {
    /// Fails before anything is done where a trace is there already, or cannot be written.
    pub fn new(path: &Path) -> anyhow::Result<Output> {
        if path.symlink_metadata().is_ok() {
            bail!(
                "{}: is there already, and an older trace is not overwritten",
                names::path(path)
            );
        }
        Ok(Output {
            path: path.to_owned(),
            draft: Draft::beside(path)?,
        })
    }

    /// Writes what was done.
    pub fn write(self, done: &[Done]) -> anyhow::Result<()> {
        let out = BufWriter::new(&self.draft.file);
        Part::new(done, out)
            .write(done)
            .with_context(|| names::path(&self.path))?;
        self.draft.publish(&self.path, false)
    }
}

/// The part being written
struct Part<W> {
    out: Segment<W>,
    ids: Ids,
    /// Of step 0
    start: Anchor,
    block: Vec<u8>,
    scratch: Box<encode::Scratch>,
    /// Names of functions in the order of their first use, by their numbers
    ops: HashMap<&'static str, u16>,
    captured: u64,
    /// Threads so far: as a tracer does, they are numbered from 1 within the process
    threads: u32,
}

impl<W: std::io::Write> Part<W> {
    fn new(done: &[Done], out: W) -> Part<W> {
        let pid = std::process::id();
        let ids = Ids {
            rank: 0,
            pid,
            thread: pid,
        };
        let (realtime, monotonic) = done.first().map_or((0, 0), |done| done.outcome.clock);
        Part {
            out: Segment::new(out, ids),
            ids,
            start: Anchor {
                ticks: monotonic,
                monotonic,
                realtime,
            },
            block: vec![0; encode::MAX_BLOCK],
            scratch: Box::new(encode::Scratch::NEW),
            ops: HashMap::new(),
            captured: 0,
            threads: 0,
        }
    }

    fn write(mut self, done: &[Done]) -> anyhow::Result<()> {
        self.process()?;
        let paths = paths(done)?;
        self.files(&paths)?;
        for Done { plan, outcome, .. } in done {
            self.functions(plan)?;
            for worker in &outcome.workers {
                self.threads += 1;
                let file = paths[&plan.paths[worker.file as usize]].0;
                self.events(&calls(plan, worker, file, &self.ops))?;
            }
        }
        let last = done
            .last()
            .map_or(self.start.ticks, |done| done.outcome.total.end);
        self.end(last)
    }

    fn own(&mut self, length: Option<usize>) -> anyhow::Result<()> {
        let length = length.context("a block is larger than any can be")?;
        Ok(self.out.own(&self.block[..length])?)
    }

    fn process(&mut self) -> anyhow::Result<()> {
        let argv: Vec<u8> = std::env::args_os()
            .flat_map(|arg| [arg.as_bytes(), &[0]].concat())
            .collect();
        let exe = std::env::current_exe().unwrap_or_default();
        let cwd = std::env::current_dir().unwrap_or_default();
        let host = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
        let process = Process {
            version: env!("CARGO_PKG_VERSION").as_bytes(),
            size: 1,
            ppid: std::os::unix::process::parent_id(),
            host: host.trim_ascii(),
            exe: exe.as_os_str().as_bytes(),
            argv: &argv,
            cwd: cwd.as_os_str().as_bytes(),
            start: self.start,
            rate: 1_000_000_000,
            source: source::MONOTONIC,
            step: TICK,
            flavour: b"load",
            ..Process::default()
        };
        let length = process.write(self.ids, &mut self.block);
        self.own(length)
    }

    /// In as many blocks as are needed
    fn files(&mut self, paths: &HashMap<PathBuf, (u32, Vec<u8>)>) -> anyhow::Result<()> {
        let mut all: Vec<_> = paths.values().collect();
        all.sort();
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let mut writer = Writer::new(&mut self.block);
            let fitting = rest
                .iter()
                .take_while(|(id, path)| writer.file(*id, path))
                .count();
            rest = &rest[fitting..];
            let length = writer.finish(self.ids);
            self.own(length.filter(|_| fitting > 0))?;
        }
        Ok(())
    }

    /// Those of a plan's interface that have no number yet
    fn functions(&mut self, plan: &Plan) -> anyhow::Result<()> {
        let calls = plan.api.calls();
        let [sync, data] = calls.sync;
        let all = [
            (calls.open, CallKind::Open),
            (calls.seek, CallKind::Seek),
            (calls.read, CallKind::Read),
            (calls.write, CallKind::Write),
            (sync, CallKind::Sync),
            (data, CallKind::Sync),
            (calls.close, CallKind::Close),
        ];
        let mut writer = Writer::new(&mut self.block);
        for (name, kind) in all.into_iter().filter(|(name, _)| !name.is_empty()) {
            if self.ops.contains_key(name) {
                continue;
            }
            let known = (1..iota_calls::COUNT as u16)
                .find(|op| Op(*op).info().is_some_and(|info| info.name == name));
            let number = known.unwrap_or(iota_calls::COUNT as u16 + self.ops.len() as u16);
            let layer = known
                .and_then(|op| Op(op).info())
                .map_or(Layer::User, |info| info.layer);
            writer.op(number, layer as u8, kind as u8, name.as_bytes());
            self.ops.insert(name, number);
        }
        if writer.count() == 0 {
            return Ok(());
        }
        let length = writer.finish(self.ids);
        self.own(length)
    }

    fn events(&mut self, records: &[Record]) -> anyhow::Result<()> {
        let (step, ids) = (
            Step::new(self.start.ticks, TICK),
            Ids {
                thread: self.threads,
                ..self.ids
            },
        );
        for some in records.chunks(encode::MAX_RECORDS) {
            let highest = records.len() as u64;
            let length = encode::events(
                some,
                &step,
                highest,
                ids,
                &mut self.scratch,
                &mut self.block,
            );
            self.own(length)?;
        }
        self.captured += records.len() as u64;
        Ok(())
    }

    fn end(&mut self, last: u64) -> anyhow::Result<()> {
        let elapsed = last - self.start.ticks;
        let end = Anchor {
            ticks: last,
            monotonic: last,
            realtime: self.start.realtime + elapsed,
        };
        let end = End {
            captured: self.captured,
            end,
            reason: reason::EXIT,
            ..End::default()
        };
        let length = end.write(self.ids, &mut self.block);
        self.own(length)?;
        Ok(self.out.close()?)
    }
}

/// Every file with its number and its absolute path
fn paths(done: &[Done]) -> anyhow::Result<HashMap<PathBuf, (u32, Vec<u8>)>> {
    let mut paths = HashMap::new();
    for path in done.iter().flat_map(|done| &done.plan.paths) {
        let next = paths.len() as u32 + 1;
        let absolute = std::path::absolute(path)?;
        paths
            .entry(path.clone())
            .or_insert((next, absolute.into_os_string().into_encoded_bytes()));
    }
    Ok(paths)
}

/// The calls of a thread in the order in which they ended, numbered in the order in which they began
fn calls(plan: &Plan, worker: &Worked, file: u32, ops: &HashMap<&'static str, u16>) -> Vec<Record> {
    let calls = worker
        .events
        .iter()
        .filter(|event| event.kind != Kind::AtomicOp);
    let mut position = (!plan.options.share || plan.pieces.len() == 1).then_some(0);
    let record = |event: &Event| {
        let record = record(plan, worker, event, position, ops);
        if event.kind == Kind::Op && event.offset != NOWHERE {
            position = position.map(|_| event.offset + u64::from(event.moved));
        }
        Record { file, ..record }
    };
    let mut records: Vec<Record> = calls.map(record).collect();
    let mut begun: Vec<usize> = (0..records.len()).collect();
    begun.sort_by_key(|at| records[*at].start);
    (1..).zip(begun).for_each(|(id, at)| records[at].id = id);
    records
}

fn record(
    plan: &Plan,
    worker: &Worked,
    event: &Event,
    position: Option<u64>,
    ops: &HashMap<&'static str, u16>,
) -> Record {
    let calls = plan.api.calls();
    let known = |offset: Option<u64>| offset.map_or(-1, |offset| offset as i64);
    let base = Record {
        start: event.start,
        end: event.end,
        ret: if event.errno == 0 { 0 } else { -1 },
        errno: event.errno,
        offset: -1,
        fd: worker.fd,
        ..Record::default()
    };
    let is_good = event.errno == 0;
    let (name, record) = match event.kind {
        Kind::Open => (calls.open, opened(plan, worker, base)),
        Kind::Seek => {
            // fseeko returns 0, lseek the new position.
            let ret = if is_good && calls.seek == "lseek" {
                event.offset as i64
            } else {
                base.ret
            };
            (
                calls.seek,
                Record {
                    length: event.offset,
                    offset: known(position),
                    ret,
                    ..base
                },
            )
        }
        Kind::Op => {
            let name = if event.direction == Direction::Read {
                calls.read
            } else {
                calls.write
            };
            let offset = known((event.offset != NOWHERE).then_some(event.offset));
            let ret = if is_good { event.moved.into() } else { -1 };
            let flags = if plan.api.queued() {
                flags::ASYNCHRONOUS
            } else {
                0
            };
            (
                name,
                Record {
                    length: event.asked.into(),
                    offset,
                    ret,
                    flags,
                    ..base
                },
            )
        }
        Kind::Fsync => (calls.sync[usize::from(plan.options.fdatasync)], base),
        _ => (calls.close, base),
    };
    Record {
        op: ops[name],
        ..record
    }
}

fn opened(plan: &Plan, worker: &Worked, base: Record) -> Record {
    let open = plan.open(&plan.paths[worker.file as usize]);
    let mode = if plan.api.opens_by_flags() {
        u64::from(Open::MODE) << 32
    } else {
        0
    };
    let flags = u64::from(plan.api.flags(&open) as u32);
    let ret = if base.errno == 0 {
        worker.fd.into()
    } else {
        -1
    };
    Record {
        length: flags | mode,
        ret,
        fd: -1,
        ..base
    }
}
