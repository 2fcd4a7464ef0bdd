//! An OTF2 archive, for Vampir and the tools of Score-P: a process is a location group, a thread a location; calls are
//! regions within the calls that caused them, and what they do to files are OTF2's records of I/O.
//!
//! One process is read after the other, so that memory, and files that are open, do not grow with their number.

mod definitions;
mod handle_events;
mod handles;
mod process;
mod thread;

use crate::job::Job;
use anyhow::Context;
use definitions::DefinitionWriter;
use iota_otf2::Archive;
use iota_output::OutputDirectory;
use iota_trace::read::Part;
use process::Process;
use std::collections::HashMap;
use std::fs::{self, DirEntry, ReadDir};
use std::io;
use std::path::Path;

/// Bytes that a transfer with its offset takes; other calls take half of it.
pub const BYTES_PER_CALL: u64 = 60;

/// Writes all calls of a job
///
/// # Errors
///
/// There is no libotf2, or a file cannot be written.
pub fn write(job: &Job, directory: &OutputDirectory) -> anyhow::Result<()> {
    may_open_many_files();
    let creator = format!("iota {}", env!("CARGO_PKG_VERSION"));
    let archive = Archive::create(directory.draft(), &creator)?;
    let locations = contents(job, &archive).with_context(|| directory.name())?;
    archive.finish(locations).with_context(|| directory.name())
}

/// Of a process that has more threads than files may be open, each thread with events has one: as many as are allowed.
fn may_open_many_files() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: a place for the limits, which are then written as they were read, but for one that may be raised.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            // Where it cannot be, an open fails and says so.
            let _ = libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// Whether a directory holds an archive and nothing else
pub fn is_archive(path: &Path) -> bool {
    let parts = ["traces.otf2", "traces.def", "traces"];
    let belongs = |entry: io::Result<DirEntry>| {
        entry.is_ok_and(|entry| parts.iter().any(|part| entry.file_name() == *part))
    };
    let holds = |mut entries: ReadDir| entries.all(belongs);
    path.join(parts[0]).is_file() && fs::read_dir(path).is_ok_and(holds)
}

/// Events and definitions; says how many locations have events
fn contents(job: &Job, archive: &Archive) -> anyhow::Result<u64> {
    let mut definitions = DefinitionWriter::new(archive.definitions()?)?;
    for rank in job.ranks() {
        for (nth, parts) in processes(rank).into_iter().enumerate() {
            let mut process = Process::new(archive, &mut definitions);
            for part in &parts {
                job.of_rank(&[part], |row| process.add(row))?;
                process.whole()?;
            }
            process.finish(parts[0], nth == 0)?;
        }
    }
    let start = job.all.trace.start().0.max(0) as u64;
    definitions.finish(job.all.duration.max(0) as u64, start)
}

/// The parts of each process, of which one that became another program has several
fn processes<'a>(rank: &[&'a Part]) -> Vec<Vec<&'a Part>> {
    let (mut processes, mut places) = (Vec::<Vec<&Part>>::new(), HashMap::new());
    for part in rank {
        let next = processes.len();
        let place = *places.entry(part.of_process()).or_insert(next);
        if place == next {
            processes.push(Vec::new());
        }
        processes[place].push(part);
    }
    processes
}
