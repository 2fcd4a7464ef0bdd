//! Logs of other tools as a trace: a file here for each format, and one trait.
//!
//! A line that makes no sense is reported with its place and left out; the trace holds all others, and counts it as lost.

mod builder;
mod details;
mod dxt;
mod format;
mod ioplots;
mod lines;
mod log;
mod strace;
mod text;

use anyhow::bail;
use builder::Builder;
use format::Format;
use iota_trace::write::Written;
use lines::Lines;
pub use log::{ImportSummary, Log};
use std::fs::File;
use std::io::{self, Write};

/// What writes logs
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `iota text`
    Text,
    /// `darshan-dxt-parser`
    Dxt,
    /// `strace`
    Strace,
    /// `ioplots`
    Ioplots,
}

/// A trace that logs are added to
pub struct Import {
    builder: Builder,
    /// The path of the file that an ioplots log is about, where that is known
    file: Option<String>,
}

impl Import {
    /// An empty trace; `output` is what messages call it, and blocks wait in the spool. Logs of ioplots are about `file`.
    pub fn new(spool: File, output: String, file: Option<String>) -> Import {
        Import {
            builder: Builder::new(spool, output),
            file,
        }
    }

    /// Adds a log; whose it is shows in its lines, if that is not said.
    ///
    /// # Errors
    /// It cannot be read, is empty or of no known format; the spool cannot be written.
    pub fn log(&mut self, log: Log, tool: Option<Tool>) -> anyhow::Result<ImportSummary> {
        let mut lines = Lines::new(log);
        let format = self.format(&mut lines, tool)?;
        format.read(&mut lines, &mut self.builder)?;
        Ok(lines.found)
    }

    fn format(&self, lines: &mut Lines, tool: Option<Tool>) -> anyhow::Result<Box<dyn Format>> {
        let file = self.file.clone();
        let all: [(Tool, Box<dyn Format>); 4] = [
            (Tool::Text, Box::new(text::Text)),
            (Tool::Dxt, Box::new(dxt::Dxt)),
            (Tool::Strace, Box::new(strace::Strace)),
            (Tool::Ioplots, Box::new(ioplots::Ioplots { file })),
        ];
        let first = lines.first()?;
        let knows = |format: &dyn Format| first.iter().any(|line| format.knows(line));
        let found = all.into_iter().find(|(known, format)| match tool {
            Some(tool) => tool == *known,
            None => knows(&**format),
        });
        match found {
            Some((_, format)) => Ok(format),
            None => bail!(
                "{}: unknown format, judging by its first {}; if it is from strace -ttt -T, iota text, darshan-dxt-parser or ioplots, name it with --from",
                lines.name(),
                iota_quantity::many(first.len() as u64, "line")
            ),
        }
    }

    /// So many calls should be there, and are not.
    pub fn lose(&mut self, calls: u64) {
        self.builder.lose(calls);
    }

    /// Writes the trace.
    ///
    /// # Errors
    /// It cannot be written, or the spool cannot be read.
    pub fn finish(self, out: impl Write) -> io::Result<Written> {
        self.builder.finish(out)
    }
}
