//! However a trace is cut and whoever reads it, the tree is the same.

use crate::found;
use crate::tree::{MPI, Mpi, SUB, Sub, Tree};
use iota_trace::flags;

/// Many calls of every sort in two threads of three ranks
fn many() -> Vec<u8> {
    let mut tree = Tree::new(3, 2);
    for rank in 0..3 {
        for n in 0..3000i64 {
            let (thread, at) = (1 + n as u32 % 2, 1000 * n + 7 * i64::from(rank));
            let mpi = tree.number(rank, 0);
            for sub in 0..n % 4 {
                tree.sub(&Sub {
                    rank,
                    thread,
                    parent: mpi,
                    start: at + 100 * sub,
                    end: at + 100 * sub + 90 + 20 * (n % 2),
                    bytes: 8,
                    ..SUB
                });
            }
            let flies = n % 5 == 0;
            tree.mpi(&Mpi {
                op: if flies {
                    "MPI_File_iwrite_at"
                } else {
                    "MPI_File_write_all"
                },
                rank,
                id: mpi,
                thread,
                start: at,
                end: at + if flies { 1500 } else { 900 },
                bytes: 16,
                flags: if flies { flags::ASYNCHRONOUS } else { 0 },
                collective: if flies { 0 } else { 1 + n as u64 },
                ranks: 3,
                ..MPI
            });
            if n % 7 == 0 {
                tree.sub(&Sub {
                    rank,
                    thread,
                    start: at + 910,
                    end: at + 920,
                    bytes: 4,
                    ..SUB
                });
            }
        }
    }
    tree.finish()
}

#[test]
fn cuts_and_threads_make_no_difference() {
    let trace = many();
    let whole = serde_json::to_string(&found(&trace, "", 1 << 30, 1)).unwrap();
    let report = found(&trace, "", 1 << 30, 1);
    assert_eq!(
        (report.total.figures.calls, report.collectives.len()),
        (9000, 2400)
    );
    assert_eq!(report.limits.orphans, 0);
    for (events, threads) in [(1, 1), (1, 2), (2048, 2), (5000, 2)] {
        let cut = serde_json::to_string(&found(&trace, "", events, threads)).unwrap();
        assert!(
            whole == cut,
            "units of {events} by {threads}:\n{whole:.3000}\n{cut:.3000}"
        );
    }
}

/// So many transfers in flight one after another, each with a call of another thread that names no parent
fn flights(count: i64, strays: i64) -> Vec<u8> {
    let mut tree = Tree::new(1, 1);
    for n in 0..count.max(strays) {
        if n < strays {
            tree.sub(&Sub {
                thread: 2,
                start: 100 * n + 10,
                end: 100 * n + 20,
                bytes: 8,
                ..SUB
            });
        }
        if n < count {
            tree.mpi(&Mpi {
                op: "MPI_File_iwrite_at",
                start: 100 * n,
                end: 100 * n + 90,
                bytes: 8,
                flags: flags::ASYNCHRONOUS,
                ..MPI
            });
        }
    }
    tree.finish()
}

#[test]
fn more_transfers_in_flight_than_are_kept_are_tied_as_they_come() {
    // More than 16,384 at a time.
    let report = found(&flights(40_000, 40_000), "", 1 << 30, 1);
    let figures = &report.total.figures;
    assert_eq!(
        (figures.calls, figures.inferred, report.limits.lost),
        (40_000, 40_000, 0)
    );
    assert_eq!((figures.client, figures.sub_written), (400_000, 320_000));
}

#[test]
fn calls_that_were_let_go_are_told() {
    // More than 65,536, all of which stand in the trace before the transfers.
    let report = found(&flights(1000, 100_000), "", 1 << 30, 1);
    assert_eq!(report.total.figures.calls, 1000);
    let expected = 100_000 - (1 << 16)..100_000;
    assert!(
        expected.contains(&report.limits.lost),
        "{}",
        report.limits.lost
    );
}

/// A thread that completes a request of aio for another one says whose it is; calls of both may be in different units, and
/// either may come first.
#[test]
fn a_sub_call_of_another_thread_finds_its_call() {
    for (of_call, of_sub) in [(1, 2), (2, 1)] {
        let mut tree = Tree::new(1, 1);
        let mpi = tree.number(0, 0);
        tree.sub(&Sub {
            op: "aio_write",
            thread: of_sub,
            start: 10,
            end: 20,
            bytes: 8,
            cause: (of_call, mpi),
            ..SUB
        });
        // The first call of a thread may always have begun before its unit.
        for (id, start, end) in [(0, 0, 1), (mpi, 5, 30)] {
            tree.mpi(&Mpi {
                id,
                thread: of_call,
                start,
                end,
                bytes: 8,
                ..MPI
            });
        }
        let trace = tree.finish();
        for events in [1 << 19, 1] {
            let report = found(&trace, "", events, 1);
            let case = (of_call, events);
            let total = report.total.figures;
            assert_eq!((total.sub_calls, total.sub_written), (1, 8), "{case:?}");
            assert_eq!(report.limits.orphans, 0, "{case:?}");
            assert_eq!(total.inferred, 0, "{case:?}");
        }
    }
}
