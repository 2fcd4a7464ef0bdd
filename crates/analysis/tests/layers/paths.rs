//! The tree over all layers: sums by path, filters, and that cuts make no difference whatever a trace says.

use crate::tree::{MPI, Mpi, SUB, Sub, Tree, UPPER, USER, Upper};
use crate::{found, found_of};
use iota_analysis::layers::{LayerReport, PathRow};
use iota_calls::Layer;
use iota_trace::flags;

/// On two ranks: a checkpoint writes two datasets, each of which is written by one MPI call; rank 0 writes for both
fn stack() -> Vec<u8> {
    let mut tree = Tree::new(2, 1);
    for rank in 0..2 {
        let user = tree.number(rank, 0);
        for (n, object) in [(0, "/density"), (1, "/energy")] {
            let (set, mpi) = (tree.number(rank, 0), tree.number(rank, 0));
            let at = 100 * n;
            if rank == 0 {
                tree.sub(&Sub {
                    parent: mpi,
                    start: at + 20,
                    end: at + 40,
                    bytes: 16,
                    flags: flags::UNDER_LIBRARY,
                    ..SUB
                });
            }
            tree.mpi(&Mpi {
                op: "MPI_File_write_at_all",
                rank,
                id: mpi,
                parent: set,
                start: at + 10,
                end: at + 50,
                bytes: 8,
                ranks: 2,
                collective: 1 + n as u64,
                ..MPI
            });
            tree.upper(&Upper {
                rank,
                id: set,
                parent: user,
                start: at + 5,
                end: at + 60,
                bytes: 8,
                object,
                ..UPPER
            });
        }
        tree.upper(&Upper {
            rank,
            id: user,
            end: 250,
            ..USER
        });
        tree.sub(&Sub {
            op: "fsync",
            rank,
            start: 300,
            end: 310,
            ..SUB
        });
    }
    tree.finish()
}

/// One line for each row: name, calls, processes, time, own time, bytes moved and below
fn lines(report: &LayerReport) -> Vec<String> {
    fn add(out: &mut Vec<String>, rows: &[PathRow], depth: usize) {
        for row in rows {
            let object = row.object.as_deref().unwrap_or("");
            out.push(format!(
                "{}{}{object} {} {} {} {} {} {}",
                " ".repeat(depth),
                row.name,
                row.calls,
                row.processes,
                row.time,
                row.own,
                row.read + row.written,
                row.sub_read + row.sub_written,
            ));
            add(out, &row.below, depth + 1);
        }
    }
    let mut out = Vec::new();
    add(&mut out, &report.tree, 0);
    out
}

#[test]
fn calls_are_summed_by_what_called_them() {
    let report = found(&stack(), "", 1 << 19, 1);
    assert_eq!(
        lines(&report),
        [
            "write_checkpoint_ 2 2 500 280 0 32",
            " H5Dwrite/density 2 2 110 30 16 16",
            "  MPI_File_write_at_all 2 2 80 60 16 16",
            "   pwrite64 1 1 20 20 16 0",
            " H5Dwrite/energy 2 2 110 30 16 16",
            "  MPI_File_write_at_all 2 2 80 60 16 16",
            "   pwrite64 1 1 20 20 16 0",
            "fsync 2 2 20 20 0 0",
        ]
    );
    assert_eq!(
        report.tree[0].below[0].file.as_deref(),
        Some("/scratch/shared")
    );
    assert_eq!(report.limits.orphans, 0);
}

#[test]
fn a_filter_leaves_what_its_calls_have_to_do_with() {
    let trace = stack();
    let first = found(&trace, "rank=1", 1 << 19, 1);
    assert_eq!(lines(&first)[0], "write_checkpoint_ 1 1 250 140 0 0");
    assert_eq!(lines(&first).len(), 5, "fsync is of no selected call");
    assert!(lines(&found(&trace, "op=MPI_File_read*", 1 << 19, 1)).is_empty());
}

/// A write in flight that another thread completes; a third does it, and says for whom
fn in_flight(cause: (u32, u64)) -> Vec<u8> {
    let mut tree = Tree::new(1, 1);
    let (user, mpi) = (tree.number(0, 0), tree.number(0, 0));
    tree.upper(&Upper {
        id: user,
        end: 10,
        ..USER
    });
    tree.sub(&Sub {
        thread: 3,
        start: 20,
        end: 40,
        bytes: 64,
        cause,
        ..SUB
    });
    tree.mpi(&Mpi {
        op: "MPI_File_iwrite_at",
        id: mpi,
        parent: user,
        start: 2,
        end: 100,
        bytes: 64,
        flags: flags::ASYNCHRONOUS,
        begun: 5,
        ..MPI
    });
    tree.finish()
}

