//! Throughput of what runs in parallel: of threads, and of transfers that are in flight at the same time.

mod common;

use common::Dir;
use common::tree::{MPI, Mpi, Tree};
use iota_trace::flags;
use serde_json::Value;

const MS: i64 = 1_000_000;
/// Bytes a second of a megabyte in 10 ms
const RATE: u64 = (1 << 20) * 100;

fn layers(tree: Tree) -> Value {
    let dir = Dir::new().with("run.iota", &tree.finish());
    serde_json::from_str(&dir.run(["layers", "run.iota", "--json"]).whole()).unwrap()
}

fn write(n: i64) -> Mpi<'static> {
    Mpi {
        op: "MPI_File_write_at",
        start: 100 * n * MS,
        end: (100 * n + 10) * MS,
        bytes: 1 << 20,
        ..MPI
    }
}

#[test]
fn rates_of_threads_add_up() {
    let mut tree = Tree::new(1, 1);
    for n in 0..12 {
        tree.mpi(&Mpi {
            thread: 1 + n as u32 % 4,
            ..write(n / 4)
        });
    }
    let all = layers(tree);
    for of in [
        &all["total"],
        &all["ops"][0],
        &all["files"][0],
        &all["ranks"][0],
    ] {
        assert_eq!(of["rate_sum"], 4 * RATE, "{of}");
    }
    assert_eq!(all["total"]["rate_wall"], 4 * RATE);
}

#[test]
fn what_a_thread_has_in_flight_together_takes_its_time_once() {
    let mut tree = Tree::new(1, 1);
    for _ in 0..4 {
        tree.mpi(&Mpi {
            op: "MPI_File_iwrite_at",
            flags: flags::ASYNCHRONOUS,
            begun: 1000,
            ..write(0)
        });
    }
    let total = &layers(tree)["total"];
    assert_eq!(total["rate_sum"], 4 * RATE);
    assert_eq!(total["rate_wall"], 4 * RATE);
}
