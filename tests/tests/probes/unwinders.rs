//! Calls that are left by an exception, where the unwinder is not the usual one, or not to be asked everything.

use super::links::compile;
use super::{counts, of_user, probed};
use iota_tests::{Case, Program, Ran, Scratch, Way};

/// The program with the plugin of these flags: as it runs bare, and with a probe.
fn with_plugin(flags: &str) -> Option<Ran> {
    let program = Program::new("probed_unwinders.cpp").flags("-rdynamic");
    if !program.has_compiler() {
        return None;
    }
    let scratch = Scratch::new();
    // Its own library of C++ makes the plugin depend on another unwinder than the one that it brings.
    compile(
        &scratch,
        "-shared -fPIC PROGRAMS/probed_throws.cpp -Wl,--no-as-needed -lstdc++ -lgcc_s -o libbeside.so",
    );
    let words = format!(
        "-shared -fPIC -DPLUGIN PROGRAMS/probed_unwinders.cpp {flags} -Wl,-rpath,$ORIGIN -o plugin.so"
    );
    compile(&scratch, &words);
    let plugin = scratch.path().join("plugin.so").display().to_string();
    let case = Case::of(program.shared("probed_library.c"))
        .args(&plugin)
        .way(Way::Preload);
    let ran = probed(case.clone(), "p_call").run().succeeded();
    ran.assert_same_as(&case.run_bare());
    Some(ran)
}

/// The functions of an unwinder that the plugin hides cannot be asked, and those of another would abort the program.
#[test]
fn a_plugin_that_hides_its_unwinder() {
    let own =
        "-Wl,--no-as-needed libbeside.so -Wl,--exclude-libs,ALL -static-libgcc -l:libstdc++.a";
    if let Some(ran) = with_plugin(own) {
        assert_eq!(ran.stdout(), "3\nan error waits\n");
        assert_eq!(counts(&of_user(&ran)).get("p_call"), None);
    }
}

#[test]
fn a_constructor_that_waits_for_a_thread_which_throws() {
    if let Some(ran) = with_plugin("-DWAITS -lstdc++") {
        assert_eq!(ran.stdout(), "4\nan error waits\n");
        assert_eq!(counts(&of_user(&ran))["p_call"], 4);
    }
}

/// The C library loads the unwinder of a program in C when a thread ends.
#[test]
fn a_thread_that_ends_in_a_program_with_the_archive() {
    let scratch = Scratch::new();
    let (object, flags) = super::links::probes(&scratch, &["p_call"]);
    let program = Program::new("probed_thread_ends.c").library("probed_library.c");
    let program = program.object(object.to_str().expect("UTF-8"));
    let program = program.behind(&format!("-Wl,@{}", flags.display()));
    for program in [program.clone(), program.archive()] {
        let ran = Case::of(program).way(Way::Dynamic).run().succeeded();
        assert_eq!(counts(&of_user(&ran))["p_call"], 1);
    }
}
