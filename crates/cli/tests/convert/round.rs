//! There and back: lines come out as they went in, whatever the calls.

use crate::common::trace::{Part, call, gathered};
use crate::common::tree::{Tree, UPPER, Upper};
use crate::common::{Dir, small};
use iota_calls::Layer;
use iota_trace::{Record, flags};
use proptest::prelude::*;

#[test]
fn a_trace_comes_back_from_its_text() {
    let dir = Dir::new().with("run.iota", &small(3));
    for verbose in [&["text", "run.iota"][..], &["text", "-v", "run.iota"]] {
        let text = dir.run(verbose).whole();
        let dir = Dir::new().with("run.txt", text.as_bytes());
        dir.run(["convert", "run.txt", "-o", "run.iota"]);
        assert_eq!(dir.run(verbose).whole(), text);
    }
}

#[test]
fn details_come_back_from_their_text() {
    let golden = "../trace/tests/golden/details.bin";
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(golden);
    let dir = Dir::new().with("run.iota", &std::fs::read(golden).unwrap());
    dir.run(["convert", "run.iota", "-o", "run.txt"]);
    let text = dir.run(["text", "-v", "run.iota"]).whole();
    assert!(text.matches("\tevery{number=7 signed=-").count() > 100);
    assert!(text.contains("cause{thread=1 call=200} every{"));
    let dir = Dir::new().with("run.txt", text.as_bytes());
    dir.run(["convert", "run.txt", "-o", "run.iota"]);
    // In the order of their ends, which the calls of a thread there do not have.
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    let again = dir.run(["text", "-v", "run.iota"]).whole();
    assert_eq!(sorted(&again), sorted(&text));
}

#[test]
fn layers_come_back_from_text() {
    let mut tree = Tree::new(1, 1);
    for (layer, op) in [
        (Layer::Netcdf, "nc_put_vara_double"),
        (Layer::Pnetcdf, "ncmpi_put_vara_double_all"),
        (Layer::Hdf5, "H5Dwrite"),
        (Layer::User, "step"),
    ] {
        tree.upper(&Upper { layer, op, ..UPPER });
    }
    let dir = Dir::new().with("run.iota", &tree.finish());
    let text = dir.run(["text", "-v", "run.iota"]).whole();
    assert!(text.contains("\tNETCDF\t"), "{text}");
    let dir = Dir::new().with("run.txt", text.as_bytes());
    dir.run(["convert", "run.txt", "-o", "run.iota"]);
    assert_eq!(dir.run(["text", "-v", "run.iota"]).whole(), text);
}

/// What a table says of each call: bytes, path, second path, descriptor and position, and `whence`
fn columns(dir: &Dir) -> Vec<Vec<String>> {
    let csv = dir.run(["convert", "run.iota", "--to", "csv", "-o", "-"]);
    const COLUMNS: [&str; 9] = [
        "op",
        "path",
        "bytes_read",
        "bytes_written",
        "fd",
        "path2",
        "fd2",
        "off2",
        "whence",
    ];
    let rows = crate::table::csv(&csv.whole()).into_iter();
    rows.map(|row| COLUMNS.map(|column| row[column].clone()).to_vec())
        .collect()
}

