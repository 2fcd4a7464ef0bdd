//! One program on every MPI that is here: what `iota text -v` says of its calls is the same, but for times, numbers of
//! descriptors, and what MPI itself calls.

use gen_wraps::RESPONSE_FILE;
use iota_tests::mpi::{Mpi, mpi_of_version_is_wanted, named::*};
use iota_tests::{Build, Case, Way, command_output};
use std::process::Command;

const MPIS: [Mpi; 6] = [mpich_4, mpich_5, standard_abi, intel, openmpi_4, openmpi_5];

fn text(build: &'static Build, way: Way) -> Vec<String> {
    let case = Case::mpi("mpi_files.c", build, 2).seconds(120);
    let ran = case.way(way).run().succeeded();
    let trace = ran.trace_dir().join("run.iota");
    let all = command_output(Command::new(build.iota()).args(["text", "-v"]).arg(trace));
    all.lines().filter_map(own).collect()
}

/// Of a call that the program made itself: task, offset, function, result, length, errno, layer and file
fn own(line: &str) -> Option<String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[
        task,
        _,
        _,
        offset,
        function,
        result,
        on,
        _,
        length,
        _,
        errno,
        layer,
        _,
        parent,
        path,
        ..,
    ] = columns.as_slice()
    else {
        return None;
    };
    let path = [path, on].into_iter().find(|path| path.starts_with('/'))?;
    let name = path.rsplit('/').next()?;
    let is_own = name.starts_with("own.") || path.ends_with("/work/shared");
    let result = match function {
        "open" => "descriptor",
        _ => result,
    };
    let of_program = is_own || function.starts_with("MPI_File_");
    let said = [task, offset, function, result, length, errno, layer, name];
    (of_program && parent == "-").then(|| said.join(" "))
}

/// The files of iota that programs of an MPI are traced by
fn library(build: &Build) -> [Vec<u8>; 3] {
    ["libiota.so", "libiota.a", RESPONSE_FILE].map(|name| {
        let file = build.library(name);
        std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    })
}

#[test]
fn a_job_reads_the_same_on_every_mpi() {
    let mut first: Option<Vec<String>> = None;
    for (name, version) in MPIS {
        let Some((build, _turn)) = mpi_of_version_is_wanted(name, version) else {
            continue;
        };
        let is_the_one = library(build) == library(Build::first());
        assert!(is_the_one, "{name} {version}: another library");
        for way in [Way::Dynamic, Way::Preload] {
            let text = text(build, way);
            let first = first.get_or_insert_with(|| text.clone());
            assert_eq!(&text, first, "{name} {version}, {way:?}");
        }
    }
    // Of each rank: its own file, its stripes, and the file that all write together
    let calls = first.map(|text| text.len());
    let each = |rank: usize| (10 + rank + 2) + (5 + 2) + 3;
    assert!(
        calls.is_none_or(|calls| calls == each(0) + each(1)),
        "{calls:?}"
    );
}
