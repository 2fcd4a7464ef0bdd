//! The rows of PnetCDF and NetCDF are those of their headers, and every function there is classified.

use gen_wraps::above_signatures;
use iota_calls::netcdf::LEFT_OUT_NETCDF;
use iota_calls::{Library, NC_ERRORS, rows};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Debian's parallel NetCDF
const PARALLEL: &str = "/usr/lib/x86_64-linux-gnu/netcdf/mpi/include";
const PNETCDF: &str = "/usr/include/pnetcdf.h";
const NETCDF: &str = "/usr/include/netcdf.h";

/// The headers that are here, and what a test is for that needs them
fn headers() -> Vec<String> {
    let parallel = format!("{PARALLEL}/netcdf_par.h");
    let all = [PNETCDF, NETCDF, &parallel, "/usr/include/netcdf_mem.h"];
    let is_here = |path: &&str| {
        iota_tests::wanted(
            path,
            Path::new(path).exists(),
            "scripts/deps.sh test gets it",
        )
    };
    all.into_iter().filter(is_here).map(read).collect()
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(&path)
        .unwrap_or_else(|why| panic!("{}: {why}", path.as_ref().display()))
}

/// Names of the libraries that a parenthesis follows
fn functions(text: &str) -> BTreeSet<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let calls = text.match_indices('(').map(|(at, _)| text[..at].trim_end());
    let names = calls.map(|before| before.rsplit(|c| !word(c)).next().unwrap_or(""));
    let is_of_library = |name: &&str| name.starts_with("nc_") || name.starts_with("ncmpi_");
    names.filter(is_of_library).collect()
}

#[test]
fn every_function_of_the_headers_is_classified_once() {
    for text in headers() {
        let functions = functions(&text);
        assert!(!functions.is_empty(), "the header was not understood");
        let classified = |function: &str| {
            let has_row = rows().any(|(_, call)| call.name == function);
            let left_out = LEFT_OUT_NETCDF.iter().map(|group| group.count(function));
            usize::from(has_row) + left_out.sum::<usize>()
        };
        let wrong = functions.into_iter().filter(|name| classified(name) != 1);
        assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&str>::new());
    }
}

/// What a compiler has to say of the checks of a library
fn complaints(compiler: &str, flags: &[&str], library: Library) -> String {
    let mut cc = Command::new(compiler);
    cc.args(flags).args(["-fsyntax-only", "-x", "c", "-"]);
    let mut running = cc
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a compiler");
    let mut to = running.stdin.take().expect("a pipe");
    to.write_all(above_signatures(library).as_bytes())
        .expect("a fed compiler");
    drop(to);
    let output = running.wait_with_output().expect("a compiler");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_signature_is_the_headers() {
    let has = |what: &str| {
        iota_tests::wanted(
            what,
            Path::new(what).exists(),
            "scripts/deps.sh test gets it",
        )
    };
    if has(NETCDF) {
        assert_eq!(complaints("cc", &[], Library::Netcdf), "");
    }
    let mpicc = "mpicc.openmpi";
    if has(PNETCDF) && has(PARALLEL) && has("/usr/bin/mpicc.openmpi") {
        assert_eq!(complaints(mpicc, &[], Library::Pnetcdf), "");
        let parallel = format!("-I{PARALLEL}");
        assert_eq!(complaints(mpicc, &[&parallel], Library::Netcdf), "");
    }
}

#[test]
fn errors_are_those_of_the_headers() {
    let names: BTreeMap<u16, &str> = NC_ERRORS
        .iter()
        .map(|(name, number)| (*number, *name))
        .collect();
    assert_eq!(names.len(), NC_ERRORS.len(), "a number twice");
    for text in headers() {
        let defined = text
            .lines()
            .filter_map(|line| line.strip_prefix("#define NC_E"));
        for line in defined {
            let words: Vec<_> = line.split_whitespace().collect();
            let number = words
                .get(1)
                .and_then(|word| word.strip_prefix("(-")?.strip_suffix(')'));
            let Some(number) = number.and_then(|number| number.parse().ok()) else {
                continue;
            };
            assert!(names.contains_key(&number), "NC_E{}", words[0]);
        }
    }
}
