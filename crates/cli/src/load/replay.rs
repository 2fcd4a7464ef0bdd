//! `-replay`: the calls of a trace become a script of the load generator.

use super::report::{output, unwritten};
use crate::{failure, memory, names};
use anyhow::bail;
use iota_analysis::Meter;
use iota_calls::{Counts, Effects, Handles, Kind, Layer};
use iota_load::options::{Format, Options};
use iota_load::replay::{Recorded, Replay, Replayed, Script};
use iota_quantity as units;
use iota_quantity::mb_per_s;
use iota_trace::read::{Names, Op, Part, Timed};
use iota_trace::{Event, Printable, flags};
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Repeats a trace, and tells what came of it.
pub fn replay(trace: &Path, options: &Options) -> anyhow::Result<()> {
    memory::limit()?;
    let trace = crate::inputs::opened(&[trace.to_owned()], iota_trace::read::Options::default())?;
    let mut processes = HashMap::new();
    let calls = trace.parts().iter().flat_map(|part| {
        // A process that goes on as another program leaves a part for each.
        let next = processes.len() as u32;
        let process = *processes.entry(part.of_process()).or_insert(next);
        recorded(process, part)
    });
    let replay = Replay::new(Script::new(calls.collect()), options)?;
    let mut out = output(options)?;
    let done = replay.run()?;
    let report = match options.format {
        Format::Json => json(&replay, &done, &mut out),
        Format::Text | Format::Csv => text(&replay, &done, &mut out),
    };
    report
        .and_then(|()| out.flush())
        .map_err(|error| unwritten(options, error))?;
    if !options.quiet {
        notes(&done);
    }
    failure::of(&trace.problems())?;
    match done.failure {
        Some(failure) => bail!("{failure}"),
        None => Ok(()),
    }
}

/// The calls of a part
fn recorded(process: u32, part: &Part) -> Vec<Recorded> {
    let names = part.names();
    let mut texts = SharedNames::default();
    let known = part
        .events()
        .filter_map(|timed| Some(texts.call(process, &timed, &names, names.op(timed.event.op)?)));
    known.collect()
}

/// Names of functions and paths, each held once for all calls of a part
#[derive(Default)]
struct SharedNames {
    functions: HashMap<u16, Arc<str>>,
    paths: HashMap<u32, Arc<[u8]>>,
}

impl SharedNames {
    fn call(&mut self, process: u32, timed: &Timed, names: &Names, op: Op) -> Recorded {
        let Event {
            op: function, file, ..
        } = timed.event;
        let name = || Printable(op.name).to_string().into();
        let name = self.functions.entry(function).or_insert_with(name).clone();
        let path = || names.file(file).unwrap_or_default().into();
        let path = self.paths.entry(file).or_insert_with(path).clone();
        recorded_call(process, timed, op, (name, path))
    }
}

fn recorded_call(process: u32, timed: &Timed, op: Op, texts: (Arc<str>, Arc<[u8]>)) -> Recorded {
    let event = &timed.event;
    let (kind, effects) = (Kind::of(op.kind), Effects::of_byte(op.effects));
    let moves = match kind {
        Kind::Read => Some(true),
        Kind::Write => Some(false),
        _ => None,
    };
    let is_dup = is_duplicate(effects, event);
    Recorded {
        process,
        thread: event.thread,
        name: match is_dup {
            true => "dup".into(),
            false => texts.0,
        },
        // What layers above move comes down to these two; what has two descriptors is neither read nor write.
        moves: moves.filter(|_| is_low(op) && event.flags & flags::MORE == 0),
        stream: op.layer == Layer::Stdio as u8,
        makes: kind == Kind::Open || effects.handles == Handles::Duplicates || is_dup,
        path: texts.1,
        fd: event.fd,
        offset: event.offset,
        length: event.length,
        ret: returned(op, event),
        errno: event.errno,
        whence: event.whence,
        times: (timed.start.0, timed.end.0),
        id: event.id,
        parent: event.parent,
    }
}

/// What it returned, in bytes where it counted items.
fn returned(op: Op, event: &Event) -> i64 {
    let counts_items = Effects::of_byte(op.effects).counts == Counts::Items;
    if !counts_items || event.ret < 0 {
        return event.ret;
    }
    let moved = Meter::of(op).moved(event);
    (moved.read + moved.written) as i64
}

fn is_low(op: Op) -> bool {
    op.layer == Layer::Posix as u8 || op.layer == Layer::Stdio as u8
}

