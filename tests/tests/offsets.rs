//! Positions are right: what was written covers the files, to the byte, in every thread and through every descriptor.

use iota_tests::{Call, Case, Ran, Way};
use std::collections::BTreeMap;

/// The extents that writes of one file covered, joined.
fn covered<'a>(calls: impl Iterator<Item = &'a Call>) -> Vec<(i64, i64)> {
    let mut extents: Vec<(i64, i64)> = calls
        .filter(|call| call.writes() && call.ret > 0)
        .map(Call::extent)
        .collect();
    extents.sort_unstable();
    extents.dedup();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (from, to) in extents {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Size of every file in the working directory that a traced call wrote, and how much of it the extents cover.
fn assert_files_are_covered(ran: &Ran, files: &[&str]) {
    let trace = ran.trace();
    for name in files {
        let path = ran.work().canonicalize().expect("it is there").join(name);
        let size = path
            .metadata()
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .len() as i64;
        let of_it = trace
            .calls()
            .filter(|call| *call.path == *path.as_os_str().as_encoded_bytes());
        assert_eq!(covered(of_it), [(0, size)], "{name}");
    }
}

#[test]
fn threads_on_files_of_their_own_cover_them() {
    for way in Way::TRACED {
        let ran = Case::new("threads.c").way(way).run().succeeded().quiet();
        assert_files_are_covered(
            &ran,
            &[
                "thread-0", "thread-1", "thread-2", "thread-3", "thread-9", "shared",
            ],
        );
        ran.trace().assert_whole();
    }
}

#[test]
fn bytes_written_are_the_size_of_the_file() {
    let ran = Case::new("many.c")
        .args("10000 100")
        .way(Way::Static)
        .run()
        .succeeded()
        .quiet();
    let trace = ran.trace();
    let written: BTreeMap<_, _> = trace.only().written();
    let (path, bytes) = written
        .iter()
        .find(|(path, _)| path.ends_with(b"/work/many"))
        .expect("it is traced");
    assert_eq!(*bytes, 1_000_000);
    assert_eq!(
        covered(trace.calls().filter(|call| call.path == *path)),
        [(0, 1_000_000)]
    );
}

#[test]
fn a_forked_child_writes_where_its_parent_left_off() {
    let ran = Case::new("processes.c").way(Way::Preload).run().succeeded();
    assert_files_are_covered(&ran, &["both", "by-child", "by-daemon"]);
}

#[test]
fn rust_programs_cover_their_files() {
    let case = Case::new("std_fs.rs").way(Way::Preload);
    if !case.can_be_built() {
        return;
    }
    let ran = case.run().succeeded();
    assert_files_are_covered(&ran, &["lines", "shared"]);
}

#[test]
fn fortran_programs_cover_their_files() {
    let case = Case::new("fortran_io.f90").way(Way::Dynamic);
    if !case.can_be_built() {
        return;
    }
    let ran = case.run().succeeded();
    assert_files_are_covered(&ran, &["formatted", "unformatted", "direct", "streamed"]);
}

#[test]
fn cpp_programs_cover_their_files() {
    let case = Case::new("fstreams.cpp").way(Way::Dynamic);
    if !case.can_be_built() {
        return;
    }
    let ran = case.run().succeeded();
    assert_files_are_covered(&ran, &["text", "binary", "unwound"]);
}

#[test]
fn copies_cover_the_file_that_they_make() {
    let ran = Case::new("data.c").way(Way::Dynamic).run().succeeded();
    let trace = ran.trace();
    let copies = trace
        .calls()
        .filter(|call| matches!(&*call.op, "sendfile" | "sendfile64" | "copy_file_range"));
    let ends: Vec<_> = copies
        .map(|call| (call.offset, call.second_offset, call.ret))
        .collect();
    assert_eq!(
        ends,
        [(0, 2, 10), (10, 3, 10), (13, 100, 4)],
        "own offset, the other's, bytes"
    );
}

#[test]
fn an_address_of_memory_is_no_offset() {
    let trace = Case::new("data.c").way(Way::Dynamic).run().succeeded();
    let trace = trace.trace();
    let of_memory = trace
        .calls()
        .filter(|call| matches!(&*call.op, "msync" | "munmap"));
    let seen: Vec<_> = of_memory.map(|call| (call.offset, call.length)).collect();
    assert_eq!(seen, [(-1, 4096), (-1, 4096)]);
}

/// A reader counts all of what was asked for where 0 stands, and at least so much for each item where 65535 does.
#[test]
fn large_items_count_whole_where_all_came() {
    let trace = Case::new("big_streams.c").way(Way::Dynamic).run();
    let trace = trace.succeeded().trace();
    let large = trace.calls().filter(|call| call.length == 200_000);
    let seen: Vec<_> = large
        .map(|call| (&*call.op, call.ret, call.whence))
        .collect();
    assert_eq!(seen, [("fwrite", 2, 0), ("fread", 1, 65535)]);
}

/// What was in a file before is not written by who appends to it.
#[test]
fn what_a_stream_appends_is_all_that_it_wrote() {
    // The archive does not see what is put inline.
    for way in [Way::Dynamic, Way::Preload] {
        let case = Case::new("appended.c").with(|p| p.flags("-O2 -fbuiltin"));
        let ran = case.way(way).run().succeeded();
        let data = ran.work().join("log").metadata().expect("it is there");
        let trace = ran.trace();
        let writes = trace.calls().filter(|call| &*call.op == "fwrite");
        let written: Vec<_> = writes.map(|call| (call.offset, call.length)).collect();
        assert_eq!(written, [(1000, 6), (1007, 3)], "{way:?}");
        let puts = trace.calls().filter(|call| &*call.op == "__overflow");
        let put: Vec<_> = puts.map(|call| (call.offset, call.length)).collect();
        let expected = [
            (1006, 1),
            (1010, 1),
            (1011, 1),
            (1012, 1),
            (1013, 64),
            (1077, 64),
        ];
        assert_eq!((data.len(), put), (1141, expected.to_vec()), "{way:?}");
    }
}
