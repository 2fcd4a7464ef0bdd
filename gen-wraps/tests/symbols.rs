//! Every function that the C library exports is classified: traced, or left out for a reason.

use gen_wraps::{Flavour, Libc, traced};
use iota_calls::glibc::{CALLED_BEFORE, release};
use iota_calls::{LEFT_OUT, LeftOut, Library, SHARED_ONLY, rows};

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

/// The newest C library that the table was compared with: functions above the floor, and since when they are there
fn newest() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("glibc-2.43.txt").lines();
    lines.filter_map(|line| {
        (!line.starts_with('#'))
            .then(|| line.split_once(' '))
            .flatten()
    })
}

#[test]
fn every_function_of_the_newest_c_library_is_classified() {
    let wrong = newest().filter(|(function, _)| classified(function) != 1);
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<(&str, &str)>::new());
}

#[test]
fn a_row_says_since_when_its_function_is_there() {
    for (_, call) in rows().filter(|(_, call)| call.library == Library::Libc) {
        let mut all = newest();
        let newer = all.find(|(name, _)| *name == call.name);
        // These moved into it from other libraries, or were in each program: they have an old version, or the archive had them.
        let moved = ["forkpty", "shm_open"].contains(&call.name);
        let in_programs = CALLED_BEFORE.iter().any(|(name, _)| *name == call.name);
        if !moved && !in_programs {
            assert_eq!(call.since(), newer.map(|(_, since)| since), "{}", call.name);
        }
    }
}

#[test]
fn the_c_library_that_is_here_has_each_function_since_the_version_that_its_row_says() {
    let libc = Libc::probe().expect("a C library");
    let here = |function: &str| libc.since(function).map(release);
    for (function, since) in newest() {
        assert!(
            here(function).is_none_or(|version| version == release(since)),
            "{function}: {:?}",
            libc.since(function)
        );
    }
}

#[test]
fn what_objects_of_the_archive_call_by_a_reserved_name_is_not_wrapped() {
    let libc = Libc::probe().expect("a C library");
    // Checked forms are called where nothing else records the call.
    let wrapped = traced(Flavour::Wrap).into_iter().map(|(_, call)| call.name);
    let harmed = wrapped.filter(|name| libc.is_called_by_archive(name) && !name.ends_with("_chk"));
    assert_eq!(harmed.collect::<Vec<_>>(), Vec::<&str>::new());
}
