//! Row groups of Parquet and batches of Arrow, which are read one by one.

use crate::common::Dir;
use crate::common::trace::{Part, call};
use crate::table;
use iota_trace::Record;
use parquet::file::reader::{FileReader, SerializedFileReader};

/// Texts of a column have little room in memory: a row group ends when it has many.
#[test]
fn long_texts_end_a_row_group() {
    const FILES: u32 = 5000;
    const CALLS: u32 = 9000;
    let name = |n: u32| format!("/scratch/{n:04}{}", "/a long way down".repeat(230));
    let mut part = Part::new(0, 1, 0);
    for n in 0..FILES {
        part.file(n + 1, name(n).as_bytes());
    }
    let opened = |n: u32| Record {
        id: n + 1,
        file: n % FILES + 1,
        fd: 3,
        ret: 3,
        ..call("open", 1000 * u64::from(n), 500)
    };
    let calls: Vec<Record> = (0..CALLS).map(opened).collect();
    let dir = Dir::new().with("run.iota", &part.calls(&calls).finish());
    dir.run(["convert", "run.iota", "-o", "run.parquet"])
        .whole();
    let bytes = std::fs::read(dir.file("run.parquet")).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
    let groups = reader.metadata().row_groups().iter();
    let rows: Vec<i64> = groups.map(|group| group.num_rows()).collect();
    assert_eq!((rows.len(), rows.iter().sum()), (2, i64::from(CALLS)));
    let paths = table::parquet(bytes)
        .into_iter()
        .map(|row| row["path"].clone());
    assert!(paths.eq((0..CALLS).map(|n| name(n % FILES))));

    dir.run(["convert", "run.iota", "-o", "run.arrows"]).whole();
    let stream = std::fs::read(dir.file("run.arrows")).unwrap();
    let rows: Vec<usize> = (table::batches(&stream).iter())
        .map(|batch| batch.num_rows())
        .collect();
    assert_eq!((rows.len(), rows.iter().sum()), (2, CALLS as usize));
    let paths = table::arrow(&stream)
        .into_iter()
        .map(|row| row["path"].clone());
    assert!(paths.eq((0..CALLS).map(|n| name(n % FILES))));
}
