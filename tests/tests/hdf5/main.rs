//! HDF5: each call is recorded as the program made it, with what it is about; what it causes below has it as parent.

mod hostile;
mod newer;
mod parallel;

use iota_tests::machine::header_is_here;
use iota_tests::{Build, Call, Case, Program, Ran, Way, on_mpis, wanted};
use std::collections::BTreeMap;
use std::path::Path;

// Debian has an HDF5 for it.
on_mpis!(two_libraries: openmpi_4);

/// Where Debian has the serial HDF5.
const INCLUDE: &str = "-I/usr/include/hdf5/serial";
const SHARED: &str = "-lhdf5_serial";
/// What a static libhdf5.a needs.
const STATIC: &str = "-lhdf5_serial -lcrypto -lcurl -lsz -laec -lz -ldl -lm";

fn has_hdf5() -> bool {
    let is_here = header_is_here("hdf5/serial/hdf5.h");
    wanted("libhdf5-dev", is_here, "scripts/deps.sh test gets it")
}

fn serial(source: &str) -> Program {
    Program::new(source).flags(INCLUDE)
}

/// The flags that have calls of a static library recorded.
fn above() -> String {
    let flags = Build::first().library("libiota-above.rsp");
    format!("-Wl,@{}", flags.display())
}

/// The same of a static program.
fn is_told_by_static(source: &str) {
    let bare = Case::of(serial(source).behind(STATIC)).run_bare();
    let program = serial(source).behind(&format!("{} {STATIC}", above()));
    let ran = Case::of(program).way(Way::Static).run().succeeded();
    assert_eq!(ran.stdout(), bare.stdout());
    assert_eq!(traced(&ran), told(&ran));
    parents_are_there(&ran);
}

/// A program that has HDF5 in itself works, however it is linked: without those flags its calls of HDF5 are not recorded.
#[test]
fn a_static_library_in_a_dynamic_program() {
    if !has_hdf5() {
        return;
    }
    let whole = STATIC.replace("-lhdf5_serial", "-l:libhdf5_serial.a");
    for program in [
        serial("hdf5_datasets.c").behind(&whole),
        serial("hdf5_datasets.c").behind(&whole).wraps_first(),
    ] {
        let bare = Case::of(program.clone()).run_bare();
        let ran = Case::of(program).way(Way::Dynamic).run().succeeded();
        assert_eq!(ran.stdout(), bare.stdout());
        assert_eq!(traced(&ran), [""; 0]);
    }
    let program = serial("hdf5_datasets.c").behind(&format!("{} {whole}", above()));
    let ran = Case::of(program).way(Way::Dynamic).run().succeeded();
    assert_eq!(traced(&ran), told(&ran));
}

/// The trace has the calls of which the program tells, and no others of HDF5.
fn is_told(program: Program, way: Way) {
    let bare = Case::of(program.clone()).run_bare();
    let ran = Case::of(program).way(way).run().succeeded();
    assert_eq!(ran.stdout(), bare.stdout(), "{way:?}");
    assert_eq!(traced(&ran), told(&ran), "{way:?}");
    parents_are_there(&ran);
}

