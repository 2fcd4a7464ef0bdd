//! PnetCDF and NetCDF: each transfer is recorded as the program made it, in C and Fortran, serial and parallel, in every way
//! of tracing; and what it causes below has it as ancestor.

mod parallel;

use iota_calls::Layer;
use iota_tests::{
    Build, Call, Case, Program, Ran, Trace, Way, debian_libraries, in_each_way, on_mpis, wanted,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

in_each_way!(serial: of_c in dynamic, preload: Case::new("netcdf_serial.c").with(|program| program.behind("-lnetcdf"));
    of_fortran in dynamic, preload: Case::new("netcdf_fortran.f90").with(|program| program.flags("-I/usr/include").behind("-lnetcdff -lnetcdf")););
on_mpis!(pnetcdf_on_ranks: openmpi_4);
on_mpis!(pnetcdf_from_fortran: openmpi_4);
on_mpis!(netcdf_on_ranks: openmpi_4);

const PYTHON: &str = "/usr/bin/python3";
/// Debian's parallel NetCDF, which is Open MPI's
const PARALLEL: &str = "netcdf/mpi/include";

fn has(what: &str) -> bool {
    wanted(
        what,
        Path::new(what).exists(),
        "scripts/deps.sh test gets it",
    )
}

fn serial(case: Case, way: Way) {
    if has("/usr/include/netcdf.h") && has("/usr/include/netcdf.mod") {
        let ran = case.args("classic.nc hierarchical.nc").way(way).run();
        is_told(&ran.succeeded());
    }
}

fn with_pnetcdf(program: Program) -> Program {
    program.behind("-lpnetcdf")
}

/// On 1 to 4 ranks, in each way that an installation of shared libraries has.
fn pnetcdf_on_ranks(build: &'static Build) {
    if !has("/usr/include/pnetcdf.h") {
        return;
    }
    for (ranks, way) in [(1, Way::Dynamic), (2, Way::Preload), (4, Way::Dynamic)] {
        let case = Case::mpi("pnetcdf_transfers.c", build, ranks).with(with_pnetcdf);
        let ran = case.args("run.nc").way(way).seconds(120).run();
        let trace = is_told(&ran.succeeded());
        collectives_are_the_same(&trace, ranks);
        spans_reach_to_their_waits(&trace);
        errors_are_kept(&trace);
        is_below(&trace, "MPI_File_write_at_all", "ncmpi_put_vara_double_all");
        is_below(&trace, "pwrite", "ncmpi_put_vara_double_all");
        is_below(&trace, "MPI_File_write_at_all", "ncmpi_wait_all");
    }
}

fn pnetcdf_from_fortran(build: &'static Build) {
    if !has("/usr/include/pnetcdf.h") {
        return;
    }
    for way in [Way::Dynamic, Way::Preload] {
        let case = Case::mpi("pnetcdf_fortran.f90", build, 2).with(with_pnetcdf);
        let ran = case.args("run.nc").way(way).run().succeeded();
        let trace = ran.trace();
        trace.assert_whole();
        let of = |op| {
            transfers(&trace)
                .filter(move |call| &*call.op == op)
                .map(line)
        };
        let written = |op: &str, collective| format!("{op} field 40 5 {collective} 0");
        for op in ["ncmpi_put_vara_double_all", "ncmpi_iput_vara_double"] {
            assert_eq!(of(op).collect::<Vec<_>>(), [written(op, 1), written(op, 1)]);
        }
        assert_eq!(transfers(&trace).count(), 4, "nothing twice");
    }
}

fn netcdf_on_ranks(build: &'static Build) {
    let include = format!("{}/{PARALLEL}", debian_libraries());
    if !has(&include) {
        return;
    }
    for (ranks, way) in [(1, Way::Preload), (3, Way::Dynamic)] {
        let case = Case::mpi("netcdf_parallel.c", build, ranks);
        let flags = format!("-I{include}");
        let case = case.with(|program| program.flags(&flags).behind("-lnetcdf_mpi"));
        let ran = case.args("run.nc").way(way).seconds(120).run();
        let trace = is_told(&ran.succeeded());
        collectives_are_the_same(&trace, ranks);
        is_below(&trace, "H5Dwrite", "nc_put_vara_double");
        is_below(&trace, "MPI_File_write_at_all", "nc_put_vara_double");
        is_below(&trace, "pwrite", "nc_put_vara_double");
    }
}

const SCRIPT: &str = r#"
import netCDF4
file = netCDF4.Dataset("p.nc", "w")
file.createDimension("x", 7)
field = file.createGroup("run").createVariable("field", "f8", ("x",))
field[:] = range(7)
field[2:5] = 0
print(field[1:3].sum())
file.close()
"#;

/// Python's module has NetCDF as a library of its own modules.
#[test]
fn from_python() {
    let has_it = Command::new(PYTHON).args(["-c", "import netCDF4"]).output();
    let has_it = has_it.is_ok_and(|run| run.status.success());
    if !wanted("netCDF4 of Python", has_it, "Debian: python3-netcdf4") {
        return;
    }
    let case = Case::shell(&format!("{PYTHON} -c '{SCRIPT}'")).way(Way::Preload);
    let ran = case.seconds(120).run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    let moved: Vec<_> = transfers(&trace).map(line).collect();
    let expected = [("put", 7), ("put", 3), ("get", 2)];
    let expected = expected.map(|(what, n)| format!("nc_{what}_vara /run/field {} {n} 0 0", 8 * n));
    assert_eq!(moved, expected);
    is_below(&trace, "H5Dwrite", "nc_put_vara");
}

fn is_of_netcdf(call: &Call) -> bool {
    [Layer::Netcdf as u8, Layer::Pnetcdf as u8].contains(&call.layer)
}

/// Those that worked, with requests
fn transfers(trace: &Trace) -> impl Iterator<Item = &Call> {
    let moves = |call: &&Call| {
        is_of_netcdf(call) && call.errno == 0 && call.detail("elements").is_some_and(|n| n > 0)
    };
    trace.calls().filter(moves)
}

/// The trace has the transfers of which the program tells, on a file with a name, and no others.
fn is_told(ran: &Ran) -> Trace {
    let trace = ran.trace();
    trace.assert_whole();
    let mut told: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in ran.stdout().lines() {
        if let Some((rank, call)) = line
            .strip_prefix("call ")
            .and_then(|call| call.split_once(' '))
        {
            told.entry(rank.parse().expect("a rank"))
                .or_default()
                .push(call.into());
        }
    }
    for part in &trace.parts {
        let alone = Trace {
            parts: vec![part.clone()],
            ..trace.clone()
        };
        let mut traced: Vec<_> = transfers(&alone).map(line).collect();
        let mut told = told.remove(&part.rank).unwrap_or_default();
        // Requests that end together are told in any order.
        traced.sort();
        told.sort();
        assert_eq!(traced, told, "rank {}", part.rank);
    }
    assert!(transfers(&trace).all(|call| call.path.ends_with(b".nc")));
    trace
}

/// `NAME VARIABLE BYTES ELEMENTS COLLECTIVE RECORD`, as the programs tell it
fn line(call: &Call) -> String {
    let object = call
        .details
        .split("object=\"")
        .nth(1)
        .and_then(|text| text.split('"').next());
    let collective = u8::from(call.detail("collective").is_some());
    let number = |field| call.detail(field).unwrap_or(0);
    format!(
        "{} {} {} {} {collective} {}",
        call.op,
        object.unwrap_or("-"),
        call.length,
        number("elements"),
        number("record")
    )
}

/// Each collective call has the same number on all ranks, and no other call has that number.
fn collectives_are_the_same(trace: &Trace, ranks: u32) {
    let mut seen: BTreeMap<u64, Vec<&Call>> = BTreeMap::new();
    let is_own =
        |call: &&Call| is_of_netcdf(call) && call.flags & iota_trace::flags::ASYNCHRONOUS == 0;
    for call in trace.calls().filter(is_own) {
        if let Some(number) = call.detail("collective") {
            seen.entry(number).or_default().push(call);
        }
    }
    assert!(!seen.is_empty());
    for calls in seen.values() {
        assert_eq!(calls.len(), ranks as usize, "{}", calls[0]);
        assert!(
            calls.iter().all(|call| call.op == calls[0].op),
            "{}",
            calls[0]
        );
        assert!(
            calls
                .iter()
                .all(|call| call.detail("ranks") == Some(ranks.into()))
        );
    }
}

/// A request lasts from its beginning to its wait; one that was taken back has moved nothing.
fn spans_reach_to_their_waits(trace: &Trace) {
    let requests = trace
        .calls()
        .filter(|call| call.op.starts_with("ncmpi_iput_") || call.op.starts_with("ncmpi_bput_"));
    let (cancelled, waited): (Vec<&Call>, Vec<&Call>) = requests.partition(|call| call.ret == 0);
    assert_eq!(cancelled.len(), trace.parts.len());
    assert_eq!(waited.len(), 3 * trace.parts.len(), "of each rank");
    for call in waited {
        assert_eq!(call.ret, call.length as i64, "{call}");
        let begun = call.detail("begun").expect("how long it took to begin") as i64;
        assert!(call.end - call.start >= begun, "{call}");
        if call.op.starts_with("ncmpi_bput") {
            assert!(
                call.end - call.start > 2_000_000,
                "it waits for 2 ms: {call}"
            );
        }
    }
    let waits = trace.calls().filter(|call| &*call.op == "ncmpi_wait_all");
    let completed: u64 = waits.filter_map(|call| call.detail("requests")).sum();
    assert_eq!(completed, 5 * trace.parts.len() as u64);
}

/// NC_ENOTVAR is -49, and the system's errors are positive.
fn errors_are_kept(trace: &Trace) {
    let of = |op: &str| {
        trace
            .calls()
            .filter(|call| &*call.op == op && call.errno != 0)
            .count()
    };
    assert_eq!(of("ncmpi_put_var_int_all"), trace.parts.len());
    assert_eq!(of("ncmpi_open"), trace.parts.len());
    let refused = trace
        .calls()
        .find(|call| &*call.op == "ncmpi_put_var_int_all");
    let refused = refused.expect("a call that was refused");
    let name = iota_trace::errno::of_layer(refused.layer, refused.errno as u16);
    assert_eq!((refused.ret, name), (-1, Some("NC_ENOTVAR")));
}

/// Some call of a function, or of one whose name begins so, is caused by one of another.
fn is_below(trace: &Trace, below: &str, above: &str) {
    let found = trace.parts.iter().any(|part| {
        let by_number: BTreeMap<_, _> = part
            .calls
            .iter()
            .map(|call| ((call.thread, call.id), call))
            .collect();
        let parent = |call: &&&Call| by_number.get(&(call.thread, call.parent));
        let mut calls = part.calls.iter().filter(|call| call.op.starts_with(below));
        calls.any(|call| {
            let mut ancestors = std::iter::successors(Some(&call), |call| parent(call));
            ancestors.any(|call| &*call.op == above)
        })
    });
    assert!(found, "no {below} below {above}");
}

/// What the tracer asks PnetCDF and NetCDF is what a static link refers to.
#[test]
fn what_is_looked_up_is_what_the_archives_refer_to() {
    let source = iota_tests::root().join("crates/netcdf/src/asks.rs");
    let source = std::fs::read_to_string(source).expect("a source");
    let asked = source.lines().filter(|line| line.contains("= asked("));
    let names: Vec<Vec<&str>> = asked.map(|line| line.split('"').collect()).collect();
    assert!(names.len() > 7);
    for (place, library) in [(1, "netcdf"), (3, "pnetcdf")] {
        let asked = names.iter().map(|names| names[place]);
        let asked: Vec<&str> = asked.filter(|name| !name.is_empty()).collect();
        assert_eq!(iota_tests::asked_in_archives(library), asked, "{library}");
    }
}
