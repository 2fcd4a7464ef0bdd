//! `--server`: calls of file servers from traces of their own, joined to those of a job.

mod common;

use common::tree::{MPI, Mpi, SUB, Sub, Tree};
use common::{Dir, joined};
use iota_trace::flags;
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

const MS: i64 = 1_000_000;
const HALF: u64 = 512 << 10;

/// A write of MPI-IO of 40 ms with two sub-calls of 1 MiB, of 16 and 11 ms, and a read of half a MiB later.
fn job() -> Vec<u8> {
    let mut tree = Tree::new(2, 2);
    let id = tree.number(0, 0);
    for (start, end, offset) in [(10, 26, 0), (30, 41, 2 * HALF)] {
        tree.sub(&Sub {
            parent: id,
            start: start * MS,
            end: end * MS,
            offset: offset as i64,
            bytes: 2 * HALF,
            flags: flags::UNDER_LIBRARY,
            ..SUB
        });
    }
    tree.mpi(&Mpi {
        id,
        start: 5 * MS,
        end: 45 * MS,
        bytes: 4 * HALF,
        ..MPI
    });
    let id = tree.number(1, 0);
    tree.sub(&Sub {
        op: "pread64",
        rank: 1,
        parent: id,
        start: 60 * MS,
        end: 65 * MS,
        bytes: HALF,
        flags: flags::UNDER_LIBRARY,
        ..SUB
    });
    tree.mpi(&Mpi {
        op: "MPI_File_read_at",
        rank: 1,
        id,
        start: 60 * MS,
        end: 66 * MS,
        bytes: HALF,
        ..MPI
    });
    tree.finish()
}

/// Two servers with half of each MiB, whose clocks are a minute ahead. They take 10 and 14 ms, then 8 and 9 ms.
fn two_servers() -> Vec<u8> {
    let mut tree = Tree::new(2, 2).after(1);
    let calls = [
        (0, "pwrite64", 12, 22, 0),
        (1, "pwrite64", 11, 25, HALF),
        (0, "pwrite64", 31, 39, 2 * HALF),
        (1, "pwrite64", 31, 40, 3 * HALF),
        (0, "pread64", 61, 63, 0),
        // What nobody asked for
        (1, "pread64", 61, 62, 9 << 20),
    ];
    for (rank, op, start, end, offset) in calls {
        tree.sub(&Sub {
            op,
            rank,
            start: start * MS,
            end: end * MS,
            file: ["/srv/a/shared", "/srv/b/shared"][rank as usize],
            offset: offset as i64,
            bytes: HALF,
            ..SUB
        });
    }
    tree.finish()
}

fn of_both() -> Dir {
    Dir::new()
        .with("run.iota", &job())
        .with("servers.iota", &two_servers())
}

/// The example of docs/LAYERS.md: 14 and 9 ms of the slowest servers are 23.
#[test]
fn latency_is_that_of_the_slowest_server_of_each_sub_call() {
    let dir = of_both();
    let said = joined(&dir, &[]);
    let ops = said["ops"].as_array().unwrap();
    let write = ops
        .iter()
        .find(|op| op["name"] == "MPI_File_write_at")
        .unwrap();
    assert_eq!(write["client"], 27 * MS);
    assert_eq!(write["server"], 23 * MS);
    assert_eq!(said["total"]["server"], 25 * MS);
    let servers = said["servers"].as_array().unwrap();
    let names: Vec<_> = servers
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["node1:/srv/b", "node0:/srv/a"]);
    let (b, a) = (&servers[0], &servers[1]);
    assert_eq!((&b["calls"], &b["time"]), (&3.into(), &(24 * MS).into()));
    assert_eq!((&b["slowest"], &a["slowest"]), (&2.into(), &0.into()));
    assert_eq!(
        (&b["untied"], &b["untied_bytes"]),
        (&1.into(), &HALF.into())
    );
    assert_eq!((&a["untied"], &a["bytes_read"]), (&0.into(), &HALF.into()));
    for server in servers {
        let offset = server["clock_offset"].as_i64().unwrap();
        let error = server["clock_error"].as_i64().unwrap();
        assert!(
            (offset + 60_000 * MS).abs() <= error && error <= 3 * MS,
            "{server:#}"
        );
    }
}

