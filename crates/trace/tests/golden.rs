//! The format is what docs/design/format.md says: a trace of every kind of block is written to the byte as it
//! always was, and is read as the text beside it.
//!
//! After the first release, a change that is meant is a new version, encoding or name with golden files of its own; the
//! others stay as they are, and are read, or refused as docs/design/format.md says ("Compatibility").
//! `IOTA_BLESS=1` writes the files.

mod common;

use std::fmt::Write;
use std::path::PathBuf;

use common::{begin, group, open};
use iota_calls::{Field, FormInfo, Unit};
use iota_trace::block::{Header, kind};
use iota_trace::clock::Offset;
use iota_trace::{Details, Nanos, Record, Second, flags, names, read, text};

/// A group of two parts.
const CURRENT: &str = "group.bin";

/// Its parts in a pack.
const PACKED: &str = "pack.bin";

/// A part with calls that have details.
const DETAILED: &str = "details.bin";

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// Loops, strides, a call that fails, calls in calls, a call on two files, two threads; two ranks in a group.
fn trace() -> Vec<u8> {
    let offset = Offset {
        nanos: 2_000,
        error: 50,
        drift: 0,
    };
    let second = begin(1, 11, 1_700_000_000_000_001_000)
        .writes(1, 1, 300)
        .index()
        .events(2, &mixed());
    let parts = [
        begin(0, 10, 1_700_000_000_000_000_000)
            .events(1, &mixed())
            .writes(1, 20, 40)
            .finish(),
        second.end(10_000_000, Some(offset)).footer(),
    ];
    group(&parts)
}

/// A field of every unit.
const EVERY: FormInfo = FormInfo {
    name: "every",
    fields: &[
        field("number", Unit::Number),
        field("signed", Unit::Signed),
        field("bytes", Unit::Bytes),
        field("offset", Unit::Offset),
        field("bits", Unit::Bits),
        field("text", Unit::Text),
        field("file", Unit::File),
        field("thread", Unit::Thread),
        field("call", Unit::Call),
        field("rank", Unit::Rank),
        field("collective", Unit::Collective),
    ],
};

const fn field(name: &'static str, unit: Unit) -> Field {
    Field { name, unit }
}

/// Calls in turn with details, with others, with several and with none; a form that is not defined.
fn detailed_trace() -> Vec<u8> {
    let mut part = begin(3, 12, 1_700_000_000_000_002_000);
    let ids = part.ids;
    part.add(|out| {
        let mut writer = names::NamesWriter::new(out);
        writer.form(1, iota_calls::Form::CAUSE.info()?);
        writer.form(9, &EVERY);
        writer.text(1, b"romio_cb_write=\"enable\"\tx");
        writer.text(300, b"temperature");
        writer.finish(ids)
    });
    let plain = mixed();
    let loops = (20..320u32).flat_map(|id| {
        let n = u64::from(id);
        let every = Details::new(
            9,
            &[
                7,
                n.wrapping_neg(),
                4096,
                n * 65_536,
                6,
                1 + n % 3 * 299,
                1,
                2,
                n - 1,
                3,
                0xFEED << 40 | n,
            ],
        );
        let none = Details::new(9, &[0, 0, 0, u64::MAX, 0, 0, 0, 0, 0, u64::MAX, 0]);
        let details = match id {
            200..204 => vec![Details::new(1, &[1, n]), every, Details::new(77, &[0, n])],
            210..215 => vec![none],
            _ if id % 2 == 0 => vec![every],
            _ => vec![],
        };
        let call = common::write(id, 0);
        let records: Vec<Record> = details.iter().flat_map(|one| one.records(id)).collect();
        std::iter::once(call).chain(records)
    });
    let records: Vec<Record> = plain.into_iter().chain(loops).collect();
    part.events(1, &records).writes(2, 1, 10).finish().bytes
}

fn mixed() -> Vec<Record> {
    let at = |id: u32, start: u64, time: u64| Record {
        id,
        start: 1000 + start,
        end: 1000 + start + time,
        fd: 5,
        ..Record::default()
    };
    let open = Record {
        op: 5,
        file: 1,
        offset: -1,
        ret: 5,
        length: 0x241 | 0o644 << 32,
        ..at(1, 10, 700)
    };
    let failed = Record {
        op: 5,
        file: 2,
        fd: -1,
        offset: -1,
        ret: -1,
        errno: 2,
        ..at(2, 900, 300)
    };
    let inner = Record {
        op: 17,
        file: 1,
        offset: 0,
        length: 4096,
        ret: 4096,
        parent: 3,
        ..at(4, 1300, 90)
    };
    let outer = Record {
        op: 5,
        file: 1,
        offset: 0,
        length: 4096,
        ret: 0,
        ..at(3, 1290, 130)
    };
    let strided = (5..9u32).map(|id| {
        let offset = i64::from(id) * 65_536;
        Record {
            op: 17,
            file: 1,
            offset,
            length: 4096,
            ret: 4096,
            ..at(id, 1500 + u64::from(id) * 100, 60)
        }
    });
    let two = Record {
        op: 17,
        file: 1,
        offset: 7,
        length: 99,
        ret: 50,
        flags: flags::MORE,
        ..at(9, 3000, 5_000_000_000)
    };
    let more = Record::more(2, 6, 1 << 40, 12);
    [open, failed, inner, outer]
        .into_iter()
        .chain(strided)
        .chain([two, more])
        .collect()
}

