//! Which files are traces, and which of them belong together.

use iota_trace::Printable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How a trace's name ends.
const END: &str = ".iota";

/// Files that may be the parts of one trace: `run.iota`, `run.0.iota`, `run.1.iota`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFiles {
    /// `run.iota`, with its directory.
    pub name: PathBuf,
    /// All that are there, by number.
    pub files: Vec<PathBuf>,
}

/// What tells that a file has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Its name in its directory.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was written, in ns since 1970.
    pub modified: i64,
    /// Its owner.
    pub owner: u32,
}

impl JobFiles {
    /// What the files are now.
    pub fn stamps(&self) -> Vec<FileStamp> {
        self.files.iter().map(|file| stamp(file)).collect()
    }
}

fn stamp(file: &Path) -> FileStamp {
    let data = fs::metadata(file).ok();
    let (seconds, nanos) = data
        .as_ref()
        .map_or((0, 0), |data| (data.mtime(), data.mtime_nsec()));
    FileStamp {
        name: Printable::path(Path::new(file.file_name().unwrap_or_default())),
        bytes: data.as_ref().map_or(0, fs::Metadata::len),
        modified: seconds.saturating_mul(1_000_000_000).saturating_add(nanos),
        owner: data.as_ref().map_or(u32::MAX, MetadataExt::uid),
    }
}

/// The traces that are given, and all below directories that are given, in the order of their names; and what could not be
/// looked at. Links to directories are not followed.
pub fn find(paths: &[PathBuf]) -> (Vec<JobFiles>, Vec<String>) {
    let mut all: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut directories = Vec::new();
    for path in paths {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => directories.push(path),
            Ok(_) => all.entry(job_name(&path)).or_default().push(path),
            Err(error) => problems.push(format!("{}: {error}", Printable::path(&path))),
        }
    }
    while let Some(directory) = directories.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                problems.push(format!("{}: {error}", Printable::path(&directory)));
                continue;
            }
        };
        // What vanishes meanwhile is no trace any more.
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory {
                directories.push(path);
            } else if name.ends_with(END) && path.is_file() {
                all.entry(job_name(&path)).or_default().push(path);
            }
        }
    }
    let of_job = |(name, mut files): (PathBuf, Vec<PathBuf>)| {
        files.sort_by_key(|file| (file.as_os_str().len(), file.clone()));
        files.dedup();
        JobFiles { name, files }
    };
    (all.into_iter().map(of_job).collect(), problems)
}

/// The name of the job of a file: without its number.
fn job_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(END).unwrap_or(&name);
    match stem.rsplit_once('.') {
        Some((before, number)) if is_number(number) && !before.is_empty() => {
            path.with_file_name(format!("{before}{END}"))
        }
        _ => path.to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_trace_are_one_job() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir(at(".hidden")).unwrap();
        for name in [
            "a/run.10.iota",
            "a/run.2.iota",
            "a/b/x.iota",
            "a/log.txt",
            ".hidden/y.iota",
        ] {
            fs::write(at(name), name).unwrap();
        }
        std::os::unix::fs::symlink(at("a"), at("a/again")).unwrap();
        let (found, problems) = find(&[directory.path().to_owned()]);
        assert_eq!(problems, [] as [&str; 0]);
        let names: Vec<_> = found.iter().map(|job| job.name.clone()).collect();
        assert_eq!(names, [at("a/b/x.iota"), at("a/run.iota")]);
        assert_eq!(found[1].files, [at("a/run.2.iota"), at("a/run.10.iota")]);
        let before = found[1].stamps();
        fs::write(at("a/run.2.iota"), "longer than before").unwrap();
        assert_ne!(found[1].stamps(), before);
        let (found, problems) = find(&[at("none"), at("a/b/x.iota")]);
        assert_eq!((found.len(), problems.len()), (1, 1));
    }
}
