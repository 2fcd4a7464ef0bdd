//! The event log of a load as a trace: the calls that it made, by thread, as a tracer would have seen them.
//!
//! What covers several calls (atomic_op, stripes, file, total) is no call, and differs from those that are.

use crate::names;
use anyhow::{Context, bail};
use iota_calls::{Handles, Kind as CallKind, Layer};
use iota_load::Done;
use iota_load::api::{Direction, Open};
use iota_load::engine::Worked;
use iota_load::log::{Event as Logged, Kind, NOWHERE};
use iota_load::plan::Plan;
use iota_output::Draft;
use iota_output::Inputs;
use iota_trace::read::Op;
use iota_trace::write::{PartId, ProcessFacts, Writer};
use iota_trace::{Event, Nanos, flags};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where the trace is to go
pub struct TraceOutput {
    path: PathBuf,
    draft: Draft,
    spool: File,
}

impl TraceOutput {
    /// Fails before anything is done where a trace is there already, or cannot be written.
    pub fn new(path: &Path) -> anyhow::Result<TraceOutput> {
        if path.symlink_metadata().is_ok() {
            bail!(
                "{}: exists already; an older trace is not overwritten, give another name",
                names::path(path)
            );
        }
        Ok(TraceOutput {
            path: path.to_owned(),
            draft: Draft::beside(path, &Inputs::NONE)?,
            spool: Draft::nameless(path)?,
        })
    }

    /// Writes what was done.
    pub fn write(self, done: &[Done]) -> anyhow::Result<()> {
        let mut out = BufWriter::new(&self.draft.file);
        write(done, self.spool, &mut out)
            .and_then(|()| Ok(out.flush()?))
            .with_context(|| names::path(&self.path))?;
        drop(out);
        self.draft.publish(&self.path, false)
    }
}

fn write(done: &[Done], spool: File, out: impl Write) -> anyhow::Result<()> {
    let mut writer = Writer::new(spool);
    let unlogged = |done: &Done| {
        let workers = done.outcome.workers.iter();
        workers.map(|worker| worker.unlogged).sum::<u64>()
    };
    let about = ProcessFacts {
        filtered: done.iter().map(unlogged).sum(),
        ..about()
    };
    let part = writer.part(0, std::process::id(), about);
    // Times of all phases count from the start of the first.
    let (realtime, monotonic) = done.first().map_or((0, 0), |done| done.outcome.clock);
    let mut threads = 0;
    for Done { plan, outcome, .. } in done {
        let ops = functions(&mut writer, part, plan);
        for worker in &outcome.workers {
            threads += 1;
            let path = std::path::absolute(&plan.paths[worker.file as usize])?;
            let file = writer.file(part, path.as_os_str().as_bytes());
            for call in calls(plan, worker, &ops, monotonic) {
                let thread = threads;
                writer.call(
                    part,
                    &Event {
                        file,
                        thread,
                        ..call
                    },
                )?;
            }
        }
    }
    writer.finish(Nanos(realtime as i64), out)?;
    Ok(())
}

fn about() -> ProcessFacts {
    let argv = std::env::args_os().flat_map(|arg| [arg.as_bytes(), &[0]].concat());
    let exe = std::env::current_exe().unwrap_or_default();
    let cwd = std::env::current_dir().unwrap_or_default();
    ProcessFacts {
        version: env!("CARGO_PKG_VERSION").into(),
        size: 1,
        ppid: std::os::unix::process::parent_id(),
        host: iota_recover::host::name(),
        exe: exe.into_os_string().into_encoded_bytes(),
        argv: argv.collect(),
        cwd: cwd.into_os_string().into_encoded_bytes(),
        flavour: b"load".to_vec(),
        ..ProcessFacts::default()
    }
}

/// Ids of the functions of a plan's interface
type Ops = HashMap<&'static str, u16>;

fn functions(writer: &mut Writer, part: PartId, plan: &Plan) -> Ops {
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
    let named = all.into_iter().filter(|(name, _)| !name.is_empty());
    let id = |(name, kind): (&'static str, CallKind)| {
        let known = iota_calls::find(name.as_bytes());
        let op = Op {
            name: name.as_bytes(),
            layer: known.map_or(Layer::User, |call| call.layer) as u8,
            kind: kind as u8,
            effects: iota_calls::effects(name.as_bytes(), kind).byte(),
        };
        let id = writer.op(part, op);
        (name, id)
    };
    named.map(id).collect()
}

/// The calls of a thread in the order in which they ended, numbered in the order in which they began
fn calls(plan: &Plan, worker: &Worked, ops: &Ops, origin: u64) -> Vec<Event> {
    let calls = worker
        .events
        .iter()
        .filter(|event| event.kind != Kind::AtomicOp);
    let mut position = (!plan.options.share || plan.pieces.len() == 1).then_some(0);
    let call = |event: &Logged| {
        let call = call(plan, worker, event, position, ops);
        if event.kind == Kind::Op && event.offset != NOWHERE {
            position = position.map(|_| event.offset + u64::from(event.moved));
        }
        let since = |nanos: u64| nanos.wrapping_sub(origin) as i64;
        let (start, end) = (since(event.start), since(event.end));
        Event { start, end, ..call }
    };
    let mut calls: Vec<Event> = calls.map(call).collect();
    let mut begun: Vec<usize> = (0..calls.len()).collect();
    begun.sort_by_key(|at| calls[*at].start);
    (1..).zip(begun).for_each(|(id, at)| calls[at].id = id);
    calls
}

fn call(plan: &Plan, worker: &Worked, event: &Logged, position: Option<u64>, ops: &Ops) -> Event {
    let calls = plan.api.calls();
    let known = |offset: Option<u64>| offset.map_or(-1, |offset| offset as i64);
    let base = Event {
        ret: if event.errno == 0 { 0 } else { -1 },
        errno: event.errno,
        offset: -1,
        fd: worker.fd,
        ..Event::default()
    };
    let is_good = event.errno == 0;
    let (name, call) = match event.kind {
        Kind::Open => (calls.open, opened(plan, worker, base)),
        Kind::Seek => {
            // fseeko returns 0, lseek the new position.
            let effects = iota_calls::effects(calls.seek.as_bytes(), CallKind::Seek);
            let ret = if is_good && effects.handles == Handles::Seeks {
                event.offset as i64
            } else {
                base.ret
            };
            (
                calls.seek,
                Event {
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
                Event {
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
    Event {
        op: ops[name],
        ..call
    }
}

fn opened(plan: &Plan, worker: &Worked, base: Event) -> Event {
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
    Event {
        length: flags | mode,
        ret,
        fd: -1,
        ..base
    }
}
