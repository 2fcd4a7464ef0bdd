//! What `iota info` says, as data: the tables and the JSON object are two views of it.

use super::layouts::{Layout, Lustre};
use super::unseen::Uncalled;
use crate::names::command;
use crate::waited::Waited;
use iota_analysis::processes::Processes;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// All of it; times are nanoseconds, moments nanoseconds since 1970
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    pub trace: Trace,
    pub job: JobSummary,
    pub time: Time,
    pub calls: Calls,
    pub layers: Vec<Layer>,
    pub functions: Vec<Function>,
    pub files: Files,
    pub lustre: Option<Lustre>,
    pub process_tree: Processes,
    pub parts: Vec<Part>,
    pub completeness: Completeness,
}

/// The files that hold the trace
#[derive(Debug, Default, Serialize)]
pub struct Trace {
    pub paths: Vec<String>,
    pub bytes: u64,
    pub bytes_per_call: Option<f64>,
    pub format: u8,
    pub written_by: Vec<String>,
}

/// What ran, and where
#[derive(Debug, Default, Serialize)]
pub struct JobSummary {
    pub ids: Vec<String>,
    pub programs: Vec<ProgramSummary>,
    pub hosts: Vec<Host>,
    pub ranks: u32,
    pub processes: u64,
    pub threads: u64,
    pub spawned: Option<Spawned>,
    pub only_files: Option<String>,
    pub exclude_files: Option<String>,
}

/// Processes with the same command line
#[derive(Debug, Serialize)]
pub struct ProgramSummary {
    pub path: String,
    pub command: String,
    pub directory: String,
    pub processes: u64,
}

impl ProgramSummary {
    /// What ran, as far as the trace says it: that of an imported log may say nothing.
    pub fn words(&self) -> Option<&str> {
        let words = match self.command == command(b"") {
            true => &self.path,
            false => &self.command,
        };
        (!words.is_empty()).then_some(words)
    }
}

/// Command lines of one program in one directory
pub struct SameProgram<'a> {
    pub first: &'a ProgramSummary,
    pub command_lines: u64,
    pub processes: u64,
}

impl JobSummary {
    /// The programs in their order: a shell's loop starts one again and again, with other arguments
    pub fn by_program(&self) -> Vec<SameProgram<'_>> {
        let mut all: Vec<SameProgram> = Vec::new();
        let mut places = HashMap::new();
        for program in &self.programs {
            let place = *places
                .entry((&program.path, &program.directory))
                .or_insert(all.len());
            if place == all.len() {
                all.push(SameProgram {
                    first: program,
                    command_lines: 0,
                    processes: 0,
                });
            }
            all[place].command_lines += 1;
            all[place].processes += program.processes;
        }
        all
    }
}

/// Ranks that MPI_Comm_spawn started
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spawned {
    /// First and last of each run of ranks
    pub ranks: Vec<(u64, u64)>,
    /// Who called it, as the launcher names a job and a rank in it; none where it does not tell
    pub by: BTreeSet<String>,
}

/// Processes of one node
#[derive(Debug, Serialize)]
pub struct Host {
    pub name: String,
    pub processes: u64,
}

/// When, and by which clocks
#[derive(Debug, Default, Serialize)]
pub struct Time {
    pub start: i64,
    pub start_local: Option<String>,
    pub duration: i64,
    /// The part of it that is I/O, on average over ranks; none where processes run beside and behind each other
    pub share_of_run: Option<f64>,
    pub clocks: Vec<Clock>,
    pub offsets: Option<Offsets>,
    pub waited: Option<Waited>,
}

/// Processes whose events the same kind of clock stamped
#[derive(Debug, Serialize)]
pub struct Clock {
    pub source: String,
    pub hertz: u64,
    pub step: f64,
    pub processes: u64,
}

/// The clocks' distances to rank 0's, which are taken out of the times
#[derive(Debug, Serialize)]
pub struct Offsets {
    pub min: i64,
    pub max: i64,
    pub max_error: u64,
    pub max_drift_ppb: f64,
    pub processes: u64,
}

