//! Processes whose MPI cannot be told: nothing is asked of it, and their calls are traced all the same.

use iota_tests::{Case, Ran, Way, debian_libraries, find, mpi_is_wanted, wanted};

const UNKNOWN: &str = "an MPI that iota does not know";
const SEVERAL: &str = "several MPI libraries are loaded";

fn is_traced_without_it(ran: Ran, why: &str, name: &str) {
    let ran = ran.succeeded();
    let log = ran.log();
    assert!(log.contains(why), "{log}");
    let trace = ran.trace();
    trace.assert_whole();
    let writes = trace
        .calls()
        .filter(|call| call.path.ends_with(name.as_bytes()));
    assert!(writes.count() > 0, "{name}");
}

fn fake(flags: &str) {
    let case =
        Case::new("uses_fake_mpi.c").with(|program| program.object("mpi_fake.c").flags(flags));
    for way in [Way::Dynamic, Way::Static] {
        is_traced_without_it(case.clone().way(way).run(), UNKNOWN, "/written");
    }
}

#[test]
fn an_mpi_of_no_known_family() {
    fake("-rdynamic -DTEXT=\"Nobodys\"");
}

#[test]
fn an_abi_of_another_version() {
    fake("-rdynamic -DTEXT=\"MPICH\" -DABI=2");
}

#[test]
fn an_abi_that_contradicts_itself() {
    fake("-rdynamic -DTEXT=\"MPICH\" -DABI=1 -DMARK");
}

#[test]
fn two_mpis_in_one_process() {
    let Some((build, _turn)) = mpi_is_wanted("mpich") else {
        return;
    };
    let other = &format!("{}/libmpi.so.40", debian_libraries());
    if !wanted("a second MPI", find(other).is_some(), "Debian: libopenmpi3") {
        return;
    }
    for way in [Way::Dynamic, Way::Preload] {
        let case = Case::mpi("mpi_two.c", build, 2).args(other).way(way);
        let ran = case.run();
        assert_eq!(ran.trace_files(), ["run.0.iota", "run.1.iota"], "{way:?}");
        is_traced_without_it(ran, SEVERAL, "/shared");
    }
}
