//! Jobs of a real Slurm on two nodes: what comes of them is one trace of a job, or parts of one by rank, whatever ended it.

use iota_tests::mpi::{self, Mpi, named};
use iota_tests::slurm::Cluster;
use iota_tests::{Build, Case, Program, Ran, Trace, Way, command_output};
use std::collections::BTreeSet;
use std::process::Command;

/// Waits in a script until a command succeeds.
const UNTIL: &str = "until_true() { for n in $(seq 1500); do \"$@\" 2>/dev/null && return; sleep 0.1; done; exit 9; }";

/// Submits the script `job.sh` with options, and waits until the job is gone; what it said.
const SUBMIT: &str = "submit() { job=$(sbatch --parsable -o ../said \"$@\" job.sh) || exit; \
    is_gone() { [ -z \"$(squeue -h -j $job)\" ]; }; until_true is_gone; cat ../said >&2; }";

/// How the ranks of a build's MPI are started, on how many nodes: MPICH 4's may hang in MPI_Finalize if it is several.
fn srun(build: &Build) -> &'static str {
    match (
        build.value("MPI"),
        build.value("MPI_VERSION").split('.').next(),
    ) {
        ("openmpi", _) => "srun -Q --mpi=pmix -N 2 -n 4",
        (_, Some("4")) => "srun -Q --mpi=pmi2 -N 1 -n 4",
        _ => "srun -Q --mpi=pmi2 -N 2 -n 4",
    }
}

fn case(cluster: &Cluster, program: &Program, way: Way, script: &str) -> Case {
    let script = format!("{UNTIL}\n{SUBMIT}\n{script}");
    cluster.script(program, way, &script).seconds(240)
}

/// A script with ranks of a program of an MPI, where both it and Slurm are here.
fn mpi_case(source: &str, build: &'static Build, way: Way, script: &str) -> Option<Case> {
    let program = Program::new(source).mpi(build);
    let script = script.replace("SRUN", srun(build));
    Some(case(Cluster::wanted()?, &program, way, &script))
}

/// The same of a shell's commands
fn shell_case(script: &str) -> Option<Case> {
    let program = Program::command("/bin/sh");
    Some(case(Cluster::wanted()?, &program, Way::Bare, script))
}

/// Lines of iota's among what was said
fn said(ran: &Ran) -> Vec<String> {
    let errors = ran.output.errors();
    let lines = errors.lines().filter(|line| line.starts_with("iota: "));
    lines.map(String::from).collect()
}

/// `iota info --json` of a trace by its name
fn info(ran: &Ran, name: &str) -> serde_json::Value {
    let mut command = Command::new(Build::first().iota());
    command.args(["info", "--json", name]);
    let output = command_output(command.current_dir(ran.trace_dir()));
    serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
}

/// Whether it is complete, and its ranks
fn assert_complete(ran: &Ran, name: &str, ranks: u64) {
    assert_verdict(ran, name, ranks, "yes");
}

/// The same where processes were killed, of which nobody knows the kernel's count
fn assert_all_there(ran: &Ran, name: &str, ranks: u64) {
    assert_verdict(ran, name, ranks, "unknown");
}

fn assert_verdict(ran: &Ran, name: &str, ranks: u64, verdict: &str) {
    let info = info(ran, name);
    let complete = &info["completeness"];
    assert_eq!(complete["complete"], verdict, "{complete}");
    assert_eq!(info["job"]["ranks"], ranks, "{}", info["job"]);
}

fn ranks(trace: &Trace) -> Vec<u32> {
    let ranks: BTreeSet<_> = trace.parts.iter().map(|part| part.rank).collect();
    ranks.into_iter().collect()
}

/// Bytes of the files own.R that each rank wrote before its end (mpi_program.h)
fn assert_own_files(trace: &Trace) {
    for rank in 0..4 {
        let name = format!("/own.{rank}");
        let parts = trace.parts.iter().filter(|part| part.rank == rank);
        let written = parts.flat_map(|part| part.written());
        let own = written.filter(|(path, _)| path.ends_with(name.as_bytes()));
        let bytes: u64 = own.map(|(_, bytes)| bytes).sum();
        assert_eq!(bytes, 100 * (10 + u64::from(rank)), "rank {rank}");
    }
}

