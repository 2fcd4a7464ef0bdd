//! Bytes and times count once: those of POSIX and STDIO calls, also below MPI-IO; or, where calls of MPI-IO alone are asked
//! for, theirs.

mod common;

use common::Dir;
use common::trace::{Part, call};
use common::tree::{MPI, Mpi, SUB, Sub, Tree};
use iota_trace::{Record, flags};
use serde_json::Value;

const MS: i64 = 1_000_000;
/// The class MPI_ERR_NO_SUCH_FILE, whose number is another error's for the system
const NO_SUCH_FILE: u16 = 42;

/// Rank 0 writes 1000 bytes for both in 30 of 50 ms, as 2 * 500 bytes above; rank 1 cannot open another file; then it writes
/// 24 bytes without MPI in 10 ms
fn trace() -> Vec<u8> {
    let mut tree = Tree::new(2, 1);
    for rank in 0..2 {
        let id = tree.number(rank, 0);
        if rank == 0 {
            tree.sub(&Sub {
                parent: id,
                start: 10 * MS,
                end: 40 * MS,
                bytes: 1000,
                flags: flags::UNDER_LIBRARY,
                ..SUB
            });
        }
        tree.mpi(&Mpi {
            op: "MPI_File_write_at_all",
            rank,
            id,
            start: 0,
            end: 50 * MS,
            offset: 4096 * i64::from(rank),
            bytes: 500,
            collective: 9,
            ranks: 2,
            ..MPI
        });
    }
    tree.mpi(&Mpi {
        op: "MPI_File_open",
        rank: 1,
        start: 60 * MS,
        end: 61 * MS,
        file: "/scratch/none",
        errno: NO_SUCH_FILE,
        offset: -1,
        ..MPI
    });
    tree.sub(&Sub {
        rank: 1,
        start: 70 * MS,
        end: 80 * MS,
        file: "/scratch/log",
        bytes: 24,
        ..SUB
    });
    tree.finish()
}

fn dir() -> Dir {
    Dir::new().with("run.iota", &trace())
}

fn stat(dir: &Dir, only: &[&str]) -> Value {
    let args = ["stat", "run.iota", "--json", "--by", "op,file,rank,layer"];
    let only = only.iter().flat_map(|only| ["--where", only]);
    let args: Vec<&str> = args.into_iter().chain(only).collect();
    serde_json::from_str(&dir.run(args).whole()).unwrap()
}

/// A row's calls, bytes written and time
fn row(report: &Value, table: usize, name: &str) -> (u64, u64, u64) {
    let rows = report["tables"][table]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("{name} in {rows:?}"));
    let number = |key: &str| row[key].as_u64().unwrap();
    (number("calls"), number("bytes_written"), number("time"))
}

#[test]
fn what_mpi_moves_is_counted_below_it() {
    let report = stat(&dir(), &[]);
    assert_eq!(report["io"]["calls"], 2);
    assert_eq!(report["io"]["bytes_written"], 1024);
    // The calls of MPI-IO as a whole, and a call of the program's own.
    assert_eq!(report["io"]["time"]["total"], 111 * MS);
    let below = ["read", "write", "sync", "meta"].map(|part| report["io"]["time"][part].as_u64());
    assert_eq!(below.into_iter().flatten().sum::<u64>(), 40_000_000);
    assert_eq!(row(&report, 0, "pwrite64"), (2, 1024, 40_000_000));
    // A function of MPI-IO has a row, whose time is in no sum.
    assert_eq!(row(&report, 0, "MPI_File_write_at_all"), (2, 1000, 0));
    assert_eq!(row(&report, 1, "/scratch/shared"), (1, 1000, 100_000_000));
    assert_eq!(row(&report, 2, "0"), (1, 1000, 50_000_000));
    assert_eq!(row(&report, 2, "1"), (1, 24, 61_000_000));
    assert_eq!(row(&report, 3, "MPI-IO"), (3, 1000, 0));
}

