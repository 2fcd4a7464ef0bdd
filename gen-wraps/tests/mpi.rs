//! Every function of MPI that has to do with files, and every one that starts or ends, is classified.

use iota_calls::mpi::{LEFT_OUT_MPI, STARTS_AND_ENDS};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGINNINGS: [&str; 8] = [
    "MPI_File_",
    "MPI_Session_",
    "MPI_Init",
    "MPI_Final",
    "MPI_Abort",
    "MPI_Register_datarep",
    "MPI_Comm_spawn",
    "MPI_Wait",
];

/// MPI compilers of this machine that answer
fn compilers() -> Vec<String> {
    let named = std::env::var("MPICC").ok();
    let usual = ["mpicc", "mpicc.mpich", "mpicc.openmpi"].map(String::from);
    let answers = |mpicc: &String| {
        Command::new(mpicc)
            .arg("-show")
            .output()
            .is_ok_and(|run| run.status.success())
    };
    named.into_iter().chain(usual).filter(answers).collect()
}

/// Directories where a compiler finds headers
fn include_dirs(mpicc: &str) -> Vec<PathBuf> {
    let said = |option| {
        let run = Command::new(mpicc)
            .arg(option)
            .output()
            .expect("an MPI compiler that answered before");
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let line = said("-show") + " " + &said("--showme:incdirs");
    let words = line
        .split_whitespace()
        .map(|word| word.strip_prefix("-I").unwrap_or(word));
    words
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .chain(["/usr/include".into()])
        .collect()
}

/// The headers of an MPI, mpi.h first found and those beside it
fn headers(mpicc: &str) -> String {
    let dirs = include_dirs(mpicc);
    let Some(dir) = dirs.iter().find(|dir| dir.join("mpi.h").exists()) else {
        panic!("{mpicc}: no mpi.h in any of {dirs:?}");
    };
    let files = std::fs::read_dir(dir)
        .expect("the directory of mpi.h")
        .flatten()
        .map(|entry| entry.path());
    let mpi = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("mpi"))
    };
    files
        .filter(mpi)
        .filter(|path| path.extension().is_some_and(|end| end == "h"))
        .map(read)
        .collect()
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(&path)
        .unwrap_or_else(|why| panic!("{}: {why}", path.as_ref().display()))
}

/// Names that a parenthesis follows: declarations, and definitions of macros
fn functions(text: &str) -> BTreeSet<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let calls = text
        .match_indices('(')
        .map(|(at, _)| text[..at].trim_end_matches(' '));
    let names = calls.map(|before| before.rsplit(|c| !word(c)).next().unwrap_or(""));
    names
        .filter(|name| BEGINNINGS.iter().any(|start| name.starts_with(start)))
        .collect()
}

fn classified(function: &str) -> usize {
    let hooked = STARTS_AND_ENDS
        .split_whitespace()
        .filter(|name| *name == function)
        .count();
    hooked
        + LEFT_OUT_MPI
            .iter()
            .map(|group| group.count(function))
            .sum::<usize>()
}

#[test]
fn every_function_for_files_starts_and_ends_is_classified_once() {
    let compilers = compilers();
    if compilers.is_empty() {
        println!("no MPI is installed here: there is no mpi.h to hold the table against");
    }
    for mpicc in compilers {
        let text = headers(&mpicc);
        let functions = functions(&text);
        assert!(
            functions.contains("MPI_File_write_at_all"),
            "{mpicc}: mpi.h was not understood: {functions:?}"
        );
        let wrong = functions.into_iter().filter(|name| classified(name) != 1);
        assert_eq!(
            wrong.collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "{mpicc}: not classified, or twice"
        );
    }
}

#[test]
fn what_starts_and_ends_a_trace_has_its_entry_in_c() {
    let entries = read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../c-shim/mpi/names.txt"));
    for name in STARTS_AND_ENDS.split_whitespace() {
        assert!(
            entries.lines().any(|line| line == name),
            "{name} is not in c-shim/mpi/names.txt"
        );
    }
}
