//! The tree of calls: the source's example to the digit, and what ties calls together.

#[path = "../../../cli/tests/common/tree.rs"]
#[allow(dead_code, reason = "shared with the command's tests")]
mod tree;

mod cuts;
mod paths;

use iota_analysis::layers::{LayerReport, Stack, layer_of};
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{Filter, Job, Pass};
use iota_trace::flags;
use iota_trace::read::{Options, Trace};
use std::io::Write;
use tree::{MPI, Mpi, SUB, Sub, Tree};

const MS: i64 = 1_000_000;

/// What is found in units of so many events, by so many threads
fn found(bytes: &[u8], filter: &str, events: u64, threads: usize) -> LayerReport {
    found_of(bytes, None, filter, events, threads)
}

/// The same of calls of a layer
fn found_of(
    bytes: &[u8],
    layer: Option<u8>,
    filter: &str,
    events: u64,
    threads: usize,
) -> LayerReport {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let trace = Trace::open(&[file.path().to_owned()], Options::default()).unwrap();
    assert!(trace.problems().is_empty(), "{:?}", trace.problems());
    let job = Job::in_units_of(&trace, events);
    let filter: Filter = match filter {
        "" => Filter::default(),
        text => text.parse().unwrap(),
    };
    let wanted = filter.bind(&job);
    let pass = Pass::of(&job).of_processes(&filter).threads(threads);
    let layer = layer.unwrap_or_else(|| layer_of(&job));
    Stack::read(&pass, &job, &wanted, layer, false, None).report(
        &job,
        &filter,
        0,
        &Thresholds::default(),
    )
}

fn report(tree: Tree) -> LayerReport {
    found(&tree.finish(), "", 1 << 19, 2)
}

/// MPI call 0 takes 40 ms; 00 takes 16, 01 takes 11; servers 10 and 14, 8 and 9
fn example() -> Tree {
    let mut tree = Tree::new(1, 1);
    let mpi = tree.number(0, 0);
    let sub = |tree: &mut Tree, start: i64, elapse: i64, servers: [i64; 2]| {
        let id = tree.number(0, 0);
        for took in servers {
            tree.sub(&Sub {
                op: "server_write",
                parent: id,
                start: start + MS,
                end: start + MS + took * MS,
                ..SUB
            });
        }
        tree.sub(&Sub {
            id,
            parent: mpi,
            start,
            end: start + elapse * MS,
            bytes: 1 << 20,
            ..SUB
        });
    };
    sub(&mut tree, 5 * MS, 16, [10, 14]);
    sub(&mut tree, 24 * MS, 11, [8, 9]);
    tree.mpi(&Mpi {
        id: mpi,
        end: 40 * MS,
        bytes: 2 << 20,
        ..MPI
    });
    tree
}

#[test]
fn the_example_of_the_source() {
    let report = report(example());
    let [call] = &report.calls[..] else {
        panic!("{report:?}")
    };
    let ms = |ns: u64| ns / MS as u64;
    assert_eq!(call.time, 40_000_000);
    assert_eq!(call.client, 27_000_000);
    assert_eq!(call.library, Some(13_000_000));
    assert_eq!(call.server, 23_000_000);
    assert_eq!(ms(call.client - call.server), 4, "client and network");
    assert!(!call.overlaps);
    assert_eq!((call.sub_calls, call.sub_written), (2, 2 << 20));
    let total = &report.total.figures;
    assert_eq!(
        (total.library, total.client, total.server),
        (13_000_000, 27_000_000, 23_000_000)
    );
    assert_eq!(total.amplification, Some(1.0));
    let (above, below) = ((2 << 20) * 25, (2 << 20) * 1000 / 27);
    assert_eq!((total.rate_sum, total.rate_wall), (above, above));
    assert_eq!(total.sub_rate_sum, below);
}

#[test]
fn overlapping_sub_calls_count_by_their_union() {
    let mut tree = Tree::new(1, 1);
    let mpi = tree.number(0, 0);
    for (start, end) in [(5, 21), (10, 27), (30, 31)] {
        tree.sub(&Sub {
            parent: mpi,
            start,
            end,
            bytes: 8,
            ..SUB
        });
    }
    tree.mpi(&Mpi {
        id: mpi,
        end: 40,
        bytes: 24,
        ..MPI
    });
    let report = report(tree);
    let call = &report.calls[0];
    assert!(call.overlaps);
    assert_eq!((call.client, call.library), (23, Some(17)));
    assert_eq!(
        (
            report.total.figures.client_sum,
            report.total.figures.overlapping
        ),
        (34, 1)
    );
}

/// Two ranks; rank 1 comes 30 late and writes for both, after it has read what it overwrites
fn collective() -> Tree {
    let mut tree = Tree::new(2, 1);
    for (rank, start, end) in [(0, 0, 100), (1, 30, 110)] {
        let mpi = tree.number(rank, 0);
        if rank == 1 {
            for (op, start, end, bytes) in [("pread64", 40, 50, 200), ("pwrite64", 50, 90, 200)] {
                tree.sub(&Sub {
                    op,
                    rank,
                    parent: mpi,
                    start,
                    end,
                    bytes,
                    ..SUB
                });
            }
        }
        tree.mpi(&Mpi {
            op: "MPI_File_write_all",
            rank,
            id: mpi,
            start,
            end,
            bytes: 50,
            collective: 0xABC,
            ranks: 2,
            ..MPI
        });
    }
    tree
}