#[test]
fn what_is_written_is_the_same_to_the_byte() {
    let packed = || {
        let mut packed = Vec::new();
        read::merge(&[golden(CURRENT)], &mut packed).unwrap();
        packed
    };
    // The packed one is made of the first.
    let all: [(_, &dyn Fn() -> Vec<u8>); 3] = [
        (CURRENT, &trace),
        (DETAILED, &detailed_trace),
        (PACKED, &packed),
    ];
    for (name, make) in all {
        let bytes = make();
        let path = golden(name);
        if std::env::var_os("IOTA_BLESS").is_some() {
            std::fs::write(&path, &bytes).unwrap();
        }
        let expected = std::fs::read(&path).unwrap();
        let differs = bytes.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!((bytes.len(), differs), (expected.len(), None), "{name}");
    }
}

#[test]
fn what_was_written_is_read() {
    let path = golden("lines.txt");
    if std::env::var_os("IOTA_BLESS").is_some() {
        std::fs::write(&path, lines(&open(&golden(CURRENT)))).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for name in [CURRENT, PACKED] {
        let lines = lines(&open(&golden(name)));
        let differ = lines.lines().zip(expected.lines()).find(|(a, b)| a != b);
        assert_eq!((lines.len(), differ), (expected.len(), None), "{name}");
    }
}

#[test]
fn an_unknown_encoding_costs_its_events_alone() {
    let mut bytes = std::fs::read(golden(CURRENT)).unwrap();
    let mut at = 0;
    while let Some(header) = Header::parse(&bytes[at..]) {
        let (head, end) = (usize::from(header.header_len), header.block_len() as usize);
        if header.kind == kind::EVENTS {
            bytes[at + head] = 1;
            let sealed = header.sealed(&bytes[at + head..at + end], &[]);
            bytes[at..at + head].copy_from_slice(&sealed);
        }
        at += end;
        if at == bytes.len() {
            break;
        }
    }
    let path = common::directory("golden-unknown").join("unknown.iota");
    std::fs::write(&path, &bytes).unwrap();
    let trace = open(&path);
    assert_eq!(trace.problems(), []);
    let events: usize = trace.parts().iter().map(|part| part.events().count()).sum();
    assert_eq!((trace.parts().len(), events), (2, 0));
    assert!(trace.parts().iter().all(|part| part.end().is_some()));
    let causes = trace.problems();
    let is_cause = |cause: &str| cause.contains("an encoding that this version does not know");
    assert_eq!(causes.iter().filter(|one| is_cause(&one.cause)).count(), 4);
}

#[test]
fn details_that_were_written_are_read() {
    let path = golden("details.txt");
    if std::env::var_os("IOTA_BLESS").is_some() {
        std::fs::write(&path, lines(&open(&golden(DETAILED)))).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    let mut packed = Vec::new();
    read::merge(&[golden(DETAILED)], &mut packed).unwrap();
    let in_pack = common::directory("golden-details").join("packed.iota");
    std::fs::write(&in_pack, &packed).unwrap();
    for path in [golden(DETAILED), in_pack] {
        let (lines, name) = (lines(&open(&path)), path.display());
        let differ = lines.lines().zip(expected.lines()).find(|(a, b)| a != b);
        assert_eq!((lines.len(), differ), (expected.len(), None), "{name}");
    }
}

fn lines(trace: &read::Trace) -> String {
    let mut all = format!("{}\n", text::header(true));
    assert_eq!(trace.problems(), []);
    for part in trace.parts() {
        let (process, end) = (part.process().unwrap(), part.end().unwrap());
        let host = String::from_utf8_lossy(process.fields().host).into_owned();
        let (rank, pid, offset) = (
            part.rank(),
            part.pid(),
            end.offset.map(|offset| offset.nanos),
        );
        writeln!(all, "# {rank} {pid} {host} {} {offset:?}", end.captured).unwrap();
        let names = part.names();
        for timed in part.events() {
            all.push_str(&line(part, &names, &timed));
        }
    }
    all
}

fn line(part: &read::Part, names: &read::Names, timed: &read::Timed) -> String {
    let event = &timed.event;
    let op = names.op(event.op).unwrap();
    let path = |id| names.file(id).unwrap_or_default();
    let (start, elapse) = (timed.start, timed.elapse());
    let (layer, kind) = (op.layer, op.kind);
    let effects = iota_calls::effects(op.name, iota_calls::Kind::of(kind));
    assert_eq!(op.effects, effects.byte());
    let mut details = Vec::new();
    names.put_details(&timed.details, &mut details);
    let (path, second) = (path(event.file), path(event.second.file));
    let line = text::Line {
        task: part.rank(),
        pid: part.pid(),
        start,
        elapse,
        op: op.name,
        layer,
        kind,
        path,
        second,
        layout: None,
        details: &details,
        event,
    };
    let mut out = [0; 500];
    let len = text::long_line(&mut out, &line).unwrap();
    String::from_utf8(out[..len].to_vec()).unwrap()
}

#[test]
fn the_golden_trace_has_one_of_everything() {
    let trace = open(&golden(CURRENT));
    let events: Vec<_> = trace
        .parts()
        .iter()
        .flat_map(|part| part.events())
        .collect();
    assert_eq!(events.len(), 9 + 40 + 300 + 9);
    let two = events
        .iter()
        .find(|timed| timed.event.flags & flags::MORE != 0)
        .unwrap();
    assert_eq!(
        two.event.second,
        Second {
            file: 2,
            fd: 6,
            offset: 1 << 40,
            arg: 12
        }
    );
    assert_eq!(two.elapse(), Nanos(5_000_000_000));
    assert!(events.iter().any(|timed| timed.event.errno == 2));
    assert!(events.iter().any(|timed| timed.event.parent == 3));
}
