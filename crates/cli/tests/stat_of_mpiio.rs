//! What `iota stat` finds in jobs that write with MPI-IO: what ranks do themselves is not what aggregators do for them.

mod common;

use common::Dir;
use common::tree::{MPI, Mpi, SUB, Sub, Tree};
use iota_trace::flags;
use serde_json::Value;

const MS: i64 = 1_000_000;
const RANKS: u32 = 4;

/// Ten rounds, in each of which rank 0 writes 4 MiB in 80 ms: for all ranks, whose calls of `op` move 1 MiB each, or for its
/// own call alone, or without MPI
fn rounds(op: Option<&str>, callers: u32) -> Tree {
    let mut tree = Tree::new(RANKS, 1);
    for round in 0..10 {
        let start = round * 100 * MS;
        let id = tree.number(0, 0);
        tree.sub(&Sub {
            id: if op.is_some() { 0 } else { id },
            parent: op.map_or(0, |_| id),
            start,
            end: start + 80 * MS,
            offset: round << 22,
            bytes: 4 << 20,
            flags: op.map_or(0, |_| flags::UNDER_LIBRARY),
            ..SUB
        });
        for rank in 1..RANKS {
            tree.sub(&Sub {
                op: "stat",
                rank,
                start,
                end: start + MS,
                ..SUB
            });
        }
        for (rank, op) in (0..callers).filter_map(|rank| Some((rank, op?))) {
            tree.mpi(&Mpi {
                op,
                rank,
                id: if rank == 0 { id } else { 0 },
                start,
                end: start + 90 * MS,
                bytes: (4 << 20) / u64::from(callers),
                collective: if callers > 1 { 2 + round as u64 } else { 0 },
                ranks: callers.into(),
                ..MPI
            });
        }
    }
    tree
}

fn stat(dir: &Dir) -> Value {
    serde_json::from_str(&dir.run(["stat", "run.iota", "--json", "--all"]).whole()).unwrap()
}

fn kinds(of: Tree) -> Vec<String> {
    let found = stat(&Dir::new().with("run.iota", &of.finish()));
    assert_eq!(found["balance"]["bytes"]["max"], 40 << 20, "rank 0 writes");
    let findings = found["findings"].as_array().unwrap();
    let kind = |finding: &Value| finding["kind"].as_str().unwrap().to_owned();
    findings.iter().map(kind).collect()
}

#[test]
fn an_aggregator_does_not_do_alone_what_all_ranks_do_with_mpi() {
    let collective = kinds(rounds(Some("MPI_File_write_at_all"), RANKS));
    assert_eq!(collective, Vec::<String>::new());
    let alone = kinds(rounds(Some("MPI_File_write_at"), 1));
    // That it is longer in I/O than others follows from it.
    assert_eq!(alone, ["one-rank"]);
    assert_eq!(kinds(rounds(None, 0)), alone, "without MPI");
}

/// Without the calls of MPI-IO, which say who asked
#[test]
fn a_filter_that_leaves_out_mpi_leaves_what_ranks_do() {
    let tree = rounds(Some("MPI_File_write_at_all"), RANKS);
    let dir = Dir::new().with("run.iota", &tree.finish());
    let args = ["stat", "run.iota", "--where", "layer=posix"];
    let page = dir.run(args).whole();
    assert!(page.contains("rank 0 alone moves 100.0 %"), "{page}");
}

/// Each rank opens a file that rank 0 alone uses.
fn opened_by_all() -> Dir {
    let mut tree = rounds(Some("MPI_File_write_at"), 1);
    for rank in 0..RANKS {
        tree.mpi(&Mpi {
            op: "MPI_File_open",
            rank,
            start: 1000 * MS,
            end: 1001 * MS,
            collective: 1,
            ranks: RANKS.into(),
            ..MPI
        });
    }
    Dir::new().with("run.iota", &tree.finish())
}

#[test]
fn findings_of_the_tree_are_in_stat() {
    let dir = opened_by_all();
    let tree: Value =
        serde_json::from_str(&dir.run(["layers", "run.iota", "--json", "--all"]).whole()).unwrap();
    assert_eq!(tree["findings"][0]["kind"], "opened-by-all");
    let of_stat = stat(&dir);
    let all = of_stat["findings"].as_array().unwrap();
    assert!(all.contains(&tree["findings"][0]), "{all:#?}");
    let costs: Vec<_> = all.iter().map(|finding| finding["cost"].as_u64()).collect();
    assert!(costs.is_sorted_by(|a, b| a >= b), "{costs:?}");
    let opened_by_all = "all ranks open files that one of them uses";
    let page = |args: &[&str]| dir.run(["stat", "run.iota"].iter().chain(args)).whole();
    assert!(page(&["--all"]).contains(opened_by_all));
    assert!(!page(&["--all", "--where", "layer=posix"]).contains(opened_by_all));
}

#[test]
fn shares_say_where_findings_of_the_tree_are() {
    let dir = opened_by_all();
    for (share, name) in [("0/2", "0.stat"), ("1/2", "1.stat")] {
        dir.run(["stat", "run.iota", "--all", "--shard", share, "-o", name])
            .whole();
    }
    let merged = |more: &[&str]| {
        let args = ["stat", "--merge", "0.stat", "1.stat"];
        dir.run(args.iter().chain(more)).whole()
    };
    let page = merged(&[]);
    assert!(page.contains("run `iota layers`"), "{page}");
    let mut of_shares: Value = serde_json::from_str(&merged(&["--json"])).unwrap();
    let mut whole = stat(&dir);
    for object in [&mut of_shares, &mut whole] {
        let time = object["io"]["time"].as_object_mut().unwrap();
        let (library, waiting) = (time.remove("library"), time.remove("waiting"));
        let sum = [library, waiting]
            .into_iter()
            .flatten()
            .filter_map(|part| part.as_u64());
        assert_eq!(sum.sum::<u64>(), 104_000_000);
        object.as_object_mut().unwrap().remove("findings");
    }
    assert_eq!(of_shares, whole, "all else is the same");
}

/// The sum of three such times or lengths is more than a number can be, and would be a small one.
#[test]
fn sums_that_no_number_can_be_are_the_greatest_number() {
    let mut tree = Tree::new(1, 1);
    for _ in 0..3 {
        let parent = tree.number(0, 0);
        tree.sub(&Sub {
            parent,
            end: i64::MAX,
            bytes: i64::MAX as u64,
            flags: flags::UNDER_LIBRARY,
            ..SUB
        });
        tree.mpi(&Mpi {
            id: parent,
            end: i64::MAX,
            bytes: i64::MAX as u64,
            ..MPI
        });
    }
    let dir = Dir::new().with("run.iota", &tree.finish());
    let figures = |command: &str| {
        dir.run([command, "run.iota"]).whole();
        let text = dir.run([command, "run.iota", "--json"]).whole();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let stat = figures("stat");
    assert_eq!(stat["io"]["time"]["total"], u64::MAX);
    assert_eq!(stat["io"]["bytes_written"], u64::MAX);
    let tree = figures("layers");
    for key in ["time", "bytes_written", "sub_written", "client_sum"] {
        assert_eq!(tree["total"][key], u64::MAX, "{key}");
    }
}
