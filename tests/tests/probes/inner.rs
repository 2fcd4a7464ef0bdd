//! Functions that no slot leads to: their first instructions are patched.

use super::{counts, enclosing, of_user, run};
use iota_tests::{Case, Program, Ran};

/// Runs a program with and without probes of its own functions, of which it must not know.
fn same(program: Program, patterns: &str) -> Option<Ran> {
    let case = Case::of(program).seconds(120);
    if !case.can_be_built() {
        return None;
    }
    let bare = case.run_bare();
    let ran = run(case, &format!("--quiet --probe {patterns}"));
    ran.assert_same_as(&bare);
    ran.trace().assert_whole();
    Some(ran)
}

fn in_c(flags: &str) -> Ran {
    let program = Program::new("probed_inner.c").flags(flags);
    let ran = same(program, "in_*").expect("the build's compiler");
    let calls = of_user(&ran);
    let counts = counts(&calls);
    for name in [
        "in_write",
        "in_many",
        "in_steps",
        "in_forks",
        "in_vforks",
        "in_backtrace",
    ] {
        assert_eq!(counts.get(name), Some(&1), "{flags}: {name}: {counts:?}");
    }
    assert_eq!(counts["in_switch"], 9, "{flags}");
    assert!(
        counts["in_fibonacci"] > 20 && counts["in_compare"] >= 4,
        "{flags}: {counts:?}"
    );
    let in_handler = calls.iter().filter(|call| {
        let above = enclosing(call, &calls);
        above.is_some_and(|above| &*above.op == "in_handler")
    });
    // With -Os it is shorter than a jump.
    let below = usize::from(counts.contains_key("in_zero"));
    assert_eq!(
        (counts["in_handler"], in_handler.count()),
        (1, below),
        "{flags}"
    );
    ran
}

#[test]
fn functions_of_a_program_are_recorded() {
    let ran = in_c("-O0");
    let calls = of_user(&ran);
    let write = ran.trace();
    let write = write.calls().find(|call| &*call.op == "write").cloned();
    let above = enclosing(&write.expect("a call"), &calls).map(|above| above.op.to_string());
    assert_eq!(above.as_deref(), Some("in_write"));
    assert_eq!(counts(&calls)["in_fibonacci"], 177);
}

/// Whatever the compiler puts at the beginning of functions.
#[test]
fn compilers_begin_functions_in_many_ways() {
    let optimised = ["-O1", "-O2", "-O3 -fno-stack-protector", "-Os"];
    let marked = ["-O2 -fcf-protection", "-O2 -fpatchable-function-entry=8"];
    let placed = [
        "-O2 -no-pie",
        "-O2 -mcmodel=large -no-pie",
        "-O2 -march=native -fstack-protector-all",
    ];
    let linked = [
        "-O2 -rdynamic",
        "-O0 -fstack-clash-protection",
        "-O2 -fno-omit-frame-pointer",
    ];
    for flags in [&optimised[..], &marked, &placed, &linked].concat() {
        in_c(flags);
    }
}

/// The profiler's counter is called first; its file is another one each time.
#[test]
fn functions_that_begin_with_a_call_of_the_profiler() {
    for flags in ["-O2 -pg", "-O2 -pg -mfentry"] {
        let program = Program::new("probed_inner.c").flags(flags);
        let bare = Case::of(program.clone()).run_bare().succeeded();
        let ran = run(Case::of(program), "--probe in_*").succeeded();
        assert_eq!(ran.stdout(), bare.stdout());
        assert_eq!(counts(&of_user(&ran))["in_switch"], 9);
        assert!(ran.work().join("gmon.out").exists());
    }
}

#[test]
fn instructions_that_depend_on_their_place_work_elsewhere() {
    if cfg!(target_arch = "x86_64") {
        let ran = in_c("-O2");
        let calls = of_user(&ran);
        for (name, count) in [
            ("in_calls", 1),
            ("in_far", 2),
            ("in_leap", 1),
            ("in_reads", 1),
            ("in_quiet", 2),
        ] {
            assert_eq!(counts(&calls).get(name), Some(&count), "{name}");
        }
    }
}

