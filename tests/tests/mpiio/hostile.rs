//! Calls that fail, requests that nobody waits for, many threads, and files that are closed last of all.

use super::whole;
use iota_calls::MPI_ERRORS;
use iota_tests::{Build, Call, Case, Trace, Way, on_mpis};
use iota_trace::flags::ASYNCHRONOUS;
use std::collections::BTreeSet;

on_mpis!(what_goes_wrong: mpich_4 mpich_5 intel openmpi_4 openmpi_5);
on_mpis!(names_of_file_systems_before_paths: mpich_4 mpich_5 openmpi_4 openmpi_5);
on_mpis!(errno_is_the_calls: mpich_4 mpich_5 intel openmpi_4 openmpi_5);
on_mpis!(an_error_that_ends_the_program: mpich_4 openmpi_4);
on_mpis!(four_threads_on_one_file: mpich_4 openmpi_4);
on_mpis!(a_file_that_is_closed_in_finalize: mpich_4 mpich_5 intel openmpi_4 openmpi_5);

fn class(call: &Call) -> &'static str {
    let known = MPI_ERRORS
        .iter()
        .find(|error| i32::from(error.standard) == call.errno);
    known.map_or("", |error| error.name)
}

fn of_rank<'t>(trace: &'t Trace, rank: u32, end: &'t str) -> impl Iterator<Item = &'t Call> {
    let parts = trace.parts.iter().filter(move |part| part.rank == rank);
    let calls = parts.flat_map(|part| part.calls.iter().filter(|call| call.is_mpiio()));
    calls.filter(move |call| call.path.ends_with(end.as_bytes()))
}

fn what_goes_wrong(build: &'static Build) {
    let case = |way| Case::mpi("mpiio_wrong.c", build, 2).seconds(120).way(way);
    let lines = |text: String| -> BTreeSet<String> {
        let said = text.lines().filter(|line| line.starts_with(['0', '1']));
        said.map(String::from).collect()
    };
    let bare = lines(case(Way::Bare).run().succeeded().stdout());
    for way in [Way::Dynamic, Way::Preload] {
        let ran = case(way).run().succeeded();
        assert_eq!(lines(ran.stdout()), bare, "{way:?}");
        let trace = whole(&ran);
        (0..2).for_each(|rank| errors_are_told(&trace, rank));
    }
}

fn errors_are_told(trace: &Trace, rank: u32) {
    let mut open = of_rank(trace, rank, "/no/such/file");
    let open = open.next().expect("the file that is not there");
    assert_eq!((open.ret, class(open)), (-1, "MPI_ERR_NO_SUCH_FILE"));
    let delete = of_rank(trace, rank, "/no.such.file").next();
    assert_eq!(delete.map(class), Some("MPI_ERR_NO_SUCH_FILE"));
    let null = of_rank(trace, rank, "").find(|call| &*call.op == "MPI_File_write");
    let null = null.expect("the call on no file");
    assert_eq!(
        (null.ret, class(null), null.details.as_str()),
        (-1, "MPI_ERR_FILE", "")
    );
    let name = format!("/wrong.{rank}");
    let read = of_rank(trace, rank, &name).find(|call| &*call.op == "MPI_File_read_at");
    let read = read.expect("the read that the file does not allow");
    assert!(read.ret == -1 && !class(read).is_empty(), "{read}");
    let good = of_rank(trace, rank, &name).find(|call| call.offset == 8);
    assert_eq!(good.map(|call| (call.ret, call.errno)), Some((4, 0)));

    let name = format!("/requests.{rank}");
    let transfers = of_rank(trace, rank, &name).filter(|call| call.flags & ASYNCHRONOUS != 0);
    let transfers: Vec<(i64, u64, i64)> = transfers
        .map(|call| (call.offset, call.length, call.ret))
        .collect();
    // Waited for, freed, and forgotten: what became of that is not known.
    assert_eq!(transfers, [(0, 8, 8), (100, 8, 8), (200, 8, 0)]);
}

