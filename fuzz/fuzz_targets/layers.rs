//! Calls of MPI-IO and of the layers below and above it in any order, with any times, parents and causes: put together, in one
//! unit and in many, with the same result.
#![no_main]

#[path = "../../crates/cli/tests/common/tree.rs"]
#[allow(dead_code)] // what only tests of the command ask of a tree
mod tree;

use iota_analysis::layers::{LayerReport, Stack};
use iota_analysis::servers::ServerTies;
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{Filter, Job, Pass};
use iota_calls::Layer;
use iota_fuzz::file;
use iota_trace::flags;
use iota_trace::read::{Options, Trace};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;
use tree::{MPI, Mpi, SUB, Sub, Tree, UPPER, USER, Upper};

static FILE: LazyLock<PathBuf> = LazyLock::new(|| file("tree"));

/// Those of MPI-IO first
const OPS: [&str; 18] = [
    "MPI_File_open",
    "MPI_File_set_view",
    "MPI_File_write_at",
    "MPI_File_write_at_all",
    "MPI_File_read_all",
    "MPI_File_iwrite_at",
    "MPI_File_iread_all",
    "MPI_File_write_all_begin",
    "MPI_File_close",
    "MPI_Wait",
    "open64",
    "pwrite64",
    "pread64",
    "fwrite",
    "fsync",
    "server_write",
    "H5Dwrite",
    "write_checkpoint_",
];
const OF_MPI: usize = 10;
const ABOVE: usize = 16;
const FILES: [&str; 3] = ["/scratch/shared", "/scratch/own", "/etc/plugin"];
/// The number of the first call, where calls do not have those of their ranks; none is of two calls
const FIRST: u64 = 1000;
/// Bytes of a call
const SIZE: usize = 16;

fuzz_target!(|data: &[u8]| {
    if data.len() < SIZE {
        return;
    }
    let mut tree = Tree::new(3, 2);
    let calls = data
        .chunks_exact(SIZE)
        .filter_map(|call| call.try_into().ok());
    let calls = (FIRST..).zip(calls.take(400));
    calls.for_each(|(number, call)| add(&mut tree, number, call));
    std::fs::write(&*FILE, tree.finish()).expect("room for the input");
    let trace = Trace::open(std::slice::from_ref(&*FILE), Options::default()).expect("a trace");
    for layer in [Layer::MpiIo, Layer::Hdf5] {
        let report = |events, with_sub_calls| report(&trace, layer, events, with_sub_calls);
        let whole = report(1 << 19, false);
        let calls: u64 = whole.ops.iter().map(|op| op.figures.calls).sum();
        assert_eq!(calls, whole.total.figures.calls);
        let text = |report: &LayerReport| serde_json::to_string_pretty(report).expect("JSON");
        assert_eq!(text(&report(1, false)), text(&whole), "in units");
        assert_eq!(text(&report(1, true)), text(&whole), "with sub-calls");
    }
    of_servers(&trace);
});

fn report(trace: &Trace, layer: Layer, events: u64, with_sub_calls: bool) -> LayerReport {
    let job = Job::in_units_of(trace, events);
    let wanted = Filter::default().bind(&job);
    let pass = Pass::of(&job).of_processes(&Filter::default()).threads(1);
    let found = Stack::read(&pass, &job, &wanted, layer as u8, with_sub_calls, None);
    found.report(&job, &Filter::default(), 0, &Thresholds::default())
}

/// The same calls as those of servers of the same files
fn of_servers(trace: &Trace) {
    let (job, exports) = (Job::of(trace), ["/=/".parse().expect("a rule")]);
    let servers = [Job::of(trace)];
    if let Ok(ties) = ServerTies::of((&job, &Pass::of(&job)), &servers, &exports) {
        let rows = ties.rows();
        assert!(rows.iter().all(|row| row.untied == 0), "{rows:?}");
        ties.findings(&job, &Thresholds::default());
    }
}

/// A call of these bytes: most are as a program makes them, and some as none does
fn add(tree: &mut Tree, call: u64, of: [u8; SIZE]) {
    let [
        op,
        place,
        start,
        scale,
        elapse,
        bytes,
        parent,
        cause,
        more @ ..,
    ] = of;
    let (op, rank) = (usize::from(op) % OPS.len(), u32::from(place) % 3);
    let (thread, file) = (
        1 + u32::from(place >> 2) % 3,
        FILES[usize::from(place >> 4) % 3],
    );
    let number = |from: u8, scale: u8| u64::from(from) << (scale & 63);
    let far = if scale & 0xC0 == 0xC0 {
        scale
    } else {
        scale & 7
    };
    let start = number(start, far) as i64 + i64::from(more[0]);
    let end = start.wrapping_add(number(elapse, far) as i64);
    let bytes = number(bytes, if more[1] > 250 { more[1] } else { 4 });
    let flag = |bit: u8, flag: u16| if more[2] & bit != 0 { flag } else { 0 };
    if op >= ABOVE {
        tree.upper(&Upper {
            rank,
            parent: (parent / 8).into(),
            thread,
            start,
            end,
            bytes,
            flags: flag(1, flags::UNDER_LIBRARY),
            object: ["/density", "/energy"][usize::from(more[3]) % 2],
            ..if op == ABOVE { UPPER } else { USER }
        });
        return;
    }
    if op >= OF_MPI {
        tree.sub(&Sub {
            op: OPS[op],
            rank,
            parent: parent.into(),
            thread,
            start,
            end,
            file,
            bytes,
            flags: flag(1, flags::UNDER_LIBRARY),
            cause: (1 + u32::from(more[3]) % 3, named(cause)),
            ..SUB
        });
        return;
    }
    tree.mpi(&Mpi {
        op: OPS[op],
        rank,
        parent: (parent / 8).into(),
        thread,
        start,
        end,
        file,
        bytes,
        errno: (more[4] / 200).into(),
        flags: flag(2, flags::ASYNCHRONOUS),
        collective: collective(op, file, more[5]),
        ranks: 3,
        begun: number(more[7], far),
        began: (
            1 + u32::from(more[3]) % 3,
            if cause > 127 { call } else { 0 },
        ),
        hints: "cb_nodes=1",
        asked: "cb_nodes=2",
        view: [1, 2, 3],
        ..MPI
    });
}

/// The number of a collective call, which is one of a function and a file; of half of the calls none
fn collective(op: usize, file: &str, round: u8) -> u64 {
    match round {
        0..128 => 0,
        round => ((op * 100 + file.len()) * 4 + usize::from(round) % 4) as u64,
    }
}

/// The number of a call as a sub-call names it; 0: none
fn named(cause: u8) -> u64 {
    match cause {
        0..64 => cause.into(),
        cause => FIRST + u64::from(cause) - 64,
    }
}