/// All ranks in one file, with every write of theirs; nothing else is said than what it is.
fn assert_one_trace(ran: &Ran) {
    assert_eq!(ran.trace_files(), ["run.iota"]);
    assert_all_ranks(ran);
}

fn assert_all_ranks(ran: &Ran) {
    let trace = Trace::read(&ran.trace_dir().join("run.iota"));
    trace.assert_whole();
    assert_eq!(ranks(&trace), [0, 1, 2, 3]);
    assert_eq!(trace.count("pwrite"), 400);
    assert_complete(ran, "run.iota", 4);
}

fn runs_srun(build: &'static Build) {
    let script = "iota run -- SRUN $APP 100";
    let Some(case) = mpi_case("mpi_many.c", build, Way::Bare, script) else {
        return;
    };
    let ran = case.run().succeeded();
    assert_one_trace(&ran);
    assert_eq!(said(&ran).len(), 1, "{:?}", said(&ran));
}

fn is_run_by_srun(build: &'static Build) {
    let script = "SRUN iota run -- $APP 100";
    let Some(case) = mpi_case("mpi_many.c", build, Way::Bare, script) else {
        return;
    };
    let ran = case.run().succeeded();
    assert_all_ranks(&ran);
    // What a rank does after MPI_Finalize is its own, if the trace has its name by then.
    let files = ran.trace_files();
    for late in files.iter().filter(|name| *name != "run.iota") {
        let trace = Trace::read(&ran.trace_dir().join(late));
        assert_eq!(trace.count("pwrite"), 0, "{late}");
        assert!(trace.parts.iter().all(|part| part.rank != 0), "{late}");
    }
    assert_eq!(said(&ran).len(), files.len(), "{:?}", said(&ran));
}

fn is_linked(build: &'static Build) {
    if let Some(case) = mpi_case("mpi_many.c", build, Way::Dynamic, "SRUN $APP 100") {
        assert_one_trace(&case.run().succeeded());
    }
}

/// Jobs that come to their end
mod ends {
    use super::*;
    iota_tests::on_mpis!(runs_srun: mpich_4 mpich_5 openmpi_4);
    iota_tests::on_mpis!(is_run_by_srun: mpich_4 mpich_5 openmpi_4);
    iota_tests::on_mpis!(is_linked: mpich_4 mpich_5 openmpi_4);
}

/// Ranks that are killed while they run, in all ways: parts of one job by rank, each by the `iota run` around it.
fn assert_parts_by_rank(ran: &Ran) {
    let names = ["run.0.iota", "run.1.iota", "run.2.iota", "run.3.iota"];
    assert_eq!(ran.trace_files(), names);
    assert_all_there(ran, "run.iota", 4);
    let trace = ran.trace();
    assert_eq!(ranks(&trace), [0, 1, 2, 3]);
    assert_own_files(&trace);
    // One line each: what belongs to the others is nothing that was left.
    assert_eq!(said(ran).len(), 4, "{:?}", said(ran));
}

const ALL_WROTE: &str = "all_wrote() { [ \"$(cat own.* 2>/dev/null | wc -c)\" = 4600 ]; }; ";

fn is_cancelled(build: &'static Build) {
    let script = format!(
        "{ALL_WROTE} SRUN -J $$ iota run -- $APP 100 & until_true all_wrote; scancel -n $$; wait"
    );
    if let Some(case) = mpi_case("mpi_late.c", build, Way::Bare, &script) {
        assert_parts_by_rank(&case.run());
    }
}

fn has_a_killed_rank(build: &'static Build) {
    // As the kernel does where memory runs out.
    let script = "SRUN -K iota run -- $APP 3";
    if let Some(case) = mpi_case("mpi_killed.c", build, Way::Bare, script) {
        assert_parts_by_rank(&case.run());
    }
}

mod ended {
    use super::*;
    iota_tests::on_mpis!(is_cancelled: mpich_5 openmpi_4);
    iota_tests::on_mpis!(has_a_killed_rank: mpich_5 openmpi_4);
}

