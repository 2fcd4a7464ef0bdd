//! What a command reads. No output is ever one of these files, whatever names lead to it; and nobody may read an output who
//! may not read them.

use anyhow::bail;
use iota_trace::Printable;
use std::fs::{self, Metadata};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files that are read
pub struct Inputs {
    files: Vec<(PathBuf, Metadata)>,
}

impl Inputs {
    /// None
    pub const NONE: Inputs = Inputs { files: Vec::new() };

    /// These files, as far as they are there
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Inputs {
        let file = |path: PathBuf| fs::metadata(&path).ok().map(|data| (path, data));
        Inputs {
            files: paths.into_iter().filter_map(file).collect(),
        }
    }

    /// Refuses an output that is one of them
    ///
    /// # Errors
    ///
    /// It is one of them.
    pub fn spare(&self, output: &Path) -> anyhow::Result<()> {
        if output == Path::new("-") {
            return self.spare_stdout();
        }
        let Ok(data) = fs::metadata(output) else {
            return Ok(());
        };
        match self.files.iter().find(|(_, input)| is_same(&data, input)) {
            Some((input, _)) => bail!(
                "{}: is read, as {}; give another name for the output",
                Printable::path(output),
                Printable::path(input)
            ),
            None => Ok(()),
        }
    }

    /// Refuses a directory to be replaced that has one of them
    ///
    /// # Errors
    ///
    /// It has one of them.
    pub fn spare_directory(&self, output: &Path) -> anyhow::Result<()> {
        let above = output.canonicalize().ok();
        let is_within = |(path, _): &&(PathBuf, Metadata)| {
            let path = path.canonicalize().ok();
            path.zip(above.as_ref())
                .is_some_and(|(path, above)| path.starts_with(above))
        };
        match self.files.iter().find(is_within) {
            Some((input, _)) => bail!(
                "{}: has {}, which is read; give another name for the output",
                Printable::path(output),
                Printable::path(input)
            ),
            None => Ok(()),
        }
    }

    /// The same of standard output, as after `>>`
    ///
    /// # Errors
    ///
    /// It is one of them.
    pub fn spare_stdout(&self) -> anyhow::Result<()> {
        let out = std::io::stdout().as_fd().try_clone_to_owned();
        let data = out.and_then(|out| fs::File::from(out).metadata());
        let is_file = |data: &Metadata| data.is_file();
        let Some(data) = data.ok().filter(is_file) else {
            return Ok(());
        };
        match self.files.iter().find(|(_, input)| is_same(&data, input)) {
            Some((input, _)) => bail!(
                "{}: is read, and is standard output as well; choose another file for the output",
                Printable::path(input)
            ),
            None => Ok(()),
        }
    }

    /// Who may read and write what is made of them: who may do so with all of them; at the least the owner, and without
    /// any nobody else
    pub fn mode(&self) -> u32 {
        let modes = self.files.iter().map(|(_, data)| data.permissions().mode());
        let common = modes.reduce(|a, b| a & b).unwrap_or(0);
        common & 0o666 | 0o600
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}
