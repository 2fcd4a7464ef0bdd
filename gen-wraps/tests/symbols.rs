//! Every function that the C library exports is classified: traced, or left out for a reason.

use gen_wraps::Libc;
use iota_calls::{LEFT_OUT, LeftOut, SHARED_ONLY, rows};

/// How often the table and the list of what is left out name a function
fn classified(function: &str) -> usize {
    let traced = rows().filter(|(_, call)| call.name == function).count();
    traced
        + LEFT_OUT
            .iter()
            .map(|group| group.count(function))
            .sum::<usize>()
}

fn classified_as(wrong: impl Fn(usize) -> bool) -> Vec<String> {
    let libc = Libc::probe().expect("a C library");
    let functions = libc
        .functions()
        .filter(|function| wrong(classified(function)));
    functions.map(String::from).collect()
}

#[test]
fn every_function_of_the_c_library_is_classified() {
    let forgotten = classified_as(|times| times == 0);
    assert!(
        forgotten.is_empty(),
        "neither in the table nor in LEFT_OUT: {}",
        forgotten.join(" ")
    );
}

#[test]
fn no_function_of_the_c_library_is_classified_twice() {
    let twice = classified_as(|times| times > 1);
    assert!(
        twice.is_empty(),
        "more than once in the table and LEFT_OUT: {}",
        twice.join(" ")
    );
}

#[test]
fn no_row_is_left_out_as_well() {
    let both = rows().filter(|(_, call)| classified(call.name) != 1);
    let both = both.map(|(_, call)| call.name).collect::<Vec<_>>();
    assert!(
        both.is_empty(),
        "more than once in the table and LEFT_OUT: {}",
        both.join(" ")
    );
}

#[test]
fn what_only_the_shared_library_has_is_in_the_table() {
    let names = SHARED_ONLY
        .iter()
        .flat_map(|group: &LeftOut| group.names.split_whitespace());
    let absent = names.filter(|name| !rows().any(|(_, call)| call.name == *name));
    assert_eq!(absent.collect::<Vec<_>>(), Vec::<&str>::new());
}
