//! Test suites of real software, bare and traced: the same result. They take minutes each; `make soak` runs them, on
//! every MPI that is here.

use iota_tests::{Build, Case, Program, Ran, Way, mpi_is_wanted, wanted};
use std::collections::BTreeSet;

/// A program of a suite, once it is there.
fn real(name: &str, build: &'static Build, maker: &str) -> Option<Program> {
    let program = Program::real(name, build);
    let is_there = program.executable(Way::Bare).exists();
    wanted(name, is_there, &format!("run {maker}")).then_some(program)
}

/// What differs from run to run: times, and who is on which node, which ranks say in each other's lines.
const VARYING: [&str; 3] = ["second", "Elapsed", "hostname="];

/// What a run says, in an order of its own: ranks speak all at once.
fn sorted(ran: &Ran) -> Vec<String> {
    let mut lines: Vec<String> = ran.stdout().lines().map(String::from).collect();
    lines.retain(|line| !VARYING.iter().any(|what| line.contains(what)));
    lines.sort();
    lines
}

/// The programs of HDF5's testpar, on how many ranks, and how many calls the trace has of each at least. Where a program needs the file of
/// another, that one runs before it; t_pflush1 ends without MPI_Finalize, as it should.
const TESTPAR: [(&str, &str, u32, u64); 9] = [
    ("", "t_mpi", 3, 1_000),
    ("", "testphdf5", 3, 1_000),
    ("", "t_bigio", 2, 100),
    ("", "t_cache", 3, 100),
    ("", "t_filters_parallel", 3, 100),
    ("", "t_pread", 3, 100),
    ("", "t_init_term", 3, 5),
    ("t_pshutdown", "t_prestart", 3, 20),
    ("t_pflush1", "t_pflush2", 3, 20),
];

fn testpar(mpi: &str) {
    let Some((build, _turn)) = mpi_is_wanted(mpi) else {
        return;
    };
    for (before, name, ranks, least) in TESTPAR {
        let Some(program) = real(name, build, "tests/real/hdf5.sh") else {
            return;
        };
        let both = format!("$(echo \"$@\" | sed s,{name}-bare,{before}-bare,) >first 2>&1; \"$@\"");
        let case = Case::on_ranks(program.of_mpi(), ranks)
            .way(Way::Preload)
            .script(if before.is_empty() {
                "exec \"$@\""
            } else {
                &both
            })
            .seconds(900);
        let (bare, ran) = (case.run_bare(), case.run());
        assert!(!ran.output.timed_out, "{name} on {mpi} never ended");
        assert_eq!(ran.output.code(), bare.output.code(), "{name} on {mpi}");
        assert_eq!(sorted(&ran), sorted(&bare), "{name} on {mpi}");
        let events: u64 = ran.captured();
        println!(
            "{name}, {ranks} ranks of {mpi}: the same traced as bare, {events} calls in the trace"
        );
        assert!(events >= least, "{name} on {mpi}: {events} calls");
    }
}

#[test]
#[ignore = "make soak runs it"]
fn hdf5_tests_itself_on_mpich() {
    testpar("mpich");
}

#[test]
#[ignore = "make soak runs it"]
fn hdf5_tests_itself_on_openmpi() {
    testpar("openmpi");
}

/// SQLite's tests do not want to be root.
const AS_A_USER: &str = " && user= && if [ $(id -u) = 0 ]; then chmod 755 {} && \
    chown 65534 {}/work {}/trace {}/spool && user='setpriv --reuid=65534 --regid=65534 --clear-groups'; fi && \
    exec $user \"$@\" {}/sqlite3/test/extraquick.test";

/// Tests of SQLite's that ask whether a second took between 0.95 and 1.5: on a busy machine some do not, traced or bare.
const OF_THE_CLOCK: [&str; 2] = ["busy2-1.1.3", "busy2-1.2.3"];

/// How many tests there were, and those that failed.
fn verdict(ran: &Ran) -> (String, BTreeSet<String>) {
    let text = ran.stdout();
    let after = |start: &str| text.lines().find_map(|line| line.split_once(start));
    let (_, count) = after(" errors out of ").expect("the suite came to its end");
    let failed = after("!Failures on these tests: ").map_or("", |(_, names)| names);
    let failed = failed.split_whitespace().map(String::from);
    let failed = failed.filter(|name| !OF_THE_CLOCK.contains(&name.as_str()));
    let count = count.split_once(" on ").map_or(count, |(count, _)| count);
    (count.into(), failed.collect())
}

#[test]
#[ignore = "make soak runs it"]
fn sqlite_tests_itself_quickly() {
    let Some(program) = real("testfixture", Build::first(), "tests/real/sqlite3-suite.sh") else {
        return;
    };
    let suite =
        std::env::var("IOTA_CACHE").map_or(iota_tests::root().join("build/cache"), Into::into);
    let copied = format!("cp -r {}/src/sqlite3 {{}}/sqlite3", suite.display());
    let case = Case::of(program)
        .script(&[&copied, AS_A_USER].concat())
        .way(Way::Preload)
        .seconds(3600);
    let (bare, ran) = (case.run_bare(), case.run());
    assert_eq!(verdict(&ran), verdict(&bare));
    let (count, failed) = verdict(&ran);
    let events = ran.captured();
    println!(
        "SQLite's quicktest, {count}, {} failed: the same traced as bare, {events} calls in the trace",
        failed.len()
    );
    assert!(events > 100_000, "{events} calls");
}
