//! What `iota run --probe` says of a pattern, before the run and after it.

use super::{caller, counts, of_user, run};
use iota_tests::{Case, Program};

fn said(options: &str) -> (i32, String) {
    let ran = run(caller("probed_calls.c"), options);
    (ran.output.code(), ran.output.errors())
}

#[test]
fn what_becomes_of_a_pattern_is_told() {
    let ran = run(
        caller("probed_calls.c"),
        "--probe p_*,*doubles --probe nowhere_at_all",
    )
    .succeeded();
    let said = ran.output.errors();
    assert!(
        said.contains("probe p_*: 25 functions of probed_library"),
        "{said}"
    );
    assert!(
        said.contains("probe *doubles: 2 functions of probed_library"),
        "{said}"
    );
    assert!(
        said.contains("probe nowhere_at_all: no function of the program"),
        "{said}"
    );
    assert!(
        said.contains("probe nowhere_at_all: no call was recorded"),
        "{said}"
    );
    assert_eq!(counts(&of_user(&ran))["p_two_doubles"], 3);
}

#[test]
fn lists_stand_for_the_functions_of_libraries() {
    let lists = [
        ("hdf5", "H5Dget_storage_size", 12),
        ("cufile", "cuFileRead", 18),
        ("daos", "dfs_write", 8),
        ("adios2", "adios2_put", 9),
        ("pnetcdf", "ncmpi_inq_nreqs", 10),
        ("netcdf", "nc_inq_nvars", 11),
    ];
    for (list, function, result) in lists {
        let program = Program::new("probed_lists.c").shared("probed_lists_library.c");
        let ran = run(Case::of(program), &format!("--probe @{list}")).succeeded();
        let calls = of_user(&ran);
        let found: Vec<_> = calls.iter().map(|call| (&*call.op, call.ret)).collect();
        assert_eq!(found, [(function, result)], "{list}");
    }
    let (code, said) = said("--probe @hdf");
    assert!(
        code == 125 && said.contains("there is no such list, but @hdf5"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_probed_is_refused() {
    let refused = [
        (
            "p_int",
            "no such function in the program and its libraries, but p_ints",
        ),
        ("p_data", "a variable of "),
        ("pwrite64", "iota traces it already"),
        ("_setjmp", "it may return twice"),
        ("dlsym", "it looks at its caller"),
        ("p_[", "a [ without ]"),
    ];
    for (name, why) in refused {
        let (code, said) = said(&format!("--probe {name}"));
        assert_eq!(code, 125, "{name}: {said}");
        assert!(said.contains(why), "{name}: {said}");
    }
}

/// A program calls its own functions directly.
#[test]
fn functions_of_the_program_are_told() {
    let (code, said) = said("--probe look_back");
    assert_eq!(code, 0);
    assert!(
        said.contains("probe look_back: 1 inner function of probed_calls"),
        "{said}"
    );
}

/// All functions of all libraries, but for those that cannot be.
#[test]
fn a_program_runs_with_a_probe_before_each_function() {
    let case = caller("probed_calls.c");
    let bare = case.run_bare();
    let ran = run(case, "--probe *").succeeded();
    assert_eq!(ran.output.text(), bare.output.text());
    assert!(of_user(&ran).len() > 100);
}

/// What is chosen at the start is another function each time; Go's stacks are too small for the tracer.
#[test]
fn functions_of_other_kinds_are_refused() {
    let chosen = "static int one(void) { return 1; }
        static int (*choose(void))(void) { return one; }
        int in_chosen(void) __attribute__((ifunc(\"choose\"), visibility(\"hidden\")));
        int main(void) { return in_chosen() - 1; }\n";
    let in_go = "__attribute__((section(\".gopclntab\"))) int table = 1;
        __attribute__((noinline)) static int in_go(int a) { __asm__ volatile(\"\"); return a + table; }
        int main(void) { return in_go(-1); }\n";
    for (name, source, why) in [
        (
            "in_chosen",
            chosen,
            "the dynamic linker chooses it at the start (IFUNC)",
        ),
        ("in_go", in_go, "it is in Go, where stacks are small"),
    ] {
        let program = Program::rendered(&format!("{name}.c"), source);
        let ran = run(Case::of(program.clone()), &format!("--probe {name}"));
        let said = ran.output.errors();
        assert!(ran.output.code() == 125 && said.contains(why), "{said}");
        let glob = format!("--probe [i]{}", &name[1..]);
        run(Case::of(program), &glob).succeeded();
    }
}