fn openmpi(test: fn(&'static Build)) {
    let openmpi: Mpi = named::openmpi_4;
    mpi::on(openmpi, test);
}

#[test]
fn what_was_killed_on_other_nodes_is_recovered_there() {
    openmpi(|build| {
        let script = "iota run -- SRUN -K $APP 3; dir=$(echo ../trace/.iota-run-*); \
            srun -Q -N 2 --ntasks-per-node=1 iota recover $dir; iota merge $dir -o ../trace/all.iota; rm -r $dir; \
            srun -Q -N 2 --ntasks-per-node=1 sh -c 'ls -A $IOTA_SPOOL'";
        let Some(case) = mpi_case("mpi_killed.c", build, Way::Bare, script) else {
            return;
        };
        let ran = case.run().succeeded();
        let told = said(&ran);
        assert!(told[0].ends_with("nothing was traced"), "{told:?}");
        assert!(told[1].contains("`iota recover /"), "{told:?}");
        assert_eq!(ran.stdout(), "", "what is left in spools");
        assert_eq!(ran.trace_files(), ["all.iota"]);
        assert_all_there(&ran, "all.iota", 4);
        assert_own_files(&ran.trace());
    });
}

#[test]
fn ranks_that_are_missing_are_told() {
    openmpi(|build| {
        // On its first node the job's script sees what was killed there.
        let script =
            "echo '#!/bin/sh\niota run -- SRUN -K $APP 3' >job.sh; submit -N 2 --ntasks-per-node=2";
        let Some(case) = mpi_case("mpi_killed.c", build, Way::Bare, script) else {
            return;
        };
        let ran = case.run().succeeded();
        let complete = &info(&ran, "run.iota")["completeness"];
        assert_eq!(complete["complete"], "no", "{complete}");
        let trace = Trace::read(&ran.trace_dir().join("run.iota"));
        assert_eq!(ranks(&trace), [0, 1]);
        let told = said(&ran);
        assert!(told[1].contains("killed on other nodes"), "{told:?}");
    });
}

#[test]
fn parts_of_a_heterogeneous_step_are_of_one_job() {
    openmpi(|build| {
        let step = |before: &str| {
            let one = format!("{before} $APP 0");
            format!("srun --mpi=pmix -N 1 -n 1 {one} : -N 1 -n 3 {one}")
        };
        for line in [format!("iota run -- {}", step("")), step("iota run --")] {
            // Slurm 22.05's srun hangs at the end of some such steps, without iota as well.
            let job = format!(
                "#!/bin/sh\nfor n in 1 2 3; do timeout -s KILL 30 {line} && exit; \
                 rm -rf ../trace/* ../trace/.iota*; done; exit 1"
            );
            let script = format!("echo '{job}' >job.sh; submit -N 2 --ntasks-per-node=3");
            let Some(case) = mpi_case("mpi_late.c", build, Way::Bare, &script) else {
                return;
            };
            let ran = case.run().succeeded();
            assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.output.errors());
            assert_complete(&ran, "run.iota", 4);
            assert_own_files(&ran.trace());
        }
    });
}

#[test]
fn steps_of_a_job_are_in_its_trace() {
    openmpi(|build| {
        let script = "echo '#!/bin/sh\niota run -- sh steps.sh' >job.sh; \
            echo 'SRUN $APP 50; srun --mpi=pmix -N 1 -n 1 $APP 50 & srun --mpi=pmix -N 1 -n 1 $APP 50 & wait' >steps.sh; \
            submit -N 2 --ntasks-per-node=3";
        let Some(case) = mpi_case("mpi_many.c", build, Way::Bare, script) else {
            return;
        };
        let ran = case.run().succeeded();
        assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.output.errors());
        assert_complete(&ran, "run.iota", 4);
        assert_eq!(ran.trace().count("pwrite"), 6 * 50);
    });
}

#[test]
fn nothing_is_exported_but_what_the_tracer_needs() {
    openmpi(|build| {
        let script = "echo \"#!/bin/sh\ncd $PWD; $(command -v iota) run -o ../trace/run -- SRUN $APP 100\" >job.sh; \
            submit --export=NONE -N 2 -n 4";
        let Some(case) = mpi_case("mpi_many.c", build, Way::Bare, script) else {
            return;
        };
        assert_one_trace(&case.run().succeeded());
    });
}

