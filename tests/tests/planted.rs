//! Jobs that wait for one cause each, on purpose: the first finding of `iota stat` is that cause. And jobs of which there is
//! nothing to say.

use iota_tests::machine::header_is_here;
use iota_tests::{Build, Case, Program, Way, on_mpis, root, wanted};
use serde_json::Value;

on_mpis!(ranks_that_wait_for_one: mpich_4 openmpi_4);
on_mpis!(small_records_of_all_ranks: mpich_4 openmpi_4);
on_mpis!(one_rank_that_writes_for_all: mpich_4 openmpi_4);
on_mpis!(a_log_that_each_rank_opens_for_each_line: mpich_4 openmpi_4);
on_mpis!(writes_that_a_collective_call_orders: mpich_4 openmpi_4);
on_mpis!(a_healthy_job_of_mpi: mpich_4 openmpi_4);

const RANKS: u32 = 4;
/// A call that waits for a processor on a busy machine is a stall, and no plan.
const STALLS: &str = "--threshold stall-time=10s";
/// Nor is a rank or worker that waits for a processor or disk, and comes late; how long a disk takes to sync, and when it is
/// slower, says nothing of the program.
const HOLDUPS: &str = "--threshold stall-time=10s --threshold late-share=60% --threshold imbalance=100 \
                       --threshold sync-share=100% --threshold phase-time=10s";

