//! Which files are meant: a trace, its parts where it was never gathered, or all traces of a directory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::copies::Copied;
use super::error::Error;

/// The files that `paths` stand for, in a fixed order, those that cannot be read among them.
pub fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    found(paths).0
}

/// The same, and what is wrong with paths that stand for none.
pub(super) fn found(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Error>) {
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    for path in paths {
        match of(path) {
            Ok(found) => files.extend(found),
            Err(error) => failures.push(error),
        }
    }
    (files, failures)
}

fn of(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if path.is_dir() {
        let traces = siblings(path, |name| name.ends_with(".iota"));
        return if traces.is_empty() {
            Err(Error::NoTraces {
                dir: path.to_owned(),
            })
        } else {
            Ok(traces)
        };
    }
    if path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".iota").unwrap_or(&name).to_owned();
    let parts = siblings(directory(path), |name| is_part(name, &stem));
    if parts.is_empty() {
        Err(Error::Missing {
            file: path.to_owned(),
            stem,
        })
    } else {
        Ok(parts)
    }
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// `STEM.<digits>.iota`
fn is_part(name: &str, stem: &str) -> bool {
    let digits = name
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".iota"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Files of a directory by name; numbers in names count as numbers.
fn siblings(dir: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let named = entries.filter(|entry| wanted(&entry.file_name().to_string_lossy()));
    let mut paths: Vec<PathBuf> = named
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    paths
}

/// What identifies a file by whatever name; none where that is not known.
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|data| (data.dev(), data.ino()))
}

/// The files without those that are there under another name already, and those.
pub(super) fn once(files: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<Copied>) {
    let (mut first, mut kept, mut copies) = (HashMap::new(), Vec::new(), Vec::new());
    for file in files {
        match identity(&file).map(|identity| first.entry(identity)) {
            Some(Entry::Occupied(of)) => copies.push(Copied {
                file,
                of: PathBuf::clone(of.get()),
            }),
            Some(Entry::Vacant(place)) => kept.push(place.insert(file).clone()),
            None => kept.push(file),
        }
    }
    (kept, copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_known_by_their_number() {
        assert!(is_part("run.0.iota", "run") && is_part("run.110051.iota", "run"));
        assert!(
            !is_part("run.iota", "run")
                && !is_part("run.a.iota", "run")
                && !is_part("run..iota", "run")
        );
        assert!(!is_part("other.0.iota", "run"));
    }
}