/// How many calls, and what became of them
#[derive(Debug, Default, Serialize)]
pub struct Calls {
    pub captured: u64,
    pub filtered: u64,
    pub lost: u64,
    /// Before the tracer could start
    pub missed: u64,
    pub failed: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

/// Calls, bytes and time
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Totals {
    pub calls: u64,
    pub failed: u64,
    /// With calls that others enclose
    pub inclusive: u64,
    /// The longest call
    pub max: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

impl Totals {
    /// Takes others in
    pub fn add(&mut self, more: &Totals) {
        self.calls += more.calls;
        self.failed += more.failed;
        self.inclusive = self.inclusive.saturating_add(more.inclusive);
        self.max = self.max.max(more.max);
        self.bytes_read = self.bytes_read.saturating_add(more.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(more.bytes_written);
    }
}

/// A layer's calls
#[derive(Debug, Serialize)]
pub struct Layer {
    pub layer: String,
    #[serde(flatten)]
    pub totals: Totals,
}

/// A function's calls
#[derive(Debug, Serialize)]
pub struct Function {
    pub function: String,
    pub layer: String,
    #[serde(flatten)]
    pub totals: Totals,
}

/// How many files, and those with the most bytes
#[derive(Debug, Default, Serialize)]
pub struct Files {
    pub count: u64,
    /// Those of installed software, which are listed behind the program's own
    pub installed: u64,
    /// Those that only MPI uses while it starts and ends, pipes, devices and files of the kernel, which are listed last
    pub elsewhere: u64,
    /// Who uses them: `ranks` or `processes`
    #[serde(skip)]
    pub users: &'static str,
    pub top: Vec<File>,
}

/// Whose a file is; the program's own are listed first
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Program,
    Installed,
    Elsewhere,
}

/// A file's calls
#[derive(Debug, Serialize)]
pub struct File {
    pub path: String,
    pub place: Place,
    /// Ranks that use it, or processes of a job without ranks
    pub tasks: u64,
    pub layout: Option<Layout>,
    #[serde(flatten)]
    pub totals: Totals,
}

/// One process' stay in the trace
#[derive(Debug, Serialize)]
pub struct Part {
    pub rank: u32,
    pub pid: u32,
    pub host: String,
    pub threads: u64,
    pub calls: u64,
    pub filtered: u64,
    pub lost: u64,
    pub tracer_errors: u64,
    pub start: i64,
    pub end: Option<i64>,
    pub ended: String,
    pub file: String,
}

/// Whether all calls are there
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All are, and the kernel counted no more
    Yes,
    /// Some are known not to be
    No,
    /// Nothing is known to be missing, and the kernel's own count is not known of all processes
    #[default]
    Unknown,
}

impl Verdict {
    /// As people say it
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Yes => "yes",
            Verdict::No => "no",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What should be there and is not
#[derive(Debug, Default, Serialize)]
pub struct Completeness {
    pub complete: Verdict,
    /// First and last of each gap
    pub missing_ranks: Vec<(u64, u64)>,
    /// Calls that stood in blocks which are damaged
    pub damaged_calls: u64,
    /// Calls of the same run that still wait in spools on this node
    pub waiting_calls: u64,
    /// What is not in the trace, and what brings it there
    pub not_seen: Vec<String>,
    /// What the kernel counted beyond the calls that were recorded
    pub uncalled: Option<Uncalled>,
    /// Why it is not known whether all is there
    pub unknown: Vec<String>,
    pub problems: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_of_a_program_are_one() {
        let program = |path: &str, command: &str, directory: &str, processes| ProgramSummary {
            path: path.into(),
            command: command.into(),
            directory: directory.into(),
            processes,
        };
        let job = JobSummary {
            programs: vec![
                program("/bin/sh", "sh -c x", "/a", 1),
                program("/bin/cp", "cp x y", "/a", 2),
                program("/bin/cat", "cat x", "/a", 1),
                program("/bin/cp", "cp x z", "/a", 3),
                program("/bin/cp", "cp x y", "/b", 1),
            ],
            ..JobSummary::default()
        };
        let all: Vec<_> = job
            .by_program()
            .iter()
            .map(|of| (of.first.command.clone(), of.command_lines, of.processes))
            .collect();
        let of = |command: &str, lines, processes| (command.to_owned(), lines, processes);
        let expected = [
            of("sh -c x", 1, 1),
            of("cp x y", 2, 5),
            of("cat x", 1, 1),
            of("cp x y", 1, 1),
        ];
        assert_eq!(all, expected);
    }
}