#[test]
fn a_collective_knows_who_came_last_and_who_wrote() {
    let report = report(collective());
    let [one] = &report.collectives[..] else {
        panic!("{report:?}")
    };
    assert_eq!((one.ranks, one.of, one.time, one.longest), (2, 2, 110, 100));
    assert_eq!((one.last, one.spread, one.waiting), (Some(1), 30, 30));
    assert_eq!(one.aggregators, [1]);
    assert_eq!((one.bytes, one.sub_read, one.sub_written), (100, 200, 200));
    assert_eq!(one.amplification, Some(4.0));
    assert_eq!(
        (one.rate_sum, one.rate_wall),
        (500_000_000 + 625_000_000, 909_090_909)
    );
    let [first, last] = &report.ranks[..] else {
        panic!("{report:?}")
    };
    assert_eq!(
        (first.waited, first.last, first.cost, first.aggregated),
        (30, 0, 0, 0)
    );
    assert_eq!(
        (last.waited, last.last, last.cost, last.aggregated),
        (0, 1, 30, 1)
    );
    assert_eq!(report.total.waiting, 30);
    let total = &report.total.figures;
    assert_eq!((total.read_first, total.read_first_bytes), (1, 200));
    assert_eq!((total.library, total.client), (100 + 30, 50));
    let file = &report.files[0];
    assert_eq!((file.ranks, file.aggregators), (Some(2), Some(1)));
}

#[test]
fn a_rank_waits_no_longer_than_its_call() {
    let mut tree = Tree::new(2, 1);
    for (rank, start, end) in [(0, 0, 10), (1, 500, 510)] {
        tree.mpi(&Mpi {
            op: "MPI_File_write_all",
            rank,
            start,
            end,
            collective: 7,
            ranks: 2,
            ..MPI
        });
    }
    assert_eq!(report(tree).total.waiting, 10);
}

/// One write in flight from 0 to 100 as call 1, complete in thread 2; one of another file at the same time
fn in_flight(cause: (u32, u64), thread: u32, start: i64) -> LayerReport {
    let mut tree = Tree::new(1, 1);
    tree.number(0, 10);
    tree.sub(&Sub {
        thread,
        start,
        end: start + 20,
        bytes: 64,
        cause,
        ..SUB
    });
    for (file, began) in [("/scratch/shared", (1, 1)), ("/scratch/other", (1, 2))] {
        tree.mpi(&Mpi {
            op: "MPI_File_iwrite_at",
            thread: 2,
            end: 100,
            bytes: 64,
            file,
            flags: flags::ASYNCHRONOUS,
            begun: 5,
            began,
            ..MPI
        });
    }
    report(tree)
}

#[test]
fn a_transfer_in_flight_has_what_other_threads_do_for_it() {
    let told = in_flight((1, 1), 3, 50);
    let row = |report: &LayerReport| {
        let figures = &report
            .files
            .iter()
            .find(|row| row.name == "/scratch/shared")
            .unwrap()
            .figures;
        (
            figures.sub_calls,
            figures.client,
            figures.inferred,
            figures.sub_written,
        )
    };
    assert_eq!(row(&told), (1, 20, 0, 64));
    assert_eq!(
        row(&in_flight((0, 0), 3, 50)),
        (1, 20, 1, 64),
        "by file and time"
    );
    assert_eq!(
        row(&in_flight((0, 0), 3, 90)),
        (0, 0, 0, 0),
        "it ends too late"
    );
    let figures = &told.total.figures;
    assert_eq!(
        (
            figures.in_flight,
            figures.time,
            figures.flight_time,
            figures.library
        ),
        (2, 10, 200, 0)
    );
}

#[test]
fn of_two_transfers_in_flight_none_is_guessed() {
    let mut tree = Tree::new(1, 1);
    tree.number(0, 10);
    tree.sub(&Sub {
        start: 50,
        end: 60,
        bytes: 64,
        ..SUB
    });
    for number in [1, 2] {
        tree.mpi(&Mpi {
            op: "MPI_File_iwrite_at",
            end: 100,
            bytes: 64,
            flags: flags::ASYNCHRONOUS,
            began: (1, number),
            ..MPI
        });
    }
    assert_eq!(report(tree).total.figures.sub_calls, 0);
}

#[test]
fn calls_inside_calls_count_once() {
    let mut tree = Tree::new(1, 1);
    let (outer, inner) = (tree.number(0, 0), tree.number(0, 0));
    tree.sub(&Sub {
        parent: inner,
        start: 30,
        end: 40,
        bytes: 8,
        ..SUB
    });
    tree.mpi(&Mpi {
        id: inner,
        parent: outer,
        start: 20,
        end: 50,
        bytes: 8,
        ..MPI
    });
    tree.mpi(&Mpi {
        op: "MPI_File_write_all",
        id: outer,
        end: 100,
        bytes: 8,
        ..MPI
    });
    let report = report(tree);
    assert_eq!((report.limits.nested, report.total.figures.calls), (1, 1));
    assert_eq!(
        (report.calls[0].client, report.calls[0].library),
        (10, Some(90))
    );
}

#[test]
fn a_filter_selects_calls_of_mpi_and_what_they_caused() {
    let trace = collective().finish();
    let calls = |filter| found(&trace, filter, 1 << 19, 1).total.figures;
    assert_eq!((calls("rank=1").calls, calls("rank=1").sub_calls), (1, 2));
    assert_eq!(
        (calls("class=write").calls, calls("class=write").sub_calls),
        (2, 2)
    );
    assert_eq!(calls("file=*.h5").calls, 0);
}
