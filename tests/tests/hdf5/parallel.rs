//! Parallel HDF5: what ranks do together and alone; the writes of MPI-IO and of POSIX are below.

use super::{is_hdf5, line, wanted};
use iota_calls::Layer;
use iota_tests::{Build, Call, Case, Part, Program, Way, on_mpis};
use std::collections::BTreeMap;
use std::path::Path;

on_mpis!(in_parallel: mpich_4 openmpi_4);
// Debian's h5py is built for its Open MPI.
on_mpis!(h5py_over_mpi4py: openmpi_4);

fn in_parallel(build: &'static Build) {
    let mpi = build.value("MPI_ID").split('-').next().unwrap_or("");
    let is_here = Path::new(&format!("/usr/include/hdf5/{mpi}/hdf5.h")).exists();
    let package = format!("libhdf5-{mpi}-dev");
    if !wanted(&package, is_here, "scripts/deps.sh test gets it") {
        return;
    }
    let program = Program::new("hdf5_parallel.c").mpi(build);
    let program = program.flags(&format!("-I/usr/include/hdf5/{mpi}"));
    let program = program.behind(&format!("-lhdf5_{mpi}"));
    for (ranks, way) in [
        (1, Way::Dynamic),
        (2, Way::Preload),
        (4, Way::Dynamic),
        (4, Way::Preload),
    ] {
        is_told(Case::on_ranks(program.clone(), ranks).way(way), ranks);
    }
}

fn is_told(case: Case, ranks: u32) {
    let ran = case.seconds(120).run().succeeded();
    let (out, trace) = (ran.stdout(), ran.trace());
    trace.assert_whole();
    assert_eq!(trace.parts.len(), ranks as usize);
    for part in &trace.parts {
        let rank = format!("call {} ", part.rank);
        let told = out.lines().filter_map(|line| line.strip_prefix(&*rank));
        let mut calls: Vec<&Call> = part.calls.iter().filter(is_hdf5).collect();
        calls.sort_by_key(|call| call.start);
        let traced: Vec<_> = calls.into_iter().map(line).collect();
        assert_eq!(traced, told.collect::<Vec<_>>(), "rank {}", part.rank);
        writes_are_below(part);
    }
}

/// Each write of the file is below a call of MPI-IO, and that below one of HDF5.
fn writes_are_below(part: &Part) {
    let numbers = part.calls.iter().map(|call| ((call.thread, call.id), call));
    let calls: BTreeMap<(u32, u64), &Call> = numbers.collect();
    let above = |call: &Call| calls.get(&(call.thread, call.parent)).copied();
    let is_of_mpi = |call: &&Call| call.layer == Layer::MpiIo as u8;
    let transfers = part.calls.iter().filter(is_of_mpi);
    let mut transfers = transfers
        .filter(|call| call.op.contains("write"))
        .peekable();
    assert!(transfers.peek().is_some());
    for call in transfers {
        assert!(above(call).as_ref().is_some_and(is_hdf5), "{call}");
    }
    let writes = part.calls.iter().filter(|call| call.writes());
    for call in writes.filter(|call| call.path.ends_with(b".h5")) {
        assert!(above(call).as_ref().is_some_and(is_of_mpi), "{call}");
    }
}

const WRITES: &str = "from mpi4py import MPI
import h5py
world = MPI.COMM_WORLD
with h5py.File('data.h5', 'w', driver='mpio', comm=world) as file:
    data = file.create_dataset('run/pressure', (world.size * 1000,), dtype='f8')
    with data.collective:
        data[world.rank * 1000:(world.rank + 1) * 1000] = float(world.rank)
";

/// Python loads HDF5 for its module alone; the trace has the dataset's name, and the aggregator's writes below.
fn h5py_over_mpi4py(build: &'static Build) {
    let is_here = Path::new("/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi").exists();
    if !wanted("python3-h5py-mpi", is_here, "scripts/deps.sh test gets it") {
        return;
    }
    let python = Program::command("/usr/bin/python3").of_mpi();
    let case = Case::mpi("hdf5_parallel.c", build, 4).with(|_| python.clone());
    let case = case.way(Way::Preload).args("h5.py").seconds(120);
    let script = format!("cat >h5.py <<'END'\n{WRITES}END\nexec \"$@\"");
    let case = case.env("H5PY_ALWAYS_USE_MPI", "1").script(&script);
    let ran = case.run().succeeded();
    let trace = ran.trace();
    let has_hdf5 = |part: &&Part| part.calls.iter().any(|call| is_hdf5(&call));
    let parts: Vec<_> = trace.parts.iter().filter(has_hdf5).collect();
    assert_eq!(parts.len(), 4);
    for part in parts {
        let write = part.calls.iter().find(|call| &*call.op == "H5Dwrite");
        let write = write.unwrap_or_else(|| panic!("rank {} writes", part.rank));
        assert_eq!(write.length, 8000);
        let told = "selection=\"hyperslab\" layout=\"contiguous\" chunk=0 filters=- collective=1";
        for told in [
            "object=\"/run/pressure\"",
            told,
            "done=\"contiguous collective\"",
        ] {
            assert!(write.details.contains(told), "{}", write.details);
        }
        writes_are_below(part);
    }
}
