//! Where the tracer's library lies, and cannot be loaded: one line says so, and no loader complains.

use super::Build;
use iota_tests::{Case, Ran, machine, root, wanted};
use std::path::Path;

/// What a script says in which $IOTA is the command, $LIB its library and $CC a compiler
fn said(script: &str) -> (Ran, String) {
    let build = Build::first();
    let library = root().join("build/lib/libiota.so");
    let case = Case::shell(script)
        .env("IOTA", build.iota())
        .env("LIB", library);
    let ran = case.run();
    let said = ran.output.errors();
    (ran, said)
}

#[test]
fn a_program_of_another_word_size_is_left_alone() {
    let start = Path::new("/usr/lib32/crt1.o").exists();
    if !wanted(
        "a C library of 32 bits",
        start,
        "apt-get install libc6-dev-i386",
    ) {
        return;
    }
    let build = "echo 'int puts(const char *); int main(void) { puts(\"ran\"); return 7; }' >a.c; \
        gcc -m32 -nostdlib /usr/lib32/crt1.o /usr/lib32/crti.o a.c -L/usr/lib32 -lc /usr/lib32/crtn.o -o a";
    let (ran, said) = said(&format!("{build} && $IOTA run -- ./a"));
    let ran = ran.ended_with(7);
    assert_eq!(ran.stdout(), "ran\n");
    let lines: Vec<_> = said.lines().collect();
    let expected = [
        "iota: a is for another kind of machine: neither it nor what it starts is traced",
        "iota: nothing was traced",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_library_that_was_moved_after_a_program_was_linked() {
    let link = "mkdir old; cp $LIB old/libiota.so; echo 'int main(void) { return 0; }' >a.c; \
        gcc -shared -Wl,-soname,$PWD/old/libiota.so -o old/libiota.so -x c /dev/null; \
        gcc a.c -Wl,--no-as-needed old/libiota.so -o a; mv old new";
    let (ran, said) = said(&format!("{link}; $IOTA run -- ./a"));
    ran.ended_with(125);
    let line = said
        .strip_prefix("iota: a was linked with ")
        .expect("one line");
    assert!(
        line.contains("/old/libiota.so, which is not there any more: "),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_library_that_may_not_be_executed() {
    if !machine::NAMESPACES.is_here() {
        return;
    }
    let mount = "mkdir home && mount -t tmpfs -o noexec none home && cp $LIB home";
    let (ran, said) = said(&format!(
        "unshare --map-root-user --mount sh -c '{mount} && IOTA_LIB=$PWD/home $IOTA run -- true'"
    ));
    ran.ended_with(125);
    assert!(
        said.contains("/home/libiota.so is on a file system that is mounted noexec"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn many_libraries_are_preloaded_already() {
    let many = (0..200).map(|n| format!("$PWD/{n}.so")).collect::<Vec<_>>();
    let script = format!(
        "gcc -shared -o 0.so -x c /dev/null; for n in $(seq 199); do cp 0.so $n.so; done; \
         LD_PRELOAD={} $IOTA run -q -o ../trace/run -- sh -c 'echo >a; echo $LD_PRELOAD | tr : \"\\n\" | wc -l'",
        many.join(":")
    );
    let (ran, said) = said(&script);
    let ran = ran.ended_with(0);
    assert_eq!((said.as_str(), ran.stdout().trim()), ("", "201"));
    assert!(ran.trace().calls().any(|call| call.path.ends_with(b"/a")));
}

#[test]
fn a_read_only_place_and_no_shared_memory() {
    if !machine::NAMESPACES.is_here() {
        return;
    }
    let mount = "mount --bind lib lib && mount -o remount,bind,ro lib && mount -t tmpfs -o ro none /dev/shm";
    let (ran, said) = said(&format!(
        "mkdir lib && cp $LIB lib && unshare --map-root-user --mount sh -c '{mount}; \
         IOTA_LIB=$PWD/lib IOTA_SPOOL= $IOTA run -q -o ../trace/run -- sh -c \"echo >a\"'"
    ));
    let ran = ran.ended_with(0);
    assert_eq!(said, "");
    assert!(ran.trace().calls().any(|call| call.path.ends_with(b"/a")));
}