#[test]
fn calls_of_mpi_alone_are_those_of_mpi() {
    for layer in ["layer=mpiio", "layer=MPI-IO", "layer=mpi*", "layer!=posix"] {
        let report = stat(&dir(), &[layer]);
        assert_eq!(report["io"]["calls"], 3, "{layer}");
        assert_eq!(report["io"]["bytes_written"], 1000);
        assert_eq!(report["io"]["time"]["total"], 101 * MS);
        assert_eq!(report["write"]["calls"], 2);
        assert_eq!(
            row(&report, 0, "MPI_File_write_at_all"),
            (2, 1000, 100_000_000)
        );
        assert_eq!(row(&report, 1, "/scratch/shared"), (2, 1000, 100_000_000));
        assert_eq!(row(&report, 2, "1"), (2, 500, 51_000_000));
    }
}

#[test]
fn both_layers_count_once() {
    let report = stat(&dir(), &["layer=mpiio,posix"]);
    assert_eq!(report["io"]["bytes_written"], 1024);
    assert_eq!(report["io"]["time"]["total"], 111 * MS);
}

#[test]
fn information_counts_bytes_below_mpi() {
    let said: Value =
        serde_json::from_str(&dir().run(["info", "run.iota", "--json"]).whole()).unwrap();
    assert_eq!(said["calls"]["bytes_written"], 1024, "{said:#}");
    let functions = said["functions"].as_array().unwrap();
    assert!(
        functions
            .iter()
            .any(|of| of["function"] == "MPI_File_write_at_all" && of["calls"] == 2)
    );
    let files = said["files"]["top"].as_array().unwrap();
    let shared = files
        .iter()
        .find(|file| file["path"] == "/scratch/shared")
        .unwrap();
    assert_eq!(shared["bytes_written"], 1000);
}

#[test]
fn an_error_of_mpi_has_the_name_of_its_class() {
    let dir = dir();
    let long = dir.run(["text", "-v", "run.iota"]).whole();
    let failed = long
        .lines()
        .find(|line| line.contains("/scratch/none"))
        .unwrap();
    assert!(
        failed.contains("\tMPI_ERR_NO_SUCH_FILE\tMPI-IO\t"),
        "{failed}"
    );
    let csv = dir
        .run(["convert", "run.iota", "--to", "csv", "-o", "-"])
        .whole();
    assert!(csv.contains(",MPI_ERR_NO_SUCH_FILE,"), "{csv}");
    let count = |only: &str| stat(&dir, &["layer=mpiio", only])["io"]["calls"].clone();
    assert_eq!(count("errno=MPI_ERR_NO_SUCH_FILE"), 1);
    assert_eq!(count("errno=mpi_err_io"), 0);
    assert_eq!(
        count("errno=ENOMSG"),
        0,
        "the system's error of this number"
    );
    assert_eq!(count("errno!=0"), 1);
}

#[test]
fn lines_come_back_with_the_class() {
    let dir = dir();
    dir.run(["convert", "run.iota", "-o", "run.txt"]).whole();
    assert_eq!(
        dir.run(["convert", "run.txt", "-o", "again.iota"]).status,
        0
    );
    let lines = |name: &str| {
        let text = dir.run(["text", "-v", name]).whole();
        common::calls(&text).join("\n")
    };
    assert_eq!(lines("run.iota"), lines("again.iota"));
}

/// A trace that was text counts as before: what MPI made for itself, and what is under a call of MPI-IO, is still known.
#[test]
fn what_was_text_counts_the_same() {
    let mut tree = Tree::new(1, 1);
    tree.sub(&Sub {
        end: 5 * MS,
        bytes: 77,
        file: "/etc/mca-params.conf",
        flags: flags::MPI_STARTUP,
        ..SUB
    });
    let id = tree.number(0, 0);
    tree.sub(&Sub {
        parent: id,
        start: 10 * MS,
        end: 40 * MS,
        bytes: 1000,
        flags: flags::UNDER_LIBRARY,
        ..SUB
    });
    tree.mpi(&Mpi {
        op: "MPI_File_iwrite_at",
        id,
        end: 50 * MS,
        bytes: 1000,
        begun: 3_000_000,
        flags: flags::ASYNCHRONOUS,
        ..MPI
    });
    let dir = Dir::new().with("run.iota", &tree.finish());
    let figures = |args: &[&str]| {
        let args = args.iter().copied().chain(["run.iota", "--json"]);
        let text = dir.run(args).whole();
        let figures: Value = serde_json::from_str(&text).unwrap();
        figures
    };
    // Lines do not say which program a process was.
    let stat = &["stat", "--by", "op,file"][..];
    let all = || {
        let startup = figures(&["stat", "--by", "op,file", "--where", "startup"]);
        (figures(stat), startup, figures(&["layers"]))
    };
    let before = all();
    assert_eq!(before.0["io"]["bytes_written"], 1000);
    assert_eq!(before.1["io"]["bytes_written"], 77);
    assert_eq!(before.2["total"]["flight_time"], 50 * MS);
    dir.run(["convert", "run.iota", "-o", "run.txt"]).whole();
    std::fs::remove_file(dir.file("run.iota")).unwrap();
    assert_eq!(dir.run(["convert", "run.txt", "-o", "run.iota"]).status, 0);
    assert_eq!(all(), before);
}