#[test]
fn the_table_of_servers() {
    let dir = of_both();
    let words = [
        "layers",
        "run.iota",
        "--by",
        "server",
        "--server",
        "servers.iota",
    ];
    let said = dir.run(words);
    let line = said
        .out
        .lines()
        .find(|line| line.starts_with("node1:/srv/b"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(
        words[..4],
        ["node1:/srv/b", "3", "24.0", "ms"],
        "{}",
        said.out
    );
    let out: Vec<&str> = said.out.split_whitespace().collect();
    let out = out.join(" ");
    assert!(out.contains("(25.0 ms of them in servers)"), "{out}");
    let alone = dir.run(["layers", "run.iota", "--by", "server"]);
    assert!(!alone.out.contains("server  "), "{}", alone.out);
}

#[test]
fn as_many_servers_as_other_rows() {
    let dir = of_both();
    let one = joined(&dir, &["--top", "1"]);
    assert_eq!(one["servers"].as_array().unwrap().len(), 1);
    assert_eq!(one["counts"].as_array().unwrap().last().unwrap(), 2);
    let words = ["layers", "run.iota", "--by", "server", "--top", "1"];
    let said = dir.run(words.iter().chain(&["--server", "servers.iota"]));
    assert!(said.out.contains("and 1 more row"), "{}", said.out);
}

/// Damage of the servers' trace is said after all that was read.
#[test]
fn a_damaged_trace_of_servers_is_read_as_far_as_it_goes() {
    let mut damaged = two_servers();
    damaged.extend(b"something else");
    let dir = of_both().with("damaged.iota", &damaged);
    let said = dir.run(["layers", "run.iota", "--server", "damaged.iota"]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("damaged.iota: byte"), "{}", said.err);
    assert!(said.out.contains("node1:/srv/b"), "{}", said.out);
    assert!(
        said.err.contains("everything else was read"),
        "{}",
        said.err
    );
}

/// What is made of them is as private as they are, and never takes their place.
#[test]
fn traces_of_servers_are_inputs() {
    let dir = of_both();
    let private = Permissions::from_mode(0o600);
    std::fs::set_permissions(dir.file("servers.iota"), private).unwrap();
    std::os::unix::fs::symlink("servers.iota", dir.file("link.svg")).unwrap();
    let drawn = |name: &str| {
        let words = ["plot", "run.iota", "-k", "tree", "--server", "servers.iota"];
        dir.run(words.iter().chain(&["-f", "-o", name]))
    };
    let said = drawn("link.svg");
    assert_eq!(said.status, 2);
    assert!(said.err.contains("is read"), "{}", said.err);
    assert_eq!(drawn("tree.svg").status, 0);
    let mode = dir
        .file("tree.svg")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// The tree goes on below the calls of descriptors: the slowest server is a part of their time.
#[test]
fn servers_are_the_last_level_of_the_tree() {
    let said = joined(&of_both(), &[]);
    let row = |rows: &Value, name: &str| {
        let rows = rows.as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name);
        row.unwrap_or_else(|| panic!("no {name}: {rows:#?}"))
            .clone()
    };
    let write = row(
        &row(&said["tree"], "MPI_File_write_at")["below"],
        "pwrite64",
    );
    assert_eq!(write["layer"], "POSIX");
    assert_eq!(
        (&write["time"], &write["own"]),
        (&(27 * MS).into(), &(4 * MS).into())
    );
    assert_eq!(write["sub_written"], 4 * HALF);
    let (a, b) = (
        row(&write["below"], "node0:/srv/a"),
        row(&write["below"], "node1:/srv/b"),
    );
    assert_eq!(
        (&a["layer"], &b["layer"]),
        (&"SERVER".into(), &"SERVER".into())
    );
    assert_eq!((&a["time"], &a["calls"]), (&(18 * MS).into(), &2.into()));
    assert_eq!(
        (&b["time"], &b["bytes_written"]),
        (&(23 * MS).into(), &(2 * HALF).into())
    );
}

#[test]
fn directories_that_the_user_names() {
    let dir = of_both();
    let both = [
        "--export",
        "/srv/a=/scratch",
        "--export",
        "/srv/b/=/scratch/",
    ];
    assert_eq!(joined(&dir, &both), joined(&dir, &[]));
    let one = joined(&dir, &["--export", "/srv/a=/elsewhere"]);
    assert_eq!(one["servers"].as_array().unwrap().len(), 1);
    let words = ["layers", "run.iota", "--server", "servers.iota", "--export"];
    for rule in ["/srv", "srv=/scratch", "/srv/a=x"] {
        let said = dir.run(words.iter().chain([&rule]));
        assert_eq!(said.status, 2);
        assert!(said.err.contains("SERVER_DIR=JOB_DIR"), "{}", said.err);
    }
}

#[test]
fn servers_of_other_files() {
    let mut other = Tree::new(1, 1);
    other.sub(&Sub {
        file: "/srv/a/other",
        end: MS,
        bytes: HALF,
        ..SUB
    });
    let dir = of_both().with("other.iota", &other.finish());
    let said = dir.run(["layers", "run.iota", "--server", "other.iota"]);
    assert_eq!(said.status, 2);
    assert!(
        said.err.contains("other.iota: no server moved bytes"),
        "{}",
        said.err
    );
    let none = dir.run(["layers", "run.iota", "--server", "none.iota"]);
    assert_eq!(none.status, 2);
    assert!(none.err.contains("none.iota"), "{}", none.err);
}

/// The bars of `plot -k layers` have the servers' part.
#[test]
fn pictures_show_the_time_of_servers() {
    let dir = of_both();
    let drawn = |name: &str, more: &[&str]| {
        let words = ["plot", "run.iota", "-k", "layers", "-o", name];
        let said = dir.run(words.iter().chain(more));
        assert_eq!((said.status, &*said.err), (0, ""));
        std::fs::read_to_string(dir.file(name)).unwrap()
    };
    let with = drawn("with.svg", &["--server", "servers.iota"]);
    assert!(with.contains(">servers<"), "{with}");
    assert_ne!(drawn("without.svg", &[]), with);
    let words = ["plot", "run.iota", "-k", "tree", "--server", "servers.iota"];
    let tree = dir.run(words.iter().chain(&["-o", "tree.svg"])).status;
    assert_eq!(tree, 0);
    let tree = std::fs::read_to_string(dir.file("tree.svg")).unwrap();
    assert!(tree.contains("node1:/srv/b"), "{tree}");
    let other = dir.run(["plot", "run.iota", "-k", "map", "--server", "servers.iota"]);
    assert_eq!(other.status, 2);
    assert!(
        other.err.contains("only the kinds layers and tree"),
        "{}",
        other.err
    );
}
