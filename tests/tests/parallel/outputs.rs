//! What a parallel program leaves, by what was asked for.

use super::*;

pub fn parts_without_gathering(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 3)
        .env("IOTA_GATHER", "parts")
        .run()
        .succeeded()
        .quiet();
    assert_eq!(
        ran.trace_files(),
        ["run.0.iota", "run.1.iota", "run.2.iota"]
    );
    ran.trace().assert_whole();
    assert_files_traced(&ran.trace(), 3);
}

pub fn flushing(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 2)
        .env("IOTA_FLUSH", "1")
        .run()
        .succeeded()
        .quiet();
    assert_eq!(ran.trace_files(), ["run.0.iota", "run.1.iota"]);
    ran.trace().assert_whole();
    assert_files_traced(&ran.trace(), 2);
}

pub fn filters(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 2)
        .env("IOTA_FILES", "*/own.*")
        .env("IOTA_EXCLUDE", "*.1")
        .run();
    let trace = one_file(ran, 2);
    assert_eq!(written(&trace, 0, "/own.0"), 1000);
    assert!(
        trace.calls().all(|call| call.path.ends_with(b"/own.0")),
        "only what was asked for"
    );
    assert!(
        trace
            .parts
            .iter()
            .all(|part| part.end.expect("an end").filtered > 0),
        "the rest is counted"
    );
}

pub fn a_full_buffer(build: &'static Build) {
    let ran = Case::mpi("mpi_many.c", build, 2)
        .args("400000")
        .env("IOTA_BUFFER", "1m")
        .run();
    let trace = one_file(ran, 2);
    assert_eq!(trace.count("pwrite"), 2 * 400_000);
}

/// Lines are not gathered: each rank leaves its own.
pub fn text_format(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 2)
        .env("IOTA_FORMAT", "text")
        .run()
        .succeeded()
        .quiet();
    assert_eq!(ran.trace_files(), ["run.0.txt", "run.1.txt"]);
    for (rank, writes) in [("0", 10), ("1", 11)] {
        let file = ran.trace_dir().join(format!("run.{rank}.txt"));
        let text = std::fs::read_to_string(file).expect("text");
        let fields = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split('\t').collect::<Vec<_>>());
        let (ours, others): (Vec<_>, Vec<_>) = fields.partition(|fields| fields[0] == rank);
        assert_eq!(others, Vec::<Vec<&str>>::new(), "lines of others");
        let own = ours
            .iter()
            .filter(|fields| fields[4] == "write" && fields[5] == "100");
        assert_eq!(own.count(), writes, "records of rank {rank}");
    }
}

pub fn default_name(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 2)
        .env("IOTA_OUTPUT", "")
        .env("SLURM_JOB_ID", "4711")
        .run()
        .succeeded();
    let left = ran.left();
    let traces: Vec<_> = left
        .keys()
        .filter(|name| name.to_string_lossy().ends_with(".iota"))
        .collect();
    assert_eq!(traces.len(), 1, "{traces:?}");
    let name = traces[0].to_string_lossy();
    assert!(
        name.starts_with("mpi_files-c-") && name.ends_with("-4711.iota"),
        "{name}"
    );
}

pub fn an_older_trace(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 2);
    let ran = case
        .prepare(|dir| std::fs::write(dir.join("trace/run.iota"), "old").expect("writable"))
        .run()
        .succeeded();
    assert_eq!(ran.trace_files(), ["run.1.iota", "run.iota"]);
    assert_eq!(
        std::fs::read(ran.trace_dir().join("run.iota")).expect("still there"),
        b"old"
    );
    assert_files_traced(&Trace::read(&ran.trace_dir().join("run.1.iota")), 2);
}