#[test]
fn items_and_second_files_come_back_from_text() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/in").file(2, b"/out \"2\"");
    let moved = |op, id, ret, length, whence| Record {
        ret,
        length,
        whence,
        id,
        file: 1,
        fd: 3,
        offset: 0,
        ..call(op, u64::from(id) * 10, 5)
    };
    let two = |op, id, ret| Record {
        flags: flags::MORE,
        ..moved(op, id, ret, 100, 0)
    };
    part.calls(&[
        moved("fread", 1, 100, 200, 1),
        moved("fread", 2, 12, 200, 8),
        moved("fwrite", 3, 2, 200_000, 0),
        moved("lseek", 4, 7, 3, 2),
        two("copy_file_range", 5, 60),
        Record::more(2, 4, 50, 0),
        two("sendfile", 6, 40),
        Record::more(2, 4, -1, 0),
        Record {
            flags: flags::MORE | flags::UNDER_LIBRARY,
            ..moved("dup", 7, 5, 0, 0)
        },
        Record::more(1, 5, -1, 0),
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let text = dir.run(["text", "-v", "run.iota"]).whole();
    let back = Dir::new().with("run.txt", text.as_bytes());
    back.run(["convert", "run.txt", "-o", "run.iota"]);
    assert_eq!(back.run(["text", "-v", "run.iota"]).whole(), text);
    let (mut before, after) = (columns(&dir), columns(&back));
    // Of a second descriptor of the same file the path stands once.
    before[6][5].clear();
    assert_eq!(after, before);
}

#[test]
fn text_that_lacks_the_size_of_items_invents_no_bytes() {
    let dir = Dir::new().with(
        "run.txt",
        b"0\t0.1\t0.1\t0\tfread\t100\t3\t-\t200\t0\t-\tSTDIO\t0.1\t-\t/a\t-\t7\n",
    );
    dir.run(["convert", "run.txt", "-o", "run.iota"]);
    assert_eq!(columns(&dir)[0][2], "100");
}

/// A call of a thread: function, time since the one before, elapsed, result, offset, length, descriptor, file, second file, errno
type Made = (usize, u64, u64, i64, i64, u64, i32, u32, u32, u16);

const OPS: [&str; 8] = [
    "open", "write", "pread64", "fwrite", "close", "rename", "fstat", "dup",
];

const FLAGS: [u16; 5] = [
    0,
    flags::MPI_STARTUP,
    flags::OFFSET_INFERRED,
    flags::ASYNCHRONOUS | flags::UNDER_LIBRARY,
    flags::UNDER_LIBRARY,
];

fn made() -> impl Strategy<Value = Vec<Made>> {
    let offset = prop_oneof![Just(-1), 0..i64::MAX];
    let call = (
        0..OPS.len(),
        0..10_000u64,
        0..5000u64,
        -1..100_000i64,
        offset,
        any::<u64>(),
        -1..20,
        0..4u32,
        0..4u32,
        0..40u16,
    );
    proptest::collection::vec(call, 0..60)
}

fn part(rank: u32, ranks: u32, made: &[Made]) -> Vec<u8> {
    let mut part = Part::new(rank, ranks, 0);
    part.file(1, b"/a").file(2, b"/b/c \\ \n").file(3, b"/\xFF");
    let (mut now, mut records) = (0, Vec::new());
    for (id, &(op, gap, elapse, ret, offset, length, fd, file, second, errno)) in (1..).zip(made) {
        now += gap;
        let errno = if ret < 0 { errno } else { 0 };
        let more = if second > 0 { flags::MORE } else { 0 };
        let record = Record {
            ret,
            offset,
            length,
            fd,
            file,
            errno,
            id,
            parent: if id % 7 == 0 { id - 1 } else { 0 },
            whence: 1 + id as u16 % 5,
            flags: more | FLAGS[id as usize % FLAGS.len()],
            ..call(OPS[op], now, elapse)
        };
        now += elapse;
        records.push(record);
        if second > 0 {
            let fd = if id % 3 == 0 { 9 } else { -1 };
            records.push(Record::more(second, fd, i64::from(id % 5) - 1, 0));
        }
    }
    if !records.is_empty() {
        part.calls(&records);
    }
    part.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_any_calls_come_back(a in made(), b in made()) {
        let dir = Dir::new().with("run.iota", &gathered(&[part(0, 2, &a), part(1, 2, &b)]));
        let text = dir.run(["text", "-v", "run.iota"]).whole();
        let back = Dir::new().with("run.txt", text.as_bytes());
        let said = back.run(["convert", "run.txt", "-o", "run.iota"]);
        prop_assert_eq!(said.status, 0, "{:?}", said);
        let again = back.run(["text", "-v", "run.iota"]).whole();
        let calls = |text: &str| crate::common::calls(text).into_iter().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(calls(&again), calls(&text));
    }

    #[test]
    fn logs_of_any_transfers_come_back(lines in proptest::collection::vec((0..5u32, any::<bool>(), 0..i64::MAX / 2, 0..1u64 << 40, 0..1_000_000u64, 0..1000u64), 1..80)) {
        // In order of rank, then of completion, as they are written.
        let mut lines = lines;
        lines.sort_by_key(|line| (line.0, line.4 + line.5));
        let nanos = |n: u64| format!("{}.{:09}", n / 1_000_000_000, n % 1_000_000_000);
        let log: String = lines.iter().map(|(rank, write, offset, length, start, elapse)| {
            let op = if *write { 'w' } else { 'r' };
            format!("{rank} {op} {offset} {length} {} {}\n", nanos(*start), nanos(start + elapse))
        }).collect();
        let dir = Dir::new().with("a.ioplots", log.as_bytes());
        prop_assert_eq!(dir.run(["convert", "a.ioplots", "-o", "a.iota"]).status, 0);
        prop_assert_eq!(dir.run(["convert", "a.iota", "--to", "ioplots", "-o", "-"]).whole(), log);
    }
}
