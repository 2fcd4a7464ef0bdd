//! `iota layers` of real jobs: aggregators, who came late and what that cost, data sieving, on each MPI.

use iota_tests::{Build, Case, Way, command_output, on_mpis};
use serde_json::Value;
use std::process::Command;

on_mpis!(late_ranks_and_their_cost: mpich_4 mpich_5 openmpi_4 openmpi_5);
on_mpis!(romio_reads_before_it_writes: mpich_4 openmpi_4);
on_mpis!(bytes_below_are_bytes_above: mpich_4 mpich_5 openmpi_4 openmpi_5);

const RANKS: u32 = 4;
const PIECE: u64 = 1 << 16;
/// By which rank 2 comes late to each of five calls
const LATE: u64 = 40_000_000;

/// The tree of a job
fn layers(case: Case) -> Value {
    let ran = case.way(Way::Dynamic).seconds(120).run().succeeded();
    let mut command = Command::new(Build::first().iota());
    command.current_dir(ran.work());
    let dir = ran.trace_dir();
    let args = ["layers", "--json", "--top", "0"];
    let said = command_output(command.args(args).arg(dir));
    serde_json::from_str(&said).expect("JSON")
}

fn job(build: &'static Build) -> Case {
    Case::mpi("mpiio_layers.c", build, RANKS)
}

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("{key} of {of}"))
}

fn rows<'v>(said: &'v Value, table: &str, op: &str) -> Vec<&'v Value> {
    let rows = said[table].as_array().expect("rows");
    let is = |row: &&Value| row["op"] == op || row["name"] == op;
    rows.iter().filter(is).collect()
}

fn late_ranks_and_their_cost(build: &'static Build) {
    let said = layers(job(build));
    let writes = rows(&said, "collectives", "MPI_File_write_at_all");
    assert_eq!(writes.len(), 5, "{said:#}");
    for write in &writes {
        assert_eq!((number(write, "ranks"), number(write, "of")), (4, 4));
        assert_eq!(number(write, "bytes"), 4 * PIECE);
        assert_eq!(number(write, "sub_written"), 4 * PIECE, "{write}");
        assert!(!write["aggregators"].as_array().expect("ranks").is_empty());
    }
    // On a busy machine another rank may be still later.
    let by_rank_2 = writes.iter().filter(|write| write["last"] == 2);
    let cost: u64 = by_rank_2.map(|write| number(write, "waiting")).sum();
    assert!(cost > 4 * LATE, "{cost}: {writes:#?}");
    let ranks = said["ranks"].as_array().expect("ranks");
    let most = ranks.iter().max_by_key(|rank| number(rank, "cost"));
    assert_eq!(most.expect("a rank")["rank"], 2, "{ranks:#?}");
    let findings = said["findings"].as_array().expect("findings");
    assert!(
        findings
            .iter()
            .any(|finding| finding["kind"] == "late-ranks"),
        "{findings:#?}"
    );
}

fn romio_reads_before_it_writes(build: &'static Build) {
    let said = layers(job(build).env("OMPI_MCA_io", "romio321"));
    let write = &rows(&said, "ops", "MPI_File_write_at");
    let [write] = &write[..] else {
        panic!("{said:#}")
    };
    // Four of the shared file, one of the second.
    assert_eq!(
        (number(write, "calls"), number(write, "read_first")),
        (5, 4),
        "{write}"
    );
    assert!(
        number(write, "sub_read") > number(write, "written") / 2,
        "{write}"
    );
    assert!(
        write["amplification"].as_f64().expect("a factor") > 2.0,
        "{write}"
    );
}

fn bytes_below_are_bytes_above(build: &'static Build) {
    let said = layers(Case::mpi("mpiio_collective.c", build, RANKS));
    for op in ["MPI_File_write_all", "MPI_File_read_all"] {
        for one in rows(&said, "collectives", op) {
            let below = number(one, "sub_read") + number(one, "sub_written");
            assert!(below >= number(one, "bytes"), "{one}");
            assert!(
                !one["aggregators"].as_array().expect("ranks").is_empty(),
                "{one}"
            );
        }
    }
    let (total, limits) = (&said["total"], &said["limits"]);
    assert_eq!(
        number(total, "inferred") + number(limits, "orphans") + number(limits, "lost"),
        0
    );
    assert_eq!(number(total, "sub_elsewhere") / number(total, "written"), 0);
    assert_eq!(number(total, "in_flight"), 0);
}
