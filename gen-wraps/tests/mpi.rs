//! Every function of MPI that has to do with files, and every one that starts or ends, is classified.

use iota_calls::mpi::{ENTRIES, LEFT_OUT_MPI, starts_ranks, without_events};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGINNINGS: [&str; 11] = [
    "MPI_File_",
    "MPI_Session_",
    "MPI_Init",
    "MPI_Final",
    "MPI_Abort",
    "MPI_Register_datarep",
    "MPI_Comm_spawn",
    "MPI_Wait",
    "MPI_Test",
    "MPI_Request_",
    "MPI_Cancel",
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
    let hooked = without_events().filter(|name| *name == function).count();
    let rows = iota_calls::rows().filter(|(_, call)| call.name == function);
    hooked
        + rows.count()
        + LEFT_OUT_MPI
            .iter()
            .map(|group| group.count(function))
            .sum::<usize>()
}

#[test]
fn every_function_for_files_without_events_is_classified_once() {
    let compilers = compilers();
    iota_tests::wanted(
        "mpi.h",
        !compilers.is_empty(),
        "scripts/deps.sh test gets it",
    );
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

/// What stands between the brackets of each use of a macro, without its definition
fn uses(file: &str, of: &str) -> Vec<Vec<String>> {
    let text = read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../c-shim/mpi")
            .join(file),
    );
    let lines = text.lines().filter_map(|line| line.strip_prefix(of));
    let inside = lines.filter_map(|line| line.strip_prefix('(')?.strip_suffix(')'));
    let words = |inside: &str| inside.split(", ").map(str::to_owned).collect();
    inside.map(words).collect()
}

#[test]
fn every_entry_is_hooked_in_c_under_both_its_names() {
    let both_names = |h: &Vec<String>| [format!("MPI_{}", h[2]), format!("PMPI_{}", h[2])];
    let hooked: BTreeSet<String> = uses("init.c", "HOOKS")
        .iter()
        .flat_map(both_names)
        .collect();
    let listed: BTreeSet<String> = ENTRIES.lines().map(str::to_owned).collect();
    assert_eq!(hooked, listed);
    let both: BTreeSet<String> = without_events()
        .flat_map(|n| [n.to_owned(), format!("P{n}")])
        .collect();
    assert_eq!(both, listed);
}

#[test]
fn fortran_has_every_entry_that_the_hooks_of_c_may_not_see() {
    let hooked: BTreeSet<String> = uses("fortran.c", "SPELLINGS")
        .into_iter()
        .map(|spelling| {
            assert_eq!(spelling[2], spelling[1].to_uppercase());
            spelling[1].clone()
        })
        .collect();
    // The Fortran layer of the others calls C's function.
    let others = |name: &&str| name.contains("Session") || starts_ranks(name);
    let listed = without_events().filter(|name| !others(name));
    assert_eq!(hooked, listed.map(str::to_lowercase).collect());
}
