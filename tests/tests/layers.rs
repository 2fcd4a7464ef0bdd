//! `iota layers` of real jobs: aggregators, who came late and what that cost, data sieving, on each MPI.

use iota_tests::{Build, Case, Program, Way, command_output, debian_libraries, on_mpis, wanted};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

on_mpis!(late_ranks_and_their_cost: mpich_4 mpich_5 openmpi_4 openmpi_5);
on_mpis!(romio_reads_before_it_writes: mpich_4 openmpi_4);
on_mpis!(bytes_below_are_bytes_above: mpich_4 mpich_5 openmpi_4 openmpi_5);
// Debian has one HDF5 for each MPI; the program, and Debian's h5py, take that of Open MPI.
on_mpis!(a_tree_from_a_subroutine_down_to_posix: openmpi_4);
on_mpis!(datasets_of_h5py_have_the_writes_of_aggregators: openmpi_4);

const RANKS: u32 = 4;
const PIECE: u64 = 1 << 16;
/// By which rank 2 comes late to each of five calls
const LATE: u64 = 40_000_000;

/// What is told of a job
fn layers(case: Case) -> Value {
    layers_of(case.way(Way::Dynamic))
}

fn layers_of(case: Case) -> Value {
    let ran = case.seconds(120).run().succeeded();
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
        number(write, "sub_read") > number(write, "bytes_written") / 2,
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
    assert_eq!(
        number(total, "sub_elsewhere") / number(total, "bytes_written"),
        0
    );
    assert_eq!(number(total, "in_flight"), 0);
}

/// Rows of a function, wherever they are in a tree
fn in_tree<'v>(rows: &'v Value, name: &str) -> Vec<&'v Value> {
    let rows = rows.as_array().expect("rows");
    let mut found: Vec<&Value> = rows.iter().filter(|row| row["name"] == name).collect();
    found.extend(rows.iter().flat_map(|row| in_tree(&row["below"], name)));
    found
}

fn sum(rows: &[&Value], key: &str) -> u64 {
    rows.iter().map(|row| number(row, key)).sum()
}

/// Two checkpoints of two datasets, of 1.6 MB from each rank
fn a_tree_from_a_subroutine_down_to_posix(build: &'static Build) {
    const BYTES: u64 = 2 * 2 * RANKS as u64 * 1_600_000;
    let modules = Path::new("/usr/include/hdf5/openmpi/hdf5.mod");
    if !wanted(
        "HDF5 for Fortran and MPI",
        modules.exists(),
        "Debian: libhdf5-openmpi-dev",
    ) {
        return;
    }
    let program = Program::new("simulation.f90")
        .mpi(build)
        .shared("checkpoint.f90")
        .flags("-I/usr/include/hdf5/openmpi")
        .behind(&format!(
            "-L{}/hdf5/openmpi -lhdf5_fortran -lhdf5",
            debian_libraries()
        ));
    let case = Case::on_ranks(program, RANKS)
        .way(Way::Preload)
        .env("IOTA_PROBE", "write_checkpoint_")
        .env("LD_BIND_NOW", "1");
    let said = layers_of(case);
    let roots = said["tree"].as_array().expect("rows");
    let root = roots.iter().find(|row| row["name"] == "write_checkpoint_");
    let root = root.unwrap_or_else(|| panic!("{roots:#?}"));
    assert_eq!(
        (number(root, "calls"), number(root, "processes")),
        (8, 4),
        "{root:#}"
    );
    assert_eq!(root["layer"], "USER");
    assert!(number(root, "sub_written") >= BYTES, "{root:#}");
    let mpi = in_tree(&root["below"], "MPI_File_write_at_all");
    assert_eq!(sum(&mpi, "bytes_written"), BYTES, "{root:#}");
    let below: Vec<&Value> = mpi
        .iter()
        .flat_map(|row| row["below"].as_array().expect("rows"))
        .collect();
    assert_eq!(sum(&below, "bytes_written"), BYTES, "{root:#}");
    assert!(below.iter().all(|row| row["layer"] == "POSIX"), "{root:#}");
    assert_eq!(number(&said["limits"], "orphans"), 0);
}

const PYTHON: &str = "/usr/bin/python3";
const SCRIPT: &str = "from mpi4py import MPI
import h5py
comm = MPI.COMM_WORLD
with h5py.File('out.h5', 'w', driver='mpio', comm=comm) as file:
    data = file.create_dataset('fields/x', (comm.size * 1000,), dtype='f8')
    with data.collective:
        data[comm.rank * 1000:(comm.rank + 1) * 1000] = comm.rank
";

fn has_h5py() -> bool {
    let mut python = Command::new(PYTHON);
    let imports = "import os; os.environ['H5PY_ALWAYS_USE_MPI'] = '1'; import h5py, mpi4py; assert h5py.get_config().mpi";
    let ran = python.args(["-c", imports]).output();
    ran.is_ok_and(|ran| ran.status.success())
}

fn datasets_of_h5py_have_the_writes_of_aggregators(build: &'static Build) {
    if !wanted("h5py with MPI", has_h5py(), "Debian: python3-h5py-mpi") {
        return;
    }
    let program = Program::command(PYTHON).of_mpi();
    let case = Case::mpi("mpi_files.c", build, RANKS)
        .with(|_| program.clone())
        .way(Way::Preload)
        .env("H5PY_ALWAYS_USE_MPI", "1")
        .args("h5.py");
    let script = format!("cat >h5.py <<'END'\n{SCRIPT}END\nexec \"$@\"");
    let said = layers_of(case.script(&script));
    let writes = in_tree(&said["tree"], "H5Dwrite");
    let [write] = &writes[..] else {
        panic!("{writes:#?}")
    };
    assert_eq!(
        (&write["object"], &write["layer"]),
        (&"/fields/x".into(), &"HDF5".into())
    );
    assert_eq!(
        (number(write, "processes"), number(write, "bytes_written")),
        (4, 32_000)
    );
    let mpi = in_tree(&write["below"], "MPI_File_write_at_all");
    assert_eq!(sum(&mpi, "sub_written"), 32_000, "{write:#}");
    let aggregators = mpi
        .iter()
        .flat_map(|row| row["below"].as_array().expect("rows"));
    assert!(
        aggregators.clone().all(|row| number(row, "processes") < 4),
        "{write:#}"
    );
}