/// What the tracer asks of MPI leaves an errno of its own.
fn errno_is_the_calls(build: &'static Build) {
    let case = Case::mpi("mpiio_errno.c", build, 1).with(|program| program.flags("-rdynamic -ldl"));
    let bare = case.run_bare().succeeded().stdout();
    let case = case.seconds(120).way(Way::Dynamic);
    assert_eq!(case.run().succeeded().stdout(), bare);
}

/// MPI aborts in the call, and its launcher kills the ranks: what they recorded is in their parts, or in their spools.
fn an_error_that_ends_the_program(build: &'static Build) {
    let case = Case::mpi("mpiio_wrong.c", build, 2)
        .args("fatal")
        .seconds(120);
    let ran = case.way(Way::Dynamic).run();
    assert!(!ran.output.status.success());
    let (parts, spools) = (ran.trace_files(), ran.spooled());
    assert_eq!(parts.len() + spools.len(), 2, "{parts:?} {spools:?}");
}

fn four_threads_on_one_file(build: &'static Build) {
    const BYTES: i64 = 64;
    let case = Case::mpi("mpiio_threads.c", build, 2).with(|program| program.flags("-pthread"));
    let trace = whole(&case.seconds(120).way(Way::Dynamic).run().succeeded());
    for rank in 0..2 {
        let name = format!("/threads.{rank}");
        let calls: Vec<&Call> = of_rank(&trace, rank, &name).collect();
        let writes: Vec<&&Call> = calls
            .iter()
            .filter(|call| &*call.op == "MPI_File_write_at")
            .collect();
        let offsets: BTreeSet<i64> = writes.iter().map(|call| call.offset).collect();
        assert_eq!(offsets, (0..200).map(|i| i * BYTES).collect());
        let threads: BTreeSet<u32> = writes.iter().map(|call| call.thread).collect();
        assert_eq!(threads.len(), 4);
        let begun = calls.iter().find(|call| &*call.op == "MPI_File_iwrite_at");
        let begun = begun.expect("what one thread began");
        let opened = calls
            .iter()
            .find(|call| &*call.op == "MPI_File_open")
            .expect("an open");
        assert_ne!(begun.thread, opened.thread, "another thread completed it");
        assert_eq!(begun.detail("thread"), Some(opened.thread.into()));
        assert!(
            begun.detail("call").is_some_and(|call| call > opened.id),
            "{}",
            begun.details
        );
        assert_eq!((begun.offset, begun.ret), (1 << 20, BYTES));
    }
}

fn a_file_that_is_closed_in_finalize(build: &'static Build) {
    let ran = Case::mpi("mpiio_last.c", build, 2)
        .seconds(120)
        .way(Way::Dynamic)
        .run()
        .succeeded();
    let trace = whole(&ran);
    for rank in 0..2 {
        let calls = of_rank(&trace, rank, "");
        let names: Vec<&str> = calls.map(|call| &*call.op).collect();
        assert_eq!(
            names,
            ["MPI_File_open", "MPI_File_write_at", "MPI_File_close"]
        );
    }
}

/// A call of MPI-IO is on the file that the call below it writes, whatever the MPI makes of the path.
fn names_of_file_systems_before_paths(build: &'static Build) {
    let ran = Case::mpi("mpiio_named.c", build, 1).way(Way::Dynamic).run();
    let trace = whole(&ran.succeeded());
    let paths = |op: &str| -> Vec<_> {
        let on_file = |call: &&Call| {
            ["small", "capital", "other"]
                .iter()
                .any(|name| call.path.ends_with(name.as_bytes()))
        };
        let calls = trace.calls().filter(on_file).filter(|call| &*call.op == op);
        calls.map(|call| call.path.clone()).collect()
    };
    let written = paths("pwrite");
    assert_eq!(written.len(), 3);
    for op in ["MPI_File_open", "MPI_File_write_at", "MPI_File_close"] {
        assert_eq!(paths(op), written, "{op}");
    }
}
