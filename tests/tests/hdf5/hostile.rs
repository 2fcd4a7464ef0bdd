//! HDF5 where a program seldom uses it: at its end, after MPI's, in several threads, from Python's ctypes; and linked the
//! wrong way round.

use super::{INCLUDE, SHARED, has_hdf5, is_hdf5, is_told, serial, told, traced};
use iota_tests::{Build, Call, Case, Program, Ran, Way, on_mpis};

// Debian's serial HDF5 serves every MPI.
on_mpis!(after_finalize: mpich_4 openmpi_4);

#[test]
fn handlers_of_the_end_and_destructors() {
    if !has_hdf5() {
        return;
    }
    for way in [Way::Preload, Way::Dynamic] {
        is_told(serial("hdf5_late.c").behind(SHARED), way);
    }
}

/// What comes after MPI_Finalize is in a part of its own, which knows no name of the one before.
fn after_finalize(build: &'static Build) {
    if !has_hdf5() {
        return;
    }
    let program = Program::new("hdf5_finalized.c").mpi(build).flags(INCLUDE);
    let program = program.behind(SHARED);
    for way in [Way::Preload, Way::Dynamic] {
        let ran = Case::on_ranks(program.clone(), 2).way(way).run();
        let trace = ran.succeeded().trace();
        for rank in 0..2 {
            let parts = trace.parts.iter().filter(|part| part.rank == rank);
            let calls: Vec<&Call> = parts.flat_map(|part| &part.calls).collect();
            for op in ["H5Dwrite", "H5Dclose"] {
                let is_named = |call: &&&Call| {
                    &*call.op == op
                        && call.details.contains("object=\"/state\"")
                        && call.path.ends_with(format!("/rank{rank}.h5").as_bytes())
                };
                let expected = if op == "H5Dwrite" { 2 } else { 1 };
                assert_eq!(calls.iter().filter(is_named).count(), expected, "{op}");
            }
        }
    }
}

/// The files whose datasets a virtual one is made of are read below the call that reads that.
#[test]
fn a_virtual_dataset() {
    if !has_hdf5() {
        return;
    }
    for way in [Way::Preload, Way::Dynamic] {
        let program = serial("hdf5_virtual.c").behind(SHARED);
        is_told(program.clone(), way);
        let ran = Case::of(program).way(way).run().succeeded();
        for file in ["/one.h5", "/two.h5"] {
            assert_eq!(transfers_below(&ran, "H5Dread", file), 1, "{file}");
            // What is written stays in memory until the close: of the file's own dataset, then of the virtual one.
            assert_eq!(transfers_below(&ran, "H5Dclose", file), 2, "{file}");
        }
    }
}

/// Calls below those of this name that moved a half of the dataset from or to a file.
fn transfers_below(ran: &Ran, op: &str, file: &str) -> usize {
    let trace = ran.trace();
    let calls = &trace.only().calls;
    let is_it = |call: &&Call| {
        let mut above = calls.iter().filter(|above| above.id == call.parent);
        let reads = matches!(&*call.op, "pread" | "pread64");
        let is_of_call = (reads && op == "H5Dread") || (call.writes() && op == "H5Dclose");
        is_of_call && call.ret == 800 && above.any(|above| &*above.op == op)
    };
    let on_file = calls.iter();
    let on_file = on_file.filter(|call| call.path.ends_with(file.as_bytes()));
    on_file.filter(is_it).count()
}

#[test]
fn threads() {
    if !has_hdf5() {
        return;
    }
    for way in [Way::Preload, Way::Dynamic] {
        let program = serial("hdf5_threads.c").behind(SHARED);
        let ran = Case::of(program).way(way).run().succeeded();
        let (mut told, mut traced) = (told(&ran), traced(&ran));
        told.sort();
        traced.sort();
        assert_eq!(told.len(), 2 + 8 * (2 + 4 * 50));
        assert_eq!(traced, told, "{way:?}");
    }
}

/// `-lhdf5 $(cat wraps.txt)`: the program finds HDF5's functions first. It works, and the calls below are recorded.
#[test]
fn a_library_in_front_of_the_flags() {
    if !has_hdf5() {
        return;
    }
    let program = serial("hdf5_datasets.c").flags("-Wl,--no-as-needed");
    let program = program.flags(SHARED);
    let bare = Case::of(program.clone()).run_bare();
    let ran = Case::of(program).way(Way::Dynamic).run().succeeded();
    assert_eq!(ran.stdout(), bare.stdout());
    assert_eq!(traced(&ran), [""; 0]);
    assert!(writes_data(&ran));
}

fn writes_data(ran: &Ran) -> bool {
    let trace = ran.trace();
    let mut writes = trace.calls().filter(|call| call.writes());
    writes.any(|call| call.path.ends_with(b"data.h5") && !is_hdf5(&call))
}

const CTYPES: &str = "import ctypes, ctypes.util
h5 = ctypes.CDLL(ctypes.util.find_library('hdf5_serial'))
h5.H5Fcreate.restype = ctypes.c_int64
h5.H5Gcreate2.restype = ctypes.c_int64
zero = ctypes.c_int64(0)
file = ctypes.c_int64(h5.H5Fcreate(b'data.h5', 2, zero, zero))
group = ctypes.c_int64(h5.H5Gcreate2(file, b'group', zero, zero, zero))
print(h5.H5Gclose(group), h5.H5Fclose(file))
";

/// ctypes asks the library itself for its functions: what they write is recorded, they themselves are not.
#[test]
fn functions_that_ctypes_finds() {
    if !has_hdf5() {
        return;
    }
    let script = format!("cat >h5.py <<'END'\n{CTYPES}END\nexec \"$@\" h5.py");
    let case = || Case::of(Program::command("/usr/bin/python3")).way(Way::Preload);
    let ran = case().script(&script).run().succeeded();
    assert_eq!(ran.stdout(), "0 0\n");
    assert!(!ran.trace().calls().any(|call| is_hdf5(&call)));
    assert!(writes_data(&ran));
}
