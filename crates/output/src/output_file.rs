//! Where output goes: a file that appears when it is whole, or a stream.

use crate::{Draft, Inputs, free};
use anyhow::{Context, bail};
use iota_trace::Printable;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Nobody reads standard output any more, as after `| head`
#[derive(Debug)]
pub struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("standard output was closed")
    }
}

impl std::error::Error for Closed {}

/// One file, or a stream
pub struct OutputFile {
    file: File,
    name: String,
    /// What becomes of it when it is whole
    draft: Option<(Draft, PathBuf, bool)>,
}

impl OutputFile {
    /// `-` is standard output; a pipe or device is written as it is; a file that is there is replaced only by force
    ///
    /// # Errors
    ///
    /// It may not be replaced, is one of the inputs, or cannot be made.
    pub fn new(path: &Path, inputs: &Inputs, force: bool) -> anyhow::Result<OutputFile> {
        inputs.spare(path)?;
        if path == Path::new("-") {
            return OutputFile::stdout();
        }
        let name = Printable::path(path);
        match fs::metadata(path) {
            Ok(data) if data.is_dir() => bail!("{name}: is a directory; give the name of a file"),
            Ok(data) if !data.is_file() => {
                let file = OpenOptions::new().write(true).open(path);
                let file = file.with_context(|| name.clone())?;
                return Ok(OutputFile {
                    file,
                    name,
                    draft: None,
                });
            }
            _ => free(path, force)?,
        }
        let draft = Draft::beside(path, inputs)?;
        let file = draft.file.try_clone().with_context(|| name.clone())?;
        Ok(OutputFile {
            file,
            name,
            draft: Some((draft, path.to_owned(), force)),
        })
    }

    fn stdout() -> anyhow::Result<OutputFile> {
        let out = io::stdout();
        let name = "standard output".to_owned();
        let file = File::from(
            out.as_fd()
                .try_clone_to_owned()
                .context("standard output")?,
        );
        Ok(OutputFile {
            file,
            name,
            draft: None,
        })
    }

    /// Whether a person would see the bytes
    pub fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    /// Gives it its name
    ///
    /// # Errors
    ///
    /// It cannot be renamed.
    pub fn publish(self) -> anyhow::Result<()> {
        match self.draft {
            Some((draft, path, force)) => draft.publish(&path, force),
            None => Ok(()),
        }
    }

    /// Writes; a failure names the file
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|error| self.failure(error))
    }

    /// The file itself
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether it is a new file, not a stream
    pub fn is_new_file(&self) -> bool {
        self.draft.is_some()
    }

    /// What a failure to write [`OutputFile::file`] means
    pub fn failure(&self, error: io::Error) -> anyhow::Error {
        match error.kind() {
            ErrorKind::BrokenPipe if self.draft.is_none() => Closed.into(),
            _ => anyhow::Error::new(error).context(self.name.clone()),
        }
    }
}
