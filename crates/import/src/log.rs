//! A log, and what was found in it.

use std::io::Read;
use std::path::Path;

/// A log to read
pub struct Log<'l> {
    /// The file, as people read it
    pub name: String,
    /// The file
    pub path: &'l Path,
    /// Its bytes
    pub from: Box<dyn Read + 'l>,
    /// Gets how many bytes more have been read
    pub progress: &'l dyn Fn(u64),
}

/// What was found in a log
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Lines that made sense
    pub good: u64,
    /// Those that did not
    pub bad: u64,
    /// The first of them, and why
    pub first_bad: Option<(u64, String)>,
    /// What the user should know about the log
    pub note: Option<String>,
}
