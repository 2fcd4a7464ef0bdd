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

/// What differs from run to run.
const VARYING: [&str; 3] = ["second", "Elapsed", "seed"];

/// Keeps what each rank says by itself: on one stream their lines would mix.
const BY_RANK: &str = "exec \"$@\" >>said.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}";

/// What each rank said, but for what differs from run to run.
fn said(ran: &Ran, ranks: u32) -> Vec<Vec<String>> {
    let of_rank = |rank| {
        let text = std::fs::read(ran.work().join(format!("said.{rank}"))).expect("the rank ran");
        let lines = String::from_utf8_lossy(&text);
        let lines = lines.lines().map(String::from);
        lines
            .filter(|line| !VARYING.iter().any(|what| line.contains(what)))
            .collect()
    };
    (0..ranks).map(of_rank).collect()
}

/// A program of HDF5's testpar.
struct Testpar {
    name: &'static str,
    ranks: u32,
    /// Calls that the trace has at least.
    least: u64,
    /// The program whose file it needs, which runs before it.
    after: Option<&'static str>,
    /// What HDF5 offers to those who want less of the tests; 0: all.
    express: u8,
}

/// A test of each on each MPI.
macro_rules! testpar {
    ($($name:ident: $ranks:literal ranks, $least:literal calls
        $(, after $after:literal)? $(, express $express:literal)?;)*) => {
        $(#[allow(non_upper_case_globals, reason = "the program's own name")]
        const $name: Testpar = Testpar {
            name: stringify!($name),
            ranks: $ranks,
            least: $least,
            after: testpar!(@option $($after)?),
            express: 0 $(+ $express)?,
        };)*
        testpar!(@on mpich on_mpich $($name)*);
        testpar!(@on openmpi on_openmpi $($name)*);
    };
    (@option) => { None };
    (@option $after:literal) => { Some($after) };
    (@on $mpi:ident $module:ident $($name:ident)*) => {
        mod $module {
            $(#[test]
            #[ignore = "make soak runs it"]
            fn $name() {
                super::$name.is_the_same_traced(stringify!($mpi));
            })*
        }
    };
}

// Ranks that wait spin, and three on two cores wait long: where HDF5's own switch makes a test of minutes one of seconds,
// it is set.
testpar! {
    t_mpi: 3 ranks, 1_000 calls;
    testphdf5: 3 ranks, 1_000 calls;
    t_bigio: 2 ranks, 100 calls;
    t_cache: 3 ranks, 100 calls, express 3;
    t_filters_parallel: 3 ranks, 100 calls;
    t_pread: 3 ranks, 100 calls;
    t_init_term: 3 ranks, 5 calls;
    t_shapesame: 2 ranks, 100 calls, express 3;
    t_prestart: 3 ranks, 20 calls, after "t_pshutdown";
    // The first of the two ends without MPI_Finalize, as it should.
    t_pflush2: 3 ranks, 20 calls, after "t_pflush1";
}

impl Testpar {
    fn is_the_same_traced(&self, mpi: &str) {
        let Some((build, _turn)) = mpi_is_wanted(mpi) else {
            return;
        };
        let name = self.name;
        let Some(program) = real(name, build, "tests/real/hdf5.sh") else {
            return;
        };
        let script = self.after.map_or("exec \"$@\"".into(), |after| {
            format!(
                "before() {{ for word do case $word in */{name}-bare) word=${{word%{name}-bare}}{after}-bare;; esac; \
                 set -- \"$@\" \"$word\"; shift; done; \"$@\"; }}; before \"$@\"; \"$@\""
            )
        });
        let case = Case::on_ranks(program.of_mpi(), self.ranks)
            .way(Way::Preload)
            .env("HDF5TestExpress", self.express.to_string())
            .script(&script)
            .each_rank(BY_RANK)
            .seconds(900);
        let (bare, ran) = (case.run_bare(), case.run());
        assert!(!ran.output.timed_out, "{name} on {mpi} never ended");
        assert_eq!(bare.output.code(), 0, "{name} on {mpi}, bare");
        assert_eq!(ran.output.code(), 0, "{name} on {mpi}, traced");
        let (told, expected) = (said(&ran, self.ranks), said(&bare, self.ranks));
        assert_eq!(told, expected, "{name} on {mpi}");
        assert!(!told.concat().is_empty(), "{name} on {mpi} said nothing");
        let events: u64 = ran.captured();
        println!(
            "{name}, {} ranks of {mpi}: the same traced as bare, {events} calls in the trace",
            self.ranks
        );
        assert!(events >= self.least, "{name} on {mpi}: {events} calls");
    }
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
