//! What `iota layers` finds and what it does not: a trace with a fault, and one without, for each.

mod common;

use common::tree::{MPI, Mpi, SUB, Sub, Tree};
use common::{Dir, findings_have_calls, threshold_decides};
use iota_trace::flags;
use serde_json::Value;

const MS: i64 = 1_000_000;
const OPEN: &str = "MPI_File_open";
const ALL: &str = "MPI_File_write_at_all";
const ONE: &str = "MPI_File_write_at";

/// Checks that a tree has the finding where a threshold has the first value, and not where it has the second
fn on_and_off(tree: Tree, kind: &str, name: &str, values: [&str; 2]) {
    threshold_decides(&tree.finish(), kind, name, values);
}

/// The evidence of a finding
fn evidence(tree: Tree, kind: &str) -> Option<String> {
    let dir = Dir::new().with("run.iota", &tree.finish());
    let said = dir.run(["layers", "run.iota", "--json"]).whole();
    let said: Value = serde_json::from_str(&said).unwrap();
    findings_have_calls(&dir, "run.iota", &said);
    let findings = said["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["kind"] == kind)?;
    assert!(found["cost"].as_u64().unwrap() > 0);
    let page = dir.run(["layers", "run.iota"]).whole();
    assert!(
        page.contains(&found["what"].as_str().unwrap()[..20]),
        "{page}"
    );
    Some(found["evidence"].as_str().unwrap().to_owned())
}

/// A call of each rank, at `at`, and below it on those that are aggregators these sub-calls: op, bytes, elapse
struct Each<'a> {
    op: &'a str,
    at: i64,
    elapse: i64,
    bytes: u64,
    collective: u64,
    subs: &'a [(&'a str, u64, i64)],
    aggregators: &'a [u32],
}

fn each(tree: &mut Tree, ranks: u32, of: &Each) {
    for rank in 0..ranks {
        let id = tree.number(rank, 0);
        let mut start = of.at;
        for (op, bytes, elapse) in of.subs.iter().filter(|_| of.aggregators.contains(&rank)) {
            tree.sub(&Sub {
                op,
                rank,
                parent: id,
                start,
                end: start + elapse,
                bytes: *bytes,
                flags: flags::UNDER_LIBRARY,
                ..SUB
            });
            start += elapse;
        }
        tree.mpi(&Mpi {
            op: of.op,
            rank,
            id,
            start: of.at,
            end: of.at + of.elapse,
            offset: i64::from(rank) * 1_000_000,
            bytes: of.bytes,
            collective: of.collective,
            ranks: ranks.into(),
            hints: "cb_nodes=1;romio_cb_write=automatic;romio_ds_write=automatic",
            ..MPI
        });
    }
}

fn opened(ranks: u32, hosts: u32) -> Tree {
    opened_in(Tree::new(ranks, hosts), ranks)
}

fn opened_in(mut tree: Tree, ranks: u32) -> Tree {
    let open = Each {
        op: OPEN,
        at: 0,
        elapse: MS / 10,
        bytes: 0,
        collective: 1,
        subs: &[],
        aggregators: &[],
    };
    each(&mut tree, ranks, &open);
    tree
}

const EVERYBODY: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7];

/// Each rank writes 40 pieces of so many bytes
fn pieces(op: &str, bytes: u64) -> Tree {
    let mut tree = opened(4, 1);
    written(&mut tree, op, bytes, 0..40);
    tree
}

fn written(tree: &mut Tree, op: &str, bytes: u64, numbers: std::ops::Range<i64>) {
    for n in numbers {
        let of = Each {
            op,
            at: (n + 1) * MS,
            elapse: MS,
            bytes,
            collective: if op == ALL { 2 + n as u64 } else { 0 },
            subs: &[("pwrite64", bytes, MS / 2)],
            aggregators: EVERYBODY,
        };
        each(tree, 4, &of);
    }
}

