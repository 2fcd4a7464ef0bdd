//! What can be wrong with a trace: always the file, the place in it, the cause, and what to do.

use crate::{Printable, one_line};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Why nothing at all could be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such file, nor parts of it.
    #[error("{}: no such trace, and no part {}.<rank>.iota beside it; give a trace, its parts, or their directory", file.display(), stem)]
    Missing {
        /// As it was given.
        file: PathBuf,
        /// Its name without `.iota`.
        stem: String,
    },
    /// A directory without traces.
    #[error("{}: a directory without any file *.iota; give the directory that the traced program wrote to", dir.display())]
    NoTraces {
        /// As it was given.
        dir: PathBuf,
    },
    /// A file without a byte.
    #[error("{}: byte 0: the file is empty; the traced program has not ended, or its disk was full", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// Something else.
    #[error("{}: byte 0: not an iota trace: it starts with {start}, not with IOTA; check the path", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// Its first bytes.
        start: String,
    },
    /// Not one whole block.
    #[error("{}: byte {offset}: {cause}, and no block of the file is intact; nothing can be read, trace again", file.display())]
    Nothing {
        /// The file.
        file: PathBuf,
        /// Where it went wrong first.
        offset: u64,
        /// How.
        cause: String,
    },
    /// From a later iota.
    #[error("{}: byte {offset}: format version {found}, but this iota reads version {known}; use the iota that wrote it, or a later one", file.display(), known = crate::block::VERSION)]
    Version {
        /// The file.
        file: PathBuf,
        /// Of the block.
        offset: u64,
        /// Its version.
        found: u8,
    },
    /// A spool of which nothing can be taken.
    #[error("{}: byte {offset}: {cause}", file.display())]
    Spool {
        /// The file.
        file: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong there, and what to do.
        cause: String,
    },
    /// The system said no.
    #[error("{}: byte {offset}: cannot be read: {cause}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Where.
        offset: u64,
        /// As the system says it.
        #[source]
        cause: io::Error,
    },
    /// The output of a merge could not be written.
    #[error("cannot write the merged trace: {0}")]
    Write(#[source] io::Error),
}

impl Error {
    /// The failure of one file among several.
    pub fn into_problem(self) -> Problem {
        let text = self.to_string();
        let (file, offset) = match self {
            Error::Missing { file, .. } | Error::Empty { file } | Error::Foreign { file, .. } => {
                (file, 0)
            }
            Error::NoTraces { dir } => (dir, 0),
            Error::Nothing { file, offset, .. }
            | Error::Version { file, offset, .. }
            | Error::Spool { file, offset, .. }
            | Error::Io { file, offset, .. } => (file, offset),
            Error::Write(_) => (PathBuf::new(), 0),
        };
        let place = format!("{}: byte {offset}: ", file.display());
        let cause = text.strip_prefix(&place).unwrap_or(&text).to_owned();
        Problem {
            file,
            offset,
            cause,
            is_unended: false,
        }
    }
}

/// Something that is damaged or missing, while the rest is delivered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: byte {offset}: {cause}", file.display())]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Where in the file.
    pub offset: u64,
    /// What is wrong there, and what it means.
    pub cause: String,
    /// A part that has no end yet, or never got one: all that it has is whole.
    pub is_unended: bool,
}

impl Problem {
    /// File, place and cause on one line, whatever the file's name is
    pub fn message(&self) -> String {
        let Problem {
            file,
            offset,
            cause,
            ..
        } = self;
        one_line(&format!(
            "{}: byte {offset}: {cause}",
            Printable::path(file)
        ))
    }
}

/// No more problems are kept: of a file full of them the first ones tell enough.
const KEPT: usize = 1000;

/// Problems as they come up, shared by a trace and its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems(Arc<Mutex<Vec<Problem>>>);

impl Problems {
    /// Adds one, once for each place.
    pub fn add(&self, problem: Problem) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all
            .iter()
            .any(|known| known.offset == problem.offset && known.file == problem.file);
        if !known && all.len() < KEPT {
            all.push(problem);
        }
    }

    /// A whole file failed: what was reported of its bytes before is beside the point.
    pub fn fail_file(&self, problem: Problem) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.file != problem.file);
        all.push(problem);
    }

    pub fn all(&self) -> Vec<Problem> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
