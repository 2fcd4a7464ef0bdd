//! A traced program cannot be told from a bare one: output, errors, end and files are the same, byte for byte, in every
//! way of tracing. Each program is a module, each way a test.

use iota_tests::{Case, Way, in_each_way};

fn looks_the_same(case: Case, way: Way) {
    let case = case.way(way);
    if !case.can_be_built() {
        return;
    }
    let (bare, traced) = (case.run_bare(), case.run());
    traced.assert_same_as(&bare);
    // What a process that was killed or replaced leaves lies in the spool.
    let left = [traced.trace_files(), traced.spooled()].concat();
    assert!(!left.is_empty(), "and it was traced");
}

in_each_way! {
    looks_the_same:
    data: Case::new("data.c");
    data_with_64_bit_offsets: Case::new("data.c").with(|p| p.flags("-D_FILE_OFFSET_BITS=64"));
    aliases: Case::new("aliases.c");
    offsets: Case::new("offsets.c");
    streams: Case::new("streams.c");
    streams_inlined: Case::new("streams.c").with(|p| p.flags("-O2 -fbuiltin"));
    big_streams: Case::new("big_streams.c");
    standard_streams: Case::new("stdout.c").input("x12 word\nline\nrest\n");
    fortified: fortified();
    metadata: Case::new("metadata.c");
    paths: Case::new("at.c");
    failing: Case::new("failing.c");
    fcntl: Case::new("fcntl.c");
    modes: Case::new("modes.c");
    threads: Case::new("threads.c");
    threads_left_running: Case::new("detached.c");
    many_threads: Case::new("many_threads.c");
    forks_among_threads: Case::new("fork_storm.c");
    calls_within_calls: Case::new("cookie.c");
    large_files: Case::new("far.c");
    system_calls: Case::new("system_calls.c");
    asynchronous: Case::new("aio.c");
    cancelled_threads: Case::new("cancel.c");
    signals: Case::new("signals.c");
    before_and_after_main: Case::new("lifecycle.c");
    processes: Case::new("processes.c");
    spawning: Case::new("spawning.c");
    becoming_another_program: Case::new("spawning.c").args("execle");
    closing_all_descriptors: Case::new("close_all.c");
    a_malloc_of_its_own: Case::new("own_malloc.c");
    environment: Case::new("environment.c");
    functions_of_its_own in dynamic, preload: functions_of_its_own();
    names_of_its_own: names_of_its_own();
    old_binaries in preload: Case::new("old_binary.c");
    plugins in dynamic, preload: plugins();
    first_calls_while_a_plugin_is_loaded in dynamic, preload: loading();
    returning: Case::new("exit_now.c").args("return");
    leaving_by_exit_now: Case::new("exit_now.c").args("_exit");
    leaving_by_c99_exit: Case::new("exit_now.c").args("_Exit");
    leaving_by_quick_exit: Case::new("exit_now.c").args("quick_exit");
    leaving_by_exit: Case::new("exit_now.c").args("exit");
    leaving_by_abort: Case::new("exit_now.c").args("abort");
    leaving_by_quick_exit_with_handlers: Case::new("exit_now.c").args("quick_exit_handled");
    leaving_by_abort_with_a_handler: Case::new("exit_now.c").args("abort_handled");
    leaving_by_abort_while_it_is_blocked: Case::new("exit_now.c").args("abort_blocked");
    leaving_by_abort_that_is_ignored: Case::new("exit_now.c").args("abort_ignored");
    leaving_by_exit_in_a_handler_of_abort: Case::new("exit_now.c").args("abort_exit");
    abort_that_its_handler_leaves: Case::new("exit_now.c").args("abort_left");
    killed: Case::new("exit_now.c").args("kill");
    crashed: Case::new("exit_now.c").args("segv");
    replaced_by_another: Case::new("exit_now.c").args("exec");
    cpp_streams: Case::new("fstreams.cpp");
    fortran: Case::new("fortran_io.f90");
    rust in dynamic, preload: Case::new("std_fs.rs");
    rust_linked_with_the_archive in dynamic, linked_statically: Case::new("std_fs.rs").with(|p| p.archive());
    c_linked_with_the_archive in dynamic: Case::new("streams.c").with(|p| p.archive());
}

fn fortified() -> Case {
    Case::new("fortified.c").with(|program| program.flags("-O2 -D_FORTIFY_SOURCE=2"))
}

fn functions_of_its_own() -> Case {
    Case::new("uses_own_functions.c").with(|program| program.object("own_functions.c"))
}

fn names_of_its_own() -> Case {
    Case::new("own_names.c").with(|program| program.flags("-std=c99 -fno-builtin"))
}

fn loading() -> Case {
    Case::new("loading.c").with(|program| program.plugin("loading_plugin.c"))
}

fn plugins() -> Case {
    Case::new("plugin_host.c").with(|program| program.plugin("plugin.c"))
}
