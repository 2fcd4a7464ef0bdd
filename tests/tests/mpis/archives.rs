//! A static MPI: what only the tracer calls is taken out of its archives, whichever linker and order.

use iota_tests::{Case, Way, find, wanted};

fn is_taken(linker: &str) {
    let command = format!("ld.{linker}");
    if !wanted(
        &command,
        find(&command).is_some(),
        "Debian: binutils, lld, mold",
    ) {
        return;
    }
    let case = Case::new("uses_fake_mpi.c").with(|program| {
        program
            .library("mpi_start.c")
            .library("mpi_rest.c")
            .linker(linker)
    });
    for case in [case.clone(), case.with(|program| program.wraps_first())] {
        let ran = case.way(Way::Static).run().succeeded();
        assert_eq!(ran.stdout(), "asked in 0x44000000\n");
        ran.trace().assert_whole();
        assert_eq!(ran.trace().count("write"), 1);
    }
}

#[test]
fn by_gnu_ld() {
    is_taken("bfd");
}

#[test]
fn by_gold() {
    is_taken("gold");
}

#[test]
fn by_lld() {
    is_taken("lld");
}

#[test]
fn by_mold() {
    is_taken("mold");
}
