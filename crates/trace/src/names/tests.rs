use super::*;
use iota_calls::Unit;

const PWRITE: Op = Op {
    name: b"pwrite64",
    layer: 5,
    kind: 4,
    effects: 1,
};

#[test]
fn a_function_stands_in_a_block_as_the_format_says() {
    for (id, digits) in [
        (5, &[5][..]),
        (0x7f, &[0x7f]),
        (0x80, &[0x80, 1]),
        (0x3fff, &[0xff, 0x7f]),
        (0x4000, &[0x80, 0x80, 1]),
    ] {
        let mut out = [0u8; 128];
        let mut writer = NamesWriter::new(&mut out);
        assert!(writer.op(id, PWRITE));
        let len = writer.finish(Ids::default()).unwrap();
        let size = digits.len() as u8 + 3 + 8;
        let expected = [&[3, size], digits, b"\x05\x04\x01pwrite64"].concat();
        assert_eq!(&out[HEADER_SIZE..len], expected);
    }
}

#[test]
fn unknown_names_are_passed_over() {
    let block = b"\x08\x03abc\xff\x00\x01\x01\x00\x02/a";
    let mut names = NamesReader::new(block);
    let file = Name::File {
        id: 1,
        shared: 0,
        rest: b"/a",
    };
    assert_eq!(names.by_ref().collect::<Vec<_>>(), [file]);
    assert!(names.complete());
    let mut cut = NamesReader::new(b"\x05\x03ab");
    assert!(cut.next().is_none() && !cut.complete());
}

#[test]
fn forms_and_texts_come_back() {
    let form = iota_calls::Form::CAUSE.info().unwrap();
    let mut out = [0u8; 256];
    let mut writer = NamesWriter::new(&mut out);
    assert!(writer.form(300, form) && writer.text(70_000, b"a\0b") && writer.text(1, b""));
    let len = writer.finish(Ids::default()).unwrap();
    let payload = &out[HEADER_SIZE..len];
    assert!(payload.starts_with(b"\x04\x16\xac\x02\x05cause\x07\x06thread\x08\x04call\x05\x06"));
    let mut names = NamesReader::new(payload);
    let Some(Name::Form {
        id: 300,
        name: b"cause",
        fields,
    }) = names.next()
    else {
        panic!("{payload:?}");
    };
    let (thread, call) = (Unit::Thread as u8, Unit::Call as u8);
    assert!(fields.eq([(thread, &b"thread"[..]), (call, b"call")]));
    let text = |id, bytes| Some(Name::Text { id, bytes });
    assert_eq!(names.next(), text(70_000, b"a\0b"));
    assert_eq!(names.next(), text(1, b""));
    assert!(names.next().is_none() && names.complete());
}

#[test]
fn names_come_back() {
    let mut out = [0u8; 256];
    let mut writer = NamesWriter::new(&mut out);
    assert!(writer.file(1, b"/scratch/run/a.dat"));
    assert!(writer.op(300, PWRITE));
    assert!(writer.file(2, b"/scratch/run/b.dat"));
    let len = writer.finish(Ids::default()).unwrap();
    let mut names = NamesReader::new(&out[HEADER_SIZE..len]);
    let all: Vec<Name> = names.by_ref().collect();
    assert!(names.complete());
    assert_eq!(
        all[0],
        Name::File {
            id: 1,
            shared: 0,
            rest: b"/scratch/run/a.dat"
        }
    );
    assert_eq!(
        all[1],
        Name::Op {
            id: 300,
            op: PWRITE,
        }
    );
    assert_eq!(
        all[2],
        Name::File {
            id: 2,
            shared: 13,
            rest: b"b.dat"
        }
    );
    assert_eq!(Header::parse(&out).unwrap().count, 3);
}

