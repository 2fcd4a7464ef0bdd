//! OTF2 archives, as `otf2-print` reads them.

use crate::common::trace::{EPOCH, Part, call, writes};
use crate::common::{Dir, blocks, small};
use crate::names::HOSTILE;
use crate::printed::{archive, assert_sound, definitions, events, is_wanted, moved, told};
use iota_trace::{Record, flags};
use proptest::prelude::*;

#[test]
fn calls_are_regions_with_their_io() {
    if !is_wanted() {
        return;
    }
    let dir = Dir::new().with("run.iota", &small(1));
    let events = events(&archive(&dir, &[]));
    insta::assert_snapshot!(told(&events), @r#"
    0 1000 ENTER Region: "open" <0>
    0 3000 IO_CREATE_HANDLE Handle: "fd 3" <0>, Access Mode: WRITE_ONLY, Creation Flags: {CREATE}, Status Flags: NONE
    0 3000 LEAVE Region: "open" <0>
    0 10000 ENTER Region: "pwrite64" <1>
    0 10000 IO_OPERATION_BEGIN Handle: "fd 3" <0>, Mode: WRITE, Operation Flags: NONE, Bytes Request: 8, Matching Id: 1 ("Offset" <0>; UINT64; 0)
    0 10400 IO_OPERATION_COMPLETE Handle: "fd 3" <0>, Bytes Result: 8, Matching Id: 1
    0 10400 LEAVE Region: "pwrite64" <1>
    0 11000 ENTER Region: "pwrite64" <1>
    0 11000 IO_OPERATION_BEGIN Handle: "fd 3" <0>, Mode: WRITE, Operation Flags: NONE, Bytes Request: 8, Matching Id: 2 ("Offset" <0>; UINT64; 8)
    0 11400 IO_OPERATION_COMPLETE Handle: "fd 3" <0>, Bytes Result: 8, Matching Id: 2
    0 11400 LEAVE Region: "pwrite64" <1>
    0 12000 ENTER Region: "pwrite64" <1>
    0 12000 IO_OPERATION_BEGIN Handle: "fd 3" <0>, Mode: WRITE, Operation Flags: NONE, Bytes Request: 8, Matching Id: 3 ("Offset" <0>; UINT64; 16)
    0 12400 IO_OPERATION_COMPLETE Handle: "fd 3" <0>, Bytes Result: 8, Matching Id: 3
    0 12400 LEAVE Region: "pwrite64" <1>
    0 20000 ENTER Region: "close" <2>
    0 20500 IO_DESTROY_HANDLE Handle: "fd 3" <0>
    0 20500 LEAVE Region: "close" <2>
    "#);
}

#[test]
fn processes_and_files_are_defined() {
    if !is_wanted() {
        return;
    }
    let dir = Dir::new().with("run.iota", &small(2));
    let definitions = definitions(&archive(&dir, &[]));
    let wanted = ["STRING ", "ATTRIBUTE ", "IO_PARADIGM "];
    let told = |line: &&String| !wanted.iter().any(|kind| line.starts_with(kind));
    let told: Vec<_> = definitions.iter().filter(told).cloned().collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    SYSTEM_TREE_NODE 0 Name: "machine" <0>, Class: "machine" <0>, Parent: UNDEFINED
    SYSTEM_TREE_NODE_DOMAIN System Tree Node: "machine::machine" <0>, Domain: MACHINE
    IO_REGULAR_FILE 0 Name: "/scratch/run/out.0" <22>, Scope: "machine::machine" <0>
    IO_HANDLE 0 Name: "fd 3" <23>, File: "file:///scratch/run/out.0" <0>, I/O Paradigm: "POSIX I/O" <0>, Flags: NONE, Communicator: UNDEFINED, Parent: UNDEFINED
    REGION 0 Name: "open" <24> (Aka. "open" <24>), Descr.: "open" <25>, Role: FILE_IO, Paradigm: NONE, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
    REGION 1 Name: "pwrite64" <26> (Aka. "pwrite64" <26>), Descr.: "write" <27>, Role: FILE_IO, Paradigm: NONE, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
    REGION 2 Name: "close" <28> (Aka. "close" <28>), Descr.: "close" <29>, Role: FILE_IO, Paradigm: NONE, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
    SYSTEM_TREE_NODE 1 Name: "node01" <30>, Class: "node" <1>, Parent: "machine::machine" <0>
    SYSTEM_TREE_NODE_DOMAIN System Tree Node: "node::node01" <1>, Domain: SHARED_MEMORY
    LOCATION_GROUP 0 Name: "Rank 0" <31>, Type: PROCESS, Parent: "node::node01" <1>, Creator: UNDEFINED
    LOCATION 0 Name: "thread 4000" <32>, Type: CPU_THREAD, # Events: 18, Group: "Rank 0" <0>
    IO_REGULAR_FILE 1 Name: "/scratch/run/out.1" <33>, Scope: "machine::machine" <0>
    IO_HANDLE 1 Name: "fd 3" <23>, File: "file:///scratch/run/out.1" <1>, I/O Paradigm: "POSIX I/O" <0>, Flags: NONE, Communicator: UNDEFINED, Parent: UNDEFINED
    LOCATION_GROUP 1 Name: "Rank 1" <34>, Type: PROCESS, Parent: "node::node01" <1>, Creator: UNDEFINED
    LOCATION 1 Name: "thread 4001" <35>, Type: CPU_THREAD, # Events: 18, Group: "Rank 1" <1>
    CLOCK_PROPERTIES Ticks per Seconds: 1000000000, Global Offset: 0, Length: 10000000000, Date: 2026-11-21 06:00:00.000000000 +0000
    "#);
    assert_eq!(EPOCH, 1_795_240_800_000_000_000, "the date above");
    let paradigms = definitions
        .iter()
        .filter(|line| line.starts_with("IO_PARADIGM "));
    assert_eq!(paradigms.count(), 6);
}

#[test]
fn calls_lie_within_those_that_enclose_them() {
    if !is_wanted() {
        return;
    }
    let mut part = Part::new(0, 1, 0);
    let at = |name, start, elapse, id, parent| Record {
        id,
        parent,
        file: 1,
        fd: 3,
        length: 8,
        ret: 8,
        ..call(name, start, elapse)
    };
    // A stream's write (2) within another (1), begun in the same step; an asynchronous one across both (4); then 3.
    part.file(1, b"/a").calls(&[
        at("write", 10, 5, 2, 1),
        Record {
            whence: 1,
            ..at("fwrite", 10, 10, 1, 0)
        },
        at("write", 20, 10, 3, 0),
        Record {
            flags: flags::ASYNCHRONOUS,
            ..at("aio_write", 5, 40, 4, 0)
        },
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let events = events(&archive(&dir, &[]));
    assert_eq!(assert_sound(&events), 4);
    let seen: Vec<_> = events
        .iter()
        .map(|e| {
            (
                e.location,
                e.time,
                e.kind.as_str(),
                e.fields.contains("NON_BLOCKING"),
            )
        })
        .collect();
    let expected = [
        (1, 5, "ENTER", false),
        (1, 5, "IO_OPERATION_BEGIN", true),
        (1, 5, "LEAVE", false),
        (0, 10, "ENTER", false),
        (0, 10, "IO_OPERATION_BEGIN", false),
        (0, 10, "ENTER", false),
        (0, 10, "IO_OPERATION_BEGIN", false),
        (0, 15, "IO_OPERATION_COMPLETE", false),
        (0, 15, "LEAVE", false),
        (0, 20, "IO_OPERATION_COMPLETE", false),
        (0, 20, "LEAVE", false),
        (0, 20, "ENTER", false),
        (0, 20, "IO_OPERATION_BEGIN", false),
        (0, 30, "IO_OPERATION_COMPLETE", false),
        (0, 30, "LEAVE", false),
        (1, 45, "IO_OPERATION_COMPLETE", false),
    ];
    assert_eq!(seen, expected);
    let definitions = definitions(&dir.file("run.otf2")).join("\n");
    assert!(
        definitions.contains("\"thread 4000, asynchronous\""),
        "{definitions}"
    );
    // What encloses is left out, and what it enclosed is there.
    dir.run([
        "convert",
        "run.iota",
        "-o",
        "some.otf2",
        "--where",
        "op=write",
    ])
    .whole();
    assert_eq!(
        assert_sound(&crate::printed::events(&dir.file("some.otf2"))),
        2
    );
}

#[test]
fn handles_are_followed() {
    if !is_wanted() {
        return;
    }
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/a").file(2, b"/b");
    let at = |name, id: u32, ret| Record {
        id,
        ret,
        file: 1,
        ..call(name, u64::from(id) * 10, 5)
    };
    let on = |name, id, ret, fd| Record {
        fd,
        ..at(name, id, ret)
    };
    part.calls(&[
        // Open before the trace; then closed, opened, and opened again without a close that was seen.
        Record {
            length: 4,
            ..on("read", 1, 4, 5)
        },
        on("close", 2, 0, 5),
        Record {
            length: 0o2002,
            ..at("open", 3, 5)
        },
        Record {
            length: 0,
            ..at("open", 4, 5)
        },
        // A second descriptor of it, and a stream on that, which closes both.
        Record {
            flags: flags::MORE,
            ..on("dup", 5, 6, 5)
        },
        Record::more(1, 6, -1, 0),
        on("fdopen", 6, 6, 6),
        Record {
            length: -3i64 as u64,
            whence: 1,
            offset: 10,
            ..on("fseek", 7, 0, 6)
        },
        on("fclose", 8, 0, 6),
        // From file to file; what fails; what has no handle.
        Record {
            flags: flags::MORE,
            length: 100,
            offset: 7,
            ..on("copy_file_range", 9, 60, 5)
        },
        Record::more(2, 9, 50, 0),
        Record {
            errno: 9,
            length: 30,
            ..on("write", 10, -1, 77)
        },
        Record {
            errno: 2,
            ..at("open", 11, -1)
        },
        on("fsync", 12, 0, 5),
        Record {
            length: 20,
            ..on("lseek", 13, 20, 5)
        },
        Record {
            flags: flags::MORE,
            ..at("rename", 14, 0)
        },
        Record::more(2, -1, -1, 0),
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let mut events = events(&archive(&dir, &[]));
    assert_eq!(assert_sound(&events), 14);
    assert_eq!(moved(&events, "READ"), (104, 64));
    assert_eq!(moved(&events, "WRITE"), (130, 60));
    events.retain(|e| e.kind != "ENTER" || e.fields.contains(';'));
    events.retain(|e| e.kind != "LEAVE" || e.fields.contains(';'));
    insta::assert_snapshot!(told(&events), @r#"
    0 10 IO_OPERATION_BEGIN Handle: "fd 5" <0>, Mode: READ, Operation Flags: NONE, Bytes Request: 4, Matching Id: 1
    0 15 IO_OPERATION_COMPLETE Handle: "fd 5" <0>, Bytes Result: 4, Matching Id: 1
    0 25 IO_DESTROY_HANDLE Handle: "fd 5" <0>
    0 35 IO_CREATE_HANDLE Handle: "fd 5" <0>, Access Mode: READ_WRITE, Creation Flags: NONE, Status Flags: {APPEND}
    0 45 IO_CREATE_HANDLE Handle: "fd 5" <1>, Access Mode: READ_ONLY, Creation Flags: NONE, Status Flags: NONE
    0 55 IO_DUPLICATE_HANDLE Old Handle: "fd 5" <1>, New Handle: "fd 6" <2>, Status Flags: NONE
    0 65 IO_CREATE_HANDLE Handle: "fd 6" <3>, Access Mode: READ_WRITE, Creation Flags: NONE, Status Flags: NONE
    0 75 IO_SEEK Handle: "fd 6" <3>, Offset Request: -3, Whence: FROM_CURRENT, Offset Result: 7
    0 85 IO_DESTROY_HANDLE Handle: "fd 6" <3>
    0 85 IO_DESTROY_HANDLE Handle: "fd 6" <2>
    0 90 IO_OPERATION_BEGIN Handle: "fd 5" <1>, Mode: READ, Operation Flags: NONE, Bytes Request: 100, Matching Id: 2 ("Offset" <0>; UINT64; 7)
    0 90 IO_OPERATION_BEGIN Handle: "fd 9" <4>, Mode: WRITE, Operation Flags: NONE, Bytes Request: 100, Matching Id: 3 ("Offset" <0>; UINT64; 50)
    0 95 IO_OPERATION_COMPLETE Handle: "fd 5" <1>, Bytes Result: 60, Matching Id: 2
    0 95 IO_OPERATION_COMPLETE Handle: "fd 9" <4>, Bytes Result: 60, Matching Id: 3
    0 100 IO_OPERATION_BEGIN Handle: "fd 77" <5>, Mode: WRITE, Operation Flags: NONE, Bytes Request: 30, Matching Id: 4
    0 105 IO_OPERATION_COMPLETE Handle: "fd 77" <5>, Bytes Result: 0, Matching Id: 4
    0 105 LEAVE Region: "write" <8> ("Error" <3>; STRING; "EBADF" <46>)
    0 110 ENTER Region: "open" <2> ("File" <1>; IO_FILE; "file:///a" <0>)
    0 115 LEAVE Region: "open" <2> ("Error" <3>; STRING; "ENOENT" <47>)
    0 120 IO_OPERATION_BEGIN Handle: "fd 5" <1>, Mode: FLUSH, Operation Flags: NONE, Bytes Request: 18446744073709551615, Matching Id: 5
    0 125 IO_OPERATION_COMPLETE Handle: "fd 5" <1>, Bytes Result: 18446744073709551615, Matching Id: 5
    0 135 IO_SEEK Handle: "fd 5" <1>, Offset Request: 20, Whence: FROM_START, Offset Result: 20
    0 140 ENTER Region: "rename" <11> ("File" <1>; IO_FILE; "file:///a" <0>), ("Second file" <2>; IO_FILE; "file:///b" <1>)
    "#);
}

#[test]
fn names_are_harmless_and_can_be_had_back() {
    if !is_wanted() {
        return;
    }
    let dir = crate::names::trace();
    let definitions = definitions(&archive(&dir, &[]));
    let files = definitions
        .iter()
        .filter(|line| line.starts_with("IO_REGULAR_FILE"));
    let names: Vec<_> = files
        .map(|line| {
            let name = line.split_once("Name: \"").unwrap().1;
            let name = name.rsplit_once(", Scope: ").unwrap().0;
            name.rsplit_once("\" <").unwrap().0.to_owned()
        })
        .collect();
    let expected = HOSTILE.map(crate::names::printable);
    assert_eq!(
        names,
        expected.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
    );
}

#[test]
fn calls_and_ranks_are_chosen() {
    if !is_wanted() {
        return;
    }
    let dir = Dir::new().with("run.iota", &small(4));
    let some = archive(&dir, &["--rank", "1,3", "--where", "class=write,offset>0"]);
    let events = events(&some);
    assert_eq!(assert_sound(&events), 4);
    assert_eq!(moved(&events, "WRITE"), (32, 32));
    let definitions = definitions(&some).join("\n");
    assert!(definitions.contains("\"Rank 3\"") && !definitions.contains("\"Rank 2\""));
    // Their opens are not there.
    assert!(
        definitions.contains("Flags: {PRE_CREATED}"),
        "{definitions}"
    );
}

#[test]
fn no_event_and_one_event_and_a_damaged_trace_are_archives() {
    if !is_wanted() {
        return;
    }
    let dir = Dir::new().with("run.iota", &Part::new(0, 1, 0).finish());
    assert_eq!(events(&archive(&dir, &[])).len(), 0);
    let mut one = Part::new(0, 1, 0);
    one.calls(&writes(1, 8));
    let dir = Dir::new().with("run.iota", &one.finish());
    assert_eq!(events(&archive(&dir, &[])).len(), 4);
    let mut trace = small(3);
    let damaged = blocks(&trace, 3)[1];
    trace[damaged + 60] ^= 0xFF;
    let dir = Dir::new().with("run.iota", &trace);
    let said = dir.run(["convert", "run.iota", "-o", "run.otf2"]);
    assert!(
        said.failed().contains("everything else was read"),
        "{said:?}"
    );
    assert_eq!(assert_sound(&events(&dir.file("run.otf2"))), 10);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever numbers and times calls have, sound or not.
    #[test]
    fn any_calls_are_sound_events(
        calls in proptest::collection::vec((0..5usize, 0..200u64, 0..100u64, 0..30u32, 0..30u32), 0..60)
    ) {
        if is_wanted() {
            const OPS: [&str; 5] = ["write", "open", "close", "fwrite", "aio_write"];
            let mut part = Part::new(0, 1, 0);
            let record = |(nth, (op, start, elapse, id, parent)): (u32, (usize, _, _, u32, _))| Record {
                id: id + nth,
                parent,
                file: 1,
                fd: 3,
                ret: 3,
                length: 3,
                flags: if op == 4 { flags::ASYNCHRONOUS } else { 0 },
                ..call(OPS[op], start, elapse)
            };
            let records: Vec<_> = (1..).zip(calls).map(record).collect();
            part.file(1, b"/a");
            if !records.is_empty() {
                part.calls(&records);
            }
            let dir = Dir::new().with("run.iota", &part.finish());
            prop_assert_eq!(assert_sound(&events(&archive(&dir, &[]))), records.len());
        }
    }
}
