//! Libraries above MPI-IO, in Python: the calls that HDF5 makes are recorded as those of a program.

use super::{parents_are_there, whole};
use iota_tests::{Build, Case, Program, Way, on_mpis, wanted};
use std::collections::BTreeMap;
use std::process::Command;

// Debian's h5py is built for its Open MPI.
on_mpis!(h5py_over_mpi4py: openmpi_4);

const PYTHON: &str = "/usr/bin/python3";
const SCRIPT: &str = "from mpi4py import MPI
import h5py
comm = MPI.COMM_WORLD
with h5py.File('out.h5', 'w', driver='mpio', comm=comm) as file:
    data = file.create_dataset('x', (comm.size * 1000,), dtype='f8')
    with data.collective:
        data[comm.rank * 1000:(comm.rank + 1) * 1000] = comm.rank
";

fn has_h5py() -> bool {
    let mut python = Command::new(PYTHON);
    let imports = "import os; os.environ['H5PY_ALWAYS_USE_MPI'] = '1'; import h5py, mpi4py; assert h5py.get_config().mpi";
    let ran = python.args(["-c", imports]).output();
    ran.is_ok_and(|ran| ran.status.success())
}

fn h5py_over_mpi4py(build: &'static Build) {
    if !wanted("h5py with MPI", has_h5py(), "Debian: python3-h5py-mpi") {
        return;
    }
    let program = Program::command(PYTHON).of_mpi();
    let case = Case::mpi("mpi_files.c", build, 2)
        .with(|_| program.clone())
        .way(Way::Preload)
        .env("H5PY_ALWAYS_USE_MPI", "1")
        .args("h5.py")
        .seconds(120);
    let script = format!("cat >h5.py <<'END'\n{SCRIPT}END\nexec \"$@\"");
    let ran = case.script(&script).run().succeeded();
    let trace = whole(&ran);
    parents_are_there(&trace);
    let mut written: BTreeMap<u32, u64> = BTreeMap::new();
    for part in &trace.parts {
        let calls = part
            .calls
            .iter()
            .filter(|call| call.path.ends_with(b"/out.h5"));
        let data = calls.filter(|call| call.writes_by_mpiio() && call.length == 8000);
        for call in data {
            assert!(call.detail("collective").is_some(), "{call}");
            *written.entry(part.rank).or_default() += call.ret as u64;
        }
    }
    assert_eq!(written, BTreeMap::from([(0, 8000), (1, 8000)]));
}