/// fcntl that makes a descriptor
fn is_duplicate(effects: Effects, event: &Event) -> bool {
    let commands = [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC];
    effects.handles == Handles::MayDuplicate && commands.contains(&(event.length as i32))
}

fn text(replay: &Replay, done: &Replayed, out: &mut dyn Write) -> std::io::Result<()> {
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    writeln!(
        out,
        "# iota load, replay of {} by {}",
        units::many(done.files as u64, "file"),
        units::many(done.threads as u64, "thread")
    )?;
    for (path, original) in replay.files() {
        writeln!(
            out,
            "# {} replaces {}",
            names::path(path),
            names::printable(original)
        )?;
    }
    writeln!(
        out,
        "{:<12} {:>12} {:>18} {:>14} {:>12}",
        "Function", "Calls", "Bytes", "Time (ms)", "MB/s"
    )?;
    for (function, tally) in &done.functions {
        let speed = mb_per_s(tally.bytes, tally.nanos).filter(|_| tally.bytes > 0);
        let speed = speed.map_or("-".to_owned(), |speed| format!("{speed:.2}"));
        writeln!(
            out,
            "{:<12} {:>12} {:>18} {:>14.3} {speed:>12}",
            function.name(),
            tally.calls,
            tally.bytes,
            tally.nanos as f64 / 1e6
        )?;
    }
    writeln!(
        out,
        "\ntook {:.6} s; the recording took {:.6} s\nended: {}",
        seconds(done.nanos),
        seconds(done.recorded),
        done.ended()
    )
}

#[derive(Serialize)]
struct ReplayReport<'a> {
    ended: String,
    seconds: f64,
    recorded_seconds: f64,
    threads: usize,
    files: usize,
    replaced: Vec<Replaced>,
    functions: Vec<ReplayedFunction<'a>>,
    left_out: &'a std::collections::BTreeMap<String, u64>,
    other_results: u64,
}

/// A file, and the one in the trace that it stands for
#[derive(Serialize)]
struct Replaced {
    file: String,
    original: String,
}

#[derive(Serialize)]
struct ReplayedFunction<'a> {
    function: &'a str,
    calls: u64,
    bytes: u64,
    seconds: f64,
}

fn json(replay: &Replay, done: &Replayed, out: &mut dyn Write) -> std::io::Result<()> {
    let functions = done
        .functions
        .iter()
        .map(|(function, tally)| ReplayedFunction {
            function: function.name(),
            calls: tally.calls,
            bytes: tally.bytes,
            seconds: tally.nanos as f64 / 1e9,
        });
    let replaced = replay.files().map(|(path, original)| Replaced {
        file: names::path(path),
        original: names::printable(original),
    });
    let report = ReplayReport {
        ended: done.ended(),
        seconds: done.nanos as f64 / 1e9,
        recorded_seconds: done.recorded as f64 / 1e9,
        threads: done.threads,
        files: done.files,
        replaced: replaced.collect(),
        functions: functions.collect(),
        left_out: &done.left_out,
        other_results: done.other.0,
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

/// What is not as in the recording
fn notes(done: &Replayed) {
    if !done.left_out.is_empty() {
        let each = done
            .left_out
            .iter()
            .map(|(name, count)| format!("{name} {}", units::count(*count)));
        failure::note(&format!(
            "warning: not repeated: {}",
            each.collect::<Vec<_>>().join(", ")
        ));
    }
    if let (count, Some(first)) = &done.other {
        failure::note(&format!(
            "warning: {} returned something else; the first is {first}",
            units::many(*count, "call")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_streams_are_bytes_to_a_replay() {
        let of = |name: &'static [u8], kind: Kind, ret: i64, size: u16| {
            let effects = iota_calls::effects(name, kind).byte();
            let (layer, kind) = (Layer::Stdio as u8, kind as u8);
            let event = Event {
                ret,
                whence: size,
                length: 8000,
                ..Event::default()
            };
            let op = Op {
                name,
                layer,
                kind,
                effects,
            };
            returned(op, &event)
        };
        assert_eq!(of(b"fwrite", Kind::Write, 1000, 8), 8000);
        assert_eq!(of(b"fread_unlocked", Kind::Read, 3, 8), 24);
        assert_eq!(of(b"fputc", Kind::Write, 65, 0), 65);
        assert_eq!(of(b"read", Kind::Read, -1, 0), -1);
    }
}
