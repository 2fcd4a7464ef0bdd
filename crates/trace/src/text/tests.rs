//! Lines as the table above says, to the byte.

use super::*;
use crate::Second;

const WRITE: Event = Event {
    start: 0,
    end: 0,
    ret: 8,
    offset: 4096,
    length: 8,
    id: 12,
    parent: 11,
    thread: 3,
    file: 1,
    fd: 5,
    op: 17,
    errno: 0,
    flags: 0,
    whence: 0,
    second: Second::NONE,
};

fn written<'a>(event: &'a Event, op: &'a str, kind: u8) -> Line<'a> {
    let (start, elapse) = (Nanos(1_000_000_042), Nanos(400));
    let names = (
        op.as_bytes(),
        b"/a\tb\\\xFF\n\x1B\xC3\xA9\xC2\x9B".as_slice(),
    );
    Line {
        task: 7,
        pid: 4711,
        start,
        elapse,
        op: names.0,
        layer: 5,
        kind,
        path: names.1,
        second: b"",
        layout: None,
        details: b"",
        event,
    }
}

fn text(line: &Line, write: fn(&mut [u8], &Line) -> Option<usize>) -> String {
    let mut out = [0; 512];
    let len = write(&mut out, line).unwrap();
    String::from_utf8(out[..len].to_vec()).unwrap()
}

#[test]
fn a_call_on_a_descriptor() {
    let line = written(&WRITE, "pwrite64", 4);
    assert_eq!(
        text(&line, super::line),
        "7\t1.000000042\t0.000000400\t4096\tpwrite64\t8\t5\n"
    );
    let more = "-\t8\t3\t-\tPOSIX\t3.12\t3.11\t/a\\tb\\\\\\xff\\n\\x1bé\\xc2\\x9b\t-\t4711";
    assert_eq!(
        text(&line, long_line),
        format!("7\t1.000000042\t0.000000400\t4096\tpwrite64\t8\t5\t{more}\n")
    );
}

#[test]
fn an_open_that_failed_shows_its_path() {
    let event = Event {
        fd: -1,
        ret: -1,
        errno: 2,
        offset: -1,
        parent: 0,
        ..WRITE
    };
    let line = written(&event, "open", OPEN);
    let start = "7\t1.000000042\t0.000000400\t-1\topen\t-1\t/a\\tb\\\\\\xff\\n\\x1bé\\xc2\\x9b";
    assert_eq!(text(&line, super::line), format!("{start}\n"));
    assert_eq!(
        text(&line, long_line),
        format!("{start}\t-\t8\t3\tENOENT\tPOSIX\t3.12\t-\t-\t-\t4711\n")
    );
}

#[test]
fn an_open_on_lustre_shows_the_layout_and_nothing_else_does() {
    let blob = crate::lustre::blob::plain(1, 1 << 20, 1, &[12], Some("flash"));
    let layout = Some(Layout(&blob));
    let event = Event { ret: 5, ..WRITE };
    let line = Line {
        layout,
        ..written(&event, "open", OPEN)
    };
    assert!(text(&line, super::line).ends_with("\t1048576,1,12,12\n"));
    assert!(text(&line, long_line).contains("\t1048576,1,12,12:pool=flash\t8\t3\t"));
    let failed = Event { ret: -1, ..WRITE };
    for (event, kind) in [(&failed, OPEN), (&event, 4)] {
        let line = Line {
            layout,
            ..written(event, "open", kind)
        };
        assert!(!text(&line, super::line).contains("1048576"));
        assert!(!text(&line, long_line).contains("1048576"));
    }
}

#[test]
fn a_second_descriptor_stands_last() {
    let second = Second {
        file: 2,
        fd: 9,
        offset: 0,
        arg: 0,
    };
    let event = Event {
        flags: flags::MORE,
        second,
        ..WRITE
    };
    let line = written(&event, "sendfile", 4);
    assert!(text(&line, long_line).ends_with("\t9\t4711\toff2=0\n"));
    // A path that is known, in quotes; one that is that of the first descriptor, not.
    let line = Line {
        second: b"/b \"c\"",
        ..line
    };
    let details = "\t9\t4711\tpath2=\"/b \\x22c\\x22\" off2=0\n";
    assert!(text(&line, long_line).ends_with(details));
    let (file, offset) = (event.file, -1);
    let second = Second {
        file,
        offset,
        ..event.second
    };
    let event = Event { second, ..event };
    let line = Line {
        event: &event,
        ..line
    };
    assert!(text(&line, long_line).ends_with("\t9\t4711\n"));
}

#[test]
fn the_size_of_items_is_shown() {
    let of = |layer, whence, ret, length| {
        let event = Event {
            whence,
            ret,
            length,
            ..WRITE
        };
        let line = Line {
            layer,
            ..written(&event, "fwrite", 4)
        };
        text(&line, long_line)
    };
    assert!(of(4, 8, 2, 16).ends_with("\t4711\twhence=8\n"));
    assert!(of(4, 0, 2, 200_000).ends_with("\t4711\twhence=0\n"));
    let without = [
        (5, 2, 200_000),
        (4, 2, 16),
        (4, 0, 200_000),
        (4, 3, 200_000),
        (4, -1, 9),
    ];
    for (layer, ret, length) in without {
        assert!(of(layer, 0, ret, length).ends_with("\t4711\n"));
    }
}

#[test]
fn long_lines_have_the_columns_that_the_header_names() {
    let columns = |text: &str| text.split('\t').count();
    let line = written(&WRITE, "write", 4);
    // The last is there where a call has details.
    assert_eq!(columns(&text(&line, long_line)) + 1, columns(header(true)));
    let line = Line {
        details: b"cause{thread=1 call=2}",
        ..line
    };
    let line = text(&line, long_line);
    assert_eq!(columns(&line), columns(header(true)));
    assert!(line.ends_with("\t4711\tcause{thread=1 call=2}\n"));
    assert_eq!(columns(header(false)), 8);
}

#[test]
fn flags_that_decide_how_a_call_counts_are_words_before_the_forms() {
    let all = WORDS.iter().fold(0, |all, (bit, _)| all | bit);
    let event = Event {
        flags: all | flags::OFFSET_INFERRED,
        ..WRITE
    };
    let line = written(&event, "write", 4);
    let words = "startup asynchronous under_library under_probe";
    assert!(text(&line, long_line).ends_with(&format!("\t4711\t{words}\n")));
    let line = Line {
        details: b"x{}",
        ..line
    };
    assert!(text(&line, long_line).ends_with(&format!("\t4711\t{words} x{{}}\n")));
    assert!(text(&line, super::line).ends_with("\t5\n"));
}

#[test]
fn no_room_writes_nothing_to_rely_on() {
    for room in 0..40 {
        assert_eq!(
            super::line(&mut [0; 40][..room], &written(&WRITE, "pwrite64", 4)),
            None
        );
    }
}

#[test]
fn extremes_have_all_their_digits() {
    let event = Event {
        ret: i64::MIN,
        offset: i64::MAX,
        ..WRITE
    };
    let line = Line {
        start: Nanos(i64::MIN),
        ..written(&event, "", 4)
    };
    let expected =
        "7\t-9223372036.854775808\t0.000000400\t9223372036854775807\t-\t-9223372036854775808\t5\n";
    assert_eq!(text(&line, super::line), expected);
}
