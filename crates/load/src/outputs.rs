//! What is written about a load never replaces a file that the load works on.

use crate::options::Options;
use anyhow::ensure;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a path leads to
struct Target<'a> {
    path: &'a Path,
    data: Option<Metadata>,
    place: Option<PathBuf>,
}

impl<'a> Target<'a> {
    fn of(path: &'a Path) -> Target<'a> {
        Target {
            path,
            data: fs::metadata(path).ok(),
            place: place(path),
        }
    }

    /// Pipes and devices can be written by several.
    fn is_same(&self, other: &Target) -> bool {
        match (&self.data, &other.data) {
            (Some(one), Some(other)) => {
                one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino())
            }
            (None, None) => self.place.is_some() && self.place == other.place,
            _ => false,
        }
    }
}

/// Where a file will be that is not there yet
fn place(path: &Path) -> Option<PathBuf> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let dir = dir.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(dir.join(path.file_name()?))
}

/// Checks that report and trace are two files, and none of `files`.
///
/// # Errors
/// They are not.
pub fn apart<'f>(
    options: &Options,
    files: impl Iterator<Item = &'f Path> + Clone,
) -> anyhow::Result<()> {
    let output = options.output.as_deref().map(Target::of);
    let trace = options.trace.as_deref().map(Target::of);
    if let (Some(output), Some(trace)) = (&output, &trace) {
        ensure!(
            !output.is_same(trace),
            "-output and -trace are both {}; give one of them another name",
            output.path.display()
        );
    }
    for (option, target) in [("-output", output), ("-trace", trace)] {
        let Some(target) = target else { continue };
        let mut files = files.clone();
        ensure!(
            !files.any(|file| target.is_same(&Target::of(file))),
            "{option} {}: is a file of the load; give another name",
            target.path.display()
        );
    }
    Ok(())
}
