//! A benchmark of PnetCDF, whose ranks write blocks of a matrix and read columns of it: `iota layers` shows which hints ROMIO was
//! given for that.

use iota_tests::{Build, Case, Program, command_output, on_mpis, wanted};
use serde_json::Value;
use std::process::Command;

on_mpis!(two_aggregators_move_large_pieces: mpich_4 openmpi_4);
on_mpis!(sieving_moves_what_nobody_asked_for: mpich_4 openmpi_4);
on_mpis!(without_both_each_row_is_a_call: mpich_4 openmpi_4);

const RANKS: u64 = 4;
/// Rows and columns of a rank's block, in each of four variables whose elements have 18 bytes together
const ROWS: u64 = 100;
const VARIABLES: u64 = 4;
const BYTES: u64 = RANKS * ROWS * ROWS * 18;
const WRITE: &str = "MPI_File_write_at_all";
const READ: &str = "MPI_File_read_at_all";

/// The tree of a run with these hints; None where the program is not here
fn layers(build: &'static Build, hints: &str) -> Option<Value> {
    let program = Program::real("block-column", build).of_mpi();
    let remedy = "run tests/real/build.sh (it needs dpkg-dev, autoconf, libtool and Debian's source packages)";
    if !wanted(
        "block-column",
        program.executable(build.way()).exists(),
        remedy,
    ) {
        return None;
    }
    let case = Case::on_ranks(program, RANKS as u32).args("-q -l 100 matrix.nc");
    // Of what Open MPI has for MPI-IO, ROMIO knows these hints.
    let case = case
        .env("OMPI_MCA_io", "romio321")
        .env("PNETCDF_HINTS", hints);
    let ran = case.seconds(120).run().succeeded();
    let mut command = Command::new(Build::first().iota());
    let args = ["layers", "--json", "--top", "0"];
    let said = command_output(command.args(args).arg(ran.trace_dir()));
    Some(serde_json::from_str(&said).expect("JSON"))
}

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("{key} of {of}"))
}

/// The function's sums, and the ranks that moved bytes below each of its collective calls
fn of_function<'v>(said: &'v Value, op: &str) -> (&'v Value, Vec<Vec<u64>>) {
    let ops = said["ops"].as_array().expect("functions");
    let sums = ops
        .iter()
        .find(|row| row["name"] == op)
        .expect("the function");
    assert_eq!(number(sums, "calls"), RANKS * VARIABLES);
    assert_eq!(
        number(sums, "bytes_read") + number(sums, "bytes_written"),
        BYTES
    );
    let collectives = said["collectives"].as_array().expect("collectives").iter();
    let ranks = |row: &Value| {
        let ranks = row["aggregators"].as_array().expect("ranks").iter();
        ranks.map(|rank| rank.as_u64().expect("a rank")).collect()
    };
    let aggregators: Vec<Vec<u64>> = collectives
        .filter(|row| row["op"] == op)
        .map(ranks)
        .collect();
    assert_eq!(aggregators.len() as u64, VARIABLES, "{op}");
    (sums, aggregators)
}

fn two_aggregators_move_large_pieces(build: &'static Build) {
    let hints = "romio_cb_write=enable;romio_cb_read=enable;cb_config_list=*:2;cb_nodes=2";
    let Some(said) = layers(build, hints) else {
        return;
    };
    for op in [WRITE, READ] {
        let (sums, aggregators) = of_function(&said, op);
        assert_eq!(sums["amplification"], 1.0, "{op}");
        assert_eq!(number(sums, "read_first"), 0, "{op}");
        // A piece of each aggregator
        assert_eq!(number(sums, "sub_transfers"), 2 * VARIABLES, "{op}");
        assert!(
            aggregators.iter().all(|ranks| ranks.len() == 2),
            "{op}: {aggregators:?}"
        );
        assert!(
            aggregators.iter().all(|ranks| *ranks == aggregators[0]),
            "{op}: {aggregators:?}"
        );
    }
}

fn sieving_moves_what_nobody_asked_for(build: &'static Build) {
    let hints =
        "romio_cb_write=disable;romio_cb_read=disable;romio_ds_write=enable;romio_ds_read=enable";
    let Some(said) = layers(build, hints) else {
        return;
    };
    for (op, least) in [(WRITE, 2.5), (READ, 3.5)] {
        let (sums, aggregators) = of_function(&said, op);
        let times = sums["amplification"].as_f64().expect("a factor");
        assert!(times > least && times < 4.0, "{op}: {times}");
        assert!(
            aggregators.iter().all(|ranks| *ranks == [0, 1, 2, 3]),
            "{op}: {aggregators:?}"
        );
    }
    let (writes, _) = of_function(&said, WRITE);
    assert!(number(writes, "read_first") > 0, "{writes}");
    assert!(number(writes, "read_first_bytes") > BYTES / 2, "{writes}");
}

fn without_both_each_row_is_a_call(build: &'static Build) {
    let hints =
        "romio_cb_write=disable;romio_cb_read=disable;romio_ds_write=disable;romio_ds_read=disable";
    let Some(said) = layers(build, hints) else {
        return;
    };
    // A rank writes the rows of a block, and reads a part of all rows.
    for (op, rows) in [(WRITE, ROWS), (READ, 2 * ROWS)] {
        let (sums, aggregators) = of_function(&said, op);
        assert_eq!(sums["amplification"], 1.0, "{op}");
        assert_eq!(number(sums, "read_first"), 0, "{op}");
        assert_eq!(
            number(sums, "sub_transfers"),
            RANKS * VARIABLES * rows,
            "{op}"
        );
        assert!(
            aggregators.iter().all(|ranks| *ranks == [0, 1, 2, 3]),
            "{op}: {aggregators:?}"
        );
    }
}
