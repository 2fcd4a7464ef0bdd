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