#[test]
fn small_independent_writes() {
    assert_eq!(
        evidence(pieces(ONE, 4096), "independent").as_deref(),
        Some(
            "160 independent transfers took 160 ms; most in /scratch/shared: 4 ranks, 4.00 KiB on average"
        )
    );
    assert_eq!(
        evidence(pieces(ONE, 8 << 20), "independent"),
        None,
        "large ones"
    );
    assert_eq!(
        evidence(pieces(ALL, 4096), "independent"),
        None,
        "collective ones"
    );
    let mut half = pieces(ONE, 4096);
    written(&mut half, ALL, 4096, 40..80);
    on_and_off(half, "independent", "independent-share", ["50%", "51%"]);
}

/// Collective writes of 8 ranks, carried out in so many pieces by these
fn collective(hosts: u32, bytes: u64, pieces: usize, aggregators: &[u32]) -> Tree {
    collective_of(8, hosts, bytes, pieces, aggregators)
}

fn collective_of(ranks: u32, hosts: u32, bytes: u64, pieces: usize, aggregators: &[u32]) -> Tree {
    let mut tree = opened(ranks, hosts);
    collectives(&mut tree, 0..10, (ranks, bytes), pieces, aggregators);
    tree
}

fn collectives(
    tree: &mut Tree,
    numbers: std::ops::Range<i64>,
    (ranks, bytes): (u32, u64),
    pieces: usize,
    aggregators: &[u32],
) {
    for n in numbers {
        let all = bytes * u64::from(ranks) / aggregators.len() as u64;
        let subs = vec![("pwrite64", all / pieces as u64, 80 * MS / pieces as i64); pieces];
        let of = Each {
            op: ALL,
            at: (n + 1) * 100 * MS,
            elapse: 90 * MS,
            bytes,
            collective: 2 + n as u64,
            subs: &subs,
            aggregators,
        };
        each(tree, ranks, &of);
    }
}

#[test]
fn collective_calls_that_every_rank_carries_out() {
    let kind = "no-collective-buffering";
    assert_eq!(
        evidence(collective(1, 1 << 20, 16, EVERYBODY), kind).as_deref(),
        Some(
            "/scratch/shared: 10 of 10 collective calls, 128 transfers of 64.0 KiB below each call on average; \
             hints: romio_cb_write=automatic"
        )
    );
    assert_eq!(
        evidence(collective(1, 1 << 20, 1, EVERYBODY), kind),
        None,
        "one piece of each rank"
    );
    assert_eq!(
        evidence(collective(1, 1 << 20, 16, &[0, 4]), kind),
        None,
        "aggregators"
    );
    let three = collective(1, 1 << 20, 3, EVERYBODY);
    on_and_off(three, kind, "rank-pieces", ["2.9", "3"]);
    let mut half = collective(1, 1 << 20, 16, EVERYBODY);
    collectives(&mut half, 10..20, (8, 1 << 20), 32, &[0, 4]);
    on_and_off(half, kind, "own-share", ["50%", "51%"]);
}

#[test]
fn few_aggregators() {
    let kind = "few-aggregators";
    assert_eq!(
        evidence(collective(4, 1 << 20, 2, &[0]), kind).as_deref(),
        Some(
            "/scratch/shared: 80.0 MiB in 10 collective calls; sub-calls are 88.9 % of their time; \
             hints: cb_nodes=1"
        )
    );
    assert_eq!(
        evidence(collective(4, 1 << 20, 2, &[0, 1, 2, 3]), kind),
        None,
        "one on each node"
    );
    assert_eq!(
        evidence(collective(4, 4096, 2, &[0]), kind),
        None,
        "little to write"
    );
    assert_eq!(
        evidence(collective(1, 1 << 20, 2, &[0]), kind),
        None,
        "one node"
    );
    let crowd = |aggregators| evidence(collective_of(64, 1, 1 << 20, 2, aggregators), kind);
    assert!(crowd(&[0]).is_some(), "one for 64 ranks of a node");
    assert_eq!(crowd(&[0, 32]), None);
    let one = collective(4, 1 << 20, 2, &[0]);
    on_and_off(one, kind, "sub-calls-share", ["88%", "89%"]);
}