fn told(ran: &Ran) -> Vec<String> {
    let out = ran.stdout();
    let lines = out.lines().filter_map(|line| line.strip_prefix("call "));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

fn traced(ran: &Ran) -> Vec<String> {
    let trace = ran.trace();
    trace.assert_whole();
    let mut calls: Vec<&Call> = trace.only().calls.iter().filter(is_hdf5).collect();
    calls.sort_by_key(|call| call.start);
    calls.into_iter().map(line).collect()
}

fn is_hdf5(call: &&Call) -> bool {
    call.layer == iota_calls::Layer::Hdf5 as u8
}

fn line(call: &Call) -> String {
    let Call {
        op,
        length,
        ret,
        details,
        ..
    } = call;
    format!("{op} {length} {ret} {details}").trim_end().into()
}

/// What a call of HDF5 caused says so, and is on the file of that call.
fn parents_are_there(ran: &Ran) {
    let trace = ran.trace();
    let calls = &trace.only().calls;
    let by_number: BTreeMap<u64, &Call> = calls.iter().map(|call| (call.id, call)).collect();
    let above = |call: &Call| by_number.get(&call.parent).copied();
    let transfers = calls.iter().filter(|call| call.path.ends_with(b"data.h5"));
    let mut below = transfers.filter(|call| !is_hdf5(call)).peekable();
    assert!(below.peek().is_some());
    for call in below {
        let parent = above(call).filter(is_hdf5);
        assert!(parent.is_some(), "{call}");
        assert_eq!(
            parent.map(|parent| &parent.path),
            Some(&call.path),
            "{call}"
        );
    }
}

#[test]
fn datasets() {
    if !has_hdf5() {
        return;
    }
    for way in [Way::Preload, Way::Dynamic] {
        is_told(serial("hdf5_datasets.c").behind(SHARED), way);
    }
}

/// Groups, attributes, links; what closes only one of two ids; chunks as they are in the file.
#[test]
fn objects() {
    if !has_hdf5() {
        return;
    }
    for way in [Way::Preload, Way::Dynamic] {
        is_told(serial("hdf5_objects.c").behind(SHARED), way);
    }
    is_told_by_static("hdf5_objects.c");
}

#[test]
fn fortran() {
    let program = serial("hdf5_fortran.f90").behind("-lhdf5_serial_fortran");
    let program = program.behind(SHARED);
    if has_hdf5() && program.has_compiler() {
        for way in [Way::Preload, Way::Dynamic] {
            is_told(program.clone(), way);
        }
    }
}

#[test]
fn classes() {
    let program = serial("hdf5_classes.cpp").behind("-lhdf5_serial_cpp");
    let program = program.behind(SHARED);
    if has_hdf5() && program.has_compiler() {
        for way in [Way::Preload, Way::Dynamic] {
            is_told(program.clone(), way);
        }
    }
}

/// A child knows the names of what its parent has opened.
#[test]
fn a_dataset_in_a_forked_child() {
    if !has_hdf5() {
        return;
    }
    let program = serial("hdf5_fork.c").behind(SHARED);
    let ran = Case::of(program).way(Way::Preload).run().succeeded();
    let trace = ran.trace();
    let mut reads = trace.calls().filter(|call| &*call.op == "H5Dread");
    let read = reads.next().expect("the child's read");
    assert!(
        read.details.contains("object=\"/state\""),
        "{}",
        read.details
    );
    assert!(read.path.ends_with(b"/data.h5") && read.length == 800);
    let of_child = trace.parts.iter().find(|part| part.calls.contains(read));
    let written = |part: &iota_tests::Part| part.calls.iter().any(|call| &*call.op == "H5Dwrite");
    assert!(of_child.is_some_and(|part| !written(part)));
}

/// Also where it is left while the tracer asks HDF5 for names.
#[test]
fn a_call_that_a_handler_leaves() {
    if !has_hdf5() {
        return;
    }
    let program = serial("hdf5_left.c").behind(SHARED);
    let ran = Case::of(program).way(Way::Preload).run().succeeded();
    let trace = ran.trace();
    let written = |part: &iota_tests::Part| {
        let calls = part.calls.iter();
        calls
            .filter(|call| call.op.starts_with("pwrite") && call.path.ends_with(b"/out"))
            .count()
    };
    let of_children = trace.parts.iter().map(written).filter(|&calls| calls > 0);
    assert_eq!(of_children.collect::<Vec<_>>(), [10; 64]);
}

/// A serial and a parallel HDF5 in one process, with the same ids: each call goes to the one that its caller was linked
/// with.
fn two_libraries(build: &'static Build) {
    let is_here = Path::new("/usr/include/hdf5/openmpi/hdf5.h").exists();
    if !has_hdf5()
        || !wanted(
            "libhdf5-openmpi-dev",
            is_here,
            "scripts/deps.sh test gets it",
        )
    {
        return;
    }
    let source = iota_tests::root().join("tests/programs/hdf5_second.c");
    let script = format!(
        "{} -shared -fPIC -Wl,-Bsymbolic -I/usr/include/hdf5/openmpi {} -o second.so -lhdf5_openmpi && exec \"$@\" ./second.so",
        build.value("MPICC"),
        source.display()
    );
    let program = serial("hdf5_two.c").object("hdf5_second.c").behind(SHARED);
    let case = Case::of(program).way(Way::Dynamic).script(&script);
    let ran = case.run().succeeded();
    assert_eq!(told(&ran).len(), 15);
    assert_eq!(traced(&ran), told(&ran));
}

/// Each function is a member of the archive, which a link takes if the program calls it.
#[test]
fn datasets_in_a_static_program() {
    if has_hdf5() {
        is_told_by_static("hdf5_datasets.c");
    }
}

/// The linker does not drop HDF5, though the program's calls are wrapped.
#[test]
fn a_library_that_is_linked_as_needed() {
    if has_hdf5() {
        let program = serial("hdf5_datasets.c").behind("-Wl,--as-needed");
        is_told(program.behind(SHARED), Way::Dynamic);
    }
}

/// The signatures of the rows are those of the header.
#[test]
fn the_rows_are_those_of_the_header() {
    if !has_hdf5() {
        return;
    }
    let source =
        gen_wraps::above_signatures(iota_calls::Library::Hdf5) + "int main(void) { return 0; }\n";
    let program = Program::rendered("hdf5-signatures.c", &source).flags(INCLUDE);
    Case::of(program).way(Way::Preload).run().succeeded();
}

/// What the tracer asks HDF5 is what a static link refers to.
#[test]
fn what_is_looked_up_is_what_the_archive_refers_to() {
    let listed = iota_tests::asked_in_archives("hdf5");
    let source = iota_tests::root().join("crates/hdf5/src/functions.rs");
    let source = std::fs::read_to_string(source).expect("a source");
    let asked = source.lines().filter_map(|line| {
        let line = line.strip_prefix("    H5")?;
        Some(format!("H5{}", line.split(['(', ';']).next()?))
    });
    assert!(listed.len() > 30);
    assert_eq!(listed, asked.collect::<Vec<_>>());
}