#[test]
fn ids_in_turn_are_written_once_and_a_reader_that_passes_over_them_misses_no_other() {
    let paths: [(u32, &[u8]); 5] = [
        (127, b"/a/b"),
        (128, b"/a/c"),
        (129, b"/a/c/d"),
        (300, b"/a/c/e"),
        (7, b"/a/f"),
    ];
    let mut out = [0u8; 256];
    let mut writer = NamesWriter::new(&mut out);
    assert!(paths.iter().all(|(id, path)| writer.file(*id, path)));
    let len = writer.finish(Ids::default()).unwrap();
    let payload = &out[HEADER_SIZE..len];
    let expected = b"\x01\x7f\x00\x04/a/b\x06\x02\x03c\x06\x03\x04/d\x01\xac\x02\x00\x06/a/c/e\x01\x07\x03\x01f";
    assert_eq!(payload, expected);
    let ids = NamesReader::new(payload).map(|name| match name {
        Name::File { id, .. } => id,
        other => panic!("{other:?}"),
    });
    assert!(ids.eq(paths.map(|(id, _)| id)));
    let mut behind_the_last = NamesReader::new(b"\x01\xff\xff\xff\xff\x0f\x00\x01/\x06\x02\x00a");
    assert_eq!(
        (behind_the_last.by_ref().count(), behind_the_last.complete()),
        (1, false)
    );
}

#[test]
fn layouts_come_back_and_what_they_have_in_common_costs_nothing() {
    use crate::lustre::blob::plain;
    let layouts = [
        plain(1, 1 << 20, 2, &[7, 9], None),
        plain(1, 1 << 20, 2, &[8, 10], None),
        plain(1, 1 << 20, 1, &[8], None),
        vec![],
        plain(1, 1 << 20, 4, &[0, 1, 2, 3], Some("pool")),
    ];
    let mut out = [0u8; 1024];
    let mut writer = NamesWriter::new(&mut out);
    for (file, layout) in (1..).zip(&layouts) {
        assert!(writer.layout(file, layout));
    }
    let len = writer.finish(Ids::default()).unwrap();
    let mut names = NamesReader::new(&out[HEADER_SIZE..len]);
    let mut now = Vec::new();
    for (expected, layout) in (1..).zip(&layouts) {
        let Some(Name::Layout {
            file,
            layout: found,
        }) = names.next()
        else {
            panic!("layout {expected} is missing");
        };
        now.resize(found.length, 0);
        found.apply(&mut now);
        assert_eq!((file, &now), (expected, layout));
    }
    assert!(names.complete());
    let mut one = [0u8; 1024];
    let mut writer = NamesWriter::new(&mut one);
    writer.layout(1, &layouts[0]);
    writer.layout(2, &layouts[1]);
    let both = writer.finish(Ids::default()).unwrap() - HEADER_SIZE;
    assert!(both < layouts[0].len() + 12, "{both}");
}

#[test]
fn a_layout_stands_in_a_block_as_the_format_says() {
    let mut out = [0u8; 128];
    let mut writer = NamesWriter::new(&mut out);
    let first = b"abcdefghij";
    let second = b"abXdefghiYZ";
    assert!(writer.layout(5, first) && writer.layout(300, second));
    let len = writer.finish(Ids::default()).unwrap();
    let first = b"\x02\x05\x0a\x00\x0aabcdefghij";
    let second = b"\x02\xac\x02\x0b\x02\x01X\x06\x02YZ";
    assert_eq!(&out[HEADER_SIZE..len], [&first[..], second].concat());
}

#[test]
fn what_does_not_fit_leaves_the_block_whole() {
    let mut out = [0u8; HEADER_SIZE + 10];
    let mut writer = NamesWriter::new(&mut out);
    assert!(writer.file(1, b"/abc"));
    assert!(!writer.file(2, b"/abd and much more"));
    assert!(!writer.op(1, PWRITE));
    let len = writer.finish(Ids::default()).unwrap();
    assert_eq!(NamesReader::new(&out[HEADER_SIZE..len]).count(), 1);
}