#[test]
fn functions_whose_beginning_does_not_allow_it_are_told() {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let refused = [
        ("no_loop", "it jumps back to its first instruction"),
        ("no_inside", "a jump leads into its first instructions"),
        ("no_room", "it is shorter than a jump"),
        ("no_pops", "it returns in another way than C functions"),
        ("no_caller", "it looks at its caller"),
    ];
    let program = Program::new("probed_inner.c").flags("-O2");
    for (name, why) in refused {
        let ran = run(Case::of(program.clone()), &format!("--probe {name}"));
        let said = ran.output.errors();
        assert!(
            ran.output.code() == 125 && said.contains(why),
            "{name}: {said}"
        );
        let ran = run(
            Case::of(program.clone()),
            &format!("--probe [n]{}", &name[1..]),
        );
        let said = ran.output.errors();
        let left_out = format!("{name} left out: {why}");
        assert!(
            ran.output.code() == 0 && said.contains(&left_out),
            "{name}: {said}"
        );
    }
}

#[test]
fn a_program_that_starts_itself_again_is_patched_again() {
    let program = Program::new("probed_inner.c").flags("-O1");
    let case = Case::of(program).args("again");
    let ran = run(case.clone(), "--quiet --probe in_many");
    ran.assert_same_as(&case.run_bare());
    let calls = of_user(&ran);
    assert_eq!(counts(&calls)["in_many"], 2);
}

#[test]
fn exceptions_leave_functions_of_a_program() {
    let Some(ran) = same(Program::new("probed_inner.cpp").flags("-O2"), "in_model::*") else {
        return;
    };
    let calls = of_user(&ran);
    let of = |part: &str| calls.iter().filter(|call| call.op.contains(part)).count();
    assert_eq!((of("catches"), of("returns"), of("throws")), (100, 1, 600));
    let left = calls.iter().filter(|call| call.ret == -1).count();
    assert_eq!(left, 600);
    assert!(of("4area") == 1, "{:?}", counts(&calls));
}

#[test]
fn functions_of_a_fortran_program() {
    let Some(ran) = same(
        Program::new("probed_inner.f90").flags("-O1"),
        "__in_model_MOD_*",
    ) else {
        return;
    };
    let calls = of_user(&ran);
    let counts = counts(&calls);
    assert_eq!(counts["__in_model_MOD_step"], 3, "{counts:?}");
    assert!(counts["__in_model_MOD_depth"] >= 1, "{counts:?}");
}

#[test]
fn functions_of_a_rust_program() {
    let Some(ran) = same(Program::new("probed_inner.rs"), "*::in_model::*") else {
        return;
    };
    let calls = of_user(&ran);
    let of = |part: &str| calls.iter().filter(|call| call.op.contains(part)).count();
    assert_eq!(
        (of("4sums"), of("7threads")),
        (21, 1),
        "{:?}",
        counts(&calls)
    );
}

/// Calls inside the library go by no slot there.
#[test]
fn functions_of_a_library_that_is_linked_to_itself() {
    let library = Program::new("probed_calls.c").shared("probed_library.c");
    let ran = run(Case::of(library.flags("-Wl,-Bsymbolic")), "--probe p_*").succeeded();
    let calls = of_user(&ran);
    // By the program, by p_tail, and by p_tail that p_by_table called: each once.
    assert_eq!(counts(&calls)["p_ints"], 3 * 3);
}

#[test]
fn a_glob_of_too_many_functions_is_refused() {
    let functions = (0..4097).map(|n| format!("static int f_{n}(void) {{ return {n}; }}\n"));
    let pointers = (0..4097).map(|n| format!("f_{n}, "));
    let table = format!(
        "int (*const all[])(void) = {{{}}};\nint main(void) {{ return all[0](); }}\n",
        pointers.collect::<String>()
    );
    let source = functions.collect::<String>() + &table;
    let program = Program::rendered("many_functions.c", &source);
    let ran = run(Case::of(program), "--probe f_*");
    let said = ran.output.errors();
    let why = "--probe f_*: 4,097 functions, and a process can have 4,096 probes";
    assert!(ran.output.code() == 125 && said.contains(why), "{said}");
}

/// Each function of it, and its own compiler's runtime.
#[test]
fn every_function_of_a_program_is_patched() {
    for flags in ["-O0", "-O2", "-O3"] {
        let program = Program::new("probed_inner.c").flags(flags);
        let ran = same(program, "[a-z]*").expect("the build's compiler");
        assert!(of_user(&ran).len() > 100);
    }
}