#[test]
fn tasks_of_an_array_have_traces_of_their_own() {
    let program = Program::new("many.c");
    let Some(cluster) = Cluster::wanted() else {
        return;
    };
    let script = "echo '#!/bin/sh\nexport IOTA_OUTPUT=../trace/run-$SLURM_ARRAY_TASK_ID; srun -n 2 $APP 50' >job.sh; \
        submit -n 2 --array=1-2";
    let ran = case(cluster, &program, Way::Static, script)
        .run()
        .succeeded();
    let names = [
        "run-1.0.iota",
        "run-1.1.iota",
        "run-2.0.iota",
        "run-2.1.iota",
    ];
    assert_eq!(ran.trace_files(), names, "{}", ran.output.errors());
    for name in ["run-1.iota", "run-2.iota"] {
        assert_complete(&ran, name, 2);
    }
    assert_eq!(ran.trace().count("pwrite"), 200);
}

/// Two ranks write, and wait for their end.
const WRITE: &str = "for n in $(seq 100); do echo; done >own.$SLURM_PROCID; exec sleep 120";

#[test]
fn a_job_that_is_queued_again_leaves_two_traces() {
    let script = format!(
        "echo '{WRITE}' >write.sh; echo '#!/bin/sh\n[ ! -e again ] || exec iota run -- srun -n 2 echo
        touch again; iota run -- srun -n 2 sh write.sh' >job.sh
        first() {{ [ \"$(cat own.* | wc -c)\" = 200 ]; }}; requeue() {{ until_true first; scontrol requeue $job; }}
        job=$(sbatch --parsable --requeue -o ../said -n 2 job.sh) && until_true first && scontrol requeue $job
        is_gone() {{ [ -z \"$(squeue -h -j $job)\" ]; }}; until_true is_gone; cat ../said >&2"
    );
    let Some(case) = shell_case(&script) else {
        return;
    };
    let ran = case.run().succeeded();
    assert_eq!(
        ran.trace_files(),
        ["run.1.iota", "run.iota"],
        "{}",
        ran.output.errors()
    );
    let [first, second] = ["run.iota", "run.1.iota"].map(|name| {
        let verdict = if name == "run.iota" { "unknown" } else { "yes" };
        assert_verdict(&ran, name, 2, verdict);
        Trace::read(&ran.trace_dir().join(name))
    });
    let to_own = |path: &[u8]| path.windows(5).any(|at| at == b"/own.");
    let writes = first
        .calls()
        .filter(|call| call.writes() && to_own(&call.path));
    assert_eq!((writes.count(), ranks(&second)), (200, vec![0, 1]));
}

#[test]
fn a_job_that_takes_too_long_leaves_its_parts() {
    // Slurm counts in minutes.
    let script = format!(
        "echo '{WRITE}' >write.sh; echo '#!/bin/sh\nsrun -n 2 iota run -- sh write.sh' >job.sh; submit -t 1 -n 2"
    );
    let Some(case) = shell_case(&script) else {
        return;
    };
    let ran = case.run().succeeded();
    assert_eq!(
        ran.trace_files(),
        ["run.0.iota", "run.1.iota"],
        "{}",
        ran.output.errors()
    );
    assert_all_there(&ran, "run.iota", 2);
    assert_eq!(said(&ran).len(), 2, "{:?}", said(&ran));
}

#[test]
fn what_another_job_has_is_nothing_that_was_left() {
    // All that there is of the first job on the node is the spool of a process that was killed.
    let killed =
        "srun -Q -w n1 -n 1 sh -c 'echo >own; kill -KILL $$'; touch ready; until_true [ -e done ]";
    let script = format!(
        "echo '{}\n{killed}' >first.sh
        iota run -q -o ../trace/first -- sh first.sh & until_true [ -e ready ]
        srun -Q -w n1 -n 1 iota run -- true; srun -Q -w n1 -n 1 sh -c 'ls $IOTA_SPOOL'; touch done; wait
        srun -Q -w n1 -n 1 iota run -o ../trace/last -- true",
        UNTIL.replace('\'', "'\\''"),
    );
    let script = script.replace(
        "'echo >own; kill -KILL $$'",
        "\"echo >own; kill -KILL \\$\\$\"",
    );
    let Some(case) = shell_case(&script) else {
        return;
    };
    let ran = case.run().succeeded();
    let told = said(&ran);
    assert!(ran.stdout().ends_with(".spool\n"), "{}", ran.stdout());
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[2].contains("earlier runs left"), "{told:?}");
}
