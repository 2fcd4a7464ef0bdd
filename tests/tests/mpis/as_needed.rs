//! A program that calls only what iota wraps, linked with `--as-needed`, keeps its MPI library: with each linker, and
//! wherever wraps.txt stands.

use iota_tests::{Build, Case, Program, Way, find, wanted};
use std::collections::BTreeSet;

fn starts(program: Program) {
    for program in [program.clone(), program.wraps_first()] {
        let case = Case::on_ranks(program, 2).way(Way::Dynamic).seconds(120);
        let ran = case.run().succeeded();
        assert_eq!(ran.stdout().matches("started").count(), 2);
        assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
        let trace = ran.trace();
        let met: BTreeSet<(u32, u32)> = trace.parts.iter().map(|p| (p.rank, p.size)).collect();
        assert_eq!(met, BTreeSet::from([(0, 2), (1, 2)]));
    }
}

fn of(source: &str, build: &'static Build) -> Program {
    Program::new(source).mpi(build).flags("-Wl,--as-needed")
}

pub fn in_c(build: &'static Build) {
    starts(of("mpi_nothing.c", build));
}

pub fn with_each_linker(build: &'static Build) {
    for linker in ["bfd", "gold", "lld", "mold"] {
        let command = format!("ld.{linker}");
        let here = find(&command).is_some();
        if wanted(&command, here, "Debian: binutils, lld, mold") {
            starts(of("mpi_nothing.c", build).linker(linker));
        }
    }
}

pub fn in_fortran(build: &'static Build) {
    let program = of("mpi_nothing.f90", build);
    if program.has_compiler() {
        starts(program);
    }
}