#[test]
fn reading_before_writing() {
    let tree = |subs: &'static [(&'static str, u64, i64)]| {
        let mut tree = opened(2, 1);
        tree.mpi(&Mpi {
            op: "MPI_File_set_view",
            start: MS,
            end: MS + 10,
            view: [1, 512, 4096],
            ..MPI
        });
        let of = Each {
            op: ONE,
            at: 2 * MS,
            elapse: 30 * MS,
            bytes: 32 << 10,
            collective: 0,
            subs,
            aggregators: EVERYBODY,
        };
        each(&mut tree, 2, &of);
        tree
    };
    let sieved = tree(&[
        ("pread64", 256 << 10, 10 * MS),
        ("pwrite64", 256 << 10, 10 * MS),
    ]);
    assert_eq!(
        evidence(sieved, "read-before-write").as_deref(),
        Some(
            "/scratch/shared: 2 of 2 writes read 512 KiB to write 64.0 KiB, which took 20.0 ms; 1 view with holes; \
             hints: romio_ds_write=automatic, romio_cb_write=automatic"
        )
    );
    assert_eq!(
        evidence(
            tree(&[("pwrite64", 32 << 10, 10 * MS)]),
            "read-before-write"
        ),
        None
    );
}

#[test]
fn ranks_that_come_late() {
    let late = |mut tree: Tree, late: i64| {
        for n in 0..5 {
            for rank in 0..4 {
                let start = (1 + 100 * n) * MS + if rank == 2 { late } else { 0 };
                tree.mpi(&Mpi {
                    op: ALL,
                    rank,
                    start,
                    end: (51 + 100 * n) * MS,
                    bytes: 1 << 20,
                    collective: 2 + n as u64,
                    ranks: 4,
                    ..MPI
                });
            }
        }
        tree
    };
    let waiting = "waiting is 33.3 % of the time in MPI-IO, 300 ms in 6 collective calls; rank 2 came last to 5 of them, which cost the others 300 ms";
    let with_ids = opened_in(Tree::new(4, 1).with_ids(), 4);
    for tree in [opened(4, 1), with_ids] {
        let found = evidence(late(tree, 20 * MS), "late-ranks");
        assert_eq!(found.as_deref(), Some(waiting));
    }
    assert_eq!(evidence(late(opened(4, 1), 0), "late-ranks"), None);
}

#[test]
fn files_that_all_open_and_one_uses() {
    let tree = |users: u32| {
        let mut tree = opened(4, 1);
        for rank in 0..users {
            tree.mpi(&Mpi {
                rank,
                start: MS,
                end: 2 * MS,
                bytes: 100,
                ..MPI
            });
        }
        tree
    };
    assert_eq!(
        evidence(tree(1), "opened-by-all").as_deref(),
        Some("/scratch/shared: 4 ranks opened it, rank 0 alone read or wrote; 1 such file in all")
    );
    assert_eq!(evidence(tree(4), "opened-by-all"), None);
    // What a filter leaves out is not known.
    let dir = Dir::new().with("run.iota", &tree(4).finish());
    let said = dir.run(["layers", "run.iota", "--json", "--where", "rank=2"]);
    let said = said.whole();
    assert!(!said.contains("opened-by-all"), "{said}");
}

#[test]
fn hints_that_are_not_followed() {
    let tree = |asked: &'static str| {
        let mut tree = Tree::new(1, 1);
        let id = tree.number(0, 0);
        tree.mpi(&Mpi {
            op: OPEN,
            id,
            end: MS,
            collective: 1,
            ranks: 1,
            hints: "cb_nodes=1;romio_cb_write=enable",
            asked,
            ..MPI
        });
        tree
    };
    assert_eq!(
        evidence(
            tree("cb_nodes=8;romio_cb_write=ENABLE;bc_nodes=2;nc_header_align_size=512"),
            "ignored-hints"
        )
        .as_deref(),
        Some(
            "/scratch/shared: cb_nodes=1 instead of 8, bc_nodes=2 is not known; 1 such file in all"
        )
    );
    assert_eq!(
        evidence(tree("romio_cb_write=enable"), "ignored-hints"),
        None
    );
}
