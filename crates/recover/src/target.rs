//! Which file is to hold what was recovered, and which files beside it may be of the same run.

use anyhow::bail;
use iota_trace::Printable;
use iota_trace::read::Trace;
use std::fs;
use std::path::{Path, PathBuf};

/// A trace file beside the output
pub struct TraceFile {
    pub path: PathBuf,
    pub length: u64,
    pub trace: Trace,
}

/// NAME.iota
pub fn whole(base: &Path) -> PathBuf {
    numbered(base, 0)
}

fn numbered(base: &Path, n: u32) -> PathBuf {
    let mut name = base.file_name().unwrap_or_default().to_owned();
    if n > 0 {
        name.push(format!(".{n}"));
    }
    name.push(".iota");
    base.with_file_name(name)
}

/// The file that the user names: a new one, or one of this run's
pub fn given(file: &Path, beside: &[TraceFile]) -> anyhow::Result<PathBuf> {
    let same = |other: &TraceFile| {
        let paths = [file, &other.path].map(|path| path.canonicalize().ok());
        paths[0].is_some() && paths[0] == paths[1]
    };
    if let Some(ours) = beside.iter().find(|other| same(other)) {
        return Ok(ours.path.clone());
    }
    if file.symlink_metadata().is_ok() {
        bail!(
            "{}: exists and does not belong to this run; give another name",
            Printable::path(file)
        );
    }
    Ok(file.to_owned())
}

/// NAME.iota if it is of this run or free; else NAME.1.iota, ..., as a traced program would choose
pub fn target(base: &Path, beside: &[TraceFile]) -> PathBuf {
    // NAME.1.iota may be rank 1's own.
    let is_task = |n: u32, file: &TraceFile| matches!(file.trace.parts(), [part] if n > 0 && part.rank() == n);
    let suits = |n: &u32| {
        let path = numbered(base, *n);
        let ours = beside.iter().find(|file| file.path == path);
        ours.map_or(path.symlink_metadata().is_err(), |file| !is_task(*n, file))
    };
    numbered(base, (0..100_000).find(suits).unwrap_or(100_000))
}

/// The files that there are of NAME.iota, NAME.<n>.iota, NAME.<n>.<n>.iota
pub fn names_of(base: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = base
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let dir = base.parent().unwrap_or(Path::new("/"));
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let ours = move |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let middle = name
            .strip_prefix(&stem)
            .and_then(|rest| rest.strip_suffix(".iota"));
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file && middle.is_some_and(are_numbers)
    };
    let mut paths: Vec<PathBuf> = entries.filter(ours).map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter()
}

/// "", ".1", ".1.2"
fn are_numbers(middle: &str) -> bool {
    let numbers: Vec<&str> = middle.split('.').skip(1).collect();
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (middle.is_empty() || middle.starts_with('.'))
        && numbers.len() <= 2
        && numbers.iter().all(is_number)
}