#[test]
fn transfers_of_mpi_are_logs() {
    let dir = dir();
    let log = |to: &str| {
        let args = [
            "convert",
            "run.iota",
            "--layer",
            "mpiio",
            "--file",
            "/scratch/shared",
            "--to",
            to,
            "-o",
            "-",
        ];
        dir.run(args).whole()
    };
    let ioplots = "0 w 0 500 0.000000000 0.050000000\n1 w 4096 500 0.000000000 0.050000000\n";
    assert_eq!(log("ioplots"), ioplots);
    let dxt = log("dxt");
    assert!(dxt.contains("# DXT_MPIIO module data"), "{dxt}");
    let lines: Vec<&str> = dxt
        .lines()
        .filter(|line| line.contains("X_MPIIO"))
        .collect();
    assert_eq!(lines.len(), 2, "{dxt}");
    let fields: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(fields[1..6], ["1", "write", "0", "4096", "500"]);
}

#[test]
fn a_picture_of_mpi_has_its_offsets() {
    let dir = dir();
    let drawn = |args: &[&str]| {
        let all = ["plot", "run.iota", "--kind", "offset", "-fo", "out.svg"];
        dir.run(all.iter().chain(args)).whole();
        std::fs::read_to_string(dir.file("out.svg")).unwrap()
    };
    let (below, above) = (drawn(&[]), drawn(&["--layer", "mpiio"]));
    let has =
        |picture: &str, rank: u32| picture.contains(&format!("inkscape:label=\"rank {rank}\""));
    assert_eq!(
        (has(&below, 0), has(&below, 1)),
        (true, false),
        "rank 0 alone writes the file"
    );
    assert_eq!(
        (has(&above, 0), has(&above, 1)),
        (true, true),
        "through MPI both do"
    );
}

/// What a program writes through a stream, and what becomes of it
#[test]
fn tables_say_what_reaches_the_kernel() {
    let page = |name: &str, form: &[&str]| {
        let mut part = Part::new(0, 1, 0);
        part.file(1, b"/scratch/log");
        let calls = (1u32..=200).map(|id| Record {
            id,
            file: 1,
            fd: 3,
            ret: 40,
            length: 40,
            ..call(name, u64::from(id) * 1000, 500)
        });
        part.calls(&calls.collect::<Vec<_>>());
        let dir = Dir::new().with("run.iota", &part.finish());
        let asked = ["stat", "run.iota", "--by", "file"];
        dir.run([&asked[..], form].concat()).whole()
    };
    let of_stream = page("fwrite", &[]);
    let gathered = "streams gather them: some 1 of 7.81 KiB reach the kernel";
    assert!(of_stream.contains(gathered), "{of_stream}");
    let heads = |page: &str| page.lines().any(|line| line.contains("to kernel"));
    assert!(heads(&of_stream), "{of_stream}");
    assert!(!heads(&page("write", &[])));
    let figures = |name: &str| {
        let object: Value = serde_json::from_str(&page(name, &["--json"])).unwrap();
        let of = &object["write"];
        let figure = |of: &Value| of.as_u64().unwrap();
        (
            figure(&of["size"]["max"]),
            figure(&of["kernel_size"]["max"]),
            figure(&of["kernel_latency"]["max"]),
            figure(&of["iops"]),
        )
    };
    // One transfer, and two hundred, in 100 us.
    assert_eq!(figures("fwrite"), (40, 4096, 500, 10_000));
    assert_eq!(figures("write"), (40, 40, 500, 2_000_000));
}
