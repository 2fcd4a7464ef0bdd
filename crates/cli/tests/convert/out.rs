//! Out of a trace: each format to the byte, and what may be chosen.

use crate::common::trace::{Part, call, gathered};
use crate::common::{Dir, small, small_part};
use crate::table;
use iota_trace::{Record, flags};

#[test]
fn csv_has_every_column() {
    let dir = Dir::new().with("run.iota", &small(1));
    let out = dir
        .run(["convert", "run.iota", "--to", "csv", "-o", "-"])
        .whole();
    insta::assert_snapshot!(out.replace("\r\n", "$\n"), @r"
    rank,host,pid,thread,id,parent,start,dur,layer,class,op,file_id,path,object,off,len,ret,bytes_read,bytes_written,errno,fd,path2,fd2,off2,whence,flags,collective,ranks,extent,begun,site,lustre$
    0,node01,4000,4000,1,0,1000,2000,POSIX,open,open,1,/scratch/run/out.0,,-1,1803886264385,3,0,0,,-1,,-1,-1,0,0,0,0,0,0,,$
    0,node01,4000,4000,2,0,10000,400,POSIX,write,pwrite64,1,/scratch/run/out.0,,0,8,8,0,8,,3,,-1,-1,0,0,0,0,0,0,,$
    0,node01,4000,4000,3,0,11000,400,POSIX,write,pwrite64,1,/scratch/run/out.0,,8,8,8,0,8,,3,,-1,-1,0,0,0,0,0,0,,$
    0,node01,4000,4000,4,0,12000,400,POSIX,write,pwrite64,1,/scratch/run/out.0,,16,8,8,0,8,,3,,-1,-1,0,0,0,0,0,0,,$
    0,node01,4000,4000,5,0,20000,500,POSIX,close,close,1,/scratch/run/out.0,,-1,0,0,0,0,,3,,-1,-1,0,0,0,0,0,0,,$
    ");
}

#[test]
fn parquet_says_what_csv_says() {
    let dir = Dir::new().with("run.iota", &small(3));
    dir.run(["convert", "run.iota", "-o", "run.csv"]).whole();
    dir.run(["convert", "run.iota", "-o", "run.parquet"])
        .whole();
    let csv = table::csv(&std::fs::read_to_string(dir.file("run.csv")).unwrap());
    assert_eq!(csv.len(), 15);
    assert_eq!(
        csv,
        table::parquet(std::fs::read(dir.file("run.parquet")).unwrap())
    );
}

#[test]
fn text_is_that_of_iota_text() {
    let dir = Dir::new().with("run.iota", &small(3));
    let text = dir.run(["text", "-v", "run.iota"]).whole();
    assert_eq!(
        dir.run(["convert", "run.iota", "--to", "text", "-o", "-"])
            .whole(),
        text
    );
    dir.run(["convert", "run.iota", "-o", "run.txt"]).whole();
    assert_eq!(std::fs::read_to_string(dir.file("run.txt")).unwrap(), text);
}

#[test]
fn dxt_is_as_darshan_prints() {
    let dir = Dir::new().with("run.iota", &small(2));
    let out = dir
        .run(["convert", "run.iota", "--to", "dxt", "-o", "-"])
        .whole();
    insta::assert_snapshot!(out, @r"
    # iota 0.1.0, as darshan-dxt-parser prints
    # exe: ./flash -n 64
    # jobid: 77
    # start_time: 1795240800
    # nprocs: 2
    # run time: 10.000000000

    # ***************************************************
    # DXT_POSIX module data
    # ***************************************************

    # DXT, file_id: 6425694043002722515, file_name: /scratch/run/out.0
    # DXT, rank: 0, hostname: node01
    # DXT, write_count: 3, read_count: 0
    # DXT, mnt_pt: UNKNOWN, fs_type: UNKNOWN
    # Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
     X_POSIX       0  write        0               0               8       0.000010000       0.000010400
     X_POSIX       0  write        1               8               8       0.000011000       0.000011400
     X_POSIX       0  write        2              16               8       0.000012000       0.000012400

    # DXT, file_id: 6425692943491094304, file_name: /scratch/run/out.1
    # DXT, rank: 1, hostname: node01
    # DXT, write_count: 3, read_count: 0
    # DXT, mnt_pt: UNKNOWN, fs_type: UNKNOWN
    # Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
     X_POSIX       1  write        0               0               8       0.000010000       0.000010400
     X_POSIX       1  write        1               8               8       0.000011000       0.000011400
     X_POSIX       1  write        2              16               8       0.000012000       0.000012400
    ");
}

#[test]
fn dxt_tells_where_a_transfer_lies_on_lustre() {
    let mut part = Part::new(0, 1, 0);
    let layout = iota_trace::lustre::blob::plain(1, 1 << 20, 2, &[12, 40], None);
    part.file(1, b"/lustre/a").layout(1, &layout);
    let write = Record {
        ret: 3 << 20,
        length: 3 << 20,
        offset: 1 << 20,
        id: 1,
        file: 1,
        fd: 3,
        ..call("pwrite64", 10, 20)
    };
    part.calls(&[
        write,
        Record {
            ret: 1,
            length: 1,
            id: 2,
            offset: 0,
            ..write
        },
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let out = dir
        .run(["convert", "run.iota", "--to", "dxt", "-o", "-"])
        .whole();
    let lines: Vec<_> = out
        .lines()
        .skip_while(|line| !line.starts_with("# DXT, Lustre"))
        .collect();
    assert_eq!(
        lines[0],
        "# DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 2"
    );
    assert_eq!(lines[1], "# DXT, Lustre OST obdidx: 12 40");
    assert!(lines[3].ends_with("  [40]  [12]"), "{out}");
    assert!(lines[4].ends_with("  [12]"), "{out}");
}

#[test]
fn ioplots_is_a_log_for_each_file() {
    let dir = Dir::new().with("run.iota", &small(2));
    dir.run(["convert", "run.iota", "--to", "ioplots", "-o", "logs"])
        .whole();
    let read = |name: &str| std::fs::read_to_string(dir.file("logs").join(name)).unwrap();
    insta::assert_snapshot!(read("000001-out.0.ioplots"), @r"
    0 w 0 8 0.000010000 0.000010400
    0 w 8 8 0.000011000 0.000011400
    0 w 16 8 0.000012000 0.000012400
    ");
    assert_eq!(
        read("files.txt"),
        "000001-out.0.ioplots\t/scratch/run/out.0\n000002-out.1.ioplots\t/scratch/run/out.1\n"
    );
    let one = dir
        .run([
            "convert", "run.iota", "--to", "ioplots", "--file", "out.1", "-o", "-",
        ])
        .whole();
    assert_eq!(one, read("000002-out.1.ioplots"));
    let said = dir.run(["convert", "run.iota", "--to", "ioplots", "-o", "-"]);
    assert!(said.failed().contains("select one with --file"), "{said:?}");
    let said = dir.run(["convert", "run.iota", "--file", "out.*", "-o", "x.ioplots"]);
    assert!(said.failed().contains("matches 2 files"), "{said:?}");
    let said = dir.run([
        "convert",
        "run.iota",
        "--layer",
        "stdio",
        "--file",
        "*",
        "-o",
        "x.ioplots",
    ]);
    assert!(
        said.failed().contains("has transfers of this layer"),
        "{said:?}"
    );
}

#[test]
fn a_copy_is_a_read_and_a_write() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/from").file(2, b"/to");
    let copy = Record {
        ret: 6,
        length: 100,
        offset: 10,
        id: 1,
        file: 1,
        fd: 3,
        flags: flags::MORE,
        ..call("copy_file_range", 10, 20)
    };
    part.calls(&[copy, Record::more(2, 4, 50, 0)]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let log = |file: &str| {
        dir.run([
            "convert", "run.iota", "--to", "ioplots", "--file", file, "-o", "-",
        ])
        .whole()
    };
    assert_eq!(log("/from"), "0 r 10 6 0.000000010 0.000000030\n");
    assert_eq!(log("/to"), "0 w 50 6 0.000000010 0.000000030\n");
}

#[test]
fn calls_and_ranks_are_chosen() {
    let dir = Dir::new().with("run.iota", &small(4));
    let rows = |args: &[&str]| {
        let all = [&["convert", "run.iota", "--to", "csv", "-o", "-"], args].concat();
        let out = dir.run(all).whole();
        table::csv(&out)
            .into_iter()
            .map(|row| format!("{}{}", row["rank"], &row["op"][..1]))
            .collect::<String>()
    };
    assert_eq!(rows(&["--where", "class=open"]), "0o1o2o3o");
    assert_eq!(
        rows(&["--where", "op=p*", "--where", "offset>0", "--rank", "1,3"]),
        "1p1p3p3p"
    );
    assert_eq!(rows(&["--where", "rank=2,file=out.2,class!=write"]), "2o2c");
    assert_eq!(rows(&["--where", "file=nothing"]), "");
    let said = dir.run([
        "convert",
        "run.iota",
        "--to",
        "csv",
        "-o",
        "-",
        "--where",
        "nothing=1",
    ]);
    assert!(
        said.failed()
            .contains("--where: `nothing=1`: at character 1"),
        "{said:?}"
    );
    let said = dir.run([
        "convert", "run.iota", "--to", "csv", "-o", "-", "--rank", "9",
    ]);
    assert!(said.failed().contains("which has ranks 0-3"), "{said:?}");
}

#[test]
fn shards_are_files_of_neighbouring_ranks() {
    let dir = Dir::new().with("run.iota", &small(7));
    dir.run([
        "convert", "run.iota", "--to", "parquet", "--shards", "3", "-o", "shards",
    ])
    .whole();
    let mut files: Vec<_> = std::fs::read_dir(dir.file("shards"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    let ranks: Vec<Vec<String>> = files
        .iter()
        .map(|file| {
            let mut ranks: Vec<_> = table::parquet(std::fs::read(file).unwrap())
                .into_iter()
                .map(|row| row["rank"].clone())
                .collect();
            ranks.dedup();
            ranks
        })
        .collect();
    assert_eq!(ranks.concat().concat(), "0123456");
    assert_eq!(ranks.len(), 3);
    assert_eq!(files[0].file_name().unwrap(), "ranks-000000-000002.parquet");
    let said = dir.run([
        "convert", "run.iota", "--to", "parquet", "--shards", "3", "-o", "shards",
    ]);
    assert!(said.failed().contains("exists already"), "{said:?}");
    let said = dir.run([
        "convert", "run.iota", "--to", "csv", "--shards", "3", "-o", "more",
    ]);
    assert!(said.failed().contains("only parquet"), "{said:?}");
    // More than there are ranks: a file for each.
    dir.run([
        "convert", "run.iota", "--to", "parquet", "--shards", "99", "-o", "each",
    ])
    .whole();
    assert_eq!(std::fs::read_dir(dir.file("each")).unwrap().count(), 7);
}

#[test]
fn parts_are_one_trace() {
    let dir = Dir::new()
        .with("run.0.iota", &small_part(0, 2).finish())
        .with("run.1.iota", &small_part(1, 2).finish())
        .with(
            "all.iota",
            &gathered(&[small_part(0, 2).finish(), small_part(1, 2).finish()]),
        );
    let csv = |args: &[&str]| {
        dir.run([&["convert", "--to", "csv", "-o", "-"], args].concat())
            .whole()
    };
    let whole = csv(&["all.iota"]);
    assert_eq!(csv(&["run.iota"]), whole);
    assert_eq!(csv(&["run.1.iota", "run.0.iota"]), whole);
}

/// Fields of a message on the wire, by their numbers: what Perfetto's own readers see is tested with those
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>, u64)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        while let [first, rest @ ..] = *bytes {
            *bytes = rest;
            value |= u64::from(first & 0x7F) << shift;
            shift += 7;
            if first & 0x80 == 0 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let number = varint(&mut bytes);
        let (content, rest) = if key & 7 == 2 {
            bytes.split_at(number as usize)
        } else {
            (&b""[..], bytes)
        };
        fields.push((key >> 3, content.to_vec(), number));
        bytes = rest;
    }
    fields
}

/// Time, track, and 1 for the begin or 2 for the end of each slice
fn slices(trace: &[u8]) -> Vec<(u64, u64, u64)> {
    let number = |fields: &[(u64, Vec<u8>, u64)], wanted| {
        fields.iter().find(|f| f.0 == wanted).map_or(0, |f| f.2)
    };
    let mut slices = Vec::new();
    for (_, packet, _) in fields(trace) {
        let packet = fields(&packet);
        if let Some((_, event, _)) = packet.iter().find(|field| field.0 == 11) {
            let event = fields(event);
            slices.push((number(&packet, 8), number(&event, 11), number(&event, 9)));
        }
    }
    slices.retain(|slice| slice.2 < 3);
    slices
}

#[test]
fn slices_lie_within_those_that_enclose_them() {
    let mut part = Part::new(0, 1, 0);
    // A stream's write (2) within another (1), begun in the same step; an asynchronous one across both (4); then 3.
    let at = |name, start, elapse, id, parent| Record {
        id,
        parent,
        ..call(name, start, elapse)
    };
    part.calls(&[
        at("write", 10, 5, 2, 1),
        at("fwrite", 10, 10, 1, 0),
        at("write", 20, 10, 3, 0),
        Record {
            flags: flags::ASYNCHRONOUS,
            ..at("aio_write", 5, 40, 4, 0)
        },
    ]);
    let dir = Dir::new().with("run.iota", &part.finish());
    dir.run(["convert", "run.iota", "-o", "run.pftrace"])
        .whole();
    let slices = slices(&std::fs::read(dir.file("run.pftrace")).unwrap());
    let epoch = crate::common::trace::EPOCH;
    let seen: Vec<_> = slices
        .iter()
        .map(|(time, track, kind)| (time - epoch, track & 3, *kind))
        .collect();
    let expected = [
        (10, 1, 1),
        (10, 1, 1),
        (15, 1, 2),
        (20, 1, 2),
        (20, 1, 1),
        (30, 1, 2),
        (5, 2, 1),
        (45, 2, 2),
    ];
    assert_eq!(seen, expected);
}