#[test]
fn what_is_in_flight_has_its_place_whoever_does_it() {
    for cause in [(1, 2), (0, 0)] {
        for events in [1, 2, 1 << 19] {
            let report = found(&in_flight(cause), "", events, 1);
            let expected = [
                "write_checkpoint_ 1 1 10 5 0 64",
                " MPI_File_iwrite_at 1 1 5 5 64 64",
                "  pwrite64 1 1 20 20 64 0",
            ];
            assert_eq!(lines(&report), expected, "{cause:?} {events}");
            let inferred = report.tree[0].below[0].below[0].inferred;
            assert_eq!(inferred, u64::from(cause.1 == 0));
        }
    }
}

#[test]
fn calls_of_calls_that_are_not_there_are_told() {
    let mut tree = Tree::new(1, 1);
    let killed = tree.number(0, 0);
    let (outer, inner) = (tree.number(0, 0), tree.number(0, 0));
    tree.sub(&Sub {
        op: "write",
        id: inner,
        parent: outer,
        start: 2,
        end: 3,
        ..SUB
    });
    tree.sub(&Sub {
        op: "fwrite",
        id: outer,
        parent: killed,
        start: 1,
        end: 4,
        ..SUB
    });
    let trace = tree.finish();
    for events in [1, 1 << 19] {
        let report = found(&trace, "", events, 1);
        assert_eq!(report.limits.orphans, 1, "{events}");
        assert_eq!(lines(&report), ["fwrite 1 1 3 2 0 0", " write 1 1 1 1 0 0"]);
    }
}

#[test]
fn calls_that_call_themselves_without_end_are_cut_off() {
    let mut tree = Tree::new(1, 1);
    let ids: Vec<u64> = (0..20_000).map(|_| tree.number(0, 0)).collect();
    for (at, id) in ids.iter().enumerate().rev() {
        let (at, parent) = (at as i64, at.checked_sub(1).map_or(0, |before| ids[before]));
        tree.upper(&Upper {
            id: *id,
            parent,
            start: at,
            end: 40_000 - at,
            ..USER
        });
    }
    let report = found(&tree.finish(), "", 1000, 2);
    assert_eq!((lines(&report).len(), report.limits.orphans), (65, 0));
}

/// Numbers that look random
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Calls of all layers with any callers, causes and times
fn wild(random: &mut Random, causes: bool) -> Vec<u8> {
    let mut tree = Tree::new(2, 1);
    for _ in 0..1 + random.below(60) {
        let (rank, thread) = (random.below(2) as u32, 1 + random.below(2) as u32);
        let (parent, id) = (
            random.below(40),
            if random.below(3) == 0 {
                1 + random.below(30)
            } else {
                0
            },
        );
        let (start, took) = (random.below(100) as i64, random.below(50) as i64);
        let cause = (
            1 + random.below(2) as u32,
            if causes { random.below(40) } else { 0 },
        );
        let flags = [0, flags::ASYNCHRONOUS, 0, flags::UNDER_LIBRARY][random.below(4) as usize];
        let end = start + took;
        match random.below(3) {
            0 => tree.sub(&Sub {
                rank,
                thread,
                id,
                parent,
                start,
                end,
                bytes: 8,
                flags,
                cause,
                ..SUB
            }),
            1 => tree.mpi(&Mpi {
                rank,
                thread,
                id,
                parent,
                start,
                end,
                bytes: 8,
                flags,
                ..MPI
            }),
            _ => tree.upper(&Upper {
                rank,
                thread,
                id,
                parent,
                start,
                end,
                flags,
                object: "/a",
                ..UPPER
            }),
        };
    }
    tree.finish()
}

#[test]
fn cuts_make_no_difference_whatever_a_trace_says() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..300 {
        let trace = wild(&mut random, round % 2 == 0);
        let text = |events| {
            let report = found(&trace, "", events, 1);
            format!("{:?} {} orphans", lines(&report), report.limits.orphans)
        };
        let whole = text(1 << 19);
        for events in [1, 2, 5] {
            assert_eq!(text(events), whole, "round {round}, units of {events}");
        }
    }
}

#[test]
fn calls_of_hdf5_have_what_mpi_does_below_them() {
    for events in [1, 3, 1 << 19] {
        let report = found_of(&stack(), Some(Layer::Hdf5 as u8), "", events, 1);
        let total = &report.total.figures;
        assert_eq!((total.calls, total.time, total.client), (4, 220, 40));
        assert_eq!((total.written, total.sub_written), (32, 32), "{events}");
        let sets = report.objects.iter();
        let sets: Vec<_> = sets
            .map(|row| (&*row.name, row.figures.calls, row.ranks))
            .collect();
        assert_eq!(sets, [("/density", 2, Some(2)), ("/energy", 2, Some(2))]);
    }
    let user = found_of(&stack(), Some(Layer::User as u8), "", 1, 1);
    let total = &user.total.figures;
    assert_eq!((total.calls, total.client, total.sub_calls), (2, 40, 2));
    assert_eq!((total.library, total.sub_written), (460, 32));
}
