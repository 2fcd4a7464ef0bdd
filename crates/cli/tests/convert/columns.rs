//! Streams of Arrow, and the columns that tables have.

use crate::common::{Dir, small};
use crate::table;

#[test]
fn arrow_says_what_csv_says() {
    let dir = Dir::new().with("run.iota", &small(3));
    let csv = dir.run(["convert", "run.iota", "--to", "csv", "-o", "-"]);
    dir.run(["convert", "run.iota", "-o", "run.arrows"]).whole();
    let stream = std::fs::read(dir.file("run.arrows")).unwrap();
    assert_eq!(table::csv(&csv.whole()), table::arrow(&stream));
    let batches = table::batches(&stream);
    assert_eq!(batches[0].schema().metadata()["iota.unit.dur"], "ns");
    let mut command = dir.iota();
    command.args(["convert", "run.iota", "--to", "arrow", "-o", "-"]);
    assert!(command.output().unwrap().stdout == stream);
}

#[test]
fn columns_are_those_that_are_named() {
    let dir = Dir::new().with("run.iota", &small(1));
    let columns = |format, columns, output| {
        let args = ["convert", "run.iota", "--to", format, "--columns", columns];
        dir.run(args.into_iter().chain(["-o", output]))
    };
    insta::assert_snapshot!(columns("csv", "op,bytes_written,path", "-").whole().replace('\r', "$"), @"
    op,bytes_written,path$
    open,0,/scratch/run/out.0$
    pwrite64,8,/scratch/run/out.0$
    pwrite64,8,/scratch/run/out.0$
    pwrite64,8,/scratch/run/out.0$
    close,0,/scratch/run/out.0$
    ");
    columns("parquet", "path,op", "some.parquet").whole();
    let row = &table::parquet(std::fs::read(dir.file("some.parquet")).unwrap())[1];
    let op = ("op".to_owned(), "pwrite64".to_owned());
    assert_eq!(
        (row.len(), row.get_key_value("op")),
        (2, Some((&op.0, &op.1)))
    );
    columns("arrow", "dur,path", "some.arrows").whole();
    let batches = table::batches(&std::fs::read(dir.file("some.arrows")).unwrap());
    assert_eq!(batches[0].schema().field(0).name(), "dur");
    assert_eq!(batches[0].num_columns(), 2);
}

#[test]
fn columns_that_there_are_not() {
    let dir = Dir::new().with("run.iota", &small(1));
    for (format, columns, expected) in [
        (
            "csv",
            "op,size",
            "--columns: there is no column size; they are rank, host, ",
        ),
        ("arrow", "op,dur,op", "--columns: op stands there twice"),
        ("parquet", "", "--columns: there is no column ; they are"),
        (
            "dxt",
            "op",
            "--columns: only csv, parquet and arrow have columns",
        ),
    ] {
        let args = [
            "convert",
            "run.iota",
            "--to",
            format,
            "--columns",
            columns,
            "-o",
            "x",
        ];
        let said = dir.run(args);
        assert!(said.failed().contains(expected), "{said:?}");
        assert!(!dir.file("x").exists());
    }
}
