//! Collective calls: one id on all ranks, and what an aggregator writes belongs to the call that it was written for.

use super::whole;
use iota_tests::{Build, Call, Case, Trace, Way, on_mpis};
use std::collections::{BTreeMap, BTreeSet};

on_mpis!(ids_agree_on_all_ranks: mpich_4 mpich_5 openmpi_4 openmpi_5);
// MPICH 5 does not open files in a session.
on_mpis!(ids_in_a_session: openmpi_5);
on_mpis!(every_one_of_many_has_its_id: mpich_4 openmpi_4);
on_mpis!(all_bytes_find_their_call: mpich_4 mpich_5 openmpi_4 openmpi_5);
on_mpis!(romio_uses_two_aggregators: mpich_4 mpich_5 openmpi_4);

const RANKS: u32 = 4;
/// Of one round of mpiio_collective.c, all ranks together.
const ROUND: u64 = 4 * 500 * 1000;

/// With what Open MPI takes by default, which is OMPIO.
fn trace(build: &'static Build) -> Trace {
    trace_of(Case::mpi("mpiio_collective.c", build, RANKS))
}

fn trace_of(case: Case) -> Trace {
    whole(&case.way(Way::Dynamic).seconds(120).run().succeeded())
}

/// The calls on a file with their ranks, by the id of the collective.
fn collectives(trace: &Trace) -> BTreeMap<u64, Vec<(u32, &Call)>> {
    let mut found: BTreeMap<u64, Vec<(u32, &Call)>> = BTreeMap::new();
    for part in &trace.parts {
        for call in &part.calls {
            if let Some(id) = call.detail("collective") {
                found.entry(id).or_default().push((part.rank, call));
            }
        }
    }
    found
}

fn ids_agree_on_all_ranks(build: &'static Build) {
    let trace = trace(build);
    let mut files: BTreeMap<&[u8], usize> = BTreeMap::new();
    for calls in collectives(&trace).values() {
        let (_, first) = calls[0];
        assert!(
            calls
                .iter()
                .all(|(_, call)| (&call.op, &call.path) == (&first.op, &first.path))
        );
        let ranks: BTreeSet<u32> = calls.iter().map(|(rank, _)| *rank).collect();
        assert_eq!(ranks.len(), calls.len(), "one call of each rank: {first}");
        assert_eq!(first.detail("ranks"), Some(ranks.len() as u64), "{first}");
        let name = first
            .path
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or_default();
        let expected: BTreeSet<u32> = match name {
            b"even" => [0, 2].into(),
            b"odd" => [1, 3].into(),
            _ => (0..RANKS).collect(),
        };
        assert_eq!(ranks, expected, "{first}");
        *files.entry(name).or_default() += 1;
    }
    // open, set_view, 4 + 4 transfers, close; open, transfer, close, the file `all` four times.
    let expected: [(&[u8], usize); 4] = [
        (b"all", 12),
        (b"even", 3),
        (b"interleaved", 11),
        (b"odd", 3),
    ];
    assert_eq!(files, BTreeMap::from(expected));
}

/// Also where there is no world: ranks that open a file apart have ids of their own.
fn ids_in_a_session(build: &'static Build) {
    let trace = trace_of(Case::mpi("mpiio_session.c", build, RANKS));
    let mut groups: BTreeMap<BTreeSet<u32>, usize> = BTreeMap::new();
    for calls in collectives(&trace).values() {
        let ranks: BTreeSet<u32> = calls.iter().map(|(rank, _)| *rank).collect();
        let (_, first) = calls[0];
        assert_eq!(first.detail("ranks"), Some(ranks.len() as u64), "{first}");
        *groups.entry(ranks).or_default() += 1;
    }
    // Each group opens the file, writes and closes it.
    let apart: [&[u32]; 6] = [&[0], &[1], &[2], &[3], &[0, 2], &[1, 3]];
    let expected = apart.map(|ranks| (ranks.iter().copied().collect(), 3));
    assert_eq!(groups, BTreeMap::from(expected));
}

/// However the details of a call lie in the ring of its thread: also behind its end.
fn every_one_of_many_has_its_id(build: &'static Build) {
    const CALLS: usize = 14_000;
    let case = Case::mpi("mpiio_bench.c", build, 1).args(&format!("write_at_all {CALLS} 8"));
    let trace = trace_of(case);
    let transfers: Vec<&Call> = trace
        .calls()
        .filter(|call| &*call.op == "MPI_File_write_at_all")
        .collect();
    assert_eq!(transfers.len(), CALLS);
    let without = transfers
        .iter()
        .find(|call| call.detail("collective").is_none());
    assert!(without.is_none(), "{}", without.unwrap());
}

/// Bytes that POSIX calls moved below a call of MPI-IO, by rank; and those that it has no call for.
fn below<'t>(trace: &'t Trace, op: &'t str) -> (BTreeMap<u64, BTreeMap<u32, u64>>, u64) {
    let (mut found, mut astray): (BTreeMap<u64, BTreeMap<u32, u64>>, u64) = Default::default();
    for part in &trace.parts {
        let on_file = |call: &&Call| call.path.ends_with(b"/interleaved");
        let transfers = |call: &&Call| {
            let is = |what: &str| call.op.contains(what) && op.contains(what);
            !call.is_mpiio() && (is("read") || is("write"))
        };
        for call in part.calls.iter().filter(on_file).filter(transfers) {
            let is_parent = |other: &&Call| (other.thread, other.id) == (call.thread, call.parent);
            let parent = part.calls.iter().find(is_parent);
            match parent.and_then(|parent| parent.detail("collective")) {
                Some(id) => {
                    *found.entry(id).or_default().entry(part.rank).or_default() += call.ret as u64
                }
                None => astray += call.ret as u64,
            }
        }
    }
    (found, astray)
}

fn all_bytes_find_their_call(build: &'static Build) {
    let trace = trace(build);
    for op in ["write_all", "read_all"] {
        let (found, astray) = below(&trace, op);
        assert_eq!(astray, 0, "bytes that {op} moved");
        let sums: Vec<u64> = found.values().map(|ranks| ranks.values().sum()).collect();
        // OMPIO reads what lies between the blocks as well.
        let is_all = |sum: &u64| *sum == ROUND || (op == "read_all" && *sum > ROUND);
        assert!(
            sums.len() == 4 && sums.iter().all(is_all),
            "{op}: all of each round: {sums:?}"
        );
    }
}

fn romio_uses_two_aggregators(build: &'static Build) {
    let case = Case::mpi("mpiio_collective.c", build, RANKS);
    let trace = trace_of(case.env("OMPI_MCA_io", "romio321"));
    for op in ["write_all", "read_all"] {
        let (found, _) = below(&trace, op);
        let aggregators: BTreeSet<Vec<u32>> = found
            .values()
            .map(|ranks| ranks.keys().copied().collect())
            .collect();
        assert_eq!(
            aggregators.len(),
            1,
            "{op}: the same in each round: {aggregators:?}"
        );
        assert!(
            aggregators.iter().all(|ranks| ranks.len() == 2),
            "{op}: {aggregators:?}"
        );
    }
}
