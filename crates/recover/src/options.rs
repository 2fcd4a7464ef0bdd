//! How to recover, and what became of it.

use std::path::PathBuf;

/// How to recover
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Directories where spools are; none: the usual ones
    pub spools: Vec<PathBuf>,
    /// The file to write instead of NAME.iota
    pub file: Option<PathBuf>,
    /// Spools and parts stay
    pub keep: bool,
    /// Processes of other hosts are dead
    pub other_hosts: bool,
    /// So are those of PID namespaces that are not seen here
    pub unseen: bool,
}

/// What was recovered
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// The files that were written, with the number of processes whose spools are new in them, and of their calls
    pub files: Vec<(PathBuf, u64, u64)>,
    /// What was left alone, and why
    pub notes: Vec<String>,
    /// What was damaged or failed; all else was done
    pub problems: Vec<String>,
}
