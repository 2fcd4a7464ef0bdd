//! NetCDF above PnetCDF, PnetCDF in the program itself and with another MPI, several variables in a call, and requests that
//! nobody waits for.

use super::{collectives_are_the_same, errors_are_kept, has, is_below, is_told, with_pnetcdf};
use iota_tests::{Build, Case, Program, Trace, Way, debian_libraries, on_mpis, root, wanted};
use std::path::PathBuf;

// Debian has both for Open MPI alone; PnetCDF for MPICH is that of tests/real.
on_mpis!(netcdf_over_pnetcdf: openmpi_4);
on_mpis!(several_variables_and_requests_that_nobody_waits_for: mpich_4 openmpi_4);
on_mpis!(transfers_of_a_library_in_the_program: mpich_4 openmpi_4);

const OVER_PNETCDF: &str = "netcdf/pnetcdf/include";

fn netcdf_over_pnetcdf(build: &'static Build) {
    let include = format!("{}/{OVER_PNETCDF}", debian_libraries());
    if !has(&include) {
        return;
    }
    for (ranks, way) in [(1, Way::Preload), (3, Way::Dynamic)] {
        let case = Case::mpi("netcdf_classic.c", build, ranks);
        let flags = format!("-I{include}");
        let case = case.with(|program| program.flags(&flags).behind("-lnetcdf_pnetcdf"));
        let ran = case.args("run.nc").way(way).seconds(120).run();
        let trace = is_told(&ran.succeeded());
        collectives_are_the_same(&trace, ranks);
        is_below(&trace, "ncmpi_put_vara_double", "nc_put_vara_double");
        is_below(&trace, "MPI_File_write_at_all", "ncmpi_put_vara_double_all");
        is_below(&trace, "pwrite", "nc_put_vara_double");
    }
}

/// The static library that tests/real has made for an MPI, and where its header is
fn library(build: &Build) -> Option<(PathBuf, PathBuf)> {
    let cache = std::env::var_os("IOTA_CACHE").map_or(root().join("build/cache"), PathBuf::from);
    let sources = cache
        .join("pnetcdf")
        .join(build.value("MPI_ID"))
        .join("src");
    let file = sources.join("libs/.libs/libpnetcdf.a");
    let remedy = "make real makes it of Debian's source package";
    wanted("libpnetcdf.a", file.exists(), remedy).then_some((file, sources.join("include")))
}

/// The program with PnetCDF in itself, which a link has recorded that names the flags for it
fn with_library_in_it(program: Program, build: &Build) -> Option<Program> {
    let (file, headers) = library(build)?;
    let flags = build.library("libiota-above.rsp");
    let program = program.flags(&format!("-I{}", headers.display()));
    let behind = format!("-Wl,@{} {}", flags.display(), file.display());
    Some(program.behind(&behind))
}

fn transfers_of_a_library_in_the_program(build: &'static Build) {
    let program = Program::new("pnetcdf_transfers.c").mpi(build);
    let Some(program) = with_library_in_it(program, build) else {
        return;
    };
    for ranks in [1, 3] {
        let case = Case::on_ranks(program.clone(), ranks).way(Way::Dynamic);
        let ran = case.args("run.nc").seconds(120).run();
        let trace = is_told(&ran.succeeded());
        collectives_are_the_same(&trace, ranks);
        errors_are_kept(&trace);
        is_below(&trace, "MPI_File_write_at_all", "ncmpi_put_vara_double_all");
        is_below(&trace, "MPI_File_write_at_all", "ncmpi_wait_all");
    }
}

fn several_variables_and_requests_that_nobody_waits_for(build: &'static Build) {
    let program = Program::new("pnetcdf_several.c").mpi(build);
    let is_of_debian = build.value("MPI_ID").starts_with("openmpi");
    let program = match is_of_debian {
        true if has("/usr/include/pnetcdf.h") => Some(with_pnetcdf(program)),
        true => None,
        false => with_library_in_it(program, build),
    };
    let Some(program) = program else { return };
    for ranks in [1, 2] {
        let case = Case::on_ranks(program.clone(), ranks).way(Way::Dynamic);
        let ran = case.args("run.nc").seconds(120).run();
        given_up(&is_told(&ran.succeeded()));
    }
}

/// One request of each rank ends with its file, another one with the program. Neither has moved anything.
fn given_up(trace: &Trace) {
    for part in &trace.parts {
        let requests = part.calls.iter();
        let requests: Vec<_> = requests
            .filter(|call| &*call.op == "ncmpi_iput_vara_int")
            .collect();
        assert_eq!(requests.len(), 2);
        assert!(
            requests
                .iter()
                .all(|call| (call.ret, call.length) == (0, 40))
        );
        let close = part.calls.iter().find(|call| &*call.op == "ncmpi_close");
        let close = close.expect("the first file is closed");
        let name = iota_trace::errno::of_layer(close.layer, close.errno as u16);
        assert_eq!((close.ret, name), (-1, Some("NC_EPENDING")));
    }
}