/// What `iota stat --json` says of a job.
fn stat(case: Case, thresholds: &str) -> Value {
    let ran = case.seconds(120).run().succeeded();
    let output = ran.iota(&format!("stat --json . {thresholds}"));
    let said = serde_json::from_slice(&output.stdout);
    said.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The first finding is this one, and costs much.
fn cause(said: &Value, kind: &str) {
    let findings = said["findings"].as_array().expect("findings");
    let first = findings
        .first()
        .unwrap_or_else(|| panic!("no {kind}: {said:#}"));
    assert_eq!(first["kind"], kind, "{findings:#?}");
    let (cost, run) = (first["cost"].as_u64(), said["job"]["duration"].as_u64());
    let (cost, run) = (cost.expect("a cost"), run.expect("a duration"));
    assert!(cost > run / 50 && cost <= run, "{cost} of {run}");
}

fn is_healthy(said: &Value) {
    let findings = said["findings"].as_array().expect("findings");
    assert!(findings.is_empty(), "{findings:#?}");
}

/// A part of the time in I/O as the program sees it.
fn part(said: &Value, name: &str) -> f64 {
    let time = |name: &str| said["io"]["time"][name].as_f64().unwrap_or(0.0);
    time(name) / time("total")
}

fn mpi(build: &'static Build, job: &str, ranks: u32) -> Case {
    let case = Case::mpi("planted_mpi.c", build, ranks);
    case.way(Way::Dynamic).args(job)
}

fn of_mpi(build: &'static Build, job: &str, ranks: u32) -> Value {
    stat(mpi(build, job, ranks), STALLS)
}

fn ranks_that_wait_for_one(build: &'static Build) {
    let said = of_mpi(build, "late", RANKS);
    cause(&said, "late-ranks");
    let what = said["findings"][0]["what"].as_str().expect("words");
    assert!(what.starts_with("rank 2 comes late"), "{what}");
    assert!(part(&said, "waiting") > 0.5, "{said:#}");
    assert!(said["io"]["share_of_run"].as_f64() > Some(0.3), "{said:#}");
}

fn small_records_of_all_ranks(build: &'static Build) {
    cause(&of_mpi(build, "independent", RANKS), "independent");
}

fn one_rank_that_writes_for_all(build: &'static Build) {
    cause(&of_mpi(build, "one-rank", RANKS), "one-rank");
}

fn a_log_that_each_rank_opens_for_each_line(build: &'static Build) {
    cause(&of_mpi(build, "open-per-access", RANKS), "open-per-access");
}

/// What both ranks wrote is a conflict only where no collective call is between their writes, of all ranks or of these two.
fn writes_that_a_collective_call_orders(build: &'static Build) {
    let conflict = |job: &str, ranks| {
        let said = of_mpi(build, job, ranks);
        let conflicts = said["files"]["conflicts"].as_array().expect("conflicts");
        let is_it = |one: &&Value| {
            let file = one["file"].as_str();
            file.is_some_and(|file| file.ends_with("/overwritten"))
        };
        let file = conflicts.iter().find(is_it).expect("the file");
        let number = |of: &Value| of.as_u64().expect("bytes");
        (
            number(&file["write_write"]["bytes"]),
            number(&file["ordered"]),
        )
    };
    for ranks in [2, 3] {
        assert_eq!(conflict("ordered", ranks), (0, 20 << 20));
    }
    assert_eq!(conflict("overwrites", 2), (20 << 20, 0));
}

/// Two ranks: more would wait for each other on a machine with few processors.
fn a_healthy_job_of_mpi(build: &'static Build) {
    is_healthy(&stat(mpi(build, "healthy", 2), HOLDUPS));
}

fn of_hdf5(job: &str, thresholds: &str) -> Option<Value> {
    let is_here = header_is_here("hdf5/serial/hdf5.h");
    if !wanted("libhdf5-dev", is_here, "scripts/deps.sh test gets it") {
        return None;
    }
    let program = Program::new("planted_hdf5.c").flags("-I/usr/include/hdf5/serial");
    let case = Case::of(program.behind("-lhdf5_serial")).way(Way::Dynamic);
    Some(stat(case.args(job), thresholds))
}

#[test]
fn causes_in_programs_of_hdf5() {
    for kind in [
        "fill-values",
        "chunk-cache",
        "small-chunks",
        "many-attributes",
    ] {
        if let Some(said) = of_hdf5(kind, STALLS) {
            cause(&said, kind);
        }
    }
}

#[test]
fn a_healthy_program_of_hdf5() {
    if let Some(said) = of_hdf5("healthy", HOLDUPS) {
        is_healthy(&said);
    }
}

fn script(script: &str) -> Case {
    Case::shell(script).way(Way::Preload)
}

fn of_script(of: &str) -> Value {
    stat(script(of), STALLS)
}

/// As a shell starts it
fn python(job: &str) -> String {
    let jobs = root().join("tests/programs/planted_jobs.py");
    format!("python3 -S {} {job}", jobs.display())
}

fn of_python(job: &str, thresholds: &str) -> Value {
    stat(script(&python(job)), thresholds)
}

#[test]
fn causes_in_programs_of_python() {
    for (kind, thresholds) in [
        ("rereads", HOLDUPS),
        ("imbalance", STALLS),
        ("small-writes", STALLS),
        ("open-per-access", STALLS),
        ("sync", STALLS),
    ] {
        cause(&of_python(kind, thresholds), kind);
    }
}

/// Workers are processes of a job without ranks: each has its own part in it.
#[test]
fn workers_are_told_apart() {
    let said = of_python("rereads", HOLDUPS);
    assert_eq!(said["job"]["task"], "process");
    assert!(
        said["files"]["shared"]["count"].as_u64() > Some(0),
        "{said:#}"
    );
    let evidence = said["findings"][0]["evidence"].as_str().expect("words");
    assert!(evidence.ends_with("processes"), "{evidence}");
}

#[test]
fn a_search_path_without_the_file() {
    let lookups = "i=0; while [ $i -lt 2000 ]; do for d in a b c d e f g h; do [ -e $d/lib.so ]; done; i=$((i+1)); done; true";
    cause(&of_script(lookups), "failed-lookups");
}

#[test]
fn healthy_programs_and_pipelines() {
    let pipeline = "seq 300000 | sort -r | gzip -1 >o.gz; zcat o.gz | wc -l";
    for of in [&python("healthy"), &python("database"), pipeline] {
        is_healthy(&stat(script(of), HOLDUPS));
    }
}

#[test]
fn files_that_differ_in_their_numbers_have_one_row() {
    let script = "i=0; while [ $i -lt 500 ]; do echo $i >f$i; i=$((i+1)); done";
    let ran = Case::shell(script).way(Way::Preload).run().succeeded();
    let output = ran.iota("stat --json --by family,file .");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let [families, files] = [0, 1].map(|at| &said["tables"][at]);
    let is_it = |row: &&Value| {
        row["name"]
            .as_str()
            .is_some_and(|name| name.ends_with("/f*"))
    };
    let rows = families["rows"].as_array().expect("rows");
    let family = rows.iter().find(is_it).expect("a row");
    assert_eq!(family["members"]["files"], 500, "{family}");
    assert_eq!(family["opens"], 500, "{family}");
    assert!(files["count"].as_u64() >= Some(500), "{files}");
}

#[test]
fn different_runs_are_not_added_up() {
    let ran = Case::shell("true").way(Way::Preload).run().succeeded();
    let other = Case::shell("true").way(Way::Preload).run().succeeded();
    let output = ran.iota(&format!("stat . {}", other.trace_dir().display()));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("different runs") && said.contains("iota diff"),
        "{said}"
    );
}
